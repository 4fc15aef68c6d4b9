"""Kernels over a few named scores of an item: the inner product of their values."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from rekern.kernels.kernel import Kernel, Plan


class ScoreKernel(Kernel):
    """A linear kernel over named scores; subclasses define ``names()`` and ``scores(X)``."""

    def names(self) -> list[str]:
        """The names of the scores."""
        raise NotImplementedError

    def scores(self, X: Any) -> np.ndarray:
        """A row of scores for each item."""
        raise NotImplementedError

    def _plan(self, X: Any, Y: Any, n_jobs: int | None) -> Plan:
        left = self.scores(X)
        right = left if Y is None else self.scores(Y)
        return Plan(len(left), len(right), Y is None, _Block(left, right, Y is None))

    def diag(self, X: Any) -> np.ndarray:
        """K(x, x) for every item."""
        return (self.scores(X) ** 2).sum(axis=1)

    def features(self, X: Any, n_jobs: int | None = None) -> sp.csr_array:
        """The scores as a sparse matrix."""
        return sp.csr_array(self.scores(X))

    def has_features(self) -> bool:
        """Scores are explicit features."""
        return True

    def scorer(self, X: Any, coefficients: np.ndarray) -> Any:
        """A weight for each score."""
        from rekern.kernels.decision_functions import FeatureScorer

        return FeatureScorer(self, X, coefficients)


@dataclass(frozen=True)
class _Block:
    left: np.ndarray
    right: np.ndarray
    symmetric: bool

    def __call__(self, first: int, last: int) -> np.ndarray:
        # Added up column by column: a BLAS product's bits may depend on the shape of the block.
        right = self.right[first:] if self.symmetric else self.right
        block = np.zeros((last - first, len(right)))
        for column in range(self.left.shape[1]):
            block += self.left[first:last, column, None] * right[:, column]
        return block
