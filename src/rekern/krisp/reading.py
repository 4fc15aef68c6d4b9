"""Readings: the meanings that a sentence may have, as the parser finds them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from rekern.drawing import draw_readings
from rekern.krisp.productions import Derivation


class ReadingNode(NamedTuple):
    """A node of a derivation: its label, the words that it covers, and how deep it is."""

    label: str
    start: int
    end: int
    depth: int


@dataclass(frozen=True)
class Reading:
    """A meaning that a sentence may have.

    ``nodes`` lists the nodes of its derivation from the top down: which words express which part of the meaning.
    ``scored`` is the number of probabilities whose product ``probability`` is. ``confidence`` is the probability that
    the reading is right, if the parser has learned to rank readings, else None.

    >>> from rekern.krisp import read_grammar
    >>> derivation = read_grammar(["Query -> all"]).parse("all")
    >>> reading = Reading("all", math.log(0.25), derivation, (ReadingNode("Query -> all", 0, 2, 0),), 2)
    >>> reading.probability, reading.mean_probability
    (0.25, 0.5)
    """

    meaning: str
    log_probability: float
    derivation: Derivation
    nodes: tuple[ReadingNode, ...]
    scored: int
    confidence: float | None = None

    @property
    def probability(self) -> float:
        """The product of the probabilities of its nodes."""
        return math.exp(self.log_probability)

    @property
    def mean_probability(self) -> float:
        """The geometric mean of these probabilities, which can be compared between short and long sentences."""
        return math.exp(self.log_probability / max(1, self.scored))


class Readings(list[Reading]):
    """The best readings of a sentence; ``cut`` is true if the search for more was stopped.

    >>> Readings().cut
    False
    """

    cut: bool = False

    def _repr_html_(self) -> str:
        return draw_readings([{"query": one.meaning, "probability": one.mean_probability} for one in self])
