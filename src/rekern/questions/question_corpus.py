"""The questions written for this package, in English and Chinese, and the model that is learned from them."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.questions.pattern_model import Answerer
    from rekern.questions.question_classifier import QuestionClassifier

LANGUAGES = ("english", "chinese")
PARTS = ("train", "heldout")
TYPES = ("Fact", "List", "Reason", "Solution", "Definition", "Navigation")
SETTINGS: dict[str, Any] = {"method": "mss", "penalty": 0.5}


def load_questions(part: str = "train", language: str | None = None) -> tuple[list[str], list[str]]:
    """Questions and their types, over the six types: the part ``train`` or ``heldout``, of one language or both.

    >>> questions, types = load_questions("train", "english")
    >>> len(questions) == len(types), sorted(set(types))
    (True, ['Definition', 'Fact', 'List', 'Navigation', 'Reason', 'Solution'])
    """
    if part not in PARTS:
        raise InputError(f"there is no part {part!r}: choose {' or '.join(PARTS)}")
    if language is not None and language not in LANGUAGES:
        raise InputError(f"there are no questions in {language!r}: choose {' or '.join(LANGUAGES)}")
    rows = [row for name in LANGUAGES if language in (None, name) for row in _rows(name)]
    chosen = [(question, kind) for question, kind, row_part in rows if row_part == part]
    return [question for question, _ in chosen], [kind for _, kind in chosen]


def _content(language: str) -> str:
    return resources.files("rekern.questions").joinpath("data", f"{language}.tsv").read_text(encoding="utf-8")


def _rows(language: str) -> list[tuple[str, str, str]]:
    lines = _content(language).splitlines()[1:]
    return [tuple(line.split("\t")) for line in lines if line]  # type: ignore[misc]


@cache
def embedded_model() -> QuestionClassifier:
    """The classifier of the six types that was trained on the questions of this package.

    >>> embedded_model().predict(["how do I get a visa for japan?", "为什么天空是蓝色的？"]).tolist()
    ['Solution', 'Reason']
    """
    from rekern.questions.question_files import load

    with resources.as_file(_model()) as path:
        return load(path)


@cache
def embedded_answerer() -> Answerer:
    """The same model with no more than answers need: loaded without scikit-learn, in a fraction of the time.

    >>> embedded_answerer().explain("why is the sky blue?").type
    'Reason'
    """
    from rekern.questions.question_files import load_answerer

    with resources.as_file(_model()) as path:
        return load_answerer(path)


def _model() -> Any:
    """The model file; ``python -m rekern.questions.embedded_questions`` makes it anew from the questions."""
    return resources.files("rekern.questions").joinpath("data", "six-types.model")


def train_embedded() -> QuestionClassifier:
    """Train the embedded model on the training part, in a second or two."""
    from rekern.questions.question_classifier import QuestionClassifier

    return QuestionClassifier(**SETTINGS, expressions=own_expressions()).fit(*load_questions("train"))


def own_expressions() -> list[str]:
    """The regular expressions written for the six types, in English and Chinese.

    >>> len(own_expressions()) > 50
    True
    """
    from rekern.questions.regular_expressions import read_expressions

    with resources.as_file(_expressions()) as path:
        return read_expressions(path).expressions


def _expressions() -> Any:
    return resources.files("rekern.questions").joinpath("patterns", "six-types.txt")


if __name__ == "__main__":
    with resources.as_file(_model()) as model_file:
        train_embedded().save(model_file)
