"""Minimization of a smooth function plus an L1 penalty, ``penalty · Σ|w|``, by orthant-wise L-BFGS (OWL-QN).

Within one orthant the penalty is linear. Each step takes the L-BFGS direction of the smooth part, keeps the components
that descend, and stays in its orthant: a weight that would change its sign stops at exactly 0 (Andrew and Gao, 2007).
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats

Smooth = Callable[[Floats], tuple[float, Floats]]  # weights -> the value and the gradient

SUFFICIENT = 1e-4  # the share of the predicted decrease that a step must achieve
SMALLEST_STEP = 1e-10
STEPS = 10  # the last ones, from which the curvature is estimated


@dataclass(frozen=True)
class Minimum:
    """The end of a search: the weights, the objective, and whether it is a minimum within the tolerance."""

    weights: Floats
    objective: float
    iterations: int
    converged: bool


class _Curvature(NamedTuple):
    """What one step taught about the curvature: the change of the weights, of the gradient, and their product."""

    change: Floats
    bend: Floats
    product: float


def minimize_with_l1(
    smooth: Smooth,
    start: Floats,
    penalty: float | Floats = 0.0,
    tolerance: float = 1e-7,
    max_iterations: int = 1000,
) -> Minimum:
    """Minimize ``smooth(w)[0] + Σ penalty · |w|``, where ``smooth`` returns a value and its gradient.

    ``penalty`` is one number, or one for each weight. The search ends when the slope of no weight exceeds ``tolerance``
    times the largest slope at the start (at least 1), or when no step improves the objective.

    >>> best = np.array([3, 0.5])
    >>> found = minimize_with_l1(lambda w: (float(((w - best) ** 2).sum()), 2 * (w - best)), np.ones(2), 2.0)
    >>> found.weights.round(6).tolist(), found.converged
    ([2.0, 0.0], True)
    """
    weights = np.array(start, dtype=float)
    penalties: Floats = np.broadcast_to(np.asarray(penalty, dtype=float), weights.shape)
    value, gradient = smooth(weights)
    objective = value + float(penalties @ np.abs(weights))
    history: deque[_Curvature] = deque(maxlen=STEPS)
    slope = compute_slopes(weights, gradient, penalties)
    enough = tolerance * max(1.0, float(np.abs(slope).max(initial=0.0)))
    iterations = 0
    while iterations < max_iterations and np.abs(slope).max(initial=0.0) > enough:
        iterations += 1
        direction = _compute_direction(slope, history)
        direction[direction * slope >= 0] = 0.0  # only components that descend
        if not direction.any():
            direction = -slope
        orthant = np.where(weights != 0, np.sign(weights), -np.sign(slope))
        step = 1.0 if history else min(1.0, 1.0 / float(np.abs(slope).sum()))
        found = _search_line(smooth, penalties, weights, objective, slope, direction, orthant, step)
        if found is None and history:  # an outdated curvature may point nowhere: restart from the slope alone
            history.clear()
            continue
        if found is None:
            break
        moved, new_gradient, objective = found
        change, bend = moved - weights, new_gradient - gradient
        product = float(change @ bend)
        if product > 1e-12 * float(bend @ bend):
            history.append(_Curvature(change, bend, product))
        weights, gradient = moved, new_gradient
        slope = compute_slopes(weights, gradient, penalties)
    converged = bool(np.abs(slope).max(initial=0.0) <= enough)
    return Minimum(weights, objective, iterations, converged)


def compute_slopes(weights: Floats, gradient: Floats, penalties: Floats) -> Floats:
    """Compute the slope of the objective at each weight.

    At 0 the slopes on the left and on the right differ: it is the one that descends, or 0 if none does.

    >>> compute_slopes(np.array([1.0, 0.0, 0.0]), np.array([0.5, 3.0, 0.5]), np.ones(3)).tolist()
    [1.5, 2.0, 0.0]
    """
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - penalties, 0.0)
    return np.where(weights != 0, gradient + penalties * np.sign(weights), at_zero)


def _compute_direction(slope: Floats, history: deque[_Curvature]) -> Floats:
    """Compute minus the inverse curvature times the slope, by the two-loop recursion of L-BFGS."""
    direction = -slope
    shares = []
    for change, bend, product in reversed(history):
        share = float(change @ direction) / product
        direction -= share * bend
        shares.append(share)
    if history:
        change, bend, product = history[-1]
        direction *= product / float(bend @ bend)
    for (change, bend, product), share in zip(history, reversed(shares)):
        direction += (share - float(bend @ direction) / product) * change
    return direction


def _search_line(
    smooth: Smooth,
    penalties: Floats,
    weights: Floats,
    objective: float,
    slope: Floats,
    direction: Floats,
    orthant: Floats,
    step: float,
) -> tuple[Floats, Floats, float] | None:
    """Find the first point along the direction, cut to the orthant, that decreases the objective enough."""
    while step > SMALLEST_STEP:
        moved = weights + step * direction
        moved[moved * orthant < 0] = 0.0
        predicted = float(slope @ (moved - weights))
        if not predicted < 0:
            return None
        value, gradient = smooth(moved)
        reached = value + float(penalties @ np.abs(moved))
        if reached <= objective + SUFFICIENT * predicted:
            return moved, gradient, reached
        step /= 2
    return None
