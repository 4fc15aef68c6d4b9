"""Reading a trained model from the file of a question classifier, without scikit-learn."""

from __future__ import annotations

from pathlib import Path

from rekern.core.model_archive import open_archive
from rekern.core.model_limits import DEFAULT_LIMITS, ModelLimits
from rekern.errors import ModelFileError
from rekern.questions.pattern_model import PatternModel

MODEL = "QuestionClassifier"  # what the header of a file says


def load_question_model(
    path: str | Path, tagger: str | None = None, limits: ModelLimits = DEFAULT_LIMITS
) -> PatternModel:
    """Load only what is needed for answers from a file that `QuestionClassifier.save` wrote.

    It is faster than `rekern.load_model`, which returns the classifier with all its parameters. ``tagger`` names the
    tagger, if the model needs one; ``limits`` are what the file may ask for.

    >>> load_question_model("no such file.rekern")
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: no such file.rekern: there is no such file: check the path
    """
    with open_archive(path, limits, resources={"tagger": tagger}) as archive:
        if archive.header.get("model") != MODEL:
            raise ModelFileError(f"it holds a {archive.header.get('model')!r}, not a classifier of questions")
        return PatternModel.from_archive(archive)
