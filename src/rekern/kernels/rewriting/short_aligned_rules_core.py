"""Rewriting rules with aligned wildcards in short windows, where a wildcard stands for one token: the common case.

The wildcards of a set (`wildcard_sets_core`) are kept in the order of their tokens' keys. So two sides whose wildcards
cover the same tokens are aligned first with first, second with second, and only repeated tokens need a search. The keys
of the rules are those of `aligned_rules_core`.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.array_growth import grow
from rekern.core.arrays import Floats, Ints, Keys, SmallInts
from rekern.core.compiling import compiled
from rekern.core.hashing import mix, size_table
from rekern.core.key_rows import merge_equal
from rekern.core.prefetching import prefetch
from rekern.kernels.rewriting.wildcard_sets_core import (
    ELEMENTS,
    NEXT_TWO,
    NONE,
    ONE,
    REPEATED,
    TWIN,
    TWO_BITS,
    TWO_ELEMENTS,
    WILDCARDS,
    WINDOW,
    bound_sets,
    chain_sets,
    find_bit,
    list_wildcard_sets,
    list_windows,
    make_chains,
    make_sets,
    make_side,
    mark_pair,
)

MOST_WAYS = 720  # alignments of six equal tokens
ROOM = 64  # for rules, times the number of tokens
BITS_PER_KEY = 64  # in a bit map of keys
MOST_TWINS = 1 << 12  # rules of a pair that are looked at one by one, lest two are equal
EVERY_RULE: Keys = np.zeros(0, np.uint64)


@compiled
def _list_alignments(prints, prints2, start, start2, elements, elements2, wildcards, begun, pair_sums, found):
    """Store the keys of all alignments of wildcards that cover some token twice; return how many."""
    aligned = np.empty(8, np.int64)
    total = np.empty(8, np.uint64)
    total[0] = begun
    aligned[0] = -1
    depth, count = 0, 0
    while depth >= 0:
        aligned[depth] += 1
        chosen = aligned[depth]
        if chosen == wildcards:
            depth -= 1
            continue
        element = (elements >> find_bit(depth)) & 7
        element2 = (elements2 >> find_bit(chosen)) & 7
        fits = prints[start + element - 1] == prints2[start2 + element2 - 1]
        for earlier in range(depth):
            fits = fits and aligned[earlier] != chosen
        if not fits:
            continue
        total[depth + 1] = total[depth] + pair_sums[(element << 6) | element2]
        if depth + 1 < wildcards:
            depth += 1
            aligned[depth] = -1
        else:
            found[count] = mix(total[wildcards])
            count += 1
    return count


@compiled
def join_sets(
    one, other, listed, text, bag, shape, prints, starts, counts, text2, bag2, shape2, prints2, starts2, counts2, head,
    after, shift, groups, size_key, pair_sums, powers, part, parts, keys, values, filled, found, twins, paired, present,
):  # fmt: skip
    """Append the rules of one pair, from set ``one`` of the source and set ``other`` of the target on.

    Of several parts, ``part`` has the rules whose source patterns fall into it. No set has more than ``groups`` times
    two wildcards; ``pair_sums`` is that of `sum_pair_keys`. ``twins`` gets the entries that may be equal to others:
    only a rule of two windows each of which may look like another one occurs twice, as both windows must differ.
    ``paired`` is how many they are; those that have no room are counted only. ``present`` is the bit map in which the
    keys are looked up next, or has one word. Returns where it stopped, for lack of room or because all is done (``one``
    equals ``listed``), how much is filled, and ``paired``.
    """
    room, last_twin = np.uint64(len(keys) - MOST_WAYS), len(twins) - 1
    word = np.uint64(len(present) - 1)
    entry = np.uint64(filled)
    while one < listed:
        if parts > 1 and np.int64(mix(text[one]) & np.uint64(parts - 1)) != part:
            one += 1
            continue
        covered = bag[one]
        own = shape[one]
        elements = own >> ELEMENTS
        weight = counts[own >> WINDOW] * powers[own & WILDCARDS]
        begun = text[one] + size_key
        both = (elements & TWO_ELEMENTS) << TWO_BITS
        next_both = ((elements >> NEXT_TWO) & TWO_ELEMENTS) << TWO_BITS
        last_both = ((elements >> NEXT_TWO >> NEXT_TWO) & TWO_ELEMENTS) << TWO_BITS
        if other < 0:
            other = np.int64(head[covered >> shift])
        while other >= 0:
            if entry > room:
                return one, other, np.int64(entry), paired
            place = np.uint64(other)
            theirs = shape2[place]
            if bag2[place] == covered and (theirs ^ own) & WILDCARDS == NONE:
                elements2 = theirs >> ELEMENTS
                value = weight * counts2[theirs >> WINDOW]
                key = begun + text2[place]
                before = entry
                if own & REPEATED == NONE:
                    # Past the last wildcard, no element with no element adds nothing.
                    key += pair_sums[both | (elements2 & TWO_ELEMENTS)]
                    if groups > 1:
                        key += pair_sums[next_both | ((elements2 >> NEXT_TWO) & TWO_ELEMENTS)]
                    if groups > 2:
                        key += pair_sums[last_both | ((elements2 >> NEXT_TWO >> NEXT_TWO) & TWO_ELEMENTS)]
                    key = mix(key)
                    prefetch(present, np.int64((key >> TWO_BITS) & word))
                    keys[entry] = key
                    values[entry] = value
                    entry += ONE
                else:
                    ways = _list_alignments(
                        prints, prints2, starts[own >> WINDOW], starts2[theirs >> WINDOW], np.int64(elements),
                        np.int64(elements2), np.int64(own & WILDCARDS), key, pair_sums, found,
                    )  # fmt: skip
                    for way in range(ways):
                        keys[entry] = found[way]
                        values[entry] = value
                        entry += ONE
                if own & theirs & TWIN:
                    for twin in range(before, entry):
                        twins[min(paired, last_twin)] = twin
                        paired += 1
            other = np.int64(after[place])
        one += 1
    return one, -1, np.int64(entry), paired


@compiled
def merge_twins(keys, values, size, twins, paired, table):
    """Add up the values of equal rules among the first ``size``, in place; return how many are left, and the table.

    ``twins`` and ``paired`` are those of `join_sets`, ``table`` is scratch space. The result is that of `merge_equal`.
    """
    if paired > len(twins):
        return merge_equal(keys, values, size, table)
    bits = size_table(paired)
    if len(table) < (1 << bits):
        table = np.empty(1 << bits, np.int32)
    mask = (1 << bits) - 1
    table[: mask + 1] = -1
    shift = np.uint64(64 - bits)
    dropped = 0
    for index in range(paired):
        entry = twins[index]
        key = keys[entry]
        slot = np.int64(key >> shift)
        while table[slot] >= 0 and keys[table[slot]] != key:
            slot = (slot + 1) & mask
        if table[slot] < 0:
            table[slot] = entry
        else:
            values[table[slot]] += values[entry]
            twins[dropped] = entry
            dropped += 1
    for index in range(dropped):
        last = twins[index + 1] if index + 1 < dropped else size
        for entry in range(twins[index] + 1, last):
            keys[entry - index - 1] = keys[entry]
            values[entry - index - 1] = values[entry]
    return size - dropped, table


@compiled
def sum_pair_keys(pair_keys):
    """Return the sums of the constants of two alignments, by the elements of both: ``s | s2 << 3`` and ``t | t2 << 3``.

    Elements are counted from 1; 0 stands for none.
    """
    sums = np.zeros(1 << 12, np.uint64)
    for one in range(64):
        for other in range(64):
            for bit in (0, 3):
                element, element2 = (one >> bit) & 7, (other >> bit) & 7
                if 0 < element <= pair_keys.shape[0] and 0 < element2 <= pair_keys.shape[1]:
                    sums[(one << 6) | other] += pair_keys[element - 1, element2 - 1]
    return sums


def map_keys(keys: Keys) -> Keys:
    """Return a bit map over the low bits of keys, in which nearly all other keys are missing.

    >>> map_keys(np.array([0, 2, 64], np.uint64)).tolist()[:3]
    [5, 1, 0]
    """
    bits = np.zeros(1 << max(6, (BITS_PER_KEY * len(keys)).bit_length()), bool)
    bits[keys & np.uint64(len(bits) - 1)] = True
    return np.packbits(bits, bitorder="little").view(np.uint64)


@compiled
def _keep_sought(keys, values, sought):
    """Move the entries whose keys are in the bit map to the front; return how many they are."""
    mask = np.uint64(64 * len(sought) - 1)
    kept = 0
    for entry in range(len(keys)):
        place = keys[entry] & mask
        if (sought[np.int64(place >> np.uint64(6))] >> (place & np.uint64(63))) & np.uint64(1):
            keys[kept], values[kept] = keys[entry], values[entry]
            kept += 1
    return kept


def list_short_rules(
    ids: SmallInts,
    offsets: Ints,
    finger: Keys,
    window: tuple[int, int],
    decay: float,
    source_factors: Keys,
    target_factors: Keys,
    size_key: np.uint64,
    pair_keys: Keys,
    part: int,
    parts: int,
    limit: int,
    sought: Keys = EVERY_RULE,
) -> tuple[Ints, Keys, Floats, int]:
    """Return the rules with wildcards of every pair: row pointers, keys, values, and the row with too many, or -1.

    With a bit map of `map_keys` only the rules that are in it are listed.
    """
    room = ROOM * len(ids) + MOST_WAYS  # more than most texts need; NumPy's memory comes in larger pages than Numba's
    indptr, keys, values, overflow = _list_short_rules(
        ids, offsets, finger, window, decay, source_factors, target_factors, size_key, pair_keys, part, parts, limit,
        sought, np.empty(room, np.uint64), np.empty(room),
    )  # fmt: skip
    return indptr, keys[: indptr[-1]].copy(), values[: indptr[-1]].copy(), overflow


@compiled
def _list_short_rules(
    ids, offsets, finger, window, decay, source_factors, target_factors, size_key, pair_keys, part, parts, limit,
    sought, keys, values,
):  # fmt: skip
    number = (len(offsets) - 1) // 2
    indptr = np.zeros(number + 1, np.int64)
    scratch = np.empty(16, np.int32)
    mark = np.zeros(len(finger), np.int64)
    size, size2 = window
    prints, is_shared, is_single, starts, counts, grams, table = make_side(offsets, 0)
    prints2, is_shared2, is_single2, starts2, counts2, grams2, table2 = make_side(offsets, 1)
    (text, bag, shape), (text2, bag2, shape2), (head, after) = make_sets(256), make_sets(256), make_chains(256)
    found = np.empty(MOST_WAYS, np.uint64)
    twins, no_map = np.empty(MOST_TWINS, np.int64), np.empty(1, np.uint64)
    pair_sums, powers = sum_pair_keys(pair_keys), decay ** np.arange(8)
    stamp = 0
    filled = 0
    for row in range(number):
        first, middle, last = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        if middle - first >= size and last - middle >= size2:
            begin = filled
            stamp = mark_pair(
                ids, first, middle, last, finger, mark, stamp, prints, is_shared, is_single, prints2, is_shared2,
                is_single2,
            )  # fmt: skip
            sets, sets2 = bound_sets(is_shared, middle - first, size), bound_sets(is_shared2, last - middle, size2)
            if sets > len(text):
                text, bag, shape = make_sets(2 * sets)
            if sets2 > len(text2):
                (text2, bag2, shape2), (head, after) = make_sets(2 * sets2), make_chains(2 * sets2)
            windows = list_windows(prints, middle - first, size, source_factors, starts, counts, grams, table)
            windows2 = list_windows(prints2, last - middle, size2, target_factors, starts2, counts2, grams2, table2)
            listed = list_wildcard_sets(
                prints, is_shared, is_single, starts, grams, windows, size, source_factors, text, bag, shape
            )
            listed2 = list_wildcard_sets(
                prints2, is_shared2, is_single2, starts2, grams2, windows2, size2, target_factors, text2, bag2, shape2
            )
            shift = chain_sets(bag2, listed2, head, after)
            one, other, paired = 0, -1, len(twins) + 1
            while True:
                one, other, filled, paired = join_sets(
                    one, other, listed, text, bag, shape, prints, starts, counts, text2, bag2, shape2, prints2,
                    starts2, counts2, head, after, shift, (min(size, size2) + 1) // 2, size_key, pair_sums, powers,
                    part, parts, keys, values, filled, found, twins, paired, no_map,
                )  # fmt: skip
                if one < listed and 2 * (filled - begin) <= limit:
                    keys, values = grow(keys, 2 * len(keys)), grow(values, 2 * len(values))
                    continue
                if one == listed and len(sought) > 0:
                    filled = begin + _keep_sought(keys[begin:filled], values[begin:filled], sought)
                kept, scratch = merge_equal(keys[begin:filled], values[begin:filled], filled - begin, scratch)
                filled = begin + kept
                if one == listed:
                    break
                if 2 * kept > limit:
                    return indptr, keys, values, row
        indptr[row + 1] = filled
    return indptr, keys, values, -1
