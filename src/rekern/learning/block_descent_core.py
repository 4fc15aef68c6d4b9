"""Compiled loops of dual coordinate descent over one block of rows, with the weights of all rows."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.compiling import compiled
from rekern.learning.dense_descent_core import find_coefficient

LONGEST_REST = 7  # visits


@compiled
def decide_row(block, row, weights, score_weights, offset):
    """Return the decision value of a row; the constant feature of the intercept is 1."""
    indptr, columns, values, scores, _, _ = block
    value = offset
    for entry in range(indptr[row], indptr[row + 1]):
        value += weights[columns[entry]] * values[entry]
    size = scores.shape[1]
    sums = (0.0, 0.0, 0.0, 0.0)  # so that a sum need not wait for the one before
    for score in range(0, size - 3, 4):
        sums = (
            sums[0] + score_weights[score] * scores[row, score],
            sums[1] + score_weights[score + 1] * scores[row, score + 1],
            sums[2] + score_weights[score + 2] * scores[row, score + 2],
            sums[3] + score_weights[score + 3] * scores[row, score + 3],
        )
    for score in range(size - size % 4, size):
        value += score_weights[score] * scores[row, score]
    return value + (sums[0] + sums[1] + (sums[2] + sums[3]))


@compiled
def add_row(block, row, factor, weights, score_weights):
    """Add a row, times a factor, to the weights."""
    indptr, columns, values, scores, _, _ = block
    for entry in range(indptr[row], indptr[row + 1]):
        weights[columns[entry]] += factor * values[entry]
    for score in range(scores.shape[1]):
        score_weights[score] += factor * scores[row, score]


@compiled
def descend_block(
    block, targets, costs, coefficients, rest, weights, score_weights, state, width, regression, sweeps, seed
):
    """Move the coefficients of a block of rows, and the weights with them, towards the optimum of all rows.

    ``state`` is the intercept and the squared length of the weights. Each row is visited at most ``sweeps`` times, in
    random order. The steps are those of `dual_descent_core.descend_rows`.

    A row whose coefficient did not move rests: it is left out the next time, then 3 times, then 7 times. ``rest`` are,
    for each row, the decision value when it was visited, without features that no other row has, how often it is to be
    left out, and how often it was the last time.
    """
    norms, own, (known, skips, waits) = block[4], block[5], rest
    n = len(norms)
    np.random.seed(seed)  # noqa: NPY002 - Numba's own generator, one for each thread
    order = np.arange(n)
    for _ in range(sweeps):
        for index in range(n - 1, 0, -1):
            other = np.random.randint(0, index + 1)  # noqa: NPY002
            order[index], order[other] = order[other], order[index]
        for row in order:
            if costs[row] == 0.0:
                continue
            if skips[row] > 0:
                skips[row] -= 1
                continue
            square = norms[row] + 1.0
            known[row] = decide_row(block, row, weights, score_weights, state[0])
            value = known[row] + own[row] * coefficients[row]
            target, old = targets[row], coefficients[row]
            new = find_coefficient(old, value - target, square, target, costs[row], width, regression)
            step = new - old
            waits[row] = min(2 * waits[row] + 1, LONGEST_REST) if step == 0.0 else 0
            skips[row] = waits[row]
            if step != 0.0:
                state[1] += step * (2.0 * value + step * square)
                state[0] += step
                coefficients[row] = new
                add_row(block, row, step, weights, score_weights)


@compiled
def add_losses(first, last, values, own, targets, costs, width, regression, scale):
    """Return the sum of the losses of rows ``first`` to ``last - 1``, and how it grows with the scale.

    Each row has the best weight of the features that no other row has. ``values`` are decision values without these
    features; they are taken times a scale. ``own`` is the squared norm of these features. Their weight costs half its
    square: a small error is cheaper to mend by it than to pay for.
    """
    losses, slope = 0.0, 0.0
    for row in range(first, last):
        value = scale * values[row]
        error = abs(value - targets[row]) - width if regression else 1.0 - value * targets[row]
        if error > 0.0:
            most = own[row] * costs[row]  # what these features mend at most: then a further error costs as much
            losses += error * error / (2.0 * own[row]) if error < most else costs[row] * (error - 0.5 * most)
            price = error / own[row] if error < most else costs[row]
            sign = np.sign(value - targets[row]) if regression else -targets[row]
            slope += price * sign * values[row]
    return losses, slope


@compiled
def decide_block(first, last, block, coefficients, weights, score_weights, state, values):
    """Write the decision values of rows ``first`` to ``last - 1`` of a block."""
    own = block[5]
    for row in range(first, last):
        values[row] = decide_row(block, row, weights, score_weights, state[0]) + own[row] * coefficients[row]


@compiled
def add_block(block, coefficients, weights, score_weights, state):
    """Add the rows of a block, times their coefficients, to the weights and the intercept."""
    for row in range(len(coefficients)):
        if coefficients[row] != 0.0:
            state[0] += coefficients[row]
            add_row(block, row, coefficients[row], weights, score_weights)


@compiled
def measure_steps(old, new):
    """Return the sum of the squares of the steps between two arrays, and the product of the steps with the new one."""
    squares, product = 0.0, 0.0
    for place in range(len(old)):
        step = new[place] - old[place]
        squares += step * step
        product += new[place] * step
    return squares, product


@compiled
def repeat_steps(old, new, factor):
    """Go on by the steps between two arrays, times a factor; the old array becomes the new one as it was."""
    for place in range(len(old)):
        step = new[place] - old[place]
        old[place] = new[place]
        new[place] += factor * step
