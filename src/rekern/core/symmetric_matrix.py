"""The lower half of a symmetric matrix from its upper half, by threads."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np
import numpy.typing as npt

from rekern.core.compiling import compiled
from rekern.core.parallel_jobs import run_in_threads, split_range

ROWS = 128  # that a thread fills at once
TILE = 64  # columns


def mirror_matrix(matrix: npt.NDArray[np.floating], n_jobs: int | None = 1) -> None:
    """Copy the cells above the diagonal to those below it.

    >>> matrix = np.array([[1.0, 2.0], [0.0, 4.0]])
    >>> mirror_matrix(matrix)
    >>> matrix
    array([[1., 2.],
           [2., 4.]])
    """
    spans = split_range(len(matrix), ROWS)
    plain = np.asarray(matrix)
    run_in_threads(_fill_rows, [(plain, *span) for span in reversed(spans)], n_jobs)  # the longest rows first


@compiled
def _fill_rows(matrix, first, last):
    """Fill the cells of some rows below the diagonal, tile by tile, so that what is read stays in the cache."""
    for start in range(0, last, TILE):
        for row in range(max(first, start + 1), last):
            for column in range(start, min(start + TILE, row)):
                matrix[row, column] = matrix[column, row]
