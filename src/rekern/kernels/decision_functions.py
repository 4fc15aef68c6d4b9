"""Decision functions x ↦ Σ cᵢ K(xᵢ, x), in the form in which a kernel computes and explains them best."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rekern.core.explanations import Part
from rekern.kernels.kernel import Kernel, title
from rekern.structures.representations import Representations


class SumScorer:
    """The scorers of a sum of kernels."""

    def __init__(self, scorers: list[Any]):
        self.scorers = scorers

    def leaves(self) -> list[Any]:
        """The scorers of the kernels in the sum."""
        return [
            leaf for scorer in self.scorers for leaf in (scorer.leaves() if hasattr(scorer, "leaves") else [scorer])
        ]

    def score(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """The sums for every item, a column for each output."""
        X = list(X) if isinstance(X, Iterator) else X
        total = self.scorers[0].score(X, n_jobs)
        for scorer in self.scorers[1:]:
            total = total + scorer.score(X, n_jobs)
        return total

    def parts(self, item: Any, output: int = 0) -> list[Part]:
        """What each feature adds for one item."""
        return [part for scorer in self.scorers for part in scorer.parts(item, output)]


class GramScorer:
    """The plain sum over training items, for a kernel without explicit features."""

    def __init__(self, kernel: Kernel, X: Any, coefficients: np.ndarray):
        chosen = np.flatnonzero(np.any(coefficients != 0, axis=1))
        self.kernel = kernel
        # Rows of a table stay in one: their trees have been read already.
        self.items = X.take(chosen) if isinstance(X, Representations) else [X[index] for index in chosen]
        self.chosen = chosen
        self.coefficients = np.asarray(coefficients)[chosen]

    def score(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """The sums for every item, a column for each output."""
        if not len(self.items):
            return np.zeros((len(self.kernel.diag(X)), self.coefficients.shape[1]))
        # Row by row: a matrix product adds up in an order that depends on how many rows there are.
        gram = self.kernel.gram(X, self.items, n_jobs)
        return np.array([row @ self.coefficients for row in gram]).reshape(len(gram), self.coefficients.shape[1])

    def parts(self, item: Any, output: int = 0) -> list[Part]:
        """One part: the kernel as a whole."""
        return [Part("kernel", title(self.kernel), 1.0, float(self.score([item])[0, output]))]


class PairScorer(GramScorer):
    """The sum over training pairs of a kernel that compares a pair with each of them as a whole."""

    def parts(self, item: Any, output: int = 0) -> list[Part]:
        """One part for each training pair."""
        if not len(self.items):
            return []
        values = self.kernel.gram([item], self.items, n_jobs=1)[0]
        name = title(self.kernel)
        return [
            Part("pair", f"{name} with training pair {index}", value, weight)
            for index, value, weight in zip(
                self.chosen.tolist(), values.tolist(), self.coefficients[:, output].tolist()
            )
        ]


class FeatureScorer:
    """A weight for each of a few named scores."""

    def __init__(self, kernel: Any, X: Any, coefficients: np.ndarray):
        self.kernel = kernel
        self.weights = kernel.scores(X).T @ coefficients

    def score(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """The sums for every item, a column for each output."""
        return np.array([row @ self.weights for row in self.kernel.scores(X)]).reshape(-1, self.weights.shape[1])

    def parts(self, item: Any, output: int = 0) -> list[Part]:
        """One part for each score."""
        values = self.kernel.scores([item])[0]
        names = self.kernel.names()
        return [
            Part("score", name, float(value), float(weight))
            for name, value, weight in zip(names, values, self.weights[:, output])
        ]


class BellScorer:
    """The sum over training items of a Gaussian kernel over scores."""

    def __init__(self, kernel: Any, X: Any, coefficients: np.ndarray):
        chosen = np.any(coefficients != 0, axis=1)
        self.kernel = kernel
        self.coefficients = np.asarray(coefficients)[chosen]
        self.points = kernel.kernel.scores(X)[chosen]

    def score(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """The sums for every item, a column for each output."""
        points = self.kernel.kernel.scores(X)
        sums = np.zeros((len(points), self.coefficients.shape[1]))
        for index, point in enumerate(points):
            squares = ((self.points - point) ** 2).sum(axis=1)
            sums[index] = np.exp(-self.kernel.gamma * squares) @ self.coefficients
        return sums

    def parts(self, item: Any, output: int = 0) -> list[Part]:
        """One part: the kernel as a whole."""
        return [Part("kernel", title(self.kernel), 1.0, float(self.score([item])[0, output]))]
