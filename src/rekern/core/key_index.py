"""Numbers for distinct 64-bit keys, and the hash table that finds the number of a key."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.array_core import find_longest
from rekern.core.arrays import Ints, Keys, SmallInts, offsets_of
from rekern.core.compiling import compiled
from rekern.core.hashing import size_table
from rekern.core.parallel_jobs import count_shares, run_in_threads
from rekern.core.parallel_steps import Steps, run_together, split_shares
from rekern.core.prefetching import prefetch

MOST_ENTRIES = 1 << 31
FEW_KEYS = 1 << 20  # that are looked up one after the other
SMALL_TABLE = 1 << 14  # slots that stay in cache
AHEAD = 16  # keys whose slots are asked for before they are needed


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


def lay_out_parts(spans: Sequence[Sequence[Keys]], bits: int) -> Steps[tuple[Ints, Ints]]:
    """Return where each part of keys begins, by their top bits, and where each span of keys has its entries in it.

    >>> spans = [[np.array([5, 2**63], np.uint64)], [np.array([7], np.uint64)]]
    >>> starts, fills = run_together([lay_out_parts(spans, 1)])[0]
    >>> starts.tolist(), fills.tolist()
    ([0, 2, 3], [[0, 2], [1, 3]])
    """
    counts = np.zeros((len(spans), 1 << bits), np.int64)
    yield [(_count_parts, span, bits, own) for span, own in zip(spans, counts)]
    return place_counts(counts)


def place_counts(counts: Ints) -> tuple[Ints, Ints]:
    """Return where each column of entries begins, and where each row has its entries in it.

    >>> [places.tolist() for places in place_counts(np.array([[1, 1], [1, 0]]))]
    [[0, 2, 3], [[0, 2], [1, 3]]]
    """
    starts = offsets_of(counts.sum(axis=0))
    return starts, starts[:-1] + np.cumsum(counts, axis=0) - counts


def _count_parts(span: Sequence[Keys], bits: int, counts: Ints) -> None:
    for keys in span:
        _add_counts(keys, bits, counts)


@compiled
def _add_counts(keys, bits, counts):
    shift = np.uint64(64 - bits)
    for entry in range(len(keys)):
        counts[np.int64(keys[entry] >> shift)] += 1


def partition_keys(keys: Keys, bits: int, shares: int = 1) -> Steps[tuple[Ints, SmallInts]]:
    """Divide keys into parts by their top bits: return where each part begins, and the entries part by part.

    >>> starts, order = run_together([partition_keys(np.array([2**63, 5, 7], dtype=np.uint64), 1)])[0]
    >>> starts.tolist(), order.tolist()
    ([0, 2, 3], [1, 2, 0])
    """
    spans = split_shares(len(keys), shares)
    starts, fills = yield from lay_out_parts([[keys[first:last]] for first, last in spans], bits)
    order = np.empty(len(keys), np.int32)
    yield [(_order_entries, *span, keys, bits, fill, order) for span, fill in zip(spans, fills)]
    return starts, order


@compiled
def _order_entries(first, last, keys, bits, fill, order):
    shift = np.uint64(64 - bits)
    for entry in range(first, last):
        part = np.int64(keys[entry] >> shift)
        order[fill[part]] = entry
        fill[part] += 1


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
def _join_parts(first, last, keys, bits, starts, before, numbers, distinct, joined):
    """Turn the numbers within parts into numbers of the whole, and move the distinct keys together."""
    shift = np.uint64(64 - bits)
    number = len(before) - 1
    for part in range(number * first // len(keys), number * last // len(keys)):  # each part once, by some thread
        begin, size = starts[part], before[part + 1] - before[part]
        joined[before[part] : before[part + 1]] = distinct[begin : begin + size]
    for entry in range(first, last):
        numbers[entry] += before[np.int64(keys[entry] >> shift)]


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
        if entry + AHEAD < len(keys):
            slot = np.int64(keys[entry + AHEAD] >> shift)
            prefetch(slots, slot)
            prefetch(codes, slot)
        key = keys[entry]
        slot = np.int64(key >> shift)
        while codes[slot] >= 0 and slots[slot] != key:
            slot = (slot + 1) & mask
        numbers[entry] = codes[slot]


@compiled
def _look_up_in_order(first, last, order, keys, slots, codes, shift, numbers):
    mask, shift = len(slots) - 1, np.uint64(shift)
    for index in range(first, last):
        key = keys[order[index]]
        slot = np.int64(key >> shift)
        while codes[slot] >= 0 and slots[slot] != key:
            slot = (slot + 1) & mask
        numbers[order[index]] = codes[slot]


def number_keys(keys: Keys, n_jobs: int | None = None) -> tuple[SmallInts, Keys]:
    """Return a number for every distinct key, from 0 up, and the distinct keys in the order of their numbers.

    >>> numbers, distinct = number_keys(np.array([7, 9, 7], dtype=np.uint64))
    >>> numbers.tolist(), distinct.tolist()
    ([0, 1, 0], [7, 9])
    """
    (shares,) = count_shares([len(keys)], n_jobs)
    return run_together([take_numbers(keys, shares)], n_jobs)[0]


def take_numbers(keys: Keys, shares: int) -> Steps[tuple[SmallInts, Keys]]:
    """Number keys in steps of so many calls.

    >>> run_together([take_numbers(np.array([7, 9, 7], dtype=np.uint64), 1)])[0][0].tolist()
    [0, 1, 0]
    """
    check_entries(len(keys))
    bits = max(1, len(keys).bit_length() - 14)  # parts of about 10,000 keys; a shift by all 64 bits is undefined
    starts, order = yield from partition_keys(keys, bits, shares)
    parts = len(starts) - 1
    numbers = np.empty(len(keys), np.int32)
    distinct = np.empty(len(keys), np.uint64)
    sizes = np.zeros(parts, np.int64)
    arrays = (keys, starts, order, numbers, distinct, sizes)
    yield [(_number_parts, *span, *arrays) for span in split_shares(parts, shares)]
    before = offsets_of(sizes)
    joined = np.empty(before[-1], np.uint64)
    blocks = split_shares(len(keys), shares)
    yield [(_join_parts, *block, keys, bits, starts, before, numbers, distinct, joined) for block in blocks]
    return numbers, joined


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


def look_up(keys: Keys, index: KeyIndex, n_jobs: int | None = None) -> SmallInts:
    """Return the numbers of keys; -1 for a key that has none."""
    numbers = np.empty(len(keys), np.int32)
    if len(keys) < FEW_KEYS or len(index.slots) <= SMALL_TABLE:
        _look_up(keys, index.slots, index.codes, index.shift, numbers)
    else:  # many keys: one part of the table after the other, so that each part stays in cache
        (shares,) = count_shares([len(keys)], n_jobs)
        ((_, order),) = run_together([partition_keys(keys, 8, shares)], n_jobs)
        blocks = split_shares(len(keys), shares)
        arrays = (order, keys, index.slots, index.codes, index.shift, numbers)
        run_in_threads(_look_up_in_order, [(*block, *arrays) for block in blocks], n_jobs)
    return numbers
