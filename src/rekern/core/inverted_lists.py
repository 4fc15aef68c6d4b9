"""Gram matrices of sparse rows by inverted lists. An inverted list has the rows that contain a key.

A row of the Gram is added up in a dense accumulator that fits into the cache. The products are always added in the
order of the row's own keys, so the result has the same bits for any division into blocks and any number of jobs.
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


@compiled
def invert_numbers(indptr, numbers, size):
    """Return for each key number the rows that contain it, in ascending order, and their entries."""
    heads = np.zeros(size + 1, np.int64)
    for number in numbers:
        heads[number + 1] += 1
    for number in range(size):
        heads[number + 1] += heads[number]
    fill = heads[:-1].copy()
    rows = np.empty(len(numbers), np.int32)
    entries = np.empty(len(numbers), np.int64)
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            at = fill[numbers[entry]]
            rows[at] = row
            entries[at] = entry
            fill[numbers[entry]] += 1
    return heads, rows, entries


@compiled
def _list_rows_below(indptr, numbers, values, size):
    """Return the lists of a symmetric Gram: an entry is multiplied with the entries after it in the list of its key.

    Most keys occur in one row only. They are left out, and so is the last row of each list.
    """
    fill = np.zeros(size, np.int64)
    for number in numbers:
        fill[number] += 1
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
def _list_other_rows(indptr, found, values, heads, rows, entries, other_values):
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
                begin[fill] = heads[found[entry]]
                end[fill] = heads[found[entry] + 1]
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
        lists = _list_rows_below(base.indptr, numbers, base.values, len(distinct))
    else:
        heads, rows, entries = invert_numbers(base.indptr, numbers, len(distinct))
        found = look_up(left.keys, index_keys(distinct), n_jobs)
        lists = _list_other_rows(left.indptr, found, left.values, heads, rows, entries, right.values)
    indptr, values, begin, end, rows, weights = lists
    return InvertedLists(indptr, values, begin, end, rows, weights, len(base.indptr) - 1)


@compiled
def _add_products(block, first, offset, indptr, values, begin, end, rows, weights):
    for index in range(block.shape[0]):
        for entry in range(indptr[first + index], indptr[first + index + 1]):
            value = values[entry]
            for at in range(begin[entry], end[entry]):
                block[index, rows[at] - offset] += value * weights[at]


@compiled
def _accumulate(lists, row, total):
    indptr, values, begin, end, rows, weights, _ = lists
    for entry in range(indptr[row], indptr[row + 1]):
        value = values[entry]
        for at in range(begin[entry], end[entry]):
            total[rows[at]] += value * weights[at]


@compiled
def _add_window(block, first, offset, symmetric, scale, scale2, source, target, rules):
    width = block.shape[1] + offset
    in_source, in_target, in_rules = np.zeros(width), np.zeros(width), np.zeros(width)
    for index in range(block.shape[0]):
        row = first + index
        plain = source[0][row] < source[0][row + 1] and target[0][row] < target[0][row + 1]
        wild = rules[0][row] < rules[0][row + 1]
        if scale[row] == 0.0 or not (plain or wild):
            continue
        start = index if symmetric else 0
        factor = scale[row]
        if plain:
            in_source[start + offset :] = 0.0
            in_target[start + offset :] = 0.0
            _accumulate(source, row, in_source)
            _accumulate(target, row, in_target)
        if wild:
            in_rules[start + offset :] = 0.0
            _accumulate(rules, row, in_rules)
        line = block[index]
        if plain and wild:
            for column in range(start, len(line)):
                both = in_source[offset + column] * in_target[offset + column] + in_rules[offset + column]
                line[column] += both * (factor * scale2[offset + column])
        elif plain:
            for column in range(start, len(line)):
                both = in_source[offset + column] * in_target[offset + column]
                line[column] += both * (factor * scale2[offset + column])
        else:
            for column in range(start, len(line)):
                line[column] += in_rules[offset + column] * (factor * scale2[offset + column])


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


def add_window_block(
    block: Floats,
    first: int,
    offset: int,
    symmetric: bool,
    scale: Floats,
    scale2: Floats,
    source: InvertedLists,
    target: InvertedLists,
    rules: InvertedLists,
) -> None:
    """Add (source product · target product + product of rules) · scale[row] · scale2[column] to a block of the Gram.

    Counts are added up before they are scaled. Without decay they are whole numbers, and their sums are exact.
    """
    _add_window(block, first, offset, symmetric, scale, scale2, source, target, rules)
