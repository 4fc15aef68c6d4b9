"""Compiled loops of dual coordinate descent on dense rows, which may have 32 bits."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.compiling import compiled


@compiled
def multiply_row(row, weights):
    """The inner product of a row and weights: eight sums side by side, always in the same order."""
    whole = len(row) - len(row) % 8
    a = b = c = d = e = f = g = h = 0.0
    for place in range(0, whole, 8):
        a += row[place] * weights[place]
        b += row[place + 1] * weights[place + 1]
        c += row[place + 2] * weights[place + 2]
        d += row[place + 3] * weights[place + 3]
        e += row[place + 4] * weights[place + 4]
        f += row[place + 5] * weights[place + 5]
        g += row[place + 6] * weights[place + 6]
        h += row[place + 7] * weights[place + 7]
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for place in range(whole, len(row)):
        total += row[place] * weights[place]
    return total


@compiled
def add_row(weights, step, row):
    """Add a multiple of a row to the weights."""
    for place in range(len(row)):
        weights[place] += step * row[place]


@compiled
def square_rows(matrix):
    """The squared norms of the rows."""
    squares = np.zeros(len(matrix))
    for row in range(len(matrix)):
        squares[row] = multiply_row(matrix[row], matrix[row].astype(np.float64))
    return squares


@compiled
def add_rows(matrix, coefficients):
    """The sum of all rows, each times its coefficient."""
    weights = np.zeros(matrix.shape[1])
    for row in range(len(matrix)):
        if coefficients[row] != 0.0:
            add_row(weights, coefficients[row], matrix[row])
    return weights


@compiled
def multiply_rows(matrix, rows, weights):
    """The inner products of some rows with the weights."""
    values = np.zeros(len(rows))
    for place in range(len(rows)):
        values[place] = multiply_row(matrix[rows[place]], weights)
    return values


@compiled
def find_loss(value, target, width, regression):
    """How far a value is on the wrong side: beyond the width for a number, below the margin for a class."""
    return max(abs(value - target) - width, 0.0) if regression else max(1.0 - value * target, 0.0)


@compiled
def find_coefficient(old, gradient, square, target, cost, width, regression):
    """The coefficient that minimises the objective while all others stay, within its cost."""
    centre = old - gradient / square
    if regression:
        shrunk = np.sign(centre) * max(abs(centre) - width / square, 0.0)
        return min(max(shrunk, -cost), cost)
    return min(max(centre, 0.0), cost) if target > 0 else min(max(centre, -cost), 0.0)


@compiled
def descend_dense(matrix, squares, targets, costs, width, regression, bias, tolerance, sweeps, seed):
    """As ``descend_rows`` of dual_descent_core, on dense rows; rows of cost 0 are left out."""
    used = np.flatnonzero(costs)
    weights = np.zeros(matrix.shape[1])
    coefficients = np.zeros(len(matrix))
    offset, length, sweep = 0.0, 0.0, 0
    np.random.seed(seed)  # noqa: NPY002 - Numba's own generator, one for each thread
    order = used.copy()
    for sweep in range(sweeps):  # noqa: B007 - its last value is returned
        for index in range(len(order) - 1, 0, -1):
            other = np.random.randint(0, index + 1)  # noqa: NPY002
            order[index], order[other] = order[other], order[index]
        losses, gains = 0.0, 0.0  # of the primal and the dual objective, added up as the rows are visited
        for row in order:
            square = squares[row] + bias * bias
            if square == 0.0:
                continue
            value = offset * bias + multiply_row(matrix[row], weights)
            target, old = targets[row], coefficients[row]
            new = find_coefficient(old, value - target, square, target, costs[row], width, regression)
            losses += costs[row] * find_loss(value, target, width, regression)
            gains += new * target - width * abs(new) if regression else abs(new)
            step = new - old
            if step != 0.0:
                length += step * (2.0 * value + step * square)
                coefficients[row] = new
                offset += step * bias
                add_row(weights, step, matrix[row])
        if length + losses - gains <= tolerance * (0.5 * length + losses):
            # So far these were the losses that the rows had when they were visited; now those that they have.
            losses = 0.0
            for row in used:
                if squares[row] + bias * bias > 0.0:
                    value = offset * bias + multiply_row(matrix[row], weights)
                    losses += costs[row] * find_loss(value, targets[row], width, regression)
            if length + losses - gains <= tolerance * (0.5 * length + losses):
                break
    return coefficients, offset * bias, sweep + 1
