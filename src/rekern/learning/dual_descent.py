"""Support vector machines by dual coordinate descent (Hsieh et al., 2008; Ho and Lin, 2012).

LIBLINEAR does the same, but it does not return the dual coefficients. With them a model that is trained on features
has the same form as one that is trained on a Gram: a coefficient for each training pair.

Features that only one row has can be left out: they change nothing but the norm of that row, which is passed
separately. Of equal features one is enough (see `condense`). A constant feature 1 stands for the intercept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import AnyArray, Floats
from rekern.core.key_index import number_keys
from rekern.learning.dual_descent_core import (
    count_tail,
    descend_gram,
    descend_rows,
    descend_steeply,
    pick_columns,
    sign_columns,
)
from rekern.learning.dual_solution import DualSolution

if TYPE_CHECKING:
    import scipy.sparse as sp

TOLERANCE = 1e-3  # of the gap between primal and dual objective, as a share of the primal
SWEEPS = 1000
FEWEST_DENSE = 8  # columns; fewer are as fast as sparse ones


def condense(matrix: sp.csr_array) -> tuple[sp.csr_array, Floats]:
    """Make a matrix smaller without changing the products of its rows; also returns the squared norms of the rows.

    A column that only one row has is left out. Of equal columns one is kept, times the root of their number. Equal
    columns are found by a 64-bit signature: among a million columns, two that differ are taken for equal with a
    probability of 3 in 10⁸.

    >>> import scipy.sparse as sp
    >>> large = sp.csr_array(np.array([[1.0, 2.0, 2.0, 0.0], [3.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 5.0]]))
    >>> small, norms = condense(large)
    >>> small.toarray().round(3).tolist(), norms.tolist()
    ([[1.0, 2.828], [3.0, 0.0], [0.0, 1.414]], [9.0, 9.0, 27.0])
    """
    import scipy.sparse as sp

    matrix = sp.csr_array(matrix)
    rows, columns = matrix.shape
    indptr, indices, values = _take_arrays(matrix)
    counts, signatures = np.zeros(columns, np.int32), np.zeros(columns, np.uint64)
    sign_columns(indptr, indices, (values + 0.0).view(np.uint64), counts, signatures)  # -0.0 is 0.0
    shared = np.flatnonzero(counts > 1)
    groups, distinct = number_keys(signatures[shared])
    first = np.empty(len(distinct), np.int64)
    first[groups[::-1]] = shared[::-1]
    first.sort()  # columns keep their order, so that neighbours stay neighbours in memory
    numbers = np.full(columns, -1, np.int32)
    numbers[first] = np.arange(len(first), dtype=np.int32)
    place = np.searchsorted(shared, first)
    factors = np.sqrt(np.bincount(groups, minlength=len(distinct))[groups[place]])
    size = int(counts[first].sum())
    starts, kept, picked = np.zeros(rows + 1, np.int64), np.empty(size, np.int32), np.empty(size)
    norms = np.empty(rows)
    pick_columns(indptr, indices, values, numbers, factors, starts, kept, picked, norms)
    return sp.csr_array((picked, kept, starts), shape=(rows, len(first))), norms


def classify_features(
    matrix: sp.csr_array, norms: Floats, signs: AnyArray, costs: Floats, tolerance: float = TOLERANCE
) -> DualSolution:
    """Train a support vector classifier (hinge loss) on sparse features.

    Parameters
    ----------
    matrix, norms
        The features and the squared norms of the whole rows, as `condense` returns them.
    signs : array of shape (n,)
        1 for the positive class, -1 for the other.
    costs : array of shape (n,)
        The cost of errors, C, of each row.
    tolerance : float
        The gap between the primal and the dual objective at which training stops, as a share of the primal.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> rows = sp.csr_array(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> solution = classify_features(rows, np.ones(2), np.array([1, -1]), np.full(2, 10.0), 1e-9)
    >>> solution.coefficients.round(3).tolist()
    [1.0, -1.0]
    """
    coefficients, intercept, _ = descend_rows(
        *_read_rows(matrix), norms, signs.astype(float), costs, 0.0, False, 1.0, tolerance, SWEEPS, 0
    )
    return DualSolution(coefficients, float(intercept))


def regress_features(
    matrix: sp.csr_array, norms: Floats, targets: Floats, costs: Floats, epsilon: float, tolerance: float = TOLERANCE
) -> DualSolution:
    """Train support vector regression on sparse features; errors up to ``epsilon`` cost nothing.

    >>> import scipy.sparse as sp
    >>> rows = sp.csr_array(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> solution = regress_features(rows, np.ones(2), np.array([1.0, 3.0]), np.full(2, 10.0), 0.0, 1e-9)
    >>> (solution.coefficients + solution.intercept).round(3).tolist()
    [1.0, 3.0]
    """
    middle = average_targets(targets, costs)
    coefficients, intercept, _ = descend_rows(
        *_read_rows(matrix), norms, targets - middle, costs, epsilon, True, 1.0, tolerance, SWEEPS, 0
    )
    return DualSolution(coefficients, float(intercept) + middle)


def order_features(matrix: sp.csr_array, norms: Floats, costs: Floats, tolerance: float = TOLERANCE) -> Floats:
    """The coefficients of a classifier without intercept that is to put every row on the positive side.

    The rows are differences of two candidates, the better minus the worse.

    >>> import scipy.sparse as sp
    >>> order_features(sp.csr_array(np.eye(2)), np.ones(2), np.full(2, 10.0), 1e-9).tolist()
    [1.0, 1.0]
    """
    coefficients: Floats
    coefficients, _, _ = descend_rows(
        *_read_rows(matrix), norms, np.ones(len(costs)), costs, 0.0, False, 0.0, tolerance, SWEEPS, 0
    )
    return coefficients


def order_gram(gram: Floats, costs: Floats, tolerance: float = TOLERANCE) -> Floats:
    """As `order_features`, from the Gram of the rows.

    >>> order_gram(np.eye(2), np.full(2, 10.0)).tolist()
    [1.0, 1.0]
    """
    coefficients: Floats
    coefficients = descend_steeply(gram, costs, tolerance, SWEEPS * len(gram))
    return coefficients


def classify_dense_gram(
    gram: npt.NDArray[np.floating], signs: Floats, costs: Floats, tolerance: float = TOLERANCE, sweeps: int = SWEEPS
) -> tuple[Floats, Floats]:
    """A support vector classifier on a small dense Gram; returns coefficients and the decision values of its rows.

    1 is added to all kernel values, which stands for the intercept: it is the sum of the coefficients.
    Faster than LIBSVM for a few hundred rows, and as exact as ``tolerance`` says.

    >>> coefficients, values = classify_dense_gram(np.eye(2), np.array([1.0, -1.0]), np.full(2, 10.0))
    >>> coefficients.round(2).tolist(), values.round(2).tolist()
    ([1.0, -1.0], [1.0, -1.0])
    """
    coefficients: Floats
    values: Floats
    coefficients, values = descend_gram(gram, signs, costs, 1.0, tolerance, sweeps)
    return coefficients, values


def average_targets(targets: Floats, costs: Floats) -> float:
    """The mean of the targets, each weighted by its cost.

    >>> average_targets(np.array([1.0, 3.0]), np.array([1.0, 3.0]))
    2.5
    """
    total = float(costs.sum())
    if total == 0 or (costs == costs[0]).all():
        return float(np.mean(targets))
    return float(costs @ targets / total)


def _read_rows(matrix: sp.csr_array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Floats, int]:
    indptr, indices, values = _take_arrays(matrix)
    return indptr, indices, values, _count_dense_columns(indptr, indices, matrix.shape[1])


def _take_arrays(matrix: sp.csr_array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Floats]:
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float64)


def _count_dense_columns(indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32], columns: int) -> int:
    """How many of the last columns every row has at its end, as with landmarks and most scores; 0 if they are few."""
    dense = int(count_tail(indptr, indices, columns)) if len(indices) else 0
    return dense if dense >= FEWEST_DENSE else 0
