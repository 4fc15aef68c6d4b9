"""The two sides of a Gram of trees, as the compiled cores take them: trees of the rows, forests of the columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Ints, Keys, SmallInts
from rekern.core.parallel_jobs import run_in_threads
from rekern.kernels.trees.folded_forest_core import Forest, build_forest, mark_labels, order_nodes
from rekern.structures.trees import TreeArrays, Trees

MOST_TREES = 256  # in a forest: many share more subtrees, few stay in the cache and fit the edge of a triangle
MOST_NODES = 16384


class TreeRows(NamedTuple):
    """The trees of the rows of a Gram."""

    labels: SmallInts
    first: SmallInts
    counts: SmallInts
    offsets: Ints
    order: SmallInts  # children before their parents
    waiting: int  # the most nodes with children that wait for their parent at once
    waiting_all: int  # and the most nodes of any kind
    codes: Keys  # hash of each node's production


class PlacedForest(NamedTuple):
    """A forest, and the column of the Gram at which it begins."""

    column: int
    forest: Forest


def read_rows(trees: Trees, n_jobs: int | None = 1) -> TreeRows:
    """Return the trees with the orders and hashes that the cores need."""
    arrays = trees.arrays
    order, codes = np.empty(len(arrays.labels), np.int32), np.empty(len(arrays.labels), np.uint64)
    spans = cut_corpus(arrays.offsets)
    waits = run_in_threads(order_nodes, [(*span, *arrays, order, codes) for span in spans], n_jobs) or [(1, 1)]
    inner, waiting = (max(column) for column in zip(*waits))
    return TreeRows(*arrays, order, inner, waiting, codes)


def cut_corpus(offsets: Ints, most_trees: int = MOST_TREES, most_nodes: int = MOST_NODES) -> list[tuple[int, int]]:
    """Cut a corpus into ranges of trees, none with too many trees or nodes; by default as many as stay in the cache.

    >>> cut_corpus(np.arange(0, 64 * 601, 64))
    [(0, 256), (256, 512), (512, 600)]
    """
    found = []
    begin = 0
    while begin < len(offsets) - 1:
        end = int(np.searchsorted(offsets, offsets[begin] + most_nodes, side="right")) - 1
        end = min(max(end, begin + 1), begin + most_trees, len(offsets) - 1)
        found.append((begin, end))
        begin = end
    return found


def plant_forests(arrays: TreeArrays, class_of: SmallInts, n_jobs: int | None = 1) -> list[PlacedForest]:
    """Fold all trees into forests, several at a time.

    A forest has an entry for every class of labels, so with very many classes the forests are larger, and fewer.
    """
    classes = len(class_of)
    cuts = cut_corpus(arrays.offsets, max(MOST_TREES, classes // 64), max(MOST_NODES, classes))
    forests = run_in_threads(build_forest, [(*arrays, *cut, class_of, classes) for cut in cuts], n_jobs)
    return [PlacedForest(begin, forest) for (begin, _), forest in zip(cuts, forests)]


def find_used_labels(*corpora: Trees) -> Ints:
    """Return the numbers of the labels that occur in these trees; they may be fewer than the vocabulary has."""
    is_used = np.zeros(max(len(trees.vocabulary) for trees in corpora), np.bool_)
    for labels in {id(trees): trees.labels for trees in corpora}.values():
        mark_labels(is_used, labels)
    return np.flatnonzero(is_used)
