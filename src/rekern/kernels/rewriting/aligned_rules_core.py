"""Rewriting rules with aligned wildcards, listed pair by pair, for windows of any size.

A rule matches a pair only if its aligned wildcards lie on equal tokens of that same pair. So the rules of a pair are
found by joining the placements on its two sides whose wildcards cover the same multiset of token sequences, once for
every way to align them. Rules without wildcards are not listed here: they are all combinations of a source and a
target n-gram.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from typing import NamedTuple

import numpy as np

from rekern.core.array_core import grow
from rekern.core.compiling import compiled
from rekern.core.hashing import mix, size_table
from rekern.core.key_rows import keep_first, merge_equal
from rekern.kernels.strings.pattern_placement_core import (
    ALWAYS_COMPLETE,
    Placements,
    cap_wildcards,
    find_distinct_windows,
    hash_sequences,
    list_placements,
    mark_shared,
)


class PlacedPair(NamedTuple):
    """The placements with wildcards on the two sides of a pair, and the distinct windows on which they lie."""

    left: Placements
    right: Placements
    starts: np.ndarray  # of the windows of the source
    counts: np.ndarray  # how often each of them occurs
    starts2: np.ndarray
    counts2: np.ndarray
    capped: bool  # whether some rules are left out, because tokens repeat too often


@compiled
def _cap_windows(prints, allowed, starts, size):
    """Return the most wildcards for every window."""
    caps = np.full(len(starts), size, np.int64)
    if size > ALWAYS_COMPLETE:
        for window in range(len(starts)):
            caps[window] = cap_wildcards(prints, allowed, starts[window], size, prints.shape[1])
    return caps


@compiled
def join_placements(left, right, left_counts, right_counts, size_key, pair_keys, decay, limit, stretched, ways):
    """Return the rules of one pair: keys, values, how many (-1 if there would be more than ``limit``), the trace.

    With ``ways`` the trace says for every entry which two placements and which alignment made it, and equal rules are
    not merged. That is how a key is turned back into text.
    """
    text, bag, shape, element, under, _ = left
    text2, bag2, shape2, element2, under2, _ = right
    keys = np.empty(256, np.uint64)
    values = np.empty(256, np.float64)
    positions = np.empty(256 if stretched else 1, np.uint64)
    trace = np.empty(256 if ways else 1, np.int64)
    scratch = np.empty(16, np.int32)
    count, traced = 0, 0

    bits = size_table(len(text2))
    shift = np.uint64(64 - bits)
    head = np.full(1 << bits, -1, np.int64)
    after = np.empty(len(text2), np.int64)
    for one in range(len(text2) - 1, -1, -1):
        slot = np.int64(bag2[one] >> shift)
        after[one] = head[slot]
        head[slot] = one

    most = 1
    for one in range(len(text)):
        most = max(most, shape[one, 2])
    aligned = np.empty(most, np.int64)
    total = np.zeros(most + 1, np.uint64)
    for one in range(len(text)):
        wildcards = shape[one, 2]
        listed = shape[one, 3]
        weight = left_counts[shape[one, 0]] * decay**wildcards
        other = head[np.int64(bag[one] >> shift)]
        while other >= 0:
            if bag2[other] == bag[one]:
                listed2 = shape2[other, 3]
                total[0] = text[one] + text2[other] + size_key
                depth = 0
                aligned[0] = -1
                while depth >= 0:
                    aligned[depth] += 1
                    target = aligned[depth]
                    if target == wildcards:
                        depth -= 1
                        continue
                    if under2[listed2 + target] != under[listed + depth]:
                        continue
                    taken = False
                    for earlier in range(depth):
                        taken = taken or aligned[earlier] == target
                    if taken:
                        continue
                    total[depth + 1] = total[depth] + pair_keys[element[listed + depth], element2[listed2 + target]]
                    depth += 1
                    if depth < wildcards:
                        aligned[depth] = -1
                        continue
                    depth -= 1
                    key = mix(total[wildcards])
                    if count == limit:
                        if stretched:
                            count, scratch = keep_first(positions, keys, values, count, scratch)
                        else:
                            count, scratch = merge_equal(keys, values, count, scratch)
                        if 2 * count > limit:
                            return keys, values, -1, trace
                    if count == len(keys):
                        keys = grow(keys, min(2 * count, limit))
                        values = grow(values, min(2 * count, limit))
                        if stretched:
                            positions = grow(positions, min(2 * count, limit))
                    keys[count] = key
                    values[count] = weight * right_counts[shape2[other, 0]]
                    if stretched:
                        place = np.uint64((shape[one, 0] << 32) + shape[one, 1])
                        place2 = np.uint64((shape2[other, 0] << 32) + shape2[other, 1])
                        positions[count] = mix(mix(key + place) + place2)
                    count += 1
                    if ways:
                        trace = grow(trace, traced + 2 + wildcards)
                        trace[traced] = one
                        trace[traced + 1] = other
                        for index in range(wildcards):
                            trace[traced + 2 + index] = aligned[index]
                        traced += 2 + wildcards
            other = after[other]
    if ways:
        return keys, values, count, trace
    if stretched:
        count, scratch = keep_first(positions, keys, values, count, scratch)
    count, scratch = merge_equal(keys, values, count, scratch)
    return keys, values, count, trace


@compiled
def place_pair(source, target, token_keys, source_size, target_size, span, source_factors, target_factors):
    """Return the placements with wildcards on the two sides of a pair, their windows, and whether a cap was met."""
    prints = hash_sequences(source, token_keys, span)
    prints2 = hash_sequences(target, token_keys, span)
    allowed = mark_shared(prints, prints2)
    allowed2 = mark_shared(prints2, prints)
    starts, counts = find_distinct_windows(source, token_keys, source_size, source_size * span, source_factors)
    starts2, counts2 = find_distinct_windows(target, token_keys, target_size, target_size * span, target_factors)
    caps = _cap_windows(prints, allowed, starts, source_size)
    caps2 = _cap_windows(prints2, allowed2, starts2, target_size)
    one = np.int64(1)  # of a type of its own, a 1 would be compiled apart from others
    left = list_placements(source, token_keys, prints, allowed, starts, caps, source_size, source_factors, one)
    right = list_placements(target, token_keys, prints2, allowed2, starts2, caps2, target_size, target_factors, one)
    capped = False
    for cap in caps:
        capped = capped or cap < source_size
    for cap in caps2:
        capped = capped or cap < target_size
    return PlacedPair(left, right, starts, counts, starts2, counts2, capped)


@compiled
def list_long_rules(
    ids, offsets, token_keys, window, span, decay, source_factors, target_factors, size_key, pair_keys, limit
):
    """Return the rules with wildcards of every pair: row pointers, keys, values, the row with too many or -1.

    The last value says how many pairs met the cap on alignments.
    """
    number = (len(offsets) - 1) // 2
    indptr = np.zeros(number + 1, np.int64)
    keys = np.empty(1024, np.uint64)
    values = np.empty(1024, np.float64)
    total = 0
    capped = 0
    for row in range(number):
        source = ids[offsets[2 * row] : offsets[2 * row + 1]]
        target = ids[offsets[2 * row + 1] : offsets[2 * row + 2]]
        if len(source) >= window[0] and len(target) >= window[1]:
            placed = place_pair(source, target, token_keys, window[0], window[1], span, source_factors, target_factors)
            capped += placed.capped
            row_keys, row_values, count, _ = join_placements(
                placed.left, placed.right, placed.counts, placed.counts2, size_key, pair_keys, decay, limit,
                span > 1, False,
            )  # fmt: skip
            if count < 0:
                return indptr, keys, values, row, capped
            keys = grow(keys, total + count)
            values = grow(values, total + count)
            for index in range(count):
                keys[total + index] = row_keys[index]
                values[total + index] = row_values[index]
            total += count
        indptr[row + 1] = total
    return indptr, keys[:total], values[:total], -1, capped
