"""`PatternModel`: what a classifier by patterns has learned, and the answers that follow from it.

It needs no scikit-learn. Importing scikit-learn takes longer than classifying ten thousand questions, so the command
line does without it.
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
from rekern.questions.pattern_archive import Arrays, build_patterns, describe_patterns
from rekern.questions.pattern_collection import PatternCollection
from rekern.questions.question_explanation import MatchedPattern, QuestionExplanation
from rekern.questions.question_model import QuestionModel
from rekern.questions.question_units import Tagger, Units, cut
from rekern.questions.taggers import choose_tagger


@dataclass(frozen=True)
class PatternModel(QuestionModel):
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

    def scores(self, questions: Sequence[object]) -> Floats:
        """Return the scores of the worlds with exactly one type, one row per question."""
        scores: Floats = (
            self.patterns.match([str(question) for question in questions], self._cut) @ self.weights + self.prior
        )
        return scores

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
