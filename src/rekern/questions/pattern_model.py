"""What a classifier by patterns has learned, and the answers it gives: all that is needed without scikit-learn.

Importing scikit-learn takes longer than classifying ten thousand questions, so the command line goes without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rekern.errors import InputError
from rekern.questions import type_weights as markov
from rekern.questions.explanation import FiredPattern, QuestionExplanation
from rekern.questions.pattern_evidence import Evidence
from rekern.questions.question_units import Tagger, Units, cut


@dataclass(frozen=True)
class Answerer:
    """The patterns of a trained classifier, a row of ``weights`` for each with a column for each type, and the prior.

    >>> from rekern.questions.regular_expressions import Expressions
    >>> known = Evidence([Expressions(["why .*"])])
    >>> learned = Answerer(np.array(["Fact", "Reason"]), known, np.array([[0.0, 2.0]]), np.array([0.5, 0.0]), None)
    >>> learned.predict(["why so", "what"]).tolist()
    ['Reason', 'Fact']
    """

    classes_: np.ndarray
    evidence: Evidence
    weights: np.ndarray
    prior: np.ndarray
    tagger: Tagger | None

    def scores(self, questions: Sequence[str]) -> np.ndarray:
        """The scores of the worlds with exactly one type, a row for each question."""
        return self.evidence.match(questions, self._cut) @ self.weights + self.prior

    def predict(self, questions: Sequence[str]) -> np.ndarray:
        """The most probable type of each question."""
        return self.classes_[self.scores(questions).argmax(axis=1)]

    def predict_proba(self, questions: Sequence[str]) -> np.ndarray:
        """The probability of each type, given that a question has exactly one; a row for each question."""
        return markov.probabilities(self.scores(questions))

    def explain(self, question: str, number: int | None = None) -> QuestionExplanation:
        """The patterns that fired, the strongest first (``number`` of them), and what they gave to each type."""
        if not isinstance(question, str):
            raise InputError("explain takes one question, a str")
        if number is not None and (not isinstance(number, int) or number < 0):
            raise InputError(f"number={number!r}: give how many patterns to show, or None for all")
        matched = self.evidence.match([question], self._cut)
        chances = markov.probabilities(matched @ self.weights + self.prior)[0]
        names = self.evidence.names()
        kinds = self.classes_.tolist()
        fired = [
            FiredPattern(names[column][0], names[column][1], confidence, _named(kinds, self.weights[column]))
            for column, confidence in zip(matched.indices.tolist(), matched.data.tolist())
        ]
        fired.sort(key=lambda pattern: -pattern.strength)
        return QuestionExplanation(
            question,
            kinds[int(chances.argmax())],
            dict(zip(kinds, map(float, chances))),
            _named(kinds, self.prior),
            fired[:number],
        )

    def _cut(self, question: str) -> Units:
        return cut(question, self.tagger)


def _named(kinds: list[Any], values: np.ndarray) -> dict[Any, float]:
    """The weights that are not 0, by type, the largest first."""
    chosen = [(kind, float(value)) for kind, value in zip(kinds, values) if value]
    return dict(sorted(chosen, key=lambda item: -item[1]))
