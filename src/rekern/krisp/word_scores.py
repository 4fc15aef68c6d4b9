"""Scores of the substrings of a sentence under the kernel on words, in plain NumPy.

The values are those of `rekern.krisp.substring_core.word_table`, to the bit. For a single sentence this is faster than
compiled code, which takes longer to load.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints, offsets_of

LONGEST_SUBSEQUENCE = 100  # words: as many as a sentence may have


class WordKernel(NamedTuple):
    """The parameters of `rekern.krisp.WordSubsequences`."""

    decay: float
    length: int
    normalize: bool


class SparseRows(NamedTuple):
    """The coefficients of the classes, most of which are 0: for each class the places of the others, and their values.

    >>> rows = find_nonzero(np.array([[0.0, 2.0], [0.0, 0.0]]))
    >>> rows.combine(np.array([[1.0, 1.0], [3.0, 5.0]])).tolist()
    [[6.0, 10.0], [0.0, 0.0]]
    """

    places: list[Ints]
    values: list[Floats]

    def combine(self, gram: Floats) -> Floats:
        """The product with a matrix that has a row for every coefficient."""
        found = np.zeros((len(self.places), gram.shape[1]))
        scratch = np.empty((max(map(len, self.places), default=0), gram.shape[1]))
        for row, places, values in zip(found, self.places, self.values):
            if len(places):
                chosen = scratch[: len(places)]
                # all places are there; to check each of them would take a copy
                np.matmul(values, gram.take(places, 0, chosen, "clip"), out=row)
        return found


def find_nonzero(coefficients: Floats) -> SparseRows:
    """The coefficients that are not 0, class by class."""
    places = [np.flatnonzero(row) for row in coefficients]
    return SparseRows(places, [row[found] for row, found in zip(coefficients, places)])


class WordScorer:
    """The scores of all classes on all substrings of a sentence, from the training substrings and their coefficients.

    >>> known = [("which", "rivers"), ("capital",)]
    >>> coefficients, sigmoids = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 0.0], [9.0, 9.0], [-4.0, -4.0]])
    >>> scorer = WordScorer(WordKernel(0.75, 3, True), known, np.array([3.0**-0.5, 1.0]), coefficients, sigmoids)
    >>> np.exp(scorer.score(("the", "capital"))[1]).round(2).tolist()  # by start and end
    [[0.0, 0.02, 0.77], [0.0, 0.0, 0.99]]
    """

    def __init__(
        self,
        kernel: WordKernel,
        known: Sequence[Sequence[str]],
        norms: Floats,
        coefficients: Floats,
        sigmoids: Floats,
    ):
        self._kernel, self._sigmoids = kernel, sigmoids
        self._numbers: dict[str, int] = {}
        lengths = np.array([len(words) for words in known], dtype=np.int64)
        self._order = np.argsort(-lengths, kind="stable")  # the longest first: then any end leaves a slice
        self._lengths = lengths[self._order]
        flat = np.array([self._numbers.setdefault(w, len(self._numbers)) for words in known for w in words], np.int64)
        starts = offsets_of(lengths)[:-1][self._order]
        columns = range(int(lengths.max(initial=0)))
        self._columns = [flat[starts[self._lengths > d] + d] for d in columns]  # the d-th word of those that have one
        self._norms, self._rows = norms, find_nonzero(coefficients)

    def score(self, words: Sequence[str]) -> Floats:
        """Log probabilities of all classes on all substrings of a sentence, (class, start, end)."""
        gram = self._compare(words) * self._norms[:, None]
        if self._kernel.normalize:
            gram *= self._find_norms(words)
        return score_classes(self._rows.combine(gram), self._sigmoids, len(words))

    def _number(self, words: Sequence[str]) -> Ints:
        """The numbers of words; unknown ones get negative numbers."""
        strange: dict[str, int] = {}
        found = [self._numbers.get(word, strange.setdefault(word, -1 - len(strange))) for word in words]
        return np.array(found, dtype=np.int64)

    def _compare(self, words: Sequence[str]) -> Floats:
        """The kernel values of the training substrings (rows) with all substrings of a sentence (columns)."""
        decay, longest, _ = self._kernel
        numbers, n, size = self._number(words), len(words), len(self._lengths)
        ends = len(self._columns)
        # By the last word of the training substring, then by start: the sums for the last word of the sentence so far.
        sums = np.zeros((longest, ends + 1, n, size))
        total = np.zeros((ends + 1, n, size))
        found = np.zeros((size, n, n + 1))
        rows = np.arange(size)
        for end in range(1, n + 1):
            new_sums, new_total = np.zeros_like(sums[:, :, :end]), np.zeros_like(total[:, :end])
            for d, column in enumerate(self._columns, 1):
                cell = (slice(None, end), slice(None, len(column)))
                equal = (column == numbers[end - 1]).astype(float)
                value: Floats = np.broadcast_to(equal, (end, len(column)))
                ending = np.zeros((end, len(column)))
                for length in range(longest):
                    ending += value
                    before = sums[length, d - 1][cell]
                    new_sums[length, d][cell] = (
                        value + decay * (new_sums[length, d - 1][cell] + sums[length, d][cell]) - decay * decay * before
                    )
                    value = before * equal
                new_total[d][cell] = ending + new_total[d - 1][cell] + total[d][cell] - total[d - 1][cell]
            sums[:, :, :end], total[:, :end] = new_sums, new_total
            found[:, :end, end] = new_total[self._lengths, :, rows]
        unsorted = np.empty((size, n, n + 1))
        unsorted[self._order] = found
        return np.column_stack([unsorted[:, start, end] for start, end in list_bounds(n)])

    def _find_norms(self, words: Sequence[str]) -> Floats:
        """1/√K(x, x) of all substrings of a sentence."""
        decay, longest, _ = self._kernel
        numbers, n = self._number(words), len(words)
        padded = np.concatenate([numbers, np.arange(n) + len(self._numbers)])  # the words after the end equal none
        sums, total = np.zeros((longest, n + 1, n + 1, n)), np.zeros((n + 1, n + 1, n))  # the starts are the last axis
        starts = np.arange(n)
        squares = np.zeros((n, n + 1))
        for b in range(1, n + 1):
            for d in range(1, n + 1):
                equal = (padded[starts + b - 1] == padded[starts + d - 1]).astype(float)
                value, ending = equal, np.zeros(n)
                for length in range(longest):
                    ending = ending + value
                    before = sums[length, b - 1, d - 1]
                    sums[length, b, d] = (
                        value + decay * (sums[length, b - 1, d] + sums[length, b, d - 1]) - decay * decay * before
                    )
                    value = before * equal
                total[b, d] = ending + total[b - 1, d] + total[b, d - 1] - total[b - 1, d - 1]
            last = n - b + 1
            squares[starts[:last], starts[:last] + b] = total[b, b, :last]
        return np.array([1.0 / np.sqrt(squares[start, end]) for start, end in list_bounds(n)])


def score_classes(values: Floats, sigmoids: Floats, n_words: int) -> Floats:
    """Log probabilities (class, start, end) from the decision values of all classes on all substrings of a sentence."""
    intercept, slope, offset = sigmoids[:, :, None]
    values = slope * (values + intercept) + offset
    scores = np.full((len(values), n_words, n_words + 1), -np.inf)
    bounds = np.array(list_bounds(n_words), dtype=np.int64).reshape(-1, 2)
    scores[:, bounds[:, 0], bounds[:, 1]] = -np.logaddexp(0.0, -values)
    return scores


def list_bounds(n_words: int) -> list[tuple[int, int]]:
    """Where the substrings of a sentence start and end.

    >>> list_bounds(2)
    [(0, 1), (0, 2), (1, 2)]
    """
    return [(start, end) for start in range(n_words) for end in range(start + 1, n_words + 1)]
