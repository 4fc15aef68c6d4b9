"""Kernels: exact similarities of texts and of pairs of texts."""

from rekern.kernels.base import Gaussian, Kernel, Normalized, Product, Scaled, Sum
from rekern.kernels.dependencypaths import DependencyPaths
from rekern.kernels.neighborhoods import Neighborhoods
from rekern.kernels.pairings import AllProduct, AllSum, BestPairing, PairProduct, PairSum, SoftPairing
from rekern.kernels.partialtrees import PartialTree, SmoothedPartialTree
from rekern.kernels.rewriting import Rewriting
from rekern.kernels.strings import Spectrum, Wildcard
from rekern.kernels.subsequence import Subsequence
from rekern.kernels.subtrees import SubsetTree, SubTree

__all__ = [
    "AllProduct",
    "AllSum",
    "BestPairing",
    "DependencyPaths",
    "Gaussian",
    "Kernel",
    "Neighborhoods",
    "Normalized",
    "PairProduct",
    "PairSum",
    "PartialTree",
    "Product",
    "Rewriting",
    "Scaled",
    "SmoothedPartialTree",
    "SoftPairing",
    "Spectrum",
    "SubTree",
    "Subsequence",
    "SubsetTree",
    "Sum",
    "Wildcard",
]
