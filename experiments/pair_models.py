"""Models of the experiments on pairs: those of the package, kernel logistic regression, and the judge.

A judge is a model of another corpus, whose decisions are a score: what it has learned there joins a model of this one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Protocol, Self

import numpy as np
from sklearn.base import clone

from experiments.rewriting_settings import Setting
from rekern.core.arrays import AnyArray, Floats
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items
from rekern.kernels.score_kernel import ScoreKernel
from rekern.learning import PairClassifier, PairRanker, PairRegressor
from rekern.learning.dual_solution import DualSolution

MOST_STEPS, MOST_HALVINGS = 100, 30
TOLERANCE = 1e-9  # of the gain of a step, relative to the objective
SMALLEST_CURVATURE = 1e-12
N_KEPT = 2  # lists of pairs whose decisions a judge remembers: training pairs and test pairs


class TrainedModel(Protocol):
    """A model that predicts."""

    def predict(self, X: Items) -> AnyArray:
        """Return the predictions."""


class TwoClassModel(TrainedModel, Protocol):
    """What an experiment asks of a model of two classes."""

    def fit(self, X: Items, y: Sequence[object]) -> object:
        """Learn from pairs and their labels."""

    def decision_function(self, X: Items) -> Floats:
        """Return the decision values: above 0 for the second class."""


class LogisticModel:
    """Kernel logistic regression with two classes, on a Gram of all training pairs."""

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
    """Make a support vector machine (loss "hinge") or logistic regression ("logistic"), both without calibration."""
    if loss == "logistic":
        assert not balanced  # all pairs count alike
        return LogisticModel(kernel, C)
    class_weight = "balanced" if balanced else None
    return PairClassifier(kernel, C, class_weight=class_weight, calibration=0, n_jobs=n_jobs)


def train_model(
    measure: str,
    setting: Setting,
    items: Sequence[object],
    labels: Sequence[object],
    groups: Sequence[Hashable],
    n_jobs: int | None = None,
    balanced: bool = False,
) -> TrainedModel:
    """Train a classifier, a regressor or a ranker: what the measure, accuracy, pearson or map, is about."""
    if measure == "accuracy":
        model = make_model(setting.kernel, setting.C, setting.loss, n_jobs, balanced)
        model.fit(items, labels)
        return model
    if measure == "pearson":
        return PairRegressor(setting.kernel, setting.C, n_jobs=n_jobs).fit(items, labels)
    return PairRanker(setting.kernel, setting.C, n_jobs=n_jobs).fit(items, labels, groups)


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


class Judge:
    """A model of another corpus with two classes, which is trained when it is first asked.

    It remembers what it has decided about the last pairs, because one training asks for it several times.
    """

    def __init__(
        self, name: str, kernel: Kernel, train: Callable[[TwoClassModel], object], C: float = 1.0, loss: str = "hinge"
    ):
        self.name, self.kernel, self.C, self.loss = name, kernel, C, loss
        self._train = train
        self._model: TwoClassModel | None = None
        self._decided: list[tuple[Items, Floats]] = []

    def decide(self, X: Items) -> Floats:
        """Return the decision values of pairs: above 0 for the second class."""
        for items, values in self._decided:
            if items is X:
                return values
        if self._model is None:
            self._model = make_model(self.kernel, self.C, self.loss)
            self._train(self._model)
        values = self._model.decision_function(X)
        self._decided = [*self._decided, (X, values)][-N_KEPT:]
        return values

    def __deepcopy__(self, memo: object) -> Self:
        """Return the judge itself: copies of a kernel ask the same judge."""
        return self

    def __reduce__(self) -> tuple[type, tuple[str, str, float, str]]:
        """Return what tells judges apart, from which hashes are made; a trained model is too large for that."""
        return Judge, (self.name, repr(self.kernel), self.C, self.loss)


class Judgements(ScoreKernel):
    """Linear kernel over one score: the decision value of a judge, standardised as the scores of `Similarities` are."""

    def __init__(self, judge: Judge):
        self.judge = judge

    def names(self) -> list[str]:
        """Return the name of the score."""
        return [f"decision of {self.judge.name}"]

    def reads(self) -> set[str]:
        """Return the columns that the judge reads."""
        return self.judge.kernel.reads()

    def fit(self, X: Items, y: object = None) -> Self:
        """Learn the mean and the spread of the decisions about the training pairs."""
        values = self.judge.decide(X)
        self.mean_ = float(values.mean())
        self.scale_ = float(values.std()) or 1.0
        return self

    def raw_scores(self, X: Items) -> Floats:
        """Return the decision values, a row for each pair."""
        return self.judge.decide(X)[:, None]

    def scores(self, X: Items) -> Floats:
        """Return the standardised decision values, a row for each pair."""
        return self.rescale(self.raw_scores(X))

    def rescale(self, raw: Floats) -> Floats:
        """Return standardised decision values."""
        return (raw - self.mean_) / self.scale_
