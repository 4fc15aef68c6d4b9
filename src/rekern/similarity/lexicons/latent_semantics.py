"""Latent semantic analysis (LSA): word vectors from the texts of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rekern.core.arrays import Ints
from rekern.core.parameters import check_choice, check_whole
from rekern.core.registry import register
from rekern.core.state_schema import Schema
from rekern.errors import InputError
from rekern.similarity.lexicons.word_vectors import VECTORS, VectorTable
from rekern.structures.tokenizer import Tokenize
from rekern.structures.tokens import Tokens

if TYPE_CHECKING:
    import scipy.sparse as sp

__all__ = ["LatentSemantics"]


@register
class LatentSemantics(VectorTable):
    """Word space by latent semantic analysis of texts; the same texts always give the same space.

    With ``matrix="texts"`` a word is described by the texts in which it occurs, with the weights (1 + ln tf) · idf,
    where idf = ln(texts/df) + 1. With ``matrix="words"`` it is described by the words at a distance of at most
    ``window``, weighted by positive pointwise mutual information. A truncated singular value decomposition reduces the
    matrix to ``dimensions`` columns (or fewer, if it has fewer), each scaled by its singular value.

    Parameters
    ----------
    dimensions : int
        The length of a vector.
    matrix : "texts" or "words"
        Whether a word is described by the texts in which it occurs, or by the words near it.
    window : int
        The largest distance of a neighbouring word, for ``matrix="words"``.
    min_count : int
        The smallest number of occurrences of a word in the texts.
    tokenizer : callable, optional
        A function from a str to a list of tokens, by default ``Tokenizer()``, which stems. Ready-made tokens are used
        verbatim.

    >>> texts = ["the cat chased a mouse", "the dog chased a cat", "stocks fell on monday", "shares fell on friday"]
    >>> space = LatentSemantics(dimensions=2).fit(texts)
    >>> space
    LatentSemantics(12 words, 2 dimensions)
    >>> space.similarity("stock", "share") > 0.9 > 0.1 > space.similarity("stock", "dog")
    True
    """

    schema = Schema(VECTORS)

    def __init__(
        self,
        dimensions: int = 250,
        matrix: str = "texts",
        window: int = 3,
        min_count: int = 1,
        tokenizer: Tokenize | None = None,
    ):
        self._dimensions = check_whole("dimensions", dimensions, 1)
        self._matrix = check_choice("matrix", matrix, ("texts", "words"))
        self._window = check_whole("window", window, 1)
        self._min_count = check_whole("min_count", min_count, 1)
        self._tokenizer = tokenizer
        self._set_vectors([], np.zeros((0, self._dimensions)))

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> LatentSemantics:
        """Build a space from the result of `to_dict`, which has the words and vectors of a fitted space.

        >>> LatentSemantics.from_dict(LatentSemantics(2).fit(["a cat", "a dog", "my cat"]).to_dict())
        LatentSemantics(4 words, 2 dimensions)
        """
        space = cls()
        space._set_vectors(state["words"], state["array"])
        return space

    def fit(self, texts: Iterable[str | Sequence[str]], y: object = None) -> LatentSemantics:
        """Learn the space from texts, which are str or lists of tokens; ``y`` is ignored."""
        from sklearn.decomposition import TruncatedSVD

        tokens = Tokens.from_texts(texts, self._tokenizer)
        counts = np.bincount(tokens.ids, minlength=len(tokens.vocabulary))
        # The words are in alphabetical order, so that the space does not depend on their order in the texts.
        kept = sorted(np.flatnonzero(counts >= self._min_count).tolist(), key=tokens.vocabulary.__getitem__)
        if not kept:
            raise InputError(f"no word occurs {self._min_count} times in the texts; give more texts or min_count=1")
        row_of = np.full(len(counts), -1, np.int64)
        row_of[kept] = np.arange(len(kept))
        if self._matrix == "texts":
            matrix = _count_texts(tokens, row_of, len(kept))
        else:
            matrix = _count_neighbors(tokens, row_of, len(kept), self._window)
        dimensions = min(self._dimensions, *matrix.shape)
        if dimensions == min(matrix.shape):
            # The randomised method needs more columns than it returns. A small matrix is decomposed exactly.
            left, values, _ = np.linalg.svd(matrix.toarray(), full_matrices=False)
            vectors = (left * values)[:, :dimensions]
        else:
            vectors = TruncatedSVD(dimensions, random_state=0).fit_transform(matrix)
        self._set_vectors([tokens.vocabulary[number] for number in kept], vectors)
        return self


def _count_texts(tokens: Tokens, row_of: Ints, size: int) -> sp.csr_array:
    """Return a matrix with a row for each word and a column for each text, weighted by (1 + ln tf) · idf."""
    import scipy.sparse as sp

    texts = np.repeat(np.arange(len(tokens)), np.diff(tokens.offsets))
    rows = row_of[tokens.ids]
    known = rows >= 0
    shape = (size, max(len(tokens), 1))
    matrix = sp.csr_array((np.ones(known.sum()), (rows[known], texts[known])), shape=shape)
    matrix.sum_duplicates()
    idf = np.log(len(tokens) / np.diff(matrix.indptr)) + 1
    matrix.data = (1 + np.log(matrix.data)) * np.repeat(idf, np.diff(matrix.indptr))
    return matrix


def _count_neighbors(tokens: Tokens, row_of: Ints, size: int, window: int) -> sp.csr_array:
    """Return a matrix with a row and a column for each word, weighted by positive pointwise mutual information."""
    import scipy.sparse as sp

    texts = np.repeat(np.arange(len(tokens)), np.diff(tokens.offsets))
    rows = row_of[tokens.ids]
    total = sp.csr_array((size, size))
    for shift in range(1, window + 1):
        near = (texts[shift:] == texts[:-shift]) & (rows[shift:] >= 0) & (rows[:-shift] >= 0)
        one, other = rows[:-shift][near], rows[shift:][near]
        met = sp.csr_array((np.ones(len(one)), (one, other)), shape=(size, size))
        total = total + met + met.T
    total = sp.csr_array(total)
    sums = np.asarray(total.sum(axis=1)).ravel()
    from_row = np.repeat(np.arange(size), np.diff(total.indptr))
    information = np.log(total.data * sums.sum() / (sums[from_row] * sums[total.indices]))
    total.data = np.maximum(information, 0.0)
    return total
