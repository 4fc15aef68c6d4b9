"""Kernels: exact similarities of texts and of pairs of texts."""

from rekern.kernels.combinations import Normalized, Product, Scaled, Sum
from rekern.kernels.curves import Curves
from rekern.kernels.gaussian import Gaussian
from rekern.kernels.graphs import Neighborhoods
from rekern.kernels.kernel import Kernel
from rekern.kernels.pairings import AllProduct, AllSum, BestPairing, PairProduct, PairSum, SoftPairing
from rekern.kernels.rewriting import Rewriting
from rekern.kernels.strings import Spectrum, Subsequence, Wildcard
from rekern.kernels.trees import DependencyPaths, PartialTree, SmoothedPartialTree, SubsetTree, SubTree

__all__ = [
    "AllProduct",
    "AllSum",
    "BestPairing",
    "Curves",
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
