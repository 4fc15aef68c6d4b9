"""Names, numbers and words that a sentence mentions, for the productions that only name something."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from rekern.krisp.grammar import Grammar, Production

_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)")


@cache
def _tokenizer() -> Any:
    from rekern.structures.tokens import Tokenizer

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
    longest, known = _phrases(grammar)
    classes = [p for p in grammar.productions if p.kind in ("number", "word")]
    cost = math.log(stretch) if stretch > 0 else -math.inf
    lower = [word.lower() for word in words]
    for start in range(len(words)):
        for end in range(start + 1, min(start + longest, len(words)) + 1):
            text = " ".join(words[start:end])
            found += [(production, start, end, text) for production in known.get(tuple(lower[start:end]), ())]
        for production in classes:
            word = words[start]
            fits = _NUMBER.fullmatch(word) if production.kind == "number" else re.search(r"\w", word)
            if fits:
                found.append((production, start, start + 1, word))
    result = []
    reach = 0 if cost == -math.inf else max(0, int(math.log(0.01) / cost)) if cost < 0 else len(words)
    for production, start, end, text in found:
        for before in range(min(reach, start) + 1):
            for after in range(min(reach - before, len(words) - end) + 1):
                extra = before + after
                value = extra * cost if extra else 0.0
                result.append(Mention(production.left, production, start - before, end + after, value, text))
    return result


def typed(grammar: Grammar, words: Sequence[str]) -> tuple[str, ...]:
    """The words with each name replaced by what it may name, so that one name stands for all of its kind.

    >>> from rekern.krisp.grammar import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = utah | new york"])
    >>> typed(grammar, ("the", "new", "york", "times"))
    ('the', '<State>', '<State>', 'times')
    """
    longest, known = _phrases(grammar)
    result = list(words)
    start = 0
    while start < len(words):
        size = 1
        for end in range(min(start + longest, len(words)), start, -1):
            found = known.get(tuple(words[start:end]))
            if found:
                size = end - start
                result[start:end] = ["<" + "|".join(sorted({p.left for p in found})) + ">"] * size
                break
        start += size
    return tuple(result)


def _phrases(grammar: Grammar) -> tuple[int, dict[tuple[str, ...], list[Production]]]:
    """The phrases of all names, in lower case, and the length of the longest."""
    cached = grammar.__dict__.get("_phrases")
    if cached is None:
        known: dict[tuple[str, ...], list[Production]] = {}
        for production in grammar.productions:
            for phrase in dict.fromkeys(p.lower() for p in production.phrases):
                for words in dict.fromkeys([tuple(phrase.split()), split(phrase)]):
                    known.setdefault(words, []).append(production)
        cached = (max(map(len, known), default=0), known)
        grammar.__dict__["_phrases"] = cached  # a frozen dataclass still has a dictionary for cached values
    return cached
