"""The lower half of a symmetric matrix from its upper half, by threads."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats
from rekern.core.compiling import compiled
from rekern.core.parallel_jobs import run_in_threads, split_range
from rekern.core.streaming import stream

ROWS = 128  # that a thread fills at once
TILE = 64  # columns
LINE = 8  # values in a line of the cache
UNSCALED = np.zeros(0)


def mirror_matrix(matrix: npt.NDArray[np.floating], n_jobs: int | None = 1, scales: Floats = UNSCALED) -> None:
    """Copy the cells above the diagonal to those below it; with ``scales`` normalise all cells by them before.

    A scale is a factor of a row and of its column. The diagonal becomes 1, or 0 where the scale is 0.

    >>> matrix = np.array([[1.0, 2.0], [0.0, 4.0]])
    >>> mirror_matrix(matrix)
    >>> matrix
    array([[1., 2.],
           [2., 4.]])
    >>> mirror_matrix(matrix, scales=np.array([1.0, 0.5]))
    >>> matrix
    array([[1., 1.],
           [1., 1.]])
    """
    spans = split_range(len(matrix), ROWS)
    plain = np.asarray(matrix)
    run_in_threads(_fill_rows, [(plain, *span, scales) for span in reversed(spans)], n_jobs)  # the longest rows first


@compiled
def _fill_rows(matrix, first, last, scales):
    """Fill the cells of some rows below the diagonal, through a small copy of cells above it.

    The matrix is read and written in long pieces. The copy is a little wider than needed, so that its rows do not lie
    in the same places of the cache. A cell above the diagonal belongs to one call, which normalises it.
    """
    copy = np.empty((TILE, last - first + LINE), matrix.dtype)
    for start in range(0, last, TILE):
        stop = min(start + TILE, last)
        for column in range(start, stop):
            line, place = matrix[column, first:last], copy[column - start]
            if len(scales):
                own = scales[column]
                for row in range(max(column - first, 0), len(line)):
                    line[row] *= own * scales[first + row]
                if column >= first:
                    line[column - first] = 1.0 if own > 0.0 else 0.0
            for row in range(len(line)):
                place[row] = line[row]
        for row in range(first, last):
            for column in range(start, min(stop, row)):
                stream(matrix, row, column, copy[column - start, row - first])
