"""The decision function of a kernel whose features have keys, as a table of features with weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.explanations import Part
from rekern.core.object_descriptions import State
from rekern.core.weight_table import WeightTable, find_weights, pack_weights
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.kernel_items import Item, Items, wrap_item

if TYPE_CHECKING:
    from rekern.kernels.key_feature_kernel import KeyFeatureKernel

Corpus = TypeVar("Corpus")


class KeyDecision(DecisionFunction, Generic[Corpus]):
    """Σ over the features of an item of value · weight, with weight = Σ over training items of coefficient · value.

    ``kind`` is the kind of the parts of an explanation.

    >>> from rekern.kernels import Spectrum
    >>> decide = Spectrum(1, normalize=False).decision_function(["a b", "c"], np.array([[1.0], [-1.0]]))
    >>> [(part.name, part.contribution) for part in decide.parts("b c c")]
    [('b', 1.0), ('c', -2.0)]
    """

    def __init__(self, kernel: KeyFeatureKernel[Corpus], table: WeightTable, kind: str):
        self.kernel = kernel
        self.table = table
        self.kind = kind

    def to_state(self) -> State:
        """Return the table of weights."""
        return pack_weights(self.table)

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every item, a column for each output. Other items do not change the sum of an item."""
        rows = self.kernel.extract_rows(self.kernel.read_items(X), n_jobs)
        weights = find_weights(rows.keys, self.table)
        bounds = zip(rows.indptr[:-1], rows.indptr[1:])
        sums = [rows.values[first:last] @ weights[first:last] for first, last in bounds]
        return np.array(sums).reshape(len(rows.indptr) - 1, self.table.weights.shape[1])

    def parts(self, item: Item, output: int = 0) -> list[Part]:
        """Return what each feature of an item adds."""
        corpus = self.kernel.read_items(wrap_item(item))
        rows = self.kernel.extract_rows(corpus, n_jobs=1)
        weights = find_weights(rows.keys, self.table)[:, output]
        used = np.flatnonzero(weights * rows.values)
        names = self.kernel.name_features(corpus, 0, set(rows.keys[used].tolist()))
        return sorted(
            Part(self.kind, names[key], value, weight)
            for key, value, weight in zip(rows.keys[used].tolist(), rows.values[used].tolist(), weights[used].tolist())
        )
