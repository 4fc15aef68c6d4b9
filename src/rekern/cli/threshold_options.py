"""The options that say above which probability the second of two classes is predicted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

from rekern.cli.option_groups import OptionGroup
from rekern.errors import InputError


class Metric(StrEnum):
    """The measure for which a threshold is the best one."""

    accuracy = "accuracy"
    f1 = "f1"


Threshold = Annotated[
    float | None,
    typer.Option("--threshold", metavar="X", help="Predict the second of two classes above this probability."),
]
MetricName = Annotated[
    Metric | None,
    typer.Option("--metric", help="Use the threshold that is best for this measure in the folds of training."),
]


@dataclass(frozen=True)
class ThresholdOptions(OptionGroup):
    """A threshold on the probability of the second of two classes, or the measure that chooses it.

    >>> ThresholdOptions(threshold=0.3).resolve(), ThresholdOptions(metric=Metric.f1).resolve()
    (0.3, 'f1')
    """

    threshold: Threshold = None
    metric: MetricName = None

    def resolve(self) -> float | str | None:
        """Return the threshold or the name of the measure; None if neither is given."""
        if self.threshold is not None and self.metric is not None:
            raise InputError("--metric chooses the threshold: leave --threshold or --metric out")
        if self.threshold is not None and not 0 < self.threshold < 1:
            raise InputError(f"--threshold {self.threshold:g} is out of range: give a probability above 0 and below 1")
        return self.threshold if self.metric is None else self.metric.value

    def forbid(self, reason: str) -> None:
        """Raise InputError if one of the options is given."""
        if self.resolve() is not None:
            option = "--threshold" if self.metric is None else "--metric"
            raise InputError(f"{option} is for classifiers; {reason}")
