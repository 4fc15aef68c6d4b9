"""Decision values of pairs from their rules in short windows, without lists of the rules of many pairs.

The rules with wildcards of one pair are listed, merged and looked up before those of the next, so that they stay in the
processor's cache. They are added up in the order in which `short_aligned_rules_core` lists them: the sums are the same
to the last bit as those of rules that are listed first.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any
# Compiled functions take arrays and are typed by Numba.

import math

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.weight_buckets import add_from_buckets
from rekern.core.weight_table import CHUNK, add_entries
from rekern.kernels.rewriting.short_aligned_rules_core import (
    MOST_TWINS,
    MOST_WAYS,
    join_sets,
    merge_twins,
    sum_pair_keys,
)
from rekern.kernels.rewriting.wildcard_sets_core import (
    bound_sets,
    chain_sets,
    list_wildcard_sets,
    list_windows,
    make_chains,
    make_sets,
    make_side,
    mark_pair,
)

MOST_RULES = 1 << 15  # of one pair and window size; what has more is listed as usual


@compiled
def _keep_windows(grams, counts, windows, mask, keys, values, filled):
    """Append the n-grams of a text; return how much is filled."""
    for window in range(windows):
        keys[filled] = grams[window] & mask
        values[filled] = counts[window]
        filled += 1
    return filled


@compiled
def _square(values, size):
    total = 0.0
    for entry in range(size):
        total += values[entry] * values[entry]
    return total


@compiled
def sum_rules(
    ids, offsets, finger, is_done, window, decay, source_factors, target_factors, size_key, pair_keys, normalize, mask,
    rule_weights, buckets,
):  # fmt: skip
    """Look up the rules with wildcards of every pair that is marked in ``is_done``; too large ones lose their mark.

    ``rule_weights`` is the table of weights, ``buckets`` are its buckets. Only the bits of ``mask`` are looked up.
    Returns the sums of value · weight, a column for each output, the factors of the pairs, and the n-grams of their
    sources and targets as rows of keys.
    """
    table_keys, numbers, weights, starts_of_keys, present = rule_weights
    number = (len(offsets) - 1) // 2
    sums, scale = np.zeros((number, weights.shape[1])), np.zeros(number)
    size, size2 = window
    indptr, indptr2 = np.zeros(number + 1, np.int64), np.zeros(number + 1, np.int64)
    gram_keys, gram_counts = np.empty(len(ids), np.uint64), np.empty(len(ids))
    gram_keys2, gram_counts2 = np.empty(len(ids), np.uint64), np.empty(len(ids))
    mark = np.zeros(len(finger), np.int64)
    prints, is_shared, is_single, starts, counts, grams, table = make_side(offsets, 0)
    prints2, is_shared2, is_single2, starts2, counts2, grams2, table2 = make_side(offsets, 1)
    (text, bag, shape), (text2, bag2, shape2), (head, after) = make_sets(256), make_sets(256), make_chains(256)
    keys, values = np.empty(1024 + MOST_WAYS, np.uint64), np.empty(1024 + MOST_WAYS)
    found = np.empty(MOST_WAYS, np.uint64)
    merged = np.empty(2048, np.int32)
    twins = np.empty(MOST_TWINS, np.int64)
    kept, near = np.empty(CHUNK, np.int64), np.empty(CHUNK, np.uint64)
    begins, ends = np.empty(CHUNK, np.uint32), np.empty(CHUNK, np.uint32)
    pair_sums, powers = sum_pair_keys(pair_keys), decay ** np.arange(8)
    stamp = 0
    filled = filled2 = 0
    for row in range(number):
        first, middle, last = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        if is_done[row]:
            stamp = mark_pair(
                ids, first, middle, last, finger, mark, stamp, prints, is_shared, is_single, prints2, is_shared2,
                is_single2,
            )  # fmt: skip
            windows = list_windows(prints, middle - first, size, source_factors, starts, counts, grams, table)
            windows2 = list_windows(prints2, last - middle, size2, target_factors, starts2, counts2, grams2, table2)
            filled = _keep_windows(grams, counts, windows, mask, gram_keys, gram_counts, filled)
            filled2 = _keep_windows(grams2, counts2, windows2, mask, gram_keys2, gram_counts2, filled2)
            square = _square(counts, windows) * _square(counts2, windows2)
            if windows > 0 and windows2 > 0:
                sets, sets2 = bound_sets(is_shared, middle - first, size), bound_sets(is_shared2, last - middle, size2)
                if sets > len(text):
                    text, bag, shape = make_sets(2 * sets)
                if sets2 > len(text2):
                    (text2, bag2, shape2), (head, after) = make_sets(2 * sets2), make_chains(2 * sets2)
                listed = list_wildcard_sets(
                    prints, is_shared, is_single, starts, grams, windows, size, source_factors, text, bag, shape
                )
                listed2 = list_wildcard_sets(
                    prints2, is_shared2, is_single2, starts2, grams2, windows2, size2, target_factors, text2, bag2,
                    shape2,
                )  # fmt: skip
                shift = chain_sets(bag2, listed2, head, after)
                one, other, size_of_row, paired = 0, -1, 0, 0
                while True:
                    one, other, size_of_row, paired = join_sets(
                        one, other, listed, text, bag, shape, prints, starts, counts, text2, bag2, shape2, prints2,
                        starts2, counts2, head, after, shift, (min(size, size2) + 1) // 2, size_key, pair_sums, powers,
                        0, 1, keys, values, size_of_row, found, twins, paired, present,
                    )  # fmt: skip
                    if one == listed or len(keys) > MOST_RULES:
                        break
                    keys = np.concatenate((keys, keys))
                    values = np.concatenate((values, values))
                is_done[row] = one == listed
                if is_done[row]:
                    size_of_row, merged = merge_twins(keys, values, size_of_row, twins, paired, merged)
                    square += _square(values, size_of_row)
                    if len(buckets[0]) > 0:
                        add_from_buckets(
                            keys, values, size_of_row, mask, weights, present, buckets, kept, near, sums[row]
                        )
                    else:
                        for entry in range(size_of_row):
                            keys[entry] &= mask
                        add_entries(
                            keys, values, 0, size_of_row, table_keys, numbers, weights, starts_of_keys, present, kept,
                            begins, ends, near, sums[row],
                        )  # fmt: skip
            if not normalize:
                scale[row] = 1.0
            elif square > 0:
                scale[row] = 1.0 / math.sqrt(square)
        indptr[row + 1] = filled
        indptr2[row + 1] = filled2
    source = (indptr, gram_keys[:filled], gram_counts[:filled])
    target = (indptr2, gram_keys2[:filled2], gram_counts2[:filled2])
    return sums, scale, source, target
