"""Intervals of 95 % for measures: Wilson's for shares, by resampling for all others."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rekern.core.arrays import Ints

Z = 1.959963984540054  # of the normal distribution, for 95 %
RESAMPLES = 400

Interval = tuple[float, float]


def find_share_interval(right: int, n: int) -> Interval:
    """Return Wilson's interval of a share, such as an accuracy.

    >>> low, high = find_share_interval(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
    if n == 0:
        return 0.0, 1.0
    share, scale = right / n, 1 + Z * Z / n
    middle = (share + Z * Z / (2 * n)) / scale
    half = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)) / scale
    return max(middle - half, 0.0), min(middle + half, 1.0)


def resample_intervals(measure: Callable[[Ints], dict[str, float | None]], n: int) -> dict[str, Interval]:
    """Return intervals of measures, from the measures of ``RESAMPLES`` samples of ``n`` rows with replacement.

    ``measure`` takes rows and returns measures by name; None where it is not defined. The samples are the same in
    every run.

    >>> values = np.arange(100.0)
    >>> low, high = resample_intervals(lambda rows: {"mean": float(values[rows].mean())}, 100)["mean"]
    >>> low < 49.5 < high
    True
    """
    random = np.random.default_rng(0)
    found: dict[str, list[float]] = {}
    for _ in range(RESAMPLES if n > 1 else 0):
        for name, value in measure(random.integers(0, n, n)).items():
            if value is not None:
                found.setdefault(name, []).append(value)
    ends = {name: np.percentile(values, [2.5, 97.5]).tolist() for name, values in found.items()}
    return {name: (low, high) for name, (low, high) in ends.items()}
