"""The compiled core of the subset tree kernel.

Only nodes of equal production count. For one tree of the rows, node by node from the leaves up, Δ against all distinct
subtrees of the same production in a forest is one row of numbers, made from the rows of the node's children.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from typing import NamedTuple

import numpy as np

from rekern.core.array_core import find_longest
from rekern.core.compiling import compiled
from rekern.kernels.trees.common_tree_core import begin_tree, gather_cells, release_children


class SubsetTreeParameters(NamedTuple):
    """The parameters of the kernel."""

    decay: float
    words: bool  # whether equal leaves add the decay too


@compiled
def fill_subset_trees(block, row_begin, column_begin, symmetric, rows_of, forest, column, parameters):
    """Fill the cells of a block whose columns are in a forest, whose first tree is column ``column``.

    In a symmetric Gram only the cells from the diagonal on are filled.
    """
    decay, words = parameters
    labels, first, count, offsets = rows_of.labels, rows_of.first, rows_of.counts, rows_of.offsets
    origin, last = offsets[row_begin], offsets[row_begin + block.shape[0]]  # the nodes of these rows
    order, waiting, codes = rows_of.order, rows_of.waiting, rows_of.codes
    buckets, leaves, groups, widths = forest.buckets, forest.leaves, forest.groups, forest.widths
    sequences, classes, columns, kids = forest.sequences, forest.classes, forest.columns, forest.kids
    table, group_codes = forest.table, forest.codes
    nodes, ends, subtree_labels = forest.nodes, forest.offsets, forest.labels
    mask = np.uint64(len(table) - 1)
    largest = find_longest(groups)
    values = np.empty((waiting + 1) * largest)
    free = np.empty(waiting + 1, np.int64)
    slot_of = np.empty(last - origin, np.int32)
    group_of = np.empty(last - origin, np.int32)
    sums = np.empty(len(subtree_labels))
    for index in range(block.shape[0]):
        tree = row_begin + index
        if symmetric and column + len(ends) - 1 <= tree:
            continue
        free_count = begin_tree(sums, free)
        for at in range(offsets[tree], offsets[tree + 1]):
            node = order[at]
            own = labels[node]
            width = count[node]
            slot_of[node - origin] = -1
            if width == 0:
                if words:
                    for place in range(buckets[own], buckets[own] + leaves[own]):
                        sums[place] += decay
                continue
            code = codes[node]
            probe = code & mask
            while True:
                group = table[probe]
                if group < 0:
                    break
                if group_codes[group] == code and widths[group] == width and subtree_labels[groups[group]] == own:
                    equal = True
                    for child in range(width):
                        if classes[sequences[group] + child] != labels[first[node] + child]:
                            equal = False
                            break
                    if equal:
                        break
                probe = (probe + np.uint64(1)) & mask
            if group >= 0:
                begin = groups[group]
                members = groups[group + 1] - begin
                free_count -= 1
                slot_of[node - origin] = free[free_count]
                group_of[node - origin] = group
                start = np.int64(slot_of[node - origin]) * largest
                for member in range(members):
                    values[start + member] = decay
                for child in range(width):
                    below = first[node] + child
                    if slot_of[below - origin] >= 0:
                        from_column = columns[group] + np.int64(child) * members
                        low = groups[group_of[below - origin]]
                        high = groups[group_of[below - origin] + 1]
                        base = np.int64(slot_of[below - origin]) * largest - low
                        for member in range(members):
                            kid = kids[from_column + member]
                            if low <= kid < high:
                                values[start + member] *= 1.0 + values[base + kid]
                for member in range(members):
                    sums[begin + member] += values[start + member]
            free_count = release_children(first[node] - origin, width, slot_of, free, free_count)
        skipped = max(0, (tree if symmetric else column_begin) - column)
        gather_cells(block[index, column - column_begin + skipped :], skipped, nodes, ends, sums)
