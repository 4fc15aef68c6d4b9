"""Where the words of a rule are in a text, whatever tokenizer found them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

INSIDE = "'’-"  # signs that may be inside a word
JOINERS = "\u200d\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"  # of emoji that are several characters
LONGEST_PIECE = 24
WILDCARD = re.compile(r"⟨(\d+)⟩$")
ARROW = " → "
SHORTEST_STEM = 3


class Piece(NamedTuple):
    """A word or a sign of a text, and whether a blank is before it."""

    text: str
    is_apart: bool


class Span(NamedTuple):
    """The pieces from ``first`` to ``last`` of a text."""

    first: int
    last: int


class Element(NamedTuple):
    """A word or a wildcard of a rule, and the pieces of the text that it lies on; ``number`` is 0 for a word."""

    number: int
    span: Span


def split_pieces(text: str, most: int | None = None) -> list[Piece]:
    """Return the words and signs of a text, as they are drawn; if there are more than ``most``, then some more.

    >>> [piece.text for piece in split_pieces("He didn't go, she did.")]
    ['He', "didn't", 'go', ',', 'she', 'did', '.']
    """
    found: list[Piece] = []
    word: list[str] = []
    is_apart = True

    def end_word() -> None:
        nonlocal is_apart
        if word:
            found.append(Piece("".join(word), is_apart))
            is_apart = False
            word.clear()

    for sign, following in zip(text, f"{text[1:]} "):
        if sign.isspace():
            end_word()
            is_apart = True
            if most is not None and len(found) > most:
                break
            continue
        is_joined = bool(word) and (sign in JOINERS or word[-1] == JOINERS[0])
        is_inside = bool(word) and sign in INSIDE and _is_letter(following)
        is_more = bool(word) and _is_letter(word[0]) and (_is_letter(sign) or is_inside)
        if not (is_joined or is_more) or len(word) == LONGEST_PIECE:
            end_word()
        word.append(sign)
    end_word()
    return found


def _is_letter(sign: str) -> bool:
    return (sign.isalnum() or sign == "_" or unicodedata.category(sign)[0] == "M") and not _is_ideograph(sign)


def _is_ideograph(sign: str) -> bool:
    return sign > "\u2e7f" and unicodedata.east_asian_width(sign) in ("W", "F")


def find_words(pieces: list[Piece], words: str) -> list[Span]:
    """Return where these words of a rule are in a text: a span for each, at the first place; or nothing.

    Words are compared without their case. A word may be a stem, or a part of a piece.

    >>> find_words(split_pieces("The pilot, the judge."), "the judge")
    [Span(first=3, last=3), Span(first=4, last=4)]
    >>> find_words(split_pieces("Critics praised it"), "prais it")
    [Span(first=1, last=1), Span(first=2, last=2)]
    """
    wanted = [_fold(word) for word in words.split()]
    if not wanted or not all(wanted):
        return []
    folded = [_fold(piece.text) for piece in pieces]
    return _find_letters(folded, wanted) or _find_stems(folded, wanted)


@lru_cache(maxsize=1 << 16)  # every rule is looked for among the same words
def _fold(text: str) -> str:
    return text.casefold().replace("``", '"').replace("''", '"')


def _find_letters(folded: list[str], wanted: list[str]) -> list[Span]:
    """Find the words as a run of letters, first at the beginning of a piece, then anywhere."""
    whole, target = "".join(folded), "".join(wanted)
    found: list[int] = []
    while (place := whole.find(target, found[-1] + 1 if found else 0)) >= 0:
        found.append(place)
    if not found:
        return []
    owner = [place for place, text in enumerate(folded) for _ in text]
    starts = {0} | {place for place in range(1, len(owner)) if owner[place] != owner[place - 1]}
    ends = {*starts, len(owner)} - {0}
    begin = min(found, key=lambda at: (at not in starts or at + len(target) not in ends, at))
    if begin not in starts and len(target) < SHORTEST_STEM:
        return []
    spans = []
    for word in wanted:
        spans.append(Span(owner[begin], owner[begin + len(word) - 1]))
        begin += len(word)
    return spans


def _find_stems(folded: list[str], wanted: list[str]) -> list[Span]:
    """Find the words as beginnings of pieces."""
    for first in range(len(folded) - len(wanted) + 1):
        pieces = folded[first : first + len(wanted)]
        if all(is_stem(word, piece) for word, piece in zip(wanted, pieces)):
            return [Span(place, place) for place in range(first, first + len(wanted))]
    return []


def is_stem(word: str, piece: str) -> bool:
    """Return whether a word is a piece of a text, or looks like its stem.

    >>> is_stem("arriv", "arrived"), is_stem("a", "and")
    (True, False)
    """
    return word == piece or (len(word) >= SHORTEST_STEM and piece.startswith(word[:-1]))


def split_rule(name: str) -> tuple[list[str], list[str]]:
    """Return the elements of the two sides of a rule.

    >>> split_rule("the ⟨1⟩ → ⟨1⟩ .")
    (['the', '⟨1⟩'], ['⟨1⟩', '.'])
    """
    source, _, target = name.partition(ARROW)
    return source.split(), target.split()


def place_elements(elements: list[str], spans: list[Span], words: list[str]) -> list[Element]:
    """Return the elements of one side of a rule with their places; a wildcard may stand for several words.

    >>> place_elements(["⟨1⟩", "won"], [Span(0, 0), Span(1, 1), Span(2, 2)], ["the", "team", "won"])
    [Element(number=1, span=Span(first=0, last=1)), Element(number=0, span=Span(first=2, last=2))]
    """
    if not spans:
        return []
    lengths = _share_words(elements, words) if len(words) == len(spans) else None
    if lengths is None:
        return [Element(0, Span(spans[0].first, spans[-1].last))]
    found, at = [], 0
    for name, length in zip(elements, lengths):
        match = WILDCARD.match(name)
        found.append(Element(int(match.group(1)) if match else 0, Span(spans[at].first, spans[at + length - 1].last)))
        at += length
    return found


def _share_words(elements: list[str], words: list[str]) -> list[int] | None:
    """Return how many words each element stands for: one, but for wildcards over several words."""
    if len(elements) == len(words):
        return [1] * len(elements)
    # The ways to share out the words before a place, one for each number of words that are used.
    ways: dict[int, list[int]] = {0: []}
    for name in elements:
        is_wild = bool(WILDCARD.match(name)) or name == "∗"
        following: dict[int, list[int]] = {}
        for used, lengths in ways.items():
            most = len(words) - used if is_wild else 1
            for length in range(1, most + 1):
                if is_wild or (used < len(words) and words[used] == name.removeprefix("\\")):
                    following.setdefault(used + length, [*lengths, length])
        ways = following
    return ways.get(len(words))
