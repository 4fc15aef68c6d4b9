"""Rows of a Gram of pairs on a GPU, from inverted lists of whole numbers.

A block of threads adds up a tile of columns of one row in fast memory. Where lists are short, each thread adds one of
them; longer ones are added by 32 threads each, and the longest by all. Whole numbers are exact in any order, so that
no thread has to wait for another between two lists.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.cuda_compiling import THREADS, WARP, cuda, cuda_function, small_kernel
from rekern.core.inverted_lists_cuda_core import PARTS
from rekern.core.list_building_cuda_core import COLUMN_BITS

EACH = 16  # columns of a thread
SUMS = 2 * EACH * THREADS  # two for each column
IN_COLUMN = (1 << COLUMN_BITS) - 1
SHORT = 8  # entries of a list that one thread adds
LONG = 512  # entries of a list that all threads add


@cuda_function
def add_entry(sums, base, entry, factor):
    """Add an entry of a list, times a factor, to the sum of its column."""
    cuda.atomic.add(sums, base + (entry & IN_COLUMN), factor * (entry >> COLUMN_BITS))


@cuda_function
def add_list(sums, base, lists, at, last, step, factor):
    """Add every ``step``-th entry of a list, from ``at`` on; four at a time are on their way from memory."""
    while at < last:
        two, three, four = at + step, at + 2 * step, at + 3 * step
        entry = np.int64(lists[at])
        entry2 = np.int64(lists[two]) if two < last else 0
        entry3 = np.int64(lists[three]) if three < last else 0
        entry4 = np.int64(lists[four]) if four < last else 0
        add_entry(sums, base, entry, factor)
        if two < last:
            add_entry(sums, base, entry2, factor)
        if three < last:
            add_entry(sums, base, entry3, factor)
        if four < last:
            add_entry(sums, base, entry4, factor)
        at += 4 * step


@small_kernel
def fill_whole_block(
    block, first, start, offset, rows, starts, kept, entries, bounds, lists, scale, scale2,
):  # fmt: skip
    """Fill a block of a Gram, from row ``first`` and column ``offset`` on; in row i only from column ``start + i`` on.

    A value is the sum over the windows of (product of sources · product of targets + product of rules) · scale[row] ·
    scale2[column]. The product of sources takes the first half of the sums, that of targets the second; both are
    multiplied, and the products of rules are added to them. Cells are those of `list_building_cuda_core`.
    """
    sums = cuda.shared.array(SUMS, np.int32)
    lows = cuda.shared.array(THREADS, np.int32)
    highs = cuda.shared.array(THREADS, np.int32)
    bases = cuda.shared.array(THREADS, np.int32)
    factors = cuda.shared.array(THREADS, np.int32)
    waiting = cuda.shared.array(1, np.int32)
    totals = cuda.local.array(EACH, np.float64)
    thread, threads = cuda.threadIdx.x, cuda.blockDim.x
    lanes = min(threads, WARP)
    span = EACH * threads
    height, columns = block.shape[0], scale2.shape[1]
    across = (columns + span - 1) // span
    task = cuda.blockIdx.x
    while task < height * (across - offset // span):
        index, tile = task % height, offset // span + task // height
        task += cuda.gridDim.x
        row, left = first + index, tile * span
        if left + span <= start + index:
            continue
        for place in range(EACH):
            totals[place] = 0.0
        for window in range(scale.shape[0]):
            if scale[window, row] == 0.0:
                continue
            for place in range(thread, 2 * span, threads):
                sums[place] = 0
            for step in range(2):  # n-grams, then rules
                cell = (PARTS * window + 2 * step) * rows + row
                before, count = 0, kept[cell]
                cuda.syncthreads()
                if step == 0:
                    before, count = count, count + kept[cell + rows]
                else:
                    for place in range(EACH):
                        at = place * threads + thread
                        sums[at] = sums[at] * sums[span + at]
                for entry in range(0, count, threads):
                    if thread == 0:
                        waiting[0] = 0
                    cuda.syncthreads()
                    if entry + thread < count:
                        own, base = starts[cell] + entry + thread, 0
                        if step == 0 and entry + thread >= before:
                            own, base = starts[cell + rows] + entry + thread - before, span
                        place = np.int64(entries[2 * own]) * (across + 1) + tile
                        low, high, factor = bounds[place], bounds[place + 1], entries[2 * own + 1]
                        if high - low <= SHORT:
                            add_list(sums, base, lists, low, high, 1, factor)
                        else:
                            free = cuda.atomic.add(waiting, 0, 1)
                            lows[free] = low
                            highs[free] = high
                            bases[free] = base
                            factors[free] = factor
                    cuda.syncthreads()
                    waits = waiting[0]
                    for other in range(thread // lanes, waits, threads // lanes):
                        low, high = lows[other], highs[other]
                        if high - low < LONG:
                            add_list(sums, bases[other], lists, low + thread % lanes, high, lanes, factors[other])
                    for other in range(waits):
                        low, high = lows[other], highs[other]
                        if high - low >= LONG:
                            add_list(sums, bases[other], lists, low + thread, high, threads, factors[other])
                    cuda.syncthreads()
            cuda.syncthreads()
            for place in range(EACH):
                at = place * threads + thread
                if left + at < columns:
                    totals[place] += sums[at] * (scale[window, row] * scale2[window, left + at])
            cuda.syncthreads()
        for place in range(EACH):
            column = left + place * threads + thread
            if column < columns and column >= offset and column >= start + index:
                block[index, column - offset] = totals[place]
