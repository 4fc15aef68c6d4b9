"""The decision function of curves: what each score adds, and what every two of them add together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.explanation_parts import PartBlock, PartList, join_parts
from rekern.core.explanations import Part
from rekern.core.object_descriptions import State
from rekern.core.parallel_jobs import run_in_threads, split_evenly
from rekern.core.state_schema import Array, Optional, Record
from rekern.errors import ModelFileError
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.kernel_items import Item, Items, wrap_item
from rekern.kernels.score_effects import PartnerScore, ScoreEffect
from rekern.kernels.score_products import LISTED, join_names, list_pairs

if TYPE_CHECKING:
    from rekern.kernels.curves import Curves

FEW_ITEMS, MANY_ITEMS = 512, 4096  # in a block, which one thread adds up


class CurveDecision(DecisionFunction):
    """The decision function of curves: for each output and score, the heights of a curve at its knots.

    With products there is also a weight for each output and pair of scores, of the product of their standardised
    values.
    """

    STATE = Record(
        heights=Array("f8", "outputs", "scores", "pieces+1"),
        spreads=Array("f8", "outputs", "scores"),
        product_weights=Optional(Array("f8", "outputs", "products")),
        product_spreads=Optional(Array("f8", "outputs", "products")),
    )

    def __init__(
        self,
        kernel: Curves,
        heights: Floats,
        spreads: Floats,
        product_weights: Floats | None = None,
        product_spreads: Floats | None = None,
    ):
        self.kernel = kernel
        self.heights = heights
        self.spreads = spreads  # how far each curve moves the decisions about training items
        self.product_weights = np.zeros((len(heights), 0)) if product_weights is None else product_weights
        self.product_spreads = np.zeros((len(heights), 0)) if product_spreads is None else product_spreads
        self.products = kernel.find_products()

    @classmethod
    def learn(cls, kernel: Curves, X: Items, coefficients: Floats) -> Self:
        """Return the curves of training items."""
        raw = kernel.raw_values(X)
        features = kernel.bend_scores(raw).reshape(len(raw), -1)
        products = kernel.find_products()
        weights = None if products is None else products.weigh(kernel.find_lines(raw), coefficients)
        return cls._make(kernel, features.T @ coefficients, weights, raw)

    @classmethod
    def from_weights(cls, kernel: Curves, features: Floats, raw: Floats) -> Self:
        """Return the curves of weights of features, a column for each output; ``raw`` are scores of training items."""
        products = kernel.find_products()
        curves, pairs = np.split(features, [kernel.scale_.size])
        return cls._make(kernel, curves, None if products is None else pairs.T * products.scale, raw)

    @classmethod
    def _make(cls, kernel: Curves, features: Floats, pairs: Floats | None, raw: Floats) -> Self:
        weights = features.reshape(*kernel.scale_.shape, -1)
        heights = np.einsum("skf,sfo->osk", kernel.list_knot_features(), weights)
        found = cls(kernel, heights, np.zeros((0, 0)), pairs)
        found.spreads = np.array([found._look_up(raw, own).std(axis=0) for own in heights])
        if found.products is not None:
            found.product_spreads = np.abs(found.product_weights) * found.products.measure_spreads(
                kernel.find_lines(raw)
            )
        return found

    def list_weights(self) -> Floats:
        """Return the shortest weights of features that give these curves and products, for each output."""
        inverse = np.linalg.pinv(self.kernel.list_knot_features())
        weights: Floats = np.einsum("sfk,osk->sfo", inverse, self.heights).reshape(-1, len(self.heights))
        if self.products is None:
            return weights
        scale = self.products.scale
        return np.concatenate([weights, self.product_weights.T / scale if scale else self.product_weights.T])

    def to_state(self) -> State:
        """Return the heights of the curves, the weights of the products, and how far they move decisions."""
        curves = {"heights": self.heights, "spreads": self.spreads}
        if self.products is None:
            return State(**curves)
        return State(**curves, product_weights=self.product_weights, product_spreads=self.product_spreads)

    @classmethod
    def from_state(cls, kernel: Curves, state: State, outputs: int) -> Self:
        """Return the function that `to_state` wrote down, after checking it."""
        cls.STATE.check(state, "decision function", {"outputs": outputs, **kernel.count_sizes()})
        if any((name in state) != bool(kernel.products) for name in ("product_weights", "product_spreads")):
            raise ModelFileError("its decision function and the products of its scores do not fit together")
        return cls(
            kernel, state["heights"], state["spreads"], state.get("product_weights"), state.get("product_spreads")
        )

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
        blocks = split_evenly(len(raw), FEW_ITEMS, MANY_ITEMS, n_jobs)
        sums = run_in_threads(self._add_up, [(raw[first:last],) for first, last in blocks], n_jobs)
        return np.concatenate(sums) if sums else np.zeros((0, len(self.heights)))

    def _add_up(self, raw: Floats) -> Floats:
        """Return the sums for items with these scores."""
        sums = np.empty((len(raw), len(self.heights)))
        lines = None if self.products is None else self.kernel.find_lines(raw)
        for output, heights in enumerate(self.heights):
            added = np.ascontiguousarray(self._look_up(raw, heights)).sum(axis=1)
            if self.products is not None and lines is not None:
                self.products.add_up(lines, self.product_weights[output], added)
            sums[:, output] = added
        return sums

    def parts(self, item: Item, output: int = 0) -> Sequence[Part]:
        """Return one part for each score, what its curve adds, and one for each pair of scores."""
        raw = self.kernel.raw_values(wrap_item(item))
        added = self._look_up(raw, self.heights[output])[0]
        inner = self.kernel.kernel
        found = [
            Part("score", name, 1.0, height, description=description, score=score)
            for name, description, score, height in zip(
                inner.names(), inner.describe_scores(), raw[0].tolist(), added.tolist()
            )
        ]
        if self.products is None:
            return found
        lines = self.kernel.find_lines(raw)[0]
        firsts, seconds = list_pairs(len(lines))
        pairs = self.product_weights[output] * (lines[firsts] * lines[seconds] - self.products.center)
        moving = np.flatnonzero(self.product_weights[output])

        def write(numbers: Ints) -> list[Part]:
            return [
                Part(
                    "score pair",
                    join_names(found[first].name, found[second].name),
                    1.0,
                    height,
                    description=join_names(found[first].description, found[second].description),
                    score=found[first].score,
                    other=found[second].score,
                )
                for first, second, height in zip(
                    firsts[moving[numbers]].tolist(),
                    seconds[moving[numbers]].tolist(),
                    pairs[moving[numbers]].tolist(),
                )
            ]

        return join_parts([found, PartList.from_blocks([PartBlock(pairs[moving], write)])])

    def effects(self, output: int = 0) -> list[ScoreEffect]:
        """Return the curve of every score, and the pairs of scores that move decisions most."""
        inner = self.kernel.kernel
        rows = zip(
            inner.names(),
            inner.describe_scores(),
            self.spreads[output].tolist(),
            self.kernel.list_knots().tolist(),
            self.heights[output].tolist(),
        )
        curves = [
            ScoreEffect(name, "curve", description, spread, tuple(zip(knots, heights)))
            for name, description, spread, knots, heights in rows
        ]
        return curves + self._list_pair_effects(output)

    def _list_pair_effects(self, output: int) -> list[ScoreEffect]:
        if self.products is None:
            return []
        kernel, spreads = self.kernel, self.product_spreads[output]
        order = np.argsort(-spreads, kind="stable")[:LISTED]
        names, words = kernel.kernel.names(), kernel.kernel.describe_scores()
        firsts, seconds = (numbers[order].tolist() for numbers in list_pairs(len(names)))
        ends = np.array([kernel.low_, kernel.high_])
        lines, raw = kernel.find_lines(ends), ends.tolist()
        found = []
        for pair, first, second in zip(order.tolist(), firsts, seconds):
            if not spreads[pair] > 0:
                break
            products = np.outer(lines[:, first], lines[:, second]) - self.products.center[pair]
            (low, low_high), (high_low, high) = (self.product_weights[output, pair] * products).tolist()
            left, right = raw[0][first], raw[1][first]
            found.append(
                ScoreEffect(
                    join_names(names[first], names[second]),
                    "pair",
                    join_names(words[first], words[second]),
                    float(spreads[pair]),
                    ((left, low_high), (right, high)),
                    PartnerScore(words[second], raw[0][second], raw[1][second], ((left, low), (right, high_low))),
                )
            )
        return found
