"""Compiled loops of dual coordinate descent over one block of rows, with the weights of all rows."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.compiling import compiled
from rekern.learning.dense_descent_core import add_row, find_coefficient, find_loss, multiply_row

LONGEST_REST = 7  # visits


@compiled
def decide_row(block, row, weights, score_weights, offset):
    """Return the decision value of a row; the constant feature of the intercept is 1."""
    indptr, columns, values, scores, _ = block
    value = offset
    for entry in range(indptr[row], indptr[row + 1]):
        value += weights[columns[entry]] * values[entry]
    return value + multiply_row(scores[row], score_weights)


@compiled
def descend_block(
    block, targets, costs, coefficients, losses, rest, weights, score_weights, state, width, regression, visits, seed
):
    """Move the coefficients of a block of rows, and the weights with them, towards the optimum of all rows.

    ``state`` is the intercept and the squared length of the weights. Each row is visited at most so many times, in
    random order, and its loss noted. The steps are those of `dual_descent_core.descend_rows`. A row whose coefficient
    did not move rests: it is left out the next time, then 3 times, then 7 times. The columns of ``rest`` are how often
    it is to be left out, and how often it was the last time.
    """
    indptr, columns, values, scores, norms = block
    np.random.seed(seed)  # noqa: NPY002 - Numba's own generator, one for each thread
    order = np.arange(len(norms))
    for _ in range(visits):
        for index in range(len(order) - 1, 0, -1):
            other = np.random.randint(0, index + 1)  # noqa: NPY002
            order[index], order[other] = order[other], order[index]
        for row in order:
            if costs[row] == 0.0:
                continue
            if rest[row, 0] > 0:
                rest[row, 0] -= 1
                continue
            square = norms[row] + 1.0
            value = decide_row(block, row, weights, score_weights, state[0])
            target, old = targets[row], coefficients[row]
            losses[row] = costs[row] * find_loss(value, target, width, regression)
            new = find_coefficient(old, value - target, square, target, costs[row], width, regression)
            step = new - old
            rest[row, 1] = min(2 * rest[row, 1] + 1, LONGEST_REST) if step == 0.0 else 0
            rest[row, 0] = rest[row, 1]
            if step != 0.0:
                state[1] += step * (2.0 * value + step * square)
                state[0] += step
                coefficients[row] = new
                for entry in range(indptr[row], indptr[row + 1]):
                    weights[columns[entry]] += step * values[entry]
                add_row(score_weights, step, scores[row])


@compiled
def decide_block(first, last, block, weights, score_weights, state, values):
    """Write the decision values of rows ``first`` to ``last - 1`` of a block."""
    for row in range(first, last):
        values[row] = decide_row(block, row, weights, score_weights, state[0])
