"""Slow statements of what the package computes fast, straight from the definitions."""
