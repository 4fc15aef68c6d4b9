"""Kernels over a few named scores of an item: the inner product of their values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from rekern.core.arrays import Floats
from rekern.core.explanations import Part
from rekern.core.object_descriptions import State
from rekern.kernels.decision_functions import DecisionFunction, check_columns
from rekern.kernels.gram_plan import GramPlan
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Item, Items, materialize_items


class ScoreKernel(Kernel):
    """A linear kernel over named scores; a subclass defines ``names()`` and ``scores(X)``.

    >>> class Length(ScoreKernel):
    ...     def names(self):
    ...         return ["length"]
    ...     def scores(self, X):
    ...         return np.array([[float(len(text))] for text in X])
    >>> Length().gram(["a", "bc"])
    array([[1., 2.],
           [2., 4.]])
    """

    def names(self) -> list[str]:
        """Return the names of the scores."""
        raise NotImplementedError

    def scores(self, X: Items) -> Floats:
        """Return a row of scores for each item."""
        raise NotImplementedError

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Compute the scores of all items, of which any block of the Gram is made."""
        left = self.scores(X)
        right = left if Y is None else self.scores(Y)
        return GramPlan(len(left), len(right), Y is None, ScoreBlock(left, right, Y is None))

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every item."""
        squares: Floats = (self.scores(X) ** 2).sum(axis=1)
        return squares

    def features(self, X: Items, n_jobs: int | None = None) -> sp.csr_array:
        """Return the scores as a sparse matrix."""
        return sp.csr_array(self.scores(X))

    def list_features(self, X: Items) -> sp.csr_array:
        """Return the scores as a sparse matrix."""
        return self.features(X)

    def transform(self, X: Items) -> Floats:
        """Return the scores as a dense array: they are few, and most of them are not 0."""
        return self.scores(materialize_items(X))

    def fit_transform(self, X: Items, y: object = None) -> Floats:
        """Learn from the items and return their scores."""
        X = materialize_items(X)
        return self.fit(X, y).scores(X)

    def name_columns(self) -> list[str]:
        """Return the names of the scores."""
        return self.names()

    def has_features(self) -> bool:
        """Return True: scores are explicit features."""
        return True

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return a weight for each score."""
        return ScoreDecision(self, self.scores(X).T @ coefficients)

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return a weight for each score."""
        return ScoreDecision(self, check_columns(state, "weights", len(self.names()), outputs))


class ScoreDecision(DecisionFunction):
    """The decision function of a kernel over scores: a weight for each score, in a column for each output."""

    def __init__(self, kernel: ScoreKernel, weights: Floats):
        self.kernel = kernel
        self.weights = weights

    def to_state(self) -> State:
        """Return the weights."""
        return State(weights=self.weights)

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every item, a column for each output."""
        return np.array([row @ self.weights for row in self.kernel.scores(X)]).reshape(-1, self.weights.shape[1])

    def parts(self, item: Item, output: int = 0) -> list[Part]:
        """Return one part for each score."""
        values = self.kernel.scores([item])[0]
        names = self.kernel.names()
        return [
            Part("score", name, float(value), float(weight))
            for name, value, weight in zip(names, values, self.weights[:, output])
        ]


@dataclass(frozen=True)
class ScoreBlock:
    """Computes a block of the Gram of scores."""

    left: Floats
    right: Floats
    symmetric: bool

    def __call__(self, first: int, last: int) -> Floats:
        # Added up column by column: a BLAS product's bits may depend on the shape of the block.
        right = self.right[first:] if self.symmetric else self.right
        block = np.zeros((last - first, len(right)))
        for column in range(self.left.shape[1]):
            block += self.left[first:last, column, None] * right[:, column]
        return block
