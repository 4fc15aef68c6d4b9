"""Sequential minimal optimisation on a large Gram matrix, with LIBSVM's working sets (Fan et al., 2005)."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.compiling import compiled

SMALLEST_CURVATURE = 1e-12


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
    for row in range(n):
        if signs[row] > 0:
            room_up[row] = costs[row]
        else:
            room_down[row] = costs[row]
    up, highest = -1, -np.inf
    for row in range(n):
        if room_up[row] > 0.0 and signs[row] >= highest:
            up, highest = row, signs[row]
    for _ in range(most_steps):
        if up < 0:
            break
        line, square = gram[up], diagonal[up]
        down, best, lowest = -1, 0.0, np.inf
        for row in range(n):
            if room_down[row] > 0.0:
                slack = signs[row] - values[row]
                lowest = min(lowest, slack)
                difference = highest - slack
                if difference > 0.0:
                    curvature = max(square + diagonal[row] - 2.0 * line[row], SMALLEST_CURVATURE)
                    gain = difference * difference / curvature
                    if gain >= best:
                        down, best = row, gain
        if down < 0 or highest - lowest < tolerance:
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
        other = gram[down]
        up, highest = -1, -np.inf  # the coefficient of the next step is looked for while the values are at hand
        for row in range(n):
            value = values[row] + step * (np.float64(line[row]) - np.float64(other[row]))
            values[row] = value
            if room_up[row] > 0.0 and signs[row] - value >= highest:
                up, highest = row, signs[row] - value
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
