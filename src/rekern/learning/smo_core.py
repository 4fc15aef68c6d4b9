"""Sequential minimal optimisation on a large Gram matrix, with LIBSVM's working sets (Fan et al., 2005).

The rows are looked at in chunks, several rows at a time in the processor. It finds the largest of whole numbers that
way, but not of numbers with a fraction. The bits of numbers from 0 up are ordered as whole numbers, so these are
compared.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.compiling import compiled

SMALLEST_CURVATURE = 1e-12
CHUNK = 512  # rows, whose numbers stay in the processor's cache
NO_SIGN = 0x7FFFFFFFFFFFFFFF  # all bits but that of the sign


@compiled
def minimize_dual(gram, diagonal, signs, costs, tolerance, most_steps):
    """Train a support vector classifier with an intercept of its own on the rows whose costs are above 0.

    Returns the coefficients (with the signs of the classes), the decision values of all rows without the intercept,
    and the intercept. In each step two coefficients change: the one that violates the conditions of the optimum most,
    and the one with which the objective falls most.
    """
    n = len(gram)
    coefficients, values = np.zeros(n), np.zeros(n)
    room_up, room_down = np.zeros(n), np.zeros(n)  # how far each coefficient may rise, and fall
    ceiling, floor = np.empty(n), np.empty(n)  # the sign of a row that may rise, or fall; infinity for the others
    scratch = np.empty(CHUNK), np.empty(CHUNK)
    for row in range(n):
        if signs[row] > 0:
            room_up[row] = costs[row]
        else:
            room_down[row] = costs[row]
        ceiling[row] = signs[row] if room_up[row] > 0.0 else -np.inf
        floor[row] = signs[row] if room_down[row] > 0.0 else np.inf
    up, highest = -1, -np.inf
    for row in range(n):
        if room_up[row] > 0.0 and signs[row] >= highest:
            up, highest = row, signs[row]
    for _ in range(most_steps):
        if up < 0:
            break
        line, square = gram[up], diagonal[up]
        down, gap = _find_down(line, square, diagonal, highest, floor, values, scratch)
        if gap < tolerance:
            break
        curvature = max(square + diagonal[down] - 2.0 * line[down], SMALLEST_CURVATURE)
        difference = highest - (signs[down] - values[down])
        step = min(difference / curvature, room_up[up], room_down[down])
        for row, change in ((up, step), (down, -step)):
            coefficients[row] += change
            room_up[row] -= change
            room_down[row] += change
            size = costs[row] if signs[row] > 0 else 0.0
            if room_up[row] <= 0.0 or room_up[row] < 1e-12 * costs[row]:
                coefficients[row], room_up[row], room_down[row] = size, 0.0, costs[row]
            elif room_down[row] <= 0.0 or room_down[row] < 1e-12 * costs[row]:
                coefficients[row], room_up[row], room_down[row] = size - costs[row], costs[row], 0.0
            ceiling[row] = signs[row] if room_up[row] > 0.0 else -np.inf
            floor[row] = signs[row] if room_down[row] > 0.0 else np.inf
        # The coefficient of the next step is looked for while the values are at hand.
        up, highest = _move_values(step, line, gram[down], ceiling, values, scratch[0])
    total, free, lowest, highest = 0.0, 0, np.inf, -np.inf
    for row in range(n):
        slack = signs[row] - values[row]
        if room_up[row] > 0.0 and room_down[row] > 0.0:
            total += slack
            free += 1
        elif room_up[row] > 0.0:
            highest = max(highest, slack)
        elif room_down[row] > 0.0:
            lowest = min(lowest, slack)
    intercept = total / free if free else 0.5 * (lowest + highest)
    return coefficients, values, intercept


@compiled
def _find_down(line, square, diagonal, highest, floor, values, scratch):
    """Return the row that may fall and with which the objective falls most, the last of equal ones; and a gap.

    The gap of a row is how far it violates the conditions of the optimum; 0 if it does not. The largest is returned.
    """
    gaps, gains = scratch
    gap_bits, gain_bits = gaps.view(np.int64), gains.view(np.int64)
    down, best, widest = -1, np.int64(0), np.int64(0)
    for first in range(0, len(line), CHUNK):
        last = min(first + CHUNK, len(line))
        size = last - first
        border, value = floor[first:last], values[first:last]
        for index in range(size):
            gap = highest - (border[index] - value[index])
            gaps[index] = gap if gap > 0.0 else 0.0
        largest = _find_largest(gap_bits, size)
        if largest == 0:
            continue
        widest = max(widest, largest)
        own, other = diagonal[first:last], line[first:last]
        for index in range(size):
            curvature = square + own[index] - 2.0 * other[index]
            curvature = curvature if curvature > SMALLEST_CURVATURE else SMALLEST_CURVATURE
            gains[index] = gaps[index] * gaps[index] / curvature
        gain = _find_largest(gain_bits, size)
        if gain >= best:
            down, best = first + _find_last(gain_bits, size, gain), gain
    gap_bits[0] = widest
    return down, gaps[0]


@compiled
def _move_values(step, line, other, ceiling, values, slacks):
    """Add a step to all values; return the row that may rise and violates the conditions of the optimum most.

    Of equal rows it is the last; it is -1 if no row may rise. The slack of the row is returned, too.
    """
    bits = slacks.view(np.int64)
    up, highest, most = -1, -np.inf, np.int64(-NO_SIGN - 1)
    for first in range(0, len(line), CHUNK):
        last = min(first + CHUNK, len(line))
        size = last - first
        value, one, two = values[first:last], line[first:last], other[first:last]
        for index in range(size):
            value[index] = value[index] + step * (np.float64(one[index]) - np.float64(two[index]))
        border = ceiling[first:last]
        for index in range(size):
            slacks[index] = border[index] - value[index]
        found = _find_largest(bits, size)
        if found < 0:  # all are below 0: now their bits are ordered as whole numbers
            for index in range(size):
                bits[index] = bits[index] ^ NO_SIGN
            found = _find_largest(bits, size)
        if found >= most:
            place = _find_last(bits, size, found)
            if border[place] > -np.inf:
                up, highest, most = first + place, border[place] - value[place], found
    return up, highest


@compiled
def _find_largest(bits, size):
    largest = bits[0]
    for index in range(size):
        largest = max(largest, bits[index])
    return largest


@compiled
def _find_last(bits, size, wanted):
    place = size - 1
    while bits[place] != wanted:
        place -= 1
    return place
