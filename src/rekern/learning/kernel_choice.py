"""How a kernel was chosen: what was tried, with which score, and what became of it. Models keep it in their file."""

from __future__ import annotations

from typing import NamedTuple, Self

from rekern.core.json_values import JsonObject
from rekern.errors import ModelFileError

CHOSEN = "chosen"
NO_TIME = "not tried: no time left"  # the outcome of a trial that the time was too short for
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
    def from_dict(cls, value: JsonObject) -> Self:
        """The choice that `to_dict` wrote down; the schema of the model has checked what a file says."""
        trials = [Trial(**row) for row in value["trials"]]
        if not all(text.isprintable() for trial in trials for text in (trial.kernel, trial.outcome)):
            raise ModelFileError("what it says about a kernel that was tried is not printable text")
        return cls(**{**value, "trials": trials})
