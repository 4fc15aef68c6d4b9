"""What a parser that answers questions knows beyond its weights: how scores of readings become confidences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Self

from rekern.errors import InputError

LARGEST = 1e100


@dataclass(frozen=True)
class AnswerCalibration:
    """The result of cross-validation on the training questions, and the questions themselves.

    The confidence of a reading is the sigmoid of ``slope`` times its score plus ``shift``. A reading is an answer if
    its confidence is at least ``confidence``. ``asked``, ``answered``, ``right`` and ``best`` count questions of the
    cross-validation: all, those with an answer, those with the right answer, and those whose best reading is right.

    >>> AnswerCalibration().confidence
    0.5
    """

    slope: float = 1.0
    shift: float = 3.0
    confidence: float = 0.5
    asked: int = 0
    answered: int = 0
    right: int = 0
    best: int = 0
    questions: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """The calibration as plain data.

        >>> AnswerCalibration(asked=12).to_dict()["asked"]
        12
        """
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, content: Mapping[str, object]) -> Self:
        """The calibration that `to_dict` wrote; a file may hold anything, so all is checked.

        >>> AnswerCalibration.from_dict({"slope": "steep"})
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: the slope of this calibration is damaged; train and save the model again
        """
        calibration = cls()
        for field in fields(cls):
            if field.name not in content:
                continue
            value = content[field.name]
            if not _fits(field.default, value):
                raise InputError(f"the {field.name} of this calibration is damaged; train and save the model again")
            calibration = replace(calibration, **{field.name: tuple(value) if isinstance(value, list) else value})
        if len(calibration.questions) != len(calibration.meanings):
            raise InputError("this calibration has not one meaning for each question; train and save the model again")
        return calibration


def _fits(default: object, value: object) -> bool:
    """Whether a value is of the kind of the default."""
    if isinstance(default, tuple):
        return isinstance(value, list) and all(isinstance(text, str) for text in value)
    kinds = int if isinstance(default, int) else int | float
    return isinstance(value, kinds) and not isinstance(value, bool) and abs(value) < LARGEST
