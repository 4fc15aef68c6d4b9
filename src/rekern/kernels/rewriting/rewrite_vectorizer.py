"""Rewriting rules as columns of a sparse matrix, for any scikit-learn pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from rekern.core.arrays import AnyArray, Floats, Ints, SmallInts, offsets_of
from rekern.core.csr import make_csr
from rekern.core.key_index import KeyIndex, index_keys, look_up, number_keys
from rekern.core.key_rows import fold_keys, keep_known
from rekern.core.messages import show_value
from rekern.core.parallel_jobs import run, split_range
from rekern.core.parameter_tables import Jobs, check_parameters, state_parameters
from rekern.core.parameters import LONGEST_WINDOW, WindowSizes
from rekern.core.state_schema import DECAY, TOKENIZER, Choice, Flag, Whole
from rekern.errors import InputError
from rekern.kernels.kernel_items import Items, materialize_items
from rekern.kernels.rewriting.rewriting_kernel import Rewriting
from rekern.kernels.rewriting.rule_extraction import PAIRS_IN_BLOCK, RuleExtractor
from rekern.kernels.rewriting.rule_text import name_rules
from rekern.structures.pairs import Pairs
from rekern.structures.tokenizer import Tokenize

if TYPE_CHECKING:
    from sklearn.utils import Tags

MOST_COLUMNS = 2**31 - 1


# Without scikit-learn's wrapper for data frames: a frame of a million columns helps nobody, see set_output.
class RewriteVectorizer(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Turn pairs of texts into a sparse matrix: a row for each pair, a column for each rewriting rule.

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

    parameter_table = state_parameters(
        k=None,
        wildcards=Choice("aligned", "free", "none"),
        decay=DECAY,
        normalize=Flag(),
        span=Whole(1, LONGEST_WINDOW),
        tokenizer=TOKENIZER,
        hashing=None,
        min_df=None,
        n_jobs=Jobs(),
    )

    def __init__(
        self,
        k: WindowSizes = 4,
        wildcards: str = "aligned",
        decay: float = 1.0,
        normalize: bool = True,
        span: int = 1,
        tokenizer: Tokenize | None = None,
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

    def fit(self, X: Items, y: object = None) -> Self:
        """Learn the columns: the rules of these pairs. In hashing mode only the parameters are checked.

        >>> RewriteVectorizer(k=1).fit([("a b", "b")]).get_feature_names_out().tolist()
        ['a → b', 'b → b', '⟨1⟩ → ⟨1⟩']
        """
        if self._check_parameters().hashing is None:
            self.fit_transform(X)
        return self

    def fit_transform(self, X: Items, y: object = None) -> sp.csr_array:
        """Learn the columns and return the matrix of the same pairs.

        >>> RewriteVectorizer(k=1, normalize=False).fit_transform([("a b", "b"), ("b", "b")]).sum(axis=1)
        array([3., 2.])
        """
        if self._check_parameters().hashing is not None:
            return self.transform(X)
        kernel = self._make_kernel()
        pairs = kernel.read_items(X)
        indptr, keys, values = kernel.make_extractor().list_rules(pairs, self.n_jobs)
        columns, self.keys_ = number_keys(keys, self.n_jobs)
        self.pairs_ = pairs
        self._index: KeyIndex | None = None
        least = self.min_df if isinstance(self.min_df, Integral) else self.min_df * len(pairs)
        if least > 1:
            kept = np.bincount(columns, minlength=len(self.keys_)) >= least
            if not kept.any():
                raise InputError(f"no rule occurs in min_df={self.min_df!r} of the {len(pairs)} pairs; lower min_df")
            self.keys_ = self.keys_[kept]
            renumbered = np.where(kept, np.cumsum(kept, dtype=np.int32) - 1, -1).astype(np.int32)
            columns, values, indptr = keep_known(renumbered[columns], values, indptr)
        return make_csr(values, columns, indptr, len(self.keys_))

    def transform(self, X: Items) -> sp.csr_array:
        """Return the matrix of these pairs, over the columns that were learned.

        >>> RewriteVectorizer(k=1, normalize=False).fit([("a", "b")]).transform([("a", "b"), ("a", "c")]).toarray()
        array([[1.],
               [0.]])
        """
        kernel = self._check_parameters()._make_kernel()
        if self.hashing is not None:
            return self._hash_rules(kernel, materialize_items(X))
        self._check_fitted()
        listed = kernel.make_extractor().list_rules(kernel.read_items(X), self.n_jobs)
        if self._index is None:
            self._index = index_keys(self.keys_)
        known = look_up(listed.keys, self._index, self.n_jobs)
        columns, values, indptr = keep_known(known, listed.values, listed.indptr)
        return make_csr(values, columns, indptr, len(self.keys_))

    def get_feature_names_out(self, input_features: object = None) -> AnyArray:
        """Return the rule of every column as text, each name once.

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

    def rule_names(self, columns: Sequence[int] | Ints) -> list[str]:
        """Return the rules of a few columns as text.

        >>> vectorizer = RewriteVectorizer(k=2).fit([("she ran", "ran she"), ("he ran", "ran he")])
        >>> weights = vectorizer.transform([("he ran", "ran he")]).toarray()[0]
        >>> vectorizer.rule_names(weights.nonzero()[0])
        ['he ⟨1⟩ → ⟨1⟩ he', '⟨1⟩ ran → ran ⟨1⟩', '⟨1⟩ ⟨2⟩ → ⟨2⟩ ⟨1⟩', 'he ran → ran he']
        """
        self._check_named()
        keys = self.keys_[np.asarray(columns, dtype=np.int64)]
        return name_rules(self._make_kernel().make_extractor(), self.pairs_, keys, self.n_jobs)

    def set_output(self, *, transform: object = None) -> Self:
        """Accept the call of pipelines that ask for data frames; the matrix stays sparse.

        >>> RewriteVectorizer(hashing=8).set_output(transform="pandas").transform([("a", "b")]).shape
        (1, 8)
        """
        return self

    def _make_kernel(self) -> Rewriting:
        return Rewriting(self.k, self.wildcards, self.decay, self.normalize, self.span, self.tokenizer)

    def _hash_rules(self, kernel: Rewriting, X: Items) -> sp.csr_array:
        columns, extractor = int(self.hashing or 0), kernel.make_extractor()
        pairs = kernel.read_items(X)
        ranges = split_range(len(pairs), PAIRS_IN_BLOCK)
        if len(ranges) < 2:
            blocks = [_hash_block(extractor, columns, pairs)]
        else:
            calls = [(pairs[first:last],) for first, last in ranges]
            blocks = list(run(partial(_hash_block, extractor, columns), calls, self.n_jobs, "rules"))
        indptr = offsets_of(np.concatenate([np.diff(block.indptr) for block in blocks]))
        values = np.concatenate([block.values for block in blocks])
        return make_csr(values, np.concatenate([block.columns for block in blocks]), indptr, columns)

    def _check_parameters(self) -> Self:
        """Return this vectorizer, after checking its parameters."""
        check_parameters(self)
        self._make_kernel().windows()
        hashing, least = self.hashing, self.min_df
        whole = isinstance(hashing, Integral) and not isinstance(hashing, bool)
        if hashing is not None and not (whole and 1 <= hashing <= MOST_COLUMNS):
            raise InputError(
                f"hashing={show_value(hashing)}: give a number of columns from 1 to {MOST_COLUMNS}, or None"
            )
        counted = isinstance(least, Integral) and not isinstance(least, bool) and least >= 1
        shared = isinstance(least, Real) and not isinstance(least, Integral) and 0 <= least <= 1
        if not counted and not shared:
            raise InputError(
                f"min_df={show_value(least)}: give a whole number of pairs from 1, or a share of them up to 1.0"
            )
        if hashing is not None and least != 1:
            raise InputError("min_df counts training pairs, and hashing keeps no counts: leave out one of them")
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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = self.hashing is None
        tags.input_tags.string = True
        return tags


class HashedRows(NamedTuple):
    """Rows over hashed columns."""

    columns: SmallInts
    values: Floats
    indptr: Ints


def _hash_block(extractor: RuleExtractor, columns: int, pairs: Pairs) -> HashedRows:
    listed = extractor.list_rules(pairs, n_jobs=1)
    return HashedRows(*fold_keys(listed.indptr, listed.keys, listed.values, columns))
