"""Compiled loops of dual coordinate descent, on sparse rows and on a dense Gram matrix."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import mix
from rekern.learning.dense_descent_core import add_row, find_coefficient, find_loss, multiply_row


@compiled
def add_products(value, first, end, indices, values, weights, tail):
    """Add the inner product of a row and the weights: sparse entries, then those of the last columns, the tail."""
    for entry in range(first, end):
        value += weights[indices[entry]] * values[entry]
    return value + multiply_row(values[end : end + len(tail)], tail)


@compiled
def descend_rows(
    indptr, indices, values, dense, norms, targets, costs, width, regression, bias, tolerance, sweeps, seed
):
    """Coefficients b that minimise ½ bᵀQb − targetsᵀb + width ‖b‖₁ within their costs; Q is XXᵀ with a given diagonal.

    The last ``dense`` columns are those of the last entries of every row, which then need no look at their numbers.

    It stops when primal and dual objective differ by less than ``tolerance``, as a share of the primal, and after
    ``sweeps`` over all rows. For classification b has the sign of its target (±1); for regression either sign.
    ``bias`` is the value of the constant feature.
    """
    n = len(norms)
    weights = np.zeros(indices.max() + 1 if len(indices) else 1)
    tail = weights[len(weights) - dense :]
    offset = 0.0
    coefficients = np.zeros(n)
    shared = np.zeros(n)
    for row in range(n):
        for entry in range(indptr[row], indptr[row + 1]):
            shared[row] += values[entry] * values[entry]
    np.random.seed(seed)  # noqa: NPY002 - Numba's own generator, one for each thread
    order = np.arange(n)
    length = 0.0  # of the weight vector, squared
    sweep = 0
    for sweep in range(sweeps):  # noqa: B007 - its last value is returned
        for index in range(n - 1, 0, -1):
            other = np.random.randint(0, index + 1)  # noqa: NPY002
            order[index], order[other] = order[other], order[index]
        losses, gains = 0.0, 0.0  # of the primal and the dual objective, added up as the rows are visited
        for row in order:
            square = norms[row] + bias * bias
            if square == 0.0 or costs[row] == 0.0:
                continue
            target, old = targets[row], coefficients[row]
            end = indptr[row + 1] - dense
            value = offset * bias + (norms[row] - shared[row]) * old
            value = add_products(value, indptr[row], end, indices, values, weights, tail)
            new = find_coefficient(old, value - target, square, target, costs[row], width, regression)
            step = new - old
            losses += costs[row] * find_loss(value, target, width, regression)
            gains += new * target - width * abs(new) if regression else abs(new)
            if step != 0.0:
                length += step * (2.0 * value + step * square)
                coefficients[row] = new
                offset += step * bias
                for entry in range(indptr[row], end):
                    weights[indices[entry]] += step * values[entry]
                add_row(tail, step, values[end : end + dense])
        # The gap between the objectives tells how far they can be from the optimum. A bound on the largest step would
        # not do: among many similar rows one of them keeps moving long after the decision function has settled.
        if length + losses - gains <= tolerance * (0.5 * length + losses):
            # So far these were the losses that the rows had when they were visited; now those that they have.
            losses = 0.0
            for row in range(n):
                if norms[row] + bias * bias == 0.0 or costs[row] == 0.0:
                    continue
                value = offset * bias + (norms[row] - shared[row]) * coefficients[row]
                value = add_products(value, indptr[row], indptr[row + 1] - dense, indices, values, weights, tail)
                losses += costs[row] * find_loss(value, targets[row], width, regression)
            if length + losses - gains <= tolerance * (0.5 * length + losses):
                break
    return coefficients, offset * bias, sweep + 1


@compiled
def descend_gram(gram, signs, costs, bias, tolerance, sweeps):
    """A support vector classifier on a dense Gram, to which the square of ``bias`` is added for the intercept.

    Returns the coefficients and the decision values of all rows.
    """
    n = len(gram)
    constant = bias * bias
    values = np.zeros(n)
    coefficients = np.zeros(n)
    for _ in range(sweeps):
        losses, gains, length = 0.0, 0.0, 0.0
        for row in range(n):
            square = gram[row, row] + constant
            if square <= 0.0:
                continue
            sign = signs[row]
            old = coefficients[row]
            centre = old * sign - (values[row] * sign - 1.0) / square
            new = min(max(centre, 0.0), costs[row]) * sign
            step = new - old
            if step != 0.0:
                coefficients[row] = new
                for other in range(n):
                    values[other] += step * (gram[row, other] + constant)
        for row in range(n):
            losses += costs[row] * max(1.0 - values[row] * signs[row], 0.0)
            gains += abs(coefficients[row])
            length += coefficients[row] * values[row]
        if length + losses - gains <= tolerance * (0.5 * length + losses):
            break
    return coefficients, values


@compiled
def descend_steeply(gram, costs, tolerance, most_steps):
    """The coefficients of a machine without intercept that is to put every row of a Gram on the positive side.

    In each step the coefficient changes with which the objective falls most. Differences of candidates that share one
    are alike, so that steps from row to row, as in `descend_gram`, go back and forth between them.
    """
    n = len(gram)
    slopes, coefficients = np.ones(n), np.zeros(n)  # slopes: how fast the objective falls with a coefficient
    squares = np.empty(n)
    for row in range(n):
        squares[row] = gram[row, row]
    for step in range(most_steps):
        if step % n == 0:
            losses, gains, length = 0.0, 0.0, 0.0
            for row in range(n):
                if squares[row] > 0.0:  # two equal candidates teach nothing
                    losses += costs[row] * max(slopes[row], 0.0)
                gains += coefficients[row]
                length += coefficients[row] * (1.0 - slopes[row])
            if length + losses - gains <= tolerance * (0.5 * length + losses):
                break
        best, largest, change = -1, 0.0, 0.0
        for row in range(n):
            if squares[row] > 0.0:
                room = costs[row] - coefficients[row] if slopes[row] > 0.0 else coefficients[row]
                size = min(abs(slopes[row]), room * squares[row])
                gain = size * (2.0 * abs(slopes[row]) - size) / squares[row]
                if gain > largest:
                    best, largest, change = row, gain, (size if slopes[row] > 0.0 else -size) / squares[row]
        if best < 0:
            break
        coefficients[best] = min(max(coefficients[best] + change, 0.0), costs[best])
        line = gram[best]
        for row in range(n):
            slopes[row] -= change * line[row]
    return coefficients


@compiled
def count_tail(indptr, indices, columns):
    """How many of the last columns are, in their order, the last entries of every row."""
    dense = columns
    for row in range(len(indptr) - 1):
        end = indptr[row + 1]
        dense = min(dense, end - indptr[row])
        for place in range(dense):
            if indices[end - 1 - place] != columns - 1 - place:
                dense = place
                break
    return dense


@compiled
def sign_columns(indptr, indices, bits, counts, signatures):
    """Count each column's entries, and add up a signature of where they are and what they are."""
    for row in range(len(indptr) - 1):
        code = mix(np.uint64(row + 1) * np.uint64(0x9E3779B97F4A7C15))
        for entry in range(indptr[row], indptr[row + 1]):
            counts[indices[entry]] += 1
            signatures[indices[entry]] += mix(code ^ bits[entry])


@compiled
def pick_columns(indptr, indices, values, numbers, factors, starts, kept, picked, norms):
    """The entries of the columns that have a number, times the factor of that column; and the norms of all rows."""
    at = 0
    for row in range(len(indptr) - 1):
        norm = 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            value = values[entry]
            norm += value * value
            number = numbers[indices[entry]]
            if number >= 0:
                kept[at] = number
                picked[at] = value * factors[number]
                at += 1
        norms[row] = norm
        starts[row + 1] = at
