"""Which patterns match which questions, without running one regular expression after the other.

A pattern is a row of unit numbers in which `GAP` stands for any units or none; it must match the whole question. Each
pattern is filed under its rarest unit, so a question is compared only with the patterns filed under its own units.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

GAP = -1
UNKNOWN = -2  # a unit of a question that no pattern has
FEW = 64  # questions for which loading the compiled core does not pay


def matches(pattern: Sequence[int], units: Sequence[int]) -> bool:
    """Whether a pattern matches a whole question.

    >>> matches([GAP, 7, 8, GAP], [5, 7, 8]), matches([7, GAP], [5, 7]), matches([7, GAP, 8], [7, 8])
    (True, False, True)
    """
    place = at = 0
    gap = mark = -1
    while at < len(units):
        if place < len(pattern) and pattern[place] == GAP:
            if place == len(pattern) - 1:
                return True
            gap, mark = place, at
            place += 1
        elif place < len(pattern) and pattern[place] == units[at]:
            place += 1
            at += 1
        elif gap >= 0:  # the last gap takes one unit more
            mark += 1
            place, at = gap + 1, mark
        else:
            return False
    return all(code == GAP for code in pattern[place:])


class Matcher:
    """Patterns over numbered units, filed by their rarest unit.

    ``rarity`` counts how often each unit number occurs in training.

    >>> matcher = Matcher([(GAP, 0, GAP), (1, GAP)], [5, 2])
    >>> matcher([[1, 0], [0, 1], []]).toarray().tolist()
    [[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]
    """

    def __init__(self, patterns: Sequence[tuple[int, ...]], rarity: Sequence[int]):
        self.patterns = patterns
        self.units = len(rarity)
        keys = [min((code for code in set(pattern) if code != GAP), key=rarity.__getitem__) for pattern in patterns]
        self.filed: dict[int, list[int]] = {}
        for number, key in enumerate(keys):
            self.filed.setdefault(key, []).append(number)
        self._arrays: tuple[np.ndarray, ...] | None = None

    def __call__(self, questions: Iterable[Sequence[int]]) -> Any:
        """A sparse matrix, questions × patterns, with 1 where a pattern matches."""
        from scipy.sparse import csr_array

        rows = list(questions)
        if len(rows) <= FEW:
            found = [self.match(row) for row in rows]
            offsets = np.cumsum([0, *map(len, found)])
            columns = np.array([number for row in found for number in row], dtype=np.int64)
        else:
            columns, offsets = self._compiled(rows)
        index = (columns.astype(np.int32), offsets.astype(np.int32))  # half the memory to read in every product
        return csr_array((np.ones(len(columns)), *index), shape=(len(rows), len(self.patterns)))

    def match(self, units: Sequence[int]) -> list[int]:
        """The numbers of the patterns that match one question, in order.

        >>> Matcher([(GAP, 0, GAP), (1, GAP)], [5, 2]).match([1, 0])
        [0, 1]
        """
        candidates = [number for unit in set(units) for number in self.filed.get(unit, ())]
        return sorted(number for number in candidates if matches(self.patterns[number], units))

    def _compiled(self, rows: list[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
        from rekern.questions.pattern_matching_core import match_all

        if self._arrays is None:
            files = [self.filed.get(unit, []) for unit in range(self.units)]
            self._arrays = (*flat(self.patterns), *flat(files))
        units, starts = flat(rows)
        return match_all(units, starts, *self._arrays, np.zeros(self.units, np.int64))


def flat(rows: Iterable[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Rows of numbers as one array with offsets.

    >>> [part.tolist() for part in flat([[1, 2], [], [3]])]
    [[1, 2, 3], [0, 2, 2, 3]]
    """
    listed = list(rows)
    numbers = np.array([number for row in listed for number in row], dtype=np.int64)
    return numbers, np.cumsum([0, *map(len, listed)], dtype=np.int64)
