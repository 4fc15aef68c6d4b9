"""Kernels over a few named scores of an item: the inner product of their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import TransformerMixin

from rekern.core.arrays import Floats
from rekern.core.explanations import Part
from rekern.core.object_descriptions import State
from rekern.core.state_schema import Array, Record
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.gram_plan import GramPlan
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Item, Items, materialize_items, wrap_item
from rekern.kernels.score_effects import ScoreEffect

if TYPE_CHECKING:
    import scipy.sparse as sp


class ScoreKernel(TransformerMixin, Kernel):  # which makes data frames, see set_output of scikit-learn
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

    def raw_scores(self, X: Items) -> Floats:
        """Return the scores as people read them, before they are standardised."""
        return self.scores(X)

    def fit_raw_scores(self, X: Items, y: object = None) -> Floats:
        """Learn from the items and return their raw scores."""
        return self.fit(X, y).raw_scores(X)

    def rescale(self, raw: Floats) -> Floats:
        """Return the scores of the kernel from raw scores."""
        return raw

    def describe_scores(self) -> list[str]:
        """Return every score in words; by default its name."""
        return self.names()

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Compute the scores of all items, of which any block of the Gram is made."""
        left = self.scores(X)
        right = left if Y is None else self.scores(Y)
        block = ScoreBlock(left, np.ascontiguousarray(right.T), Y is None)
        return GramPlan(len(left), len(right), Y is None, block)

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every item."""
        squares: Floats = (self.scores(X) ** 2).sum(axis=1)
        return squares

    def features(self, X: Items, n_jobs: int | None = None) -> sp.csr_array:
        """Return the scores as a sparse matrix."""
        import scipy.sparse as sp

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

    def get_decision_class(self) -> type[ScoreDecision]:
        """Return the class of the decision function, which says what the scores add."""
        return ScoreDecision

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return a weight for each score."""
        return self.get_decision_class().learn(self, X, coefficients)

    def decide_by_weights(self, weights: Floats, sample: Items) -> DecisionFunction:
        """Return the decision function with a weight for each score and output; ``sample`` are training items."""
        return self.get_decision_class().from_weights(self, weights, self.raw_scores(sample))

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return a weight for each score."""
        return self.get_decision_class().from_state(self, state, outputs)


class ScoreDecision(DecisionFunction):
    """The decision function of a kernel over scores: a weight for each score, in a column for each output."""

    STATE = Record(
        weights=Array("f8", "scores", "outputs"),
        spreads=Array("f8", "scores", "outputs"),
        ends=Array("f8", 2, "scores"),
    )

    def __init__(self, kernel: ScoreKernel, weights: Floats, spreads: Floats, ends: Floats):
        self.kernel = kernel
        self.weights = weights
        self.spreads = spreads  # how far each score moves the decisions about training items
        self.ends = ends  # the smallest and the largest raw value of each score in training

    @classmethod
    def learn(cls, kernel: ScoreKernel, X: Items, coefficients: Floats) -> Self:
        """Return the weights of the scores of training items."""
        raw = kernel.raw_scores(X)
        return cls.from_weights(kernel, kernel.rescale(raw).T @ coefficients, raw)

    @classmethod
    def from_weights(cls, kernel: ScoreKernel, weights: Floats, raw: Floats) -> Self:
        """Return the function with these weights, a column for each output; ``raw`` are scores of training items."""
        values = kernel.rescale(raw)
        spreads = values.std(axis=0)[:, None] * np.abs(weights)
        return cls(kernel, weights, spreads, np.array([raw.min(axis=0), raw.max(axis=0)]))

    def to_state(self) -> State:
        """Return the weights, and how the scores act in training."""
        return State(weights=self.weights, spreads=self.spreads, ends=self.ends)

    @classmethod
    def from_state(cls, kernel: ScoreKernel, state: State, outputs: int) -> Self:
        """Return the function that `to_state` wrote down, after checking it."""
        cls.STATE.check(state, "decision function", {"scores": len(kernel.names()), "outputs": outputs})
        return cls(kernel, state["weights"], state["spreads"], state["ends"])

    def list_weights(self) -> Floats:
        """Return the weights of all scores, for each output."""
        return self.weights

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every item, a column for each output."""
        return np.array([row @ self.weights for row in self.kernel.scores(X)]).reshape(-1, self.weights.shape[1])

    def parts(self, item: Item, output: int = 0) -> list[Part]:
        """Return one part for each score."""
        raw = self.kernel.raw_scores(wrap_item(item))
        rows = zip(
            self.kernel.names(),
            self.kernel.describe_scores(),
            raw[0].tolist(),
            self.kernel.rescale(raw)[0].tolist(),
            self.weights[:, output].tolist(),
        )
        return [
            Part("score", name, value, weight, description=description, score=score)
            for name, description, score, value, weight in rows
        ]

    def effects(self, output: int = 0) -> list[ScoreEffect]:
        """Return the line of every score, from its smallest to its largest value in training."""
        weights = self.weights[:, output]
        heights = self.kernel.rescale(self.ends) * weights
        rows = zip(
            self.kernel.names(),
            self.kernel.describe_scores(),
            self.spreads[:, output].tolist(),
            self.ends.T.tolist(),
            heights.T.tolist(),
        )
        return [
            ScoreEffect(name, "line", description, spread, tuple(zip(ends, added)))
            for name, description, spread, ends, added in rows
        ]


@dataclass(frozen=True)
class ScoreBlock:
    """Computes a block of the Gram of scores; ``right`` has a row for each score."""

    left: Floats
    right: Floats
    symmetric: bool

    def __call__(self, first: int, last: int) -> Floats:
        offset = first if self.symmetric else 0
        block: Floats = self.left[first:last] @ self.right[:, offset:]
        return block
