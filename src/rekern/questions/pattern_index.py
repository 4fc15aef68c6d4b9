"""An index of patterns: which patterns match which questions, without trying one pattern after the other.

A pattern is a sequence of unit numbers in which `GAP` stands for any number of units, including none. It must match the
whole question. Each pattern is listed under its rarest unit, so a question is compared only with the patterns that are
listed under one of its own units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np
from scipy.sparse import csr_array

from rekern.core.arrays import Ints
from rekern.core.compiling import compiled
from rekern.questions.pattern_index_core import match_all
from rekern.questions.pattern_matrices import flatten_rows, mark_matches

GAP = -1
UNKNOWN = -2  # a unit of a question that occurs in no pattern
FEW = 64  # up to this many questions, loading Numba takes longer than matching in Python


def is_match(pattern: Sequence[int], units: Sequence[int]) -> bool:
    """Whether a pattern matches a whole question.

    >>> is_match([GAP, 7, 8, GAP], [5, 7, 8]), is_match([7, GAP], [5, 7]), is_match([7, GAP, 8], [7, 8])
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


class PatternIndex:
    """Patterns over numbered units, each listed under its rarest unit.

    ``frequencies`` says how often each unit number occurs in the training questions.

    >>> index = PatternIndex([(GAP, 0, GAP), (1, GAP)], [5, 2])
    >>> index.match_questions([[1, 0], [0, 1], []]).toarray().tolist()
    [[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]
    """

    def __init__(self, patterns: Sequence[tuple[int, ...]], frequencies: Sequence[int]):
        self.patterns = patterns
        self.n_units = len(frequencies)
        self.entries: dict[int, list[int]] = {}  # unit -> the patterns listed under it
        for number, pattern in enumerate(patterns):
            rarest = min((code for code in set(pattern) if code != GAP), key=frequencies.__getitem__)
            self.entries.setdefault(rarest, []).append(number)
        self._arrays: tuple[Ints, ...] | None = None

    def match_questions(self, questions: Iterable[Sequence[int]]) -> csr_array:
        """Return a sparse matrix, questions × patterns, with 1 where a pattern matches."""
        rows = list(questions)
        few = len(rows) <= FEW
        columns, offsets = flatten_rows(map(self.match_question, rows)) if few else self.match_compiled(rows)
        return mark_matches(columns, offsets, len(self.patterns))

    def match_question(self, units: Sequence[int]) -> list[int]:
        """Return the numbers of the patterns that match one question, in order.

        >>> PatternIndex([(GAP, 0, GAP), (1, GAP)], [5, 2]).match_question([1, 0])
        [0, 1]
        """
        candidates = [number for unit in set(units) for number in self.entries.get(unit, ())]
        return sorted(number for number in candidates if is_match(self.patterns[number], units))

    def match_compiled(self, rows: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
        """Match many questions by the compiled core; return the columns of the matches and the offsets of the rows."""
        if self._arrays is None:
            entries = [self.entries.get(unit, []) for unit in range(self.n_units)]
            self._arrays = (*flatten_rows(self.patterns), *flatten_rows(entries))
        columns, offsets = _compile_core()(*flatten_rows(rows), *self._arrays, np.zeros(self.n_units, np.int64))
        return columns, offsets


@cache
def _compile_core() -> Callable[..., tuple[Ints, Ints]]:
    core: Callable[..., tuple[Ints, Ints]] = compiled(match_all)
    return core
