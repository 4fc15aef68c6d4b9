"""`PatternModel`: what a classifier by patterns has learned, and the answers that follow from it.

It needs no scikit-learn: a command that only asks a trained model starts without it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from rekern.core.arrays import AnyArray, Floats
from rekern.core.json_values import JsonObject
from rekern.core.model_archive import OpenArchive
from rekern.errors import InputError, ModelFileError
from rekern.questions.closed_form_likelihood import compute_probabilities
from rekern.questions.pattern_archive import QUESTION_SCHEMA, Arrays, build_patterns, describe_patterns
from rekern.questions.pattern_collection import PatternCollection
from rekern.questions.question_explanation import MatchedPattern, QuestionExplanation
from rekern.questions.question_units import Tagger, Units, cut
from rekern.questions.taggers import choose_tagger


@dataclass(frozen=True)
class PatternModel:
    """Patterns with a weight for each type, patterns × types, and the weights of the prior.

    >>> import numpy as np
    >>> from rekern.questions.regular_expressions import RegularExpressions
    >>> patterns = PatternCollection([RegularExpressions(["why .*"])])
    >>> model = PatternModel(np.array(["Fact", "Reason"]), patterns, np.array([[0.0, 2.0]]), np.array([0.5, 0.0]))
    >>> model.predict(["why so", "what"]).tolist()
    ['Reason', 'Fact']
    """

    classes_: AnyArray
    patterns: PatternCollection
    weights: Floats
    prior: Floats
    tagger: Tagger | None = None

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> PatternModel:
        """Read the model from the file of a classifier."""
        header = archive.header
        assert QUESTION_SCHEMA.header is not None
        QUESTION_SCHEMA.header.check(header, "model.json")
        QUESTION_SCHEMA.parts.check(header["parameters"], "parameters")
        classes = np.array(header["classes"])
        patterns = build_patterns(header["parts"], archive)
        weights, prior = archive.read_array("weights", 2), archive.read_array("prior", 1)
        if weights.shape != (len(patterns.names()), len(classes)) or len(prior) != len(classes):
            raise ModelFileError("its parts do not fit together")
        return cls(
            classes,
            patterns,
            weights,
            prior,
            choose_tagger(header["parameters"]["tagger"], archive.context.given.get("tagger")),
        )

    def describe(self, arrays: Arrays) -> JsonObject:
        """Return the model as JSON for the file of a classifier; arrays are put into ``arrays``."""
        described = describe_patterns(self.patterns, arrays)
        arrays |= {"weights": self.weights, "prior": self.prior}
        return {"parts": described}

    def scores(self, questions: Sequence[str]) -> Floats:
        """Return the scores of the worlds with exactly one type, one row per question."""
        scores: Floats = self.patterns.match(questions, self._cut) @ self.weights + self.prior
        return scores

    def predict(self, questions: Sequence[str]) -> AnyArray:
        """Return the most probable type of each question."""
        predicted: AnyArray = self.classes_[self.scores(questions).argmax(axis=1)]
        return predicted

    def predict_proba(self, questions: Sequence[str]) -> Floats:
        """Return the probability of each type, given that a question has exactly one; one row per question."""
        return compute_probabilities(self.scores(questions))

    def explain(self, question: str, number: int | None = None) -> QuestionExplanation:
        """Return the patterns that matched, the strongest first (``number`` of them), and what they gave each type."""
        if not isinstance(question, str):
            raise InputError("explain takes one question, a str")
        if number is not None and (not isinstance(number, int) or number < 0):
            raise InputError(f"number={number!r}: give how many patterns to show, or None for all")
        matched = self.patterns.match([question], self._cut)
        probabilities = compute_probabilities(matched @ self.weights + self.prior)[0]
        names = self.patterns.names()
        types = self.classes_.tolist()
        found = [
            MatchedPattern(names[column][0], names[column][1], value, _name_weights(types, self.weights[column]))
            for column, value in zip(matched.indices.tolist(), matched.data.tolist())
        ]
        return QuestionExplanation.from_patterns(
            question, dict(zip(types, probabilities.tolist())), _name_weights(types, self.prior), found, number
        )

    def _cut(self, question: str) -> Units:
        return cut(question, self.tagger)


def _name_weights(types: list[Hashable], weights: Floats) -> dict[Hashable, float]:
    """Return the weights that are not 0 by type, the largest first."""
    chosen = [(kind, float(weight)) for kind, weight in zip(types, weights) if weight]
    return dict(sorted(chosen, key=lambda item: -item[1]))


def describe_types(model: PatternModel, questions: Sequence[str]) -> list[JsonObject]:
    """Return the type and the probabilities of each question.

    >>> from rekern.questions.six_type_model import load_embedded_model
    >>> describe_types(load_embedded_model(), ["who wrote hamlet?"])[0]["type"]
    'Fact'
    """
    chances = model.predict_proba(questions)
    kinds = model.classes_.tolist()
    return [
        {"question": asked, "type": kinds[place], "probabilities": dict(zip(kinds, row.tolist()))}
        for asked, place, row in zip(questions, chances.argmax(axis=1).tolist(), chances)
    ]


def describe_explanation(asked: str, found: QuestionExplanation) -> JsonObject:
    """Return the type, the probabilities and the patterns of one question.

    >>> from rekern.questions.six_type_model import load_embedded_model
    >>> list(describe_explanation("who?", load_embedded_model().explain("who?")))
    ['question', 'type', 'probabilities', 'patterns']
    """
    patterns = [
        {"kind": part.kind, "pattern": part.name, "confidence": part.value, "weights": part.weights}
        for part in found.patterns
    ]
    return {"question": asked, "type": found.type, "probabilities": found.probabilities, "patterns": patterns}
