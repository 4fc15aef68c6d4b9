"""Kernels on pairs of texts by their re-writing rules."""
