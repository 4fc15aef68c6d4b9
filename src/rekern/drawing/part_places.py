"""Which parts of a decision are drawn on its texts, and on which words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rekern.drawing.decision_steps import MOST_TRIES, SHOWN_LINKS, DrawnPart
from rekern.drawing.markup import clean_text
from rekern.drawing.word_places import (
    Element,
    Piece,
    Span,
    find_words,
    is_stem,
    place_elements,
    split_pieces,
    split_rule,
)

KINDS = ("rule", "pattern", "n-gram", "strict", "soft", "expression")  # of parts that lie on words
MOST_PIECES = 320  # words of one text that are drawn
MOST_CHARACTERS = 100_000  # of one text that are looked at
GAP = ".*"  # of a pattern: any words
ANY_WORD = re.compile(r"⟨.*⟩$|∗$|\*$")  # of a pattern: one word
LITERALS = re.compile(r"(?<!\\)[^\W\d_]+", re.UNICODE)


class Mark(NamedTuple):
    """A part on one text, and where its elements are."""

    part: DrawnPart
    elements: list[Element]


class MarkedText(NamedTuple):
    """A text in pieces, whether there are more of them than are drawn, and the parts on it."""

    pieces: list[Piece]
    has_more: bool
    marks: list[Mark]


def mark_texts(texts: Sequence[str], parts: Sequence[DrawnPart]) -> tuple[list[DrawnPart], list[MarkedText]]:
    """Number the strongest parts that lie on words of the texts, and return the texts with these parts on them.

    Two texts are the source and the target of a pair. The parts come back in the same order.

    >>> part = DrawnPart("rule", "the → a", "the → a", 0.5, "the", "a", None)
    >>> parts, (source, target) = mark_texts(["The end", "An end, a start"], [part])
    >>> parts[0].number, source.marks[0].elements[0].span.first, target.marks[0].elements[0].span.first
    (1, 0, 3)
    """
    pieces = [split_pieces(clean_text(text[:MOST_CHARACTERS]), MOST_PIECES) for text in texts]
    shown = [text[:MOST_PIECES] for text in pieces]
    marks: list[list[Mark]] = [[] for _ in texts]
    numbered, links, tries = [], 0, 0
    for part in parts:
        if links < SHOWN_LINKS and tries < MOST_TRIES and part.contribution and part.kind in KINDS:
            tries += 1
            places = [find_elements(part, text, side) for side, text in enumerate(shown)]
            if any(places):
                links += 1
                part = part._replace(number=links)
                for side, elements in enumerate(places):
                    marks[side] += [Mark(part, elements)] if elements else []
        numbered.append(part)
    found = [MarkedText(some, len(some) < len(every), on) for some, every, on in zip(shown, pieces, marks)]
    return numbered, found


def find_elements(part: DrawnPart, pieces: list[Piece], side: int) -> list[Element]:
    """Return where a part is on the source (side 0) or the target (side 1) of a pair, or on a single text."""
    if part.kind == "rule":
        under = part.target if side else part.source
        if len(under) > MOST_CHARACTERS:  # longer than what is drawn
            return []
        return place_elements(split_rule(part.name)[side], find_words(pieces, under), under.split())
    if part.kind == "expression":
        return find_expression(pieces, part.name)
    return find_pattern(pieces, part.name.split())


def find_pattern(pieces: list[Piece], pattern: list[str]) -> list[Element]:
    """Return where a pattern of words, single wildcards and gaps (``.*``) is, at the first place.

    >>> [one.span.first for one in find_pattern(split_pieces("how do I get a visa"), [".*", "i", "⟨word⟩", ".*"])]
    [2, 3]
    """
    runs: list[list[str]] = [[]]
    for word in pattern:
        if word == GAP:
            runs.append([])
        else:
            runs[-1].append(word)
    found: list[Element] = []
    at = 0
    for run in filter(None, runs):
        places = [place for place in range(at, len(pieces) - len(run) + 1) if _fits(run, pieces[place:])]
        if not places:
            return []
        found += [Element(0, Span(place, place)) for place in range(places[0], places[0] + len(run))]
        at = places[0] + len(run)
    return found


def _fits(run: Sequence[str], pieces: Sequence[Piece]) -> bool:
    return all(
        bool(ANY_WORD.match(word)) or is_stem(word.casefold(), piece.text.casefold())
        for word, piece in zip(run, pieces)
    )


def find_expression(pieces: list[Piece], expression: str) -> list[Element]:
    """Return the longest run of words that a regular expression names; the expression is not run.

    >>> pieces = split_pieces("tell me how do I swim")
    >>> [one.span.first for one in find_expression(pieces, "(.*)?how (do|can) (i|you).*")]
    [2, 3, 4]
    """
    named = {word.casefold() for word in LITERALS.findall(expression)}
    best: list[int] = []
    run: list[int] = []
    for place, piece in enumerate(pieces):
        run = [*run, place] if piece.text.casefold() in named else []
        best = run if len(run) > len(best) else best
    return [Element(0, Span(place, place)) for place in best]
