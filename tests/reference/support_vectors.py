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
