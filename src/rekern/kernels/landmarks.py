"""Explicit features of any kernel: its values with a few landmarks (the Nyström approximation)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, cast

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.exceptions import NotFittedError

from rekern.core.arrays import Floats, Ints
from rekern.core.explanations import Part
from rekern.core.object_descriptions import State
from rekern.core.parallel_jobs import use_one_blas_thread
from rekern.core.registry import register
from rekern.core.state_schema import KERNEL, Anything, Array, Choice, Optional, Record, Schema, Whole, parameters
from rekern.kernels.decision_functions import DecisionFunction, ExplainingKernel, GramDecision, SumDecision
from rekern.kernels.gram_plan import Block, GramPlan, compute_gram
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Item, Items, make_sequence, materialize_items, take_items, wrap_item
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.kernels.score_kernel import ScoreBlock
from rekern.structures.item_states import pack_items, unpack_items
from rekern.structures.pairs import Pairs
from rekern.structures.representations import Row

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
            with use_one_blas_thread():  # with more threads, the last digits are others
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


CANDIDATES = 3  # items that are compared with each other, for each landmark that is chosen among them
ROUNDING = 1e-12  # of the squares of two items: a squared distance that is smaller is none


def choose_at_random(total: int, n: int, generator: np.random.Generator) -> Ints:
    """Choose ``n`` of ``total`` numbers, each with the same probability; they ascend.

    >>> choose_at_random(3, 5, np.random.default_rng(0)).tolist()
    [0, 1, 2]
    """
    if n >= total:
        return np.arange(total)
    return np.sort(generator.choice(total, n, replace=False))


def choose_far_apart(total: int, n: int, generator: np.random.Generator, compare: Callable[[Ints], Floats]) -> Ints:
    """Choose up to ``n`` of ``total`` numbers as k-means++ does (Arthur and Vassilvitskii, 2007); they ascend.

    The first one is chosen at random. Every further one is chosen with a probability in proportion to its squared
    distance from the nearest one that was chosen before. Among very many items, `CANDIDATES` times ``n`` of them are
    drawn at random first, and the choice is made among these. ``compare`` returns the Gram of some of the items.

    >>> points = np.array([0.0, 0.0, 0.0, 9.0])
    >>> choose_far_apart(4, 2, np.random.default_rng(0), lambda rows: np.outer(points[rows], points[rows])).tolist()
    [2, 3]
    """
    if n >= total:
        return np.arange(total)
    candidates = choose_at_random(total, CANDIDATES * n, generator)
    return np.sort(candidates[pick_far_apart(compare(candidates), generator.random(n))])


def pick_far_apart(gram: Floats, numbers: Floats) -> Ints:
    """Return the rows of a Gram that k-means++ picks, one for each of some random numbers from 0 to below 1.

    It stops early if all other rows are at distance 0 from those that were picked.

    >>> pick_far_apart(np.diag([1.0, 1.0, 0.0]), np.array([0.1, 0.9, 0.5])).tolist()
    [0, 2, 1]
    """
    squares = gram.diagonal()
    picked = [int(numbers[0] * len(gram))]
    distances = np.full(len(gram), np.inf)
    for number in numbers[1:].tolist():
        last = picked[-1]
        both = squares + squares[last]
        apart = both - 2 * gram[last]
        np.minimum(distances, np.where(apart > ROUNDING * both, apart, 0.0), out=distances)
        distances[last] = 0.0
        sums = np.cumsum(distances)
        if not sums[-1] > 0:
            break
        place = min(number * sums[-1], np.nextafter(sums[-1], 0.0))  # below the sum, also if the product is rounded up
        picked.append(int(np.searchsorted(sums, place, side="right")))
    return np.array(picked)


MOST_SHARED = 100  # landmarks, those that add most, of which the fragments are listed: all would take a minute
MOST_FRAGMENTS = 50  # of one landmark


def share_out(decision: DecisionFunction, rows: Ints) -> DecisionFunction:
    """Return a decision function over landmarks whose parts are what an item shares with them.

    Kernels with explicit features list them already. ``rows`` are the numbers of the landmarks among training items.

    >>> from rekern.kernels import PartialTree
    >>> decide = PartialTree(normalize=False).decision_function(["(A b)", "(C d)"], np.array([[2.0], [1.0]]))
    >>> [part.name for part in share_out(decide, np.arange(2)).parts("(A b)")]
    ['(A)', '(b)', '(A b)']
    """
    if isinstance(decision, SumDecision):
        return SumDecision([share_out(summand, rows) for summand in decision.summands])
    if isinstance(decision, GramDecision):
        return LandmarkDecision(decision, rows)
    return decision


class LandmarkDecision(DecisionFunction):
    """A sum over landmarks. What a landmark adds is shared out over the fragments that it shares with the item.

    The shares are in proportion to what each fragment adds to the kernel's value; in a kernel on pairs, to the values
    of the better pairing. Landmarks beyond the `MOST_SHARED` that add most are one part together. Those of a kernel
    that lists no fragments are a part each.
    """

    def __init__(self, decision: GramDecision, rows: Ints):
        self.decision = decision
        self.rows = rows

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every item, a column for each output."""
        return self.decision.score(X, n_jobs)

    def to_state(self) -> State:
        """Return the landmarks and their coefficients."""
        return self.decision.to_state()

    def has_items(self) -> bool:
        """Return True: the landmarks are needed."""
        return True

    def parts(self, item: Item, output: int = 0) -> list[Part]:
        """Return one part for each fragment, and for landmarks whose parts are not shared out."""
        items, kernel = self.decision.items, self.decision.kernel
        if not len(items):
            return []
        values = kernel.gram(wrap_item(item), items, n_jobs=1)[0]
        weights = self.decision.coefficients[:, output]
        added = values * weights
        order = np.argsort(-np.abs(added), kind="stable")
        order = order[added[order] != 0]
        most = MOST_SHARED if isinstance(kernel, ExplainingKernel) else 0
        totals: dict[tuple[str, str, str, str], float] = defaultdict(float)
        alone = []
        for place in order[: most or None].tolist():
            shared = self._list_shared(item, cast(Item, items[place])) if most else []
            whole = sum(part.contribution for part in shared)
            for part in shared if whole > 0 else ():
                share = part.contribution / whole
                totals[part.kind, part.name, part.source, part.target] += share * float(added[place])
            if not whole > 0:
                name = f"{summarize_kernel(kernel)} with landmark {self.rows[self.decision.chosen[place]]}"
                alone.append(Part("landmark", name, float(values[place]), float(weights[place])))
        found = [
            Part(kind, name, 1.0, weight, source, target) for (kind, name, source, target), weight in totals.items()
        ]
        rest = order[most:] if most else order[:0]
        if len(rest):
            alone.append(Part("landmark", f"{len(rest)} other landmarks", 1.0, float(added[rest].sum())))
        return sorted(found, key=lambda part: -abs(part.contribution)) + alone

    def _list_shared(self, item: Item, landmark: Item) -> list[Part]:
        explaining = cast(ExplainingKernel, self.decision.kernel)
        return list(explaining.explain(_isolate(item), _isolate(landmark), n=MOST_FRAGMENTS).parts)


def _isolate(item: Item) -> Item:
    """Return a row of a table by itself: to number the labels of all trees of the table would take most of the time."""
    if isinstance(item, Pairs):
        return item[0]
    return dict(item) if isinstance(item, Row) else item
