"""Patterns as text: n-grams, and n-grams with wildcards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Keys, SmallInts
from rekern.core.hashing import mix_array
from rekern.kernels.strings.pattern_placement_core import find_distinct_windows, hash_sequences, list_placements

WILDCARD = "∗"  # in a pattern with free wildcards
SIGNS = frozenset(("→", "⟨", "\\", WILDCARD))  # with which signs of a pattern begin


class PatternText(NamedTuple):
    """A pattern on a text: how it is written, the words that it lies on, and how many wildcards it has."""

    text: str
    words: str
    wildcards: int


def quote_token(token: str) -> str:
    """Return a token as it is written in a pattern; one that looks like a sign of a pattern gets a backslash.

    >>> quote_token("wrote"), quote_token("→"), quote_token("⟨1⟩")
    ('wrote', '\\\\→', '\\\\⟨1⟩')
    """
    return "\\" + token if token[:1] in SIGNS else token


def quote_tokens(tokens: Sequence[str]) -> list[str]:
    """Return tokens as they are written in a pattern.

    >>> quote_tokens(["wrote", "→"])
    ['wrote', '\\\\→']
    """
    return list(map(quote_token, tokens))


def list_ngrams(
    words: Sequence[str], token_keys: Keys, ids: SmallInts, factors: Keys, n: int
) -> dict[int, PatternText]:
    """Return the distinct n-grams of a text by their keys."""
    sums = np.zeros(max(len(ids) - n + 1, 0), np.uint64)
    for offset in range(n):
        sums += token_keys[ids[offset : len(sums) + offset]] * factors[offset]
    shown = list(words)
    quoted = quote_tokens(shown)
    is_same = quoted == shown
    keys = sums.tolist()
    firsts = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1)))
    ngrams = {}
    for key in dict.fromkeys(keys):
        start = firsts[key]
        text = " ".join(quoted[start : start + n])
        ngrams[key] = PatternText(text, text if is_same else " ".join(shown[start : start + n]), 0)
    return ngrams


def list_patterns(
    words: Sequence[str], token_keys: Keys, ids: SmallInts, factors: Keys, size: int, span: int, wildcards: int
) -> dict[int, PatternText]:
    """Return the patterns of ``size`` elements with at most ``wildcards`` free wildcards on a text, by their keys."""
    starts, _ = find_distinct_windows(ids, token_keys, size, size * span, factors)
    prints = hash_sequences(ids, token_keys, span)
    caps = np.full(len(starts), wildcards, np.int64)
    found = list_placements(ids, token_keys, prints, np.ones(prints.shape, np.bool_), starts, caps, size, factors, 0)
    patterns: dict[int, PatternText] = {}
    for key, (window, end, count, listed) in zip(mix_array(found.literals).tolist(), found.shapes.tolist()):
        chosen = slice(listed, listed + count)
        at = dict(zip(found.elements[chosen].tolist(), found.starts[chosen].tolist()))
        text, under = lay_out_pattern(words, int(starts[window]), end, size, dict.fromkeys(at, WILDCARD), at)
        patterns.setdefault(key, PatternText(text, under, count))
    return patterns


def lay_out_pattern(
    words: Sequence[str], start: int, end: int, size: int, signs: dict[int, str], starts: dict[int, int]
) -> tuple[str, str]:
    """Return a pattern as text, and the words that it lies on.

    ``signs`` has the sign of each element that is a wildcard, ``starts`` the position of its first token.
    """
    elements, position = [], start
    for index in range(size):
        if index in signs:
            elements.append(signs[index])
            # A wildcard over several tokens ends where the tokens before the next wildcard begin.
            following = min((at for at in starts if at > index), default=None)
            literals = (size if following is None else following) - index - 1
            position = (end if following is None else starts[following]) - literals
        else:
            elements.append(quote_token(words[position]))
            position += 1
    return " ".join(elements), " ".join(words[start:end])
