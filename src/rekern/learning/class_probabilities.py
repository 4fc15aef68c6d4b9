"""Probabilities of classes that agree with the decisions, and thresholds on the probability of the second class.

Of two classes the second one is predicted where the decision value is above 0. Its probability is a sigmoid that has
the value `threshold` at 0, so that the threshold on the decision value and the one on the probability are the same
decision. Of more classes the one with the highest decision value is predicted. All classes have the same sigmoid, so
it is also the one with the highest probability.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from rekern.core.arrays import Booleans, Floats, Ints
from rekern.core.messages import show_value
from rekern.core.parameters import is_number
from rekern.errors import InputError
from rekern.learning.calibration import Sigmoid, fit_sigmoid
from rekern.learning.measures import find_best_threshold

METRICS = ("accuracy", "f1")
SMALLEST = 1e-9  # a threshold; and the slope of a sigmoid that says nothing but the sign of a decision value

Threshold: TypeAlias = float | str


def check_threshold(threshold: object) -> Threshold:
    """Return a threshold on a probability, or the measure by which to choose one, checked.

    >>> check_threshold(0.3), check_threshold("f1")
    (0.3, 'f1')
    >>> check_threshold(1.5)
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: threshold=1.5: give a probability above 0 and below 1, or one of accuracy, f1
    """
    if isinstance(threshold, str) and threshold in METRICS:
        return threshold
    if is_number(threshold) and 0 < threshold < 1:
        return float(threshold)
    measures = ", ".join(METRICS)
    raise InputError(f"threshold={show_value(threshold)}: give a probability above 0 and below 1, or one of {measures}")


def fit_probabilities(values: Floats, signs: Ints, weights: Floats | None) -> Sigmoid:
    """Fit the sigmoid of all outputs to decision values of held-out pairs.

    Parameters
    ----------
    values, signs : arrays of shape (outputs, n)
        The decision values, and 1 or -1 for each output: one output for two classes, else one for each class.
    weights : array of shape (n,), optional
        How often each pair counts.

    Examples
    --------
    >>> values = np.array([[-2.0, -1.0, 0.5, 1.0, 2.0]])
    >>> fit_probabilities(values, np.array([[-1, 1, -1, 1, 1]]), None).probabilities(np.zeros(1)).tolist()
    [0.5]
    """
    outputs = len(values)
    repeated = None if weights is None else np.tile(weights, outputs)
    sigmoid = fit_sigmoid(values.ravel(), signs.ravel(), repeated, offset=outputs > 1)
    if sigmoid.slope > 0:
        return sigmoid
    # Nothing was learned that holds on held-out pairs: all classes are about as likely as each other.
    return Sigmoid(SMALLEST, 0.0 if outputs == 1 else -math.log(outputs - 1))


def find_thresholds(probabilities: Floats, positive: Booleans, weights: Floats | None = None) -> dict[str, float]:
    """Return the best threshold for each measure, from probabilities of held-out pairs.

    >>> find_thresholds(np.array([0.1, 0.4, 0.6, 0.8]), np.array([False, True, False, True]))
    {'accuracy': 0.7, 'f1': 0.25}
    """
    found = {metric: find_best_threshold(probabilities, positive, metric, weights).threshold for metric in METRICS}
    return {metric: min(max(threshold, SMALLEST), 1 - SMALLEST) for metric, threshold in found.items()}


def shift_to_threshold(sigmoid: Sigmoid, threshold: float) -> tuple[Sigmoid, float]:
    """Return the sigmoid that has the probability ``threshold`` at 0, and what to add to the decision values for it.

    >>> sigmoid, shift = shift_to_threshold(Sigmoid(2.0, 0.0), 0.3)
    >>> sigmoid.probabilities(np.array([shift])).round(12), sigmoid.probabilities(np.zeros(1)).round(12)
    (array([0.5]), array([0.3]))
    """
    offset = math.log(threshold / (1 - threshold))
    if offset == sigmoid.offset:
        return sigmoid, 0.0
    return Sigmoid(sigmoid.slope, offset), (sigmoid.offset - offset) / sigmoid.slope


def spread_probabilities(single: Floats) -> Floats:
    """Return a row of probabilities for each pair that adds up to 1, from one sigmoid for each output.

    >>> spread_probabilities(np.array([[0.25]])).tolist(), spread_probabilities(np.array([[0.5, 0.25, 0.25]])).tolist()
    ([[0.75, 0.25]], [[0.5, 0.25, 0.25]])
    """
    if single.shape[1] == 1:
        return np.column_stack([1 - single, single])
    total = single.sum(axis=1, keepdims=True)
    return np.where(total > 0, single / np.where(total > 0, total, 1), 1 / single.shape[1])
