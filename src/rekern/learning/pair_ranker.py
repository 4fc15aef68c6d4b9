"""Orders of candidates: which passage answers the question best."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.parameter_tables import Jobs, check_parameters, state_parameters
from rekern.core.registry import register
from rekern.errors import InputError
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import materialize_items
from rekern.kernels.landmarks import Landmarks
from rekern.learning.candidate_groups import number_groups, rows_of_groups
from rekern.learning.dense_descent import order_dense
from rekern.learning.dual_descent import condense, order_features, order_gram
from rekern.learning.gram_limits import GRAM_LIMIT
from rekern.learning.landmark_features import list_landmark_features, scale_costs
from rekern.learning.measures import ranking_measures
from rekern.learning.model_schema import RANKER
from rekern.learning.pair_explanation import PairExplanation
from rekern.learning.pair_input import list_texts, take_items
from rekern.learning.pair_model import Output, PairModel
from rekern.learning.training_labels import read_numbers
from rekern.structures.representations import Representations

if TYPE_CHECKING:
    import scipy.sparse as sp


@register
class PairRanker(PairModel):
    """A ranking support vector machine: within each group, the better candidate is to score higher.

    It is trained on the differences of two candidates of one group that have different labels (Joachims, 2002), so
    that nothing is learned from what all candidates of a question share.

    Groups of candidates are given to ``fit`` and ``score``. Where they cannot be, as inside ``GridSearchCV``, pairs
    with the same source are a group, or the column ``group`` of a table says so. Folds that keep groups together come
    from ``GridSearchCV(PairRanker(), grid, cv=GroupKFold()).fit(X, y, groups=groups)``.

    Parameters
    ----------
    kernel : Kernel or str, optional
        A kernel, or the name of one: "rules", "rules+scores", "paper" (see docs/reference/kernels.md). By default
        "rules+curves", which is ``Rewriting(k=(1, 4)) + Curves(Similarities(groups=…), products=3.0)``.
    C : float
        The cost of a wrong order of two candidates.
    gram_limit, n_jobs, landmarks
        As in `PairClassifier`; the limit applies to the number of differences.

    Examples
    --------
    >>> pairs = [("who wrote Emma", "Austen wrote Emma"), ("who wrote Emma", "Emma is long"),
    ...          ("who wrote Ulysses", "Joyce wrote Ulysses"), ("who wrote Ulysses", "it rains in Dublin")]
    >>> model = PairRanker().fit(pairs, [1, 0, 1, 0], groups=[1, 1, 2, 2])
    >>> model.rank([("who wrote Faust", "Faust is a play"), ("who wrote Faust", "Goethe wrote Faust")])
    array([1, 0])
    """

    task: ClassVar[str] = "rank"
    schema = RANKER

    parameter_table = state_parameters(kernel=None, **RANKER.parts.parts, n_jobs=Jobs())

    def __init__(
        self,
        kernel: Kernel | str | None = None,
        C: float = 1.0,
        gram_limit: int = GRAM_LIMIT,
        n_jobs: int | None = None,
        landmarks: int | None = None,
    ):
        self.kernel = kernel
        self.C = C
        self.gram_limit = gram_limit
        self.n_jobs = n_jobs
        self.landmarks = landmarks

    def fit(
        self,
        X: object,
        y: Iterable[object],
        groups: Iterable[Hashable] | None = None,
        sample_weight: Iterable[float] | None = None,
    ) -> Self:
        """Train on candidates and their labels, larger for better.

        Parameters
        ----------
        X : pairs of texts
            The question and a candidate. A table may have a column ``group``.
        y : numbers
            One for each pair.
        groups : optional
            The group of each pair. By default the column ``group`` of a table, else the source text.
        sample_weight : numbers, optional
            How often each candidate counts: a weight of 2 is the candidate twice.
        """
        check_parameters(self)
        import scipy.sparse as sp

        cost = self._cost()
        X = materialize_items(X)
        weights = self._start(X, y, sample_weight)
        labels = read_numbers(self.labels_, "a ranking needs numbers as labels, larger for better")
        found = find_groups(X) if groups is None else groups
        numbers = number_groups(found, len(self.labels_))
        differences = subtract_candidates(labels, numbers, weights)
        # Candidates that are better or worse than no other, as in a group of one label, teach nothing.
        used = np.unique(differences.matrix.indices)
        matrix = sp.csr_array(differences.matrix.tocsc()[:, used])
        candidates = take_items(self._training(), used)
        count = matrix.shape[0]
        costs = np.full(count, cost) if differences.weights is None else cost * differences.weights
        landmark_features = None
        if isinstance(self.kernel_, Landmarks):
            landmark_features = list_landmark_features(self.kernel_, candidates, self.n_jobs)
            costs = costs * scale_costs(self.kernel_, candidates, landmark_features)
            multipliers = order_dense((matrix @ landmark_features).astype(np.float32), costs)
        elif self._uses_gram(max(count, len(used))):
            gram = matrix @ (matrix @ self.kernel_.gram(candidates, n_jobs=self.n_jobs)).T
            multipliers = order_gram(np.ascontiguousarray(gram), costs)
            self.solver_ = f"dual coordinate descent on a {count} × {count} Gram matrix of differences"
        else:
            if self._uses_gram(len(self.pairs_)):  # few candidates, but many differences of them
                self.kernel_ = self._resolve_kernel(on_features=True)
                self._adapt_kernel(weights)
            features, norms = condense(sp.csr_array(matrix @ self.kernel_.features(candidates, self.n_jobs)))
            multipliers = order_features(features, norms, costs)
            self.solver_ = f"dual coordinate descent on {count} differences with {features.shape[1]} shared features"
        coefficients = np.zeros(len(self.pairs_))
        coefficients[used] = matrix.T @ multipliers
        self.coefficients_ = coefficients[:, None]
        self.intercept_ = np.zeros(1)
        if landmark_features is not None:
            self._weigh_landmarks(landmark_features, used)
        return self

    def decision_function(self, X: object) -> Floats:
        """The score of each pair; only differences within a group mean something."""
        return self._scores(X)[:, 0]

    predict = decision_function

    def rank(self, X: object) -> Ints:
        """The numbers of one group's candidates, best first."""
        return np.argsort(-self.decision_function(X), kind="stable")

    def score(self, X: object, y: Iterable[float], groups: Iterable[Hashable] | None = None) -> float:
        """The mean average precision over the groups that have a positive candidate; groups as in `fit`."""
        X = materialize_items(X)
        scores = self.decision_function(X)
        found = find_groups(X) if groups is None else groups
        return ranking_measures(scores, list(y), found)["map"]

    def explain(self, pair: object, neighbors: int = 3) -> PairExplanation:
        """Take the score of a pair apart: rules with their words, and scores."""
        one = self._read_pair(pair)
        items = self._read_one(one)
        scores = self._score_items(items)
        return self._explain(one, items, scores, Output(0, 1), float(scores[0, 0]), None, None, neighbors)


class Differences(NamedTuple):
    """A row for every two candidates of a group with different labels: +1 at the better, -1 at the worse."""

    matrix: sp.csr_array
    weights: Floats | None  # how often each row counts


def find_groups(X: object) -> list[Hashable]:
    """The group of each pair: the column ``group`` of a table, else its source."""
    table = Representations.from_items(X)
    if "group" in table.columns:
        return [_to_hashable(group) for group in table["group"]]
    return [_to_hashable(source) for source, _ in list_texts(table)]


def _to_hashable(value: object) -> Hashable:
    return tuple(value) if isinstance(value, list) else value


def subtract_candidates(labels: Floats, groups: Ints, weights: Floats | None = None) -> Differences:
    """The pairs of candidates to learn from, as rows of a matrix over all candidates.

    >>> subtract_candidates(np.array([1.0, 0.0, 1.0]), np.array([0, 0, 1])).matrix.toarray().tolist()
    [[1.0, -1.0, 0.0]]
    """
    import scipy.sparse as sp

    better: list[int] = []
    worse: list[int] = []
    for members in rows_of_groups(groups):
        first, second = np.nonzero(labels[members][:, None] > labels[members][None, :])
        better.extend(members[first].tolist())
        worse.extend(members[second].tolist())
    if not better:
        raise InputError(
            "no group has two candidates with different labels: there is no order to learn; give groups to fit, or, as "
            "inside GridSearchCV, a table with a column group"
        )
    rows = np.repeat(np.arange(len(better)), 2)
    columns = np.stack([better, worse], axis=1).ravel()
    matrix = sp.csr_array((np.tile([1.0, -1.0], len(better)), (rows, columns)), shape=(len(better), len(labels)))
    return Differences(matrix, None if weights is None else weights[better] * weights[worse])
