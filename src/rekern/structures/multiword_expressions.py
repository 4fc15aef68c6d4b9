"""Multiword expressions: which n-grams of a collection behave as one word (Bu, Zhu and Li, 2010).

For an n-gram g, φ(g) is the number of documents that contain it, and μ(g) the number that contain all its words
anywhere. Its distance is log μ(g) − log φ(g): 0 for a fixed expression, large for a chance combination. The normalized
distance is divided by log N − log φ(g), where N is the number of documents; it lies between 0 and 1.

>>> texts = ["He left in spite of me", "In spite of it", "of spite in tea", "Tea in milk", "He left it", "A cup of tea"]
>>> for found in Expressions(min_documents=2, max_distance=0.5).fit(texts).rows_:
...     print(found.text, found.documents, found.together, round(found.distance, 3), round(found.normalized, 3))
he left 2 2 0.0 0.0
in spite 2 3 0.405 0.369
in spite of 2 3 0.405 0.369
spite of 2 3 0.405 0.369
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from rekern.core.arrays import Ints, SmallInts, offsets_of
from rekern.core.files import show_path, write_atomically
from rekern.core.messages import show_value
from rekern.core.parameter_tables import check_parameters, state_parameters
from rekern.core.parameters import is_whole
from rekern.core.state_schema import TOKENIZER, Number, Whole
from rekern.core.text_files import read_text
from rekern.errors import InputError
from rekern.structures.expression_spans import find_spans, index_expressions, join_spans
from rekern.structures.multiword_expressions_core import count_together
from rekern.structures.tokenizer import Tokenize, Tokenizer
from rekern.structures.tokens import Tokens

FORMAT = "rekern expressions"
VERSION = 1
MAX_WORDS = 8  # of an expression
MAX_WORD_LENGTH = 64  # a longer token is hardly a word
BATCH = 10_000  # texts that are tokenized at a time


class Expression(NamedTuple):
    """An n-gram: its words, φ and μ (``documents`` and ``together``), its distance and its normalized distance.

    >>> Expressions(min_documents=1).fit(["so far", "so what"]).rows_[0]
    Expression(text='so far', documents=1, together=1, distance=0.0, normalized=0.0)
    """

    text: str
    documents: int
    together: int
    distance: float
    normalized: float


class Expressions(BaseEstimator):
    """Learn from texts which n-grams behave as one word; ``Tokenizer(expressions=...)`` then joins their tokens.

    Parameters
    ----------
    sizes : (int, int)
        The smallest and the largest number of words of an expression.
    min_documents : int
        The smallest number of documents that contain an expression.
    max_distance : float
        The largest normalized distance, from 0 (only n-grams whose words occur together nowhere else) to 1 (all).
    tokenizer : callable, optional
        A function from a str to a list of tokens. The default is ``Tokenizer(language=None)``, which does not stem:
        the list stays readable, and ``Tokenizer(expressions=...)`` stems the expressions itself. It is not used for a
        document that is a list of tokens.
    most : int
        The largest number of n-grams that are compared.

    Attributes
    ----------
    rows_ : list of Expression
        The expressions, in order of their normalized distance.
    texts_ : list of str
        The words of the expressions.
    documents_ : int
        The number of documents.
    min_documents_ : int
        ``min_documents``, or a larger number if there would be more than ``most`` n-grams.

    The texts may come from a generator: they are read once, and kept as numbers of their tokens. Tokens without a
    letter or a digit, and those longer than 64 characters, belong to no expression.

    >>> learned = Expressions(min_documents=2).fit(["in New York", "New York is new", "York", "a new day", "so far"])
    >>> learned.texts_
    ['new york']
    >>> Tokenizer(expressions=learned.texts_)("New Yorkers in New York")
    ['new', 'yorker', 'in', 'new_york']
    """

    rows_: list[Expression]
    documents_: int
    min_documents_: int

    parameter_table = state_parameters(
        sizes=None,
        min_documents=Whole(1, 10**9),
        max_distance=Number(0.0, 1.0),
        tokenizer=TOKENIZER,
        most=Whole(1, 10**12),
    )

    def __init__(
        self,
        sizes: tuple[int, int] = (2, 4),
        min_documents: int = 5,
        max_distance: float = 0.1,
        tokenizer: Tokenize | None = None,
        most: int = 1_000_000,
    ):
        self.sizes = sizes
        self.min_documents = min_documents
        self.max_distance = max_distance
        self.tokenizer = tokenizer
        self.most = most

    def fit(self, texts: Iterable[str | Sequence[str]], y: object = None) -> Expressions:
        """Learn from these documents; ``y`` is ignored."""
        shortest, longest = self._check_parameters()
        if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
            raise InputError(f"a list of texts is needed, got a {type(texts).__name__}; for one text write [text]")
        words, ids, offsets = _number_words(
            texts, Tokenizer(language=None) if self.tokenizer is None else self.tokenizer
        )
        ngrams, counts = _count_frequent(ids, offsets, len(words), (shortest, longest), int(self.min_documents))
        self.documents_, self.min_documents_ = len(offsets) - 1, int(self.min_documents)
        if len(ngrams) > self.most:
            self.min_documents_ = 1 + int(np.sort(counts)[-int(self.most) - 1])
            ngrams, counts = ngrams[counts >= self.min_documents_], counts[counts >= self.min_documents_]
        together = _count_together(ids, offsets, ngrams, len(words))
        found = (
            _measure(" ".join(words[word] for word in ngram if word >= 0), count, both, self.documents_)
            for ngram, count, both in zip(ngrams.tolist(), counts.tolist(), together.tolist())
        )
        kept = (row for row in found if row.normalized <= self.max_distance)
        self.rows_ = sorted(kept, key=lambda row: (row.normalized, -row.documents, row.text))
        return self

    @property
    def texts_(self) -> list[str]:
        """The words of the expressions, in order of their normalized distance."""
        self._check_fitted()
        return [row.text for row in self.rows_]

    def join(self, tokens: Sequence[str]) -> list[str]:
        """Join the tokens of each expression into one token, from left to right and the longest first.

        >>> Expressions(min_documents=1).fit([["ham", "and", "eggs"], ["x"]]).join(["green", "ham", "and", "eggs"])
        ['green', 'ham_and_eggs']
        """
        index = index_expressions(tuple(text.split(" ")) for text in self.texts_)
        return join_spans(list(tokens), find_spans(tokens, index))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the expressions to a JSON file, which appears only when it is complete."""
        self._check_fitted()
        content = {
            "format": FORMAT,
            "version": VERSION,
            "sizes": [int(size) for size in self.sizes],
            "min_documents": self.min_documents_,
            "max_distance": float(self.max_distance),
            "documents": self.documents_,
            "expressions": [[row.text, row.documents, row.together] for row in self.rows_],
        }
        with write_atomically(path) as temporary:
            temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Expressions:
        """Read a file that ``save`` wrote.

        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     Expressions(min_documents=1).fit(["so far", "so good"]).save(folder + "/found.json")
        ...     Expressions.load(folder + "/found.json").texts_
        ['so far', 'so good']
        """
        name = show_path(path)
        text = read_text(path)
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            reason = f"{name} is not a file of expressions: it is not JSON; learn them again"
            raise InputError(reason, file=name, names_file=True) from None
        try:
            return cls._build(content)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            problem = f"{name} is not a file of expressions ({reason}); learn and save them again"
            raise InputError(problem, file=name, names_file=True) from None

    @classmethod
    def _build(cls, content: object) -> Expressions:
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT!r}")
        if content["version"] != VERSION:
            raise ValueError(f"its version is {content['version']!r}, but this Rekern reads version {VERSION}")
        learned = cls(tuple(content["sizes"]), content["min_documents"], content["max_distance"])
        learned._check_parameters()
        learned.documents_, learned.min_documents_ = content["documents"], learned.min_documents
        if type(learned.documents_) is not int or not isinstance(content["expressions"], list):
            raise ValueError("its parts are of the wrong type")
        rows = []
        for number, (text, documents, together) in enumerate(content["expressions"]):
            counted = type(documents) is type(together) is int and 1 <= documents <= together <= learned.documents_
            if not isinstance(text, str) or not counted:
                raise ValueError(f"expression {number} is impossible")
            rows.append(_measure(text, documents, together, learned.documents_))
        learned.rows_ = rows
        return learned

    def _check_fitted(self) -> None:
        if "rows_" not in vars(self):
            raise NotFittedError("these Expressions are not fitted yet: call fit(texts) first")

    def _check_parameters(self) -> tuple[int, int]:
        sizes = self.sizes
        if not isinstance(sizes, list | tuple) or len(sizes) != 2 or not all(map(is_whole, sizes)):
            raise InputError(f"sizes={show_value(sizes)}: give two whole numbers, the fewest and the most words")
        if not 2 <= sizes[0] <= sizes[1] <= MAX_WORDS:
            raise InputError(f"sizes={show_value(tuple(sizes))}: out of range, choose from 2 to {MAX_WORDS} words")
        check_parameters(self)
        return int(sizes[0]), int(sizes[1])


def _measure(text: str, documents: int, together: int, collection: int) -> Expression:
    """Return an n-gram with its distance, and this divided by its largest value; 0 if it is in every document.

    >>> _measure("so far", 5, 50, 500)
    Expression(text='so far', documents=5, together=50, distance=2.302585092994046, normalized=0.5)
    """
    distance = math.log(together / documents)
    normalized = 0.0 if documents == collection else distance / math.log(collection / documents)
    return Expression(text, documents, together, distance, normalized)


def _number_words(texts: Iterable[str | Sequence[str]], tokenizer: Tokenize) -> tuple[list[str], SmallInts, Ints]:
    """Return the words of texts, the number of each token, -1 if it belongs to no n-gram, and where texts begin."""
    numbers: dict[str, int] = {}
    ids: list[SmallInts] = [np.zeros(0, np.int32)]
    lengths: list[Ints] = [np.zeros(0, np.int64)]
    source, done = iter(texts), 0
    while batch := list(islice(source, BATCH)):
        try:
            tokens = Tokens.from_texts(batch, tokenizer)
        except InputError as error:
            raise error.at(row=None if error.row is None else done + error.row) from None
        of_vocabulary = [
            numbers.setdefault(token, len(numbers)) if len(token) <= MAX_WORD_LENGTH and _has_letter(token) else -1
            for token in tokens.vocabulary
        ]
        ids.append(np.array(of_vocabulary, np.int32)[tokens.ids])
        lengths.append(np.diff(tokens.offsets))
        done += len(batch)
    return list(numbers), np.concatenate(ids), offsets_of(np.concatenate(lengths))


def _has_letter(token: str) -> bool:
    return any(map(str.isalnum, token))


def _count_frequent(
    ids: SmallInts, offsets: Ints, n_words: int, sizes: tuple[int, int], floor: int
) -> tuple[SmallInts, Ints]:
    """Return the n-grams in at least ``floor`` documents, padded with -1, and the number of documents with each.

    An n-gram is frequent only if its beginning is: from size to size, only the places of frequent ones are prolonged.

    >>> _count_frequent(np.array([0, 1, 0, 1, 2]), np.array([0, 2, 5]), 3, (2, 3), 2)
    (array([[ 0,  1, -1]]), array([2]))
    """
    documents = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    places = np.flatnonzero(ids >= 0)
    numbers = ids[places].astype(np.int64)  # of the n-grams that begin there
    ngrams, counts = [np.zeros((0, sizes[1]), ids.dtype)], [np.zeros(0, np.int64)]
    for size in range(1, sizes[1] + 1):
        if size > 1:
            ends = np.minimum(places + size - 1, len(ids) - 1)
            longer = (places + size <= len(ids)) & (documents[ends] == documents[places]) & (ids[ends] >= 0)
            places, numbers = places[longer], numbers[longer] * n_words + ids[ends[longer]]
        # The sort is stable: those of one document stand together.
        order = np.argsort(numbers, kind="stable")
        places, numbers = places[order], numbers[order]
        is_new = np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)]
        is_next = np.append(True, documents[places[1:]] != documents[places[:-1]])[: len(numbers)]
        numbers = np.cumsum(is_new) - 1
        found = np.bincount(numbers[is_new | is_next])
        if size >= sizes[0]:
            first = places[is_new][found >= floor]
            rows = np.full((len(first), sizes[1]), -1, ids.dtype)
            rows[:, :size] = ids[first[:, None] + np.arange(size)]
            ngrams.append(rows)
            counts.append(found[found >= floor])
        frequent = found[numbers] >= floor
        places, numbers = places[frequent], numbers[frequent]
    return np.concatenate(ngrams), np.concatenate(counts)


def _count_together(ids: SmallInts, offsets: Ints, ngrams: SmallInts, n_words: int) -> Ints:
    """Return for each n-gram the number of documents that contain all its words, in any order and anywhere."""
    frequency = np.bincount(ids[ids >= 0], minlength=n_words + 1)
    frequency[-1] = len(ids) + 1  # of -1, which is never the rarest
    rarest = ngrams[np.arange(len(ngrams)), np.argmin(frequency[ngrams], axis=1)]
    by_rarest = np.argsort(rarest, kind="stable")
    together = np.zeros(len(ngrams), np.int64)
    starts = np.searchsorted(rarest[by_rarest], np.arange(n_words + 1))
    count_together(ids, offsets, ngrams, by_rarest, starts, np.zeros(n_words, np.int64), together)
    return together
