"""Inner products of rows of scores, in compiled code."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.compiling import compiled

TILE = 256  # columns of a block that are filled at once: their scores stay in the cache


@compiled
def fill_products(left, right, offset, block):
    """Fill a block with the products of rows of ``left`` and columns of ``right`` from ``offset`` on.

    The scores are added up one by one in their order, so that a value does not depend on the shape of the block. Four
    of them, and two rows, are taken at a time only to save reading and writing.
    """
    spare = np.empty(TILE)
    for begin in range(0, block.shape[1], TILE):
        end = min(begin + TILE, block.shape[1])
        for row in range(0, len(left), 2):
            second = min(row + 1, len(left) - 1)  # the last row twice, if their number is odd
            line, other = block[row, begin:end], block[second, begin:end] if second > row else spare[: end - begin]
            _fill_two_lines(left[row], left[second], right, offset + begin, offset + end, line, other)


@compiled
def _fill_two_lines(values, others, right, start, end, line, other):
    line[:] = 0.0
    other[:] = 0.0
    whole = len(values) - len(values) % 4
    for first in range(0, whole, 4):
        v0, v1, v2, v3 = values[first], values[first + 1], values[first + 2], values[first + 3]
        w0, w1, w2, w3 = others[first], others[first + 1], others[first + 2], others[first + 3]
        r0, r1 = right[first, start:end], right[first + 1, start:end]
        r2, r3 = right[first + 2, start:end], right[first + 3, start:end]
        for j in range(end - start):
            line[j] = line[j] + v0 * r0[j] + v1 * r1[j] + v2 * r2[j] + v3 * r3[j]
            other[j] = other[j] + w0 * r0[j] + w1 * r1[j] + w2 * r2[j] + w3 * r3[j]
    for score in range(whole, len(values)):
        value, value2, rest = values[score], others[score], right[score, start:end]
        for j in range(end - start):
            line[j] += value * rest[j]
            other[j] += value2 * rest[j]


@compiled
def add_products(lines, others, squares, other_squares, shifts, other_shifts, factor, offset, block):
    """Add to a block what the products of every two scores give, from rows ``lines`` and columns ``others``.

    The sum over all i < j of l[i]·l[j]·o[i]·o[j] is half of (l·o)² − l²·o². The shifts are what is left of the means
    that are subtracted from the products.
    """
    sums, sums2 = np.empty(TILE), np.empty(TILE)
    doubles, doubles2 = np.empty(TILE), np.empty(TILE)
    for begin in range(0, block.shape[1], TILE):
        start, end = offset + begin, offset + min(begin + TILE, block.shape[1])
        for row in range(0, len(lines), 2):
            second = min(row + 1, len(lines) - 1)  # the last row twice, if their number is odd
            _fill_two_lines(lines[row], lines[second], others, start, end, sums, sums2)
            _fill_two_lines(squares[row], squares[second], other_squares, start, end, doubles, doubles2)
            for j in range(end - start):
                shift, sum1, sum2 = other_shifts[start + j], sums[j], sums2[j]
                block[row, begin + j] += 0.5 * factor * (sum1 * sum1 - doubles[j]) - (shifts[row] + shift)
                if second > row:
                    block[second, begin + j] += 0.5 * factor * (sum2 * sum2 - doubles2[j]) - (shifts[second] + shift)


@compiled
def sum_products(lines, weights, sums):
    """Add to the sum of each row the products of every two of its scores, times weights above the diagonal."""
    n = lines.shape[1]
    found = np.empty(n)
    for row in range(len(lines)):
        found[:] = 0.0
        for first in range(n):
            value, line = lines[row, first], weights[first]
            for second in range(first + 1, n):
                found[second] += value * line[second]
        total = 0.0
        for second in range(n):
            total += found[second] * lines[row, second]
        sums[row] += total
