"""Inner products of rows of scores, in compiled code."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

from rekern.core.compiling import compiled

TILE = 256  # columns of a block that are filled at once: their scores stay in the cache


@compiled
def fill_products(left, right, offset, block):
    """Fill a block with the products of rows of ``left`` and columns of ``right`` from ``offset`` on.

    The scores are added up one by one in their order, so that a value does not depend on the shape of the block. Eight
    of them are added at a time only to save writing.
    """
    scores = left.shape[1]
    whole = scores - scores % 8
    for begin in range(0, block.shape[1], TILE):
        start, end = offset + begin, offset + min(begin + TILE, block.shape[1])
        for row in range(len(left)):
            values = left[row]
            line = block[row, begin : begin + end - start]
            line[:] = 0.0
            for first in range(0, whole, 8):
                v0, v1, v2, v3 = values[first], values[first + 1], values[first + 2], values[first + 3]
                v4, v5, v6, v7 = values[first + 4], values[first + 5], values[first + 6], values[first + 7]
                r0, r1 = right[first, start:end], right[first + 1, start:end]
                r2, r3 = right[first + 2, start:end], right[first + 3, start:end]
                r4, r5 = right[first + 4, start:end], right[first + 5, start:end]
                r6, r7 = right[first + 6, start:end], right[first + 7, start:end]
                for j in range(end - start):
                    total = line[j] + v0 * r0[j] + v1 * r1[j] + v2 * r2[j] + v3 * r3[j]
                    line[j] = total + v4 * r4[j] + v5 * r5[j] + v6 * r6[j] + v7 * r7[j]
            for score in range(whole, scores):
                value = values[score]
                rest = right[score, start:end]
                for j in range(end - start):
                    line[j] += value * rest[j]
