"""Kernels on trees: complete subtrees, subset trees, partial trees, dependency paths."""
