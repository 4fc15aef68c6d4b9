"""A computed block of a Gram of trees, checked and written to its place in one pass, normalised if that can be."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import math

from rekern.core.compiling import compiled
from rekern.core.streaming import stream


@compiled
def store_block(block, matrix, first, offset, symmetric, rows, columns):
    """Write a block, whose first cell is in row ``first`` and column ``offset`` of a matrix.

    It is multiplied by the factors of rows and columns if there are any. In a symmetric Gram the cells from the
    diagonal on are written. Returns the first row that has a value out of range before it is normalised, or -1.
    """
    wrong = -1
    normalize = len(rows) > 0
    for index in range(block.shape[0]):
        row = first + index
        faults = 0
        for place in range(index if symmetric else 0, block.shape[1]):
            value = block[index, place]
            faults += 0 if math.isfinite(value) else 1
            if normalize:
                value *= rows[row] * columns[offset + place]
            stream(matrix, row, offset + place, value)
        if faults > 0 and wrong < 0:
            wrong = row
    return wrong
