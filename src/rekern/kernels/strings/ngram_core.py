"""Patterns on one text: n-grams, and n-grams with free wildcards."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.array_core import grow
from rekern.core.compiling import compiled
from rekern.core.hashing import constants, mix
from rekern.core.key_rows import KeyRows, keep_first, merge_equal
from rekern.kernels.strings.pattern_placement_core import find_distinct_windows, hash_sequences, list_placements


@compiled
def _list_ngrams(ids, offsets, first, step, token_keys, size, factors):
    """Return the n-grams of texts ``first``, ``first + step`` …: row pointers, keys, and how often each occurs."""
    number = max(0, (len(offsets) - 2 - first) // step + 1)
    indptr = np.zeros(number + 1, np.int64)
    keys = np.empty(1024, np.uint64)
    values = np.empty(1024, np.float64)
    total = 0
    for row in range(number):
        text = first + step * row
        tokens = ids[offsets[text] : offsets[text + 1]]
        starts, counts = find_distinct_windows(tokens, token_keys, size, size, factors)
        keys = grow(keys, total + len(starts))
        values = grow(values, total + len(starts))
        for window in range(len(starts)):
            key = np.uint64(0)
            for offset in range(size):
                key += token_keys[tokens[starts[window] + offset]] * factors[offset]
            keys[total] = key
            values[total] = counts[window]
            total += 1
        indptr[row + 1] = total
    return indptr, keys[:total], values[:total]


@compiled
def _list_patterns(ids, offsets, first, step, token_keys, size, wildcards, span, decay, factors):
    """Return the patterns with free wildcards of the same texts: row pointers, keys, and their weighted counts."""
    number = max(0, (len(offsets) - 2 - first) // step + 1)
    indptr = np.zeros(number + 1, np.int64)
    keys = np.empty(1024, np.uint64)
    values = np.empty(1024, np.float64)
    scratch = np.empty(16, np.int32)
    total = 0
    for row in range(number):
        text = first + step * row
        tokens = ids[offsets[text] : offsets[text + 1]]
        starts, counts = find_distinct_windows(tokens, token_keys, size, size * span, factors)
        prints = hash_sequences(tokens, token_keys, span)
        anything = np.ones(prints.shape, np.bool_)
        caps = np.full(len(starts), wildcards, np.int64)
        placed = list_placements(tokens, token_keys, prints, anything, starts, caps, size, factors, np.int64(0))
        literal, shape = placed.literals, placed.shapes
        row_keys = np.empty(len(literal), np.uint64)
        row_values = np.empty(len(literal), np.float64)
        place = np.empty(len(literal), np.uint64)
        for index in range(len(literal)):
            row_keys[index] = mix(literal[index])
            row_values[index] = counts[shape[index, 0]] * decay ** shape[index, 2]
            place[index] = mix(row_keys[index] + np.uint64((shape[index, 0] << 32) + shape[index, 1]))
        count = len(literal)
        if span > 1:  # the same pattern on the same tokens in two ways matches once
            count, scratch = keep_first(place, row_keys, row_values, count, scratch)
        count, scratch = merge_equal(row_keys, row_values, count, scratch)
        keys = grow(keys, total + count)
        values = grow(values, total + count)
        for index in range(count):
            keys[total + index] = row_keys[index]
            values[total + index] = row_values[index]
        total += count
        indptr[row + 1] = total
    return indptr, keys[:total], values[:total]


def extract_patterns(
    ids: np.ndarray,
    offsets: np.ndarray,
    token_keys: np.ndarray,
    size: int,
    *,
    side: int = 0,
    step: int = 1,
    wildcards: int = 0,
    span: int = 1,
    decay: float = 1.0,
) -> KeyRows:
    """Return the patterns of ``size`` elements on texts ``side``, ``side + step`` …, as rows of keys.

    Without wildcards a key is the plain sum of its tokens' keys times the side's factors, so that the key of
    a rule without wildcards is ``mix(source key + target key + a constant for the window)``.
    """
    factors = constants(1 + side, max(size, size * span))
    if wildcards == 0:
        return KeyRows(*_list_ngrams(ids, offsets, side, step, token_keys, size, factors))
    return KeyRows(*_list_patterns(ids, offsets, side, step, token_keys, size, wildcards, span, decay, factors))
