"""The model of the six types that comes with this package, trained on the questions of `question_corpus`.

``python tools/train_six_types.py`` in the repository trains it anew.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from rekern.core.model_archive import open_archive
from rekern.questions.pattern_model import PatternModel
from rekern.questions.question_archive import load_question_model
from rekern.questions.regular_expressions import read_expressions

if TYPE_CHECKING:
    from rekern.questions.question_classifier import QuestionClassifier


def find_model_file() -> Traversable:
    """Return the file of the embedded model.

    >>> find_model_file().name
    'six-types.model'
    """
    return resources.files("rekern.questions").joinpath("data", "six-types.model")


@cache
def load_embedded_model() -> PatternModel:
    """Load what is needed for answers from the embedded model, without scikit-learn and so in a fraction of the time.

    >>> load_embedded_model().predict(["why is the sky blue?"]).tolist()
    ['Reason']
    """
    with resources.as_file(find_model_file()) as path:
        return load_question_model(path)


@cache
def embedded_model() -> QuestionClassifier:
    """Load the classifier of the six types that was trained on the questions of this package.

    >>> embedded_model().predict(["how do I get a visa for japan?", "为什么天空是蓝色的？"]).tolist()
    ['Solution', 'Reason']
    """
    from rekern.questions.question_classifier import QuestionClassifier  # here because it loads scikit-learn

    with resources.as_file(find_model_file()) as path, open_archive(path) as archive:
        return QuestionClassifier.from_archive(archive)


def list_own_expressions() -> list[str]:
    """List the regular expressions written for the six types, in English and Chinese.

    >>> len(list_own_expressions()) > 50
    True
    """
    file = resources.files("rekern.questions").joinpath("patterns", "six-types.txt")
    with resources.as_file(file) as path:
        return read_expressions(path).expressions
