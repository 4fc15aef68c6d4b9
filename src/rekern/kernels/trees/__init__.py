"""Kernels on trees: complete subtrees, subset trees, partial trees, dependency paths."""

from rekern.kernels.trees.dependency_paths import DependencyPaths
from rekern.kernels.trees.partial_tree import PartialTree, SmoothedPartialTree
from rekern.kernels.trees.subset_tree import SubsetTree
from rekern.kernels.trees.subtree import SubTree

__all__ = ["DependencyPaths", "PartialTree", "SmoothedPartialTree", "SubTree", "SubsetTree"]
