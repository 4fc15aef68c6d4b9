"""Sparse rows over 64-bit keys, before the keys have numbers."""

from typing import NamedTuple

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import size_table
from rekern.core.key_index import index_keys, look_up

Array = np.ndarray


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
        return sum_rows(self.indptr, np.where(found >= 0, self.values * other.values[found], 0.0))

    def squared_norms(self) -> Array:
        """The inner product of every row with itself."""
        return sum_rows(self.indptr, self.values**2)


def stack_rows(blocks: list[KeyRows]) -> KeyRows:
    """Stack blocks of rows, one below the other."""
    if len(blocks) == 1:
        return blocks[0]
    starts = np.cumsum([0] + [len(block.keys) for block in blocks])
    indptr = np.concatenate([block.indptr[bool(i) :] + starts[i] for i, block in enumerate(blocks)])
    keys = np.concatenate([block.keys for block in blocks])
    return KeyRows(indptr, keys, np.concatenate([block.values for block in blocks]))


@compiled
def sum_rows(indptr, values):
    """Sum the values of each row."""
    sums = np.zeros(len(indptr) - 1)
    for row in range(len(sums)):
        for entry in range(indptr[row], indptr[row + 1]):
            sums[row] += values[entry]
    return sums


@compiled
def merge_equal(keys, values, count, table):
    """Add up the values of equal keys among the first ``count``, in place; returns how many are left, and the table.

    ``table`` is scratch space, enlarged when needed and handed back for the next call; -1 marks an empty slot.
    """
    bits = size_table(count)
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
    bits = size_table(count)
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
