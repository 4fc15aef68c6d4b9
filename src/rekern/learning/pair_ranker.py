"""Orders of candidates: which passage answers the question best."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from rekern.core.registry import register
from rekern.errors import InputError
from rekern.kernels.kernel import Kernel
from rekern.learning.candidate_groups import number_groups, rows_of_groups
from rekern.learning.dual_descent import condense, order_features, order_gram
from rekern.learning.explanation import PairExplanation
from rekern.learning.measures import ranking_measures
from rekern.learning.pair_model import GRAM_LIMIT, PairModel


@register
class PairRanker(PairModel):
    """A ranking support vector machine: within each group, the better candidate is to score higher.

    It is trained on the differences of two candidates of one group that have different labels (Joachims, 2002), so
    that nothing is learned from what all candidates of a question share.

    Parameters
    ----------
    kernel : Kernel, optional
        By default ``Rewriting(k=(1, 4)) + PrecisionRecall()``.
    C : float
        The price of a wrong order of two candidates.
    gram_limit, n_jobs
        As in `PairClassifier`; the limit applies to the number of differences.

    Examples
    --------
    >>> pairs = [("who wrote Emma", "Austen wrote Emma"), ("who wrote Emma", "Emma is long"),
    ...          ("who wrote Ulysses", "Joyce wrote Ulysses"), ("who wrote Ulysses", "it rains in Dublin")]
    >>> model = PairRanker().fit(pairs, [1, 0, 1, 0], groups=[1, 1, 2, 2])
    >>> model.rank([("who wrote Faust", "Faust is a play"), ("who wrote Faust", "Goethe wrote Faust")])
    array([1, 0])
    """

    def __init__(
        self, kernel: Kernel | None = None, C: float = 1.0, gram_limit: int = GRAM_LIMIT, n_jobs: int | None = None
    ):
        self.kernel = kernel
        self.C = C
        self.gram_limit = gram_limit
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, groups: Any) -> PairRanker:
        """Train on pairs (question, candidate), their labels (larger is better), and the group of each."""
        price = self._price()
        self.pairs_, self.labels_ = self._start(X, y)
        if self.labels_.dtype.kind not in "iufb":
            raise InputError(f"a ranking needs numbers as labels, larger for better; got {self.labels_[0]!r} in row 0")
        differences = _differences(self.labels_.astype(float), number_groups(groups, len(self.labels_)))
        # Candidates that are better or worse than no other, as in a group of one label, teach nothing.
        used = np.unique(differences.indices)
        differences = sp.csr_array(differences.tocsc()[:, used])
        pairs = self._training(used)
        count = differences.shape[0]
        if self._uses_gram(max(count, len(used))):
            gram = differences @ (differences @ self.kernel_.gram(pairs, n_jobs=self.n_jobs)).T
            multipliers = order_gram(np.ascontiguousarray(gram), np.full(count, price))
            self.solver_ = f"dual coordinate descent on a {count} × {count} Gram matrix of differences"
        else:
            matrix = sp.csr_array(differences @ self.kernel_.features(pairs, self.n_jobs))
            matrix, norms = condense(matrix)
            multipliers = order_features(matrix, norms, np.full(count, price))
            self.solver_ = f"dual coordinate descent on {count} differences with {matrix.shape[1]} shared features"
        coefficients = np.zeros(len(self.pairs_))
        coefficients[used] = differences.T @ multipliers
        self.coefficients_ = coefficients[:, None]
        self.intercept_ = np.zeros(1)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of each pair; only differences within a group mean something."""
        return self._scores(X)[:, 0]

    predict = decision_function

    def rank(self, X: Any) -> np.ndarray:
        """The numbers of one group's candidates, best first."""
        return np.argsort(-self.decision_function(X), kind="stable")

    def score(self, X: Any, y: Any, groups: Any) -> float:
        """The mean average precision over the groups that have a positive candidate."""
        return ranking_measures(self.decision_function(X), y, groups)["map"]

    def explain(self, pair: Any, neighbors: int = 3) -> PairExplanation:
        """Take the score of a pair apart: rules with their words, and scores."""
        pair = self._one(pair)
        prediction = float(self.decision_function([pair])[0])
        return self._explain(pair, (0, 1), prediction, None, None, neighbors)


def _differences(labels: np.ndarray, groups: np.ndarray) -> sp.csr_array:
    """A row for every two candidates of a group with different labels: +1 at the better, -1 at the worse."""
    better: list[int] = []
    worse: list[int] = []
    for members in rows_of_groups(groups):
        above = labels[members][:, None] > labels[members][None, :]
        first, second = np.nonzero(above)
        better.extend(members[first].tolist())
        worse.extend(members[second].tolist())
    if not better:
        raise InputError("no group has two candidates with different labels: there is no order to learn")
    rows = np.repeat(np.arange(len(better)), 2)
    columns = np.stack([better, worse], axis=1).ravel()
    return sp.csr_array((np.tile([1.0, -1.0], len(better)), (rows, columns)), shape=(len(better), len(labels)))
