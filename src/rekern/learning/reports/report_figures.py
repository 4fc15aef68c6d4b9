"""The figures of a report: measures with intervals, curves, slices, by what the model predicts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.json_values import JsonObject
from rekern.learning.candidate_groups import number_groups, rows_of_groups
from rekern.learning.measures import (
    binary_measures,
    class_measures,
    correlations,
    find_areas,
    measure_groups,
    ranking_measures,
)
from rekern.learning.pair_classifier import Decisions
from rekern.learning.reports.intervals import RESAMPLES, Interval, find_share_interval, resample_intervals
from rekern.learning.reports.mistakes import Mistake, rank_wrong_classes, rank_wrong_numbers, rank_wrong_orders
from rekern.learning.reports.roc_and_calibration import find_quality_curves
from rekern.learning.reports.slices import Slice, list_properties, slice_values

BY_SAMPLES = f"from {RESAMPLES} samples of the {{}} with replacement"
LEVEL = 0.95
SHARES = "by Wilson's formula for the accuracy"


class Figures(NamedTuple):
    """What was measured: measures, their intervals, curves, slices with what their value is, and the mistakes."""

    measures: Mapping[str, object]
    intervals: dict[str, JsonObject]
    curves: JsonObject
    slices: list[Slice]
    sliced: str  # what the value of a slice is
    mistakes: list[Mistake]


Texts = Sequence[tuple[str, str]]


def measure_classes(found: Decisions, labels: Sequence[object], classes: Sequence[object], texts: Texts) -> Figures:
    """Return the figures of a classifier; curves are those of the last of two classes."""
    guesses = found.labels.tolist()
    measures: JsonObject = dict(class_measures(guesses, labels, classes))
    right = np.array([guess == label for guess, label in zip(guesses, labels)])
    intervals = {"accuracy": _describe(find_share_interval(int(right.sum()), len(right)), SHARES)}
    curves: JsonObject = {}
    scores: Floats | None = None
    positive = np.array([label == classes[-1] for label in labels])
    if len(classes) == 2:
        scores = found.values[:, 0] if found.probabilities is None else found.probabilities[:, 1]
        measures |= binary_measures(scores, positive) or {}
        curves = dict(find_quality_curves(scores, positive) or {})
    codes = _number_classes(labels, classes), _number_classes(guesses, classes)

    def resample(rows: Ints) -> dict[str, float | None]:
        sampled: dict[str, float | None] = {"macro_f1": _find_macro_f1(codes[0][rows], codes[1][rows], len(classes))}
        if scores is not None and 0 < positive[rows].sum() < len(rows):
            sampled |= find_areas(scores[rows], positive[rows])._asdict()
        return sampled

    intervals |= _describe_all(resample_intervals(resample, len(right)))
    slices = slice_values(_list_properties(texts), right.astype(float), are_shares=True)
    return Figures(measures, intervals, curves, slices, "accuracy", rank_wrong_classes(guesses, labels, found.values))


def _number_classes(labels: Sequence[object], classes: Sequence[object]) -> Ints:
    numbers = {label: number for number, label in enumerate(classes)}
    return np.array([numbers[label] for label in labels], np.int64)


def _find_macro_f1(truth: Ints, guesses: Ints, n: int) -> float:
    """Return the macro F1 from a count of each two classes, which is faster than `class_measures`."""
    counts = np.bincount(truth * n + guesses, minlength=n * n).reshape(n, n)
    both = counts.sum(axis=0) + counts.sum(axis=1)
    return float(np.mean(np.divide(2 * np.diag(counts), both, out=np.zeros(n), where=both > 0)))


def measure_numbers(found: Decisions, labels: Sequence[float], texts: Texts) -> Figures:
    """Return the figures of a regressor."""
    guesses, truth = found.labels.astype(float), np.array(labels, float)

    def resample(rows: Ints) -> dict[str, float | None]:
        return dict(correlations(guesses[rows], truth[rows]))  # type: ignore[arg-type]

    curves: JsonObject = {"predictions": _thin_points(truth, guesses)}
    slices = slice_values(_list_properties(texts), np.abs(guesses - truth), are_shares=False)
    return Figures(
        correlations(guesses, truth),
        _describe_all(resample_intervals(resample, len(truth))),
        curves,
        slices,
        "mean error",
        rank_wrong_numbers(guesses.tolist(), truth.tolist()),
    )


def _thin_points(truth: Floats, guesses: Floats, most: int = 500) -> list[tuple[float, float]]:
    """Return the true and the predicted number of pairs; of many pairs, of every n-th."""
    step = max(len(truth) // most, 1)
    return list(zip(truth[::step].tolist(), guesses[::step].tolist()))


def measure_orders(found: Decisions, labels: Sequence[float], groups: Sequence[Hashable], texts: Texts) -> Figures:
    """Return the figures of a ranker; samples are taken of the groups."""
    scores = found.labels.astype(float)
    measured = measure_groups(scores, labels, groups)
    precisions, reciprocals = np.array(list(measured.values())).reshape(-1, 2).T

    def resample(rows: Ints) -> dict[str, float | None]:
        return {"map": float(precisions[rows].mean()), "mrr": float(reciprocals[rows].mean())}

    sizes = {int(rows[0]): len(rows) for rows in rows_of_groups(number_groups(groups))}
    first = list(measured)
    properties = {
        "words": _list_properties([(texts[row][0], "") for row in first])["words"],
        "candidates": np.array([float(sizes[row]) for row in first]),
    }
    return Figures(
        ranking_measures(scores, labels, groups),
        _describe_all(resample_intervals(resample, len(precisions)), "groups"),
        {},
        slice_values(properties, precisions, are_shares=False),
        "mean average precision",
        rank_wrong_orders(scores.tolist(), list(labels), list(groups)),
    )


def _list_properties(texts: Texts) -> dict[str, Floats]:
    return list_properties(texts, is_single=not any(target for _, target in texts))


def _describe(interval: Interval, method: str) -> JsonObject:
    return {"low": interval[0], "high": interval[1], "level": LEVEL, "method": method}


def _describe_all(intervals: dict[str, Interval], what: str = "pairs") -> dict[str, JsonObject]:
    return {name: _describe(interval, BY_SAMPLES.format(what)) for name, interval in intervals.items()}
