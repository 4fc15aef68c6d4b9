"""What a parser that answers questions knows beyond its weights: how scores of readings become confidences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Self

from rekern.core.json_values import JsonObject
from rekern.errors import InputError

LARGEST = 1e100  # of a number; products of such numbers are finite


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
        found: JsonObject = dict(vars(cls()))
        for name, default in found.items():
            value = content.get(name, default)
            if isinstance(default, tuple):
                fits = isinstance(value, list | tuple) and all(isinstance(text, str) for text in value)
            elif isinstance(default, float):
                fits = isinstance(value, int | float) and abs(value) < LARGEST
            else:
                fits = isinstance(value, int)
            if not fits:
                raise InputError(f"the {name} of this calibration is damaged; train and save the model again")
            found[name] = type(default)(value)
        if len(found["questions"]) != len(found["meanings"]):
            raise InputError("this calibration has not one meaning for each question; train and save the model again")
        return cls(**found)
