"""What is measured on a test part: the figure of a model, and its interval by resampling."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import comb

import numpy as np

from rekern.core.arrays import AnyArray, Ints
from rekern.core.json_values import JsonObject
from rekern.learning import correlations
from rekern.learning.candidate_groups import number_groups
from rekern.learning.measures import average_precisions, class_measures
from rekern.learning.reports.intervals import resample_intervals


def measure_predictions(
    measure: str, predicted: AnyArray, true: Sequence[object], groups: Sequence[Hashable] = ()
) -> JsonObject:
    """Measure predictions: ``value`` with its interval of 95 % from 400 resamples (``low``, ``high``).

    ``measure`` is ``accuracy`` (in per cent; two classes have ``f1`` of the larger class as well), ``pearson``, or
    ``map`` over the ``groups``, which are resampled as a whole.

    >>> measure_predictions("accuracy", np.array([1, 0, 1, 1]), [1, 0, 0, 1])
    {'value': 75.0, 'low': 25.0, 'high': 100.0, 'f1': 80.0}
    """
    truth = np.array(true)
    precisions = np.zeros(0)
    if measure == "map":
        found = average_precisions(predicted.astype(float), truth > 0, number_groups(list(groups)))
        precisions = np.array(list(found.values()))

    def compute(rows: Ints) -> dict[str, float | None]:
        if measure == "accuracy":
            return {"value": 100 * float(np.mean(predicted[rows] == truth[rows]))}
        if measure == "pearson":
            return {"value": correlations(predicted[rows], truth[rows])["pearson"]}
        return {"value": float(precisions[rows].mean())}

    n = len(precisions) if measure == "map" else len(truth)
    low, high = resample_intervals(compute, n)["value"]
    value = compute(np.arange(n))["value"] or 0.0
    digits = 2 if measure == "accuracy" else 4
    result: JsonObject = {"value": round(value, digits), "low": round(low, digits), "high": round(high, digits)}
    if measure == "accuracy" and len(np.unique(truth)) == 2:
        classes = sorted(set(truth.tolist()))
        measures = class_measures(predicted.tolist(), truth.tolist(), classes)
        result["f1"] = round(100 * measures["classes"][str(classes[-1])]["f1"], 2)
    return result


def mcnemar(true: Sequence[object], one: Sequence[object], other: Sequence[object]) -> float:
    """Return the p-value of McNemar's exact test that two classifiers have the same accuracy.

    ``true`` are the true classes, ``one`` and ``other`` the predictions of the two classifiers.

    >>> mcnemar([1] * 6, [1] * 6, [2] * 6)
    0.03125
    """
    right, also = np.asarray(one) == np.asarray(true), np.asarray(other) == np.asarray(true)
    first, second = int(np.sum(right & ~also)), int(np.sum(also & ~right))
    total, least = first + second, min(first, second)
    return min(1.0, 2 * sum(comb(total, count) for count in range(least + 1)) / 2**total) if total else 1.0
