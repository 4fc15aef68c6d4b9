"""The Gaussian (RBF) kernel over the distances that another kernel defines."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.explanations import Part
from rekern.core.messages import show_value
from rekern.core.object_descriptions import State
from rekern.core.parameters import check_positive
from rekern.core.registry import register
from rekern.core.state_schema import (
    KERNEL,
    POSITIVE,
    Array,
    Choice,
    Either,
    Number,
    Optional,
    Record,
    Schema,
    parameters,
)
from rekern.errors import InputError
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.gram_plan import Block, GramPlan
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Item, Items, materialize_items, wrap_item
from rekern.kernels.score_kernel import ScoreKernel

NODES = 16  # of the quadrature, in each piece of the way
MOST_PIECES = 1000  # of the way; farther away nearly all bells are 0
SMALLEST_VARIANCE = 1e-18  # with a smaller one all scores are constant, apart from rounding


@register
class Gaussian(Kernel):
    """exp(−γ · d²), with d the distance that another kernel defines: d² = K(x, x) + K(y, y) − 2 K(x, y).

    Over standardised scores this is the usual RBF kernel. A decision value is then explained score by score, by
    integrated gradients from the mean of the training items (Sundararajan, Taly and Yan, 2017): the parts add up to
    it, but what a score adds depends on the other scores. `Curves` has parts that do not.

    Parameters
    ----------
    kernel : Kernel
        The kernel that defines the distance.
    gamma : float or "scale"
        By default 1 / (number of scores · variance of the training scores), as in scikit-learn's SVC; the variance
        counts as 1 before `fit`. For a kernel that is not over scores, "scale" is 1.

    >>> from rekern.kernels import Spectrum
    >>> round(Gaussian(Spectrum(1, normalize=False), gamma=0.5)("a b".split(), "a c".split()), 6)  # d² = 2 + 2 - 2
    0.367879
    """

    checks_itself = frozenset({"gamma"})
    schema = Schema(
        parameters(kernel=KERNEL, gamma=Either(Choice("scale"), POSITIVE)),
        learned=Record(variance_=Optional(Number(SMALLEST_VARIANCE))),
    )

    def __init__(self, kernel: Kernel, gamma: float | str = "scale"):
        self.kernel = kernel
        self.gamma = gamma

    def find_gamma(self) -> float:
        """Return γ as a number.

        >>> from rekern.similarity import Similarities
        >>> Gaussian(Similarities(only=("precision", "recall"))).find_gamma()
        0.5
        """
        if not isinstance(self.gamma, str):
            return check_positive("gamma", self.gamma)
        if self.gamma != "scale":
            raise InputError(f"gamma={show_value(self.gamma)}: give a finite number above 0, or 'scale'")
        if not isinstance(self.kernel, ScoreKernel):
            return 1.0
        return 1.0 / (len(self.kernel.names()) * float(getattr(self, "variance_", 1.0)))

    def fit(self, X: Items, y: object = None) -> Self:
        """Let the kernel learn, and learn the variance of its scores."""
        return self._learn(X, super().fit(X, y))

    def adapt(self, X: Items, y: object = None) -> Self:
        """Let the kernel learn what its values depend on, and learn the variance of its scores."""
        return self._learn(X, super().adapt(X, y))

    def _learn(self, X: Items, fitted: Self) -> Self:
        if self.gamma == "scale" and isinstance(self.kernel, ScoreKernel):
            values = self.kernel.scores(materialize_items(X)).ravel()
            mean = math.fsum(values) / max(len(values), 1)  # exact, so that the order of the items does not matter
            variance = math.fsum((values - mean) ** 2) / max(len(values), 1)
            self.variance_ = variance if variance > SMALLEST_VARIANCE else 1.0
        return fitted

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Turn the blocks of the kernel into distances, and these into values."""
        plan = self.kernel.plan_gram(X, Y, n_jobs)
        rows = self.kernel.diag(X)
        columns = rows if Y is None else self.kernel.diag(Y)
        block = GaussianBlock(plan.block, rows, columns, plan.symmetric, self.find_gamma())
        return replace(plan, block=block)

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) = 1 for every item."""
        self.find_gamma()
        return np.ones(len(self.kernel.diag(X)))

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return the plain sum over training items; their scores are computed once if the kernel is over scores."""
        if isinstance(self.kernel, ScoreKernel):
            return GaussianScoreDecision.learn(self, self.kernel, X, coefficients)
        return super().decision_function(X, coefficients)

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return the decision function of a file, in the same form."""
        self.find_gamma()
        if isinstance(self.kernel, ScoreKernel):
            return GaussianScoreDecision.from_state(self, self.kernel, state, outputs)
        return super().restore_decision(state, outputs)


class GaussianScoreDecision(DecisionFunction):
    """The decision function of a Gaussian kernel over scores: a sum over training items."""

    STATE = Record(
        points=Array("f8", "items", "scores"),
        coefficients=Array("f8", "items", "outputs"),
        baseline=Array("f8", "scores"),
    )

    def __init__(self, kernel: Gaussian, scores: ScoreKernel, points: Floats, coefficients: Floats, baseline: Floats):
        self.kernel = kernel
        self.scores = scores
        self.points = points
        self.coefficients = coefficients
        self.baseline = baseline  # the means of the scores of all training items
        self.gamma = kernel.find_gamma()

    @classmethod
    def learn(cls, kernel: Gaussian, scores: ScoreKernel, X: Items, coefficients: Floats) -> Self:
        """Return the function of training items; those without a coefficient are left out."""
        chosen = np.any(coefficients != 0, axis=1)
        points = scores.scores(X)
        return cls(kernel, scores, points[chosen], np.asarray(coefficients, dtype=float)[chosen], points.mean(axis=0))

    def to_state(self) -> State:
        """Return the scores of the training items, their means and their coefficients."""
        return State(points=self.points, coefficients=self.coefficients, baseline=self.baseline)

    @classmethod
    def from_state(cls, kernel: Gaussian, scores: ScoreKernel, state: State, outputs: int) -> Self:
        """Return the function that `to_state` wrote down, after checking it."""
        cls.STATE.check(state, "decision function", {"scores": len(scores.names()), "outputs": outputs})
        return cls(kernel, scores, state["points"], state["coefficients"], state["baseline"])

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every item, a column for each output."""
        return self._sum_up(self.scores.scores(X))

    def _sum_up(self, points: Floats) -> Floats:
        sums = np.zeros((len(points), self.coefficients.shape[1]))
        for index, point in enumerate(points):
            squares = ((self.points - point) ** 2).sum(axis=1)
            sums[index] = np.exp(-self.gamma * squares) @ self.coefficients
        return sums

    def parts(self, item: Item, output: int = 0) -> list[Part]:
        """Return one part for each score, and one for a pair in which all scores are as in the mean of training."""
        raw = self.scores.raw_scores(wrap_item(item))
        point = self.scores.rescale(raw)[0]
        added = self.integrate_gradients(point, output)
        whole = float(self._sum_up(point[None])[0, output])
        rows = zip(self.scores.names(), self.scores.describe_scores(), raw[0].tolist(), added.tolist())
        found = [
            Part("score", name, 1.0, weight, description=description, score=score)
            for name, description, score, weight in rows
        ]
        # The integral is exact to many digits. What it lacks is in the part of the mean, so that the sum is exact.
        return [*found, Part("baseline", "all scores at their mean", 1.0, whole - math.fsum(added))]

    def integrate_gradients(self, point: Floats, output: int = 0) -> Floats:
        """Return for each score the integral of its gradient from the mean to a point, times its change.

        The integrals are computed by Gauss-Legendre quadrature, in pieces as short as the kernel is narrow.
        """
        way = point - self.baseline
        pieces = 1 + int(min(2 * math.sqrt(self.gamma * float(way @ way)), MOST_PIECES))
        nodes, weights = np.polynomial.legendre.leggauss(NODES)
        places = ((np.arange(pieces)[:, None] + (nodes + 1) / 2) / pieces).ravel()
        shares = np.tile(weights / 2 / pieces, pieces)
        offsets = self.baseline - self.points
        squares = (offsets**2).sum(axis=1)
        products = offsets @ way
        sums = np.zeros(len(self.points))  # for each training item, the integral of its bell
        moved = 0.0  # the integral of all bells, times the place on the way
        for place, share in zip(places.tolist(), shares.tolist()):
            distances = squares + 2 * place * products + place**2 * float(way @ way)
            bells = share * np.exp(-self.gamma * distances) * self.coefficients[:, output]
            sums += bells
            moved += place * float(bells.sum())
        gradients = -2 * self.gamma * (sums @ offsets + moved * way)
        found: Floats = gradients * way
        return found


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
