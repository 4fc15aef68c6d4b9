"""Inverted lists of whole numbers, built on a GPU from the keys of rows.

A *cell* is a row of a part, such as the n-grams of the sources of one size: cell ``part · rows + row`` has the entries
``starts[cell]`` to ``starts[cell + 1] - 1``. A few threads look at the entries of one cell. The order in which threads
come decides only where things are in memory, never what is added up, and sums of whole numbers are exact in any order.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.cuda_compiling import WARP, cuda, cuda_kernel

COLUMN_BITS = 16  # of a number in a list, which has a column of a tile and a value
HALF = np.uint64(32)


@cuda_kernel
def fill_numbers(array, number):
    """Set all numbers of an array."""
    place = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while place < array.shape[0]:
        array[place] = number
        place += cuda.gridDim.x * cuda.blockDim.x


@cuda_kernel
def merge_entries(keys, starts, table, values, squares):
    """Give one entry of equal keys of a cell their number as its value, the others 0; sum the squares of the values.

    The entries from ``a`` to ``b - 1`` of a cell have the slots from ``2a`` to ``2b - 1`` of a table of their own.
    """
    sums = cuda.shared.array(WARP, np.float64)
    thread, threads = cuda.threadIdx.x, cuda.blockDim.x
    cell = cuda.blockIdx.x
    while cell < starts.shape[0] - 1:
        first, last = starts[cell], starts[cell + 1]
        for slot in range(2 * first + thread, 2 * last, threads):
            table[slot] = -1
        for entry in range(first + thread, last, threads):
            values[entry] = 0
        cuda.syncthreads()
        for entry in range(first + thread, last, threads):
            key = keys[entry]
            slot = 2 * first + np.int64(((key >> HALF) * np.uint64(2 * (last - first))) >> HALF)
            other = cuda.atomic.cas(table, slot, -1, entry)
            while other >= 0 and keys[other] != key:
                slot += 1
                if slot == 2 * last:
                    slot = 2 * first
                other = cuda.atomic.cas(table, slot, -1, entry)
            cuda.atomic.add(values, entry if other < 0 else other, 1)
        cuda.syncthreads()
        total = 0.0
        for entry in range(first + thread, last, threads):
            total += float(values[entry]) * float(values[entry])
        sums[thread] = total
        cuda.syncthreads()
        if thread == 0:
            for other in range(1, threads):
                total += sums[other]
            squares[cell] = total
        cuda.syncthreads()
        cell += cuda.gridDim.x


@cuda_kernel
def number_keys(keys, starts, values, rows, split, shift, table, slots, counts):
    """Find a slot of one table for each key, and count the rows that have it: those below ``split``, and the others."""
    mask = table.shape[0] - 1
    cell = cuda.blockIdx.x
    while cell < starts.shape[0] - 1:
        side = 0 if cell % rows < split else 1
        for entry in range(starts[cell] + cuda.threadIdx.x, starts[cell + 1], cuda.blockDim.x):
            if values[entry] == 0:
                slots[entry] = -1
                continue
            key = keys[entry]
            slot = np.int64(key >> shift[0])
            other = cuda.atomic.cas(table, slot, -1, entry)
            while other >= 0 and keys[other] != key:
                slot = (slot + 1) & mask
                other = cuda.atomic.cas(table, slot, -1, entry)
            slots[entry] = slot
            cuda.atomic.add(counts, (side, slot), 1)
        cell += cuda.gridDim.x


@cuda_kernel
def number_lists(counts, table, size):
    """Give a number to each slot whose key several rows have, or rows of both sides; the others get -1."""
    own = cuda.shared.array(1, np.int32)
    before = cuda.shared.array(1, np.int32)
    threads = cuda.blockDim.x
    base = cuda.blockIdx.x * threads
    while base < table.shape[0]:
        slot = base + cuda.threadIdx.x
        is_kept = False
        if slot < table.shape[0]:
            if counts.shape[0] == 1:
                is_kept = counts[0, slot] > 1
            else:
                is_kept = counts[0, slot] > 0 and counts[1, slot] > 0
        if cuda.threadIdx.x == 0:
            own[0] = 0
        cuda.syncthreads()
        place = 0
        if is_kept:
            place = cuda.atomic.add(own, 0, 1)
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            before[0] = cuda.atomic.add(size, 0, own[0])
        cuda.syncthreads()
        if slot < table.shape[0]:
            table[slot] = before[0] + place if is_kept else -1
        cuda.syncthreads()
        base += cuda.gridDim.x * threads


@cuda_kernel
def count_columns(slots, starts, rows, left, columns, span, table, counts):
    """Count the entries that each list has in each tile of ``span`` columns; column 0 is row ``left``."""
    across = (columns + span - 1) // span
    task = cuda.blockIdx.x
    while task < (starts.shape[0] - 1) // rows * columns:
        column = task % columns
        cell = task // columns * rows + left + column
        for entry in range(starts[cell] + cuda.threadIdx.x, starts[cell + 1], cuda.blockDim.x):
            if slots[entry] >= 0 and table[slots[entry]] >= 0:
                cuda.atomic.add(counts, np.int64(table[slots[entry]]) * across + column // span, 1)
        task += cuda.gridDim.x


@cuda_kernel
def lay_out_lists(counts, across, bounds, size):
    """Find places for all lists: ``bounds`` gets where each tile of each list begins, and where the last one ends."""
    own = cuda.shared.array(1, np.int32)
    before = cuda.shared.array(1, np.int32)
    threads = cuda.blockDim.x
    lists = counts.shape[0] // across
    base = cuda.blockIdx.x * threads
    while base < lists:
        number = base + cuda.threadIdx.x
        length = 0
        if number < lists:
            for tile in range(across):
                length += counts[number * across + tile]
        if cuda.threadIdx.x == 0:
            own[0] = 0
        cuda.syncthreads()
        place = cuda.atomic.add(own, 0, length)
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            before[0] = cuda.atomic.add(size, 0, own[0])
        cuda.syncthreads()
        if number < lists:
            at = before[0] + place
            for tile in range(across):
                bounds[number * (across + 1) + tile] = at
                at += counts[number * across + tile]
            bounds[number * (across + 1) + across] = at
        cuda.syncthreads()
        base += cuda.gridDim.x * threads


@cuda_kernel
def place_columns(slots, values, starts, rows, left, columns, span, table, counts, bounds, lists):
    """Write the entries of all columns to their lists: a column of its tile and a value in one number."""
    across = (columns + span - 1) // span
    task = cuda.blockIdx.x
    while task < (starts.shape[0] - 1) // rows * columns:
        column = task % columns
        cell = task // columns * rows + left + column
        tile = column // span
        for entry in range(starts[cell] + cuda.threadIdx.x, starts[cell + 1], cuda.blockDim.x):
            if slots[entry] >= 0 and table[slots[entry]] >= 0:
                number = np.int64(table[slots[entry]])
                at = bounds[number * (across + 1) + tile] + cuda.atomic.sub(counts, number * across + tile, 1) - 1
                lists[at] = (values[entry] << COLUMN_BITS) + column % span
        task += cuda.gridDim.x


@cuda_kernel
def keep_entries(slots, values, starts, table, kept, entries):
    """Write the list and the value of each entry that has one side by side, from ``entries[2 · starts[cell]]`` on.

    ``kept`` gets the number of such entries of each cell.
    """
    filled = cuda.shared.array(1, np.int32)
    cell = cuda.blockIdx.x
    while cell < starts.shape[0] - 1:
        if cuda.threadIdx.x == 0:
            filled[0] = 0
        cuda.syncthreads()
        for entry in range(starts[cell] + cuda.threadIdx.x, starts[cell + 1], cuda.blockDim.x):
            if slots[entry] >= 0 and table[slots[entry]] >= 0:
                at = 2 * (starts[cell] + cuda.atomic.add(filled, 0, 1))
                entries[at] = table[slots[entry]]
                entries[at + 1] = values[entry]
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            kept[cell] = filled[0]
        cuda.syncthreads()
        cell += cuda.gridDim.x
