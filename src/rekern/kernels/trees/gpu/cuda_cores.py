"""What the GPU does: Δ of all pairs of subtrees, level by level, then sums over the nodes of both trees.

Only subtrees of one class have values, of one label or of one production. A level has the subtrees of the rows of one
height, each with all subtrees of the columns of its class; it needs only the levels below. The nodes of the columns
are sorted by class; those of one class in one tree are an *entry*.

All functions for levels have the same arguments: ``values`` is what the level above needs, ``sums`` what is summed. A
block of threads works for one subtree of the rows, whose level begins at ``begin``.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs, no-warn-return-any

import warnings

import numpy as np
from numba import cuda

# Chunks at the end of a corpus are small, and so are high levels.
warnings.filterwarnings("ignore", message=".*Grid size .* low occupancy")

WIDEST = 63  # children of a node: so many sums a thread keeps in its own memory
MOST_TREES = 2048  # of a chunk: so many sums a block of threads keeps in fast memory

# The rows of the facts about subtrees.
CLASS, WIDTH, LABEL, SEQUENCE, KID, STEP = range(6)

# The rows of the facts about the children of subtrees.
KID_SUBTREE, KID_RANK, KID_CLASS = range(3)

# What the numbers of a kernel are.
MU, DECAY, FACTOR, LEAF, MIDDLE = range(5)


@cuda.jit(cache=True)
def fill_partial_level(
    values, sums, begin, order, facts, marks, kids, sequences, bases, facts2, marks2, kids2, sequences2, starts2,
    sizes2, numbers, smooth, ranks, similarities,
):  # fmt: skip
    """Fill a level for partial trees.

    Most pairs of subtrees have no children of one class, which their marks show: a bit for each class, some for
    several. For the others, ``above`` has for each child of the column the sum of what ends there or before, in the
    rows of children so far.
    """
    above = cuda.local.array(WIDEST, np.float64)
    one = order[begin + cuda.blockIdx.x]
    own, width, sequence = facts[CLASS, one], facts[WIDTH, one], facts[SEQUENCE, one]
    kid, step, similar = facts[KID, one], facts[STEP, one], smooth[facts[LABEL, one]]
    mu, decay, factor = numbers[MU], numbers[DECAY], numbers[FACTOR]
    column = cuda.blockIdx.y * cuda.blockDim.x + cuda.threadIdx.x
    while column < sizes2[own]:
        other = starts2[own] + column
        marked = marks2[other]
        width2 = facts2[WIDTH, other]
        total = 0.0
        if marks[one] & marked != 0:
            sequence2, kid2, step2 = facts2[SEQUENCE, other], facts2[KID, other], facts2[STEP, other]
            for j in range(width2):
                above[j] = 0.0
            for i in range(width):
                kind = sequences[sequence + i]
                is_marked = (marked >> np.int64(kind & 63)) & 1 != 0
                base = bases[kids[KID_SUBTREE, kid + i * step]]
                left = corner = 0.0
                for j in range(width2):
                    ending = 0.0
                    if is_marked and sequences2[sequence2 + j] == kind:
                        value = values[base + kids2[KID_RANK, kid2 + j * step2]]
                        ending = factor * value * (1.0 + corner)
                        total += ending
                    left = decay * left + ending
                    corner = above[j]
                    above[j] = decay * corner + left
        found = numbers[LEAF] if width == 0 or width2 == 0 else mu * decay * decay + mu * total
        if similar >= 0:
            found *= similarities[similar + ranks[facts2[LABEL, other]]]
        values[bases[one] + column] = found
        column += cuda.gridDim.y * cuda.blockDim.x


@cuda.jit(cache=True)
def fill_subset_level(
    values, sums, begin, order, facts, marks, kids, sequences, bases, facts2, marks2, kids2, sequences2, starts2,
    sizes2, numbers, smooth, ranks, similarities,
):  # fmt: skip
    """Fill a level for subset trees; a class has the subtrees of one production."""
    one = order[begin + cuda.blockIdx.x]
    own, width, kid, step = facts[CLASS, one], facts[WIDTH, one], facts[KID, one], facts[STEP, one]
    column = cuda.blockIdx.y * cuda.blockDim.x + cuda.threadIdx.x
    while column < sizes2[own]:
        other = starts2[own] + column
        kid2, step2 = facts2[KID, other], facts2[STEP, other]
        found = numbers[DECAY] if width > 0 else 0.0
        for i in range(width):
            if kids[KID_CLASS, kid + i * step] == kids2[KID_CLASS, kid2 + i * step2]:
                found *= 1.0 + values[bases[kids[KID_SUBTREE, kid + i * step]] + kids2[KID_RANK, kid2 + i * step2]]
        values[bases[one] + column] = found
        sums[bases[one] + column] = found if width > 0 else numbers[LEAF]
        column += cuda.gridDim.y * cuda.blockDim.x


@cuda.jit(cache=True)
def fill_path_level(
    values, sums, begin, order, facts, marks, kids, sequences, bases, facts2, marks2, kids2, sequences2, starts2,
    sizes2, numbers, smooth, ranks, similarities,
):  # fmt: skip
    """Fill a level for dependency trees: the downward paths, and what all paths through the node add.

    Over the matching pairs of children there are sums of their number and of their values; and over every two of them
    that share no child the sums of their number, of both values, and of the products.
    """
    counts = cuda.local.array(WIDEST, np.float64)  # for each child of the column: the pairs in the rows so far
    below = cuda.local.array(WIDEST, np.float64)  # and their values
    one = order[begin + cuda.blockIdx.x]
    own, width, sequence = facts[CLASS, one], facts[WIDTH, one], facts[SEQUENCE, one]
    kid, step = facts[KID, one], facts[STEP, one]
    decay, middle = numbers[DECAY], numbers[MIDDLE]
    column = cuda.blockIdx.y * cuda.blockDim.x + cuda.threadIdx.x
    while column < sizes2[own]:
        other = starts2[own] + column
        matches = downward = pairs = singles = products = 0.0
        if marks[one] & marks2[other] != 0:
            width2, sequence2 = facts2[WIDTH, other], facts2[SEQUENCE, other]
            kid2, step2 = facts2[KID, other], facts2[STEP, other]
            for j in range(width2):
                counts[j] = below[j] = 0.0
            for i in range(width):
                kind = sequences[sequence + i]
                base = bases[kids[KID_SUBTREE, kid + i * step]]
                row_matches = row_downward = 0.0
                for j in range(width2):
                    if sequences2[sequence2 + j] == kind:
                        value = values[base + kids2[KID_RANK, kid2 + j * step2]]
                        others, others_below = matches - counts[j], downward - below[j]
                        pairs += others
                        singles += value * others + others_below
                        products += value * others_below
                        counts[j] += 1.0
                        below[j] += value
                        row_matches += 1.0
                        row_downward += value
                matches += row_matches
                downward += row_downward
        found = decay * (matches + downward)
        values[bases[one] + column] = found
        sums[bases[one] + column] = 1.0 + found + decay * decay * (pairs + products) + middle * singles
        column += cuda.gridDim.y * cuda.blockDim.x


@cuda.jit(cache=True)
def sum_over_columns(entry_sums, sums, facts, bases, sum_bases, entries2, entry_begins2, node_ranks2):
    """For each subtree of the rows and each tree of the columns, sum the values of the nodes of its class."""
    one = cuda.blockIdx.x
    first = entries2[facts[CLASS, one]]
    count = entries2[facts[CLASS, one] + 1] - first
    place = cuda.threadIdx.x
    while place < count:
        total = 0.0
        for at in range(entry_begins2[first + place], entry_begins2[first + place + 1]):
            total += sums[bases[one] + node_ranks2[at]]
        entry_sums[sum_bases[one] + place] = total
        place += cuda.blockDim.x


@cuda.jit(cache=True)
def sum_over_rows(tile, width, shift, trees2, entry_sums, nodes, offsets, facts, sum_bases, entries2, entry_trees2):
    """For each tree of the rows, sum what its subtrees have with each tree of the columns.

    A row of the tile has ``width`` values, and the first tree is its column ``shift``.
    """
    cells = cuda.shared.array(MOST_TREES, np.float64)
    tree = cuda.blockIdx.x
    place = cuda.threadIdx.x
    while place < trees2:
        cells[place] = 0.0
        place += cuda.blockDim.x
    cuda.syncthreads()
    for node in range(offsets[tree], offsets[tree + 1]):
        one = nodes[node]
        first = entries2[facts[CLASS, one]]
        count = entries2[facts[CLASS, one] + 1] - first
        place = cuda.threadIdx.x
        while place < count:
            cells[entry_trees2[first + place]] += entry_sums[sum_bases[one] + place]
            place += cuda.blockDim.x
        cuda.syncthreads()
    place = cuda.threadIdx.x
    while place < trees2:
        tile[tree * width + shift + place] = cells[place]
        place += cuda.blockDim.x
