"""The embedded classifier of the six types, and how it is trained.

``python -m rekern.questions.six_type_training`` trains it anew, after a change of its questions.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from rekern.core.model_archive import open_archive
from rekern.questions.question_classifier import QuestionClassifier
from rekern.questions.question_corpus import load_questions
from rekern.questions.regular_expressions import read_expressions
from rekern.questions.six_type_model import find_model_file


@cache
def embedded_model() -> QuestionClassifier:
    """Load the classifier of the six types that was trained on the questions of this package.

    >>> embedded_model().predict(["how do I get a visa for japan?", "为什么天空是蓝色的？"]).tolist()
    ['Solution', 'Reason']
    """
    with resources.as_file(find_model_file()) as path, open_archive(path) as archive:
        return QuestionClassifier.from_archive(archive)


def train_embedded_model() -> QuestionClassifier:
    """Train the embedded classifier on the part ``train``, in a second or two."""
    model = QuestionClassifier("mss", penalty=0.5, expressions=list_own_expressions())
    return model.fit(*load_questions("train"))


def list_own_expressions() -> list[str]:
    """List the regular expressions written for the six types, in English and Chinese.

    >>> len(list_own_expressions()) > 50
    True
    """
    file = resources.files("rekern.questions").joinpath("patterns", "six-types.txt")
    with resources.as_file(file) as path:
        return read_expressions(path).expressions


if __name__ == "__main__":
    with resources.as_file(find_model_file()) as model_file:
        train_embedded_model().save(model_file)
