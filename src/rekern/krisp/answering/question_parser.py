"""What an asker needs of a parser."""

from __future__ import annotations

from typing import Protocol

from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.krisp.grammar import Grammar
from rekern.krisp.reading import Readings


class QuestionParser(Protocol):
    """A trained parser of questions: `rekern.krisp.SemanticParser`, or a quicker one with the same readings."""

    calibration_: AnswerCalibration | None

    @property
    def grammar_(self) -> Grammar:
        """The grammar with the names as the training sentences use them."""
        ...

    def set_names(self, grammar: Grammar) -> object:
        """Replace the grammar by one with the same rules and other names."""
        ...

    def words(self, sentence: str) -> tuple[str, ...]:
        """The words of a question as the parser splits it."""
        ...

    def seen(self, sentence: str) -> tuple[str, ...]:
        """The words of a question as the kernels see them."""
        ...

    def parse(self, sentence: str, n: int = 5) -> Readings:
        """The ``n`` most probable meanings of a question, the best first."""
        ...
