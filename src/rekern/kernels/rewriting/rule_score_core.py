"""Decision values of pairs from their rules in short windows, without lists of the rules of many pairs.

The rules with wildcards of one pair are listed, merged and looked up before those of the next, so that they stay in the
processor's cache. They are added up in the order in which `short_aligned_rules_core` lists them: the sums are the same
to the last bit as those of rules that are listed first.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any
# Compiled functions take arrays and are typed by Numba.

import math

import numpy as np

from rekern.core.compiling import compiled, uncounted
from rekern.core.weight_buckets import add_from_buckets
from rekern.core.weight_table import CHUNK, add_entries
from rekern.kernels.rewriting.pair_windows_core import list_windows, make_side, read_side
from rekern.kernels.rewriting.rule_list_core import sum_squares
from rekern.kernels.rewriting.short_aligned_rules_core import (
    MOST_SETS,
    MOST_TWINS,
    NONE,
    join_windows,
    make_links,
    make_scratch,
    merge_twins,
)

MOST_RULES = 1 << 15  # of one pair and window size; what has more is listed as usual


@uncounted
def _keep_windows(grams, counts, windows, mask, keys, values, filled):
    """Append the n-grams of a text; return how much is filled."""
    for window in range(windows):
        keys[filled] = grams[window] & mask
        values[filled] = counts[window]
        filled += 1
    return filled


@compiled
def sum_rules(
    ids, offsets, token_keys, is_done, window, decay, source_factors, target_factors, size_key, pair_keys, normalize,
    mask, rule_weights, buckets,
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
    mark = np.zeros(len(token_keys), np.int64)
    prints, is_single, starts, counts, grams, slots = make_side(offsets, 0)
    prints2, is_single2, starts2, counts2, grams2, slots2 = make_side(offsets, 1)
    masks, hits, windows_at, sets, factors_of_rules = make_scratch(len(token_keys), len(prints))
    links, powers = make_links(window, source_factors, target_factors, pair_keys), decay ** np.arange(8)
    keys, values = np.empty(1024 + MOST_SETS, np.uint64), np.empty(1024 + MOST_SETS)
    merged = np.empty(2048, np.int32)
    twins = np.empty(MOST_TWINS, np.int64)
    kept, near = np.empty(CHUNK, np.int64), np.empty(CHUNK, np.uint64)
    begins, ends = np.empty(CHUNK, np.uint32), np.empty(CHUNK, np.uint32)
    stamp = 0
    filled = filled2 = 0
    for row in range(number):
        first, middle, last = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        if is_done[row]:
            stamp = read_side(ids, first, middle, token_keys, mark, stamp, prints, is_single)
            stamp = read_side(ids, middle, last, token_keys, mark, stamp, prints2, is_single2)
            windows = list_windows(prints, middle - first, size, source_factors, starts, counts, grams, slots)
            windows2 = list_windows(prints2, last - middle, size2, target_factors, starts2, counts2, grams2, slots2)
            filled = _keep_windows(grams, counts, windows, mask, gram_keys, gram_counts, filled)
            filled2 = _keep_windows(grams2, counts2, windows2, mask, gram_keys2, gram_counts2, filled2)
            square = sum_squares(counts, 0, windows) * sum_squares(counts2, 0, windows2)
            if windows > 0 and windows2 > 0:
                begun, size_of_row, paired = (0, 0, NONE), 0, 0
                while True:
                    is_done[row], begun, size_of_row, paired = join_windows(
                        begun, ids, first, middle, last, prints, is_single, starts, counts, grams, windows, is_single2,
                        starts2, counts2, grams2, windows2, window, size_key, links, powers, source_factors, 0, 1,
                        keys, values, size_of_row, twins, paired, present, masks, hits, windows_at, sets,
                        factors_of_rules,
                    )  # fmt: skip
                    if is_done[row] or len(keys) > MOST_RULES:
                        break
                    keys = np.concatenate((keys, keys))
                    values = np.concatenate((values, values))
                if is_done[row]:
                    size_of_row, merged = merge_twins(keys, values, size_of_row, twins, paired, merged)
                    square += sum_squares(values, 0, size_of_row)
                    if len(buckets[0]) > 0:
                        add_from_buckets(
                            keys, values, size_of_row, mask, weights, present, buckets, kept, near, sums, row
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
