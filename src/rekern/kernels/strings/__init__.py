"""Kernels on single texts: n-grams, n-grams with wildcards, subsequences."""

from rekern.kernels.strings.ngram_kernels import Spectrum, Wildcard
from rekern.kernels.strings.subsequence import Subsequence

__all__ = ["Spectrum", "Subsequence", "Wildcard"]
