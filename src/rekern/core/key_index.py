"""Numbers for distinct 64-bit keys, and the hash table that finds the number of a key."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from typing import NamedTuple

import numpy as np

from rekern.core.array_core import find_longest
from rekern.core.arrays import Keys, SmallInts, offsets_of
from rekern.core.compiling import compiled
from rekern.core.hashing import size_table
from rekern.core.parallel_jobs import run_in_threads, split_range

MOST_ENTRIES = 1 << 31
PARTS_OF_CALL = 64


class KeyIndex(NamedTuple):
    """Numbers for distinct keys, by open addressing; the home slot of a key is given by its top bits."""

    slots: Keys  # the key in each slot
    codes: SmallInts  # its number, -1 for an empty slot
    shift: int  # 64 - log2(number of slots)
    size: int  # how many keys are numbered


def check_entries(n: int) -> None:
    """Raise a ValueError if a matrix would have more entries than its 32-bit numbers can count.

    >>> check_entries(1 << 31)
    Traceback (most recent call last):
    ...
    ValueError: 2,147,483,648 features are too many for one matrix; use a smaller k or fewer pairs
    """
    if n >= MOST_ENTRIES:
        raise ValueError(f"{n:,} features are too many for one matrix; use a smaller k or fewer pairs")


@compiled
def _partition(keys, bits):
    """Divide keys into parts by their top bits: return where each part begins, and the entries part by part."""
    shift = np.uint64(64 - bits)
    starts = np.zeros((1 << bits) + 1, np.int64)
    for key in keys:
        starts[np.int64(key >> shift) + 1] += 1
    for part in range(1 << bits):
        starts[part + 1] += starts[part]
    fill = starts[:-1].copy()
    order = np.empty(len(keys), np.int32)
    for entry in range(len(keys)):
        part = np.int64(keys[entry] >> shift)
        order[fill[part]] = entry
        fill[part] += 1
    return starts, order


@compiled
def _number_parts(first, last, keys, starts, order, numbers, distinct, sizes):
    """Number the distinct keys within each part: a table for one part is small enough to stay in cache."""
    table = np.empty(1 << size_table(find_longest(starts[first : last + 1])), np.int32)
    for part in range(first, last):
        begin, end = starts[part], starts[part + 1]
        bits = size_table(end - begin)
        mask = np.uint64((1 << bits) - 1)
        for slot in range(1 << bits):
            table[slot] = -1
        size = 0
        for index in range(begin, end):
            entry = order[index]
            key = keys[entry]
            slot = np.int64(key & mask)
            while table[slot] >= 0 and distinct[begin + table[slot]] != key:
                slot = (slot + 1) & np.int64(mask)
            if table[slot] < 0:
                table[slot] = size
                distinct[begin + size] = key
                size += 1
            numbers[entry] = table[slot]
        sizes[part] = size


@compiled
def _join_parts(keys, bits, starts, before, numbers, distinct):
    """Turn the numbers within parts into numbers of the whole, and return the distinct keys together."""
    shift = np.uint64(64 - bits)
    joined = np.empty(before[-1], np.uint64)
    for part in range(len(before) - 1):
        size = before[part + 1] - before[part]
        for place in range(size):
            joined[before[part] + place] = distinct[starts[part] + place]
    for entry in range(len(keys)):
        numbers[entry] += before[np.int64(keys[entry] >> shift)]
    return joined


@compiled
def _fill_index(keys, slots, codes, shift):
    mask, shift = len(slots) - 1, np.uint64(shift)
    for code in range(len(keys)):
        slot = np.int64(keys[code] >> shift)
        while codes[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = keys[code]
        codes[slot] = code


@compiled
def _look_up(keys, slots, codes, shift, numbers):
    mask, shift = len(slots) - 1, np.uint64(shift)
    for entry in range(len(keys)):
        key = keys[entry]
        slot = np.int64(key >> shift)
        while codes[slot] >= 0 and slots[slot] != key:
            slot = (slot + 1) & mask
        numbers[entry] = codes[slot]


def number_keys(keys: Keys, n_jobs: int | None = None) -> tuple[SmallInts, Keys]:
    """Return a number for every distinct key, from 0 up, and the distinct keys in the order of their numbers.

    >>> numbers, distinct = number_keys(np.array([7, 9, 7], dtype=np.uint64))
    >>> numbers.tolist(), distinct.tolist()
    ([0, 1, 0], [7, 9])
    """
    check_entries(len(keys))
    bits = max(1, len(keys).bit_length() - 14)  # parts of about 10,000 keys; a shift by all 64 bits is undefined
    starts, order = _partition(keys, bits)
    numbers, distinct = np.empty(len(keys), np.int32), np.empty(len(keys), np.uint64)
    sizes = np.zeros(1 << bits, np.int64)
    arrays = (keys, starts, order, numbers, distinct, sizes)
    run_in_threads(_number_parts, [(*span, *arrays) for span in split_range(1 << bits, PARTS_OF_CALL)], n_jobs)
    return numbers, _join_parts(keys, bits, starts, offsets_of(sizes), numbers, distinct)


def index_keys(distinct: Keys) -> KeyIndex:
    """Return the hash table that finds the number of a key.

    >>> index = index_keys(np.array([7, 9], dtype=np.uint64))
    >>> look_up(np.array([9, 8], dtype=np.uint64), index)
    array([ 1, -1], dtype=int32)
    """
    bits = int(size_table(len(distinct)))
    index = KeyIndex(np.empty(1 << bits, np.uint64), np.full(1 << bits, -1, np.int32), 64 - bits, len(distinct))
    _fill_index(distinct, index.slots, index.codes, index.shift)
    return index


def look_up(keys: Keys, index: KeyIndex, n_jobs: int | None = 1) -> SmallInts:
    """Return the numbers of keys; -1 for a key that has none."""
    numbers = np.empty(len(keys), np.int32)
    _look_up(keys, index.slots, index.codes, index.shift, numbers)
    return numbers
