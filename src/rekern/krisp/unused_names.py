"""Names and numbers that a sentence mentions but a reading of it does not use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


def list_unused_spans(mentions: Sequence[Mention], derivation: Derivation) -> list[Span]:
    """The spans of the names, numbers and identifiers in a sentence that a reading does not use.

    ``mentions`` are those of `rekern.krisp.mentions.find_mentions` with ``stretch=0``.

    >>> from rekern.krisp import read_grammar
    >>> from rekern.krisp.mentions import find_mentions
    >>> grammar = read_grammar(["Query -> size({State})", "State -> '{name}'", "names State = utah | ohio"])
    >>> mentions = find_mentions(grammar, ("is", "utah", "like", "ohio"), 0.0)
    >>> list_unused_spans(mentions, grammar.parse("size('utah')"))
    [(3, 4)]
    """
    return NameSpans(mentions).list_unused(derivation)


class NameSpans:
    """The longest spans of the names, numbers and identifiers in a sentence, with all that is mentioned there.

    ``mentions`` are those of `list_unused_spans`, which this class saves time if there are many readings.
    """

    def __init__(self, mentions: Iterable[Mention]):
        telling = [mention for mention in mentions if mention.production.kind != "word"]
        self._spans: list[tuple[Span, set[Entity], set[Entity]]] = []
        for start, end in find_longest_spans(telling):
            over = [m for m in telling if m.start < end and start < m.end]
            names: set[Entity] = {(m.left, m.production.value) for m in over}
            values: set[Entity] = {(m.left, m.text) for m in over}
            self._spans.append(((start, end), names, values))

    def list_unused(self, derivation: Derivation) -> list[Span]:
        """The spans that a reading does not use."""
        names: set[Entity] = set()
        values: set[Entity] = set()
        for node in list_entities(derivation):
            if node.production.kind == "name":
                names.add((node.production.left, node.production.value))
            elif node.production.kind in ("number", "identifier"):
                values.add((node.production.left, node.value))
        return [span for span, known, said in self._spans if known.isdisjoint(names) and said.isdisjoint(values)]
