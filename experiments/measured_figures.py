"""What is measured on a test part: the figure of a model, and its interval by resampling."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

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
