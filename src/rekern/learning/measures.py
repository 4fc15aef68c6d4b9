"""Measures of predictions: of classes, of numbers and of rankings, and a test that compares two classifiers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Booleans, Floats, Ints
from rekern.errors import InputError
from rekern.learning.candidate_groups import number_groups, rows_of_groups


class ClassRow(TypedDict):
    """The measures of one class."""

    precision: float
    recall: float
    f1: float
    pairs: int


class ClassMeasures(TypedDict):
    """The result of `class_measures`."""

    accuracy: float
    majority: float
    macro_f1: float
    classes: dict[str, ClassRow]
    confusion: list[list[int]]


class Correlations(TypedDict):
    """The result of `correlations`."""

    pearson: float | None
    spearman: float | None
    mse: float


class RankingMeasures(TypedDict):
    """The result of `ranking_measures`."""

    map: float
    mrr: float
    groups: int


def class_measures(predictions: Sequence[object], labels: Sequence[object], classes: Sequence[object]) -> ClassMeasures:
    """Return the accuracy, the precision, recall and F1 of each class, and the confusion matrix.

    The rows of the confusion matrix are the true classes. ``majority`` is the accuracy of always predicting the most
    frequent class.

    >>> found = class_measures([1, 1, 0], [1, 0, 0], [0, 1])
    >>> found["accuracy"], found["confusion"], found["classes"]["1"]["precision"]
    (0.6666666666666666, [[1, 1], [0, 1]], 0.5)
    """
    from sklearn.metrics import confusion_matrix

    matrix = confusion_matrix(labels, predictions, labels=list(classes))
    hits, predicted, true = np.diag(matrix), matrix.sum(axis=0), matrix.sum(axis=1)
    precision = np.divide(hits, predicted, out=np.zeros(len(hits)), where=predicted > 0)
    recall = np.divide(hits, true, out=np.zeros(len(hits)), where=true > 0)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros(len(hits)), where=both > 0)
    rows = zip(precision.tolist(), recall.tolist(), f1.tolist(), true.tolist())
    return {
        "accuracy": float(hits.sum() / matrix.sum()),
        "majority": float(true.max() / matrix.sum()),
        "macro_f1": float(np.mean(f1)),
        "classes": {
            str(name): {"precision": p, "recall": r, "f1": f, "pairs": count}
            for name, (p, r, f, count) in zip(classes, rows)
        },
        "confusion": matrix.tolist(),
    }


def correlations(predictions: npt.ArrayLike, labels: npt.ArrayLike) -> Correlations:
    """Return Pearson's and Spearman's correlation (None if one side is constant) and the mean squared error.

    >>> correlations([1.0, 2.0, 3.0], [1.0, 2.0, 5.0])  # doctest: +ELLIPSIS
    {'pearson': 0.96..., 'spearman': 1.0, 'mse': 1.33...}
    """
    from scipy.stats import rankdata

    guesses, truth = np.asarray(predictions, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    return {
        "pearson": _correlate(guesses, truth),
        "spearman": _correlate(rankdata(guesses), rankdata(truth)),
        "mse": float(np.mean((guesses - truth) ** 2)),
    }


def _correlate(x: Floats, y: Floats) -> float | None:
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.round(np.corrcoef(x, y)[0, 1], 12))


def ranking_measures(scores: npt.ArrayLike, labels: npt.ArrayLike, groups: Iterable[Hashable]) -> RankingMeasures:
    """Return the mean average precision and the mean reciprocal rank over the groups with a label above 0.

    Candidates with equal scores are ranked in the worst order, so that a constant score has no advantage.

    >>> ranking_measures([3, 2, 1], [0, 1, 1], [1, 1, 1])  # at ranks 2 and 3
    {'map': 0.5833333333333333, 'mrr': 0.5, 'groups': 1}
    """
    measured = measure_groups(scores, labels, groups)
    if not measured:
        raise InputError("no group has a candidate with a label above 0: there is nothing to measure")
    precisions, reciprocals = zip(*measured.values())
    return {"map": float(np.mean(precisions)), "mrr": float(np.mean(reciprocals)), "groups": len(precisions)}


def measure_groups(
    scores: npt.ArrayLike, labels: npt.ArrayLike, groups: Iterable[Hashable]
) -> dict[int, tuple[float, float]]:
    """Return the average precision and the reciprocal rank of each group with a label above 0, by its first row.

    >>> measure_groups([3, 2, 1], [0, 1, 1], [1, 1, 1])
    {0: (0.5833333333333333, 0.5)}
    """
    values, positive = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64) > 0
    hits = _find_hits(values, positive, number_groups(groups, len(values)))
    return {row: (_average_precision(ranks), 1.0 / float(ranks[0])) for row, ranks in hits.items()}


def average_precisions(scores: Floats, positive: Booleans, groups: Ints) -> dict[int, float]:
    """Return the average precision of each group with a positive candidate, by the first row of the group.

    >>> average_precisions(np.array([3.0, 2.0, 1.0]), np.array([False, True, True]), np.zeros(3, int))
    {0: 0.5833333333333333}
    """
    return {row: _average_precision(ranks) for row, ranks in _find_hits(scores, positive, groups).items()}


def _find_hits(scores: Floats, positive: Booleans, groups: Ints) -> dict[int, Ints]:
    """The ranks of the positive candidates of each group that has some, from 1, by the first row of the group."""
    found = {}
    for rows in rows_of_groups(groups):
        order = rows[np.lexsort((positive[rows], -scores[rows]))]
        ranks = np.flatnonzero(positive[order]) + 1
        if len(ranks):
            found[int(rows[0])] = ranks
    return found


def _average_precision(ranks: Ints) -> float:
    return float(np.mean(np.arange(1, len(ranks) + 1) / ranks))


class BinaryMeasures(TypedDict):
    """The result of `binary_measures`."""

    auc: float
    average_precision: float
    best_threshold: dict[str, float]
    best: dict[str, float]


def binary_measures(scores: npt.ArrayLike, positive: npt.ArrayLike) -> BinaryMeasures | None:
    """Return the area under the ROC curve, the average precision, and the best thresholds on the scores.

    ``best`` has the accuracy and the F1 that these thresholds reach on the same pairs. None if all pairs are of one
    class, so that there is nothing to tell apart.

    >>> found = binary_measures([0.1, 0.4, 0.6, 0.8], [0, 1, 0, 1])
    >>> found["auc"], found["best"]["accuracy"], found["best_threshold"]["accuracy"]
    (0.75, 0.75, 0.7)
    """
    values, truth = np.asarray(scores, dtype=np.float64), np.asarray(positive).astype(bool)
    if truth.all() or not truth.any():
        return None
    found = {metric: find_best_threshold(values, truth, metric) for metric in ("accuracy", "f1")}
    areas = find_areas(values, truth)
    return {
        "auc": areas.auc,
        "average_precision": areas.average_precision,
        "best_threshold": {metric: threshold for metric, (threshold, _) in found.items()},
        "best": {metric: reached for metric, (_, reached) in found.items()},
    }


class Areas(NamedTuple):
    """The area under the ROC curve, and the average precision."""

    auc: float
    average_precision: float


def find_areas(scores: Floats, positive: Booleans) -> Areas:
    """Return the area under the ROC curve and the average precision; there are items of both classes.

    The same as scikit-learn's, without its checks of the input: a report needs them for hundreds of samples.

    >>> find_areas(np.array([0.1, 0.4, 0.6, 0.8]), np.array([False, True, False, True]))
    Areas(auc=0.75, average_precision=0.8333333333333333)
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)  # of items with equal scores
    right = np.append(0, np.cumsum(positive[order])[ends]).astype(np.float64)
    called = np.append(0, ends + 1).astype(np.float64)
    wrong, gained = called - right, np.diff(right)
    under = np.sum(np.diff(wrong) * (right[1:] + right[:-1])) / 2
    return Areas(float(under / (right[-1] * wrong[-1])), float(np.sum(gained * right[1:] / called[1:]) / right[-1]))


class BestThreshold(NamedTuple):
    """A threshold, and the measure that it reaches."""

    threshold: float
    reached: float


def find_best_threshold(
    scores: Floats, positive: Booleans, metric: str = "accuracy", weights: Floats | None = None
) -> BestThreshold:
    """Return the threshold above which items are to be called positive, for the highest accuracy or F1.

    It lies in the middle between two scores. Of thresholds that are equally good the one closest to 0.5 is chosen.

    >>> find_best_threshold(np.array([0.1, 0.4, 0.6, 0.8]), np.array([False, True, False, True]), "f1")
    BestThreshold(threshold=0.25, reached=0.8)
    """
    shares = np.ones(len(scores)) if weights is None else weights
    distinct, numbers = np.unique(-scores, return_inverse=True)
    distinct = -distinct  # falling; in way i the items with the first i of these scores are called positive
    called = np.concatenate([[0.0], np.cumsum(np.bincount(numbers, shares))])
    right = np.concatenate([[0.0], np.cumsum(np.bincount(numbers, np.where(positive, shares, 0.0)))])
    total, true = called[-1], right[-1]
    if metric == "f1":
        reached = np.divide(2 * right, called + true, out=np.zeros(len(right)), where=called + true > 0)
    else:
        reached = (2 * right - called + total - true) / total
    top = 1.0 if distinct[0] < 1 else distinct[0] + 1
    bottom = 0.0 if distinct[-1] > 0 else distinct[-1] - 1
    middles = (np.concatenate([[top], distinct]) + np.concatenate([distinct, [bottom]])) / 2
    best = np.flatnonzero(reached >= reached.max() - 1e-12)
    chosen = best[np.argmin(np.abs(middles[best] - 0.5))]
    return BestThreshold(float(np.round(middles[chosen], 12)), float(reached[chosen]))
