"""Intervals of the figures of a semantic parser, by resampling the questions behind its curve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.learning.reports.intervals import Interval, resample_intervals


def resample_curve(points: Iterable[Sequence[float]], questions: int) -> dict[str, Interval]:
    """Return the intervals of 95 % of the best F (``f``) and of the share of right answers (``accuracy``), in per cent.

    ``points`` are precision and recall, in per cent, at every threshold (`compute_curve`). They tell how many questions
    each threshold adds, and how many of these are right. The ``questions`` are resampled, those without a reading
    among them, and the threshold with the best F is found again in every resample.

    >>> intervals = resample_curve([(100.0, 50.0), (75.0, 75.0)], 40)
    >>> {name: (round(low, 1), round(high, 1)) for name, (low, high) in intervals.items()}
    {'f': (60.0, 87.5), 'accuracy': (60.0, 87.5)}
    """
    steps, right = list_outcomes(points, questions)
    n_steps = int(steps.max(initial=0)) + 1

    def measure(rows: Ints) -> dict[str, float | None]:
        answered = np.cumsum(np.bincount(steps[rows], minlength=n_steps)[1:])
        found = np.cumsum(np.bincount(steps[rows], right[rows], n_steps)[1:])
        best = float((2 * found / (answered + questions)).max(initial=0.0))  # F, since the recall is found / questions
        return {"f": 100 * best, "accuracy": 100 * float(right[rows].mean())}

    return resample_intervals(measure, questions)


def list_outcomes(points: Iterable[Sequence[float]], questions: int) -> tuple[Ints, Floats]:
    """List for every question the threshold that adds it, from 1 on, and 1 if it is right; 0 and 0 without a reading.

    Points without a right answer do not tell how many questions they have: these are counted at the next point.

    >>> [found.tolist() for found in list_outcomes([(100.0, 40.0), (75.0, 60.0)], 5)]
    [[1, 1, 2, 2, 0], [1.0, 1.0, 0.0, 1.0, 0.0]]
    """
    steps, right = np.zeros(questions, np.int64), np.zeros(questions)
    answered = known = 0
    for step, (precision, recall) in enumerate(points, 1):
        found = round(recall * questions / 100)
        until = round(100 * found / precision) if found else answered
        steps[answered:until] = step
        right[until - (found - known) : until] = 1.0
        answered, known = until, found
    return steps, right
