"""The compiled core of the partial tree kernels.

For one tree of the rows, node by node from the leaves up, Δ against *all* distinct subtrees of the same label in a
forest is one row of numbers; a node's row needs only the rows of its children, which are then given up. Production by
production, the loops over subtrees have one shape. The sums over child subsequences of all lengths need no dimension
for the length: what ends in a pair of children is Δ of that pair times one plus all that ends before it.
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
from rekern.kernels.trees.label_similarity import LabelTable

FEW = 24  # matching pairs of children; with more, the sums run over all cells


class PartialTreeWeights(NamedTuple):
    """The weights of the kernel."""

    mu: float
    decay: float
    factor: float  # of every child in a subsequence
    longest: int  # length of a subsequence of children, 0 for any
    terminal: float  # factor of the leaves


class PartialTreeParameters(NamedTuple):
    """The similarities of labels, and the weights of the kernel."""

    labels: LabelTable
    weights: PartialTreeWeights


@compiled
def _sum_over_cells(
    values, target, members, rows, row_classes, bases, steps, width, sequence, column_classes, column, kids,
    single, scale, decay, longest,
):  # fmt: skip
    """Store Δ of one node with the members of a group, by recursion over all pairs of children, in time rows × width.

    ``longest`` > 0 bounds the length of the subsequences.
    """
    layers = max(longest, 1)
    above = np.zeros((layers, width + 1))
    left = np.zeros(layers)
    corner = np.zeros(layers)
    for member in range(members):
        above[:] = 0.0
        total = 0.0
        for row in range(rows):
            left[:] = 0.0
            corner[:] = 0.0
            for place in range(width):
                value = 0.0
                if row_classes[row] == column_classes[sequence + place]:
                    kid = np.int64(kids[column + place * members + member])
                    value = scale * values[bases[row] + steps[row] * kid]
                if longest == 0:
                    ending = value * (1.0 + corner[0])
                    total += ending
                    left[0] = decay * left[0] + ending
                    corner[0] = above[0, place + 1]
                    above[0, place + 1] = decay * corner[0] + left[0]
                else:
                    before = 1.0
                    for layer in range(layers):
                        ending = value * before
                        total += ending
                        before = corner[layer]
                        left[layer] = decay * left[layer] + ending
                        corner[layer] = above[layer, place + 1]
                        above[layer, place + 1] = decay * corner[layer] + left[layer]
        values[target + member] = single + total


@compiled
def fill_partial_trees(block, row_begin, column_begin, symmetric, rows_of, forest, column, parameters):
    """Fill the cells of a block whose columns are in a forest, whose first tree is column ``column``.

    In a symmetric Gram only the cells from the diagonal on are filled.
    """
    table, (mu, decay, factor, longest, terminal) = parameters
    class_of, class_count, smooth, ranks, similarities = table
    labels, first, count, offsets = rows_of.labels, rows_of.first, rows_of.counts, rows_of.offsets
    origin, last = offsets[row_begin], offsets[row_begin + block.shape[0]]  # the nodes of these rows
    order = rows_of.order
    waiting = rows_of.waiting_all if len(similarities) else rows_of.waiting  # leaves have rows only if smoothed
    buckets, leaves, groups, widths = forest.buckets, forest.leaves, forest.groups, forest.widths
    sequences, classes, columns, kids = forest.sequences, forest.classes, forest.columns, forest.kids
    keys, posted, posted_ends, postings = forest.keys, forest.posted, forest.posted_ends, forest.postings
    nodes, ends, subtree_labels = forest.nodes, forest.offsets, forest.labels
    largest = find_longest(buckets)
    most, widest = find_largest(count[origin:last]), find_largest(widths)
    powers = decay ** np.arange(most + widest + 1)
    values = np.empty((waiting + 1) * largest + 1)
    constant = len(values) - 1
    single = mu * decay * decay
    leaf = terminal * single
    values[constant] = leaf
    free = np.empty(waiting + 1, np.int64)
    slot_of = np.empty(last - origin, np.int32)
    sums = np.empty(len(subtree_labels))
    seen = np.zeros(len(widths), np.int64)
    stamp = 0
    row_classes = np.empty(most, np.int32)
    bases = np.empty(most, np.int64)
    steps = np.empty(most, np.int64)
    match_rows = np.empty(FEW, np.int64)
    match_places = np.empty(FEW, np.int64)
    match_bases = np.empty(FEW, np.int64)
    match_steps = np.empty(FEW, np.int64)
    match_columns = np.empty(FEW, np.int64)
    weights = np.empty((FEW, FEW))
    endings = np.empty(FEW)
    scale = factor
    for index in range(block.shape[0]):
        tree = row_begin + index
        if symmetric and column + len(ends) - 1 <= tree:
            continue
        free_count = begin_tree(sums, free)
        for at in range(offsets[tree], offsets[tree + 1]):
            node = order[at]
            own = class_of[labels[node]]
            begin, end = buckets[own], buckets[own + 1]
            rows = count[node]
            slot_of[node - origin] = -1
            if begin < end:
                similar = smooth[labels[node]]
                if rows == 0 and similar < 0:
                    for place in range(begin, end):
                        sums[place] += leaf
                else:
                    free_count -= 1
                    slot_of[node - origin] = free[free_count]
                    start = slot_of[node - origin] * largest
                    shift = start - begin
                    inner = begin + leaves[own]
                    for place in range(begin, inner):
                        values[shift + place] = leaf
                    if rows == 0:
                        for place in range(inner, end):
                            values[shift + place] = leaf
                    else:
                        for place in range(inner, end):
                            values[shift + place] = single
                    stamp += 1
                    for row in range(rows):
                        child = first[node] + row
                        kind = class_of[labels[child]]
                        row_classes[row] = kind
                        bases[row], steps[row] = point_to_row(slot_of[child - origin], largest, buckets[kind], constant)
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
                            target = shift + groups[group]
                            matches = 0
                            many = longest > 0 and longest < min(rows, width)
                            if not many:
                                for i in range(row, rows):  # rows before have no match here: they would have led here
                                    kind = row_classes[i]
                                    for j in range(width):
                                        if classes[sequence + j] == kind:
                                            if matches < FEW:
                                                match_rows[matches] = i
                                                match_places[matches] = j
                                                match_bases[matches] = bases[i]
                                                match_steps[matches] = steps[i]
                                                match_columns[matches] = columns[group] + j * members
                                            matches += 1
                                    if matches > FEW:
                                        break
                            if many or matches > FEW:
                                _sum_over_cells(
                                    values, target, members, rows, row_classes, bases, steps, width, sequence, classes,
                                    columns[group], kids, 0.0, scale, decay, longest if many else 0,
                                )  # fmt: skip
                                for member in range(members):
                                    values[target + member] = single + mu * values[target + member]
                            elif matches == 1:
                                base, step, from_column = match_bases[0], match_steps[0], match_columns[0]
                                for member in range(members):
                                    kid = np.int64(kids[from_column + member])
                                    values[target + member] = single + mu * scale * values[base + step * kid]
                            else:
                                for match in range(1, matches):
                                    for before in range(match):
                                        i = match_rows[match] - match_rows[before] - 1
                                        j = match_places[match] - match_places[before] - 1
                                        weights[match, before] = powers[i + j] if i >= 0 and j >= 0 else 0.0
                                for member in range(members):
                                    total = 0.0
                                    for match in range(matches):
                                        kid = np.int64(kids[match_columns[match] + member])
                                        value = scale * values[match_bases[match] + match_steps[match] * kid]
                                        carried = 1.0
                                        for before in range(match):
                                            carried += weights[match, before] * endings[before]
                                        endings[match] = value * carried
                                        total += value * carried
                                    values[target + member] = single + mu * total
                    if similar >= 0:
                        for place in range(begin, end):
                            values[shift + place] *= similarities[similar + ranks[subtree_labels[place]]]
                    for place in range(begin, end):
                        sums[place] += values[shift + place]
            free_count = release_children(first[node] - origin, rows, slot_of, free, free_count)
        skipped = max(0, (tree if symmetric else column_begin) - column)
        gather_cells(block[index, column - column_begin + skipped :], skipped, nodes, ends, sums)
