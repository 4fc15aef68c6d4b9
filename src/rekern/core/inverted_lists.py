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
import numpy.typing as npt

from rekern.core.arrays import Floats, Ints, SmallInts
from rekern.core.compiling import compiled
from rekern.core.key_index import index_keys, look_up, number_keys
from rekern.core.key_rows import KeyRows
from rekern.core.shared_keys import share_blocks

SmallFloats = npt.NDArray[np.float32]

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
def _list_rows_below(indptr, numbers, values, counts, times):
    """Return the lists of a symmetric Gram: an entry is multiplied with the entries after it in the list of its key.

    The products of a key count as often as ``times`` says. Keys of which it is 0 are left out, and so are keys that
    only one row has, which are most of them, and the last row of each list.
    """
    size = len(counts)
    fill = counts.copy()
    length, kept = 0, 0
    stop = np.empty(size, np.int32)
    for number in range(size):
        count = fill[number]
        if count > 1 and times[number] > 0:
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
                left[met] = values[entry] * times[number]
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
        counts = np.bincount(numbers, minlength=len(distinct))
        lists = _list_rows_below(base.indptr, numbers, base.values, counts, np.ones(len(counts), np.int64))
    else:
        heads, rows, entries = invert_numbers(base.indptr, numbers, len(distinct))
        found = look_up(left.keys, index_keys(distinct), n_jobs)
        lists = _list_other_rows(left.indptr, found, left.values, heads, rows, entries, right.values)
    indptr, values, begin, end, rows, weights = lists
    return InvertedLists(indptr, values, begin, end, rows, weights, len(base.indptr) - 1)


def invert_whole_rows(rows: KeyRows, n_jobs: int | None = None) -> tuple[InvertedLists, FrequentKeys]:
    """Return inverted lists for the Gram of rows with themselves, and the frequent keys, which are in no list.

    There are frequent keys only if the values of their products are whole numbers, and small enough for 32 bits.
    """
    return invert_blocks([rows], n_jobs)


def invert_blocks(
    blocks: list[KeyRows], n_jobs: int | None = None, release: bool = False
) -> tuple[InvertedLists, FrequentKeys]:
    """Return the same as `invert_whole_rows` of all blocks of rows, one below the other.

    With ``release`` the list of blocks is emptied as soon as their memory can be used for the rest.
    """
    indptr, numbers, entries, counts, times = share_blocks(blocks, n_jobs, release)
    height = len(indptr) - 1
    frequent = np.flatnonzero(counts > max(FEW_ROWS, height // FREQUENT))
    columns = np.full(len(counts), -1, np.int32)
    columns[frequent] = np.arange(len(frequent), dtype=np.int32)
    values = np.zeros((len(frequent), height), np.float32)
    largest = _fill_columns(indptr, numbers, entries, columns, values) if len(frequent) else 0.0
    if largest < 0 or largest * largest * times[frequent].sum() >= LARGEST_WHOLE:
        frequent, values = frequent[:0], values[:0]
    by_row = np.ascontiguousarray((values * times[frequent, None]).astype(np.float32).T)
    times[frequent] = 0
    pointers, left, begin, end, below, weights = _list_rows_below(indptr, numbers, entries, counts, times)
    return InvertedLists(pointers, left, begin, end, below, weights, height), FrequentKeys(values, by_row)


@compiled
def _fill_columns(indptr, numbers, values, columns, dense):
    """Write the values of the keys that have a column; return the largest one, or -1 if one is no whole number."""
    largest = 0.0
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            column = columns[numbers[entry]]
            if column >= 0:
                value = values[entry]
                if value != np.floor(value):
                    return -1.0
                largest = max(largest, abs(value))
                dense[column, row] = value
    return largest


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
def _start_row(frequent, row, start, total, sums, chosen):
    """Set a row of sums, from column ``start`` on, to the products of frequent keys. They are whole numbers."""
    by_key, by_row = frequent
    count = 0
    for key in range(len(by_key)):
        if by_row[row, key] != 0.0:
            chosen[count] = key
            count += 1
    part = sums[start:]
    part[:] = 0.0
    at = 0
    # Slices from 0 on: a loop over places that might be negative is not done several places at a time.
    while at + 4 <= count:
        a, b, c, d = chosen[at], chosen[at + 1], chosen[at + 2], chosen[at + 3]
        one, two, three, four = by_row[row, a], by_row[row, b], by_row[row, c], by_row[row, d]
        key_a, key_b, key_c, key_d = by_key[a, start:], by_key[b, start:], by_key[c, start:], by_key[d, start:]
        for column in range(len(part)):
            both = one * key_a[column] + two * key_b[column]
            part[column] += both + (three * key_c[column] + four * key_d[column])
        at += 4
    while at < count:
        one, key_a = by_row[row, chosen[at]], by_key[chosen[at], start:]
        for column in range(len(part)):
            part[column] += one * key_a[column]
        at += 1
    rest = total[start:]
    for column in range(len(part)):
        rest[column] = part[column]


@compiled
def _add_window(block, first, offset, symmetric, scale, scale2, source, target, rules, frequent):
    width = block.shape[1] + offset
    in_source, in_target, in_rules = np.zeros(width), np.zeros(width), np.zeros(width)
    common, common2, common_rules = frequent
    sums = np.zeros(width, np.float32)
    chosen = np.empty(max(len(common[0]), len(common2[0]), len(common_rules[0])), np.int64)
    for index in range(block.shape[0]):
        row = first + index
        has_source = len(common[0]) > 0 or source[0][row] < source[0][row + 1]
        has_target = len(common2[0]) > 0 or target[0][row] < target[0][row + 1]
        plain = has_source and has_target
        wild = len(common_rules[0]) > 0 or rules[0][row] < rules[0][row + 1]
        if scale[row] == 0.0 or not (plain or wild):
            continue
        start = index if symmetric else 0
        factor = scale[row]
        if plain:
            _start_row(common, row, start + offset, in_source, sums, chosen)
            _start_row(common2, row, start + offset, in_target, sums, chosen)
            _accumulate(source, row, in_source)
            _accumulate(target, row, in_target)
        if wild:
            _start_row(common_rules, row, start + offset, in_rules, sums, chosen)
            _accumulate(rules, row, in_rules)
        line, factors = block[index, start:], scale2[offset + start :]
        sources, targets, wilds = in_source[offset + start :], in_target[offset + start :], in_rules[offset + start :]
        if plain and wild:
            for column in range(len(line)):
                both = sources[column] * targets[column] + wilds[column]
                line[column] += both * (factor * factors[column])
        elif plain:
            for column in range(len(line)):
                line[column] += sources[column] * targets[column] * (factor * factors[column])
        else:
            for column in range(len(line)):
                line[column] += wilds[column] * (factor * factors[column])


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
    frequent: tuple[FrequentKeys, FrequentKeys, FrequentKeys],
) -> None:
    """Add (source product · target product + product of rules) · scale[row] · scale2[column] to a block of the Gram.

    Counts are added up before they are scaled. Without decay they are whole numbers, and their sums are exact.
    """
    _add_window(block, first, offset, symmetric, scale, scale2, source, target, rules, frequent)
