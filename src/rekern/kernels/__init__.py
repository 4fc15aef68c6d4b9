"""Kernels: exact similarities of texts and of pairs of texts."""

from rekern.kernels.base import Gaussian, Kernel, Normalized, Product, Scaled, Sum
from rekern.kernels.neighborhoods import Neighborhoods
from rekern.kernels.rewriting import Rewriting
from rekern.kernels.strings import Spectrum, Wildcard
from rekern.kernels.subsequence import Subsequence

__all__ = [
    "Gaussian",
    "Kernel",
    "Neighborhoods",
    "Normalized",
    "Product",
    "Rewriting",
    "Scaled",
    "Spectrum",
    "Subsequence",
    "Sum",
    "Wildcard",
]
