"""The features of a corpus of pairs for one window size, as rows of keys."""

from typing import Any, NamedTuple

import numpy as np

from rekern.core.jobs import run_in_threads, split_range
from rekern.core.key_rows import KeyRows, stack_rows
from rekern.kernels.rewriting.rule_lists import count_rules, list_rules

NOTHING = np.uint64(0)


def empty_rows(number: int) -> KeyRows:
    """So many rows without any key."""
    return KeyRows(np.zeros(number + 1, np.int64), np.empty(0, np.uint64), np.empty(0))


class Rows(NamedTuple):
    """The features of a corpus for one window size: k-grams of each side, and rules with aligned wildcards."""

    source: KeyRows
    target: KeyRows
    rules: KeyRows | None

    def wild(self) -> KeyRows:
        """The rules with aligned wildcards, if any."""
        return self.rules if self.rules is not None else empty_rows(len(self.source.indptr) - 1)

    def only_rules(self) -> "Rows":
        """The same without k-grams."""
        nothing = empty_rows(len(self.source.indptr) - 1)
        return Rows(nothing, nothing, self.rules)

    def part(self, first: int, last: int) -> "Rows":
        """The features of pairs ``first`` … ``last``."""
        rules = None if self.rules is None else self.rules.part(first, last)
        return Rows(self.source.part(first, last), self.target.part(first, last), rules)

    def counts(self, mask: np.uint64 = NOTHING, size_key: np.uint64 = NOTHING) -> np.ndarray:
        """How many rules each pair has; of those without wildcards, a sample if the mask is not 0."""
        return count_rules(self.source, self.target, self.wild(), size_key, mask)

    def products(self, other: "Rows") -> np.ndarray:
        """The kernel of every pair with the one pair of ``other``, over the features that are listed there."""
        plain = self.source.products(other.source) * self.target.products(other.target)
        return plain + self.wild().products(other.wild())

    def squared_norms(self) -> np.ndarray:
        """K(x, x) of every pair for this window size."""
        product = self.source.squared_norms() * self.target.squared_norms()
        return product if self.rules is None else product + self.rules.squared_norms()


def list_all(
    windows: list[Rows], scale: np.ndarray, size_keys: list[Any], mask: np.uint64 = NOTHING, n_jobs: int | None = 1
) -> KeyRows:
    """All rules of all window sizes, those without wildcards among them (a sample of these if the mask is not 0)."""
    counts = np.sum([rows.counts(mask, key) for rows, key in zip(windows, size_keys)], axis=0, dtype=np.int64)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    keys, values = np.empty(indptr[-1], np.uint64), np.empty(indptr[-1])
    fill = indptr[:-1].copy()
    for rows, row_scale, key in zip(windows, scale, size_keys):
        arrays = (fill, keys, values, row_scale, key, rows.source, rows.target, rows.wild(), mask)
        run_in_threads(
            list_rules, [(*span, *arrays) for span in split_range(len(fill), max(256, len(fill) // 16))], n_jobs
        )
    return KeyRows(indptr, keys, values)


def one_below_the_other(blocks: list[Rows]) -> Rows:
    rules = [block.rules for block in blocks if block.rules is not None]
    return Rows(
        stack_rows([block.source for block in blocks]),
        stack_rows([block.target for block in blocks]),
        stack_rows(rules) if rules else None,
    )
