"""Explicit semantic analysis (ESA): a text is described by the documents for which its words are typical."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.registry import register
from rekern.core.state_schema import Array, Record, Schema, Texts, Whole
from rekern.errors import InputError, ModelFileError
from rekern.similarity.lexicons.explicit_semantics_core import compare_texts
from rekern.structures.tokenizer import Tokenize
from rekern.structures.tokens import Tokens

if TYPE_CHECKING:
    import scipy.sparse as sp

__all__ = ["ExplicitSemantics"]

COMMON = 0.1  # a token in a larger share of the documents is left out,
FEW = 10  # unless at most this many documents have it
LARGEST_IDF, LARGEST_WEIGHT = 100.0, 1.01  # of a word: ln(documents); in a document, which has the length 1
MOST_DOCUMENTS = 1 << 31
FEW_DOCUMENTS, EMPTY_DOCUMENTS = 10_000, 100  # a model file has at most the first, or the second for each entry
MOST = 500  # the largest number of concepts of a token; those with the largest weights are kept


@register
class ExplicitSemantics:
    """Explicit semantic analysis with a document for each concept (Gabrilovich and Markovitch, 2007).

    The weight of a token in a document is (1 + ln tf) · ln(documents/df), and documents are scaled to length 1. The
    vector of a text is the sum of the rows of its tokens, again multiplied by (1 + ln tf) · ln(documents/df). Tokens in
    more than a tenth of the documents (and in more than 10) are left out. If a token is in more than 500 documents, the
    500 with its largest weights are kept, and the first of equal ones.

    Parameters
    ----------
    documents : list of str or of token lists
        The documents that describe the concepts, one for each concept.
    tokenizer : callable, optional
        A function from a str to a list of tokens, by default ``Tokenizer()``.

    >>> concepts = ExplicitSemantics(["a cat is a small animal", "the dog is an animal that barks", "stocks and shares"]
    ...                              + [f"document {n}" for n in range(30)])
    >>> round(concepts.similarity("cats", "dogs"), 4), concepts.similarity("cats", "stocks")
    (0.0, 0.0)
    >>> round(concepts.similarity("cats and animals", "dogs"), 4)
    0.2801
    """

    schema = Schema(
        Record(
            words=Texts("words"),
            idf=Array("f8", "words", least=0.0, most=LARGEST_IDF),
            indptr=Array("i4 i8", "words+1", offsets="entries"),
            documents=Whole(0, MOST_DOCUMENTS, "documents"),
            indices=Array("i4 i8", "entries", least=0, below="documents"),
            data=Array("f8", "entries", least=0.0, most=LARGEST_WEIGHT),
        )
    )

    def __init__(self, documents: Iterable[str | Sequence[str]], tokenizer: Tokenize | None = None):
        tokens = Tokens.from_texts(documents, tokenizer)
        if not len(tokens):
            raise InputError("there are no documents to describe concepts; give at least one")
        import scipy.sparse as sp

        counts = _count_tokens(tokens, len(tokens.vocabulary))
        df = np.bincount(counts.indices, minlength=len(tokens.vocabulary))
        kept = np.flatnonzero(df <= max(COMMON * len(tokens), FEW))
        idf = np.log(len(tokens) / df[kept])
        matrix = sp.csr_array(counts[:, kept])
        matrix.data = (1 + np.log(matrix.data)) * idf[matrix.indices]
        lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
        matrix.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(matrix.indptr))
        self._set([tokens.vocabulary[number] for number in kept], idf, _prune(sp.csr_array(matrix.T)), tokenizer)

    def _set(self, words: list[str], idf: Floats, matrix: sp.csr_array, tokenizer: Tokenize | None) -> None:
        self.words = words
        self.idf = idf
        self.matrix = matrix
        self.tokenizer = tokenizer
        self._rows = {word: row for row, word in enumerate(words)}

    def __repr__(self) -> str:
        return f"ExplicitSemantics({self.matrix.shape[1]:,} documents, {len(self.words):,} words)"

    def __sklearn_clone__(self) -> ExplicitSemantics:
        return self

    def cosines(self, sources: Tokens, targets: Tokens) -> Floats:
        """Return the cosine of each source and its target.

        It is 1 for equal texts, and 0 if one of two different texts has no concept.

        >>> one, two = (Tokens.from_texts(side) for side in (["cats", "bats"], ["dogs", "bats"]))
        >>> ExplicitSemantics(["cats, dogs", "dogs", "birds"]).cosines(one, two).round(4)
        array([0.2448, 1.    ])
        """
        both = (sources, targets)
        rows = [np.array([self._rows.get(word, -1) for word in side.vocabulary], np.int64) for side in both]
        matrix = self.matrix
        found = compare_texts(
            *(row[side.ids] if len(row) else side.ids.astype(np.int64) for row, side in zip(rows, both)),
            sources.offsets,
            targets.offsets,
            self.idf,
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int64),
            matrix.data,
            matrix.shape[1],
        )
        same = np.array([a == b for a, b in zip(sources, targets)], bool)
        return np.where(same, 1.0, found)

    def similarity(self, text: str, other: str) -> float:
        """Return the cosine of two texts."""
        return float(self.cosines(*(Tokens.from_texts([side], self.tokenizer) for side in (text, other)))[0])

    def to_dict(self) -> dict[str, Any]:
        """Return the concepts as lists of str and plain arrays, for `from_dict`; the tokenizer is not part of them."""
        matrix = self.matrix
        return {
            "words": self.words,
            "idf": self.idf,
            "data": matrix.data,
            "indices": matrix.indices,
            "indptr": matrix.indptr,
            "documents": matrix.shape[1],
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any], tokenizer: Tokenize | None = None) -> ExplicitSemantics:
        """Build the concepts from the result of `to_dict`.

        >>> concepts = ExplicitSemantics(["a cat", "a dog", "my dog"])
        >>> ExplicitSemantics.from_dict(concepts.to_dict())
        ExplicitSemantics(3 documents, 4 words)
        """
        import scipy.sparse as sp

        # Compiled code trusts these arrays, and SciPy's own checks have gaps.
        try:
            cls.schema.parts.check(state, "concepts")
        except ModelFileError as error:
            raise InputError(f"the concepts are damaged ({error})") from None
        words, data, documents = list(state["words"]), state["data"], int(state["documents"])
        if not np.isfinite(data).all() or not np.isfinite(state["idf"]).all():
            raise InputError("the concepts are damaged: a number is not finite")
        if documents > FEW_DOCUMENTS + EMPTY_DOCUMENTS * len(data):
            raise InputError(f"the concepts are damaged: {documents:,} documents, but only {len(data):,} words in them")
        idf = state["idf"]
        matrix = sp.csr_array((data, state["indices"], state["indptr"]), shape=(len(words), documents))
        concepts = cls.__new__(cls)
        concepts._set(words, idf, matrix, tokenizer)
        return concepts


def _count_tokens(tokens: Tokens, width: int) -> sp.csr_array:
    """Return a matrix with a row for each text and the number of times that it has each token."""
    import scipy.sparse as sp

    texts = np.repeat(np.arange(len(tokens)), np.diff(tokens.offsets))
    counts = sp.csr_array((np.ones(len(texts)), (texts, tokens.ids)), shape=(len(tokens), width))
    counts.sum_duplicates()
    return counts


def _prune(matrix: sp.csr_array) -> sp.csr_array:
    """Keep only the entries with the largest weights of each row."""
    import scipy.sparse as sp

    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((matrix.indices, -matrix.data, rows))
    kept = np.sort(order[np.arange(len(order)) - matrix.indptr[rows] < MOST])
    entries = (matrix.data[kept], (rows[kept], matrix.indices[kept]))
    return sp.csr_array(entries, shape=matrix.shape)
