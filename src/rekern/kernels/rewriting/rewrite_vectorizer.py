"""Re-writing rules as columns of a sparse matrix, for any scikit-learn pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from rekern.core.compiling import compiled
from rekern.core.hashing import size_table
from rekern.core.jobs import run, split_range
from rekern.core.key_index import KeyIndex, index_keys, look_up
from rekern.errors import InputError
from rekern.kernels.rewriting.rewriting_kernel import Rewriting
from rekern.kernels.rewriting.rule_text import matches
from rekern.structures.pairs import Pairs

Array = np.ndarray

MOST_COLUMNS = 2**31 - 1
PAIRS_IN_BLOCK = 512


# Without scikit-learn's wrapper for data frames: a frame of a million columns helps nobody, see set_output.
class RewriteVectorizer(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Turn pairs of texts into a sparse matrix: a row for each pair, a column for each re-writing rule.

    The columns are the features of `rekern.kernels.Rewriting`: the product of two such matrices is its Gram. Rules
    that were not seen in ``fit`` have no column; they still count in the norm by which a pair is divided.

    Parameters
    ----------
    k, wildcards, decay, normalize, span, tokenizer
        As in `rekern.kernels.Rewriting`.
    hashing : int, optional
        Number of columns of the stateless mode: a rule falls into the column "key modulo ``hashing``", nothing is
        learned or kept, and columns have no names. Rules that meet in a column are added up.
    min_df : int or float
        Leave out the rules of fewer training pairs than this number, or than this share of them (a float up to 1.0).
    n_jobs : int, optional
        Threads; all cores by default.

    Attributes
    ----------
    keys_ : array of uint64
        The key of the rule in each column.
    pairs_ : Pairs
        The training pairs, from which the names of the columns are read.

    Examples
    --------
    >>> pairs = [("Shakespeare wrote Hamlet", "Hamlet was written by Shakespeare"),
    ...          ("Orwell wrote 1984", "1984 was written by Orwell")]
    >>> vectorizer = RewriteVectorizer(k=[(3, 5)], min_df=2)
    >>> vectorizer.fit_transform(pairs).toarray()
    array([[0.5],
           [0.5]])
    >>> vectorizer.get_feature_names_out()
    array(['⟨1⟩ wrote ⟨2⟩ → ⟨2⟩ was written by ⟨1⟩'], dtype=object)
    >>> RewriteVectorizer(k=(1, 4), hashing=2**20).transform(pairs).shape  # nothing to fit
    (2, 1048576)
    """

    def __init__(
        self,
        k: Any = 4,
        wildcards: str = "aligned",
        decay: float = 1.0,
        normalize: bool = True,
        span: int = 1,
        tokenizer: Callable[[str], list[str]] | None = None,
        hashing: int | None = None,
        min_df: int | float = 1,
        n_jobs: int | None = None,
    ):
        self.k = k
        self.wildcards = wildcards
        self.decay = decay
        self.normalize = normalize
        self.span = span
        self.tokenizer = tokenizer
        self.hashing = hashing
        self.min_df = min_df
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> RewriteVectorizer:
        """Learn the columns: the rules of these pairs. In hashing mode only the parameters are checked.

        >>> RewriteVectorizer(k=1).fit([("a b", "b")]).get_feature_names_out().tolist()
        ['a → b', 'b → b', '⟨1⟩ → ⟨1⟩']
        """
        if self._checked().hashing is None:
            self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> sp.csr_array:
        """Learn the columns and give the matrix of the same pairs.

        >>> RewriteVectorizer(k=1, normalize=False).fit_transform([("a b", "b"), ("b", "b")]).sum(axis=1)
        array([3., 2.])
        """
        if self._checked().hashing is not None:
            return self.transform(X)
        kernel = self._kernel()
        pairs = kernel.items(X)
        found = kernel.numbered(pairs, self.n_jobs)
        self.keys_, self.pairs_ = found.keys, pairs
        self._index: KeyIndex | None = None
        columns, values, indptr = found.columns, found.values, found.indptr
        least = self.min_df if isinstance(self.min_df, Integral) else self.min_df * len(pairs)
        if least > 1:
            kept = np.bincount(columns, minlength=len(found.keys)) >= least
            if not kept.any():
                raise InputError(f"no rule occurs in min_df={self.min_df!r} of the {len(pairs)} pairs; lower min_df")
            self.keys_ = found.keys[kept]
            renumbered = np.where(kept, np.cumsum(kept, dtype=np.int32) - 1, -1).astype(np.int32)
            columns, values, indptr = _only_known(renumbered[columns], values, indptr)
        return _matrix(values, columns, indptr, len(self.keys_))

    def transform(self, X: Any) -> sp.csr_array:
        """The matrix of these pairs, over the columns that were learned.

        >>> RewriteVectorizer(k=1, normalize=False).fit([("a", "b")]).transform([("a", "b"), ("a", "c")]).toarray()
        array([[1.],
               [0.]])
        """
        kernel = self._checked()._kernel()
        if self.hashing is not None:
            return self._hashed(kernel, kernel.items(X))
        self._check_fitted()
        listed = kernel.listed(kernel.items(X), self.n_jobs)
        if self._index is None:
            self._index = index_keys(self.keys_)
        known = look_up(listed.keys, self._index, self.n_jobs)
        columns, values, indptr = _only_known(known, listed.values, listed.indptr)
        return _matrix(values, columns, indptr, len(self.keys_))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The rule of every column as text, each name once.

        For many columns this takes a while; `rule_names` gives those of a few.

        >>> RewriteVectorizer(k=2).fit([("she ran", "ran she")]).get_feature_names_out()[-1]
        '⟨1⟩ ⟨2⟩ → ⟨2⟩ ⟨1⟩'
        """
        self._check_named()
        names, seen = self.rule_names(np.arange(len(self.keys_))), set()
        for column, name in enumerate(names):
            if name in seen:  # only ready-made tokens with blanks in them can be read in two ways
                names[column] = f"{name} #{int(self.keys_[column]):016x}"
            seen.add(names[column])
        return np.array(names, dtype=object)

    def rule_names(self, columns: Sequence[int] | np.ndarray) -> list[str]:
        """The rules of a few columns as text.

        A rule that only a pair with millions of rules has, which are too many to write down, is named by its key.

        >>> vectorizer = RewriteVectorizer(k=2).fit([("she ran", "ran she"), ("he ran", "ran he")])
        >>> weights = vectorizer.transform([("he ran", "ran he")]).toarray()[0]
        >>> vectorizer.rule_names(weights.nonzero()[0])
        ['he ran → ran he', 'he ⟨1⟩ → ⟨1⟩ he', '⟨1⟩ ran → ran ⟨1⟩', '⟨1⟩ ⟨2⟩ → ⟨2⟩ ⟨1⟩']
        """
        self._check_named()
        wanted = self.keys_[np.asarray(columns, dtype=np.int64)]
        kernel = self._kernel()
        heavy = set(kernel.heavy(self.pairs_).tolist())
        light = np.array([row for row in range(len(self.pairs_)) if row not in heavy], dtype=np.int64)
        distinct = np.unique(wanted)
        index, first = index_keys(distinct), np.full(len(distinct), -1, np.int64)
        for begin, end in split_range(len(light), PAIRS_IN_BLOCK):
            if (first >= 0).all():
                break
            listed = kernel.listed(self.pairs_.take(light[begin:end]), self.n_jobs)
            _note_first(first, look_up(listed.keys, index), listed.indptr, light[begin:end])
        names: dict[int, str] = {}
        by_row = np.argsort(first, kind="stable")
        for mine in np.split(by_row, np.flatnonzero(np.diff(first[by_row])) + 1):
            if len(mine) and (row := int(first[mine[0]])) >= 0:
                names |= _texts(kernel, *self.pairs_[row], set(distinct[mine].tolist()))
        return [names.get(key, f"rule #{key:016x}") for key in wanted.tolist()]

    def set_output(self, *, transform: Any = None) -> RewriteVectorizer:
        """Accepted for pipelines that ask for data frames; the matrix stays sparse.

        >>> RewriteVectorizer(hashing=8).set_output(transform="pandas").transform([("a", "b")]).shape
        (1, 8)
        """
        return self

    def _kernel(self) -> Rewriting:
        return Rewriting(self.k, self.wildcards, self.decay, self.normalize, self.span, self.tokenizer)

    def _hashed(self, kernel: Rewriting, pairs: Pairs) -> sp.csr_array:
        columns = int(self.hashing or 0)
        ranges = split_range(len(pairs), PAIRS_IN_BLOCK)
        if len(kernel.heavy(pairs)) or len(ranges) < 2:
            blocks = [_hashed_block(kernel, columns, pairs)]
        else:
            calls = [(pairs[first:last],) for first, last in ranges]
            blocks = list(run(partial(_hashed_block, kernel, columns), calls, self.n_jobs, "rules"))
        lengths = np.concatenate([np.diff(indptr) for _, _, indptr in blocks])
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        numbers, values = (np.concatenate([block[part] for block in blocks]) for part in (0, 1))
        return _matrix(values, numbers, indptr, columns)

    def _checked(self) -> RewriteVectorizer:
        """This vectorizer, if its parameters can be used."""
        self._kernel().windows()
        hashing, least = self.hashing, self.min_df
        whole = isinstance(hashing, Integral) and not isinstance(hashing, bool)
        if hashing is not None and not (whole and 1 <= hashing <= MOST_COLUMNS):
            raise ValueError(f"hashing={hashing!r}: give a number of columns from 1 to {MOST_COLUMNS}, or None")
        counted = isinstance(least, Integral) and not isinstance(least, bool) and least >= 1
        shared = isinstance(least, Real) and not isinstance(least, Integral) and 0 <= least <= 1
        if not counted and not shared:
            raise ValueError(f"min_df={least!r}: give a whole number of pairs from 1, or a share of them up to 1.0")
        if hashing is not None and least != 1:
            raise ValueError("min_df counts training pairs, and hashing keeps no counts: leave out one of them")
        return self

    def _check_fitted(self) -> None:
        if not hasattr(self, "keys_"):
            raise NotFittedError("this RewriteVectorizer is not fitted; call fit(pairs) first, or give hashing=2**20")

    def _check_named(self) -> None:
        if self.hashing is not None:
            raise InputError("with hashing a column may hold several rules and has no name; use hashing=None")
        self._check_fitted()

    def __sklearn_is_fitted__(self) -> bool:
        return self.hashing is not None or hasattr(self, "keys_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = self.hashing is None
        tags.input_tags.string = True
        return tags


def _matrix(values: Array, columns: Array, indptr: Array, width: int) -> sp.csr_array:
    # Many of scikit-learn's solvers take 32-bit indices only, and SciPy would widen the columns to match the pointers.
    if indptr[-1] < 2**31:
        indptr = indptr.astype(np.int32)
    return sp.csr_array((values, columns, indptr), shape=(len(indptr) - 1, width))


def _hashed_block(kernel: Rewriting, columns: int, pairs: Pairs) -> tuple[Array, Array, Array]:
    listed = kernel.listed(pairs, n_jobs=1)
    return _folded(listed.indptr, listed.keys, listed.values, columns)


def _texts(kernel: Rewriting, source: list[str], target: list[str], wanted: set[int]) -> dict[int, str]:
    """The texts of those rules of one pair that are wanted, by their keys."""
    return {
        match.key: match.rule
        for window in kernel.windows()
        for match in matches(source, target, window, kernel.wildcards, kernel.span, wanted)
    }


@compiled
def _folded(indptr: Array, keys: Array, values: Array, columns: int) -> tuple[Array, Array, Array]:
    """Keys modulo a number of columns, with the values of those that meet in a row added up."""
    numbers = np.empty(len(keys), np.int32)
    folded = np.empty(len(keys), np.float64)
    pointers = np.zeros(len(indptr), np.int64)
    longest = 1
    for row in range(len(indptr) - 1):
        longest = max(longest, indptr[row + 1] - indptr[row])
    bits = size_table(longest)
    mask = (1 << bits) - 1
    table = np.full(1 << bits, -1, np.int64)  # of places in the result: those of earlier rows count as empty
    at = 0
    for row in range(len(indptr) - 1):
        begin = at
        for entry in range(indptr[row], indptr[row + 1]):
            number = np.int64(keys[entry] % np.uint64(columns))
            slot = number & mask
            while table[slot] >= begin and numbers[table[slot]] != number:
                slot = (slot + 1) & mask
            if table[slot] >= begin:
                folded[table[slot]] += values[entry]
            else:
                table[slot] = at
                numbers[at] = number
                folded[at] = values[entry]
                at += 1
        pointers[row + 1] = at
    return numbers[:at], folded[:at], pointers


@compiled
def _only_known(numbers: Array, values: Array, indptr: Array) -> tuple[Array, Array, Array]:
    """The entries with a number of at least 0."""
    kept = 0
    for number in numbers:
        kept += number >= 0
    new_numbers = np.empty(kept, np.int32)
    new_values = np.empty(kept, np.float64)
    pointers = np.zeros(len(indptr), np.int64)
    at = 0
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            if numbers[entry] >= 0:
                new_numbers[at] = numbers[entry]
                new_values[at] = values[entry]
                at += 1
        pointers[row + 1] = at
    return new_numbers, new_values, pointers


@compiled
def _note_first(first: Array, numbers: Array, indptr: Array, rows: Array) -> None:
    """For every number that has no row yet, the first of these rows that holds it."""
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            if numbers[entry] >= 0 and first[numbers[entry]] < 0:
                first[numbers[entry]] = rows[row]
