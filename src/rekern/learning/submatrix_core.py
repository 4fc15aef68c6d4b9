"""Rows and columns taken out of a large matrix, in compiled code."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

from rekern.core.compiling import compiled


@compiled
def take_submatrix(matrix: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """These rows and columns of a matrix.

    NumPy's ``matrix[np.ix_(rows, columns)]`` takes as long as LIBSVM, and blocks the other threads.

    >>> take_submatrix(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1]), np.array([0, 1])).tolist()
    [[3.0, 4.0]]
    """
    found = np.empty((len(rows), len(columns)))
    for i in range(len(rows)):
        row = matrix[rows[i]]
        for j in range(len(columns)):
            found[i, j] = row[columns[j]]
    return found
