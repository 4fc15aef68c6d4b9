"""Curves: a kernel over scores in which every score acts through a piecewise linear function."""

from __future__ import annotations

import math
from typing import Self

import numpy as np
from sklearn.exceptions import NotFittedError

from rekern.core.arrays import Floats
from rekern.core.messages import show_value
from rekern.core.object_descriptions import State
from rekern.core.parameters import check_positive, check_whole
from rekern.core.registry import register
from rekern.core.state_schema import POSITIVE, Array, Number, ObjectOf, Optional, Record, Schema, Whole, parameters
from rekern.errors import InputError, ModelFileError
from rekern.kernels.curve_decision import CurveDecision
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.gram_plan import GramPlan
from rekern.kernels.kernel_items import Items, materialize_items
from rekern.kernels.score_kernel import ScoreBlock, ScoreKernel
from rekern.kernels.score_products import ProductBlock, ScoreProducts, join_pairs

MOST_KNOTS = 1000
LARGEST_SHARE = 1e6  # of a line, in comparison with its pieces; more would cost digits
SMALLEST_RANGE = 1e-9  # a score with a smaller range is constant, apart from rounding


@register
class Curves(ScoreKernel):
    """A kernel over scores that learns a curve for each: a straight line, bent at a few points where that helps.

    A decision value is then a sum of one number for each score, so that it stays readable: `rekern.PairClassifier` and
    the other models explain it score by score, and their ``curves`` shows what was learned. It is the readable
    alternative to `Gaussian`, and nearly as accurate (docs/results.md). It has explicit features and so trains in
    linear time.

    The range of a score in the training items is divided into ``knots - 1`` equal pieces. Each score has as features
    its value, standardised, and for each piece how far the value is past the beginning of the piece: 0 before it, 1
    after it. These are centred, and scaled so that their variances add up to ``bend``. All features are scaled so that
    the mean of K(x, x) over the training items is ``weight · (1 + bend)``, however many scores there are. Outside the
    range that was seen in training a curve is flat. A constant score has no effect.

    With ``products`` every two scores also have their product as a feature: the standardised values, multiplied. A
    pair of scores then says what a sum of curves cannot say, such as that shared words count less if only one side is
    negated. The products are centred, and scaled so that their variances add up to ``products``. Each is a part of an
    explanation of its own. A Gram of them costs little more than one of curves. As explicit features, of which 48
    scores have 1,128, they double the time of training.

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
    products : float
        The weight of the products of every two scores, all together; 0 for none.

    Attributes
    ----------
    low_, high_ : arrays
        The smallest and the largest value of each score in training.
    center_, scale_ : arrays
        What is subtracted from the features of each score and what they are multiplied by, a row for each score.
    product_center_, product_scale_ : arrays
        What is subtracted from the product of each pair of scores, and what all products are multiplied by. Only there
        with ``products``.

    >>> from rekern.similarity import Similarities
    >>> pairs = [("a b c d", "a b c d"), ("a b c d", "a b x y"), ("a b", "c d"), ("a b c", "a d")]
    >>> kernel = Curves(Similarities(only=("precision", "recall")), knots=3).fit(pairs)
    >>> kernel.scores(pairs).shape  # for both scores a line and two pieces
    (4, 6)
    >>> round(float(kernel.diag(pairs).mean()), 6)
    3.3
    >>> Curves(kernel.kernel, knots=3, products=1.0).fit(pairs).names()[-1]
    'precision × recall'
    """

    checks_itself = frozenset({"kernel"})
    schema = Schema(
        parameters(
            kernel=ObjectOf("ScoreKernel"),
            knots=Whole(2, MOST_KNOTS),
            bend=POSITIVE,
            weight=POSITIVE,
            products=Number(0.0),
        ),
        learned=Record(
            low_=Array("f8", "scores"),
            high_=Array("f8", "scores"),
            center_=Array("f8", "scores", "pieces+1"),
            scale_=Array("f8", "scores", "pieces+1"),
            product_center_=Optional(Array("f8", "products")),
            product_scale_=Optional(Array("f8", 1, least=0.0)),
        ),
    )
    product_center_: Floats
    product_scale_: Floats

    def __init__(
        self, kernel: ScoreKernel, knots: int = 6, bend: float = 0.1, weight: float = 3.0, products: float = 0.0
    ):
        self.kernel = kernel
        self.knots = knots
        self.bend = bend
        self.weight = weight
        self.products = products

    def check_parameters(self) -> int:
        """Return the number of pieces of a curve; parameters that make no sense raise an error."""
        if not isinstance(self.kernel, ScoreKernel):
            raise InputError(f"kernel={show_value(self.kernel)}: Curves needs a kernel over scores, as Similarities()")
        check_positive("bend", self.bend)
        check_positive("weight", self.weight)
        if self.products != 0:  # the weight 0 stands for no products
            check_positive("products", self.products)
        return check_whole("knots", self.knots, 2, MOST_KNOTS) - 1

    def names(self) -> list[str]:
        """Return the names of the features: of each score its line and its pieces, and of pairs their product."""
        pieces = self.check_parameters()
        pairs = join_pairs(self.kernel.names()) if self.products else []
        kinds = ["line", *(f"piece {number} of {pieces}" for number in range(1, pieces + 1))]
        return [f"{name}, {kind}" for name in self.kernel.names() for kind in kinds] + pairs

    def fit(self, X: Items, y: object = None) -> Self:
        """Learn the range of every score, and the means and variances of its features."""
        pieces = self.check_parameters()
        X = materialize_items(X)
        raw = self.kernel.fit_raw_scores(X, y)
        if not len(raw):
            raise InputError("there are no items to learn curves from; give at least one")
        self.low_, self.high_ = raw.min(axis=0), raw.max(axis=0)
        basis = self._find_rises(raw)
        self.center_ = basis.mean(axis=0)
        basis -= self.center_
        variances = np.square(basis, out=basis).mean(axis=0)
        used = self.high_ - self.low_ > SMALLEST_RANGE
        share = self.weight / max(int(used.sum()), 1)
        self.scale_ = np.zeros((len(used), pieces + 1))
        self.scale_[used, 0] = np.sqrt(share / variances[used, 0])
        self.scale_[used, 1:] = np.sqrt(share * self.bend / variances[used, 1:].sum(axis=1))[:, None]
        for name in ("product_center_", "product_scale_"):
            if name in vars(self):  # of an earlier call, maybe with other parameters
                delattr(self, name)
        if self.products:
            products = ScoreProducts.learn(self.find_lines(raw), float(self.products))
            self.product_center_, self.product_scale_ = products.center, np.array([products.scale])
        return self

    def adapt(self, X: Items, y: object = None) -> Self:
        """Learn the same as `fit`: the values of the kernel depend on all of it."""
        return self.fit(X, y)

    def scores(self, X: Items) -> Floats:
        """Return an array with a row of features for each item."""
        raw = self.raw_values(X)
        curves = self.bend_scores(raw).reshape(len(raw), -1)
        products = self.find_products()
        return curves if products is None else np.hstack([curves, products.list_features(self.find_lines(raw))])

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Compute the features of the curves of all items, and their standardised scores for the products."""
        raw = self.raw_values(X)
        other = raw if Y is None else self.raw_values(Y)
        left = self._join_lines(raw)
        right = left if Y is None else self._join_lines(other)
        curves = ScoreBlock(left, np.ascontiguousarray(right.T), Y is None)
        products = self.find_products()
        if products is None:
            return GramPlan(len(left), len(right), Y is None, curves)
        lines = self.find_lines(raw)
        block = ProductBlock.prepare(curves, products, lines, lines if Y is None else self.find_lines(other))
        return GramPlan(len(left), len(right), Y is None, block)

    def _join_lines(self, raw: Floats) -> Floats:
        """Return fewer features with the same products: the line of each score is a part of each of its pieces.

        A line is the sum of the pieces times a factor, so that the products of both together are those of
        ``own · piece + more · sum of the pieces``, with (own + pieces · more)² = own² + pieces · line².
        """
        features = self.bend_scores(raw)
        line, own = self.scale_[:, :1] / (features.shape[2] - 1), self.scale_[:, 1:]
        pieces = own.shape[1]
        with np.errstate(over="ignore"):
            ratio = np.divide(line, own[:, :1], out=np.zeros_like(line), where=own[:, :1] > 0)
            share = np.sqrt(1 + pieces * ratio**2)
        # Pieces of different scales are only in a file that was not written by `fit`.
        if (own != own[:, :1]).any() or share.max(initial=1.0) > LARGEST_SHARE:
            return features.reshape(len(raw), -1)
        sums = sum(features[:, :, piece] for piece in range(1, pieces + 1)) * ((share - 1) / pieces)[:, 0]
        joined: Floats = (features[:, :, 1:] + sums[:, :, None]).reshape(len(raw), -1)
        return joined

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every item."""
        raw = self.raw_values(X)
        squares: Floats = (self.bend_scores(raw).reshape(len(raw), -1) ** 2).sum(axis=1)
        products = self.find_products()
        return squares if products is None else squares + products.sum_squares(self.find_lines(raw))

    def find_products(self) -> ScoreProducts | None:
        """Return the features that are products of two scores; None without them."""
        if not self.products:
            return None
        return ScoreProducts(self.product_center_, float(self.product_scale_[0]))

    def set_learned(self, state: State) -> None:
        """Set what `get_learned` returned; ``state`` comes from a file."""
        if any((name in state) != bool(self.products) for name in ("product_center_", "product_scale_")):
            raise ModelFileError("its Curves and their products do not fit together")
        super().set_learned(state)

    def raw_values(self, X: Items) -> Floats:
        """Return the scores of the items as they are before they go through the curves."""
        if not hasattr(self, "scale_"):
            raise NotFittedError("this Curves is not fitted yet; call fit(items) first")
        return self.kernel.raw_scores(X)

    def bend_scores(self, raw: Floats) -> Floats:
        """Return the features of scores, an array of items × scores × features."""
        features = self._find_rises(raw)
        features -= self.center_  # in place: new memory takes longer than the sums
        features *= self.scale_
        return features

    def find_lines(self, raw: Floats) -> Floats:
        """Return the standardised scores, of which products are made: a row for each item."""
        lines: Floats = (self.place_scores(raw) / self.check_parameters() - self.center_[:, 0]) * self.scale_[:, 0]
        return np.ascontiguousarray(lines)

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

    def _find_rises(self, raw: Floats) -> Floats:
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
        """Return the number of scores, of pieces of a curve, and of pairs of scores with a product."""
        scores = len(self.kernel.names())
        return {
            "scores": scores,
            "pieces": self.check_parameters(),
            "products": math.comb(scores, 2) if self.products else 0,
        }
