"""Rewriting rules with aligned wildcards in short windows, where a wildcard stands for one token: the common case.

A rule with wildcards is a window of the source, a window of the target, and an alignment of some of their elements,
each with an element that is the same token. So the rules of two windows are the sets of *links* between equal tokens
in which no element has two links. They are built up link by link, each set from a smaller one. The keys of the rules
are those of `aligned_rules_core`.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any
# Compiled functions take arrays and are typed by Numba.

from typing import Any

import numpy as np

from rekern.core.array_core import grow
from rekern.core.arrays import AnyArray, Floats, Ints, Keys
from rekern.core.compiling import compiled, inlined
from rekern.core.hashing import mix, size_table
from rekern.core.key_rows import merge_equal

MOST_SETS = 13_327  # sets of links between six equal tokens and six equal tokens
ROOM = 64  # for rules, times the number of tokens: more than most texts need

# An index without a sign costs less, and a number without a sign is combined with others of its kind only.
NONE, ONE = np.uint64(0), np.uint64(1)
STRIP = 64  # places of the target that are looked at together, as the bits of a number
TARGET = np.uint64(8)  # where the elements of the target begin in the elements of a link
IN_SOURCE = np.uint64(63)
KEY, FACTOR, ELEMENTS, SOURCE = range(4)  # what is known of a link
BIT_COUNTS = np.array([number.bit_count() for number in range(64)], np.uint64)
# A number with one bit, times this constant, has in its first 6 bits what tells the place of the bit.
FIND_BIT, FIND_SHIFT = np.uint64(0x03F79D71B4CB0A89), np.uint64(58)
BIT_PLACES = np.zeros(64, np.uint64)
for _place in range(64):
    BIT_PLACES[(int(FIND_BIT) << _place & (1 << 64) - 1) >> int(FIND_SHIFT)] = _place


@compiled
def _list_windows(ids, begin, end, token_keys, size, factors, prints, starts, counts, keys, table):
    """Store where each distinct window of a text begins, how often it occurs, and the key of its n-gram.

    ``prints`` gets the keys of the tokens, ``table`` is scratch space of ``1 << size_table(length)`` numbers. Returns
    how many windows there are.
    """
    length = end - begin
    for place in range(length):
        prints[place] = token_keys[ids[begin + place]]
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


def _make_links(window: tuple[int, int], source_factors: Keys, target_factors: Keys, pair_keys: Keys) -> Keys:
    """Return what is known of each link between two windows of these sizes, by its number.

    The number of a link is ``source element · target size + target element``. The rows have the constant of the
    alignment, the factor of the token in the keys of both n-grams, the bits of both elements, and the source element.
    """
    size, size2 = window
    one, two = np.arange(size, dtype=np.uint64)[:, None], np.arange(size2, dtype=np.uint64)
    links = np.empty((4, size, size2), np.uint64)
    links[KEY] = pair_keys[:size, :size2]
    links[FACTOR] = source_factors[:size, None] + target_factors[:size2]
    links[ELEMENTS] = (ONE << one) | (ONE << (TARGET + two))
    links[SOURCE] = one
    return links.reshape(4, size * size2)


@inlined
def _read_strip(ids, first, middle, last, strip, size2, starts, windows, masks, hits, numbers):
    """Find the equal tokens of the source and of a strip of the target; return the places where windows begin.

    ``masks`` has a 0 for each token of the vocabulary, before and after; ``hits`` gets the places in the strip of each
    token of the source, ``numbers`` the numbers of the windows that begin at places in the strip.
    """
    end = min(middle + strip + STRIP, last)
    for place in range(middle + strip, end):
        masks[ids[place]] |= ONE << np.uint64(place - middle - strip)
    for place in range(first, middle):
        hits[place - first] = masks[ids[place]]
    begins = NONE
    for place in range(middle + strip, end):
        masks[ids[place]] = NONE
    for window in range(windows):
        start = starts[window] - strip
        if 0 <= start <= STRIP - size2:
            begins |= ONE << np.uint64(start)
            numbers[start] = window
    return begins


@inlined
def _list_sets(total, open_links, prints, start, links, sets):
    """List the sets of links of any two windows; return how many, the empty set, which is the first, among them.

    ``sets`` gets their keys, before they are mixed, and the elements that they take.
    """
    sets[0, 0], sets[1, 0] = total, NONE
    count = 1
    while open_links != NONE:
        low = open_links & (~open_links + ONE)
        open_links ^= low
        link = BIT_PLACES[(low * FIND_BIT) >> FIND_SHIFT]
        added = links[KEY, link] - prints[start + links[SOURCE, link]] * links[FACTOR, link]
        for one in range(count):
            if sets[1, one] & links[ELEMENTS, link] == NONE:
                sets[0, count] = sets[0, one] + added
                sets[1, count] = sets[1, one] | links[ELEMENTS, link]
                count += 1
    return count


@inlined
def _join_windows(
    strip, window, waiting, ids, first, middle, last, prints, starts, counts, grams, windows, starts2, counts2, grams2,
    windows2, size, size2, size_key, links, powers, keys, values, filled, masks, hits, numbers, sets, weights,
):  # fmt: skip
    """Append the rules with wildcards of one pair; three zeros are the beginning.

    Returns whether all is done, or there was no room; where it stopped; and how much is filled.
    """
    room = np.uint64(len(keys) - MOST_SETS)
    in_window, shift2 = (ONE << np.uint64(size2)) - ONE, np.uint64(size2)
    entry = np.uint64(filled)
    is_done = True
    is_flat = powers[1] == 1.0
    while is_done and strip <= last - middle - size2:
        begins = _read_strip(ids, first, middle, last, strip, size2, starts2, windows2, masks, hits, numbers)
        while window < windows:
            start = np.uint64(starts[window])
            found = NONE
            for element in range(size):
                found |= hits[start + np.uint64(element)]
            if waiting == NONE:
                for before in range(size2):
                    waiting |= found >> np.uint64(before)
                waiting &= begins
            if waiting == NONE:
                window += 1
                continue
            gram = grams[window]
            for wildcards in range(size + 1):
                weights[wildcards] = counts[window] * powers[wildcards]
            while waiting != NONE:
                if entry > room:
                    is_done = False
                    break
                low = waiting & (~waiting + ONE)
                waiting ^= low
                begin2 = BIT_PLACES[(low * FIND_BIT) >> FIND_SHIFT]
                window2 = numbers[begin2]
                times = counts2[window2]
                total = gram + grams2[window2] + size_key
                open_links = NONE
                for element in range(size - 1, -1, -1):
                    at = start + np.uint64(element)
                    open_links = (open_links << shift2) | ((hits[at] >> begin2) & in_window)
                left, listed, used, is_plain = open_links, ONE, NONE, True
                while is_plain and left != NONE:
                    low = left & (~left + ONE)
                    left ^= low
                    link = BIT_PLACES[(low * FIND_BIT) >> FIND_SHIFT]
                    is_plain = used & links[ELEMENTS, link] == NONE
                    used |= links[ELEMENTS, link]
                    added = links[KEY, link] - prints[start + links[SOURCE, link]] * links[FACTOR, link]
                    keys[entry + listed - ONE] = total + added
                    for one in range(listed - ONE):
                        keys[entry + listed + one] = keys[entry + one] + added
                    listed += listed
                if is_plain:
                    if is_flat:
                        value = weights[0] * times
                        for one in range(listed - ONE):
                            values[entry + one] = value
                    else:
                        for one in range(listed - ONE):
                            values[entry + one] = weights[BIT_COUNTS[one + ONE]] * times
                    entry += listed - ONE
                else:
                    for one in range(1, _list_sets(total, open_links, prints, start, links, sets)):
                        keys[entry] = sets[0, one]
                        values[entry] = weights[BIT_COUNTS[sets[1, one] & IN_SOURCE]] * times
                        entry += ONE
            if not is_done:
                break
            window += 1
        if is_done:
            strip += STRIP - size2 + 1
            window = 0
    for one in range(np.uint64(filled), entry):
        keys[one] = mix(keys[one])
    return is_done, strip, window, waiting, np.int64(entry)


def list_short_rules(
    ids: Any, offsets: Any, token_keys: Any, window: Any, decay: Any, source_factors: Any, target_factors: Any,
    size_key: Any, pair_keys: Any, limit: Any,
) -> Any:  # fmt: skip
    """Return the rules with wildcards of every pair: row pointers, keys, values, and the row with too many, or -1."""
    room = ROOM * len(ids) + MOST_SETS
    side, side2 = _make_side(len(ids)), _make_side(len(ids))  # more than a text needs: to measure all takes longer
    links = _make_links(window, source_factors, target_factors, pair_keys)
    indptr = np.zeros(len(offsets) // 2 + 1, np.int64)
    scratch = (
        np.zeros(len(token_keys), np.uint64),
        np.empty(len(side[0]), np.uint64),
        np.empty(STRIP, np.int64),
        np.empty((2, MOST_SETS + 1), np.uint64),
        np.empty(8),
        np.empty(8),
    )
    keys, values, filled, overflow = _list_short_rules(
        ids, offsets, token_keys, *window, decay, source_factors, target_factors, size_key, links,
        limit, indptr, np.empty(room, np.uint64), np.empty(room), *side, *side2, *scratch,
    )  # fmt: skip
    return indptr, keys[:filled].copy(), values[:filled].copy(), overflow


def _make_side(length: int) -> tuple[Keys, Ints, Floats, Keys, AnyArray]:
    """Return scratch space for texts of one side that have at most so many tokens: see `_list_windows`."""
    table = np.empty(1 << int(size_table(length)), np.int32)
    return np.empty(length, np.uint64), np.empty(length, np.int64), np.empty(length), np.empty(length, np.uint64), table


@compiled
def _list_short_rules(
    ids, offsets, token_keys, size, size2, decay, source_factors, target_factors, size_key, links, limit, indptr, keys,
    values, prints, starts, counts, grams, slots, prints2, starts2, counts2, grams2, slots2, masks, hits, numbers, sets,
    weights, powers,
):  # fmt: skip
    for wildcards in range(len(powers)):
        powers[wildcards] = decay**wildcards
    table = np.empty(16, np.int32)
    filled = 0
    for row in range(len(indptr) - 1):
        first, middle, last = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        if middle - first >= size and last - middle >= size2:
            begin = filled
            windows = _list_windows(
                ids, first, middle, token_keys, size, source_factors, prints, starts, counts, grams, slots
            )
            windows2 = _list_windows(
                ids, middle, last, token_keys, size2, target_factors, prints2, starts2, counts2, grams2, slots2
            )
            strip, window, waiting = 0, 0, NONE
            while True:
                is_done, strip, window, waiting, filled = _join_windows(
                    strip, window, waiting, ids, first, middle, last, prints, starts, counts, grams, windows, starts2,
                    counts2, grams2, windows2, size, size2, size_key, links, powers, keys, values, filled, masks, hits,
                    numbers, sets, weights,
                )  # fmt: skip
                if not is_done and 2 * (filled - begin) <= limit:
                    keys, values = grow(keys, 2 * len(keys)), grow(values, 2 * len(values))
                    continue
                kept, table = merge_equal(keys[begin:filled], values[begin:filled], filled - begin, table)
                filled = begin + kept
                if is_done:
                    break
                if 2 * kept > limit:
                    return keys, values, filled, row
        indptr[row + 1] = filled
    return keys, values, filled, -1
