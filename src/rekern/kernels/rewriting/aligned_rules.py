"""Re-writing rules with aligned wildcards, listed pair by pair.

A rule matches a pair only if its aligned wildcards stand on equal tokens of that same pair. So the rules of a pair
are found by joining the parses of its two sides whose wildcards cover the same multiset of token sequences, once for
every way to align them. Rules without wildcards are not listed here: they are all combinations of a source and a
target k-gram (`windows.py`).
"""

from functools import lru_cache

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import constants, mix, size_table
from rekern.core.key_rows import KeyRows, keep_first, merge_equal
from rekern.kernels.rewriting.pattern_placements import (
    ALWAYS_COMPLETE,
    distinct_windows,
    grown,
    list_parses,
    occurs_in,
    sequence_fingerprints,
    wildcard_cap,
)
from rekern.kernels.rewriting.short_aligned_rules import short_rules

# A pair with more rules than this is listed in several passes, so that memory stays bounded (256 MB a thread).
ROW_LIMIT = 1 << 24


@lru_cache(maxsize=256)
def rule_constants(window: tuple[int, int], span: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Factors for the source's and the target's elements, one for every alignment, and one for the window's size."""
    source_size, target_size = window
    longest = max(source_size, target_size) * span
    return (
        constants(1, longest),
        constants(2, longest),
        constants(3, source_size * 64 + target_size)[-1:],
        # An alignment's constant depends on its two elements alone, so its place in the table must not on the size.
        constants(4, 64 * 64).reshape(64, 64)[:source_size, :target_size].copy(),
    )


@compiled
def _caps(prints, allowed, starts, size):
    caps = np.full(len(starts), size, np.int64)
    if size > ALWAYS_COMPLETE:
        for window in range(len(starts)):
            caps[window] = wildcard_cap(prints, allowed, starts[window], size, prints.shape[1])
    return caps


@compiled
def join_parses(
    left, right, left_counts, right_counts, size_key, pair_keys, decay, part, parts, limit, stretched, ways
):
    """The rules of one pair: keys, values, how many; -1 if there would be more than ``limit``.

    Of several parts, one has the rules whose source patterns fall into it. With ``ways`` set, ``trace`` says for every
    entry which two parses and which alignment made it (and equal rules are not merged): that is how a key is turned
    back into words.
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
    for parse in range(len(text2) - 1, -1, -1):
        slot = np.int64(bag2[parse] >> shift)
        after[parse] = head[slot]
        head[slot] = parse

    most = 1
    for parse in range(len(text)):
        most = max(most, shape[parse, 2])
    aligned = np.empty(most, np.int64)
    total = np.zeros(most + 1, np.uint64)
    for parse in range(len(text)):
        if parts > 1 and np.int64(mix(text[parse]) & np.uint64(parts - 1)) != part:
            continue
        wildcards = shape[parse, 2]
        listed = shape[parse, 3]
        weight = left_counts[shape[parse, 0]] * decay**wildcards
        other = head[np.int64(bag[parse] >> shift)]
        while other >= 0:
            if bag2[other] == bag[parse]:
                listed2 = shape2[other, 3]
                total[0] = text[parse] + text2[other] + size_key
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
                        keys = grown(keys, min(2 * count, limit))
                        values = grown(values, min(2 * count, limit))
                        if stretched:
                            positions = grown(positions, min(2 * count, limit))
                    keys[count] = key
                    values[count] = weight * right_counts[shape2[other, 0]]
                    if stretched:
                        place = np.uint64((shape[parse, 0] << 32) + shape[parse, 1])
                        place2 = np.uint64((shape2[other, 0] << 32) + shape2[other, 1])
                        positions[count] = mix(mix(key + place) + place2)
                    count += 1
                    if ways:
                        trace = grown(trace, traced + 2 + wildcards)
                        trace[traced] = parse
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
def pair_parses(source, target, finger, source_size, target_size, span, source_factors, target_factors):
    """The parses with wildcards of a pair's two sides, the counts of their windows, and whether a cap was met."""
    prints = sequence_fingerprints(source, finger, span)
    prints2 = sequence_fingerprints(target, finger, span)
    allowed = occurs_in(prints, prints2)
    allowed2 = occurs_in(prints2, prints)
    starts, counts = distinct_windows(source, finger, source_size, source_size * span, source_factors)
    starts2, counts2 = distinct_windows(target, finger, target_size, target_size * span, target_factors)
    caps = _caps(prints, allowed, starts, source_size)
    caps2 = _caps(prints2, allowed2, starts2, target_size)
    left = list_parses(source, finger, prints, allowed, starts, caps, source_size, source_factors, 1)
    right = list_parses(target, finger, prints2, allowed2, starts2, caps2, target_size, target_factors, 1)
    capped = (caps < source_size).any() or (caps2 < target_size).any()
    return left, right, starts, counts, starts2, counts2, capped


@compiled
def _rules(ids, offsets, finger, window, span, decay, source_factors, target_factors, size_key, pair_keys, part, parts):
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
            left, right, _, counts, _, counts2, cut = pair_parses(
                source, target, finger, window[0], window[1], span, source_factors, target_factors
            )
            capped += cut
            row_keys, row_values, count, _ = join_parses(
                left, right, counts, counts2, size_key, pair_keys, decay, part, parts, ROW_LIMIT, span > 1, False
            )
            if count < 0:
                return indptr, keys, values, row, capped
            keys = grown(keys, total + count)
            values = grown(values, total + count)
            keys[total : total + count] = row_keys[:count]
            values[total : total + count] = row_values[:count]
            total += count
        indptr[row + 1] = total
    return indptr, keys[:total], values[:total], -1, capped


def aligned_rules(
    ids: np.ndarray,
    offsets: np.ndarray,
    finger: np.ndarray,
    window: tuple[int, int],
    span: int,
    decay: float,
    part: int = 0,
    parts: int = 1,
) -> tuple[KeyRows | None, int]:
    """The rules with wildcards of every pair, as rows of keys, and how many pairs met the cap on alignments.

    Texts lie interleaved: the source of pair i is text 2i. None stands for the rows if a pair has too many rules for
    one pass; then ask again for each of twice as many parts.
    """
    source_factors, target_factors, size_key, pair_keys = rule_constants(window, span)
    factors = (source_factors, target_factors, size_key[0], pair_keys)
    capped = 0
    if span == 1 and max(window) <= ALWAYS_COMPLETE:
        found = short_rules(ids, offsets, finger, window, decay, *factors, part, parts, ROW_LIMIT)
        indptr, keys, values, overflow = found
    else:
        found = _rules(ids, offsets, finger, window, span, decay, *factors, part, parts)
        indptr, keys, values, overflow, capped = found
    return (None if overflow >= 0 else KeyRows(indptr, keys, values)), int(capped)
