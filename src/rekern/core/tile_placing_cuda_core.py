"""Tiles written to their places in a matrix on a GPU, and what is done with all values of such a matrix."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import math

import numpy as np

from rekern.core.cuda_compiling import cuda, cuda_kernel

SIDE = 32  # rows and columns that are written together
PITCH = SIDE + 1  # so that the values of a column are in different banks of memory


@cuda_kernel
def place_tile(matrix, tile, row, column, mirrored):
    """Write a tile to the place in a matrix that begins with this row and column.

    From column ``mirrored`` of the matrix on, it is written to the place of its mirror image, too, as far as the matrix
    goes: squares of it are turned in fast memory, so that threads side by side write side by side both times.
    """
    cells = cuda.shared.array((SIDE, PITCH), np.float64)
    height, width = tile.shape
    across = (width + SIDE - 1) // SIDE
    squares = across * ((height + SIDE - 1) // SIDE)
    square = cuda.blockIdx.x
    while square < squares:
        top, left = square // across * SIDE, square % across * SIDE
        for place in range(cuda.threadIdx.x, SIDE * SIDE, cuda.blockDim.x):
            one, two = top + place // SIDE, left + place % SIDE
            if one < height and two < width:
                value = tile[one, two]
                cells[place // SIDE, place % SIDE] = value
                matrix[row + one, column + two] = value
        cuda.syncthreads()
        for place in range(cuda.threadIdx.x, SIDE * SIDE, cuda.blockDim.x):
            one, two = top + place % SIDE, left + place // SIDE
            if one < height and two < width and mirrored <= column + two < matrix.shape[0]:
                matrix[column + two, row + one] = cells[place % SIDE, place // SIDE]
        cuda.syncthreads()
        square += cuda.gridDim.x


@cuda_kernel
def combine_matrices(matrix, other, multiplied, faults):
    """Add another matrix to a matrix, or multiply the values of both; note the first row with a value out of range."""
    width = matrix.shape[1]
    place = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while place < matrix.shape[0] * width:
        row, column = place // width, place % width
        if multiplied:
            value = matrix[row, column] * other[row, column]
        else:
            value = matrix[row, column] + other[row, column]
        matrix[row, column] = value
        if not math.isfinite(value):
            cuda.atomic.min(faults, 0, row)
        place += cuda.gridDim.x * cuda.blockDim.x


@cuda_kernel
def scale_matrix(matrix, rows, columns, symmetric, faults):
    """Multiply rows and columns by factors; note the first row with a value out of range.

    In a symmetric matrix, mirrored values are multiplied in the same order, so that they stay equal.
    """
    width = matrix.shape[1]
    place = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while place < matrix.shape[0] * width:
        row, column = place // width, place % width
        first, second = row, column
        if symmetric and column < row:
            first, second = column, row
        value = matrix[row, column] * rows[first] * columns[second]
        matrix[row, column] = value
        if not math.isfinite(value):
            cuda.atomic.min(faults, 0, row)
        place += cuda.gridDim.x * cuda.blockDim.x
