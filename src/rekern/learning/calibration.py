"""Probabilities from decision values: the sigmoid of Platt (1999)."""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import AnyArray, Floats
from rekern.core.parallel_jobs import use_one_blas_thread

PENALTY = 1e-6
TOLERANCE = 1e-4
MOST_STEPS = 100

_LOCK = Lock()


class Sigmoid(NamedTuple):
    """The function value ↦ 1 / (1 + exp(−(slope · value + offset))).

    >>> Sigmoid(2.0, 0.0).probabilities(np.array([0.0, 100.0])).tolist()
    [0.5, 1.0]
    """

    slope: float
    offset: float

    def probabilities(self, values: Floats) -> Floats:
        """The probability that belongs to each decision value."""
        found: Floats = 1 / (1 + np.exp(-np.clip(self.slope * values + self.offset, -700, 700)))
        return found


def fit_sigmoid(
    values: Floats,
    signs: AnyArray,
    weights: Floats | None = None,
    *,
    smooth: bool = False,
    offset: bool = True,
    penalty: float = PENALTY,
    tolerance: float = TOLERANCE,
) -> Sigmoid:
    """Fit a sigmoid that turns decision values into probabilities of the positive class.

    It minimises the logistic loss, Σ weight · loss + ½ · penalty · slope².

    Parameters
    ----------
    values : array of shape (n,)
        Decision values, of items that the machine was not trained on.
    signs : array of shape (n,)
        1 or True for the positive class, -1 or False for the other.
    weights : array of shape (n,), optional
        How often each item counts; 1 by default.
    smooth : bool
        Replace the targets 1 and 0 by (p + 1) / (p + 2) and 1 / (q + 2), with p and q the weights of the two classes
        (Platt, 1999; Lin, Lin and Weng, 2007). The slope is then finite also where the classes do not overlap.
    offset : bool
        Whether the sigmoid has an offset. Without one, the probability is 0.5 exactly where the value is 0.
    penalty : float
        On the square of the slope.
    tolerance : float
        The search ends when no derivative of the mean loss is larger.

    Examples
    --------
    >>> sigmoid = fit_sigmoid(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([-1, -1, 1, 1]), smooth=True)
    >>> round(sigmoid.slope, 2), round(abs(sigmoid.offset), 2)
    (0.67, 0.0)
    >>> fit_sigmoid(np.array([-2.0, 1.0, 2.0]), np.array([-1, -1, 1]), offset=False).offset
    0.0
    """
    from scipy.optimize import minimize

    positive = np.asarray(signs, dtype=np.float64) > 0
    shares = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    total = float(shares.sum())
    if not total > 0:
        raise ValueError("a sigmoid needs at least one value with a weight above 0")
    targets = positive.astype(np.float64)
    if smooth:
        p, q = float(shares[positive].sum()), float(shares[~positive].sum())
        targets = np.where(positive, (p + 1) / (p + 2), 1 / (q + 2))
    shares = shares / total
    curb = penalty / total

    def loss(point: Floats) -> tuple[float, Floats]:
        slope, shift = point
        found = slope * values + shift
        errors = shares * (1 / (1 + np.exp(-found)) - targets)
        value = shares @ (np.logaddexp(0.0, found) - targets * found) + 0.5 * curb * slope * slope
        return float(value), np.array([errors @ values + curb * slope, errors.sum() if offset else 0.0])

    options = {"maxiter": MOST_STEPS, "maxls": 50, "gtol": tolerance, "ftol": 64 * np.finfo(np.float64).eps}
    # For two parameters, waking the threads of BLAS takes longer than all the rest. exp may overflow to infinity.
    with _LOCK, use_one_blas_thread(), np.errstate(over="ignore"):
        slope, shift = minimize(loss, np.zeros(2), method="L-BFGS-B", jac=True, options=options).x
    return Sigmoid(float(slope), float(shift))
