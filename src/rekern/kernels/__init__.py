"""Kernels: exact similarities of texts and of pairs of texts.

The names below are loaded when they are first used.
"""

from typing import TYPE_CHECKING

from rekern.core.lazy_names import load_lazily

if TYPE_CHECKING:
    from rekern.kernels.combinations import Normalized, Product, Scaled, Sum
    from rekern.kernels.curves import Curves
    from rekern.kernels.gaussian import Gaussian
    from rekern.kernels.graphs.neighborhoods import Neighborhoods
    from rekern.kernels.kernel import Kernel
    from rekern.kernels.landmarks import Landmarks
    from rekern.kernels.pairings import AllProduct, AllSum, BestPairing, PairProduct, PairSum, SoftPairing
    from rekern.kernels.rewriting.hashed_rules import HashedRules
    from rekern.kernels.rewriting.rewriting_kernel import Rewriting
    from rekern.kernels.strings.ngram_kernels import Spectrum, Wildcard
    from rekern.kernels.strings.subsequence import Subsequence
    from rekern.kernels.symmetric import Symmetric
    from rekern.kernels.trees.dependency_paths import DependencyPaths
    from rekern.kernels.trees.partial_tree import PartialTree, SmoothedPartialTree
    from rekern.kernels.trees.subset_tree import SubsetTree
    from rekern.kernels.trees.subtree import SubTree

_MODULES = {
    "AllProduct": "rekern.kernels.pairings",
    "AllSum": "rekern.kernels.pairings",
    "BestPairing": "rekern.kernels.pairings",
    "Curves": "rekern.kernels.curves",
    "DependencyPaths": "rekern.kernels.trees.dependency_paths",
    "Gaussian": "rekern.kernels.gaussian",
    "Kernel": "rekern.kernels.kernel",
    "Landmarks": "rekern.kernels.landmarks",
    "Neighborhoods": "rekern.kernels.graphs.neighborhoods",
    "Normalized": "rekern.kernels.combinations",
    "PairProduct": "rekern.kernels.pairings",
    "PairSum": "rekern.kernels.pairings",
    "PartialTree": "rekern.kernels.trees.partial_tree",
    "Product": "rekern.kernels.combinations",
    "HashedRules": "rekern.kernels.rewriting.hashed_rules",
    "Rewriting": "rekern.kernels.rewriting.rewriting_kernel",
    "Scaled": "rekern.kernels.combinations",
    "SmoothedPartialTree": "rekern.kernels.trees.partial_tree",
    "SoftPairing": "rekern.kernels.pairings",
    "Spectrum": "rekern.kernels.strings.ngram_kernels",
    "SubTree": "rekern.kernels.trees.subtree",
    "Subsequence": "rekern.kernels.strings.subsequence",
    "SubsetTree": "rekern.kernels.trees.subset_tree",
    "Sum": "rekern.kernels.combinations",
    "Symmetric": "rekern.kernels.symmetric",
    "Wildcard": "rekern.kernels.strings.ngram_kernels",
}

__all__ = [
    "AllProduct",
    "AllSum",
    "BestPairing",
    "Curves",
    "DependencyPaths",
    "Gaussian",
    "HashedRules",
    "Kernel",
    "Landmarks",
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
    "Symmetric",
    "Wildcard",
]

__getattr__, __dir__ = load_lazily(__name__, _MODULES)
