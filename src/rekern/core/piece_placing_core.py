"""Pieces of a matrix that come from a GPU, written to their places in an array, also mirrored."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from rekern.core.compiling import compiled
from rekern.core.streaming import stream

SIDE = 256  # rows and columns that are read once and stay in the cache while they are written twice


@compiled
def place_piece(values, pitch, matrix, first, last, begin, end, mirrored):
    """Write a piece, whose rows begin every ``pitch`` values, into rows and columns of a matrix.

    From column ``mirrored`` on, it is written to the place of its mirror image, too, as far as the matrix goes.
    """
    for top in range(first, last, SIDE):
        bottom = min(top + SIDE, last)
        for left in range(begin, end, SIDE):
            right = min(left + SIDE, end)
            for row in range(top, bottom):
                start = (row - first) * pitch - begin
                for column in range(left, right):
                    stream(matrix, row, column, values[start + column])
            for column in range(max(left, mirrored), min(right, matrix.shape[0])):
                for row in range(top, bottom):
                    stream(matrix, column, row, values[(row - first) * pitch + column - begin])
