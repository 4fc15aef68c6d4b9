"""Compiled loops over the keys of rows: which keys several rows have, which are equal, and what is left of the rows.

The tables are far larger than the cache. Loops therefore look at a batch of keys twice: first they read all places that
the batch needs, which the processor does at the same time, and then they work on them.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.array_core import find_longest
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
def sift_rows(indptr, keys, values, seen, shift):
    """Return the entries of rows that were noted twice, as lengths, keys and values, and the rest as sums of squares.

    A key that is 0 becomes 1.
    """
    n = len(indptr) - 1
    lengths, own = np.zeros(n, np.int64), np.zeros(n)
    found, kept = np.empty(len(keys), np.uint64), np.empty(len(keys), np.float32)
    listed = np.empty(find_longest(indptr), np.int64)
    at = 0
    for row in range(n):
        size = list_shared(keys, indptr[row], indptr[row + 1], seen, shift, listed)
        lengths[row], index = size, 0
        for entry in range(indptr[row], indptr[row + 1]):
            if index < size and listed[index] == entry:
                found[at], kept[at] = max(keys[entry], np.uint64(1)), values[entry]
                index, at = index + 1, at + 1
            else:
                own[row] += np.float64(values[entry]) * np.float64(values[entry])
    return lengths, found[:at].copy(), kept[:at].copy(), own


@compiled
def sign_rows(first_row, lengths, keys, values, bits, slots, filled, room, spare):
    """Add every entry, by a mark of its row and the bits of its value, to the signature of its key.

    New keys are no longer put into slots when ``room`` of them are filled: they go into one of 2 to the power of
    ``spare`` further columns, with a sign. Returns how many slots are filled, and of each entry its slot and its value;
    the slot of a further column is -1, -2 and so on.
    """
    places, kept = np.empty(len(keys), np.int32), np.empty(len(keys), np.float32)
    read, start = np.uint64(0), 0
    for row in range(len(lengths)):
        stop = start + lengths[row]
        for entry in range(start, stop):
            read ^= slots[find_home(keys[entry], len(slots)), KEY]
        mark = mix(np.uint64(first_row + row + 1) * np.uint64(0x9E3779B97F4A7C15))
        for entry in range(start, stop):
            key = keys[entry]
            slot = find_slot(key, slots)
            if slots[slot, KEY] == NO_KEY and filled >= room:
                places[entry] = -1 - np.int64(key >> np.uint64(64 - spare))
                kept[entry] = -values[entry] if key & np.uint64(1) else values[entry]
            else:
                filled += slots[slot, KEY] == NO_KEY
                slots[slot, KEY] = key
                slots[slot, GROUP] += mix(mark ^ np.uint64(bits[entry]))
                places[entry], kept[entry] = slot, values[entry]
        start = stop
    return filled, places, kept, read  # what was read ahead is returned so that it is read


@compiled
def join_columns(first, last, indptr, places, values, group_of, groups):
    """Return the lengths, columns and values of rows ``first`` to ``last - 1`` over groups of keys, each once.

    The further columns of keys for which there was no room come after the first ``groups``.
    """
    total = indptr[last] - indptr[first]
    lengths = np.zeros(last - first, np.int64)
    columns, found = np.empty(total, np.int32), np.empty(total, np.float32)
    longest = find_longest(indptr[first : last + 1])
    mask = (1 << size_table(longest)) - 1
    table, sums = np.full(mask + 1, -1, np.int64), np.empty(longest, np.float64)  # places of earlier rows are empty
    numbers = np.empty(longest, np.int64)
    at = 0
    for row in range(first, last):
        begin, start = at, indptr[row]
        size = indptr[row + 1] - start
        for index in range(size):
            place = places[start + index]
            numbers[index] = group_of[place] if place >= 0 else groups - 1 - place
        for index in range(size):
            number, value = numbers[index], np.float64(values[start + index])
            slot = number & mask
            while table[slot] >= begin and columns[table[slot]] != number:
                slot = (slot + 1) & mask
            if table[slot] < begin:
                table[slot] = at
                columns[at], sums[at - begin], found[at] = number, 0.0, np.float32(value)
                at += 1
            # Equal columns are joined by their squares; different ones that meet in a further column by their values.
            sums[table[slot] - begin] += value * value if number < groups else value
        for place in range(begin, at):
            joined = sums[place - begin]
            if columns[place] < groups:
                joined = np.sqrt(joined) if found[place] >= 0 else -np.sqrt(joined)
            found[place] = np.float32(joined)
        lengths[row - first] = at - begin
    return lengths, columns[:at].copy(), found[:at].copy()


@compiled
def rank_columns(columns, ranks, used):
    """Number columns anew in the order in which they come, in place; return how many have a new number."""
    for entry in range(len(columns)):
        if ranks[columns[entry]] < 0:
            ranks[columns[entry]] = used
            used += 1
        columns[entry] = ranks[columns[entry]]
    return used
