"""Gram matrices of sparse rows by inverted lists, on a GPU: a block of threads adds up one row after the other.

The products are added in the order of the row's own keys, as on the processor: a list is added at a time, and the rows
of a list are different.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import math

from rekern.core.cuda_compiling import cuda, cuda_kernel


@cuda_kernel
def clear(block):
    """Set all values to 0."""
    place = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while place < block.shape[0] * block.shape[1]:
        block[place // block.shape[1], place % block.shape[1]] = 0.0
        place += cuda.gridDim.x * cuda.blockDim.x


@cuda_kernel
def add_products(totals, first, start, indptr, values, begin, end, rows, weights, by_key, by_row):
    """Set row i of the totals, from column ``start + i`` on, to the products of row ``first + i`` with all columns.

    Without symmetry ``start`` is so small that all columns are set. Frequent keys are in no list but in two matrices.
    """
    index = cuda.blockIdx.x
    while index < totals.shape[0]:
        row = first + index
        column = max(start + index, 0) + cuda.threadIdx.x
        while column < totals.shape[1]:
            total = 0.0
            for key in range(by_key.shape[0]):
                one = by_row[row, key]
                if one != 0.0:
                    total += one * by_key[key, column]
            totals[index, column] = total
            column += cuda.blockDim.x
        for entry in range(indptr[row], indptr[row + 1]):
            cuda.syncthreads()
            value = values[entry]
            at = begin[entry] + cuda.threadIdx.x
            while at < end[entry]:
                totals[index, rows[at]] += value * weights[at]
                at += cuda.blockDim.x
        cuda.syncthreads()
        index += cuda.gridDim.x


@cuda_kernel
def add_window(block, first, start, source, target, rules, scale, scale2):
    """Add (source product · target product + product of rules) · scale[row] · scale2[column] to a block of a Gram."""
    width = block.shape[1]
    place = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while place < block.shape[0] * width:
        index, column = place // width, place % width
        if column >= start + index:
            both = source[index, column] * target[index, column] + rules[index, column]
            block[index, column] += both * (scale[first + index] * scale2[column])
        place += cuda.gridDim.x * cuda.blockDim.x


@cuda_kernel
def complete_block(block, mirror, first, start, diagonal, faults):
    """Complete a block of a symmetric Gram: its diagonal, what is left of it, and the mirror image of the rest.

    ``mirror`` has the rows that follow those of the block. Without symmetry, values are only checked.
    """
    height, width = block.shape
    place = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while place < height * width:
        index, column = place // width, place % width
        if column >= start + index:
            value = block[index, column]
            if diagonal.shape[0] > 0 and column == start + index:
                value = diagonal[first + index]
                block[index, column] = value
            if not math.isfinite(value):
                cuda.atomic.min(faults, 0, first + index)
            if diagonal.shape[0] > 0:
                if column < start + height:
                    block[column - start, start + index] = value
                else:
                    mirror[column - start - height, index] = value
        place += cuda.gridDim.x * cuda.blockDim.x


@cuda_kernel
def copy_columns(part, block, offset):
    """Copy the columns of a block from ``offset`` on."""
    width = part.shape[1]
    place = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while place < part.shape[0] * width:
        part[place // width, place % width] = block[place // width, offset + place % width]
        place += cuda.gridDim.x * cuda.blockDim.x
