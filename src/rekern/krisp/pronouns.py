"""Pronouns: words that stand for a meaning which other words of the same sentence express.

"If player 5 has the ball, it should pass": *it* is player 5 again. A grammar says by ``Player -> {again}`` of which
non-terminals a sentence may speak so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rekern.krisp.derivation_chart import ChartNode
from rekern.krisp.grammar import Grammar
from rekern.krisp.mentions import Mention
from rekern.krisp.name_learning import is_mention_of
from rekern.krisp.productions import AGAIN, Derivation, Production


class MeaningPart(NamedTuple):
    """A node of a derivation of the search that stands for a meaning, and the production at its top."""

    node: ChartNode
    production: Production


def find_repeated(
    pronoun: MeaningPart, parts: Sequence[MeaningPart], pronouns: Sequence[MeaningPart]
) -> ChartNode | None:
    """What a pronoun repeats: the last meaning of its kind before it, or else the first one after it.

    A meaning that a pronoun is part of is not repeated.
    """
    left, start = pronoun.production.left, pronoun.node.start

    def covers_pronoun(node: ChartNode) -> bool:
        return any(node.start <= other.node.start < node.end for other in pronouns)

    others = [part.node for part in parts if part.production.left == left and not covers_pronoun(part.node)]
    before = [node for node in others if node.start < start]
    if before:
        return max(before, key=lambda node: node.start)
    return min(others, key=lambda node: node.start, default=None)


def mark_pronouns(grammar: Grammar, derivation: Derivation, mentions: Sequence[Mention]) -> Derivation:
    """Turn meanings into pronouns that are there more often than the sentence says their names and numbers.

    The first one, from the left to the right of the meaning, is the one that is said. A name or number that the
    sentence does not mention at all counts as said once. ``mentions`` are those of
    `rekern.krisp.mentions.find_mentions` with ``stretch=0``.

    >>> from rekern.krisp import read_grammar
    >>> from rekern.krisp.mentions import find_mentions
    >>> lines = ["Rule -> if has({Player}) then pass({Player})", "Player -> p{Shirt}", "Player -> {again}"]
    >>> grammar = read_grammar([*lines, "Shirt -> {number}"])
    >>> mentions = find_mentions(grammar, "if player 5 has the ball it should pass".split(), 0.0)
    >>> marked = mark_pronouns(grammar, grammar.parse("if has(p 5) then pass(p 5)"), mentions)
    >>> [str(child.production) for child in marked.children]
    ['Player -> p{Shirt}', 'Player -> {again}']
    """
    pronouns = {production.left: production for production in grammar.productions if production.kind == AGAIN}
    if not pronouns:
        return derivation
    left = Counter[str]()  # how often each meaning can still be said

    def count_said(node: Derivation) -> int | None:
        """How often the sentence says the name or number of a meaning that it says least often."""
        if node.production.kind != "rule":
            spans = {(found.start, found.end) for found in mentions if is_mention_of(found, node)}
            return max(1, len(spans))
        below = [said for child in node.children if (said := count_said(child)) is not None]
        return min(below, default=None)

    def change(node: Derivation) -> Derivation:
        if node.production.left in pronouns and (said := count_said(node)) is not None:
            meaning = f"{node.production.left} {node.meaning()}"
            left.setdefault(meaning, said)
            if not left[meaning]:
                return Derivation(pronouns[node.production.left], (node,))
            left[meaning] -= 1
        return Derivation(node.production, tuple(map(change, node.children)), node.value)

    return change(derivation)
