"""The features of pairs for one window size, as rows of keys."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints, offsets_of
from rekern.core.compiling import compiled
from rekern.core.hashing import mix
from rekern.core.key_rows import KeyRows, stack_rows
from rekern.core.parallel_jobs import run_in_threads, split_range


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

    def slice_rows(self, first: int, last: int) -> WindowRows:
        """Return the features of pairs ``first`` to ``last - 1``."""
        rules = None if self.rules is None else self.rules.slice_rows(first, last)
        return WindowRows(self.source.slice_rows(first, last), self.target.slice_rows(first, last), rules)

    def take(self, rows: Ints) -> WindowRows:
        """Return the features of these pairs, in this order."""
        rules = None if self.rules is None else self.rules.take(rows)
        return WindowRows(self.source.take(rows), self.target.take(rows), rules)

    def count_rules(self) -> Ints:
        """Count the rules of each pair."""
        source, target, rules = (np.diff(part.indptr) for part in self.list_parts())
        counts: Ints = source * target + rules
        return counts

    def sum_squares(self) -> Floats:
        """Return K(x, x) of every pair for this window size."""
        source, target, rules = (part.sum_squares() for part in self.list_parts())
        return source * target + rules


def make_empty_rows(n: int) -> KeyRows:
    """Return ``n`` rows without any key.

    >>> len(make_empty_rows(2).indptr)
    3
    """
    return KeyRows(np.zeros(n + 1, np.int64), np.empty(0, np.uint64), np.empty(0))


def list_all_rules(
    windows: list[WindowRows], scale: Floats, size_keys: list[np.uint64], n_jobs: int | None = 1
) -> KeyRows:
    """List all rules of all window sizes."""
    indptr = offsets_of(np.sum([rows.count_rules() for rows in windows], axis=0, dtype=np.int64))
    keys, values = np.empty(indptr[-1], np.uint64), np.empty(indptr[-1])
    fill = indptr[:-1].copy()
    spans = split_range(len(fill), max(256, len(fill) // 16))
    for rows, row_scale, key in zip(windows, scale, size_keys):
        arrays = (fill, keys, values, row_scale, key, *rows.list_parts())
        run_in_threads(_list_rules, [(*span, *arrays) for span in spans], n_jobs)
    return KeyRows(indptr, keys, values)


@compiled
def _list_rules(first, last, fill, keys, values, scale, size_key, source, target, rules):  # type: ignore[no-untyped-def]
    """Write the rules of pairs ``first`` … ``last``, each from ``fill[row]`` on, and move ``fill`` past them."""
    source_indptr, source_keys, source_values = source
    target_indptr, target_keys, target_values = target
    rule_indptr, rule_keys, rule_values = rules
    for row in range(first, last):
        at = fill[row]
        factor = scale[row]
        for one in range(source_indptr[row], source_indptr[row + 1]):
            begun = source_keys[one] + size_key
            value = source_values[one] * factor
            for other in range(target_indptr[row], target_indptr[row + 1]):
                keys[at] = mix(begun + target_keys[other])
                values[at] = value * target_values[other]
                at += 1
        for one in range(rule_indptr[row], rule_indptr[row + 1]):
            keys[at] = rule_keys[one]
            values[at] = rule_values[one] * factor
            at += 1
        fill[row] = at


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
