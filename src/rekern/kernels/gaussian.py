"""The Gaussian (RBF) kernel over the distances that another kernel defines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.explanations import Part
from rekern.core.object_descriptions import State
from rekern.core.parameters import check_positive
from rekern.core.registry import register
from rekern.kernels.decision_functions import DecisionFunction, check_columns
from rekern.kernels.gram_plan import Block, GramPlan
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Item, Items
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.kernels.score_kernel import ScoreKernel


@register
class Gaussian(Kernel):
    """exp(−γ · d²), with d the distance that another kernel defines: d² = K(x, x) + K(y, y) − 2 K(x, y).

    Over standardised scores this is the usual RBF kernel.

    >>> from rekern.kernels import Spectrum
    >>> round(Gaussian(Spectrum(1, normalize=False), gamma=0.5)("a b".split(), "a c".split()), 6)  # d² = 2 + 2 - 2
    0.367879
    """

    def __init__(self, kernel: Kernel, gamma: float = 1.0):
        self.kernel = kernel
        self.gamma = gamma

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Turn the blocks of the kernel into distances, and these into values."""
        plan = self.kernel.plan_gram(X, Y, n_jobs)
        rows = self.kernel.diag(X)
        columns = rows if Y is None else self.kernel.diag(Y)
        block = GaussianBlock(plan.block, rows, columns, plan.symmetric, check_positive("gamma", self.gamma))
        return GramPlan(plan.rows, plan.columns, plan.symmetric, block)

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) = 1 for every item."""
        check_positive("gamma", self.gamma)
        return np.ones(len(self.kernel.diag(X)))

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return the plain sum over training items; their scores are computed once if the kernel is over scores."""
        if isinstance(self.kernel, ScoreKernel):
            return GaussianScoreDecision(self, self.kernel, X, coefficients)
        return super().decision_function(X, coefficients)

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return the decision function of a file, in the same form."""
        check_positive("gamma", self.gamma)
        if isinstance(self.kernel, ScoreKernel):
            return GaussianScoreDecision.from_state(self, self.kernel, state, outputs)
        return super().restore_decision(state, outputs)


class GaussianScoreDecision(DecisionFunction):
    """The decision function of a Gaussian kernel over scores: a sum over training items."""

    def __init__(self, kernel: Gaussian, scores: ScoreKernel, X: Items, coefficients: Floats):
        chosen = np.any(coefficients != 0, axis=1)
        self.kernel = kernel
        self.scores = scores
        self.coefficients = np.asarray(coefficients, dtype=float)[chosen]
        self.points = scores.scores(X)[chosen]

    def to_state(self) -> State:
        """Return the scores of the training items and their coefficients."""
        return State(points=self.points, coefficients=self.coefficients)

    @classmethod
    def from_state(cls, kernel: Gaussian, scores: ScoreKernel, state: State, outputs: int) -> Self:
        """Return the function that `to_state` wrote down, after checking it."""
        found = cls.__new__(cls)
        found.kernel, found.scores = kernel, scores
        found.points = state.array("points", "f8", 2)
        found.coefficients = check_columns(state, "coefficients", len(found.points), outputs)
        check_columns(state, "points", len(found.points), len(scores.names()))
        return found

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every item, a column for each output."""
        points = self.scores.scores(X)
        sums = np.zeros((len(points), self.coefficients.shape[1]))
        for index, point in enumerate(points):
            squares = ((self.points - point) ** 2).sum(axis=1)
            sums[index] = np.exp(-self.kernel.gamma * squares) @ self.coefficients
        return sums

    def parts(self, item: Item, output: int = 0) -> list[Part]:
        """Return one part: the kernel as a whole."""
        return [Part("kernel", summarize_kernel(self.kernel), 1.0, float(self.score([item])[0, output]))]


@dataclass(frozen=True)
class GaussianBlock:
    """The block function of a Gaussian kernel."""

    block: Block
    rows: Floats
    columns: Floats
    symmetric: bool
    gamma: float

    def __call__(self, first: int, last: int) -> Floats:
        columns = self.columns[first:] if self.symmetric else self.columns
        squares = self.rows[first:last, None] + columns - 2 * self.block(first, last)
        values = np.exp(-self.gamma * np.maximum(squares, 0.0))
        if self.symmetric:
            np.fill_diagonal(values, 1.0)
        return values
