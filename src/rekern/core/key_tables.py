"""Features as 64-bit keys: rows of keys with values, and the table that numbers distinct keys.

A feature (a re-writing rule, a k-gram) is known by a fingerprint that depends on its text alone, so blocks of a
corpus can be extracted by different threads, processes or machines and still agree. Fingerprints are sums, modulo
2**64, of token fingerprints times odd constants, passed through a mixing function. Two of n different features
share a key with probability of about n**2 / 2**65: 3 in a million for ten million rules.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.jobs import local, spans

Array = np.ndarray
FEW_KEYS = 1 << 20  # up to here one thread is done before others have started


class KeyRows(NamedTuple):
    """Sparse rows over keys: row i holds ``keys[indptr[i]:indptr[i + 1]]``, each key once, with its value."""

    indptr: Array
    keys: Array
    values: Array

    def part(self, first: int, last: int) -> "KeyRows":
        """Rows ``first`` … ``last``, without a copy."""
        begin, end = self.indptr[first], self.indptr[last]
        return KeyRows(self.indptr[first : last + 1] - begin, self.keys[begin:end], self.values[begin:end])

    def take(self, rows: Array) -> "KeyRows":
        """These rows, in this order."""
        lengths = np.diff(self.indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        place = np.repeat(self.indptr[:-1][rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
        return KeyRows(indptr, self.keys[place], self.values[place])

    def products(self, other: "KeyRows") -> Array:
        """The inner product of every row with the one row of another matrix."""
        if not len(other.keys):
            return np.zeros(len(self.indptr) - 1)
        found = look_up(self.keys, index_keys(other.keys))
        return row_sums(self.indptr, np.where(found >= 0, self.values * other.values[found], 0.0))

    def squared_norms(self) -> Array:
        """The inner product of every row with itself."""
        return row_sums(self.indptr, self.values**2)


class KeyIndex(NamedTuple):
    """Numbers for distinct keys, by open addressing; the home slot of a key is given by its top bits."""

    slots: Array  # the key in each slot
    codes: Array  # its number, -1 for an empty slot
    shift: int  # 64 - log2(number of slots)
    size: int  # how many keys are numbered


def concatenate(blocks: list[KeyRows]) -> KeyRows:
    """Blocks of rows, one below the other."""
    if len(blocks) == 1:
        return blocks[0]
    starts = np.cumsum([0] + [len(block.keys) for block in blocks])
    indptr = np.concatenate([block.indptr[bool(i) :] + starts[i] for i, block in enumerate(blocks)])
    keys = np.concatenate([block.keys for block in blocks])
    return KeyRows(indptr, keys, np.concatenate([block.values for block in blocks]))


@lru_cache(maxsize=256)
def constants(seed: int, *shape: int) -> Array:
    """Odd pseudo-random 64-bit constants, the same in every process.

    >>> constants(1, 2).tolist() == constants(1, 3).tolist()[:2]
    True
    """
    numbers = np.arange(1, int(np.prod(shape)) + 1, dtype=np.uint64) + (np.uint64(seed) << np.uint64(32))
    return (mix_array(numbers * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)).reshape(shape)


def mix_array(keys: Array) -> Array:
    """`mix` of every element of an array."""
    keys = (keys ^ (keys >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    keys = (keys ^ (keys >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return keys ^ (keys >> np.uint64(32))


@compiled
def mix(key):
    """Spread a sum of constants over all 64 bits (a bijection, so it makes no collisions)."""
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return key ^ (key >> np.uint64(32))


@compiled
def row_sums(indptr, values):
    """The sum of each row's values."""
    sums = np.zeros(len(indptr) - 1)
    for row in range(len(sums)):
        for entry in range(indptr[row], indptr[row + 1]):
            sums[row] += values[entry]
    return sums


@compiled
def slots_for(count):
    """The number of bits of a table with room for so many keys at half load."""
    bits = 4
    while (1 << bits) < 2 * count:
        bits += 1
    return bits


@compiled
def merge_equal(keys, values, count, table):
    """Add up the values of equal keys among the first ``count``, in place; returns how many are left, and the table.

    ``table`` is scratch space, enlarged when needed and handed back for the next call; -1 marks an empty slot.
    """
    bits = slots_for(count)
    if len(table) < (1 << bits):
        table = np.empty(1 << bits, np.int32)
    mask = (1 << bits) - 1
    table[: mask + 1] = -1
    shift = np.uint64(64 - bits)
    kept = 0
    for entry in range(count):
        key = keys[entry]
        slot = np.int64(key >> shift)
        while table[slot] >= 0 and keys[table[slot]] != key:
            slot = (slot + 1) & mask
        if table[slot] < 0:
            table[slot] = kept
            keys[kept] = key
            values[kept] = values[entry]
            kept += 1
        else:
            values[table[slot]] += values[entry]
    return kept, table


@compiled
def keep_first(positions, keys, values, count, table):
    """Drop later entries with a position that came before: a rule that fits in two ways still matches once."""
    bits = slots_for(count)
    if len(table) < (1 << bits):
        table = np.empty(1 << bits, np.int32)
    mask = (1 << bits) - 1
    table[: mask + 1] = -1
    kept = 0
    for entry in range(count):
        slot = np.int64(positions[entry] >> np.uint64(64 - bits))
        while table[slot] >= 0 and positions[table[slot]] != positions[entry]:
            slot = (slot + 1) & mask
        if table[slot] < 0:
            table[slot] = kept
            positions[kept] = positions[entry]
            keys[kept] = keys[entry]
            values[kept] = values[entry]
            kept += 1
    return kept, table


@compiled
def _partition(keys, bits):
    """Where each part of the keys begins, parted by their top bits, and the entries part by part, in order."""
    shift = np.uint64(64 - bits)
    starts = np.zeros((1 << bits) + 1, np.int64)
    for entry in range(len(keys)):
        starts[np.int64(keys[entry] >> shift) + 1] += 1
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
    largest = 0
    for part in range(first, last):
        largest = max(largest, starts[part + 1] - starts[part])
    table = np.empty(1 << slots_for(largest), np.int32)
    for part in range(first, last):
        begin, end = starts[part], starts[part + 1]
        bits = slots_for(end - begin)
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
    """Make the numbers of parts into numbers of the whole, and close up the distinct keys."""
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


def number_keys(keys: Array, n_jobs: int | None = None) -> tuple[Array, Array]:
    """A number for every distinct key, from 0 up, and the distinct keys in the order of their numbers.

    >>> numbers, distinct = number_keys(np.array([7, 9, 7], dtype=np.uint64))
    >>> numbers.tolist(), distinct.tolist()
    ([0, 1, 0], [7, 9])
    """
    if len(keys) >= 1 << 31:
        raise ValueError(f"{len(keys):,} features are too many for one matrix; use a smaller k or fewer pairs")
    bits = max(1, len(keys).bit_length() - 14)  # parts of about 10,000 keys; a shift by all 64 bits is undefined
    starts, order = _partition(keys, bits)
    parts = len(starts) - 1
    numbers = np.empty(len(keys), np.int32)
    distinct = np.empty(len(keys), np.uint64)
    sizes = np.zeros(parts, np.int64)
    if len(keys) < FEW_KEYS:
        n_jobs = 1
    arrays = (keys, starts, order, numbers, distinct, sizes)
    local(_number_parts, [(*span, *arrays) for span in spans(parts, max(1, parts // 16))], n_jobs)
    before = np.concatenate([[0], np.cumsum(sizes)])
    joined = np.empty(before[-1], np.uint64)
    blocks = spans(len(keys), max(1, len(keys) // 8))
    local(_join_parts, [(*block, keys, bits, starts, before, numbers, distinct, joined) for block in blocks], n_jobs)
    return numbers, joined


def index_keys(distinct: Array) -> KeyIndex:
    """The table that finds the number of a key again.

    >>> index = index_keys(np.array([7, 9], dtype=np.uint64))
    >>> look_up(np.array([9, 8], dtype=np.uint64), index)
    array([ 1, -1], dtype=int32)
    """
    bits = int(slots_for(len(distinct)))
    index = KeyIndex(np.empty(1 << bits, np.uint64), np.full(1 << bits, -1, np.int32), 64 - bits, len(distinct))
    _fill_index(distinct, index.slots, index.codes, index.shift)
    return index


def look_up(keys: Array, index: KeyIndex, n_jobs: int | None = None) -> Array:
    """The numbers of keys; -1 for a key that has none."""
    numbers = np.empty(len(keys), np.int32)
    if len(keys) < FEW_KEYS:
        _look_up(keys, index.slots, index.codes, index.shift, numbers)
    else:  # many keys: piece by piece of the table, so that each piece stays in cache
        order = _partition(keys, 8)[1]
        blocks = spans(len(keys), max(1, len(keys) // 8))
        arrays = (order, keys, index.slots, index.codes, index.shift, numbers)
        local(_look_up_in_order, [(*block, *arrays) for block in blocks], n_jobs)
    return numbers
