"""The compiled core of the dependency path kernel.

For one tree of the rows, node by node from the leaves up, the common downward paths from a node and from all distinct
subtrees with the same word in a forest are one row of numbers, made from the rows of the node's children.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from typing import NamedTuple

import numpy as np

from rekern.core.array_core import find_longest
from rekern.core.compiling import compiled
from rekern.kernels.trees.common_tree_core import (
    begin_tree,
    find_largest,
    find_slot,
    gather_cells,
    point_to_row,
    release_children,
)

FEW = 24  # matching pairs of children; with more, the sums run over all cells


class PathParameters(NamedTuple):
    """The parameters of the kernel."""

    class_count: int  # how many labels there are
    decay: float  # the weight of a link
    middle: float  # of the rest of a path of which one branch below the highest word has one word and the other more


@compiled
def _sum_over_cells(
    values, member, members, rows, row_classes, bases, steps, width, sequence, column_classes, column, kids, counts,
    below,
):  # fmt: skip
    """Return for one subtree how many pairs of children match and the sum of their downward paths; and over pairs of
    matching pairs the sums of 1, of the downward paths of either, and of the products of both."""
    counts[:width] = 0.0
    below[:width] = 0.0
    total_count = total_below = pairs = singles = products = 0.0
    for row in range(rows):
        row_count = row_below = 0.0
        for place in range(width):  # first compare with the rows before, then join them
            if row_classes[row] == column_classes[sequence + place]:
                kid = np.int64(kids[column + place * members + member])
                value = values[bases[row] + steps[row] * kid]
                others, others_below = total_count - counts[place], total_below - below[place]
                pairs += others
                singles += value * others + others_below
                products += value * others_below
        for place in range(width):
            if row_classes[row] == column_classes[sequence + place]:
                kid = np.int64(kids[column + place * members + member])
                value = values[bases[row] + steps[row] * kid]
                counts[place] += 1.0
                below[place] += value
                row_count += 1.0
                row_below += value
        total_count += row_count
        total_below += row_below
    return total_count, total_below, pairs, singles, products


@compiled
def fill_dependency_paths(block, row_begin, column_begin, symmetric, rows_of, forest, column, parameters):
    """Fill the cells of a block whose columns are in a forest, whose first tree is column ``column``.

    In a symmetric Gram only the cells from the diagonal on are filled.
    """
    class_count, decay, middle = parameters
    labels, first, count, offsets = rows_of.labels, rows_of.first, rows_of.counts, rows_of.offsets
    origin, last = offsets[row_begin], offsets[row_begin + block.shape[0]]  # the nodes of these rows
    order, waiting = rows_of.order, rows_of.waiting
    buckets, groups, widths = forest.buckets, forest.groups, forest.widths
    sequences, classes, columns, kids = forest.sequences, forest.classes, forest.columns, forest.kids
    keys, posted, posted_ends, postings = forest.keys, forest.posted, forest.posted_ends, forest.postings
    nodes, ends, subtree_labels = forest.nodes, forest.offsets, forest.labels
    largest = find_longest(buckets)
    most, widest = find_largest(count[origin:last]), find_largest(widths)
    values = np.zeros((waiting + 1) * largest + 1)
    constant = len(values) - 1  # stays 0: nothing lies below a leaf
    free = np.empty(waiting + 1, np.int64)
    slot_of = np.empty(last - origin, np.int32)
    sums = np.empty(len(subtree_labels))
    seen = np.zeros(len(widths), np.int64)
    stamp = 0
    square = decay * decay
    row_classes = np.empty(most, np.int32)
    bases = np.empty(most, np.int64)
    steps = np.empty(most, np.int64)
    counts = np.empty(widest)
    below = np.empty(widest)
    match_rows = np.empty(FEW, np.int64)
    match_places = np.empty(FEW, np.int64)
    found = np.empty(FEW)
    for index in range(block.shape[0]):
        tree = row_begin + index
        if symmetric and column + len(ends) - 1 <= tree:
            continue
        free_count = begin_tree(sums, free)
        for at in range(offsets[tree], offsets[tree + 1]):
            node = order[at]
            own = labels[node]
            begin, end = buckets[own], buckets[own + 1]
            rows = count[node]
            slot_of[node - origin] = -1
            for place in range(begin, end):
                sums[place] += 1.0
            if begin < end and rows > 0:
                free_count -= 1
                slot_of[node - origin] = free[free_count]
                shift = np.int64(slot_of[node - origin]) * largest - begin
                for place in range(begin, end):
                    values[shift + place] = 0.0
                stamp += 1
                for row in range(rows):
                    child = first[node] + row
                    row_classes[row] = labels[child]
                    bases[row], steps[row] = point_to_row(
                        slot_of[child - origin], largest, buckets[labels[child]], constant
                    )
                for row in range(rows):
                    key = np.int64(own) * class_count + row_classes[row]
                    probe = find_slot(keys, key)
                    if keys[probe] < 0:
                        continue
                    for posting in range(posted[probe], posted_ends[probe]):
                        group = postings[posting]
                        if seen[group] == stamp:
                            continue
                        seen[group] = stamp
                        width = widths[group]
                        sequence = sequences[group]
                        members = groups[group + 1] - groups[group]
                        matches = 0
                        for i in range(row, rows):
                            for j in range(width):
                                if classes[sequence + j] == row_classes[i]:
                                    if matches < FEW:
                                        match_rows[matches] = i
                                        match_places[matches] = j
                                    matches += 1
                            if matches > FEW:
                                break
                        for member in range(members):
                            if matches <= FEW:
                                downward = pairs = singles = products = 0.0
                                for match in range(matches):
                                    i, j = match_rows[match], match_places[match]
                                    kid = np.int64(kids[columns[group] + j * members + member])
                                    value = values[bases[i] + steps[i] * kid]
                                    found[match] = value
                                    downward += value
                                    for before in range(match):
                                        if match_rows[before] != i and match_places[before] != j:
                                            pairs += 1.0
                                            singles += value + found[before]
                                            products += value * found[before]
                                links = np.float64(matches)
                            else:
                                links, downward, pairs, singles, products = _sum_over_cells(
                                    values, member, members, rows, row_classes, bases, steps, width, sequence, classes,
                                    columns[group], kids, counts, below,
                                )  # fmt: skip
                            downward = decay * (links + downward)
                            place = groups[group] + member
                            values[shift + place] = downward
                            sums[place] += downward + square * pairs + middle * singles + square * products
            free_count = release_children(first[node] - origin, rows, slot_of, free, free_count)
        skipped = max(0, (tree if symmetric else column_begin) - column)
        gather_cells(block[index, column - column_begin + skipped :], skipped, nodes, ends, sums)
