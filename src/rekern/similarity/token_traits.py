"""What the basic scores ask of a token's letters, found out once for each token in a process."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Booleans, Ints
from rekern.similarity.word_facts import find_facts, keep_beside

PREFIX = 4  # the number of characters of a common beginning
NEGATIONS = frozenset(["not", "n't", "no", "never", "neither", "nor", "without", "none", "fail", "refus", "reject"])


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


class _Beginnings(dict[str, int]):
    """Numbers of the beginnings of tokens; it fills itself, in any thread."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def __missing__(self, beginning: str) -> int:
        with self._lock:
            return self.setdefault(beginning, len(self))


def find_traits(vocabulary: Sequence[str]) -> TokenTraits:
    """Return the traits of each token."""
    codes = find_facts(_code_traits, vocabulary, keep_beside(vocabulary, "beginnings", _Beginnings))
    is_word, is_number, is_negation, is_upper = ((codes >> place & 1).astype(bool) for place in range(4))
    return TokenTraits(is_word, is_number, is_negation, is_upper, (codes >> 4) - 1)


def _code_traits(tokens: Sequence[str], beginnings: Mapping[str, int]) -> Ints:
    """Return the traits of each token in one whole number."""
    codes = []
    for token in tokens:
        bits = any(map(str.isalnum, token)), any(map(str.isdigit, token)), token in NEGATIONS, token[:1].isupper()
        code = (beginnings[token[:PREFIX]] + 1) << 4 if len(token) >= PREFIX else 0
        codes.append(code + sum(bit << place for place, bit in enumerate(bits)))
    return np.array(codes, np.int64)
