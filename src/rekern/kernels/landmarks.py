"""Explicit features of any kernel: its values with a few landmarks (the Nyström approximation)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.exceptions import NotFittedError
from threadpoolctl import threadpool_limits

from rekern.core.arrays import Floats, Ints
from rekern.core.object_descriptions import State
from rekern.core.registry import register
from rekern.core.state_schema import KERNEL, Anything, Array, Choice, Optional, Record, Schema, Whole, parameters
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.gram_plan import Block, GramPlan, compute_gram
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items, make_sequence, materialize_items, take_items
from rekern.kernels.landmark_choice import choose_at_random, choose_far_apart
from rekern.kernels.landmark_decision import share_out
from rekern.kernels.score_kernel import ScoreBlock
from rekern.structures.item_states import pack_items, unpack_items

if TYPE_CHECKING:
    import scipy.sparse as sp

SMALLEST_EIGENVALUE = 1e-10  # of the Gram of the landmarks, as a share of the largest; smaller ones are left out


@register
class Landmarks(TransformerMixin, Kernel):
    """A kernel by its values with a few items, the landmarks: Nyström features (Williams and Seeger, 2001).

    With L the landmarks, the value of two items is K(x, L) · K(L, L)⁺ · K(L, y). It is exact for landmarks, and nearly
    so for items that are like some of them. An item has as many features as there are landmarks. So any kernel, on
    trees and graphs too, trains on 100,000 items and more without a Gram matrix of all of them: use it alone as a
    transformer, or ``PairClassifier(kernel, landmarks=2000)``.

    Decision values are sums over the landmarks, and are explained by what the landmarks share with an item.

    Parameters
    ----------
    kernel : Kernel
        The kernel to approximate.
    n : int
        The number of landmarks; all training items if there are fewer.
    choice : "k-means++" or "random"
        How landmarks are chosen among the training items: far from each other in the space of the kernel, or at random.
    random_state : int
        Where the random numbers begin.

    Attributes
    ----------
    items_ : items
        The landmarks.
    rows_ : array
        Their numbers among the training items.

    Notes
    -----
    Eigenvalues of K(L, L) below 10⁻¹⁰ of the largest one are left out, and with them the negative ones of kernels that
    are not positive semi-definite, such as `BestPairing`.

    Examples
    --------
    >>> from rekern.kernels import PartialTree
    >>> trees = ["(S (NP he) (VP runs))", "(S (NP she) (VP runs))", "(NP (DT the) (NN dog))", "(NP (DT a) (NN cat))"]
    >>> marks = Landmarks(PartialTree(), n=3).fit(trees)
    >>> marks.transform(trees).shape, marks.get_feature_names_out().tolist()
    ((4, 3), ['landmark 0', 'landmark 1', 'landmark 2'])
    >>> bool(np.allclose(Landmarks(PartialTree(), n=4).fit(trees).gram(trees), PartialTree().gram(trees)))
    True
    """

    schema = Schema(
        parameters(kernel=KERNEL, n=Whole(1), choice=Choice("k-means++", "random"), random_state=Whole(0)),
        learned=Record(items=Optional(Anything()), rows=Optional(Array("i8", "landmarks", least=0))),
    )
    items_: Items
    rows_: Ints
    _root: Floats | None = None

    def __init__(self, kernel: Kernel, n: int = 2000, choice: str = "k-means++", random_state: int = 0):
        self.kernel = kernel
        self.n = n
        self.choice = choice
        self.random_state = random_state

    def adapt(self, X: Items, y: object = None) -> Self:
        """Let the kernel learn what its values depend on, and choose the landmarks."""
        items = make_sequence(X)
        self.kernel.adapt(items, y)
        generator = np.random.default_rng(self.random_state)
        if self.choice == "random":
            rows = choose_at_random(len(items), self.n, generator)
        else:

            def compare(rows: Ints) -> Floats:
                return self.kernel.gram(take_items(items, rows))

            rows = choose_far_apart(len(items), self.n, generator, compare)
        self.items_, self.rows_, self._root = take_items(items, rows), rows, None
        return self

    def fit(self, X: Items, y: object = None) -> Self:
        """Let the kernel learn what its values depend on, and choose the landmarks."""
        return self.adapt(X, y)

    def get_learned(self) -> State:
        """Return the landmarks."""
        return State(items=pack_items(self.items_), rows=self.rows_) if hasattr(self, "rows_") else State()

    def set_learned(self, state: State) -> None:
        """Set the landmarks of a file."""
        self.schema.learned.check(state, "Landmarks")
        if "items" in state:
            items = unpack_items(state.state("items"))
            Array("i8", len(items), least=0).check(state.get("rows"), "rows")
            self.items_, self.rows_, self._root = items, state["rows"], None

    def plan_features(self, X: Items, n_jobs: int | None = None) -> GramPlan:
        """Return how to compute the features of items in blocks: their values with the landmarks, times a matrix."""
        self.check_fitted()
        plan = self.kernel.plan_gram(materialize_items(X), self.items_, n_jobs)
        return replace(plan, block=FeatureBlock(plan.block, self.find_root()))

    def compute_features(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the features of items as a dense array, a row for each."""
        return compute_gram(self.plan_features(X, n_jobs), n_jobs)

    def find_root(self) -> Floats:
        """Return the root of the inverse of K(L, L), without its small eigenvalues."""
        self.check_fitted()
        if self._root is None:
            gram = self.kernel.gram(self.items_)
            with threadpool_limits(1, user_api="blas"):  # with more threads, the last digits are others
                values, vectors = np.linalg.eigh((gram + gram.T) / 2)
                large = values > SMALLEST_EIGENVALUE * values.max(initial=0.0)
                scaled = vectors[:, large] * values[large] ** -0.25
                self._root = np.ascontiguousarray(scaled @ scaled.T)
        return self._root

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Multiply the features of the items."""
        left = self.compute_features(X, n_jobs)
        right = left if Y is None else self.compute_features(Y, n_jobs)
        block = ScoreBlock(left, np.ascontiguousarray(right.T), Y is None)
        return GramPlan(len(left), len(right), Y is None, block)

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every item."""
        squares: Floats = (self.compute_features(X) ** 2).sum(axis=1)
        return squares

    def has_features(self) -> bool:
        """Return True: there is a feature for each landmark."""
        return True

    def features(self, X: Items, n_jobs: int | None = None) -> sp.csr_array:
        """Return the features as a sparse matrix, for sums with other kernels."""
        import scipy.sparse as sp

        return sp.csr_array(self.compute_features(X, n_jobs))

    def list_features(self, X: Items) -> sp.csr_array:
        """Return the features as a sparse matrix, for sums with other kernels."""
        return self.features(X)

    def transform(self, X: Items) -> Floats:
        """Return the features as a dense array: most of them are not 0."""
        return self.compute_features(X)

    def fit_transform(self, X: Items, y: object = None) -> Floats:
        """Choose the landmarks and return the features of the same items."""
        items = make_sequence(X)
        return self.adapt(items, y).compute_features(items)

    def name_columns(self) -> list[str]:
        """Return a name for each landmark: its number among the training items."""
        self.check_fitted()
        return [f"landmark {row}" for row in self.rows_.tolist()]

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return the sum over the landmarks that equals the sum over these items."""
        coefficients = np.asarray(coefficients, dtype=float)
        chosen = np.flatnonzero(np.any(coefficients != 0, axis=1))
        features = self.compute_features(take_items(make_sequence(X), chosen))
        return self.weigh_features(features.T @ coefficients[chosen])

    def weigh_features(self, weights: Floats) -> DecisionFunction:
        """Return the decision function with these weights of the features, a column for each output."""
        coefficients = self.find_root() @ weights
        return share_out(self.kernel.decision_function(self.items_, coefficients), self.rows_)

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return the sum over the landmarks of a file."""
        self.check_fitted()
        return share_out(self.kernel.restore_decision(state, outputs), self.rows_)

    def check_fitted(self) -> None:
        """Raise NotFittedError if no landmarks have been chosen."""
        if not hasattr(self, "rows_"):
            raise NotFittedError("these Landmarks have not been chosen yet; call fit(items) first")


@dataclass(frozen=True)
class FeatureBlock:
    """Computes a block of features: values with the landmarks, times the root of the inverse of their Gram."""

    block: Block
    root: Floats

    def __call__(self, first: int, last: int) -> Floats:
        features: Floats = self.block(first, last) @ self.root
        return features
