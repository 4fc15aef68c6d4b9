"""Kernels on single texts: n-grams, n-grams with wildcards, subsequences."""
