"""Sparse rows over 64-bit keys, before the keys have numbers."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from typing import NamedTuple

import numpy as np

from rekern.core.array_core import find_longest
from rekern.core.arrays import Floats, Ints, Keys, offsets_of, slice_ragged
from rekern.core.compiling import compiled
from rekern.core.hashing import size_table
from rekern.core.key_index import index_keys, look_up


class KeyRows(NamedTuple):
    """Sparse rows over keys: row i holds ``keys[indptr[i]:indptr[i + 1]]``, each key once, with its value."""

    indptr: Ints
    keys: Keys
    values: Floats

    def slice_rows(self, first: int, last: int) -> "KeyRows":
        """Return rows ``first`` to ``last - 1``, without a copy."""
        entries, indptr = slice_ragged(self.indptr, first, last)
        return KeyRows(indptr, self.keys[entries], self.values[entries])

    def take(self, rows: Ints) -> "KeyRows":
        """Return these rows, in this order."""
        rows = np.asarray(rows, dtype=np.int64)
        offsets = offsets_of(self.indptr[rows + 1] - self.indptr[rows])
        taken = KeyRows(offsets, np.empty(offsets[-1], np.uint64), np.empty(offsets[-1]))
        _copy_rows(*self, rows, *taken)
        return taken

    def multiply_row(self, other: "KeyRows") -> Floats:
        """Return the inner product of every row with the one row of another matrix."""
        if not len(other.keys):
            return np.zeros(len(self.indptr) - 1)
        found = look_up(self.keys, index_keys(other.keys))
        products: Floats = sum_rows(self.indptr, np.where(found >= 0, self.values * other.values[found], 0.0))
        return products

    def sum_squares(self) -> Floats:
        """Return the inner product of every row with itself."""
        squares: Floats = _sum_squares(self.indptr, self.values)
        return squares


def stack_rows(blocks: list[KeyRows]) -> KeyRows:
    """Stack blocks of rows, one below the other."""
    if len(blocks) == 1:
        return blocks[0]
    starts = offsets_of([len(block.keys) for block in blocks])
    return KeyRows(
        np.concatenate([block.indptr[bool(i) :] + starts[i] for i, block in enumerate(blocks)]),
        np.concatenate([block.keys for block in blocks]),
        np.concatenate([block.values for block in blocks]),
    )


@compiled
def _copy_rows(indptr, keys, values, rows, offsets, new_keys, new_values):
    """Copy rows; indexing with the places of all entries would take three times as long."""
    for index in range(len(rows)):
        first = indptr[rows[index]] - offsets[index]
        for place in range(offsets[index], offsets[index + 1]):
            new_keys[place] = keys[first + place]
            new_values[place] = values[first + place]


@compiled
def sum_rows(indptr, values):
    """Sum the values of each row."""
    sums = np.zeros(len(indptr) - 1)
    for row in range(len(sums)):
        for entry in range(indptr[row], indptr[row + 1]):
            sums[row] += values[entry]
    return sums


@compiled
def _sum_squares(indptr, values):
    sums = np.zeros(len(indptr) - 1)
    for row in range(len(sums)):
        for entry in range(indptr[row], indptr[row + 1]):
            sums[row] += values[entry] * values[entry]
    return sums


@compiled
def merge_equal(keys, values, count, table):
    """Add up the values of equal keys among the first ``count``, in place; return how many are left, and the table.

    ``table`` is scratch space. It is enlarged when needed and returned for the next call; -1 marks an empty slot.
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
    """Drop entries whose position occurred before: a rule that fits in two ways still matches once."""
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


@compiled
def fold_keys(indptr, keys, values, columns):
    """Take keys modulo a number of columns; values that meet in a column of a row are added up."""
    numbers = np.empty(len(keys), np.int32)
    folded = np.empty(len(keys), np.float64)
    pointers = np.zeros(len(indptr), np.int64)
    bits = size_table(find_longest(indptr))
    mask = (1 << bits) - 1
    table = np.full(1 << bits, -1, np.int64)  # of places in the result: those of earlier rows count as empty
    at = 0
    for row in range(len(indptr) - 1):
        begin = at
        for entry in range(indptr[row], indptr[row + 1]):
            number = np.int64(keys[entry] % np.uint64(columns))
            slot = number & mask
            while table[slot] >= begin and numbers[table[slot]] != number:
                slot = (slot + 1) & mask
            if table[slot] >= begin:
                folded[table[slot]] += values[entry]
            else:
                table[slot] = at
                numbers[at] = number
                folded[at] = values[entry]
                at += 1
        pointers[row + 1] = at
    return numbers[:at], folded[:at], pointers


@compiled
def keep_known(numbers, values, indptr):
    """Keep the entries with a number of at least 0: columns, values, row pointers."""
    kept = 0
    for number in numbers:
        kept += number >= 0
    new_numbers = np.empty(kept, np.int32)
    new_values = np.empty(kept, np.float64)
    pointers = np.zeros(len(indptr), np.int64)
    at = 0
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            if numbers[entry] >= 0:
                new_numbers[at] = numbers[entry]
                new_values[at] = values[entry]
                at += 1
        pointers[row + 1] = at
    return new_numbers, new_values, pointers


@compiled
def note_first_rows(first, numbers, indptr, rows):
    """For every number that has no row yet, note the first of these rows that holds it."""
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            if numbers[entry] >= 0 and first[numbers[entry]] < 0:
                first[numbers[entry]] = rows[row]
