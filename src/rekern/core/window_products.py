"""Rows of a Gram of pairs: over all window sizes, the products of the lists of sources, targets and rules.

A row is added up in arrays that fit into the cache, for all window sizes, and written once. The lists of all sizes are
joined, so that one call of a compiled function is enough for many rows.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from collections.abc import Callable
from typing import NamedTuple, cast

import numpy as np

from rekern.core.arrays import AnyArray, Floats, Ints, SmallFloats, SmallInts, offsets_of
from rekern.core.compiling import compiled
from rekern.core.inverted_lists import FrequentKeys, InvertedLists
from rekern.core.parallel_jobs import run_in_threads


class WindowLists(NamedTuple):
    """The inverted lists of one window size, and the factors of rows and columns."""

    row_scale: Floats
    column_scale: Floats
    source: InvertedLists
    target: InvertedLists
    rules: InvertedLists
    frequent: tuple[FrequentKeys, FrequentKeys, FrequentKeys]  # of a Gram of pairs with themselves


class JoinedLists(NamedTuple):
    """The lists of all window sizes in the same arrays; sources, targets and rules of each size are a part each."""

    indptr: Ints  # a row for each part
    values: Floats
    begin: Ints
    end: Ints
    rows: SmallInts
    weights: Floats
    key_starts: Ints  # where the frequent keys of each part begin
    by_key: SmallFloats
    by_row: SmallFloats
    row_scale: Floats  # a row for each window size
    column_scale: Floats


def list_joins(windows: list[WindowLists]) -> list[Callable[[], AnyArray]]:
    """Return functions that make the arrays of `JoinedLists`."""
    parts = [part for window in windows for part in (window.source, window.target, window.rules)]
    keys = [known for window in windows for known in window.frequent]
    entries = offsets_of([len(part.values) for part in parts])
    places = offsets_of([len(part.rows) for part in parts])
    rows, columns = len(parts[0].indptr) - 1, parts[0].width
    nothing = FrequentKeys(np.zeros((0, columns), np.float32), np.zeros((rows, 0), np.float32))
    frequent = [known if len(known.by_key) else nothing for known in keys]
    return [
        lambda: np.array([part.indptr + start for part, start in zip(parts, entries)]),
        lambda: np.concatenate([part.values for part in parts]),
        lambda: np.concatenate([part.begin + start for part, start in zip(parts, places)]),
        lambda: np.concatenate([part.end + start for part, start in zip(parts, places)]),
        lambda: np.concatenate([part.rows for part in parts]),
        lambda: np.concatenate([part.weights for part in parts]),
        lambda: offsets_of([len(known.by_key) for known in keys]),
        lambda: np.concatenate([known.by_key for known in frequent]),
        lambda: np.concatenate([known.by_row for known in frequent], axis=1),
        lambda: np.array([window.row_scale for window in windows]),
        lambda: np.array([window.column_scale for window in windows]),
    ]


def join_lists(windows: list[WindowLists], n_jobs: int | None = 1) -> JoinedLists:
    """Return the lists of all window sizes in the same arrays."""
    joins = [(join,) for join in list_joins(windows)]
    arrays = run_in_threads(lambda join: join(), joins, n_jobs)
    return JoinedLists(*cast("list[np.ndarray]", arrays))


def fill_pair_rows(
    matrix: Floats, top: int, left: int, span: tuple[int, int], symmetric: bool, lists: JoinedLists
) -> int:
    """Write rows of a Gram into a matrix, from row ``top`` and column ``left`` on.

    The first column is the first one of the Gram; in a symmetric Gram it is that of the diagonal of the first row, and
    each row is filled from its diagonal on.

    A value is the sum over the windows of (product of sources · product of targets + product of rules) · the factors of
    its row and column. Counts are added up before they are scaled. Without decay they are whole numbers, and their sums
    are exact. Returns the first row with a value out of range, or -1.
    """
    return int(_fill_rows(matrix, top, left, *span, symmetric, lists))


@compiled
def _fill_rows(matrix, top, left, first, last, symmetric, lists):
    indptr, values, begin, end, rows, weights, key_starts, by_key, by_row, scale, scale2 = lists
    width = scale2.shape[1]
    offset = first if symmetric else 0
    sums = np.empty((3, width))
    total = np.empty(width)
    small = np.empty(width, np.float32)
    chosen = np.empty(len(by_key), np.int64)
    wrong = -1
    for row in range(first, last):
        start = row if symmetric else 0
        total[start:] = 0.0
        for window in range(len(scale)):
            factor = scale[window, row]
            if factor == 0.0:
                continue
            part = 3 * window
            plain = _has_keys(part, row, indptr, key_starts) and _has_keys(part + 1, row, indptr, key_starts)
            wild = _has_keys(part + 2, row, indptr, key_starts)
            for kind in range(3):
                if (kind < 2 and plain) or (kind == 2 and wild):
                    own, known = sums[kind], key_starts[part + kind : part + kind + 2]
                    _start_row(known[0], known[1], by_key, by_row[row], start, own, small, chosen)
                    for entry in range(indptr[part + kind, row], indptr[part + kind, row + 1]):
                        value = values[entry]
                        for at in range(begin[entry], end[entry]):
                            own[rows[at]] += value * weights[at]
            line, factors = total[start:], scale2[window, start:]
            sources, targets, wilds = sums[0, start:], sums[1, start:], sums[2, start:]
            if plain and wild:
                for column in range(len(line)):
                    both = sources[column] * targets[column] + wilds[column]
                    line[column] += both * (factor * factors[column])
            elif plain:
                for column in range(len(line)):
                    line[column] += sources[column] * targets[column] * (factor * factors[column])
            elif wild:
                for column in range(len(line)):
                    line[column] += wilds[column] * (factor * factors[column])
        line = total[start:]
        place = matrix[top + row - first, left + start - offset : left + width - offset]
        faults = 0
        for column in range(len(line)):
            place[column] = line[column]
            faults += 0 if abs(line[column]) < np.inf else 1
        if wrong < 0 and faults > 0:
            wrong = row
    return wrong


@compiled
def _has_keys(part, row, indptr, key_starts):
    """Return whether a row has a list in a part, or the part has frequent keys."""
    return key_starts[part] < key_starts[part + 1] or indptr[part, row] < indptr[part, row + 1]


@compiled
def _start_row(first_key, last_key, by_key, by_row, start, total, sums, chosen):
    """Set a row of sums, from column ``start`` on, to the products of frequent keys. They are whole numbers."""
    count = 0
    for key in range(first_key, last_key):
        if by_row[key] != 0.0:
            chosen[count] = key
            count += 1
    part = sums[start:]
    part[:] = 0.0
    at = 0
    # Slices from 0 on: a loop over places that might be negative is not done several places at a time.
    while at + 4 <= count:
        a, b, c, d = chosen[at], chosen[at + 1], chosen[at + 2], chosen[at + 3]
        one, two, three, four = by_row[a], by_row[b], by_row[c], by_row[d]
        key_a, key_b, key_c, key_d = by_key[a, start:], by_key[b, start:], by_key[c, start:], by_key[d, start:]
        for column in range(len(part)):
            both = one * key_a[column] + two * key_b[column]
            part[column] += both + (three * key_c[column] + four * key_d[column])
        at += 4
    while at < count:
        one, key_a = by_row[chosen[at]], by_key[chosen[at], start:]
        for column in range(len(part)):
            part[column] += one * key_a[column]
        at += 1
    rest = total[start:]
    for column in range(len(part)):
        rest[column] = part[column]
