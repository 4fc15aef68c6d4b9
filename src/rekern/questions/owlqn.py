"""Orthant-wise limited-memory quasi-Newton: minimises a smooth function plus ``penalty · Σ|w|`` (Andrew and Gao, 2007).

Within one orthant the penalty is linear. So each step takes the L-BFGS direction of the smooth part, keeps only what
descends, and stays in its orthant: a weight that would change its sign stops at exactly 0.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Smooth = Callable[[np.ndarray], tuple[float, np.ndarray]]

SUFFICIENT = 1e-4  # the share of the promised decrease that a step must achieve
SMALLEST_STEP = 1e-10


@dataclass(frozen=True)
class Minimum:
    """Where the search ended: the point, the objective there, and whether it is a minimum to the tolerance."""

    weights: np.ndarray
    objective: float
    iterations: int
    converged: bool


def minimize(
    smooth: Smooth,
    start: np.ndarray,
    penalty: float | np.ndarray = 0.0,
    tolerance: float = 1e-7,
    max_iterations: int = 1000,
    memory: int = 10,
) -> Minimum:
    """The minimum of ``smooth(w)[0] + Σ penalty · |w|``; ``smooth`` returns a value and its gradient.

    ``penalty`` is one number or one for each weight. The search ends when no weight's slope exceeds ``tolerance``
    relative to the largest slope at the start (or 1), or when no step improves the objective any more.

    >>> found = minimize(lambda w: (float(((w - [3, 0.5]) ** 2).sum()), 2 * (w - np.array([3, 0.5]))), np.ones(2), 2.0)
    >>> found.weights.round(6).tolist(), found.converged
    ([2.0, 0.0], True)
    """
    weights = np.array(start, dtype=float)
    price = np.broadcast_to(np.asarray(penalty, dtype=float), weights.shape)
    value, gradient = smooth(weights)
    objective = value + float(price @ np.abs(weights))
    history: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=memory)
    slope = slopes(weights, gradient, price)
    enough = tolerance * max(1.0, float(np.abs(slope).max(initial=0.0)))
    iterations = 0
    while iterations < max_iterations and np.abs(slope).max(initial=0.0) > enough:
        iterations += 1
        direction = _direction(slope, history)
        direction[direction * slope >= 0] = 0.0  # only what descends
        if not direction.any():
            direction = -slope
        orthant = np.where(weights != 0, np.sign(weights), -np.sign(slope))
        step = 1.0 if history else min(1.0, 1.0 / float(np.abs(slope).sum()))
        found = _search(smooth, price, weights, objective, slope, direction, orthant, step)
        if found is None and history:  # a stale curvature may point nowhere: begin anew from the plain slope
            history.clear()
            continue
        if found is None:
            break
        moved, new_gradient, objective = found
        change, bend = moved - weights, new_gradient - gradient
        curvature = float(change @ bend)
        if curvature > 1e-12 * float(bend @ bend):
            history.append((change, bend, curvature))
        weights, gradient = moved, new_gradient
        slope = slopes(weights, gradient, price)
    converged = bool(np.abs(slope).max(initial=0.0) <= enough)
    return Minimum(weights, objective, iterations, converged)


def slopes(weights: np.ndarray, gradient: np.ndarray, price: np.ndarray) -> np.ndarray:
    """The slope of the objective at each weight; at 0, where left and right differ, the steeper descent, or none.

    >>> slopes(np.array([1.0, 0.0, 0.0]), np.array([0.5, 3.0, 0.5]), np.ones(3)).tolist()
    [1.5, 2.0, 0.0]
    """
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - price, 0.0)
    return np.where(weights != 0, gradient + price * np.sign(weights), at_zero)


def _direction(slope: np.ndarray, history: deque[tuple[np.ndarray, np.ndarray, float]]) -> np.ndarray:
    """The two-loop recursion of L-BFGS: minus the inverse curvature times the slope."""
    direction = -slope
    shares = []
    for change, bend, curvature in reversed(history):
        share = float(change @ direction) / curvature
        direction -= share * bend
        shares.append(share)
    if history:
        change, bend, curvature = history[-1]
        direction *= curvature / float(bend @ bend)
    for (change, bend, curvature), share in zip(history, reversed(shares)):
        direction += (share - float(bend @ direction) / curvature) * change
    return direction


def _search(
    smooth: Smooth,
    price: np.ndarray,
    weights: np.ndarray,
    objective: float,
    slope: np.ndarray,
    direction: np.ndarray,
    orthant: np.ndarray,
    step: float,
) -> tuple[np.ndarray, np.ndarray, float] | None:
    """The first point along the direction, cut to the orthant, that decreases the objective enough."""
    while step > SMALLEST_STEP:
        moved = weights + step * direction
        moved[moved * orthant < 0] = 0.0
        promised = float(slope @ (moved - weights))
        if not promised < 0:
            return None
        value, gradient = smooth(moved)
        reached = value + float(price @ np.abs(moved))
        if reached <= objective + SUFFICIENT * promised:
            return moved, gradient, reached
        step /= 2
    return None
