"""Names and numbers that a sentence mentions but a reading of it does not use."""

from __future__ import annotations

from collections.abc import Sequence

from rekern.krisp.mentions import Mention, Span, find_longest_spans
from rekern.krisp.productions import Derivation


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
    entities = list_entities(derivation)
    names = {(node.production.left, node.production.value) for node in entities if node.production.kind == "name"}
    values = {
        (node.production.left, node.value) for node in entities if node.production.kind in ("number", "identifier")
    }
    telling = [mention for mention in mentions if mention.production.kind != "word"]
    found = []
    for start, end in find_longest_spans(telling):
        over = [m for m in telling if m.start < end and start < m.end]
        if not any((m.left, m.production.value) in names or (m.left, m.text) in values for m in over):
            found.append((start, end))
    return found
