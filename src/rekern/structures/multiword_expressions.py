"""Multiword expressions: which n-grams of a collection behave as one word (Bu, Zhu and Li, 2010).

Of an n-gram g, φ(g) is the number of documents that hold it as it stands, μ(g) the number that hold all its words
anywhere. Its distance is log μ(g) − log φ(g): 0 for a fixed expression, large for a chance combination. Normalised, it
is divided by log N − log φ(g), where N is the number of documents, and lies between 0 and 1.

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
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from rekern.core.files import show_path, write_atomically
from rekern.errors import InputError
from rekern.structures import ngram_counts as expressioncore
from rekern.structures.tokens import Tokenizer, Tokens, joined, spans, starts_of

FORMAT = "rekern expressions"
VERSION = 1
LONGEST = 8  # the most words of an expression
LONGEST_WORD = 64  # what is longer is hardly a word
MOST_WORDS = 5_000_000  # that are told apart
FEWEST_CELLS, MOST_CELLS = 1 << 12, 1 << 24
CHUNK = 1 << 20  # tokens that are counted at a time
IN_MEMORY = 1 << 26  # bytes of token numbers; more of them go to a temporary file
BATCH = 1000  # texts that are tokenised at a time


class Expression(NamedTuple):
    """An n-gram: its words, φ and μ (``documents`` and ``together``), its distance and its normalised distance.

    >>> Expressions(min_documents=1).fit(["so far", "so what"]).rows_[0]
    Expression(text='so far', documents=1, together=1, distance=0.0, normalized=0.0)
    """

    text: str
    documents: int
    together: int
    distance: float
    normalized: float


class Expressions(BaseEstimator):
    """Learns from texts which n-grams behave as one word; ``Tokenizer(expressions=...)`` then joins them.

    Parameters
    ----------
    sizes : (int, int)
        The fewest and the most words of an expression.
    min_documents : int
        In how many documents an expression stands at least.
    max_distance : float
        The largest normalised distance, from 0 (only n-grams whose words occur together nowhere else) to 1 (all).
    tokenizer : callable, optional
        From a str to a list of tokens; by default ``Tokenizer(language=None)``, for people read the list and
        ``Tokenizer(expressions=...)`` stems an expression itself. A document may also be a list of tokens.
    most : int
        How many n-grams are counted at a time.

    Attributes
    ----------
    rows_ : list of Expression
        The nearest first.
    texts_ : list of str
        Their words.
    documents_ : int
        How many documents were read.
    min_documents_ : int
        ``min_documents``, or more where otherwise more than ``most`` n-grams had to be counted.

    The texts may be a generator: they are read once. All counts are exact. Memory is bounded, by the vocabulary (at
    most 5 million words; an n-gram with a word that first occurs after them is not found), a table of 2²⁴ cells and
    ``most`` n-grams; token numbers beyond 64 MB go to a temporary file. Tokens without a letter or a digit, and those
    longer than 64 characters, belong to no expression.

    >>> learned = Expressions(min_documents=2).fit(["in New York", "New York is new", "York", "a new day", "so far"])
    >>> learned.texts_
    ['new york']
    >>> Tokenizer(expressions=learned.texts_)("New Yorkers in New York")
    ['new', 'yorker', 'in', 'new_york']
    """

    rows_: list[Expression]
    documents_: int
    min_documents_: int

    def __init__(
        self,
        sizes: tuple[int, int] = (2, 4),
        min_documents: int = 5,
        max_distance: float = 0.1,
        tokenizer: Callable[[str], list[str]] | None = None,
        most: int = 1_000_000,
    ):
        self.sizes = sizes
        self.min_documents = min_documents
        self.max_distance = max_distance
        self.tokenizer = tokenizer
        self.most = most

    def fit(self, texts: Iterable[str | Sequence[str]], y: Any = None) -> Expressions:
        """Learn from these documents; ``y`` is not looked at."""
        shortest, longest = self._checked()
        if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
            raise InputError(f"a list of texts is needed, got a {type(texts).__name__}; for one text write [text]")
        with _Scratch() as scratch:
            words = _read(texts, Tokenizer(language=None) if self.tokenizer is None else self.tokenizer, scratch)
            ngrams, counts, floor = _frequent(scratch, shortest, longest, int(self.min_documents), int(self.most))
            together = _together(scratch, ngrams, len(words))
        self.documents_, self.min_documents_ = scratch.documents, floor
        found = (
            _expression(" ".join(words[word] for word in ngram if word >= 0), count, both, scratch.documents)
            for ngram, count, both in zip(ngrams.tolist(), counts.tolist(), together.tolist())
        )
        self.rows_ = sorted((row for row in found if row.normalized <= self.max_distance), key=_nearest_first)
        return self

    @property
    def texts_(self) -> list[str]:
        """The words of the expressions, the nearest first."""
        self._check_fitted()
        return [row.text for row in self.rows_]

    def join(self, tokens: Sequence[str]) -> list[str]:
        """Ready-made tokens, those of an expression as one: from left to right, the longest first.

        >>> Expressions(min_documents=1).fit([["ham", "and", "eggs"], ["x"]]).join(["green", "ham", "and", "eggs"])
        ['green', 'ham_and_eggs']
        """
        starts = starts_of(tuple(text.split(" ")) for text in self.texts_)
        return joined(list(tokens), spans(tokens, starts))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the expressions as JSON; the file appears only when it is complete."""
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
        try:
            with open(path, "rb") as file:
                content = json.loads(file.read().decode("utf-8"))
        except OSError as error:
            raise InputError(f"cannot read {name}: {error.strerror or error}; check the path") from None
        except (ValueError, RecursionError):
            raise InputError(f"{name} is not a file of expressions: it is no JSON; learn and save them again") from None
        try:
            return cls._from(content)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            raise InputError(f"{name} is not a file of expressions ({reason}); learn and save them again") from None

    @classmethod
    def _from(cls, content: Any) -> Expressions:
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT!r}")
        if content["version"] != VERSION:
            raise ValueError(f"its version is {content['version']!r}, and this Rekern reads version {VERSION}")
        learned = cls(tuple(content["sizes"]), content["min_documents"], content["max_distance"])
        learned._checked()
        learned.documents_, learned.min_documents_ = content["documents"], learned.min_documents
        if type(learned.documents_) is not int or not isinstance(content["expressions"], list):
            raise ValueError("its parts are of the wrong type")
        rows = []
        for number, (text, documents, together) in enumerate(content["expressions"]):
            counted = type(documents) is type(together) is int and 1 <= documents <= together <= learned.documents_
            if not isinstance(text, str) or not counted:
                raise ValueError(f"expression {number} is impossible")
            rows.append(_expression(text, documents, together, learned.documents_))
        learned.rows_ = rows
        return learned

    def _check_fitted(self) -> None:
        if "rows_" not in vars(self):
            raise NotFittedError("these Expressions are not learned yet: call fit(texts) first")

    def _checked(self) -> tuple[int, int]:
        sizes = self.sizes
        if not isinstance(sizes, list | tuple) or len(sizes) != 2 or not all(map(_is_whole, sizes)):
            raise InputError(f"sizes must be two whole numbers, the fewest and the most words, not {sizes!r}")
        if not 2 <= sizes[0] <= sizes[1] <= LONGEST:
            raise InputError(f"sizes {tuple(sizes)!r} are out of range: choose from 2 to {LONGEST} words")
        for name, value in (("min_documents", self.min_documents), ("most", self.most)):
            if not _is_whole(value) or value < 1:
                raise InputError(f"{name} must be a whole number from 1 on, not {value!r}")
        number = isinstance(self.max_distance, int | float | np.number)
        if not number or not 0 <= self.max_distance <= 1:
            raise InputError(f"max_distance must be a number from 0 to 1, not {self.max_distance!r}")
        return int(sizes[0]), int(sizes[1])


def distance(documents: int, together: int) -> float:
    """How far an n-gram is from one word: log μ − log φ.

    >>> distance(documents=5, together=5), round(distance(documents=5, together=50), 3)
    (0.0, 2.303)
    """
    return math.log(together / documents)


def normalized_distance(documents: int, together: int, collection: int) -> float:
    """The distance by log N − log φ, the largest that it can be; 0 for an n-gram that is in every document.

    >>> normalized_distance(5, 50, 500), normalized_distance(5, 5, 500), normalized_distance(7, 7, 7)
    (0.5, 0.0, 0.0)
    """
    return 0.0 if documents == collection else distance(documents, together) / math.log(collection / documents)


def _expression(text: str, documents: int, together: int, collection: int) -> Expression:
    normalized = normalized_distance(documents, together, collection)
    return Expression(text, documents, together, distance(documents, together), normalized)


def _nearest_first(row: Expression) -> tuple[float, int, str]:
    return row.normalized, -row.documents, row.text


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


class _Words(dict[str, int]):
    """Word -> its number; -1 for what belongs to no expression."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[str] = []

    def __missing__(self, token: str) -> int:
        if len(self.listed) >= MOST_WORDS or len(token) > LONGEST_WORD or not any(map(str.isalnum, token)):
            return -1
        number = self[token] = len(self.listed)
        self.listed.append(token)
        return number


class _Scratch:
    """Documents as token numbers, written once and read several times; large collections lie in a temporary file."""

    def __init__(self) -> None:
        self.file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (closed by __exit__)
        self.shapes: list[tuple[int, int]] = []
        self.documents = self.tokens = 0

    def __enter__(self) -> _Scratch:
        return self

    def __exit__(self, *error: object) -> None:
        self.file.close()

    def append(self, ids: np.ndarray, offsets: np.ndarray) -> None:
        """More documents: their token numbers, as int32, and where each begins and ends."""
        try:
            self.file.write(ids.tobytes() + offsets.tobytes())
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"no room for a temporary file ({reason}); name a folder with more in TMPDIR") from None
        self.shapes.append((len(ids), len(offsets)))
        self.documents += len(offsets) - 1
        self.tokens += len(ids)

    def chunks(self) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
        """Token numbers, offsets, and the number of the first document, from 1 on."""
        self.file.seek(0)
        first = 1
        for tokens, bounds in self.shapes:
            ids = np.frombuffer(self.file.read(4 * tokens), np.int32)
            yield ids, np.frombuffer(self.file.read(8 * bounds), np.int64), first
            first += bounds - 1


def _read(texts: Iterable[Any], tokenizer: Callable[[str], list[str]], scratch: _Scratch) -> list[str]:
    """Cut all texts into tokens and number the words; returns them by number."""
    words = _Words()
    source = iter(texts)
    ids: list[np.ndarray] = []
    lengths: list[np.ndarray] = []
    read = waiting = 0
    while batch := list(islice(source, BATCH)):
        tokens = Tokens.from_texts(batch, tokenizer, name=partial(_row, read))
        numbers = np.array([words[token] for token in tokens.vocabulary], np.int32)
        ids.append(numbers[tokens.ids])
        lengths.append(np.diff(tokens.offsets))
        read += len(batch)
        waiting += len(tokens.ids)
        if waiting >= CHUNK:
            scratch.append(np.concatenate(ids), _offsets(lengths))
            ids, lengths, waiting = [], [], 0
    if ids:
        scratch.append(np.concatenate(ids), _offsets(lengths))
    return words.listed


def _row(first: int, i: int) -> str:
    return f"row {first + i}"


def _offsets(lengths: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(lengths))])


def _frequent(
    scratch: _Scratch, shortest: int, longest: int, floor: int, most: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """All n-grams in at least so many documents, with their exact counts, and the floor, raised where it had to be.

    A hash table first gives each n-gram an upper bound; only those whose bound reaches the floor are then counted one
    by one. When they are too many, the floor rises and those below it go. What stays was counted from the start.
    """
    wanted = 2 * scratch.tokens * (longest - shortest + 1)
    size = min(MOST_CELLS, max(FEWEST_CELLS, 1 << max(0, wanted - 1).bit_length()))
    cells, marks = np.zeros(size, np.uint32), np.zeros(size, np.int32)
    for ids, offsets, first in scratch.chunks():
        expressioncore.count_cells(ids, offsets, first, shortest, longest, cells, marks)
    del marks

    room = min(most, 1 << 30, max(1, scratch.tokens * (longest - shortest + 1)))
    slots = np.zeros(1 << (2 * room - 1).bit_length(), np.int32)
    ngrams, counts = np.full((room, longest), -1, np.int32), np.zeros(room, np.int64)
    seen, used = np.zeros(room, np.int32), 0
    for ids, offsets, first in scratch.chunks():
        begin = 0
        while begin < len(offsets) - 1:
            begin, used = expressioncore.count_ngrams(
                ids, offsets, first, begin, shortest, longest, cells, floor, slots, ngrams, counts, seen, used
            )
            if begin < len(offsets) - 1:  # no room: at least half of it is made
                bounds = expressioncore.cells_of(ngrams, used, cells)
                floor = max(floor, int(np.partition(bounds, used // 2)[used // 2])) + 1
                kept = np.flatnonzero(bounds >= floor)
                for array in (ngrams, counts, seen):
                    array[: len(kept)] = array[kept]
                counts[len(kept) :] = seen[len(kept) :] = 0
                used = len(kept)
                slots[:] = 0
                expressioncore.place_again(ngrams, used, slots)
    frequent = counts[:used] >= floor
    return ngrams[:used][frequent], counts[:used][frequent], floor


def _together(scratch: _Scratch, ngrams: np.ndarray, words: int) -> np.ndarray:
    """For each n-gram, in how many documents all its words are."""
    together = np.zeros(len(ngrams), np.int64)
    if not len(ngrams):
        return together
    frequency = np.zeros(words + 1, np.int64)  # the last is for -1, which is never the rarest
    for ids, _, _ in scratch.chunks():
        frequency += np.bincount(np.where(ids < 0, words, ids), minlength=words + 1)
    frequency[-1] = np.iinfo(np.int64).max
    rarest = ngrams[np.arange(len(ngrams)), np.argmin(frequency[ngrams], axis=1)]
    filed = np.argsort(rarest, kind="stable")
    starts = np.searchsorted(rarest[filed], np.arange(words + 1))
    present = np.zeros(words, np.int32)
    for ids, offsets, first in scratch.chunks():
        expressioncore.count_together(ids, offsets, first, ngrams, filed, starts, present, together)
    return together
