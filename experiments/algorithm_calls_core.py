"""The compiled loops of `experiments.algorithm_calls`."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

from rekern.core.compiling import compiled

SPREAD = np.uint64(0x9E3779B97F4A7C15)  # an odd number without pattern: a product with it mixes all bits


@compiled
def count_calls(ids, offsets, left, right, cells, k):
    """Count the calls of Algorithm 2 for every row of cells."""
    found = np.zeros(len(cells), np.int64)
    for row in range(len(cells)):
        a, b = 2 * cells[row, 0], 2 * cells[row, 1]
        sources = _keys(ids, offsets[a], offsets[a + 1], offsets[b], offsets[b + 1], left, right, k)
        targets = _keys(ids, offsets[a + 1], offsets[a + 2], offsets[b + 1], offsets[b + 2], left, right, k)
        i = j = 0
        while i < len(sources) and j < len(targets):
            if sources[i] < targets[j]:
                i += 1
            elif sources[i] > targets[j]:
                j += 1
            else:
                key, first_i, first_j = sources[i], i, j
                while i < len(sources) and sources[i] == key:
                    i += 1
                while j < len(targets) and targets[j] == key:
                    j += 1
                found[row] += (i - first_i) * (j - first_j)
    return found


@compiled
def _keys(ids, a, a_end, b, b_end, left, right, k):
    """Return the sorted keys of the distinct multisets of doubles; a key occurs once for each of its multisets."""
    rows, columns = a_end - a - k + 1, b_end - b - k + 1
    if rows <= 0 or columns <= 0:
        return np.empty(0, np.uint64)
    bits = 2
    while 1 << bits < 2 * rows * columns:
        bits += 1
    seen = np.zeros(1 << bits, np.uint64)
    last, shift = np.uint64((1 << bits) - 1), np.uint64(64 - bits)
    keys = np.empty(rows * columns, np.uint64)
    number = 0
    for i in range(a, a + rows):
        for j in range(b, b + columns):
            value = np.uint64(0)
            key = np.uint64(0)
            for step in range(k):
                double = left[i + step] * right[j + step]
                value += double
                if ids[i + step] != ids[j + step]:
                    key += double
            value |= np.uint64(1)  # never 0, which marks an empty place
            place = (value * SPREAD) >> shift
            while seen[place] != 0 and seen[place] != value:
                place = (place + np.uint64(1)) & last
            if seen[place] == 0:
                seen[place] = value
                keys[number] = key
                number += 1
    return np.sort(keys[:number])
