"""The model of the six types that comes with this package, trained on the questions of `question_corpus`.

``python -m rekern.questions.six_type_training`` trains it anew.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from rekern.questions.question_archive import TrainedModel, load_question_model


def find_model_file() -> Traversable:
    """Return the file of the embedded model.

    >>> find_model_file().name
    'six-types.model'
    """
    return resources.files("rekern.questions").joinpath("data", "six-types.model")


@cache
def load_embedded_model() -> TrainedModel:
    """Load what is needed for answers from the embedded model, without scikit-learn and so in a fraction of the time.

    >>> load_embedded_model().predict(["why is the sky blue?"]).tolist()
    ['Reason']
    """
    with resources.as_file(find_model_file()) as path:
        return load_question_model(path)
