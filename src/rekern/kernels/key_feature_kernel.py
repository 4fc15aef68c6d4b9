"""Kernels whose features have 64-bit keys: explicit features, learned columns, names of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Self, TypeVar

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from rekern.core.arrays import Floats, Ints, Keys
from rekern.core.csr import make_csr
from rekern.core.explanations import Part
from rekern.core.key_index import KeyIndex, index_keys, look_up, number_keys
from rekern.core.key_rows import KeyRows, keep_known, note_first_rows
from rekern.core.object_descriptions import State
from rekern.core.parallel_jobs import keep_threads
from rekern.core.weight_table import WeightTable, find_weights, pack_weights
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.gram_plan import invert_roots
from rekern.kernels.kernel import Kernel, can_list_features
from rekern.kernels.kernel_items import Item, Items, materialize_items, wrap_item

if TYPE_CHECKING:
    import scipy.sparse as sp

Corpus = TypeVar("Corpus")


class KeyFeatureKernel(Kernel, Generic[Corpus]):
    """The base of kernels with explicit features that are identified by keys.

    The key of a feature depends on its text alone. So rows of any items can be compared with learned columns.

    >>> from rekern.kernels import Spectrum
    >>> isinstance(Spectrum(2), KeyFeatureKernel)
    True
    """

    keys_: Keys  # the key of every column that `fit` learned
    corpus_: Corpus  # the training items, from which the names of the columns are read
    _index: KeyIndex | None = None

    def read_items(self, X: Items) -> Corpus:
        """Return the items in the form from which features are extracted."""
        raise NotImplementedError

    def extract_rows(self, corpus: Corpus, n_jobs: int | None = None) -> KeyRows:
        """Return the features of every item as a row of keys and values."""
        raise NotImplementedError

    def name_features(self, corpus: Corpus, row: int, keys: set[int]) -> dict[int, str]:
        """Return the text of these features, all of which the item ``row`` has."""
        raise NotImplementedError

    def has_features(self) -> bool:
        """Return True: the features can be listed."""
        return True

    def features(self, X: Items, n_jobs: int | None = None) -> sp.csr_array:
        """Return a row for each item, with a column for each distinct feature of these items."""
        corpus = self.read_items(materialize_items(X))
        with keep_threads():
            return self.number_columns(corpus, n_jobs)[0]

    def number_columns(self, corpus: Corpus, n_jobs: int | None = None) -> tuple[sp.csr_array, Keys]:
        """Return the features over the columns of these items, and the key of each column."""
        rows = self.extract_rows(corpus, n_jobs)
        numbers, distinct = number_keys(rows.keys, n_jobs)
        return make_csr(rows.values, numbers, rows.indptr, len(distinct)), distinct

    def adapt(self, X: Items, y: object = None) -> Self:
        """Learn nothing: the values of the kernel depend on the two items alone."""
        return self

    def get_learned(self) -> State:
        """Return an empty state: columns are not needed for the values of the kernel."""
        return State()

    def fit(self, X: Items, y: object = None) -> Self:
        """Learn the columns: the features of these items."""
        if self.has_features():
            self.learn_columns(X)
        return self

    @available_if(can_list_features)
    def fit_transform(self, X: Items, y: object = None) -> sp.csr_array:
        """Learn the columns and return the features of the same items."""
        return self.learn_columns(X)

    def learn_columns(self, X: Items) -> sp.csr_array:
        """Learn the columns and return the features of the same items."""
        corpus = self.read_items(materialize_items(X))
        matrix, self.keys_ = self.number_columns(corpus)
        self.corpus_, self._index = corpus, None
        return matrix

    def list_features(self, X: Items) -> sp.csr_array:
        """Return the features of the items over the learned columns."""
        self.check_fitted()
        rows = self.extract_rows(self.read_items(X))
        if self._index is None:
            self._index = index_keys(self.keys_)
        columns, values, indptr = keep_known(look_up(rows.keys, self._index), rows.values, rows.indptr)
        return make_csr(values, columns, indptr, len(self.keys_))

    def name_columns(self) -> list[str]:
        """Return the text of every learned column."""
        self.check_fitted()
        rows = self.extract_rows(self.corpus_)
        first = np.full(len(self.keys_), -1, np.int64)
        numbers = look_up(rows.keys, index_keys(self.keys_))
        note_first_rows(first, numbers, rows.indptr, np.arange(len(rows.indptr) - 1))
        names: dict[int, str] = {}
        for columns in group_by_row(first):
            names |= self.name_features(self.corpus_, int(first[columns[0]]), set(self.keys_[columns].tolist()))
        return [names[key] for key in self.keys_.tolist()]

    def check_fitted(self) -> None:
        """Raise NotFittedError if no columns have been learned."""
        if not hasattr(self, "keys_"):
            raise NotFittedError(f"this {type(self).__name__} has no columns yet; call fit(items) first")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "keys_")


def group_by_row(first: Ints) -> list[Ints]:
    """Return the columns in groups of those with the same first row; columns without a row (-1) are left out.

    >>> [group.tolist() for group in group_by_row(np.array([2, 0, -1, 2]))]
    [[1], [0, 3]]
    """
    order = np.argsort(first, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(first[order])) + 1)
    return [group for group in groups if len(group) and first[group[0]] >= 0]


def normalize_rows(rows: KeyRows) -> KeyRows:
    """Return the rows divided by their norms; a row without features stays empty."""
    scale = np.repeat(invert_roots(rows.sum_squares()), np.diff(rows.indptr))
    return rows._replace(values=rows.values * scale)


def square_rows(rows: KeyRows, normalized: bool) -> Floats:
    """Return K(x, x) of every row: the sum of squares, or, of normalised rows, exactly 1 (0 for an empty row)."""
    return (np.diff(rows.indptr) > 0).astype(float) if normalized else rows.sum_squares()


if TYPE_CHECKING:
    from rekern.kernels.key_feature_kernel import KeyFeatureKernel


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
