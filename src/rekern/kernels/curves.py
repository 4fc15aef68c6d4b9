"""Curves: a kernel over scores in which every score acts through a piecewise linear function."""

from __future__ import annotations

from typing import Self

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.estimators import NotFittedError
from rekern.core.exact_sums import sum_rows_exactly
from rekern.core.explanations import Part
from rekern.core.messages import show_value
from rekern.core.object_descriptions import State
from rekern.core.parameters import check_positive, check_whole
from rekern.core.registry import register
from rekern.core.state_schema import POSITIVE, Array, ObjectOf, Record, Schema, Whole, parameters
from rekern.errors import InputError
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.kernel_items import Item, Items, materialize_items, wrap_item
from rekern.kernels.score_effects import ScoreEffect
from rekern.kernels.score_kernel import ScoreKernel

MOST_KNOTS = 1000
SMALLEST_RANGE = 1e-9  # a score with a smaller range is constant, apart from rounding


@register
class Curves(ScoreKernel):
    """A kernel over scores that learns a curve for each: a straight line, bent at a few points where that helps.

    A decision value is then a sum of one number for each score, so that it stays readable: `rekern.PairClassifier` and
    the other models explain it score by score, and their ``curves`` shows what was learned. It is the readable
    alternative to `Gaussian`, and nearly as accurate (docs/results). It has explicit features and so trains in
    linear time.

    The range of a score in the training items is divided into ``knots - 1`` equal pieces. Each score has as features
    its value, standardised, and for each piece how far the value is past the beginning of the piece: 0 before it, 1
    after it. These are centred, and scaled so that their variances add up to ``bend``. All features are scaled so that
    the mean of K(x, x) over the training items is ``weight · (1 + bend)``, however many scores there are. Outside the
    range that was seen in training a curve is flat. A constant score has no effect.

    Parameters
    ----------
    kernel : ScoreKernel
        The scores, such as ``Similarities()``. Their own standardisation does not matter.
    knots : int
        The number of points between which a curve is straight, both ends included; 2 for straight lines.
    bend : float
        How easily a curve bends, in comparison with a straight line.
    weight : float
        The weight of all curves together, in comparison with the other kernels of a sum.

    Attributes
    ----------
    low_, high_ : arrays
        The smallest and the largest value of each score in training.
    center_, scale_ : arrays
        What is subtracted from the features of each score and what they are multiplied by, a row for each score.

    >>> from rekern.similarity import Similarities
    >>> pairs = [("a b c d", "a b c d"), ("a b c d", "a b x y"), ("a b", "c d"), ("a b c", "a d")]
    >>> kernel = Curves(Similarities(only=("precision", "recall")), knots=3).fit(pairs)
    >>> kernel.scores(pairs).shape  # for both scores a line and two pieces
    (4, 6)
    >>> round(float(kernel.diag(pairs).mean()), 6)
    3.3
    """

    checks_itself = frozenset({"kernel"})
    schema = Schema(
        parameters(kernel=ObjectOf("ScoreKernel"), knots=Whole(2, MOST_KNOTS), bend=POSITIVE, weight=POSITIVE),
        learned=Record(
            low_=Array("f8", "scores"),
            high_=Array("f8", "scores"),
            center_=Array("f8", "scores", "pieces+1"),
            scale_=Array("f8", "scores", "pieces+1"),
        ),
    )

    def __init__(self, kernel: ScoreKernel, knots: int = 6, bend: float = 0.1, weight: float = 3.0):
        self.kernel = kernel
        self.knots = knots
        self.bend = bend
        self.weight = weight

    def check_parameters(self) -> int:
        """Return the number of pieces of a curve; parameters that make no sense raise an error."""
        if not isinstance(self.kernel, ScoreKernel):
            raise InputError(f"kernel={show_value(self.kernel)}: Curves needs a kernel over scores, as Similarities()")
        check_positive("bend", self.bend)
        check_positive("weight", self.weight)
        return check_whole("knots", self.knots, 2, MOST_KNOTS) - 1

    def names(self) -> list[str]:
        """Return the names of the features: of each score its line and its pieces."""
        pieces = self.check_parameters()
        kinds = ["line", *(f"piece {number} of {pieces}" for number in range(1, pieces + 1))]
        return [f"{name}, {kind}" for name in self.kernel.names() for kind in kinds]

    def fit(self, X: Items, y: object = None) -> Self:
        """Learn the range of every score, and the means and variances of its features."""
        pieces = self.check_parameters()
        X = materialize_items(X)
        raw = self.kernel.fit_raw_scores(X, y)
        if not len(raw):
            raise InputError("there are no items to learn curves from; give at least one")
        self.low_, self.high_ = raw.min(axis=0), raw.max(axis=0)
        basis = self._rise(raw)
        self.center_ = _find_means(basis)
        basis -= self.center_
        variances = _find_means(np.square(basis, out=basis))
        used = self.high_ - self.low_ > SMALLEST_RANGE
        share = self.weight / max(int(used.sum()), 1)
        self.scale_ = np.zeros((len(used), pieces + 1))
        self.scale_[used, 0] = np.sqrt(share / variances[used, 0])
        self.scale_[used, 1:] = np.sqrt(share * self.bend / variances[used, 1:].sum(axis=1))[:, None]
        return self

    def adapt(self, X: Items, y: object = None) -> Self:
        """Learn the same as `fit`: the values of the kernel depend on all of it."""
        return self.fit(X, y)

    def scores(self, X: Items) -> Floats:
        """Return an array with a row of features for each item."""
        raw = self.raw_values(X)
        return self.bend_scores(raw).reshape(len(raw), -1)

    def raw_values(self, X: Items) -> Floats:
        """Return the scores of the items as they are before they go through the curves."""
        if not hasattr(self, "scale_"):
            raise NotFittedError("this Curves is not fitted yet; call fit(items) first")
        return self.kernel.raw_scores(X)

    def bend_scores(self, raw: Floats) -> Floats:
        """Return the features of scores, an array of items × scores × features."""
        features = self._rise(raw)
        features -= self.center_  # in place: new memory takes longer than the sums
        features *= self.scale_
        return features

    def place_scores(self, raw: Floats) -> Floats:
        """Return for each score how many pieces lie below it, with fractions; values outside the range are clipped."""
        pieces = self.check_parameters()
        width = self.high_ - self.low_
        constant = width <= SMALLEST_RANGE
        places = (raw - self.low_) / np.where(constant, 1.0, width) * pieces
        return np.where(constant, 0.0, np.clip(places, 0.0, float(pieces)))

    def list_knots(self) -> Floats:
        """Return the knots of every score, a row for each."""
        return np.linspace(self.low_, self.high_, self.knots, axis=1)

    def list_knot_features(self) -> Floats:
        """Return the features of every score at its knots, an array of scores × knots × features."""
        pieces = self.check_parameters()  # at knot i the first i pieces are full
        full = np.concatenate([np.linspace(0.0, 1.0, pieces + 1)[:, None], np.tri(pieces + 1, pieces, -1)], axis=1)
        features: Floats = (full - self.center_[:, None]) * self.scale_[:, None]
        return features

    def _rise(self, raw: Floats) -> Floats:
        """Return for each score the share of the whole range below it, and of each piece."""
        pieces = self.check_parameters()
        places = self.place_scores(raw)
        rise = np.empty((*places.shape, pieces + 1))
        np.divide(places, pieces, out=rise[:, :, 0])
        np.subtract(places[:, :, None], np.arange(pieces), out=rise[:, :, 1:])
        np.clip(rise[:, :, 1:], 0.0, 1.0, out=rise[:, :, 1:])
        return rise

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return a curve for each score."""
        return CurveDecision.learn(self, X, coefficients)

    def decide_by_weights(self, weights: Floats, sample: Items) -> DecisionFunction:
        """Return the curves with a weight for each feature and output; ``sample`` are training items."""
        return CurveDecision.from_weights(self, weights, self.raw_values(sample))

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return the curves of a file."""
        return CurveDecision.from_state(self, state, outputs)

    def count_sizes(self) -> dict[str, int]:
        """Return the number of scores, and the number of pieces of a curve."""
        return {"scores": len(self.kernel.names()), "pieces": self.check_parameters()}


def _find_means(features: Floats) -> Floats:
    """Return the mean of every feature, from items × scores × features.

    The sums are exact, so that the result does not depend on the order of the items.
    """
    means = sum_rows_exactly(features.reshape(len(features), -1).T) / len(features)
    return means.reshape(features.shape[1:])


class CurveDecision(DecisionFunction):
    """The decision function of curves: for each output and score, the heights of a curve at its knots."""

    STATE = Record(heights=Array("f8", "outputs", "scores", "pieces+1"), spreads=Array("f8", "outputs", "scores"))

    def __init__(self, kernel: Curves, heights: Floats, spreads: Floats):
        self.kernel = kernel
        self.heights = heights
        self.spreads = spreads

    @classmethod
    def learn(cls, kernel: Curves, X: Items, coefficients: Floats) -> Self:
        """Return the curves of training items."""
        raw = kernel.raw_values(X)
        features = kernel.bend_scores(raw).reshape(len(raw), -1)
        return cls.from_weights(kernel, features.T @ coefficients, raw)

    @classmethod
    def from_weights(cls, kernel: Curves, features: Floats, raw: Floats) -> Self:
        """Return the curves of weights of features, a column for each output; ``raw`` are scores of training items."""
        weights = features.reshape(*kernel.scale_.shape, -1)
        found = cls(kernel, np.einsum("skf,sfo->osk", kernel.list_knot_features(), weights), np.zeros((0, 0)))
        found.spreads = np.array([found._look_up(raw, heights).std(axis=0) for heights in found.heights])
        return found

    def list_weights(self) -> Floats:
        """Return the shortest weights of features that give these curves, for each output."""
        inverse = np.linalg.pinv(self.kernel.list_knot_features())
        weights: Floats = np.einsum("sfk,osk->sfo", inverse, self.heights)
        return weights.reshape(-1, len(self.heights))

    def to_state(self) -> State:
        """Return the heights of the curves, and how far they move the decisions about training items."""
        return State(heights=self.heights, spreads=self.spreads)

    @classmethod
    def from_state(cls, kernel: Curves, state: State, outputs: int) -> Self:
        """Return the function that `to_state` wrote down, after checking it."""
        cls.STATE.check(state, "decision function", {"outputs": outputs, **kernel.count_sizes()})
        return cls(kernel, state["heights"], state["spreads"])

    def _look_up(self, raw: Floats, heights: Floats) -> Floats:
        """Return the heights of the curves at the scores of items, a row for each item."""
        places = self.kernel.place_scores(raw)
        pieces = np.minimum(places.astype(np.int64), heights.shape[1] - 2)
        scores = np.arange(len(heights))
        start = heights[scores, pieces]
        found: Floats = start + (places - pieces) * (heights[scores, pieces + 1] - start)
        return found

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every item, a column for each output."""
        raw = self.kernel.raw_values(X)
        sums = np.empty((len(raw), len(self.heights)))
        for output, heights in enumerate(self.heights):
            sums[:, output] = np.ascontiguousarray(self._look_up(raw, heights)).sum(axis=1)
        return sums

    def parts(self, item: Item, output: int = 0) -> list[Part]:
        """Return one part for each score: what its curve adds."""
        raw = self.kernel.raw_values(wrap_item(item))
        added = self._look_up(raw, self.heights[output])[0]
        inner = self.kernel.kernel
        return [
            Part("score", name, 1.0, height, description=description, score=score)
            for name, description, score, height in zip(
                inner.names(), inner.describe_scores(), raw[0].tolist(), added.tolist()
            )
        ]

    def effects(self, output: int = 0) -> list[ScoreEffect]:
        """Return the curve of every score."""
        inner = self.kernel.kernel
        rows = zip(
            inner.names(),
            inner.describe_scores(),
            self.spreads[output].tolist(),
            self.kernel.list_knots().tolist(),
            self.heights[output].tolist(),
        )
        return [
            ScoreEffect(name, "curve", description, spread, tuple(zip(knots, heights)))
            for name, description, spread, knots, heights in rows
        ]
