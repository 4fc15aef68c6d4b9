"""Whole words for the stems in rules, so that a rule reads as text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from rekern.structures.pairs import Pairs
from rekern.structures.tokens import Tokens

BothSides = tuple[list[str], list[str]]


def spell_pair(pairs: Pairs, row: int) -> BothSides | None:
    """Return the words of a pair to show instead of its tokens: as they are written, but for the case.

    Returns None if the tokens are shown themselves, as ready-made tokens are.

    >>> spell_pair(Pairs.from_items([("Critics praised it", "It was praised")], with_forms=True), 0)
    (['critics', 'praised', 'it'], ['it', 'was', 'praised'])
    """
    if pairs.tokens.forms is None:
        return None
    forms = Pairs(pairs.tokens.forms)[row]
    source, target = (list(map(_fold_case, *sides)) for sides in zip(pairs[row], forms))
    return (source, target) if _is_unique([*pairs[row][0], *pairs[row][1]], [*source, *target]) else None


def spell_row(pairs: Pairs, row: int, words: Sequence[str]) -> BothSides:
    """Return both sides of a pair, with the word for each token of the vocabulary that ``words`` has.

    >>> spell_row(Pairs.from_items([("a b", "b")]), 0, ["one", "two"])
    (['one', 'two'], ['two'])
    """
    ids, offsets = pairs.tokens.ids, pairs.tokens.offsets[2 * row : 2 * row + 3].tolist()
    source, target = ([words[token] for token in ids[first:last].tolist()] for first, last in pairwise(offsets))
    return source, target


def find_common_words(tokens: Tokens) -> list[str]:
    """Return for every word of the vocabulary its most frequent written form; of equally frequent ones the first.

    >>> find_common_words(Tokens.from_texts(["Houses and a house, house"], with_forms=True))
    ['house', 'and', 'a', ',']
    """
    if tokens.forms is None:
        return tokens.vocabulary
    width = len(tokens.forms.vocabulary)
    pairs, counts = np.unique(tokens.ids.astype(np.int64) * max(width, 1) + tokens.forms.ids, return_counts=True)
    found: dict[int, dict[str, int]] = {}
    for code, count in zip(pairs.tolist(), counts.tolist()):
        number, form = divmod(code, width)
        word = _fold_case(tokens.vocabulary[number], tokens.forms.vocabulary[form])
        forms = found.setdefault(number, {})
        forms[word] = forms.get(word, 0) + count
    words = list(tokens.vocabulary)
    for number, forms in found.items():
        words[number] = min(forms, key=lambda word: (-forms[word], word))
    return words if _is_unique(tokens.vocabulary, words) else tokens.vocabulary


def _fold_case(token: str, form: str) -> str:
    """Return a written form, in lower case if its token is."""
    return form.casefold() if token == token.casefold() else form


def _is_unique(tokens: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether different tokens have different words, so that different rules read differently."""
    return len(set(zip(words, tokens))) == len(set(words))
