"""The windows of both sides of a pair: what `short_aligned_rules_core` joins to rules.

The functions that are called for every pair take arrays one by one: those in a tuple would be counted with every call.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.compiling import compiled, uncounted
from rekern.core.hashing import mix, size_table

STAMP = 1 << 32  # more than a text has tokens


@compiled
def make_side(offsets, side):
    """Return scratch space for the longest text of one side: see `read_side` and `list_windows`."""
    length = 0
    for text in range(side, len(offsets) - 1, 2):
        length = max(length, offsets[text + 1] - offsets[text])
    return (
        np.empty(length, np.uint64),
        np.empty(length, np.bool_),
        np.empty(length, np.int64),
        np.empty(length),
        np.empty(length, np.uint64),
        np.empty(1 << size_table(length), np.int32),
    )


@uncounted
def read_side(ids, begin, end, token_keys, mark, stamp, prints, is_single):
    """Store the key of each token of a text, and whether it occurs once; return the next stamp.

    ``mark`` has a number for each token of the vocabulary, which counts it from the stamp on.
    """
    for place in range(begin, end):
        mark[ids[place]] = max(mark[ids[place]], stamp) + 1
    for place in range(end - begin):
        token = ids[begin + place]
        prints[place] = token_keys[token]
        is_single[place] = mark[token] == stamp + 1
    return stamp + STAMP


@uncounted
def list_windows(prints, length, size, factors, starts, counts, keys, table):
    """Store where each distinct window begins, how often it occurs, and the key of its n-gram; return how many.

    ``table`` is scratch space of ``1 << size_table(length)`` numbers.
    """
    number = max(length - size + 1, 0)
    bits = size_table(number)
    last = (1 << bits) - 1
    shift = np.uint64(64 - bits)
    for place in range(last + 1):
        table[place] = -1
    kept = 0
    for start in range(number):
        key = np.uint64(0)
        for element in range(size):
            key += prints[start + element] * factors[element]
        slot = np.int64(mix(key) >> shift)
        while table[slot] >= 0 and keys[table[slot]] != key:
            slot = (slot + 1) & last
        if table[slot] < 0:
            table[slot] = kept
            starts[kept] = start
            counts[kept] = 1.0
            keys[kept] = key
            kept += 1
        else:
            counts[table[slot]] += 1.0
    return kept
