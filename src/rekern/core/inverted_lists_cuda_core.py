"""Gram matrices of sparse rows by inverted lists, on a GPU: a few threads add up a few columns of one row.

The sums of these columns stay in fast memory for all parts of all windows. Of each list only the rows among the columns
are read; where they are is searched, by one thread for each list. The products are added in the order of the row's own
keys, as on the processor: a list is added at a time, and the rows of a list are different.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import math

import numpy as np

from rekern.core.cuda_compiling import WARP, cuda, cuda_function, cuda_kernel

COLUMNS = 256  # of a row that a few threads add up

# The parts of a window: n-grams of the sources, n-grams of the targets, rules.
PARTS = 3


@cuda_function
def find_row(rows, first, last, row):
    """Return the first place, from ``first`` to ``last``, of a row that is not below this one."""
    while first < last:
        middle = (first + last) // 2
        if rows[middle] < row:
            first = middle + 1
        else:
            last = middle
    return first


@cuda_kernel
def fill_block(
    block, first, start, offset, indptr, values, begin, end, rows, weights, key_starts, by_key, by_row, scale, scale2,
):  # fmt: skip
    """Fill a block of a Gram, from row ``first`` and column ``offset`` on; in row i only from column ``start + i`` on.

    A value is the sum over the windows of (product of sources · product of targets + product of rules) · scale[row] ·
    scale2[column]. ``indptr`` has a row for each part of each window, and ``key_starts`` the frequent keys of the
    parts, which are in no list but in two matrices. Without symmetry ``start`` is so small that all columns are filled.
    """
    sums = cuda.shared.array((PARTS, COLUMNS), np.float64)
    totals = cuda.shared.array(COLUMNS, np.float64)
    lows = cuda.shared.array(WARP, np.int64)
    highs = cuda.shared.array(WARP, np.int64)
    factors = cuda.shared.array(WARP, np.float64)
    thread, threads = cuda.threadIdx.x, cuda.blockDim.x
    height, width = block.shape
    across = (width + COLUMNS - 1) // COLUMNS
    task = cuda.blockIdx.x
    while task < height * across:
        index = task // across
        left = offset + (task % across) * COLUMNS
        right = min(left + COLUMNS, offset + width)
        task += cuda.gridDim.x
        if right <= start + index:
            continue
        row = first + index
        for place in range(thread, COLUMNS, threads):
            totals[place] = 0.0
        for window in range(scale.shape[0]):
            for kind in range(PARTS):
                part = PARTS * window + kind
                for place in range(thread, right - left, threads):
                    total = 0.0
                    for key in range(key_starts[part], key_starts[part + 1]):
                        one = by_row[row, key]
                        if one != 0.0:
                            total += one * by_key[key, left + place]
                    sums[kind, place] = total
                last = indptr[part, row + 1]
                for entry in range(indptr[part, row], last, threads):
                    cuda.syncthreads()
                    own = entry + thread
                    if own < last:
                        low = find_row(rows, begin[own], end[own], left)
                        lows[thread] = low
                        highs[thread] = find_row(rows, low, end[own], right)
                        factors[thread] = values[own]
                    cuda.syncthreads()
                    for other in range(min(threads, last - entry)):
                        high = highs[other]
                        if lows[other] < high:
                            factor = factors[other]
                            for at in range(lows[other] + thread, high, threads):
                                sums[kind, rows[at] - left] += factor * weights[at]
                            cuda.syncthreads()
            cuda.syncthreads()
            for place in range(thread, right - left, threads):
                both = sums[0, place] * sums[1, place] + sums[2, place]
                totals[place] += both * (scale[window, row] * scale2[window, left + place])
        for place in range(thread, right - left, threads):
            if left + place >= start + index:
                block[index, left - offset + place] = totals[place]
        cuda.syncthreads()


@cuda_kernel
def complete_block(block, first, diagonal, faults):
    """Complete a block: note its first row with a value that is out of range; in a symmetric Gram fill the diagonal.

    Such a block begins at the diagonal, and what is left of it is filled, too. A Gram that is not symmetric has no
    ``diagonal``.
    """
    height, width = block.shape
    symmetric = diagonal.shape[0] > 0
    place = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while place < height * width:
        index, column = place // width, place % width
        place += cuda.gridDim.x * cuda.blockDim.x
        if symmetric and column < index:
            continue
        value = block[index, column]
        if symmetric and column == index:
            value = diagonal[first + index]
            block[index, column] = value
        if not math.isfinite(value):
            cuda.atomic.min(faults, 0, first + index)
        if symmetric and column < height:
            block[column, index] = value
