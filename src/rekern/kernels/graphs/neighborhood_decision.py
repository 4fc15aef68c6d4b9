"""The decision function of a kernel on graphs as a table of pairs of neighbourhoods with weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.explanations import Part
from rekern.core.object_descriptions import State
from rekern.core.weight_table import WeightTable, find_weights, pack_weights
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.graphs.neighborhood_features import NeighborhoodFeatures
from rekern.kernels.kernel_items import Item, Items, wrap_item
from rekern.structures.graphs import Graphs


class NeighborhoodDecision(DecisionFunction):
    """Σ over the features of a graph of value · weight, with weight = Σ over training graphs of coefficient · value.

    ``read_items`` turns items into graphs.
    """

    def __init__(
        self,
        features: NeighborhoodFeatures,
        read_items: Callable[[Items], Graphs],
        table: WeightTable,
    ):
        self.features = features
        self.read_items = read_items
        self.table = table

    def to_state(self) -> State:
        """Return the table of weights."""
        return pack_weights(self.table)

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every graph, a column for each output. Other graphs do not change the sum of a graph."""
        rows = self.features.extract_rows(self.read_items(X), n_jobs)
        weights = find_weights(rows.keys, self.table)
        bounds = zip(rows.indptr[:-1], rows.indptr[1:])
        sums = [rows.values[first:last] @ weights[first:last] for first, last in bounds]
        return np.array(sums).reshape(len(rows.indptr) - 1, self.table.weights.shape[1])

    def parts(self, item: Item, output: int = 0) -> list[Part]:
        """Return what each pair of neighbourhoods of a graph adds."""
        graph = self.read_items(wrap_item(item))
        rows = self.features.extract_rows(graph, n_jobs=1)
        weights = find_weights(rows.keys, self.table)[:, output]
        used = np.flatnonzero(weights * rows.values)
        names = self.features.name_features(graph, used)
        return [
            Part("neighbourhoods", name, value, weight)
            for name, value, weight in zip(names, rows.values[used].tolist(), weights[used].tolist())
        ]
