"""What the basic scores ask of a token's letters, found out once for each token in a process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Booleans, Ints

PREFIX = 4  # the number of characters of a common beginning
NEGATIONS = frozenset(["not", "n't", "no", "never", "neither", "nor", "without", "none", "fail", "refus", "reject"])
MOST_TOKENS = 1_000_000  # a table with more tokens is emptied before the next corpus


class TokenTraits(NamedTuple):
    """The traits of the tokens of a vocabulary.

    ``prefix`` numbers the beginnings of four characters, from 0 up, and is -1 for a shorter token. Equal beginnings
    have equal numbers; which number depends on the tokens that the process has seen before.

    >>> traits = find_traits(["nation", "national", "n't", "42nd"])
    >>> nation, national, short, other = traits.prefix.tolist()
    >>> nation == national, nation == other, short
    (True, False, -1)
    >>> traits.is_number.tolist(), traits.is_negation.tolist()
    ([False, False, False, True], [False, False, True, False])
    """

    is_word: Booleans  # has a letter or a digit
    is_number: Booleans  # has a digit
    is_negation: Booleans
    is_upper: Booleans  # begins with a capital letter
    prefix: Ints


class _TraitTable(dict[str, int]):
    """The traits of each token in one whole number; it fills itself, in any thread."""

    def __init__(self) -> None:
        super().__init__()
        self._beginnings: dict[str, int] = {}
        self._lock = threading.Lock()

    def __missing__(self, token: str) -> int:
        with self._lock:
            beginning = self._beginnings.setdefault(token[:PREFIX], len(self._beginnings))
        bits = (
            any(map(str.isalnum, token)),
            any(map(str.isdigit, token)),
            token in NEGATIONS,
            token[:1].isupper(),
        )
        code = (beginning + 1) << 4 if len(token) >= PREFIX else 0
        code += sum(bit << place for place, bit in enumerate(bits))
        self[token] = code
        return code


_tables = [_TraitTable()]


def find_traits(vocabulary: Sequence[str]) -> TokenTraits:
    """Return the traits of each token."""
    if len(_tables[0]) > MOST_TOKENS:
        _tables[0] = _TraitTable()
    codes = np.fromiter(map(_tables[0].__getitem__, vocabulary), np.int64, len(vocabulary))
    distinct, numbers = np.unique(codes >> 4, return_inverse=True)
    shorter = int(len(distinct) > 0 and distinct[0] == 0)
    is_word, is_number, is_negation, is_upper = ((codes >> place & 1).astype(bool) for place in range(4))
    return TokenTraits(is_word, is_number, is_negation, is_upper, numbers.ravel() - shorter)
