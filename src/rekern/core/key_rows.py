"""Sparse rows over 64-bit keys, before the keys have numbers."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.array_core import find_longest
from rekern.core.arrays import Floats, Ints, Keys, SmallInts, offsets_of, slice_ragged
from rekern.core.compiling import compiled
from rekern.core.hashing import size_table
from rekern.core.key_index import index_keys, lay_out_parts, look_up
from rekern.core.parallel_steps import Steps, run_together, split_shares


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
        return KeyRows(*_take_rows(self.indptr, self.keys, self.values, np.asarray(rows, dtype=np.int64)))

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
    return run_together([join_rows(blocks, 1)])[0]


def join_rows(blocks: list[KeyRows], shares: int, release: bool = False) -> Steps[KeyRows]:
    """Stack blocks of rows in a step of so many calls; with ``release`` the list keeps no block that is copied.

    >>> rows = KeyRows(np.array([0, 1]), np.array([7], dtype=np.uint64), np.ones(1))
    >>> run_together([join_rows([rows, rows], 2)])[0].keys.tolist()
    [7, 7]
    """
    if len(blocks) == 1:
        return blocks[0]
    starts = offsets_of([len(block.keys) for block in blocks])
    nothing = KeyRows(np.zeros(1, np.int64), np.empty(0, np.uint64), np.empty(0))
    indptr = np.concatenate([block.indptr[bool(i) :] + starts[i] for i, block in enumerate(blocks)])
    keys, values = np.empty(starts[-1], np.uint64), np.empty(starts[-1])

    def copy(first: int, last: int) -> None:
        for place in range(first, last):
            keys[starts[place] : starts[place + 1]] = blocks[place].keys
            values[starts[place] : starts[place + 1]] = blocks[place].values
            if release:
                blocks[place] = nothing

    yield [(copy, *span) for span in split_shares(len(blocks), shares)]
    return KeyRows(indptr, keys, values)


class DividedEntries(NamedTuple):
    """The entries of rows, divided into parts by the top bits of their keys; within a part the rows ascend."""

    starts: Ints  # where each part begins
    keys: Keys
    rows: SmallInts
    values: Floats


def divide_blocks(blocks: Sequence[KeyRows], bits: int, shares: int = 1) -> Steps[DividedEntries]:
    """Divide the entries of blocks of rows, one below the other, into parts by the first bits of their keys.

    >>> rows = KeyRows(np.array([0, 2, 3]), np.array([2**63, 5, 7], dtype=np.uint64), np.ones(3))
    >>> run_together([divide_blocks([rows, rows], 1)])[0].rows.tolist()
    [0, 1, 2, 3, 0, 2]
    """
    spans = split_shares(len(blocks), shares)
    keys = [[block.keys for block in blocks[begin:end]] for begin, end in spans]
    starts, fills = yield from lay_out_parts(keys, bits)
    size = int(starts[-1])
    divided = DividedEntries(starts, np.empty(size, np.uint64), np.empty(size, np.int32), np.empty(size))
    firsts = offsets_of([len(block.indptr) - 1 for block in blocks])
    yield [
        (_divide_span, blocks[begin:end], firsts[begin:end], bits, own, divided)
        for (begin, end), own in zip(spans, fills)
    ]
    return divided


def _divide_span(blocks: Sequence[KeyRows], firsts: Ints, bits: int, fill: Ints, divided: DividedEntries) -> None:
    for block, first in zip(blocks, firsts.tolist()):
        _divide_entries(first, *block, bits, fill, *divided[1:])


@compiled
def _divide_entries(first, indptr, keys, values, bits, fill, new_keys, rows, new_values):
    """Write the entries of a block, whose first row is ``first``, to their parts, and -0.0 as 0.0."""
    shift = np.uint64(64 - bits)
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            part = np.int64(keys[entry] >> shift)
            at = fill[part]
            fill[part] = at + 1
            new_keys[at] = keys[entry]
            rows[at] = first + row
            new_values[at] = values[entry] + 0.0


@compiled
def _take_rows(indptr, keys, values, rows):
    """Copy rows; indexing with the places of all entries would take three times as long."""
    offsets = np.zeros(len(rows) + 1, np.int64)
    for index in range(len(rows)):
        offsets[index + 1] = offsets[index] + indptr[rows[index] + 1] - indptr[rows[index]]
    new_keys, new_values = np.empty(offsets[-1], np.uint64), np.empty(offsets[-1])
    for index in range(len(rows)):
        first, last = indptr[rows[index]], indptr[rows[index] + 1]
        new_keys[offsets[index] : offsets[index + 1]] = keys[first:last]
        new_values[offsets[index] : offsets[index + 1]] = values[first:last]
    return offsets, new_keys, new_values


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
