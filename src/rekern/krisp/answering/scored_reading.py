"""Readings with a confidence, and how they are shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rekern.core.json_values import JsonObject
from rekern.drawing import draw_readings
from rekern.krisp.productions import Derivation
from rekern.krisp.reading import ReadingNode


@dataclass(frozen=True)
class ScoredReading:
    """A meaning that a question may have, with a score and a confidence between 0 and 1.

    >>> from rekern.krisp import read_grammar
    >>> derivation = read_grammar(["Query -> all"]).parse("all")
    >>> nodes = (ReadingNode("all", 0, 2, 0),)
    >>> print(*ScoredReading("all", derivation, 0.9, -0.1, nodes, ("list", "all")).draw_tree())
    all  list all
    """

    meaning: str
    derivation: Derivation
    confidence: float
    score: float
    nodes: tuple[ReadingNode, ...]  # from the top down
    words: tuple[str, ...]

    def list_nodes(self) -> list[JsonObject]:
        """The nodes as plain values for JSON, each with the words that it covers."""
        return [
            {
                "label": node.label,
                "words": " ".join(self.words[node.start : node.end]),
                "start": node.start,
                "end": node.end,
                "depth": node.depth,
            }
            for node in self.nodes
        ]

    def _repr_html_(self) -> str:
        values = {"query": self.meaning, "confidence": self.confidence}
        return draw_readings([{**values, "words": list(self.words), "derivation": self.list_nodes()}])

    def draw_tree(self) -> list[str]:
        """The derivation as lines: the nodes as a tree, each with the words that it covers."""
        marks = _draw_branches([node.depth for node in self.nodes])
        left = [mark + node.label for mark, node in zip(marks, self.nodes)]
        width = max(map(len, left), default=0)
        covered = [" ".join(self.words[node.start : node.end]) for node in self.nodes]
        return [f"{line:<{width}}  {words}" for line, words in zip(left, covered)]


def hide_chain_nodes(nodes: Sequence[ReadingNode]) -> tuple[ReadingNode, ...]:
    """The nodes without those that only lead on (Query -> {Book}); the label of a node is then its right side.

    >>> query, book = ReadingNode("Query -> {Book}", 0, 3, 0), ReadingNode("Book -> by({Name})", 0, 3, 1)
    >>> for node in hide_chain_nodes([query, book, ReadingNode("by", 0, 2, 2), ReadingNode("'Emma'", 2, 3, 2)]):
    ...     print(*node)
    by({Name}) 0 3 0
    by 0 2 1
    'Emma' 2 3 1
    """
    found = []
    hidden: list[int] = []  # the depths of the hidden nodes above
    for label, start, end, depth in nodes:
        hidden = [above for above in hidden if above < depth]
        name = label.partition(" -> ")[2] or label
        if re.fullmatch(r"\{\w+\}", name):
            hidden.append(depth)
        else:
            found.append(ReadingNode(name, start, end, depth - len(hidden)))
    return tuple(found)


def _draw_branches(depths: Sequence[int]) -> list[str]:
    """The lines before each node of a tree that is given by the depths of its nodes in pre-order.

    >>> _draw_branches([0, 1, 2, 1])
    ['', '├─ ', '│  └─ ', '└─ ']
    """
    found = []
    for place, depth in enumerate(depths):
        marks = []
        for level in range(1, depth + 1):
            later = next((other for other in depths[place + 1 :] if other <= level), -1)
            more = later == level
            marks.append(("├─ " if more else "└─ ") if level == depth else ("│  " if more else "   "))
        found.append("".join(marks))
    return found
