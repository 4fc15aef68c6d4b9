"""What the GPU does for all tree kernels: work is cut into tiles; Δ is summed over the trees of the columns, then over
those of the rows.

Subtrees fall into classes, and only subtrees of one class have values. The nodes of a tree are sorted by subtree, so
that those of one class are a *run*. The runs of a class in all trees are its *entries*, in the order of the trees.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import math

import numpy as np

from rekern.core.cuda_compiling import cuda, cuda_function, cuda_kernel

# The columns of the facts about a subtree.
CLASS, RANK, WIDTH, SEQUENCE, KID, STEP, LABEL, PLACE = range(8)

# The rows of the facts about the children of subtrees.
KID_LABEL, KID_RANK, KID_CLASS = range(3)

# The columns of the segments, in which tiles of rows and columns are numbered; the last has the class, or the level.
TILES, BEGIN, ROWS, COLUMNS, BASE, FIRST, OTHER = range(7)
LEVEL = OTHER
SEGMENT = 7

# The columns of the classes of two sides.
VALUES, INNER, SUMS, ENTRY, ENTRIES = range(5)
CLASS_FACTS = 5

ROWS_OF_TILE = 8  # more would make the last tile of a level longer, for which the next level waits


@cuda_function
def find_segment(segments, tile):
    """Return the segment of a tile."""
    first, last = 0, segments.shape[0]
    while last - first > 1:
        middle = (first + last) // 2
        if segments[middle, TILES] <= tile:
            first = middle
        else:
            last = middle
    return first


@cuda_function
def place_tile(segments, segment, tile, thread, threads):
    """Return the first row of a tile in its segment, the one after its last, and the column of one of its threads."""
    inside = tile - segments[segment, TILES]
    across = (segments[segment, COLUMNS] + threads - 1) // threads
    row = (inside // across) * ROWS_OF_TILE
    column = (inside % across) * threads + thread
    return row, min(row + ROWS_OF_TILE, segments[segment, ROWS]), column


@cuda_function
def compare_labels(one, other, smooth, ranks, similarities):
    """Return the similarity of two labels of one class."""
    if similarities.shape[0] == 0 or smooth[one] < 0:
        return 1.0
    return similarities[smooth[one] + ranks[other]]


@cuda_kernel
def find_bases(bases, kids, classes):
    """For each child of the rows, set where its values with the children of its class begin; -1 for leaves."""
    kid = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if kid < kids.shape[1]:
        rank, number = kids[KID_RANK, kid], kids[KID_CLASS, kid]
        bases[kid] = -1 if rank < 0 else classes[number, VALUES] + rank * classes[number, INNER]


@cuda_kernel
def multiply_vectors(products, vectors, least):
    """Set the similarities of labels to the products of their vectors: 0 for what is below ``least``, 1 for equal ones.

    A thread sets a few rows of one column, so that each number of the column's vector is read once for all of them.
    """
    totals = cuda.local.array(ROWS_OF_TILE, np.float64)
    size = products.shape[0]
    across = (size + cuda.blockDim.x - 1) // cuda.blockDim.x
    first = (cuda.blockIdx.x // across) * ROWS_OF_TILE
    column = (cuda.blockIdx.x % across) * cuda.blockDim.x + cuda.threadIdx.x
    if column < size:
        for place in range(ROWS_OF_TILE):
            totals[place] = 0.0
        for number in range(vectors.shape[1]):
            value = vectors[column, number]
            for place in range(ROWS_OF_TILE):
                totals[place] += vectors[min(first + place, size - 1), number] * value
        for place in range(ROWS_OF_TILE):
            row = first + place
            if row < size:
                total = totals[place] if totals[place] >= least else 0.0
                products[row, column] = 1.0 if row == column else total


@cuda_kernel
def sum_over_columns(
    sums, values, segments, tiles, facts, facts2, entry_runs, occurrences, leaf, smooth, ranks,
    similarities, classes,
):  # fmt: skip
    """For each subtree of the rows and each tree of the columns, sum the values of the nodes of its class."""
    tile = cuda.blockIdx.x
    while tile < tiles:
        segment = find_segment(segments, tile)
        row, last, column = place_tile(segments, segment, tile, cuda.threadIdx.x, cuda.blockDim.x)
        columns = segments[segment, COLUMNS]
        if column < columns:
            number = segments[segment, OTHER]
            inner = classes[number, INNER]
            base = classes[number, VALUES]
            entry = segments[segment, FIRST] + column
            begin, end = entry_runs[entry, 1], entry_runs[entry, 2]
            while row < last:
                one = segments[segment, BEGIN] + row
                rank = facts[one, RANK]
                total = 0.0
                if rank < 0 and similarities.shape[0] == 0:
                    total = leaf * (end - begin)
                else:
                    start = base + rank * inner
                    for at in range(begin, end):
                        other = occurrences[at, 1]
                        if rank >= 0 and other >= 0:
                            total += values[start + other]
                        else:
                            label = facts2[occurrences[at, 0], LABEL]
                            total += leaf * compare_labels(facts[one, LABEL], label, smooth, ranks, similarities)
                sums[segments[segment, BASE] + row * columns + column] = total
                row += 1
        tile += cuda.gridDim.x


@cuda_kernel
def sum_over_rows(tile, sums, tree_runs, runs, occurrences, facts, classes, entry_runs):
    """For each tree of the rows, sum what its subtrees have with each tree of the columns."""
    row = cuda.blockIdx.x
    while row < tile.shape[0]:
        column = cuda.threadIdx.x
        while column < tile.shape[1]:
            tile[row, column] = 0.0
            column += cuda.blockDim.x
        for run in range(tree_runs[row], tree_runs[row + 1]):
            number = runs[run, 0]
            entries = classes[number, ENTRIES]
            if entries > 0:
                cuda.syncthreads()
                place = cuda.threadIdx.x
                while place < entries:
                    total = 0.0
                    for at in range(runs[run, 1], runs[run, 2]):
                        one = occurrences[at, 0]
                        total += sums[classes[number, SUMS] + facts[one, PLACE] * entries + place]
                    tile[row, entry_runs[classes[number, ENTRY] + place, 0]] += total
                    place += cuda.blockDim.x
        row += cuda.gridDim.x


@cuda_kernel
def find_factors(tile, squares, factors):
    """Copy the diagonal of a tile, K(x, x), and set the factors that normalise rows and columns: 1/√K(x, x), or 0."""
    place = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if place < squares.shape[0]:
        square = tile[place, place]
        squares[place] = square
        factors[place] = 1.0 / math.sqrt(square) if square > 0.0 else 0.0


@cuda_kernel
def scale_tile(tile, row_scales, column_scales, is_normalized, first, faults):
    """Multiply a tile by the factors of rows and columns; note the first row with a value that is out of range.

    A tile that ``is_normalized`` has exactly 1 on its diagonal, or 0.
    """
    columns = tile.shape[1]
    place = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while place < tile.shape[0] * columns:
        row, column = place // columns, place % columns
        value = tile[row, column]
        if not math.isfinite(value):
            cuda.atomic.min(faults, 0, first + row)
        value *= row_scales[row] * column_scales[column]
        if is_normalized and row == column:
            value = 1.0 if row_scales[row] > 0.0 else 0.0
        tile[row, column] = value
        place += cuda.gridDim.x * cuda.blockDim.x
