"""Names and numbers that a sentence mentions but a reading of it does not use."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_

from rekern.krisp.mentions import Mention, Span, find_longest_spans
from rekern.krisp.productions import Derivation

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
    >>> from rekern.krisp.mentions import find_mentions
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
