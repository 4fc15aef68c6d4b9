"""Columns for all rules of a corpus.

The rules without wildcards are numbered by their source n-grams. Threads number those of some n-grams each, from 0 up.
How many come before them is added when all are numbered, so that a number does not depend on the threads.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints, Keys, SmallInts, offsets_of
from rekern.core.inverted_lists import invert_numbers
from rekern.core.key_index import check_entries, take_numbers
from rekern.core.parallel_jobs import SHARES, count_shares, count_threads, run_calls, run_in_threads, split_range
from rekern.core.parallel_steps import Steps, run_together
from rekern.kernels.rewriting.rule_column_core import (
    assemble_rows,
    count_combinations,
    number_combinations,
    spread_bases,
)
from rekern.kernels.rewriting.window_rows import WindowRows

FEW_RULES = 1 << 16  # that one thread numbers
FEW_PAIRS = 256
COPIED_KEYS = 1 << 18  # at once


class RuleColumns(NamedTuple):
    """Sparse rows over numbered columns, and the key of every column."""

    indptr: Ints
    columns: SmallInts
    values: Floats
    keys: Keys


class _Numbers(NamedTuple):
    """The numbers of the keys of one part of the rules, and the distinct keys."""

    numbers: SmallInts
    keys: Keys


class _Lists(NamedTuple):
    """The entries of each source n-gram."""

    heads: Ints
    rows: SmallInts
    entries: Ints
    before: Ints  # how many combinations with target n-grams the n-grams before have


class _Window(NamedTuple):
    """The rules of one window size, and the numbers of their parts."""

    rows: WindowRows
    size_key: np.uint64
    starts: Ints  # where they begin in each row of the matrix
    scale: Floats
    source: _Numbers
    target: _Numbers
    wild: _Numbers
    lists: _Lists


def number_rules(
    windows: list[WindowRows], scale: Floats, size_keys: list[np.uint64], n_jobs: int | None
) -> RuleColumns:
    """Number all rules of all window sizes as columns; the rows of each size are scaled as given.

    The list of window sizes is emptied: threads share the work of freeing the rows, too.
    """
    found, used = _number_windows(windows, scale, size_keys, n_jobs)
    windows.clear()
    run_in_threads(list.clear, [(one,) for one in used], n_jobs)
    return found


def _number_windows(
    windows: list[WindowRows], scale: Floats, size_keys: list[np.uint64], n_jobs: int | None
) -> tuple[RuleColumns, list[list[object]]]:
    """Return the numbered rules, and all large arrays that are not needed any more, in lists."""
    counts = np.array([rows.count_rules() for rows in windows], dtype=np.int64)
    indptr = offsets_of(counts.sum(axis=0))
    check_entries(int(indptr[-1]))
    starts = np.empty_like(counts)
    place = indptr[:-1].copy()
    for own, count in zip(starts, counts):
        own[:] = place
        place += count
    columns, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    numbers, lists = _number_parts(windows, n_jobs)
    sources, targets, wilds = (numbers[at * len(windows) : (at + 1) * len(windows)] for at in range(3))
    numbered = [_Window(*window) for window in zip(windows, size_keys, starts, scale, sources, targets, wilds, lists)]
    total = sum(int(window.lists.before[-1]) for window in numbered)
    size = max(FEW_RULES, total // (SHARES * count_threads(n_jobs)) + 1)
    spans = [_cut_combinations(window.lists.before, size) for window in numbered]
    works = [(window, *span, columns) for window, own in zip(numbered, spans) for span in own]
    plain = iter(run_in_threads(_number_span, works, n_jobs))
    pieces, added, offset = [], [], 0
    for window, own in zip(numbered, spans):
        found = [next(plain) for _ in own]
        sizes = [len(keys) for keys in found]
        bases = offset + offsets_of(sizes)  # of the numbers of each span, and at last of the rules with wildcards
        added.append((bases, np.array([last for _, last in own], np.int64)))
        pieces += [*found, window.wild.keys]
        offset = int(bases[-1]) + len(window.wild.keys)
    keys = np.empty(offset, np.uint64)
    spread = run_in_threads(spread_bases, added, n_jobs)

    def assemble(first: int, last: int) -> None:
        for window, own, (bases, _) in zip(numbered, spread, added):
            assemble_rows(
                first, last, window.starts, columns, values, window.scale, window.rows.source, window.rows.target,
                window.rows.get_wildcard_rules(), window.source.numbers, own, window.wild.numbers, bases[-1],
            )  # fmt: skip

    pairs = len(indptr) - 1
    height = max(FEW_PAIRS, -(-pairs // (SHARES * count_threads(n_jobs))))
    copies = _cut_copies(pieces, keys)
    run_calls([*((assemble, *span) for span in split_range(pairs, height)), *copies], n_jobs)
    used: list[list[object]] = [[piece] for piece in pieces]
    for window in numbered:
        used += [[part] for part in (*window.rows, window.source, window.target, window.wild, window.lists)]
    return RuleColumns(indptr, columns, values, keys), used


def _number_parts(windows: list[WindowRows], n_jobs: int | None) -> tuple[list[_Numbers], list[_Lists]]:
    """Number the source n-grams of all window sizes, the target n-grams and the rules with wildcards.

    The source n-grams, whose lists take one thread long, go first.
    """
    parts = [part.keys for own in zip(*(rows.list_parts() for rows in windows)) for part in own]
    shares = count_shares([len(keys) for keys in parts], n_jobs)
    lists: list[_Lists | None] = [None] * len(windows)

    def number(place: int) -> Steps[_Numbers]:
        found = _Numbers(*(yield from take_numbers(parts[place], shares[place])))
        if place < len(windows):
            lists[place] = _list_sources(windows[place], found)
        return found

    numbers = run_together([number(place) for place in range(len(parts))], n_jobs, urgent=len(windows))
    return numbers, [one for one in lists if one is not None]


def _cut_copies(pieces: list[Keys], keys: Keys) -> list[tuple[object, ...]]:
    """Return calls that copy arrays into one, one behind the other, none of which takes long."""
    ends = np.cumsum([len(piece) for piece in pieces])
    copies: list[tuple[object, ...]] = []
    for piece, end in zip(pieces, ends):
        place = keys[end - len(piece) : end]
        copies += [
            (np.copyto, place[slice(*span)], piece[slice(*span)]) for span in split_range(len(piece), COPIED_KEYS)
        ]
    return copies


def _list_sources(rows: WindowRows, source: _Numbers) -> _Lists:
    """List the entries of each source n-gram of one window size, and count their combinations."""
    heads, found, entries = invert_numbers(rows.source.indptr, source.numbers, len(source.keys))
    return _Lists(heads, found, entries, count_combinations(heads, found, rows.target.indptr))


def _cut_combinations(before: Ints, size: int) -> list[tuple[int, int]]:
    """Cut source n-grams into ranges with about ``size`` combinations each, one that has more into one of its own.

    >>> _cut_combinations(np.array([0, 3, 4, 9, 10]), 4)
    [(0, 2), (2, 3), (3, 4)]
    """
    wanted = np.arange(size, int(before[-1]), size)
    bounds = np.unique(np.concatenate([[0], np.searchsorted(before, wanted), [len(before) - 1]])).tolist()
    return list(pairwise(bounds))


def _number_span(window: _Window, first: int, last: int, columns: SmallInts) -> Keys:
    """Number the rules without wildcards of some source n-grams, in ``columns``; return their keys."""
    rows, lists = window.rows, window.lists
    keys = np.empty(lists.before[last] - lists.before[first], np.uint64)
    size = number_combinations(
        first, last, lists.heads, lists.rows, lists.entries, rows.source, rows.target, window.target.numbers,
        len(window.target.keys), window.size_key, window.starts, columns, keys,
    )  # fmt: skip
    return keys[:size]
