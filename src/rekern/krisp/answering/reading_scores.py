"""Readings of a question, judged: how well each fits the words, the names and what was learned from other questions."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rekern.krisp.answering.second_opinion import SecondOpinion
from rekern.krisp.grammar import Derivation
from rekern.krisp.mentions import Mention, mentions

if TYPE_CHECKING:
    from rekern.krisp.semantic_parser import SemanticParser

READINGS = 10
UNKNOWN = 5.0  # what an unknown word, or a negation that was never learned, takes from a reading's score
UNUSED = 5.0  # and a name or a number in the question that the reading has no use for
OVERLOOKED = 2.0  # and a telling word that the reading overlooks
AGREEMENT = 0.5  # the weight of the second opinion
AHEAD = 3.0  # by which a reading's score should be above those of all others
RIVAL = 1.0  # what it loses for each point that it is not


@dataclass(frozen=True)
class Reading:
    """A meaning that a question may have, with a confidence between 0 and 1.

    >>> from rekern.krisp.grammar import read_grammar
    >>> derivation = read_grammar(["Query -> all"]).parse("all")
    >>> print(*Reading("all", derivation, 0.9, -0.1, (("all", 0, 2, 0),), ("list", "all")).tree())
    all  list all
    """

    meaning: str
    derivation: Derivation
    confidence: float
    score: float
    nodes: tuple[tuple[str, int, int, int], ...]  # label, first word, end, depth; the top one first
    words: tuple[str, ...]

    def tree(self) -> list[str]:
        """The derivation as lines: what stands below what, and the words that each part covers."""
        marks = _branches([depth for *_, depth in self.nodes])
        left = [mark + label for mark, (label, *_) in zip(marks, self.nodes)]
        width = max(map(len, left), default=0)
        covered = [" ".join(self.words[start:end]) for _, start, end, _ in self.nodes]
        return [f"{line:<{width}}  {words}" for line, words in zip(left, covered)]


def visible(nodes: Sequence[tuple[str, int, int, int]]) -> tuple[tuple[str, int, int, int], ...]:
    """The nodes without those that only lead on (Query -> {Book}), each called by its right side.

    >>> visible([("Query -> {Book}", 0, 3, 0), ("Book -> by({Name})", 0, 3, 1), ("by", 0, 2, 2), ("'Emma'", 2, 3, 2)])
    (('by({Name})', 0, 3, 0), ('by', 0, 2, 1), ("'Emma'", 2, 3, 1))
    """
    found = []
    hidden: list[int] = []  # the depths of the hidden nodes above
    for label, start, end, depth in nodes:
        hidden = [above for above in hidden if above < depth]
        name = label.partition(" -> ")[2] or label
        if re.fullmatch(r"\{\w+\}", name):
            hidden.append(depth)
        else:
            found.append((name, start, end, depth - len(hidden)))
    return tuple(found)


def _branches(depths: Sequence[int]) -> list[str]:
    """What stands before each node of a tree that is given by the depths of its nodes in pre-order.

    >>> _branches([0, 1, 2, 1])
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


class Judge:
    """Finds the readings of a question and scores them, by what the questions for training have."""

    def __init__(self, parser: SemanticParser, questions: Sequence[str], meanings: Sequence[str]):
        self.parser = parser
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* has several derivations")  # as was said in training
            derivations = [parser.grammar_.parse(meaning) for meaning in meanings]
        self.opinion = SecondOpinion([parser.seen(question) for question in questions], derivations)
        self._idle: frozenset[str] = frozenset()
        self._idle = frozenset(
            name for question, derivation in zip(questions, derivations) for name in self.unused(question, derivation)
        )

    def readings(self, question: str, slope: float, shift: float) -> tuple[list[Reading], bool]:
        """The readings of a question, the best first, and whether the search for them was cut.

        First come those that use all names that it mentions, then the score decides: the log probability of the
        parser, divided by the root of the number of the nodes, as every node more makes a reading less probable; to it
        comes what the second opinion says, and what words take that are unknown, names that the reading leaves out, and
        rivals that are nearly as good.
        The sigmoid of ``slope`` times the score plus ``shift`` is the confidence.
        """
        seen = self.parser.seen(question)
        expected = self.opinion.expected(seen)
        words = tuple(self.parser.words(question))
        unknown = self.unknown(question)
        candidates = self.parser.parse(question, READINGS)
        cut = candidates.cut
        scores, unused = [], []
        for candidate in candidates:
            derivation = candidate.derivation
            unused.append(len(self.unused(question, derivation)))
            taken = [node.value for node in _leaves(derivation) if node.production.kind == "word"]
            strange = sum(word not in taken for word in unknown)
            score = candidate.log_probability / math.sqrt(max(1, candidate.scored))
            score += AGREEMENT * self.opinion.agreement(expected, derivation)
            score -= OVERLOOKED * self.opinion.overlooked(seen, derivation)
            score -= UNKNOWN * (strange + self.opinion.denied(seen, derivation)) + UNUSED * unused[-1]
            scores.append(score)
        found = []
        for place, (candidate, score) in enumerate(zip(candidates, apart(scores))):
            confidence = 1 / (1 + math.exp(-max(-50.0, min(50.0, slope * score + shift))))
            nodes = visible(candidate.nodes)
            reading = Reading(candidate.meaning, candidate.derivation, confidence, score, nodes, words)
            found.append((unused[place], -score, place, reading))
        return [reading for *_, reading in sorted(found)], cut

    def unknown(self, question: str) -> list[str]:
        """The words of a question that are neither known nor part of a name or a number that a meaning may take."""
        words, seen = list(self.parser.words(question)), list(self.parser.seen(question))
        for start, end in reversed(self.spans(question)):
            del words[start:end], seen[start:end]
        return self.opinion.strange(words, seen)

    def unused(self, question: str, derivation: Derivation) -> list[str]:
        """The names and numbers of a question that a reading has no use for.

        What some question for training mentions in the same way may be more than a name (a city may be called Nice).
        """
        words = [word.lower() for word in self.parser.words(question)]
        leaves = _leaves(derivation)
        names = {(node.production.left, node.production.value) for node in leaves if node.production.kind == "name"}
        numbers = {(node.production.left, node.value) for node in leaves if node.production.kind == "number"}
        found = []
        for start, end in self.spans(question):
            text = " ".join(words[start:end])
            over = [m for m in self._mentions(question) if m.start < end and start < m.end]
            used = any((m.left, m.production.value) in names or (m.left, m.text) in numbers for m in over)
            if not used and text not in self._idle:
                found.append(text)
        return found

    def spans(self, question: str) -> list[tuple[int, int]]:
        """Where a question mentions names or numbers: the longest spans."""
        found: list[tuple[int, int]] = []
        exact = {(mention.start, mention.end) for mention in self._mentions(question)}
        for start, end in sorted(exact, key=lambda span: (span[0] - span[1], span[0])):
            if all(end <= first or last <= start for first, last in found):
                found.append((start, end))
        return sorted(found)

    def _mentions(self, question: str) -> list[Mention]:
        found = mentions(self.parser.grammar_, self.parser.words(question), 0.0)
        return [mention for mention in found if mention.production.kind != "word"]


def apart(scores: Sequence[float]) -> list[float]:
    """The scores of all readings, each less what it loses to a rival that is nearly as good or better.

    >>> apart([-1.0, -1.5, -9.0])
    [-3.5, -5.0, -20.0]
    >>> apart([-1.0, -9.0])[0]
    -1.0
    """
    best = sorted(scores, reverse=True)[:2]
    rivals = [best[-1] if score == best[0] else best[0] for score in scores]
    if len(scores) < 2:
        return list(scores)
    return [score - RIVAL * max(0.0, AHEAD - (score - rival)) for score, rival in zip(scores, rivals)]


def _leaves(derivation: Derivation) -> list[Derivation]:
    """The parts of a derivation that name something, or take a number or a word."""
    if derivation.production.kind != "rule":
        return [derivation]
    return [leaf for child in derivation.children for leaf in _leaves(child)]
