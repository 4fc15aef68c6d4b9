"""Rewriting rules with aligned wildcards in short windows, where a wildcard stands for one token: the common case.

A rule with wildcards is a window of the source, a window of the target, and an alignment of some of their elements,
each with an element that is the same token. So the rules of two windows are the sets of *links* between equal tokens
in which no element has two links. They are built up link by link, each set from a smaller one. The keys of the rules
are those of `aligned_rules_core`.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.array_core import grow
from rekern.core.arrays import Floats, Ints, Keys, SmallInts
from rekern.core.compiling import compiled, uncounted
from rekern.core.hashing import mix, size_table
from rekern.core.key_rows import merge_equal
from rekern.core.prefetching import prefetch
from rekern.kernels.rewriting.pair_windows_core import list_windows, make_side, read_side

MOST_SETS = 13_327  # sets of links between six equal tokens and six equal tokens
ROOM = 64  # for rules, times the number of tokens
BITS_PER_KEY = 64  # in a bit map of keys
MOST_TWINS = 1 << 12  # rules of a pair that are looked at one by one, because two of them may be equal
EVERY_RULE: Keys = np.zeros(0, np.uint64)

# An index without a sign costs less, and a number without a sign is combined with others of its kind only.
NONE, ONE, WORD_BITS = np.uint64(0), np.uint64(1), np.uint64(6)
STRIP = 64  # places of the target that are looked at together, as the bits of a number
TARGET = np.uint64(8)  # where the elements of the target begin in the elements of a link
IN_SOURCE = np.uint64(63)
EVERY_SET = ~np.uint64(0)
KEY, FACTOR, ELEMENTS, SOURCE = range(4)  # what is known of a link
BIT_COUNTS = np.array([number.bit_count() for number in range(64)], np.uint64)
# A number with one bit, times this constant, has in its first 6 bits what tells the place of the bit.
FIND_BIT, FIND_SHIFT = np.uint64(0x03F79D71B4CB0A89), np.uint64(58)
BIT_PLACES = np.zeros(64, np.uint64)
for _place in range(64):
    BIT_PLACES[(int(FIND_BIT) << _place & (1 << 64) - 1) >> int(FIND_SHIFT)] = _place


@compiled
def make_links(window, source_factors, target_factors, pair_keys):
    """Return what is known of each link between two windows of these sizes, by its number.

    The number of a link is ``source element · target size + target element``. The rows have the constant of the
    alignment, the factor of the token in the keys of both n-grams, the bits of both elements, and the source element.
    """
    size, size2 = window
    links = np.empty((4, size * size2), np.uint64)
    for one in range(size):
        for two in range(size2):
            link = one * size2 + two
            links[KEY, link] = pair_keys[one, two]
            links[FACTOR, link] = source_factors[one] + target_factors[two]
            links[ELEMENTS, link] = (ONE << np.uint64(one)) | (ONE << (TARGET + np.uint64(two)))
            links[SOURCE, link] = one
    return links


@compiled
def make_scratch(vocabulary, length):
    """Return scratch space for pairs with words of a vocabulary and sources of at most this length: `join_windows`."""
    return (
        np.zeros(vocabulary, np.uint64),
        np.empty(length, np.uint64),
        np.empty(STRIP, np.int64),
        np.empty((2, MOST_SETS + 1), np.uint64),
        np.empty(8),
    )


@uncounted
def _read_strip(ids, first, middle, last, strip, size2, is_single, starts, windows, masks, hits, numbers):
    """Find the equal tokens of the source and of a strip of the target; return two sets of places in the strip.

    The first has the beginnings of windows, the second the tokens that are single in the text. ``masks`` has a 0 for
    each token of the vocabulary, before and after; ``hits`` gets the places in the strip of each token of the source,
    ``numbers`` the numbers of the windows that begin at places in the strip.
    """
    end = min(middle + strip + STRIP, last)
    for place in range(middle + strip, end):
        masks[ids[place]] |= ONE << np.uint64(place - middle - strip)
    for place in range(first, middle):
        hits[place - first] = masks[ids[place]]
    begins = singles = NONE
    for place in range(middle + strip, end):
        masks[ids[place]] = NONE
        bit = np.uint64(place - middle - strip)
        singles |= np.uint64(is_single[place - middle]) << bit
    for window in range(windows):
        start = starts[window] - strip
        if 0 <= start <= STRIP - size2:
            begins |= ONE << np.uint64(start)
            numbers[start] = window
    return begins, singles


@uncounted
def _choose_sources(prints, start, gram, size, factors, part, parts, texts):
    """Return the sets of elements of a source window whose patterns fall into the part, as the bits of a number."""
    texts[0, 0] = gram
    chosen = NONE
    for bit in range(size):
        literal = prints[start + bit] * factors[bit]
        for rest in range(1 << bit):
            one = (1 << bit) | rest
            texts[0, one] = texts[0, rest] - literal
            if mix(texts[0, one]) & np.uint64(parts - 1) == np.uint64(part):
                chosen |= ONE << np.uint64(one)
    return chosen


@uncounted
def _keep_begun(sets, count, chosen, size, element):
    """Drop the sets of links before a source element that cannot become a chosen one; return how many are left."""
    if chosen == EVERY_SET:
        return count
    while size > element:  # cut off the elements from here on
        size -= ONE
        half = ONE << size
        chosen = (chosen | (chosen >> half)) & ((ONE << half) - ONE)
    kept = 0
    for one in range(count):
        if (chosen >> (sets[1, one] & IN_SOURCE)) & ONE:
            sets[0, kept], sets[1, kept] = sets[0, one], sets[1, one]
            kept += 1
    return kept


@uncounted
def _list_sets(total, open_links, prints, start, links, size, chosen, sets):
    """List the sets of links of any two windows whose source elements are ``chosen``; return how many.

    ``sets`` gets their keys, before they are mixed, and the elements that they take. The empty set may be among them.
    """
    sets[0, 0], sets[1, 0] = total, NONE
    count = 1
    element = NONE
    while open_links != NONE:
        low = open_links & (~open_links + ONE)
        open_links ^= low
        link = BIT_PLACES[(low * FIND_BIT) >> FIND_SHIFT]
        if links[SOURCE, link] != element:
            element = links[SOURCE, link]
            count = _keep_begun(sets, count, chosen, np.uint64(size), element)
        added = links[KEY, link] - prints[start + element] * links[FACTOR, link]
        for one in range(count):
            if sets[1, one] & links[ELEMENTS, link] == NONE:
                sets[0, count] = sets[0, one] + added
                sets[1, count] = sets[1, one] | links[ELEMENTS, link]
                count += 1
    return count


@uncounted
def join_windows(
    begun, ids, first, middle, last, prints, is_single, starts, counts, grams, windows, is_single2, starts2, counts2,
    grams2, windows2, window_size, size_key, links, powers, factors, part, parts, keys, values, filled, twins, paired,
    present, masks, hits, numbers, sets, weights,
):  # fmt: skip
    """Append the rules with wildcards of one pair, from ``begun`` on: (0, 0, 0) is the beginning.

    Of several parts, ``part`` has the rules whose source patterns fall into it; ``factors`` are those of the source.
    ``twins`` gets the entries that may be equal to others: only a rule of two windows each of which may look like
    another one occurs twice, as both windows must differ. A window cannot if a token that stays is single in its text.
    ``paired`` is how many they are; those that have no room are counted only. ``present`` is the bit map in which the
    keys are looked up next, or has one word. Returns whether all is done, or there was no room; where it stopped; how
    much is filled; and ``paired``.
    """
    strip, window, waiting = begun
    size, size2 = window_size
    room, last_twin = np.uint64(len(keys) - MOST_SETS), len(twins) - 1
    in_window, shift2 = (ONE << np.uint64(size2)) - ONE, np.uint64(size2)
    entry = np.uint64(filled)
    is_done = True
    is_flat = powers[1] == 1.0
    while is_done and strip <= last - middle - size2:
        begins, singles = _read_strip(
            ids, first, middle, last, strip, size2, is_single2, starts2, windows2, masks, hits, numbers
        )
        while window < windows:
            start = np.uint64(starts[window])
            found = single = NONE
            for element in range(size):
                found |= hits[start + np.uint64(element)]
                single |= np.uint64(is_single[start + np.uint64(element)]) << np.uint64(element)
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
            chosen = EVERY_SET
            if parts > 1:
                chosen = _choose_sources(prints, start, gram, size, factors, part, parts, sets)
                waiting = waiting if chosen != NONE else NONE
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
                need = single | (((singles >> begin2) & in_window) << TARGET)
                left, listed, used, must = open_links, ONE, NONE, NONE
                is_plain = parts == 1
                while is_plain and left != NONE:
                    low = left & (~left + ONE)
                    left ^= low
                    link = BIT_PLACES[(low * FIND_BIT) >> FIND_SHIFT]
                    is_plain = used & links[ELEMENTS, link] == NONE
                    used |= links[ELEMENTS, link]
                    must |= listed if need & links[ELEMENTS, link] != NONE else NONE
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
                    if need & ~used == NONE:
                        twin = must if must != NONE else ONE
                        while twin < listed:  # all sets with these links
                            twins[min(paired, last_twin)] = entry + twin - ONE
                            paired += 1
                            twin = (twin + ONE) | must
                    entry += listed - ONE
                else:
                    for one in range(_list_sets(total, open_links, prints, start, links, size, chosen, sets)):
                        own = sets[1, one] & IN_SOURCE
                        if own != NONE and (chosen >> own) & ONE:
                            keys[entry] = sets[0, one]
                            values[entry] = weights[BIT_COUNTS[own]] * times
                            if need & ~sets[1, one] == NONE:
                                twins[min(paired, last_twin)] = entry
                                paired += 1
                            entry += ONE
            if not is_done:
                break
            window += 1
        if is_done:
            strip += STRIP - size2 + 1
            window = 0
    for one in range(np.uint64(filled), entry):
        keys[one] = mix(keys[one])
    word = np.uint64(len(present) - 1)
    for one in range(np.uint64(filled), entry):
        prefetch(present, np.int64((keys[one] >> WORD_BITS) & word))
    return is_done, (strip, window, waiting), np.int64(entry), paired


@compiled
def merge_twins(keys, values, size, twins, paired, table):
    """Add up the values of equal rules among the first ``size``, in place; return how many are left, and the table.

    ``twins`` and ``paired`` are those of `join_windows`, ``table`` is scratch space. The result is as of `merge_equal`.
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
    token_keys: Keys,
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
    room = ROOM * len(ids) + MOST_SETS  # more than most texts need; NumPy's memory comes in larger pages than Numba's
    indptr, keys, values, overflow = _list_short_rules(
        ids, offsets, token_keys, window, decay, source_factors, target_factors, size_key, pair_keys, part, parts,
        limit, sought, np.empty(room, np.uint64), np.empty(room),
    )  # fmt: skip
    return indptr, keys[: indptr[-1]].copy(), values[: indptr[-1]].copy(), overflow


@compiled
def _list_short_rules(
    ids, offsets, token_keys, window, decay, source_factors, target_factors, size_key, pair_keys, part, parts, limit,
    sought, keys, values,
):  # fmt: skip
    number = (len(offsets) - 1) // 2
    indptr = np.zeros(number + 1, np.int64)
    table = np.empty(16, np.int32)
    mark = np.zeros(len(token_keys), np.int64)
    size, size2 = window
    prints, is_single, starts, counts, grams, slots = make_side(offsets, 0)
    prints2, is_single2, starts2, counts2, grams2, slots2 = make_side(offsets, 1)
    masks, hits, numbers, sets, weights = make_scratch(len(token_keys), len(prints))
    links = make_links(window, source_factors, target_factors, pair_keys)
    twins, no_map = np.empty(1, np.int64), np.empty(1, np.uint64)
    powers = decay ** np.arange(8)
    stamp = filled = 0
    for row in range(number):
        first, middle, last = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        if middle - first >= size and last - middle >= size2:
            begin = filled
            stamp = read_side(ids, first, middle, token_keys, mark, stamp, prints, is_single)
            stamp = read_side(ids, middle, last, token_keys, mark, stamp, prints2, is_single2)
            windows = list_windows(prints, middle - first, size, source_factors, starts, counts, grams, slots)
            windows2 = list_windows(prints2, last - middle, size2, target_factors, starts2, counts2, grams2, slots2)
            begun = (0, 0, NONE)
            while True:
                is_done, begun, filled, _ = join_windows(
                    begun, ids, first, middle, last, prints, is_single, starts, counts, grams, windows, is_single2,
                    starts2, counts2, grams2, windows2, window, size_key, links, powers, source_factors, part, parts,
                    keys, values, filled, twins, 0, no_map, masks, hits, numbers, sets, weights,
                )  # fmt: skip
                if not is_done and 2 * (filled - begin) <= limit:
                    keys, values = grow(keys, 2 * len(keys)), grow(values, 2 * len(values))
                    continue
                if is_done and len(sought) > 0:
                    filled = begin + _keep_sought(keys[begin:filled], values[begin:filled], sought)
                kept, table = merge_equal(keys[begin:filled], values[begin:filled], filled - begin, table)
                filled = begin + kept
                if is_done:
                    break
                if 2 * kept > limit:
                    return indptr, keys, values, row
        indptr[row + 1] = filled
    return indptr, keys, values, -1
