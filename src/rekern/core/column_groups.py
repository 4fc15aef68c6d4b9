"""Rows over keys that are too many for memory, reduced to groups of equal columns, block by block.

A key that only one row has changes only the norm of that row. Several keys that the same rows have with the same values
become one, times the root of their number. What is left has the same products, and is far smaller.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints, Keys, SmallFloats, SmallInts, offsets_of
from rekern.core.column_groups_core import (
    GROUP,
    KEY,
    NO_KEY,
    count_slots,
    join_columns,
    note_keys,
    rank_columns,
    sift_rows,
    sign_rows,
)
from rekern.core.key_index import number_keys
from rekern.core.parallel_jobs import run_in_threads, split_range

SLOTS_PER_ENTRY = 8  # in which entries are counted, so that few keys share a slot
FEWEST_SLOT_BITS = 18
BYTES_PER_SLOT = 40  # of the table, while equal keys are looked for
ROOM = 0.8  # of the slots of the table
ROWS_TOGETHER = 512
SPARE_BITS = 22


class SparseRows(NamedTuple):
    """Rows of 32-bit values over keys, each key once in a row."""

    indptr: Ints
    keys: Keys
    values: SmallFloats


class SiftedRows(NamedTuple):
    """Rows over the keys that several rows have, and for each row the sum of the squares of its other keys."""

    lengths: Ints
    keys: Keys
    values: SmallFloats
    own: Floats


class PlacedRows(NamedTuple):
    """Rows over the slots of a table of keys, and for each row the sum of the squares of what is in no slot."""

    lengths: Ints
    slots: SmallInts
    values: SmallFloats
    own: Floats


class GroupedRows(NamedTuple):
    """Rows over the columns of groups, and for each row the sum of the squares of what is in no column."""

    indptr: Ints
    columns: SmallInts
    values: SmallFloats
    own: Floats


class ColumnGroups:
    """Finds the groups of equal columns of many rows; every block of rows is shown twice.

    First all blocks to `note`, then all to `sift`, which leaves out the keys of a single row, and then to `sign`. What
    `sign` returns is far smaller; after `number` it is given to `condense`, in the same order.
    ``entries`` is about how many entries all rows have, ``memory`` how many bytes may be used. If there are more shared
    keys than fit, the others are hashed into further columns, with signs, so that their products are right on average
    only. The result does not depend on the number of threads.

    >>> keys = np.array([7 << 60, 8 << 60, 9 << 60, 7 << 60, 8 << 60], dtype=np.uint64)
    >>> rows = SparseRows(np.array([0, 3, 5]), keys, np.array([2, 2, 1, 3, 3], dtype=np.float32))
    >>> groups = ColumnGroups(5, 10**8)
    >>> groups.note(rows.keys)
    >>> placed = groups.sign(0, groups.sift(rows))
    >>> groups.number()
    1
    >>> found = groups.condense(placed)
    >>> found.columns.tolist(), (found.values**2).round(3).tolist(), found.own.tolist()
    ([0, 0], [8.0, 18.0], [1.0, 0.0])
    """

    def __init__(self, entries: int, memory: int, n_jobs: int | None = None):
        most = (memory // 8 * 4).bit_length() - 1  # an eighth of it, in slots of two bits
        bits = max(FEWEST_SLOT_BITS, min((SLOTS_PER_ENTRY * entries).bit_length(), most))
        self.shift, self.seen = np.uint64(64 - bits), np.zeros(1 << (bits - 2), np.uint8)
        self.most, self.n_jobs = memory // 2 // BYTES_PER_SLOT, n_jobs
        self.slots, self.filled, self.groups = np.zeros((0, 2), np.uint64), 0, 0
        self.group_of = np.zeros(0, np.int32)
        self.ranks, self.used = np.zeros(0, np.int32), 0

    def note(self, keys: Keys) -> None:
        """Count the keys of a block, as far as once and more often."""
        note_keys(keys, self.seen, self.shift)

    def sift(self, rows: SparseRows) -> SiftedRows:
        """Return what is left of a block without the keys that were noted once; several threads may call it."""
        values = rows.values + np.float32(0)  # -0.0 is 0.0
        return SiftedRows(*sift_rows(rows.indptr, rows.keys, values, self.seen, self.shift))

    def sign(self, first_row: int, rows: SiftedRows) -> PlacedRows:
        """Note which rows have which keys with which values; ``first_row`` is the number of the first row."""
        if not len(self.slots):
            self._make_table()
        entries = (rows.lengths, rows.keys, rows.values, rows.values.view(np.uint32))
        self.filled, places, kept, _ = sign_rows(
            first_row, *entries, self.slots, self.filled, self._count_room(), SPARE_BITS
        )
        return PlacedRows(rows.lengths, places, kept, rows.own)

    def number(self) -> int:
        """Number the groups of equal keys; return how many columns there are at most. Keys are forgotten."""
        if not len(self.slots):
            self._make_table()
        used = np.flatnonzero(self.slots[:, KEY] != NO_KEY)
        numbers, distinct = number_keys(self.slots[used, GROUP], self.n_jobs)
        self.group_of = np.full(len(self.slots), -1, np.int32)
        self.group_of[used] = numbers
        self.groups = len(distinct)
        columns = self.groups + (1 << SPARE_BITS if self.filled >= self._count_room() else 0)
        self.ranks = np.full(columns, -1, np.int32)
        self.slots, self.seen = np.zeros((0, 2), np.uint64), np.zeros(0, np.uint8)
        return columns

    def condense(self, rows: PlacedRows) -> GroupedRows:
        """Return a block over the columns of groups; columns are numbered in the order of the blocks."""
        spans, indptr = split_range(len(rows.lengths), ROWS_TOGETHER), offsets_of(rows.lengths)
        arrays = (indptr, rows.slots, rows.values, self.group_of, self.groups)
        parts = run_in_threads(join_columns, [(*span, *arrays) for span in spans], self.n_jobs)
        lengths, columns, values = (np.concatenate([part[place] for part in parts]) for place in range(3))
        # What is frequent comes early, so that the weights that are needed often are near each other.
        self.used = rank_columns(columns, self.ranks, self.used)
        return GroupedRows(offsets_of(lengths), columns, values, rows.own)

    def _count_room(self) -> int:
        return int(ROOM * len(self.slots))

    def _make_table(self) -> None:
        """Make room for the keys that were noted twice, as far as memory allows."""
        slots, (once, more) = 4 * len(self.seen), count_slots(self.seen)
        distinct = -slots * np.log1p(-min((once + more) / slots, 0.99))  # keys, some of which share a slot
        expected = max(distinct - once, more)
        self.slots = np.zeros((max(int(min(1.05 * expected / ROOM, self.most)), 1 << 10), 2), np.uint64)
