"""The choice of the confidence: the sigmoid of scores, and the least confidence of an answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.learning.calibration import fit_sigmoid

WRONG = 15.0  # right answers that one wrong answer outweighs
LEAST_SLOPE = 1e-3
EXACT = 1e-9  # the tolerance of the sigmoid


def choose_confidence(scores: Sequence[float], right: Sequence[bool]) -> AnswerCalibration:
    """Fit the sigmoid that turns scores into confidences, and choose the confidence from which on it pays to answer.

    A wrong answer costs as much as `WRONG` right ones gain.

    >>> chosen = choose_confidence([-1.0, -1.5, -2.0, -6.0, -7.0], [True, True, True, False, False])
    >>> chosen.answered, chosen.right, 0 < chosen.confidence < 1
    (3, 3, True)
    """
    values, truth = np.array(scores, dtype=float), np.array(right, dtype=bool)
    if not len(values):
        return AnswerCalibration()
    sigmoid = fit_sigmoid(values, truth, smooth=True, tolerance=EXACT)
    sigmoid = sigmoid._replace(slope=max(sigmoid.slope, LEAST_SLOPE))
    order = np.argsort(-values, kind="stable")
    gain = np.cumsum(np.where(truth[order], 1.0, -WRONG))
    best = int(np.argmax(gain)) if gain.max() > 0 else -1
    inside = values[order[best]] if best >= 0 else values.max() + 1
    outside = values[order[best + 1]] if best + 1 < len(order) else inside - 1
    least = (inside + outside) / 2 if best >= 0 else inside
    return AnswerCalibration(
        slope=sigmoid.slope,
        shift=sigmoid.offset,
        confidence=float(sigmoid.probabilities(least)),
        answered=best + 1,
        right=int(truth[order[: best + 1]].sum()),
    )
