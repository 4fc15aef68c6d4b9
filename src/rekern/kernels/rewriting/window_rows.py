"""The features of pairs for one window size, as rows of keys."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints, offsets_of
from rekern.core.key_rows import KeyRows, join_rows, stack_rows
from rekern.core.parallel_jobs import count_shares, run_in_threads, split_range
from rekern.core.parallel_steps import run_together
from rekern.kernels.rewriting.rule_list_core import count_rules, list_rules, square_pairs

KEEP_ALL = np.uint64(0)


class WindowRows(NamedTuple):
    """The features of pairs for one window size: n-grams of each side, and rules with aligned wildcards, if any."""

    source: KeyRows
    target: KeyRows
    rules: KeyRows | None

    def count_pairs(self) -> int:
        """Return the number of pairs."""
        return len(self.source.indptr) - 1

    def get_wildcard_rules(self) -> KeyRows:
        """Return the rules with aligned wildcards; empty rows if there are none."""
        return self.rules if self.rules is not None else make_empty_rows(self.count_pairs())

    def list_parts(self) -> tuple[KeyRows, KeyRows, KeyRows]:
        """Return the n-grams of the source, those of the target, and the rules with wildcards."""
        return self.source, self.target, self.get_wildcard_rules()

    def drop_ngrams(self) -> WindowRows:
        """Return the same without n-grams."""
        nothing = make_empty_rows(self.count_pairs())
        return WindowRows(nothing, nothing, self.rules)

    def slice_rows(self, first: int, last: int) -> WindowRows:
        """Return the features of pairs ``first`` to ``last - 1``."""
        rules = None if self.rules is None else self.rules.slice_rows(first, last)
        return WindowRows(self.source.slice_rows(first, last), self.target.slice_rows(first, last), rules)

    def take(self, rows: Ints) -> WindowRows:
        """Return the features of these pairs, in this order."""
        rules = None if self.rules is None else self.rules.take(rows)
        return WindowRows(self.source.take(rows), self.target.take(rows), rules)

    def count_rules(self, mask: np.uint64 = KEEP_ALL, size_key: np.uint64 = KEEP_ALL) -> Ints:
        """Count the rules of each pair; of those without wildcards, only a sample if the mask is not 0."""
        counts: Ints = count_rules(self.source, self.target, self.get_wildcard_rules(), size_key, mask)
        return counts

    def multiply_row(self, other: WindowRows) -> Floats:
        """Return the kernel of every pair with the one pair of ``other``, over the features that are listed there."""
        plain = self.source.multiply_row(other.source) * self.target.multiply_row(other.target)
        return plain + self.get_wildcard_rules().multiply_row(other.get_wildcard_rules())

    def sum_squares(self) -> Floats:
        """Return K(x, x) of every pair for this window size."""
        squares: Floats = square_pairs(*self.list_parts())
        return squares


def make_empty_rows(n: int) -> KeyRows:
    """Return ``n`` rows without any key.

    >>> len(make_empty_rows(2).indptr)
    3
    """
    return KeyRows(np.zeros(n + 1, np.int64), np.empty(0, np.uint64), np.empty(0))


def list_all_rules(
    windows: list[WindowRows],
    scale: Floats,
    size_keys: list[np.uint64],
    mask: np.uint64 = KEEP_ALL,
    n_jobs: int | None = 1,
) -> KeyRows:
    """List all rules of all window sizes; of those without wildcards, a sample if the mask is not 0."""
    counts = np.sum([rows.count_rules(mask, key) for rows, key in zip(windows, size_keys)], axis=0, dtype=np.int64)
    indptr = offsets_of(counts)
    keys, values = np.empty(indptr[-1], np.uint64), np.empty(indptr[-1])
    fill = indptr[:-1].copy()
    for rows, row_scale, key in zip(windows, scale, size_keys):
        arrays = (fill, keys, values, row_scale, key, rows.source, rows.target, rows.get_wildcard_rules(), mask)
        run_in_threads(
            list_rules, [(*span, *arrays) for span in split_range(len(fill), max(256, len(fill) // 16))], n_jobs
        )
    return KeyRows(indptr, keys, values)


def stack_windows(blocks: list[WindowRows]) -> WindowRows:
    """Stack blocks of pairs, one below the other."""
    rules = [block.rules for block in blocks if block.rules is not None]
    return WindowRows(
        stack_rows([block.source for block in blocks]),
        stack_rows([block.target for block in blocks]),
        stack_rows(rules) if rules else None,
    )


def list_all_parts(blocks: list[list[WindowRows]]) -> list[list[KeyRows]]:
    """Return the three parts of every window size, each as a list of the blocks of pairs."""
    return [list(part) for window in zip(*blocks) for part in zip(*(rows.list_parts() for rows in window))]


def stack_all_windows(blocks: list[list[WindowRows]], n_jobs: int | None, release: bool = False) -> list[WindowRows]:
    """Stack blocks of pairs that have all window sizes each; threads share the copies.

    With ``release`` the blocks are emptied, and each is freed by the thread that has copied it.
    """
    parts = list_all_parts(blocks)
    shares = count_shares([sum(len(rows.keys) for rows in part) for part in parts], n_jobs)
    has_rules = [rows.rules is not None for rows in blocks[0]]
    for block in blocks if release else []:
        block.clear()
    stacked = iter(run_together([join_rows(part, own, release) for part, own in zip(parts, shares)], n_jobs))
    found = [WindowRows(next(stacked), next(stacked), next(stacked)) for _ in has_rules]
    return [rows if own else rows._replace(rules=None) for rows, own in zip(found, has_rules)]
