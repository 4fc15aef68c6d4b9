"""Support vector machines by dual coordinate descent on dense features, such as those of landmarks.

The same machines as in `rekern.learning.dual_descent`, without the numbers of columns, and with features of 32 bits.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.learning.dense_descent_core import add_rows, descend_dense, multiply_rows, square_rows
from rekern.learning.dual_descent import SWEEPS, TOLERANCE, average_targets
from rekern.learning.dual_solution import DualSolution

Features = npt.NDArray[np.float32]


class DenseTrainer:
    """Trains a linear machine on (parts of) dense features; the held-out rows of a fold are not copied.

    >>> trainer = DenseTrainer(np.eye(2, dtype=np.float32), np.array([[1, -1]]), np.full(2, 10.0))
    >>> trainer.fit(0, np.arange(2)).coefficients.round(2).tolist()
    [1.0, -1.0]
    """

    def __init__(self, matrix: Features, signs: Ints, costs: Floats):
        self.matrix, self.signs, self.costs = matrix, signs, costs
        self.squares: Floats = square_rows(matrix)

    def fit(self, output: int, rows: Ints) -> DualSolution:
        """Train on these rows."""
        coefficients, intercept = self._minimize(output, rows)
        return DualSolution(coefficients[rows], intercept)

    def decide(self, output: int, train: Ints, test: Ints) -> Floats:
        """Return the decision values of test rows, from a machine trained on other rows."""
        coefficients, intercept = self._minimize(output, train)
        values: Floats = multiply_rows(self.matrix, test, add_rows(self.matrix, coefficients)) + intercept
        return values

    def _minimize(self, output: int, rows: Ints) -> DualSolution:
        costs = np.zeros(len(self.matrix))
        costs[rows] = self.costs[rows]
        return _descend(self.matrix, self.squares, self.signs[output], costs, bias=1.0)


def regress_dense(matrix: Features, targets: Floats, costs: Floats, epsilon: float) -> DualSolution:
    """Train support vector regression on dense features; errors up to ``epsilon`` cost nothing.

    >>> solution = regress_dense(np.eye(2, dtype=np.float32), np.array([1.0, 3.0]), np.full(2, 10.0), 0.0)
    >>> (solution.coefficients + solution.intercept).round(2).tolist()
    [1.0, 3.0]
    """
    middle = average_targets(targets, costs)
    found = _descend(matrix, square_rows(matrix), targets - middle, costs, bias=1.0, width=epsilon)
    return DualSolution(found.coefficients, found.intercept + middle)


def order_dense(matrix: Features, costs: Floats) -> Floats:
    """The coefficients of a classifier without intercept that is to put every row on the positive side.

    >>> order_dense(np.eye(2, dtype=np.float32), np.full(2, 10.0)).tolist()
    [1.0, 1.0]
    """
    return _descend(matrix, square_rows(matrix), np.ones(len(matrix)), costs, bias=0.0).coefficients


def weigh_columns(matrix: Features, coefficients: Floats) -> Floats:
    """The weights of the features: for each output, the sum of all rows, each times its coefficient.

    >>> weigh_columns(np.eye(2, dtype=np.float32), np.array([[1.0], [2.0]])).tolist()
    [[1.0], [2.0]]
    """
    return np.array([add_rows(matrix, column) for column in np.ascontiguousarray(coefficients.T)]).T


def _descend(
    matrix: Features, squares: Floats, targets: AnyArray, costs: Floats, bias: float, width: float | None = None
) -> DualSolution:
    coefficients, intercept, _ = descend_dense(
        matrix,
        squares,
        targets.astype(np.float64),
        costs,
        0.0 if width is None else float(width),
        width is not None,
        bias,
        TOLERANCE,
        SWEEPS,
        0,
    )
    return DualSolution(coefficients, float(intercept))
