"""Gram matrices of sparse rows by inverted lists. An inverted list has the rows that contain a key.

A row of the Gram is added up in a dense accumulator that fits into the cache. The products are always added in the
order of the row's own keys, so the result has the same bits for any division into blocks and any number of jobs.

Keys that many rows have make most of the products. If all values are whole numbers, whose sums are exact in 32 bits and
in any order, these keys become the columns of a dense matrix, which is multiplied several columns at a time.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints, SmallFloats, SmallInts
from rekern.core.compiling import compiled
from rekern.core.key_index import index_keys, look_up, number_keys, place_counts
from rekern.core.key_rows import KeyRows
from rekern.core.parallel_jobs import count_shares
from rekern.core.parallel_steps import Steps, run_together
from rekern.core.shared_keys import SharedKeys, share_blocks

FREQUENT = 8  # a key is frequent if more than one in so many rows has it
FEW_ROWS = 64  # and if more than this many have it
LARGEST_WHOLE = 1 << 24  # up to here sums of whole numbers are exact in 32 bits


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
    width: int


class FrequentKeys(NamedTuple):
    """The values of frequent keys in a symmetric Gram, a column for each row and a row for each key; maybe none."""

    by_key: SmallFloats
    by_row: SmallFloats


NO_KEYS = FrequentKeys(np.zeros((0, 0), np.float32), np.zeros((0, 0), np.float32))


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


def invert_rows(left: KeyRows, right: KeyRows | None = None, n_jobs: int | None = None) -> InvertedLists:
    """Return inverted lists for the Gram of left rows against right rows, or of the left rows with themselves.

    >>> rows = KeyRows(np.array([0, 1, 2]), np.array([7, 7], dtype=np.uint64), np.array([2.0, 3.0]))
    >>> ListBlock(invert_rows(rows), rows.sum_squares())(0, 2)
    array([[4., 6.],
           [0., 9.]])
    """
    base = left if right is None else right
    numbers, distinct = number_keys(base.keys, n_jobs)
    if right is None:
        counts = np.bincount(numbers, minlength=len(distinct))
        lists = _list_rows_below(base.indptr, numbers, base.values, counts)
    else:
        offsets, rows, entries = invert_numbers(base.indptr, numbers, len(distinct))
        found = look_up(left.keys, index_keys(distinct), n_jobs)
        lists = _list_other_rows(left.indptr, found, left.values, offsets, rows, entries, right.values)
    indptr, values, begin, end, rows, weights = lists
    return InvertedLists(indptr, values, begin, end, rows, weights, len(base.indptr) - 1)


def invert_all_blocks(
    parts: list[list[KeyRows]], n_jobs: int | None = None, release: bool = False
) -> list[tuple[InvertedLists, FrequentKeys]]:
    """Return inverted lists for the Grams of rows with themselves, and their frequent keys, which are in no list.

    ``parts`` has a list of blocks of rows, one below the other, for each Gram. There are frequent keys only if the
    values of their products are whole numbers, and small enough for 32 bits. With ``release`` the lists of blocks are
    emptied as soon as their memory can be used for the rest.
    """
    shares = count_shares([sum(len(block.keys) for block in blocks) for blocks in parts], n_jobs)
    return run_together([_invert_blocks(blocks, own, release) for blocks, own in zip(parts, shares)], n_jobs)


def _invert_blocks(blocks: list[KeyRows], shares: int, release: bool) -> Steps[tuple[InvertedLists, FrequentKeys]]:
    height = sum(len(block.indptr) - 1 for block in blocks)
    shared = yield from share_blocks(blocks, shares, release)
    spans = shared.cut(shares)
    chosen, frequent = yield from _find_frequent(shared, height, spans)
    shared.times[chosen] = 0
    lists = yield from _list_shared_rows(shared, height, spans)
    return lists, frequent


def _find_frequent(shared: SharedKeys, height: int, spans: list[tuple[int, int]]) -> Steps[tuple[Ints, FrequentKeys]]:
    """Return the numbers of the frequent keys, and their values; none if one of these is no whole number."""
    chosen = np.flatnonzero(shared.counts > max(FEW_ROWS, height // FREQUENT))
    values = np.zeros((len(chosen), height), np.float32)
    columns = np.full(len(shared.counts), -1, np.int32)
    columns[chosen] = np.arange(len(chosen), dtype=np.int32)
    largest = yield [(_fill_columns, *span, *shared[1:4], columns, values) for span in spans if len(chosen)]
    times = shared.times[chosen]
    if len(chosen) and (min(largest) < 0 or max(largest) ** 2 * times.sum() >= LARGEST_WHOLE):
        chosen, values, times = chosen[:0], values[:0], times[:0]
    (by_row,) = yield [(_scale_columns, values, times)]
    return chosen, FrequentKeys(values, by_row)


def _scale_columns(values: SmallFloats, times: Ints) -> SmallFloats:
    """Return the values row by row, times the numbers of keys that they stand for."""
    return np.ascontiguousarray(values.T) * times.astype(np.float32)


@compiled
def _fill_columns(first, last, numbers, rows, values, columns, dense):
    """Write the values of the keys that have a column; return the largest one, or -1 if one is no whole number."""
    largest = 0.0
    for entry in range(first, last):
        if numbers[entry] >= 0 and columns[numbers[entry]] >= 0:
            value = values[entry]
            if value != np.floor(value):
                return -1.0
            largest = max(largest, abs(value))
            dense[columns[numbers[entry]], rows[entry]] = value
    return largest


def _list_shared_rows(shared: SharedKeys, height: int, spans: list[tuple[int, int]]) -> Steps[InvertedLists]:
    """Return the lists of a symmetric Gram, as `_list_rows_below` does, without keys that count 0 times.

    The products of a key count as often as ``times`` says. Each span of entries has keys of its own.
    """
    ((offsets, ends, length),) = yield [(_lay_out_lists, shared.counts, shared.times)]
    counts = np.zeros((len(spans), height), np.int64)  # of the entries that each span has in each row
    fill = offsets.copy()
    yield [(_count_entries, *span, *shared[1:3], ends, fill, own) for span, own in zip(spans, counts)]
    ((indptr, places),) = yield [(place_counts, counts)]
    lists = InvertedLists(
        indptr,
        np.empty(indptr[-1]),
        np.empty(indptr[-1], np.int32),
        np.empty(indptr[-1], np.int32),
        np.empty(length, np.int32),
        np.empty(length),
        height,
    )
    arrays = (*shared[1:4], shared.times, ends, offsets)
    yield [(_place_entries, *span, *arrays, own, *lists[1:-1]) for span, own in zip(spans, places)]
    return lists


@compiled
def _lay_out_lists(counts, times):
    """Return where the list of each key begins and ends, one after the other; -1 if a key has none."""
    offsets, ends = np.empty(len(counts), np.int32), np.empty(len(counts), np.int32)
    length = 0
    for number in range(len(counts)):
        offsets[number] = ends[number] = -1
        if times[number] > 0:
            offsets[number] = length
            length += counts[number]
            ends[number] = length
    return offsets, ends, length


@compiled
def _count_entries(first, last, numbers, rows, ends, fill, counts):
    """Count the entries of each row that have others after them in their lists."""
    for entry in range(first, last):
        number = numbers[entry]
        if number >= 0 and ends[number] >= 0:
            fill[number] += 1
            if fill[number] < ends[number]:
                counts[rows[entry]] += 1


@compiled
def _place_entries(first, last, numbers, row_of, values, times, ends, fill, places, left, begin, end, rows, weights):
    """Write the entries to their lists, and those that have others after them to the places of their rows."""
    for entry in range(first, last):
        number = numbers[entry]
        if number < 0 or ends[number] < 0:
            continue
        row, at = row_of[entry], fill[number]
        fill[number] = at + 1
        rows[at] = row
        weights[at] = values[entry]
        if at + 1 < ends[number]:
            place = places[row]
            places[row] = place + 1
            left[place] = values[entry] * times[number]
            begin[place] = at + 1
            end[place] = ends[number]


@compiled
def _add_products(block, first, offset, indptr, values, begin, end, rows, weights):
    for index in range(block.shape[0]):
        for entry in range(indptr[first + index], indptr[first + index + 1]):
            value = values[entry]
            for at in range(begin[entry], end[entry]):
                block[index, rows[at] - offset] += value * weights[at]


@dataclass(frozen=True)
class ListBlock:
    """A function that computes the rows ``first`` to ``last - 1`` of a Gram from inverted lists."""

    lists: InvertedLists
    diagonal: Floats | None  # the diagonal of a symmetric Gram, whose lists have only the rows below
    whole: bool = False  # whether the exact values are whole numbers, so that rounding errors are removed

    def __call__(self, first: int, last: int) -> Floats:
        offset = 0 if self.diagonal is None else first
        block = np.zeros((last - first, self.lists.width - offset))
        _add_products(block, first, offset, *self.lists[:-1])
        if self.whole:
            np.rint(block, out=block)
        if self.diagonal is not None:
            np.fill_diagonal(block, self.diagonal[first:last])
        return block
