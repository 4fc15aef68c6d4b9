"""Scores of readings: how well each fits the words, the names and what was learned from other questions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rekern.krisp.answering.scored_reading import ScoredReading, hide_chain_nodes
from rekern.krisp.mentions import Mention, NameSpans, Span, find_longest_spans, find_mentions, list_entities
from rekern.krisp.productions import Derivation
from rekern.krisp.second_opinion import SecondOpinion
from rekern.krisp.semantic_parser import SemanticParser
from rekern.learning.calibration import Sigmoid

READINGS = 10
UNKNOWN = 5.0  # what the score loses for an unknown word, or for a negation that was never learned
UNUSED = 5.0  # for a name or a number in the question that the reading does not use
OVERLOOKED = 2.0  # for a telling word that the reading overlooks
AGREEMENT = 0.5  # the weight of the second opinion
AHEAD = 3.0  # by which a score should be above all others
RIVAL = 1.0  # what the score loses for each point that it is less ahead


class ScoredReadings(NamedTuple):
    """The readings of a question, the best first; ``cut`` tells whether the search for them was stopped."""

    readings: list[ScoredReading]
    cut: bool


class ReadingScorer:
    """Finds the readings of a question and scores them, with the help of the training questions."""

    def __init__(
        self,
        parser: SemanticParser,
        questions: Sequence[str],
        meanings: Sequence[str],
    ):
        self.parser = parser
        self._derivations: dict[str, Derivation] = {}
        derivations = [self._derive(meaning) for meaning in meanings]
        self.opinion = SecondOpinion([parser.seen(question) for question in questions], derivations)
        self._trained = [(question, question.lower(), meaning) for question, meaning in zip(questions, meanings)]
        self._often_unused: dict[str, bool] = {}

    def _derive(self, meaning: str) -> Derivation:
        """Return the derivation of the meaning of a training question."""
        if meaning not in self._derivations:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", ".* has several derivations")  # the training has said so already
                self._derivations[meaning] = self.parser.grammar_.parse(meaning)
        return self._derivations[meaning]

    def score_readings(self, question: str, slope: float, shift: float) -> ScoredReadings:
        """The readings of a question, the best first.

        Readings that use all names in the question come first; then the score decides. The score is the log probability
        of the parser divided by the root of the number of nodes (every node makes a reading less probable), plus what
        the second opinion says, minus the losses for unknown words, for names that the reading does not use, and for
        other readings that are nearly as good. The confidence is the sigmoid of ``slope`` times the score plus
        ``shift``.
        """
        seen = self.parser.seen(question)
        expected = self.opinion.expect_parts(seen)
        words = tuple(self.parser.words(question))
        unknown = self.list_unknown(question)
        candidates = self.parser.parse(question, READINGS)
        scores, unused = [], []
        for candidate in candidates:
            derivation = candidate.derivation
            unused.append(len(self.list_unused(question, derivation)))
            taken = [node.value for node in list_entities(derivation) if node.production.kind == "word"]
            strange = sum(word not in taken for word in unknown)
            score = candidate.log_probability / math.sqrt(max(1, candidate.scored))
            score += AGREEMENT * self.opinion.measure_agreement(expected, derivation)
            score -= OVERLOOKED * len(self.opinion.list_overlooked(seen, derivation))
            score -= UNKNOWN * (strange + self.opinion.count_denials(seen, derivation)) + UNUSED * unused[-1]
            scores.append(score)
        found = []
        final = subtract_rivals(scores)
        confidences = Sigmoid(slope, shift).probabilities(np.array(final)).tolist()
        for place, (candidate, score, confidence) in enumerate(zip(candidates, final, confidences)):
            nodes = hide_chain_nodes(candidate.nodes)
            reading = ScoredReading(candidate.meaning, candidate.derivation, confidence, score, nodes, words)
            found.append((unused[place], -score, place, reading))
        return ScoredReadings([reading for *_, reading in sorted(found, key=lambda one: one[:3])], candidates.cut)

    def list_unknown(self, question: str) -> list[str]:
        """The words of a question that are not known, nor part of a name or a number that a meaning may take."""
        words, seen = list(self.parser.words(question)), list(self.parser.seen(question))
        for start, end in reversed(self.find_spans(question)):
            del words[start:end], seen[start:end]
        return self.opinion.list_unknown(words, seen)

    def list_overlooked(self, question: str, derivation: Derivation) -> list[str]:
        """The words of a question, without names, that tell of something which a reading does not have."""
        seen = self.parser.seen(question)
        overlooked = set(self.opinion.list_overlooked(seen, derivation))
        words = zip(self.parser.words(question), seen)
        return [word for word, known in words if known in overlooked and not known.startswith("<")]

    def list_unused(self, question: str, derivation: Derivation) -> list[str]:
        """The names and numbers of a question that a reading does not use.

        A name that some training question mentions without using it is left out: it may be an ordinary word, too, as
        the name of the city of Nice.
        """
        return [name for name in self._list_unused(question, derivation) if not self._is_often_unused(name)]

    def _is_often_unused(self, name: str) -> bool:
        """Whether some training question mentions a name without using it."""
        if name not in self._often_unused:
            first = name.split()[0]
            self._often_unused[name] = any(
                name in self._list_unused(question, self._derive(meaning))
                for question, lower, meaning in self._trained
                if first in lower
            )
        return self._often_unused[name]

    def _list_unused(self, question: str, derivation: Derivation) -> list[str]:
        words = [word.lower() for word in self.parser.words(question)]
        spans = NameSpans(self._find_mentions(question)).list_unused(derivation)
        return [" ".join(words[start:end]) for start, end in spans]

    def find_spans(self, question: str) -> list[Span]:
        """Where a question mentions names or numbers: the longest spans."""
        return find_longest_spans(self._find_mentions(question))

    def _find_mentions(self, question: str) -> list[Mention]:
        found = find_mentions(self.parser.grammar_, self.parser.words(question), 0.0)
        return [mention for mention in found if mention.production.kind != "word"]


def subtract_rivals(scores: Sequence[float]) -> list[float]:
    """The scores, each less what it loses to another one that is nearly as good or better.

    >>> subtract_rivals([-1.0, -1.5, -9.0])
    [-3.5, -5.0, -20.0]
    >>> subtract_rivals([-1.0, -9.0])[0]
    -1.0
    """
    best = sorted(scores, reverse=True)[:2]
    rivals = [best[-1] if score == best[0] else best[0] for score in scores]
    if len(scores) < 2:
        return list(scores)
    return [score - RIVAL * max(0.0, AHEAD - (score - rival)) for score, rival in zip(scores, rivals)]
