"""Gram matrices of sparse rows by inverted lists. An inverted list has the rows that contain a key.

A row of the Gram is added up in a dense accumulator that fits into the cache. Keys that more than a quarter of the
rows have are multiplied as dense matrices instead. The products of a block are always added in the same order, so the
result has the same bits for any number of jobs.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints, SmallInts
from rekern.core.compiling import compiled
from rekern.core.key_index import index_keys, look_up, number_keys
from rekern.core.key_rows import KeyRows

FREQUENT = 1 / 4  # of the rows: a key that more of them have is multiplied in dense columns, which is faster
FEWEST_ROWS = 64  # that have a frequent key
FEWEST_KEYS = 4  # in dense columns: the product of fewer takes longer than their lists


class InvertedLists(NamedTuple):
    """Inverted lists of the right rows, and the position of the list of each entry of the left rows.

    Entry e of a left row is multiplied with the rows ``rows[begin[e]:end[e]]``, which have these ``weights``. In a
    symmetric Gram the list of an entry begins after the entry itself, so that only the rows below are computed.
    """

    indptr: Ints
    values: Floats
    begin: SmallInts
    end: SmallInts
    rows: SmallInts
    weights: Floats
    dense: Floats  # the left rows' values of frequent keys, which have no lists
    other_dense: Floats  # those of the right rows, a row for each key

    @property
    def width(self) -> int:
        """Return the number of right rows."""
        return len(self.other_dense.T)


@compiled
def invert_numbers(indptr, numbers, size):
    """Return for each key number the rows that contain it, in ascending order, and their entries."""
    offsets = np.zeros(size + 1, np.int64)
    for number in numbers:
        offsets[number + 1] += 1
    for number in range(size):
        offsets[number + 1] += offsets[number]
    fill = offsets[:-1].copy()
    rows = np.empty(len(numbers), np.int32)
    entries = np.empty(len(numbers), np.int64)
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            at = fill[numbers[entry]]
            rows[at] = row
            entries[at] = entry
            fill[numbers[entry]] += 1
    return offsets, rows, entries


@compiled
def _list_rows_below(indptr, numbers, values, counts):
    """Return the lists of a symmetric Gram: an entry is multiplied with the entries after it in the list of its key.

    Keys that only one row has, which are most of them, are left out, and so is the last row of each list.
    """
    size = len(counts)
    fill = counts.copy()
    length, kept = 0, 0
    stop = np.empty(size, np.int32)
    for number in range(size):
        count = fill[number]
        if count > 1:
            fill[number] = length
            length += count
            kept += count - 1
            stop[number] = length
        else:
            stop[number] = -1
    rows = np.empty(length, np.int32)
    weights = np.empty(length, np.float64)
    pointers = np.zeros(len(indptr), np.int64)
    left = np.empty(kept, np.float64)
    begin = np.empty(kept, np.int32)
    end = np.empty(kept, np.int32)
    met = 0
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            number = numbers[entry]
            last = stop[number]
            if last < 0:
                continue
            at = fill[number]
            fill[number] = at + 1
            rows[at] = row
            weights[at] = values[entry]
            if at + 1 < last:
                left[met] = values[entry]
                begin[met] = at + 1
                end[met] = last
                met += 1
        pointers[row + 1] = met
    return pointers, left, begin, end, rows, weights


@compiled
def _list_other_rows(indptr, found, values, offsets, rows, entries, other_values):
    """Return the lists of a Gram of two corpora: an entry is multiplied with all entries in the list of its key."""
    weights = np.empty(len(entries), np.float64)
    for at in range(len(entries)):
        weights[at] = other_values[entries[at]]
    kept = 0
    for entry in range(len(found)):
        kept += found[entry] >= 0
    pointers = np.zeros(len(indptr), np.int64)
    left = np.empty(kept, np.float64)
    begin = np.empty(kept, np.int32)
    end = np.empty(kept, np.int32)
    fill = 0
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            if found[entry] >= 0:
                left[fill] = values[entry]
                begin[fill] = offsets[found[entry]]
                end[fill] = offsets[found[entry] + 1]
                fill += 1
        pointers[row + 1] = fill
    return pointers, left, begin, end, rows, weights


def invert_rows(left: KeyRows, right: KeyRows | None = None, n_jobs: int | None = 1) -> InvertedLists:
    """Return inverted lists for the Gram of left rows against right rows, or of the left rows with themselves.

    >>> rows = KeyRows(np.array([0, 1, 2]), np.array([7, 7], dtype=np.uint64), np.array([2.0, 3.0]))
    >>> ListBlock(invert_rows(rows), rows.sum_squares())(0, 2)
    array([[4., 6.],
           [0., 9.]])
    """
    base = left if right is None else right
    numbers, distinct = number_keys(base.keys, n_jobs)
    counts = np.bincount(numbers, minlength=len(distinct))
    frequent = np.flatnonzero(counts > max(FEWEST_ROWS, (len(base.indptr) - 1) * FREQUENT))
    if len(frequent) < FEWEST_KEYS:
        frequent = frequent[:0]
    dense = other_dense = _spread_values(base, numbers, frequent, len(distinct))
    if right is None:
        counts[frequent] = 0
        lists = _list_rows_below(base.indptr, numbers, base.values, counts)
    else:
        offsets, rows, entries = invert_numbers(base.indptr, numbers, len(distinct))
        found = look_up(left.keys, index_keys(distinct), n_jobs)
        dense = _spread_values(left, found, frequent, len(distinct))
        found[np.isin(found, frequent)] = -1
        lists = _list_other_rows(left.indptr, found, left.values, offsets, rows, entries, right.values)
    indptr, values, begin, end, rows, weights = lists
    return InvertedLists(indptr, values, begin, end, rows, weights, dense, np.ascontiguousarray(other_dense.T))


def _spread_values(rows: KeyRows, numbers: SmallInts, chosen: Ints, size: int) -> Floats:
    """Return the values of the chosen keys as a dense matrix; ``numbers`` are those of the rows' keys, of ``size``."""
    dense = np.zeros((len(rows.indptr) - 1, len(chosen)))
    if len(chosen):
        columns = np.full(size + 1, -1)  # the last is for keys without a number, which is -1
        columns[chosen] = np.arange(len(chosen))
        entries = np.flatnonzero(columns[numbers] >= 0)
        dense[np.searchsorted(rows.indptr, entries, "right") - 1, columns[numbers[entries]]] = rows.values[entries]
    return dense


@compiled
def _add_products(block, first, offset, indptr, values, begin, end, rows, weights):
    for index in range(block.shape[0]):
        for entry in range(indptr[first + index], indptr[first + index + 1]):
            value = values[entry]
            for at in range(begin[entry], end[entry]):
                block[index, rows[at] - offset] += value * weights[at]


def multiply_lists(lists: InvertedLists, first: int, last: int, offset: int = 0) -> Floats:
    """Return rows ``first`` to ``last - 1`` of a Gram, from column ``offset`` on."""
    if lists.dense.shape[1]:
        block = lists.dense[first:last] @ lists.other_dense[:, offset:]
    else:
        block = np.zeros((last - first, lists.width - offset))
    _add_products(block, first, offset, *lists[:-2])
    return block


@dataclass(frozen=True)
class ListBlock:
    """A function that computes the rows ``first`` to ``last - 1`` of a Gram from inverted lists."""

    lists: InvertedLists
    diagonal: Floats | None  # the diagonal of a symmetric Gram, whose lists have only the rows below
    whole: bool = False  # whether the exact values are whole numbers, so that rounding errors are removed

    def __call__(self, first: int, last: int) -> Floats:
        block = multiply_lists(self.lists, first, last, 0 if self.diagonal is None else first)
        if self.whole:
            np.rint(block, out=block)
        if self.diagonal is not None:
            np.fill_diagonal(block, self.diagonal[first:last])
        return block
