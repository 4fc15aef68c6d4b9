"""The compiled core of the kernel of complete subtrees."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import extend_hash, mix
from rekern.kernels.trees.folded_forest_core import fold_trees


@compiled
def list_subtrees(labels, first, count, offsets, decay):
    """Return for every tree its distinct subtrees except bare leaves, each with √(weight) times how often it occurs.

    Subtrees are numbers that all trees share; a node is returned for each number.
    """
    trees = len(offsets) - 1
    numbers, examples = fold_trees(labels, first, count, offsets, 0, trees)
    inner = np.zeros(len(examples), np.int64)  # nodes with children; children have lower numbers
    for number in range(len(examples)):
        node = examples[number]
        if count[node]:
            inner[number] = 1
            for child in range(first[node], first[node] + count[node]):
                inner[number] += inner[numbers[child]]
    indptr = np.zeros(trees + 1, np.int64)
    found = np.empty(len(numbers), np.int64)
    values = np.empty(len(numbers))
    place_of = np.full(len(examples), -1, np.int64)
    filled = 0
    root = np.sqrt(decay)
    for tree in range(trees):
        for node in range(offsets[tree], offsets[tree + 1]):
            number = numbers[node]
            if count[node] == 0:
                continue
            if place_of[number] < indptr[tree]:
                place_of[number] = filled
                found[filled] = number
                values[filled] = 0.0
                filled += 1
            values[place_of[number]] += root ** inner[number]
        indptr[tree + 1] = filled
    return indptr, found[:filled], values[:filled], examples


@compiled
def hash_subtrees(labels, first, count, label_keys):
    """Return a key for the subtree at every node that depends on its labels and its shape alone."""
    keys = np.empty(len(labels), np.uint64)
    for node in range(len(labels) - 1, -1, -1):  # children have higher numbers than their parents
        key = extend_hash(label_keys[labels[node]], count[node])
        for child in range(first[node], first[node] + count[node]):
            key = extend_hash(key, keys[child])
        keys[node] = mix(key)
    return keys
