"""Inner products of rows of scores, in compiled code."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

from rekern.core.compiling import compiled

TILE = 256  # columns of a block that are filled at once: their scores stay in the cache


@compiled
def fill_products(left, right, offset, block):
    """Fill a block with the products of rows of ``left`` and columns of ``right`` from ``offset`` on.

    The scores are added up one by one in their order, so that a value does not depend on the shape of the block. Four
    of them, and two rows, are taken at a time only to save reading and writing.
    """
    for begin in range(0, block.shape[1], TILE):
        start, end = offset + begin, offset + min(begin + TILE, block.shape[1])
        for row in range(0, len(left) - 1, 2):
            lines = block[row, begin : begin + end - start], block[row + 1, begin : begin + end - start]
            _fill_two_lines(left[row], left[row + 1], right, start, end, *lines)
        if len(left) % 2:
            _fill_line(left[-1], right, start, end, block[-1, begin : begin + end - start])


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
def _fill_line(values, right, start, end, line):
    line[:] = 0.0
    for score in range(len(values)):
        value, rest = values[score], right[score, start:end]
        for j in range(end - start):
            line[j] += value * rest[j]
