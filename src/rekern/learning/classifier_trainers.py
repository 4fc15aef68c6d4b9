"""Training of classifiers on rows of the training set: on a Gram matrix, or on explicit features."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats, Ints
from rekern.learning.dual_descent import classify_features
from rekern.learning.dual_solution import DualSolution
from rekern.learning.gram_svm import classify_held_out, classify_rows
from rekern.learning.smo_core import minimize_dual

if TYPE_CHECKING:
    import scipy.sparse as sp

# The gap between primal and dual objective at which training on features stops, as a share of the primal. On 45,773
# question pairs a tenth of it moves decision values in the third digit and takes twice as long.
TOLERANCE = 1e-2
SMO_TOLERANCE = 1e-3  # of the conditions of the optimum, as in LIBSVM
MOST_STEPS = 10_000_000


class Trainer(Protocol):
    """Trains machines on rows of the training set, one for each output."""

    costs: Floats

    def fit(self, output: int, rows: Ints) -> DualSolution:
        """Train on these rows."""

    def decide(self, output: int, train: Ints, test: Ints) -> Floats:
        """Return the decision values of test rows, from a machine trained on other rows."""


class TrainingTask(NamedTuple):
    """Rows to train one output on; with test rows, of which the decision values are wanted, else the machine."""

    output: int
    train: Ints
    test: Ints | None


def do_task(trainer: Trainer, output: int, train: Ints, test: Ints | None) -> DualSolution | Floats:
    """Train a machine; return it, or its decision values of test rows."""
    return trainer.fit(output, train) if test is None else trainer.decide(output, train, test)


class GramTrainer:
    """Trains LIBSVM on (parts of) a Gram matrix."""

    def __init__(self, gram: Floats, signs: Ints, costs: Floats):
        self.gram, self.signs, self.costs = gram, signs, costs

    def fit(self, output: int, rows: Ints) -> DualSolution:
        """Train on these rows."""
        return classify_rows(self.gram, self.signs[output], self.costs, rows)

    def decide(self, output: int, train: Ints, test: Ints) -> Floats:
        """Return the decision values of test rows, from a machine trained on other rows."""
        return classify_held_out(self.gram, self.signs[output], self.costs, train, test)


class LargeGramTrainer:
    """Trains on (parts of) a large Gram matrix of 32 bits by sequential minimal optimisation.

    It stops where LIBSVM stops, which also has 32 bits in its cache, and takes a third of its time.
    """

    def __init__(self, gram: npt.NDArray[np.float32], signs: Ints, costs: Floats):
        self.gram, self.signs, self.costs = gram, signs, costs
        self.diagonal = gram.diagonal().astype(np.float64)

    def fit(self, output: int, rows: Ints) -> DualSolution:
        """Train on these rows, which ascend."""
        coefficients, _, intercept = self._minimize(output, rows)
        return DualSolution(coefficients[rows], float(intercept))

    def decide(self, output: int, train: Ints, test: Ints) -> Floats:
        """Return the decision values of test rows, from a machine trained on other rows."""
        _, values, intercept = self._minimize(output, train)
        held_out: Floats = values[test] + intercept
        return held_out

    def _minimize(self, output: int, rows: Ints) -> tuple[Floats, Floats, float]:
        costs = np.zeros(len(self.gram))
        costs[rows] = self.costs[rows]
        signs = self.signs[output].astype(np.float64)
        found: tuple[Floats, Floats, float]
        found = minimize_dual(self.gram, self.diagonal, signs, costs, SMO_TOLERANCE, MOST_STEPS)
        return found


class FeatureTrainer:
    """Trains a linear machine on (parts of) a matrix of features."""

    def __init__(self, matrix: sp.csr_array, norms: Floats, signs: Ints, costs: Floats):
        self.matrix, self.norms, self.signs, self.costs = matrix, norms, signs, costs

    def fit(self, output: int, rows: Ints) -> DualSolution:
        """Train on these rows."""
        matrix = self.matrix if len(rows) == self.matrix.shape[0] else self.matrix[rows]
        return classify_features(matrix, self.norms[rows], self.signs[output, rows], self.costs[rows], TOLERANCE)

    def decide(self, output: int, train: Ints, test: Ints) -> Floats:
        """Return the decision values of test rows, from a machine trained on other rows."""
        rows = self.matrix[train]
        solution = classify_features(rows, self.norms[train], self.signs[output, train], self.costs[train], TOLERANCE)
        values: Floats = self.matrix[test] @ (rows.T @ solution.coefficients) + solution.intercept
        return values
