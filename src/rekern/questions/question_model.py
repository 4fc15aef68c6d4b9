"""What all trained models of questions have in common. It needs no scikit-learn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from rekern.core.arrays import AnyArray, Floats
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
