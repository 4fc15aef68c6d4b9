"""A matrix on a GPU, put together in pieces that are copied one at a time."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

from rekern.core.cuda_compiling import cuda, cuda_kernel


@cuda_kernel
def pack_pieces(matrix, rows, columns, pitch, packed):
    """Copy a matrix into pieces of so many rows and columns, one after the other, whose rows begin every ``pitch``."""
    height, width = matrix.shape
    across = (width + columns - 1) // columns
    place = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while place < height * width:
        row, column = place // width, place % width
        piece = row // rows * across + column // columns
        packed[(piece * rows + row % rows) * pitch + column % columns] = matrix[row, column]
        place += cuda.gridDim.x * cuda.blockDim.x
