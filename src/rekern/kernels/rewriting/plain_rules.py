"""The rules without wildcards of a decision function: the n-grams of the training pairs, as lists of pairs.

The rules themselves are not listed: they are the combinations of an n-gram of the source and one of the target, and
ten thousand pairs have forty million of them, but only a million n-grams.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats, Ints, Keys, SmallInts, offsets_of, take_ragged
from rekern.core.inverted_lists import invert_numbers
from rekern.core.key_index import index_keys, look_up, number_keys
from rekern.core.key_rows import KeyRows
from rekern.core.number_packing import pack_keys, pack_numbers, unpack_keys, unpack_numbers
from rekern.core.object_descriptions import State
from rekern.core.parallel_jobs import run_in_threads, split_range
from rekern.core.state_schema import Array, Record
from rekern.errors import ModelFileError
from rekern.kernels.rewriting.plain_rule_core import (
    add_plain_scores,
    find_strong_rules,
    transpose_lists,
    weigh_plain_rules,
)

MOST_COUNT = 1 << 32

Counts = npt.NDArray[np.uint32]

PACKED_LISTS = Record(
    tops=Array("u1", "*"),
    rests=Array("u1", "*", "keys"),
    lengths=Array("u1", "*", "keys"),
    steps=Array("u1", "*", "entries"),
    counts=Array("u1", "*", "entries"),
)


class NgramLists(NamedTuple):
    """The n-grams of one side: their keys in ascending order, and the pairs that have each, with counts."""

    keys: Keys
    offsets: Ints
    rows: SmallInts
    counts: Counts

    @classmethod
    def from_rows(cls, rows: KeyRows) -> NgramLists:
        """Return the lists of n-grams that are given pair by pair."""
        numbers, distinct = number_keys(rows.keys)
        order = np.argsort(distinct)
        ranks = np.empty(len(order), np.int32)
        ranks[order] = np.arange(len(order), dtype=np.int32)
        offsets, found, entries = invert_numbers(rows.indptr, ranks[numbers], len(distinct))
        return cls(distinct[order], offsets, found, rows.values[entries].astype(np.uint32))

    def to_state(self) -> State:
        """Return the lists in few bytes."""
        lengths = np.diff(self.offsets)
        steps = np.diff(self.rows.astype(np.int64), prepend=0) - 1
        steps[self.offsets[:-1]] = self.rows[self.offsets[:-1]]
        packed = {"lengths": lengths, "steps": steps, "counts": self.counts.astype(np.int64)}
        return State(**pack_keys(self.keys), **{name: pack_numbers(array) for name, array in packed.items()})

    @classmethod
    def from_state(cls, state: State, size: int) -> NgramLists:
        """Return the lists of a file, after checking them; ``size`` is the number of pairs."""
        PACKED_LISTS.check(state, "lists of n-grams")
        keys = unpack_keys(state["tops"], state["rests"])
        lengths = unpack_numbers(state["lengths"], size + 1).astype(np.int64)
        steps = unpack_numbers(state["steps"], max(size, 1))
        counts = unpack_numbers(state["counts"], MOST_COUNT).astype(np.uint32)
        if not (lengths > 0).all() or lengths.sum() != len(steps) or not (counts > 0).all():
            raise ModelFileError("its lists of n-grams are damaged")
        offsets, sums = offsets_of(lengths), np.cumsum(steps.astype(np.int64) + 1)
        rows = sums - np.repeat(np.append(0, sums)[offsets[:-1]], lengths) - 1
        if len(rows) and int(rows.max()) >= size:
            raise ModelFileError("its lists of n-grams are damaged")
        return cls(keys, offsets, rows.astype(np.int32), counts)

    def take(self, numbers: Ints) -> NgramLists:
        """Return the lists of some n-grams."""
        lengths = np.diff(self.offsets)[numbers]
        places = take_ragged(self.offsets, numbers).places
        return NgramLists(self.keys[numbers], offsets_of(lengths), self.rows[places], self.counts[places])


class PlainRules:
    """The rules without wildcards of one window size, with weights: Σ over pairs of factor · count · count.

    ``factors`` has a row for each training pair, and a column for each output.

    >>> rows = KeyRows(np.array([0, 1, 2]), np.array([7, 7], dtype=np.uint64), np.array([1.0, 2.0]))
    >>> rules = PlainRules(NgramLists.from_rows(rows), NgramLists.from_rows(rows), np.array([[1.0], [-1.0]]))
    >>> scores = np.zeros((1, 1))
    >>> rules.add_scores(scores, np.ones(1), rows.slice_rows(0, 1), rows.slice_rows(1, 2))
    >>> scores  # 1 · 2 · (1 - 4)
    array([[-6.]])
    """

    def __init__(self, source: NgramLists, target: NgramLists, factors: Floats):
        self.source, self.target, self.factors = source, target, factors
        self._index = index_keys(source.keys), index_keys(target.keys)
        weights = np.ascontiguousarray((factors[target.rows] * target.counts[:, None]).T)
        rows = source.rows.view(np.uint32), target.rows.view(np.uint32)  # an index without a sign costs less
        self._lists = (source.offsets, rows[0], source.counts), (target.offsets, rows[1], weights), len(factors)

    def add_scores(self, scores: Floats, scale: Floats, source: KeyRows, target: KeyRows) -> None:
        """Add what these rules give to new pairs, times the scale of each pair, to their scores."""
        numbered = [
            (rows.indptr, look_up(rows.keys, index), rows.values) for rows, index in zip((source, target), self._index)
        ]
        add_plain_scores(scores, scale, *numbered, *self._lists)

    def weigh(self, source_keys: Keys, target_keys: Keys, output: int) -> Floats:
        """Return the weights of the rules from each source n-gram (a row) to each target n-gram (a column)."""
        grams = [look_up(keys, index) for keys, index in zip((source_keys, target_keys), self._index)]
        weights: Floats = weigh_plain_rules(*grams, *self._lists, output)
        return weights

    def find_strongest(self, n: int, output: int) -> tuple[Keys, Keys, Floats]:
        """Return source keys, target keys and weights of at least the ``n`` strongest rules for, and against."""
        sources, factors = tuple(self.source[1:]), np.ascontiguousarray(self.factors[:, output])
        targets = transpose_lists(*self.target[1:], len(self.factors))
        spans = split_range(len(self.source.keys), max(256, len(self.source.keys) // 16))
        width = len(self.target.keys)
        calls = [(*span, sources, targets, width, factors, n) for span in spans]
        blocks = run_in_threads(find_strong_rules, calls)
        if not blocks:
            return self.source.keys[:0], self.target.keys[:0], np.zeros(0)
        one, two, weights = (np.concatenate(parts) for parts in zip(*blocks))
        return self.source.keys[one], self.target.keys[two], weights

    def to_state(self) -> State:
        """Return the lists of both sides; the factors are kept by the decision function."""
        return State(source=self.source.to_state(), target=self.target.to_state())

    @classmethod
    def from_state(cls, state: State, factors: Floats) -> PlainRules:
        """Return the rules of a file, after checking them."""
        lists = [NgramLists.from_state(state.state(side), len(factors)) for side in ("source", "target")]
        return cls(lists[0], lists[1], factors)
