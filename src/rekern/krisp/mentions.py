"""Names, numbers and words that a sentence mentions, for the productions that only name something."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import reduce
from operator import or_
from typing import NamedTuple

from rekern.krisp.grammar import Grammar
from rekern.krisp.productions import Derivation, Production, is_value

_IDENTIFIER = re.compile(r"(?=\w*[^\W\d_])(?=\w*(\d|_|[a-z][A-Z]))\w+")  # as in programs: R2, left_wing, ourHalf
LEAST_FACTOR = 0.01  # a name is not stretched over so many words that its factor falls below this

Span = tuple[int, int]  # start and end of some words; the end is not included


class Mention(NamedTuple):
    """Words of a sentence that may express a name, a number or a word of a meaning.

    ``text`` are the words of the name itself; ``start`` and ``end`` may include words around it.
    """

    left: str
    production: Production
    start: int
    end: int
    log_probability: float
    text: str


def find_mentions(grammar: Grammar, words: Sequence[str], stretch: float = 0.5) -> list[Mention]:
    """Find all mentions in a sentence; each word beyond the name itself costs the factor ``stretch``.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = utah | new york"])
    >>> for mention in find_mentions(grammar, ("of", "new", "york")):
    ...     print(mention.production.value, mention.start, mention.end, round(mention.log_probability, 2))
    new york 1 3 0.0
    new york 0 3 -0.69
    """
    cost = math.log(stretch) if stretch > 0 else -math.inf
    reach = 0 if cost == -math.inf else max(0, int(math.log(LEAST_FACTOR) / cost)) if cost < 0 else len(words)
    result = []
    for production, start, end, text in _find_exact(grammar, words):
        for before in range(min(reach, start) + 1):
            for after in range(min(reach - before, len(words) - end) + 1):
                extra = before + after
                log_probability = extra * cost if extra else 0.0
                first, last = start - before, end + after
                result.append(Mention(production.left, production, first, last, log_probability, text))
    return result


def _find_exact(grammar: Grammar, words: Sequence[str]) -> Iterator[tuple[Production, int, int, str]]:
    """The mentions without any word beyond the name itself: production, start, end, text."""
    phrases = grammar.phrases
    lower = [word.lower() for word in words]
    for start in range(len(words)):
        for end in range(start + 1, min(start + phrases.longest, len(words)) + 1):
            for production in phrases.find(tuple(lower[start:end])):
                yield production, start, end, " ".join(words[start:end])
        for production in grammar.value_productions:
            if _is_of_class(grammar, words[start], production.kind):
                yield production, start, start + 1, words[start]


def _is_of_class(grammar: Grammar, word: str, kind: str) -> bool:
    """Whether a word may be the value of a class; the words of the grammar itself are no identifiers."""
    if kind == "identifier":
        return _IDENTIFIER.fullmatch(word) is not None and word not in grammar.words
    return is_value(word, kind)


def find_longest_spans(mentions: Iterable[Mention]) -> list[Span]:
    """The spans of mentions that do not overlap, the longest (and then the first) chosen first; sorted by start.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = york | new york"])
    >>> find_longest_spans(find_mentions(grammar, ("new", "york"), stretch=0.0))
    [(0, 2)]
    """
    spans = {(mention.start, mention.end) for mention in mentions}
    found: list[Span] = []
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if all(end <= first or last <= start for first, last in found):
            found.append((start, end))
    return sorted(found)


def replace_names(grammar: Grammar, words: Sequence[str]) -> tuple[str, ...]:
    """The words in lower case, each name replaced by its type, so that what is learned from one name holds for all.

    Numbers and identifiers are replaced too, if the grammar takes them from the sentence.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = utah | new york"])
    >>> replace_names(grammar, ("the", "new", "york", "times"))
    ('the', '<State>', '<State>', 'times')
    >>> grammar = read_grammar(["Query -> {Zone} {Size}", "Zone -> {identifier}", "Size -> {number}"])
    >>> replace_names(grammar, ("Within", "2", "of", "R2"))
    ('within', '<Size>', 'of', '<Zone>')
    """
    lower = [word.lower() for word in words]
    result = list(lower)
    for kind in ("number", "identifier"):
        lefts = grammar.value_types[kind]
        for place, word in enumerate(words):
            if lefts and _is_of_class(grammar, word, kind):
                result[place] = _write_type(lefts)
    for start, end, productions in find_names(grammar, lower):
        result[start:end] = [_write_type({p.left for p in productions})] * (end - start)
    return tuple(result)


def _write_type(lefts: Set[str]) -> str:
    return "<" + "|".join(sorted(lefts)) + ">"


def find_names(grammar: Grammar, words: Sequence[str]) -> Iterator[tuple[int, int, list[Production]]]:
    """The names in a sentence of words in lower case, from left to right, at each start the longest.

    Yields the start, the end and the productions of each name.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = york | new york"])
    >>> [(start, end) for start, end, _ in find_names(grammar, ("new", "york"))]
    [(0, 2)]
    """
    phrases = grammar.phrases
    start = 0
    while start < len(words):
        for end in range(min(start + phrases.longest, len(words)), start, -1):
            found = phrases.find(tuple(words[start:end]))
            if found:
                yield start, end, found
                start = end
                break
        else:
            start += 1


Entity = tuple[str, str | None]  # a non-terminal, and a name of it or its value


def list_entities(derivation: Derivation) -> list[Derivation]:
    """The parts of a derivation that name something, or take a number or a word.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Query -> size({State})", "State -> '{name}'", "names State = utah"])
    >>> [node.meaning() for node in list_entities(grammar.parse("size('utah')"))]
    ["'utah'"]
    """
    if derivation.production.kind != "rule":
        return [derivation]
    return [leaf for child in derivation.children for leaf in list_entities(child)]


class NameSpans:
    """The longest spans of the names, numbers and identifiers in a sentence, with all that is mentioned there.

    ``mentions`` are those of `rekern.krisp.mentions.find_mentions` with ``stretch=0``.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Query -> size({State})", "State -> '{name}'", "names State = utah | ohio"])
    >>> mentions = find_mentions(grammar, ("is", "utah", "like", "ohio"), 0.0)
    >>> NameSpans(mentions).list_unused(grammar.parse("size('utah')"))
    [(3, 4)]
    """

    def __init__(self, mentions: Iterable[Mention]):
        telling = [mention for mention in mentions if mention.production.kind != "word"]
        self.spans = find_longest_spans(telling)
        self._names: dict[Entity, int] = {}  # a bit for each span where it is mentioned
        self._values: dict[Entity, int] = {}
        for place, (start, end) in enumerate(self.spans):
            for m in telling:
                if m.start < end and start < m.end:
                    for known, value in ((self._names, m.production.value), (self._values, m.text)):
                        known[m.left, value] = known.get((m.left, value), 0) | 1 << place

    def find_used(self, entity: Derivation) -> int:
        """The spans that a name or a number of a reading uses, a bit for each."""
        production = entity.production
        if production.kind == "name":
            return self._names.get((production.left, production.value), 0)
        if production.kind in ("number", "identifier"):
            return self._values.get((production.left, entity.value), 0)
        return 0

    def list_unused(self, derivation: Derivation) -> list[Span]:
        """The spans that a reading does not use."""
        used = reduce(or_, map(self.find_used, list_entities(derivation)), 0)
        return [span for place, span in enumerate(self.spans) if not used >> place & 1]
