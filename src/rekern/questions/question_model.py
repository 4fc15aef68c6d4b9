"""What all trained models of questions have in common. It needs no scikit-learn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from rekern.core.arrays import AnyArray, Floats
from rekern.core.json_values import JsonObject
from rekern.errors import ModelFileError
from rekern.questions.closed_form_likelihood import compute_probabilities


class QuestionModel(ABC):
    """A trained model: it has scores for every type, and predictions and probabilities that follow from them."""

    classes_: AnyArray

    @abstractmethod
    def scores(self, questions: Sequence[object]) -> Floats:
        """Return the score of each type, one row per question."""

    def predict(self, questions: Sequence[object]) -> AnyArray:
        """Return the most probable type of each question."""
        predicted: AnyArray = self.classes_[self.scores(questions).argmax(axis=1)]
        return predicted

    def predict_proba(self, questions: Sequence[object]) -> Floats:
        """Return the probability of each type, given that a question has exactly one; one row per question."""
        return compute_probabilities(self.scores(questions))


def read_classes(header: JsonObject) -> AnyArray:
    """Read the types from the header of a model file.

    >>> read_classes({"classes": ["Fact", "List"]}).tolist()
    ['Fact', 'List']
    """
    classes = np.array(header["classes"])
    if classes.ndim != 1 or classes.dtype.kind not in "biufU" or len(classes) < 2:
        raise ModelFileError("its types are not a list of names or numbers")
    return classes
