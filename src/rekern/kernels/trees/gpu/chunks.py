"""A chunk of the trees of the rows or of the columns, folded and laid out for a GPU."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Ints, Keys, SmallInts
from rekern.core.compiling import compiled
from rekern.core.hashing import constants, mix_array
from rekern.kernels.trees.folded_forest_core import Forest, build_forest
from rekern.kernels.trees.gpu.cuda_cores import WIDEST
from rekern.structures.trees import TreeArrays

LABEL_SEED, PLACE_SEED = 0x7EE5, 0x7EE6


class ChunkArrays(NamedTuple):
    """What the cores need to know of a chunk; see `cuda_cores` for the rows of the first three."""

    facts: SmallInts  # about each subtree
    marks: Ints  # of each subtree: a bit for each class of its children
    kids: SmallInts  # the children of all subtrees
    sequences: SmallInts  # the classes of the labels of the children, for each group
    order: SmallInts  # the subtrees by height
    nodes: SmallInts  # the subtree at every node of the trees
    offsets: Ints  # the nodes of each tree
    starts: Ints  # the first subtree of each class
    sizes: Ints  # how many subtrees it has
    entries: Ints  # where its entries begin: its nodes in one tree, with all trees that have some
    entry_begins: Ints  # where the nodes of an entry begin
    entry_trees: Ints
    node_ranks: Ints  # of the nodes by class and tree: the place of the subtree in its class


class Chunk(NamedTuple):
    """A range of trees."""

    first: int
    trees: int
    levels: Ints  # where the subtrees of each height begin in the order
    arrays: ChunkArrays


def hash_productions(forest: Forest, label_count: int) -> Keys:
    """Return a key for the production of each group: of its label, and of the labels of the children."""
    labels, places = constants(LABEL_SEED, label_count), constants(PLACE_SEED, WIDEST + 1)
    place_of = np.arange(len(forest.classes)) - np.repeat(forest.sequences[:-1], forest.widths) + 1
    sums = np.append(np.uint64(0), np.cumsum(labels[forest.classes] * places[place_of]))
    own = labels[forest.labels[forest.groups[:-1]]] * places[0]
    return mix_array(own + np.diff(sums[forest.sequences]))


def number_productions(forests: list[Forest], label_count: int) -> Keys:
    """Return the sorted keys of the productions of some forests, and of one that no forest has."""
    found = [hash_productions(forest, label_count) for forest in forests]
    return np.unique(np.concatenate([np.zeros(1, np.uint64), *found]))


def fold_chunk(arrays: TreeArrays, first: int, last: int, class_of: SmallInts) -> Forest:
    """Return the folded trees ``first`` to ``last - 1``."""
    forest: Forest = build_forest(*arrays, first, last, class_of, len(class_of))
    return forest


def describe_chunk(
    trees: TreeArrays, first: int, forest: Forest, class_of: SmallInts, productions: Keys | None, with_leaves: bool
) -> Chunk:
    """Lay out a folded chunk whose first tree is given.

    Classes are those of labels, or the places of productions among some keys; productions that are not there share the
    class after the last one. Without leaves, the values of leaves are not summed.
    """
    members, widths = np.diff(forest.groups), forest.widths
    group_classes = class_of[forest.labels[forest.groups[:-1]]]
    class_count = len(class_of)
    if productions is not None:
        class_count = len(productions)
        keys = hash_productions(forest, len(class_of))
        found = np.minimum(np.searchsorted(productions, keys), class_count - 1)
        group_classes = np.where(productions[found] == keys, found, class_count)
    classes = np.repeat(group_classes, members)
    rank_in_group = np.arange(len(classes)) - np.repeat(forest.groups[:-1], members)
    facts = np.stack([
        classes,
        np.repeat(widths, members),
        forest.labels,
        np.repeat(forest.sequences[:-1], members),
        np.repeat(forest.columns[:-1], members) + rank_in_group,
        np.repeat(members, members),
    ]).astype(np.int32)  # fmt: skip
    group_marks = np.zeros(len(widths), np.int64)
    if len(forest.classes):
        bits = np.int64(1) << (forest.classes & 63).astype(np.int64)
        group_marks[widths > 0] = np.bitwise_or.reduceat(bits, forest.sequences[:-1][widths > 0])
    begins = _find_changes(classes)
    starts = np.zeros(class_count + 1, np.int64)
    starts[classes[begins]] = begins
    ranks = np.arange(len(classes)) - starts[classes]
    heights = measure_heights(trees.first, trees.counts, trees.offsets[first], forest.nodes, len(classes))
    # The nodes by class, in the order of the trees.
    owners = np.repeat(np.arange(len(forest.offsets) - 1), np.diff(forest.offsets))
    nodes = forest.nodes
    if not with_leaves:
        is_inner = facts[1][nodes] > 0
        owners, nodes = owners[is_inner], nodes[is_inner]
    by_class = np.argsort(classes[nodes], kind="stable")
    nodes, owners = nodes[by_class], owners[by_class]
    entry_begins = _find_changes(classes[nodes] * np.int64(len(forest.offsets)) + owners)
    entry_classes = classes[nodes[entry_begins]]
    laid = ChunkArrays(
        facts,
        np.repeat(group_marks, members),
        np.stack([forest.kids, ranks[forest.kids], classes[forest.kids]]).astype(np.int32),
        forest.classes,
        np.argsort(heights, kind="stable").astype(np.int32),
        forest.nodes,
        forest.offsets,
        starts,
        np.bincount(classes, minlength=class_count + 1),
        np.searchsorted(entry_classes, np.arange(class_count + 2)),
        np.append(entry_begins, len(nodes)),
        owners[entry_begins],
        ranks[nodes],
    )
    return Chunk(first, len(forest.offsets) - 1, np.append(0, np.cumsum(np.bincount(heights))), laid)


def _find_changes(values: Ints) -> Ints:
    """Return the places where a value differs from the one before, and the first place."""
    is_new = np.ones(len(values), np.bool_)
    is_new[1:] = values[1:] != values[:-1]
    return np.flatnonzero(is_new)


@compiled
def measure_heights(first, count, start, nodes, subtrees):  # type: ignore[no-untyped-def]
    """Return the height of every subtree, 0 for leaves; ``nodes`` has the subtree of each node from ``start`` on."""
    heights = np.zeros(subtrees, np.int32)
    for place in range(len(nodes) - 1, -1, -1):  # children have higher numbers than their parents
        node = start + place
        height = 0
        for child in range(first[node], first[node] + count[node]):
            height = max(height, heights[nodes[child - start]] + 1)
        heights[nodes[place]] = height
    return heights
