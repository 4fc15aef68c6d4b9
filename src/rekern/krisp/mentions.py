"""Names, numbers and words that a sentence mentions, for the productions that only name something."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from rekern.krisp.grammar import VALUES, Grammar, Production

_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)")
_IDENTIFIER = re.compile(r"(?=\w*[^\W\d_])(?=\w*(\d|_|[a-z][A-Z]))\w+")  # as in programs: R2, left_wing, ourHalf


@cache
def _tokenizer() -> Any:
    from rekern.structures.tokenizer import Tokenizer

    return Tokenizer(language=None, lowercase=False)


def split(text: str) -> tuple[str, ...]:
    """The words of a question, without punctuation.

    >>> split("Which rivers run through New York's cities?")
    ('Which', 'rivers', 'run', 'through', 'New', 'York', "'s", 'cities')
    """
    return tuple(word for word in _tokenizer()(text.strip().rstrip(" ?.!")) if re.search(r"\w", word))


class Mention(NamedTuple):
    """Words of a sentence that may name something: the non-terminal, the production, the words and their log value."""

    left: str
    production: Production
    start: int
    end: int
    value: float
    text: str


def mentions(grammar: Grammar, words: Sequence[str], stretch: float = 0.5) -> list[Mention]:
    """All mentions in a sentence; each word beyond the name itself costs the factor ``stretch``.

    >>> from rekern.krisp.grammar import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = utah | new york"])
    >>> [(m.production.value, m.start, m.end, round(m.value, 2)) for m in mentions(grammar, ("of", "new", "york"))]
    [('new york', 1, 3, 0.0), ('new york', 0, 3, -0.69)]
    """
    found = []
    longest, known = phrases(grammar)
    classes = [p for p in grammar.productions if p.kind in VALUES]
    cost = math.log(stretch) if stretch > 0 else -math.inf
    lower = [word.lower() for word in words]
    for start in range(len(words)):
        for end in range(start + 1, min(start + longest, len(words)) + 1):
            text = " ".join(words[start:end])
            found += [(production, start, end, text) for production in known.get(tuple(lower[start:end]), ())]
        for production in classes:
            if _fits(grammar, words[start], production.kind):
                found.append((production, start, start + 1, words[start]))
    result = []
    reach = 0 if cost == -math.inf else max(0, int(math.log(0.01) / cost)) if cost < 0 else len(words)
    for production, start, end, text in found:
        for before in range(min(reach, start) + 1):
            for after in range(min(reach - before, len(words) - end) + 1):
                extra = before + after
                value = extra * cost if extra else 0.0
                result.append(Mention(production.left, production, start - before, end + after, value, text))
    return result


def _fits(grammar: Grammar, word: str, kind: str) -> bool:
    """Whether a word may be the value of a class; the grammar's own words are no identifiers."""
    if kind == "identifier":
        return _IDENTIFIER.fullmatch(word) is not None and word not in grammar.words
    return bool(_NUMBER.fullmatch(word) if kind == "number" else re.search(r"\w", word))


def typed(grammar: Grammar, words: Sequence[str]) -> tuple[str, ...]:
    """The words in lower case, each name replaced by what it may name, so that one name stands for all of its kind.

    So are numbers and identifiers, where the grammar takes them from the sentence.

    >>> from rekern.krisp.grammar import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = utah | new york"])
    >>> typed(grammar, ("the", "new", "york", "times"))
    ('the', '<State>', '<State>', 'times')
    >>> grammar = read_grammar(["Query -> {Zone} {Size}", "Zone -> {identifier}", "Size -> {number}"])
    >>> typed(grammar, ("Within", "2", "of", "R2"))
    ('within', '<Size>', 'of', '<Zone>')
    """
    lower = [word.lower() for word in words]
    result = list(lower)
    for kind in ("number", "identifier"):
        lefts = {p.left for p in grammar.productions if p.kind == kind}
        for place, word in enumerate(words):
            if lefts and _fits(grammar, word, kind):
                result[place] = _type(lefts)
    for start, end, found in named(grammar, lower):
        result[start:end] = [_type({p.left for p in found})] * (end - start)
    return tuple(result)


def _type(lefts: set[str]) -> str:
    return "<" + "|".join(sorted(lefts)) + ">"


def named(grammar: Grammar, words: Sequence[str]) -> Iterator[tuple[int, int, list[Production]]]:
    """The names in a sentence of words in lower case, from left to right, the longest that begins somewhere."""
    longest, known = phrases(grammar)
    start = 0
    while start < len(words):
        ends = range(min(start + longest, len(words)), start, -1)
        end = next((end for end in ends if tuple(words[start:end]) in known), None)
        if end is not None:
            yield start, end, known[tuple(words[start:end])]
        start = end or start + 1


def forms(phrase: str) -> set[tuple[str, ...]]:
    """The words of a phrase in lower case, divided at blanks and as a question is."""
    return {tuple(phrase.lower().split()), split(phrase.lower())}


def phrases(grammar: Grammar) -> tuple[int, dict[tuple[str, ...], list[Production]]]:
    """The phrases of all names, in lower case, and the length of the longest."""
    cached = grammar.__dict__.get("_phrases")
    if cached is None:
        known: dict[tuple[str, ...], list[Production]] = {}
        for production in grammar.productions:
            for words in {form for phrase in production.phrases for form in forms(phrase)}:
                known.setdefault(words, []).append(production)
        cached = (max(map(len, known), default=0), known)
        grammar.__dict__["_phrases"] = cached  # a frozen dataclass still has a dictionary for cached values
    return cached
