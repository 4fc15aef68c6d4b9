"""The decision function of a kernel on graphs as a table of pairs of neighbourhoods with weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rekern.core.explanations import Part
from rekern.core.weight_table import sum_weights, weights_of

if TYPE_CHECKING:
    from rekern.kernels.graphs.neighborhoods import Neighborhoods


class BallScorer:
    """Σ over the features of a graph of value · weight, with weight = Σ over training graphs of coefficient · value."""

    def __init__(self, kernel: Neighborhoods, X: Any, coefficients: np.ndarray):
        self.kernel = kernel
        self.outputs = np.asarray(coefficients).shape[1]
        rows = kernel.rows(kernel.items(X))
        self.table = sum_weights([(rows, np.ascontiguousarray(coefficients, dtype=float))], self.outputs)

    def score(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """The sums for every graph, a column for each output; each graph's is the same in any company."""
        rows = self.kernel.rows(self.kernel.items(X), n_jobs)
        weights = weights_of(rows.keys, *self.table[:2])
        bounds = zip(rows.indptr[:-1], rows.indptr[1:])
        sums = [rows.values[first:last] @ weights[first:last] for first, last in bounds]
        return np.array(sums).reshape(len(rows.indptr) - 1, self.outputs)

    def parts(self, item: Any, output: int = 0) -> list[Part]:
        """What each pair of neighbourhoods of a graph adds."""
        graph = self.kernel.items([item])
        rows = self.kernel.rows(graph, n_jobs=1)
        weights = weights_of(rows.keys, *self.table[:2])[:, output]
        used = np.flatnonzero(weights * rows.values)
        names = self.kernel.names_of(graph, used)
        return [
            Part("balls", name, value, weight)
            for name, value, weight in zip(names, rows.values[used].tolist(), weights[used].tolist())
        ]
