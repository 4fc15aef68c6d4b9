"""An index of patterns: which patterns match which questions, without trying one pattern after the other.

A pattern is a sequence of unit numbers in which `GAP` stands for any number of units, including none. It must match the
whole question. Each pattern is listed under its rarest unit, so a question is compared only with the patterns that are
listed under one of its own units.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.sparse import csr_array, hstack

from rekern.core.arrays import Ints, offsets_of
from rekern.core.csr import make_csr
from rekern.questions.pattern_index_core import match_all

GAP = -1
UNKNOWN = -2  # a unit of a question that occurs in no pattern


def flatten_rows(rows: Iterable[Sequence[int]]) -> tuple[Ints, Ints]:
    """Put rows of numbers into one array; return the array and the offsets of the rows.

    >>> [part.tolist() for part in flatten_rows([[1, 2], [], [3]])]
    [[1, 2, 3], [0, 2, 2, 3]]
    """
    listed = list(rows)
    return np.array([number for row in listed for number in row], dtype=np.int64), offsets_of(list(map(len, listed)))


def mark_matches(columns: Ints, offsets: Ints, n_patterns: int) -> csr_array:
    """Return a matrix with 1 in the given columns of each row and 0 elsewhere.

    >>> mark_matches(*flatten_rows([[0], [0, 2]]), 3).toarray().tolist()
    [[1.0, 0.0, 0.0], [1.0, 0.0, 1.0]]
    """
    return make_csr(np.ones(len(columns)), columns, offsets, n_patterns)


def join_columns(matrices: Sequence[csr_array], n_rows: int) -> csr_array:
    """Put matrices with ``n_rows`` rows side by side, with 32-bit indices.

    >>> one = mark_matches(*flatten_rows([[0], []]), 1)
    >>> join_columns([one, one], 2).toarray().tolist()
    [[1.0, 1.0], [0.0, 0.0]]
    """
    if not matrices:
        return csr_array((n_rows, 0))
    whole = (matrices[0] if len(matrices) == 1 else hstack(matrices)).tocsr()
    return make_csr(whole.data, whole.indices, whole.indptr, whole.shape[1])


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
        if self._arrays is None:
            entries = [self.entries.get(unit, []) for unit in range(self.n_units)]
            self._arrays = (*flatten_rows(self.patterns), *flatten_rows(entries))
        columns, offsets = match_all(*flatten_rows(questions), *self._arrays, np.zeros(self.n_units, np.int64))
        return mark_matches(columns, offsets, len(self.patterns))
