"""Compiled loops over the keys of rows: which keys several rows have, which are equal, and what is left of the rows.

The tables are far larger than the cache. Loops therefore look at a batch of keys twice: first they read all places that
the batch needs, which the processor does at the same time, and then they work on them.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import mix, size_table

BATCH = 64
NO_KEY = np.uint64(0)  # of an empty slot; a key that is 0 counts as 1
KEY, GROUP = 0, 1  # of a slot; before groups are numbered, their signatures


@compiled
def note_keys(keys, seen, shift):
    """Count keys in slots of two bits, up to 2; the slot of a key is given by its top bits."""
    read = np.empty(BATCH, np.uint8)
    for start in range(0, len(keys), BATCH):
        stop = min(start + BATCH, len(keys))
        for entry in range(start, stop):
            read[entry - start] = seen[np.int64(keys[entry] >> shift) >> 2]
        for entry in range(start, stop):
            slot = np.int64(keys[entry] >> shift)
            place, turn = slot >> 2, (slot & 3) * 2
            if (seen[place] >> turn) & 2 == 0:
                seen[place] += np.uint8(1 << turn)


@compiled
def count_slots(seen):
    """Return how many slots were noted once, and how many more often."""
    once, more = 0, 0
    for place in range(len(seen)):
        byte = np.int64(seen[place])
        once += (byte & 1) + ((byte >> 2) & 1) + ((byte >> 4) & 1) + ((byte >> 6) & 1)
        more += ((byte >> 1) & 1) + ((byte >> 3) & 1) + ((byte >> 5) & 1) + (byte >> 7)
    return once, more


@compiled
def list_shared(keys, start, stop, seen, shift, listed):
    """List in ``listed`` the entries from ``start`` to ``stop - 1`` whose keys were noted twice; return how many."""
    size = 0
    for entry in range(start, stop):
        slot = np.int64(keys[entry] >> shift)
        listed[size] = entry
        size += np.int64((seen[slot >> 2] >> ((slot & 3) * 2)) >> 1) & 1
    return size


@compiled
def find_home(key, size):
    """Return the slot at which the search for a key begins, from its low bits."""
    return np.int64((key & np.uint64(0xFFFFFFFF)) * np.uint64(size) >> np.uint64(32))


@compiled
def find_slot(key, slots):
    """Return the slot in which a key is, or the empty one in which it would be."""
    place = find_home(key, len(slots))
    while slots[place, KEY] != key and slots[place, KEY] != NO_KEY:
        place += 1
        if place == len(slots):
            place = 0
    return place


@compiled
def sign_rows(first_row, indptr, keys, bits, seen, shift, slots, filled, room):
    """Add every entry, by a mark of its row and the bits of its value, to the signature of its key.

    Keys that were noted once only are left out, and new ones when ``room`` slots are filled. Returns how many are.
    """
    listed, read = np.empty(BATCH, np.int64), np.empty(BATCH, np.uint64)
    row = 0
    for start in range(0, len(keys), BATCH):
        size = list_shared(keys, start, min(start + BATCH, len(keys)), seen, shift, listed)
        for index in range(size):
            read[index] = slots[find_home(max(keys[listed[index]], np.uint64(1)), len(slots)), KEY]
        for entry in listed[:size]:
            key = max(keys[entry], np.uint64(1))
            slot = find_slot(key, slots)
            if slots[slot, KEY] == NO_KEY:
                if filled >= room:
                    continue
                filled += 1
                slots[slot, KEY] = key
            while indptr[row + 1] <= entry:
                row += 1
            place = mix(np.uint64(first_row + row + 1) * np.uint64(0x9E3779B97F4A7C15))
            slots[slot, GROUP] += mix(place ^ np.uint64(bits[entry]))
    return filled


@compiled
def join_columns(first, last, indptr, keys, values, seen, shift, slots, groups, spare):
    """Return rows ``first`` to ``last - 1`` over groups of keys, each once, and the squares of what has none.

    Of a key that one row alone has the square is kept. A key for which there was no room goes into one of 2 to the
    power of ``spare`` columns after the first ``groups``, with a sign.
    """
    total = indptr[last] - indptr[first]
    lengths, own = np.zeros(last - first, np.int64), np.zeros(last - first)
    columns, found = np.empty(total, np.int32), np.empty(total, np.float32)
    longest = 1
    for row in range(first, last):
        longest = max(longest, indptr[row + 1] - indptr[row])
    mask = (1 << size_table(longest)) - 1
    table, sums = np.full(mask + 1, -1, np.int64), np.empty(longest, np.float64)  # places of earlier rows are empty
    listed, read = np.empty(longest, np.int64), np.empty(longest, np.uint64)
    at = 0
    for row in range(first, last):
        begin = at
        for entry in range(indptr[row], indptr[row + 1]):
            own[row - first] += np.float64(values[entry]) * np.float64(values[entry])
        size = list_shared(keys, indptr[row], indptr[row + 1], seen, shift, listed)
        for index in range(size):
            read[index] = slots[find_home(max(keys[listed[index]], np.uint64(1)), len(slots)), KEY]
        for entry in listed[:size]:
            key, value = max(keys[entry], np.uint64(1)), np.float64(values[entry])
            own[row - first] -= value * value
            slot = find_slot(key, slots)
            if slots[slot, KEY] == key:
                number = np.int64(slots[slot, GROUP])
            else:
                number = groups + np.int64(key >> np.uint64(64 - spare))
                value = -value if key & np.uint64(1) else value
            slot = number & mask
            while table[slot] >= begin and columns[table[slot]] != number:
                slot = (slot + 1) & mask
            if table[slot] < begin:
                table[slot] = at
                columns[at], sums[at - begin], found[at] = number, 0.0, np.float32(value)
                at += 1
            # Equal columns are joined by their squares; different ones that meet in a spare column by their values.
            sums[table[slot] - begin] += value * value if number < groups else value
        for place in range(begin, at):
            joined = sums[place - begin]
            if columns[place] < groups:
                joined = np.sqrt(joined) if found[place] >= 0 else -np.sqrt(joined)
            found[place] = np.float32(joined)
        lengths[row - first] = at - begin
        own[row - first] = max(own[row - first], 0.0)
    return lengths, columns[:at].copy(), found[:at].copy(), own


@compiled
def rank_columns(columns, ranks, used):
    """Number columns anew in the order in which they come, in place; return how many have a new number."""
    for entry in range(len(columns)):
        if ranks[columns[entry]] < 0:
            ranks[columns[entry]] = used
            used += 1
        columns[entry] = ranks[columns[entry]]
    return used
