"""Real and ordinal responses of pairs: how similar, how related."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from rekern.core.model_archive import OpenArchive
from rekern.core.registry import register
from rekern.errors import InputError
from rekern.kernels.kernel import Kernel
from rekern.learning.dual_descent import condense, regress_features
from rekern.learning.explanation import PairExplanation
from rekern.learning.gram_svm import regress_gram
from rekern.learning.pair_model import GRAM_LIMIT, PairModel


@register
class PairRegressor(RegressorMixin, PairModel):
    """Support vector regression on pairs of texts.

    Parameters
    ----------
    kernel : Kernel, optional
        By default ``Rewriting(k=(1, 4)) + PrecisionRecall()``.
    C : float
        The price of an error beyond ``epsilon``.
    epsilon : float
        Errors up to this size cost nothing.
    response : "real" or "ordinal"
        Predict numbers, or the nearest of the levels that were seen in training.
    gram_limit, n_jobs
        As in `PairClassifier`.

    Examples
    --------
    >>> pairs = [("a b c", "a b c"), ("a b c", "a b d"), ("a b c", "d e f"), ("g h", "g h"), ("g h", "i j")]
    >>> PairRegressor(response="ordinal", C=10).fit(pairs, [5, 3, 1, 5, 1]).predict([("k l", "k l"), ("k l", "m n")])
    array([5, 1])
    """

    def __init__(
        self,
        kernel: Kernel | None = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        response: str = "real",
        gram_limit: int = GRAM_LIMIT,
        n_jobs: int | None = None,
    ):
        self.kernel = kernel
        self.C = C
        self.epsilon = epsilon
        self.response = response
        self.gram_limit = gram_limit
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> PairRegressor:
        """Train on pairs and their numbers."""
        if self.response not in ("real", "ordinal"):
            raise ValueError(f"response={self.response!r}: give 'real' or 'ordinal'")
        if not self.epsilon >= 0:
            raise ValueError(f"epsilon={self.epsilon!r}: give a number of at least 0")
        price = self._price()
        self.pairs_, self.labels_ = self._start(X, y)
        if self.labels_.dtype.kind not in "iufb":
            raise InputError(f"a regression needs numbers as labels, got {self.labels_[0]!r} in row 0")
        if not np.isfinite(self.labels_.astype(float)).all():
            raise InputError(f"row {int(np.argmin(np.isfinite(self.labels_)))}: the label is not a finite number")
        self.levels_ = np.unique(self.labels_)
        targets = self.labels_.astype(float)
        rows = len(self.pairs_)
        if self._uses_gram(rows):
            gram = self.kernel_.gram(self._training(), n_jobs=self.n_jobs)
            coefficients, intercept = regress_gram(gram, targets, price, self.epsilon)
            self.solver_ = f"LIBSVM on a {rows} × {rows} Gram matrix"
        else:
            matrix, norms = condense(self.kernel_.features(self._training(), self.n_jobs))
            limits = np.full(rows, price)
            coefficients, intercept = regress_features(matrix, norms, targets, limits, self.epsilon)
            self.solver_ = f"dual coordinate descent on {rows} rows with {matrix.shape[1]} shared features"
        self.coefficients_ = coefficients[:, None]
        self.intercept_ = np.array([intercept])
        return self

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> Self:
        """The model of a file that is being read."""
        model = super().from_archive(archive)
        model.levels_ = np.unique(model.labels_)
        return model

    def predict(self, X: Any) -> np.ndarray:
        """The predicted number, or level, of each pair."""
        return self._answered(self._scores(X)[:, 0])

    def _answered(self, values: np.ndarray) -> np.ndarray:
        if self.response == "real":
            return values
        return self.levels_[np.argmin(np.abs(values[:, None] - self.levels_[None, :]), axis=1)]

    def explain(self, pair: Any, neighbors: int = 3) -> PairExplanation:
        """Take the predicted number of a pair apart: rules with their words, scores, the intercept."""
        pair = self._one(pair)
        prediction = self.predict([pair])[0].item()
        return self._explain(pair, (0, 1), prediction, None, None, neighbors)
