"""Curves that say how good scores are: ROC, precision and recall, calibration."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from rekern.core.arrays import AnyArray, Booleans, Floats

BINS = 10  # of the calibration curve
MOST_POINTS = 200  # of a curve


class QualityCurves(TypedDict):
    """The curves of the scores of a class; ``calibration`` is empty if the scores are not probabilities."""

    roc: list[tuple[float, float]]  # false positive rate, true positive rate
    precision_recall: list[tuple[float, float]]  # recall, precision
    calibration: list[tuple[float, float, int]]  # mean probability, share of the class, number of pairs


def find_quality_curves(scores: Floats, positive: Booleans) -> QualityCurves | None:
    """Return the curves of scores that should be high where ``positive`` is true; None if all pairs are of one class.

    Scores from 0 to 1 are taken for probabilities.

    >>> found = find_quality_curves(np.array([0.1, 0.4, 0.6, 0.8]), np.array([False, True, False, True]))
    >>> found["roc"][-1], found["precision_recall"][0], found["calibration"][0]
    ((1.0, 1.0), (1.0, 0.5), (0.1, 0.0, 1))
    """
    from sklearn.calibration import calibration_curve
    from sklearn.metrics import precision_recall_curve, roc_curve

    if positive.all() or not positive.any():
        return None
    false, true, _ = roc_curve(positive, scores)
    precision, recall, _ = precision_recall_curve(positive, scores, drop_intermediate=True)
    calibration: list[tuple[float, float, int]] = []
    if scores.min() >= 0 and scores.max() <= 1:
        shares, means = calibration_curve(positive, scores, n_bins=BINS)
        edges = np.linspace(0.0, 1.0, BINS + 1)
        counts = np.bincount(np.searchsorted(edges[1:-1], scores), minlength=BINS)
        calibration = list(zip(means.tolist(), shares.tolist(), counts[counts > 0].tolist()))
    return {
        "roc": _thin_out(false, true),
        "precision_recall": _thin_out(recall, precision),
        "calibration": calibration,
    }


def _thin_out(x: AnyArray, y: AnyArray) -> list[tuple[float, float]]:
    """Return at most `MOST_POINTS` points, the first and the last among them."""
    chosen = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS)).round().astype(int))
    return list(zip(x[chosen].tolist(), y[chosen].tolist()))
