"""Kernel logistic regression on a Gram matrix: the logistic loss in the place of that of a support vector machine."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import AnyArray, Floats
from rekern.learning.dual_solution import DualSolution

MOST_STEPS, MOST_HALVINGS = 100, 30
TOLERANCE = 1e-9  # of the gain of a step, relative to the objective
SMALLEST_CURVATURE = 1e-12


def fit_logistic(gram: Floats, signs: AnyArray, C: float) -> DualSolution:
    """Minimise C · Σ ln(1 + exp(−y f(x))) + ½ ‖f‖² by Newton's method; ``signs`` y are 1 or −1.

    The probability of the positive class is 1 / (1 + exp(−f(x))).

    >>> solution = fit_logistic(np.eye(2), np.array([1, -1]), 1.0)
    >>> solution.decide(np.eye(2)).round(6).tolist()
    [0.401058, -0.401058]
    """
    size = len(gram)
    is_positive = np.asarray(signs, float) > 0
    y = np.where(is_positive, 1.0, -1.0)
    coefficients, intercept = np.zeros(size), 0.0
    values = np.zeros(size)
    known = _measure(values, coefficients, values, y, C)
    for _ in range(MOST_STEPS):
        likely = 0.5 * (1.0 + np.tanh(0.5 * values))
        curvature = np.maximum(C * likely * (1.0 - likely), SMALLEST_CURVATURE)
        wanted = values + C * (is_positive - likely) / curvature
        system = gram + np.diag(1.0 / curvature)
        one, other = np.linalg.solve(system, np.column_stack([wanted, np.ones(size)])).T
        new_intercept = one.sum() / other.sum()
        step, shift = one - new_intercept * other - coefficients, new_intercept - intercept
        for halving in range(MOST_HALVINGS):
            share = 0.5**halving
            tried = coefficients + share * step
            products = gram @ tried
            moved = products + intercept + share * shift
            found = _measure(products, tried, moved, y, C)
            if found <= known:
                break
        else:
            break
        gain, known = known - found, found
        coefficients, intercept, values = tried, intercept + share * shift, moved
        if gain <= TOLERANCE * abs(known):
            break
    return DualSolution(coefficients, float(intercept))


def _measure(products: Floats, coefficients: Floats, values: Floats, y: Floats, C: float) -> float:
    return float(C * np.logaddexp(0.0, -y * values).sum() + 0.5 * coefficients @ products)
