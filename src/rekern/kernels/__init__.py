"""Kernels: exact similarities of texts and of pairs of texts."""

from rekern.kernels.graphs.neighborhoods import Neighborhoods
from rekern.kernels.kernel import Gaussian, Kernel, Normalized, Product, Scaled, Sum
from rekern.kernels.pairings import AllProduct, AllSum, BestPairing, PairProduct, PairSum, SoftPairing
from rekern.kernels.rewriting.rewriting_kernel import Rewriting
from rekern.kernels.strings.ngram_kernels import Spectrum, Wildcard
from rekern.kernels.strings.subsequence import Subsequence
from rekern.kernels.trees.dependency_paths import DependencyPaths
from rekern.kernels.trees.partial_tree import PartialTree, SmoothedPartialTree
from rekern.kernels.trees.subset_tree import SubsetTree, SubTree

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
