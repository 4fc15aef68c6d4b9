"""Support vector machines by the plainest method: one coefficient after the other, all rows in memory, very long."""

import numpy as np


def solve_dual(rows, targets, costs, width=0.0, regression=False, sweeps=4000):
    """Weights of a machine on dense rows, the last one of a constant feature 1 for the intercept."""
    rows = np.column_stack([rows, np.ones(len(rows))]).astype(float)
    squares, coefficients, weights = (rows**2).sum(axis=1), np.zeros(len(rows)), np.zeros(rows.shape[1])
    for _ in range(sweeps):
        largest = 0.0
        for row in range(len(rows)):
            gradient = rows[row] @ weights - targets[row]
            new = coefficients[row] - gradient / squares[row]
            if regression:
                new = np.sign(new) * max(abs(new) - width / squares[row], 0.0)
                new = np.clip(new, -costs[row], costs[row])
            elif targets[row] > 0:
                new = np.clip(new, 0.0, costs[row])
            else:
                new = np.clip(new, -costs[row], 0.0)
            weights += (new - coefficients[row]) * rows[row]
            largest = max(largest, abs(new - coefficients[row]))
            coefficients[row] = new
        if largest < 1e-12:
            break
    return weights


def find_primal(rows, targets, costs, weights, width=0.0, regression=False):
    """The objective that the machine minimises: half the squared length of the weights, and the losses."""
    values = np.column_stack([rows, np.ones(len(rows))]) @ weights
    errors = np.maximum(np.abs(values - targets) - width, 0) if regression else np.maximum(1 - values * targets, 0)
    return 0.5 * weights @ weights + costs @ errors


def minimize_dual(gram, diagonal, signs, costs, tolerance, most_steps):
    """Sequential minimal optimisation row by row (Fan et al., 2005): coefficients, and values of all rows."""
    n = len(gram)
    gram = gram.astype(np.float64)
    coefficients, values = np.zeros(n), np.zeros(n)
    room_up, room_down = np.where(signs > 0, costs, 0.0), np.where(signs > 0, 0.0, costs)
    for _ in range(most_steps):
        slacks = signs - values
        may_rise, may_fall = np.flatnonzero(room_up > 0), np.flatnonzero(room_down > 0)
        if not len(may_rise) or not len(may_fall):
            break
        highest = slacks[may_rise].max()
        up = may_rise[slacks[may_rise] == highest][-1]
        gaps = highest - slacks[may_fall]
        if gaps.max() < tolerance:
            break
        curvatures = np.maximum(diagonal[up] + diagonal[may_fall] - 2.0 * gram[up, may_fall], 1e-12)
        gains = np.where(gaps > 0, gaps * gaps / curvatures, -1.0)
        down = may_fall[gains == gains.max()][-1]
        curvature = max(diagonal[up] + diagonal[down] - 2.0 * gram[up, down], 1e-12)
        step = min((highest - slacks[down]) / curvature, room_up[up], room_down[down])
        for row, change in ((up, step), (down, -step)):
            coefficients[row] += change
            room_up[row] -= change
            room_down[row] += change
            size = costs[row] if signs[row] > 0 else 0.0
            if room_up[row] <= 0.0 or room_up[row] < 1e-12 * costs[row]:
                coefficients[row], room_up[row], room_down[row] = size, 0.0, costs[row]
            elif room_down[row] <= 0.0 or room_down[row] < 1e-12 * costs[row]:
                coefficients[row], room_up[row], room_down[row] = size - costs[row], costs[row], 0.0
        values = values + step * (gram[up] - gram[down])
    return coefficients, values
