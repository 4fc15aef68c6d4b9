"""The types of questions as ``rekern question --json`` prints them."""

from __future__ import annotations

from collections.abc import Sequence

from rekern.core.json_values import JsonObject
from rekern.questions.question_archive import TrainedModel
from rekern.questions.question_explanation import QuestionExplanation


def describe_types(model: TrainedModel, questions: Sequence[str]) -> list[JsonObject]:
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
