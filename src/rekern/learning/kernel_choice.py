"""How a kernel was chosen: what was tried, with which score, and what became of it. Models keep it in their file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Self

from rekern.core.json_values import JsonObject
from rekern.core.parameters import is_number
from rekern.errors import ModelFileError

CHOSEN = "chosen"
ON_SAMPLE = " of the pairs"  # the end of the outcome of a trial on a sample
MEASURES = {"accuracy": "accuracy", "f1": "F1", "pearson": "Pearson", "map": "MAP"}


class Trial(NamedTuple):
    """A kernel that was tried, or why it was not: a row of ``results_``.

    >>> Trial("rules 1-4", 1.0, 0.75, 0.01, 5, 2.0, "chosen").to_dict()["score"]
    0.75
    """

    kernel: str  # in words
    C: float
    score: float | None  # over the folds that were done
    error: float | None  # the standard error of the score
    folds: int  # that were done
    seconds: float
    outcome: str  # "chosen", "tried", "dropped: …" after the first folds, or why it was not tried

    def is_on_sample(self) -> bool:
        """Return whether it was tried on a sample of many pairs, so that its score is not that of all pairs."""
        return self.outcome.endswith(ON_SAMPLE)

    def to_dict(self) -> JsonObject:
        """Plain values for JSON."""
        return dict(self._asdict())


class KernelChoice(NamedTuple):
    """What was tried on how many pairs, and by which measure the kernel was chosen.

    >>> choice = KernelChoice("accuracy", 100, 5, [Trial("rules 1-4", 1.0, 0.75, 0.01, 5, 2.0, "chosen")])
    >>> KernelChoice.from_dict(choice.to_dict()) == choice
    True
    """

    measure: str  # "accuracy", "f1", "pearson" or "map"
    pairs: int
    folds: int
    trials: list[Trial]

    def to_dict(self) -> JsonObject:
        """Plain values for JSON and for model files."""
        return {**self._asdict(), "trials": [trial.to_dict() for trial in self.trials]}

    @classmethod
    def from_dict(cls, value: object) -> Self:
        """The choice that `to_dict` wrote down; anything else raises ``ModelFileError``."""
        if not isinstance(value, Mapping) or value.get("measure") not in MEASURES:
            raise ModelFileError("what it says about the choice of its kernel cannot be read")
        rows = value.get("trials")
        if not isinstance(rows, list):
            raise ModelFileError("what it says about the choice of its kernel cannot be read")
        trials = [_read_trial(row) for row in rows]
        return cls(value["measure"], _read_count(value.get("pairs")), _read_count(value.get("folds")), trials)


def _read_trial(row: object) -> Trial:
    if not isinstance(row, Mapping) or set(row) != set(Trial._fields):
        raise ModelFileError("what it says about a kernel that was tried cannot be read")
    for name in ("kernel", "outcome"):
        if not isinstance(row[name], str) or not row[name].isprintable():
            raise ModelFileError(f"the {name} of a trial is not printable text")
    numbers = [row[name] for name in ("C", "seconds")] + [
        row[name] for name in ("score", "error") if row[name] is not None
    ]
    if not all(is_number(number) for number in numbers):
        raise ModelFileError("what it says about a kernel that was tried is not a number")
    return Trial(**{**row, "folds": _read_count(row["folds"])})


def _read_count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ModelFileError("a count in the choice of its kernel is not a whole number")
    return value
