"""Δ of the tree kernels on the GPU, level by level: of subtrees of one height with all subtrees of the same class.

A level needs only the levels below, because the children of a subtree are lower than the subtree. All levels are
filled by one launch: a launch for each costs the processor more time than the GPU needs for it. Blocks of threads take
one tile after the other from a queue, in the order of the levels, and wait where the level below is not finished.
Whoever has to wait took its tile later than those it waits for, so that these are at work already.

One thread computes Δ of one subtree of the columns with a few subtrees of the rows. The functions of all kernels have
the same arguments.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.cuda_compiling import cuda, cuda_function, cuda_kernel, small_kernel
from rekern.kernels.trees.tree_sums_cuda_core import (
    BASE,
    BEGIN,
    COLUMNS,
    FIRST,
    KID,
    KID_CLASS,
    KID_LABEL,
    KID_RANK,
    LABEL,
    LEVEL,
    RANK,
    ROWS_OF_TILE,
    SEQUENCE,
    STEP,
    WIDTH,
    compare_labels,
    find_segment,
    place_tile,
)

WIDEST = 31  # children of a column whose sums a thread keeps in its own fast memory
PATH_SUMS = 2 * WIDEST  # numbers that a thread keeps there for paths

# What is known of the tile of a block.
TAKEN, TAKEN_SEGMENT, TAKEN_LEVEL = range(3)
TAKEN_FACTS = 3

# What all threads of a block need to know of a row of its tile.
ROW_WIDTH, ROW_SEQUENCE, ROW_KID, ROW_STEP, ROW_RANK = range(5)
ROW_FACTS = 5

# What the numbers of a kernel are.
MU, DECAY, FACTOR, LONGEST, LEAF, MIDDLE = range(6)


@cuda_function
def take_tile(taken, queue, level_tiles, segments, tiles):
    """Finish the tile of a block, take the next one and wait for the level below it: for one thread of the block.

    ``taken`` is the number of the tile, its segment and its level; the level is -1 before the first one. All threads
    of the block have to be done with the tile before, and to wait for the next one.
    """
    level = taken[TAKEN_LEVEL]
    if level >= 0:
        cuda.threadfence()  # other blocks see the values of all threads of this one
        cuda.atomic.add(queue, 1 + level, 1)
    tile = cuda.atomic.add(queue, 0, 1)
    taken[TAKEN] = tile
    if tile < tiles:
        segment = find_segment(segments, tile)
        needed = segments[segment, LEVEL]
        taken[TAKEN_SEGMENT] = segment
        taken[TAKEN_LEVEL] = needed
        if needed > max(level, 0):
            while cuda.atomic.add(queue, needed, 0) < level_tiles[needed - 1]:
                pass
            cuda.threadfence()


@cuda_function
def go_to_tile(taken, queue, level_tiles, segments, tiles):
    """Return the segment of the next tile for all threads of a block, -1 after the last one, and the place of a thread:
    the first row of the tile, the one after its last, and the column."""
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        take_tile(taken, queue, level_tiles, segments, tiles)
    cuda.syncthreads()
    if taken[TAKEN] >= tiles:
        return -1, 0, 0, 0
    segment = taken[TAKEN_SEGMENT]
    row, end, column = place_tile(segments, segment, taken[TAKEN], cuda.threadIdx.x, cuda.blockDim.x)
    return segment, row, end, column


@cuda_function
def find_value(values, bases, kids2, kid, kid2):
    """Return the stored value of two children of one class; -1 if one of them is a leaf."""
    base, rank = bases[kid], kids2[KID_RANK, kid2]
    if base < 0 or rank < 0:
        return -1.0
    return values[base + rank]


@cuda_function
def find_partial(values, bases, kids, kids2, kid, kid2, leaf, smooth, ranks, similarities):
    """Return Δ of two children of one class, for partial trees."""
    value = find_value(values, bases, kids2, kid, kid2)
    if value < 0.0:
        value = leaf
        if similarities.shape[0] > 0:
            value *= compare_labels(kids[KID_LABEL, kid], kids2[KID_LABEL, kid2], smooth, ranks, similarities)
    return value


@cuda_function
def sum_all_cells(
    values, bases, facts, facts2, kids, kids2, sequences, sequences2, one, other, numbers, longest, smooth, ranks,
    similarities, scratch, slot,
):  # fmt: skip
    """Return the sum over all subsequences of children, by recursion over all pairs; ``longest`` > 0 bounds them."""
    width = facts2[other, WIDTH]
    layers = max(longest, 1)
    left, corner = layers * (width + 1), layers * (width + 2)
    for place in range(layers * (width + 1)):
        scratch[place, slot] = 0.0
    total = 0.0
    for row in range(facts[one, WIDTH]):
        kind = sequences[facts[one, SEQUENCE] + row]
        kid = facts[one, KID] + row * facts[one, STEP]
        for layer in range(layers):
            scratch[left + layer, slot] = 0.0
            scratch[corner + layer, slot] = 0.0
        for place in range(width):
            value = 0.0
            if sequences2[facts2[other, SEQUENCE] + place] == kind:
                kid2 = facts2[other, KID] + place * facts2[other, STEP]
                found = find_partial(values, bases, kids, kids2, kid, kid2, numbers[LEAF], smooth, ranks, similarities)
                value = numbers[FACTOR] * found
            before = 1.0
            for layer in range(layers):
                above = layer * (width + 1) + place + 1
                if longest == 0:
                    before = 1.0 + scratch[corner, slot]
                ending = value * before
                total += ending
                before = scratch[corner + layer, slot]
                scratch[left + layer, slot] = numbers[DECAY] * scratch[left + layer, slot] + ending
                scratch[corner + layer, slot] = scratch[above, slot]
                scratch[above, slot] = numbers[DECAY] * scratch[above, slot] + scratch[left + layer, slot]
    return total


@cuda_function
def mark_classes(sequences, first, width):
    """Return the classes of some children as bits: two such sets that share no bit share no class."""
    marks = np.int64(0)
    for place in range(width):
        marks |= np.int64(1) << np.int64(sequences[first + place] & 63)
    return marks


@small_kernel
def fill_partial_levels(
    values, sums, segments, tiles, queue, level_tiles, order, facts, facts2, kids, kids2, sequences, sequences2,
    bases, numbers, smooth, ranks, similarities, scratch,
):  # fmt: skip
    """Fill Δ of partial trees level by level.

    Many pairs of subtrees have no children of one class, which their marks show. For the others, ``above`` has for each
    child of the column the sum of what ends there or before, in the rows of children so far; it is fast memory, and the
    two sums beside it are registers. Where one number for each child does not do, `sum_all_cells` takes other memory.
    """
    above = cuda.local.array(WIDEST, np.float64)
    rows = cuda.shared.array((ROWS_OF_TILE, ROW_FACTS), np.int32)
    row_marks = cuda.shared.array(ROWS_OF_TILE, np.int64)
    row_smooth = cuda.shared.array(ROWS_OF_TILE, np.int64)
    slot = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    mu, decay, factor, longest = numbers[MU], numbers[DECAY], numbers[FACTOR], int(numbers[LONGEST])
    single, leaf = mu * decay * decay, numbers[LEAF]
    taken = cuda.shared.array(TAKEN_FACTS, np.int64)
    taken[TAKEN_LEVEL] = -1
    while True:
        segment, first_row, end, column = go_to_tile(taken, queue, level_tiles, segments, tiles)
        if segment < 0:
            break
        height = end - first_row
        columns, base = segments[segment, COLUMNS], segments[segment, BASE]
        row = cuda.threadIdx.x
        while row < height:  # a thread reads what all of them need of a row
            one = order[segments[segment, BEGIN] + first_row + row]
            rows[row, ROW_WIDTH], rows[row, ROW_SEQUENCE] = facts[one, WIDTH], facts[one, SEQUENCE]
            rows[row, ROW_KID], rows[row, ROW_STEP] = facts[one, KID], facts[one, STEP]
            rows[row, ROW_RANK] = facts[one, RANK]
            row_smooth[row] = smooth[facts[one, LABEL]] if similarities.shape[0] > 0 else -1
            row_marks[row] = mark_classes(sequences, facts[one, SEQUENCE], facts[one, WIDTH])
            row += cuda.blockDim.x
        cuda.syncthreads()
        if column < columns:
            other = segments[segment, FIRST] + column
            width2, sequence2 = facts2[other, WIDTH], facts2[other, SEQUENCE]
            first2, step2 = facts2[other, KID], facts2[other, STEP]
            marks2 = mark_classes(sequences2, sequence2, width2)
            rank2 = ranks[facts2[other, LABEL]] if similarities.shape[0] > 0 else 0
            for row in range(height):
                total = 0.0
                if row_marks[row] & marks2 != 0:
                    width, sequence = rows[row, ROW_WIDTH], rows[row, ROW_SEQUENCE]
                    bounded = 0 < longest < min(width, width2)
                    if bounded or width2 > WIDEST:
                        one = order[segments[segment, BEGIN] + first_row + row]
                        total = sum_all_cells(
                            values, bases, facts, facts2, kids, kids2, sequences, sequences2, one, other, numbers,
                            longest if bounded else 0, smooth, ranks, similarities, scratch, slot,
                        )  # fmt: skip
                    else:
                        is_first = True
                        for i in range(width):
                            kind = sequences[sequence + i]
                            is_marked = (marks2 >> np.int64(kind & 63)) & 1 != 0
                            if is_first:
                                if not is_marked:
                                    continue
                                is_first = False
                                for j in range(width2):
                                    above[j] = 0.0
                            kid = rows[row, ROW_KID] + i * rows[row, ROW_STEP]
                            left = corner = 0.0
                            for j in range(width2):
                                ending = 0.0
                                if is_marked and sequences2[sequence2 + j] == kind:
                                    value = factor * find_partial(
                                        values, bases, kids, kids2, kid, first2 + j * step2, leaf, smooth, ranks,
                                        similarities,
                                    )  # fmt: skip
                                    ending = value * (1.0 + corner)
                                    total += ending
                                left = decay * left + ending
                                corner = above[j]
                                above[j] = decay * corner + left
                found = single + mu * total
                if row_smooth[row] >= 0:
                    found *= similarities[row_smooth[row] + rank2]
                values[base + rows[row, ROW_RANK] * columns + column] = found


@cuda_kernel
def fill_subset_levels(
    values, sums, segments, tiles, queue, level_tiles, order, facts, facts2, kids, kids2, sequences, sequences2,
    bases, numbers, smooth, ranks, similarities, scratch,
):  # fmt: skip
    """Fill Δ of subset trees level by level; a class has the subtrees of one production."""
    taken = cuda.shared.array(TAKEN_FACTS, np.int64)
    taken[TAKEN_LEVEL] = -1
    while True:
        segment, row, end, column = go_to_tile(taken, queue, level_tiles, segments, tiles)
        if segment < 0:
            break
        columns = segments[segment, COLUMNS]
        if column < columns:
            other = segments[segment, FIRST] + column
            first2, step2 = facts2[other, KID], facts2[other, STEP]
            while row < end:
                one = order[segments[segment, BEGIN] + row]
                first, step = facts[one, KID], facts[one, STEP]
                found = numbers[DECAY]
                for i in range(facts[one, WIDTH]):
                    kid, kid2 = first + i * step, first2 + i * step2
                    if kids[KID_CLASS, kid] == kids2[KID_CLASS, kid2]:
                        value = find_value(values, bases, kids2, kid, kid2)
                        if value > 0.0:
                            found *= 1.0 + value
                values[segments[segment, BASE] + facts[one, RANK] * columns + column] = found
                row += 1


@cuda_function
def sum_pairs_of_paths(
    values, bases, facts, facts2, kids2, sequences, sequences2, one, other, scratch, slot
):  # fmt: skip
    """Return sums over the matching pairs of children: how many there are, and their values; and over every two of them
    that share no child: how many, the sums of their two values, and the products."""
    width2 = facts2[other, WIDTH]
    for place in range(2 * width2):  # of each child of the column, in the rows so far: how many pairs, their values
        scratch[place, slot] = 0.0
    matches, downward, pairs, singles, products = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(facts[one, WIDTH]):
        kind = sequences[facts[one, SEQUENCE] + i]
        kid = facts[one, KID] + i * facts[one, STEP]
        row_matches, row_downward = 0.0, 0.0
        for j in range(width2):
            if sequences2[facts2[other, SEQUENCE] + j] == kind:
                kid2 = facts2[other, KID] + j * facts2[other, STEP]
                value = max(find_value(values, bases, kids2, kid, kid2), 0.0)
                others = matches - scratch[j, slot]
                others_below = downward - scratch[width2 + j, slot]
                pairs += others
                singles += value * others + others_below
                products += value * others_below
                scratch[j, slot] += 1.0
                scratch[width2 + j, slot] += value
                row_matches += 1.0
                row_downward += value
        matches += row_matches
        downward += row_downward
    return matches, downward, pairs, singles, products


@cuda_kernel
def fill_path_levels(
    values, sums, segments, tiles, queue, level_tiles, order, facts, facts2, kids, kids2, sequences, sequences2,
    bases, numbers, smooth, ranks, similarities, scratch,
):  # fmt: skip
    """Fill the downward paths of dependency trees, and what all paths add, level by level."""
    own = cuda.local.array((PATH_SUMS, 1), np.float64)
    slot = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    decay, middle = numbers[DECAY], numbers[MIDDLE]
    square = decay * decay
    taken = cuda.shared.array(TAKEN_FACTS, np.int64)
    taken[TAKEN_LEVEL] = -1
    while True:
        segment, row, end, column = go_to_tile(taken, queue, level_tiles, segments, tiles)
        if segment < 0:
            break
        columns = segments[segment, COLUMNS]
        if column < columns:
            other = segments[segment, FIRST] + column
            while row < end:
                one = order[segments[segment, BEGIN] + row]
                if facts2[other, WIDTH] <= WIDEST:
                    matches, downward, pairs, singles, products = sum_pairs_of_paths(
                        values, bases, facts, facts2, kids2, sequences, sequences2, one, other, own, 0
                    )
                else:
                    matches, downward, pairs, singles, products = sum_pairs_of_paths(
                        values, bases, facts, facts2, kids2, sequences, sequences2, one, other, scratch, slot
                    )
                found = decay * (matches + downward)
                place = segments[segment, BASE] + facts[one, RANK] * columns + column
                values[place] = found
                sums[place] = 1.0 + found + square * pairs + middle * singles + square * products
                row += 1
