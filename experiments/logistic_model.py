"""Kernel logistic regression with two classes, as the experiments on pairs use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

import numpy as np
from sklearn.base import clone

from rekern.core.arrays import AnyArray, Floats
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items
from rekern.learning import PairClassifier
from rekern.learning.dual_solution import DualSolution

LOSSES = ("hinge", "logistic")
MOST_STEPS, MOST_HALVINGS = 100, 30
TOLERANCE = 1e-9  # of the gain of a step, relative to the objective
SMALLEST_CURVATURE = 1e-12


class TwoClassModel(Protocol):
    """What an experiment asks of a model."""

    def fit(self, X: Items, y: Sequence[object]) -> object:
        """Learn from pairs and their labels."""

    def predict(self, X: Items) -> AnyArray:
        """Return the predicted labels."""

    def decision_function(self, X: Items) -> Floats:
        """Return the decision values: above 0 for the second class."""


class LogisticModel:
    """Kernel logistic regression, on a Gram of all training pairs.

    >>> from rekern.kernels import PairSum, Spectrum
    >>> model = LogisticModel(PairSum(Spectrum(1)), 1.0).fit([("a b", "a"), ("c d", "a")], [1, 0])
    >>> model.predict([("a b", "b"), ("c d", "c")]).tolist()
    [1, 0]
    """

    def __init__(self, kernel: Kernel, C: float):
        self.kernel, self.C = kernel, C

    def fit(self, X: Items, y: Sequence[object]) -> Self:
        """Learn from pairs and their labels, of which there are two."""
        labels = np.array(y)
        self.classes_ = np.unique(labels)
        self.pairs_, self.kernel_ = X, clone(self.kernel, safe=False).fit(X)
        signs = np.where(labels == self.classes_[1], 1, -1)
        self.solution_ = fit_logistic(np.asarray(self.kernel_.gram(X), float), signs, self.C)
        return self

    def decision_function(self, X: Items) -> Floats:
        """Return the decision values: above 0 for the second class."""
        return self.solution_.decide(np.asarray(self.kernel_.gram(X, self.pairs_), float))

    def predict(self, X: Items) -> AnyArray:
        """Return the predicted labels."""
        labels: AnyArray = self.classes_[(self.decision_function(X) > 0).astype(int)]
        return labels


def make_model(kernel: Kernel, C: float, loss: str, n_jobs: int | None = None, balanced: bool = False) -> TwoClassModel:
    """Make a support vector machine (loss "hinge") or logistic regression ("logistic"), both without calibration.

    >>> from rekern.kernels import PairSum, Spectrum
    >>> [type(make_model(PairSum(Spectrum(1)), 1.0, loss)).__name__ for loss in LOSSES]
    ['PairClassifier', 'LogisticModel']
    """
    if loss == "logistic":
        assert not balanced  # all pairs count alike
        return LogisticModel(kernel, C)
    class_weight = "balanced" if balanced else None
    return PairClassifier(kernel, C, class_weight=class_weight, calibration=0, n_jobs=n_jobs)


def fit_logistic(gram: Floats, signs: AnyArray, C: float) -> DualSolution:
    """Minimise C · Σ ln(1 + exp(−y f(x))) + ½ ‖f‖² by Newton's method; ``signs`` y are 1 or −1.

    The probability of the positive class is 1 / (1 + exp(−f(x))).

    >>> solution = fit_logistic(np.eye(2), np.array([1, -1]), 1.0)
    >>> solution.decide(np.eye(2)).round(6).tolist()
    [0.401058, -0.401058]
    """
    size = len(gram)
    is_positive = np.asarray(signs, float) > 0
    y = np.where(is_positive, 1.0, -1.0)
    coefficients, intercept = np.zeros(size), 0.0
    values = np.zeros(size)
    known = _measure(values, coefficients, values, y, C)
    for _ in range(MOST_STEPS):
        likely = 0.5 * (1.0 + np.tanh(0.5 * values))
        curvature = np.maximum(C * likely * (1.0 - likely), SMALLEST_CURVATURE)
        wanted = values + C * (is_positive - likely) / curvature
        system = gram + np.diag(1.0 / curvature)
        one, other = np.linalg.solve(system, np.column_stack([wanted, np.ones(size)])).T
        new_intercept = one.sum() / other.sum()
        step, shift = one - new_intercept * other - coefficients, new_intercept - intercept
        for halving in range(MOST_HALVINGS):
            share = 0.5**halving
            tried = coefficients + share * step
            products = gram @ tried
            moved = products + intercept + share * shift
            found = _measure(products, tried, moved, y, C)
            if found <= known:
                break
        else:
            break
        gain, known = known - found, found
        coefficients, intercept, values = tried, intercept + share * shift, moved
        if gain <= TOLERANCE * abs(known):
            break
    return DualSolution(coefficients, float(intercept))


def _measure(products: Floats, coefficients: Floats, values: Floats, y: Floats, C: float) -> float:
    return float(C * np.logaddexp(0.0, -y * values).sum() + 0.5 * coefficients @ products)
