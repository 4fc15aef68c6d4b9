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
from rekern.core.key_index import KeyIndex, index_keys, look_up, number_keys
from rekern.core.key_rows import KeyRows
from rekern.core.number_packing import pack_keys, pack_numbers, unpack_keys, unpack_numbers
from rekern.core.object_descriptions import State
from rekern.core.parallel_jobs import run_in_threads, split_range
from rekern.core.state_schema import Array, Record
from rekern.errors import ModelFileError
from rekern.kernels.rewriting.plain_rule_core import (
    add_plain_scores,
    fill_frequent_table,
    find_strong_rules,
    transpose_lists,
    weigh_plain_rules,
)

FREQUENT = 32  # an n-gram is frequent if more than one in so many training pairs has it
FEW_PAIRS = 32  # and if more than this many have it
MOST_FREQUENT = 256
TABLE_CELLS = 1 << 20  # of the table of a side
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

    def find(self, keys: Keys) -> Ints:
        """Return the numbers of n-grams by their keys; -1 for one that is not there."""
        places = np.searchsorted(self.keys, keys)
        is_there = places < len(self.keys)
        is_there[is_there] = self.keys[places[is_there]] == keys[is_there]
        return np.where(is_there, places, -1)

    def take(self, numbers: Ints) -> NgramLists:
        """Return the lists of some n-grams."""
        lengths = np.diff(self.offsets)[numbers]
        places = take_ragged(self.offsets, numbers).places
        return NgramLists(self.keys[numbers], offsets_of(lengths), self.rows[places], self.counts[places])


def weigh_ngrams(one: NgramLists, other: NgramLists, factors: Floats) -> Floats:
    """Return the weights of the rules of each n-gram of one side (a row) with each of the other (a column)."""
    columns = np.repeat(np.arange(len(other.keys)), np.diff(other.offsets))
    weights = np.zeros((len(one.keys), len(other.keys)))
    times = np.zeros(len(factors))
    for number in range(len(one.keys)):
        entries = slice(one.offsets[number], one.offsets[number + 1])
        times[one.rows[entries]] = one.counts[entries]
        added = factors[other.rows] * (times[other.rows] * other.counts)
        weights[number] = np.bincount(columns, added, len(other.keys))  # added in the order of the pairs
        times[one.rows[entries]] = 0.0
    return weights


class _Frequent(NamedTuple):
    """What scores many pairs quickly: the numbers of n-grams by their keys, the columns of frequent ones, weights."""

    source_index: KeyIndex
    target_index: KeyIndex
    source_slots: SmallInts
    target_slots: SmallInts
    source_table: Floats
    target_table: Floats


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
        self.source, self.target, self.factors = source, target, np.ascontiguousarray(factors)
        self._frequent: _Frequent | None = None

    def prepare(self) -> None:
        """Make what many pairs are scored with; `add_scores` does it too, but not once for all threads."""
        if self._frequent is None:
            slots = self._choose_frequent(self.source, self.target), self._choose_frequent(self.target, self.source)
            self._frequent = _Frequent(
                index_keys(self.source.keys),
                index_keys(self.target.keys),
                *slots,
                self._fill(slots[0], self.source, self.target),
                self._fill(slots[1], self.target, self.source),
            )

    def _choose_frequent(self, lists: NgramLists, others: NgramLists) -> SmallInts:
        """Return the column of every frequent n-gram in the table of frequent ones; -1 for a rare one."""
        lengths = np.diff(lists.offsets)
        bound = max(FEW_PAIRS, len(self.factors) // FREQUENT)
        most = min(MOST_FREQUENT, TABLE_CELLS // max(1, len(others.keys) * self.factors.shape[1]))
        chosen = np.flatnonzero(lengths > bound)
        chosen = np.sort(chosen[np.argsort(-lengths[chosen], kind="stable")[:most]])
        slots = np.full(len(lengths), -1, np.int32)
        slots[chosen] = np.arange(len(chosen), dtype=np.int32)
        return slots

    def _fill(self, slots: SmallInts, one: NgramLists, other: NgramLists) -> Floats:
        size = int(slots.max(initial=-1)) + 1
        table = np.zeros((len(other.keys) if size else 0, size, self.factors.shape[1]))
        if size:
            fill_frequent_table(slots, tuple(one[1:]), tuple(other[1:]), self.factors, table)
        return table

    def add_scores(self, scores: Floats, scale: Floats, source: KeyRows, target: KeyRows) -> None:
        """Add what these rules give to new pairs, times the scale of each pair, to their scores."""
        self.prepare()
        if self._frequent is None:
            for row in range(len(scale)):
                sides = source.slice_rows(row, row + 1), target.slice_rows(row, row + 1)
                self._score_alone(scores[row : row + 1], np.ascontiguousarray(scale[row : row + 1]), *sides)
            return
        known = self._frequent
        add_plain_scores(
            scores,
            np.ascontiguousarray(scale),
            (source.indptr, look_up(source.keys, known.source_index), source.values),
            (target.indptr, look_up(target.keys, known.target_index), target.values),
            (*self.source[1:], known.source_slots),
            (*self.target[1:], known.target_slots),
            self.factors,
            known.source_table,
            known.target_table,
        )

    def _score_alone(self, scores: Floats, scale: Floats, source: KeyRows, target: KeyRows) -> None:
        """Add the same to the score of a single pair, with tables of its own n-grams only."""
        one, two = self.source.find(source.keys), self.target.find(target.keys)
        slots = self._choose_frequent(self.source, self.target)[one[one >= 0]]
        slots2 = self._choose_frequent(self.target, self.source)[two[two >= 0]]
        lists, lists2 = self.source.take(one[one >= 0]), self.target.take(two[two >= 0])
        frequent, frequent2 = np.flatnonzero(slots >= 0), np.flatnonzero(slots2 >= 0)
        slots[frequent] = np.arange(len(frequent))
        slots2[frequent2] = np.arange(len(frequent2))
        outputs = range(self.factors.shape[1])
        tables = (
            [weigh_ngrams(lists.take(frequent), lists2, self.factors[:, output]).T for output in outputs],
            [weigh_ngrams(lists2.take(frequent2), lists, self.factors[:, output]).T for output in outputs],
        )
        add_plain_scores(
            scores,
            scale,
            (source.indptr, _number_known(one), source.values),
            (target.indptr, _number_known(two), target.values),
            (*lists[1:], slots),
            (*lists2[1:], slots2),
            self.factors,
            *(np.ascontiguousarray(np.stack(table, axis=2)) for table in tables),
        )

    def weigh(self, source_keys: Keys, target_keys: Keys, output: int) -> Floats:
        """Return the weights of the rules from each source n-gram (a row) to each target n-gram (a column)."""
        self.prepare()
        if self._frequent is not None:
            known = self._frequent
            found: Floats = weigh_plain_rules(
                look_up(source_keys, known.source_index),
                look_up(target_keys, known.target_index),
                (*self.source[1:], known.source_slots),
                (*self.target[1:], known.target_slots),
                self.factors,
                output,
                known.source_table,
                known.target_table,
            )
            return found
        one, two = self.source.find(source_keys), self.target.find(target_keys)
        weights = np.zeros((len(one), len(two)))
        lists, lists2 = self.source.take(one[one >= 0]), self.target.take(two[two >= 0])
        weights[np.ix_(one >= 0, two >= 0)] = weigh_ngrams(lists, lists2, self.factors[:, output])
        return weights

    def find_strongest(self, n: int, output: int) -> tuple[Keys, Keys, Floats]:
        """Return source keys, target keys and weights of at least the ``n`` strongest rules for, and against."""
        sources = tuple(self.source[1:])
        targets = transpose_lists(*self.target[1:], len(self.factors))
        spans = split_range(len(self.source.keys), max(256, len(self.source.keys) // 16))
        width = len(self.target.keys)
        calls = [(*span, sources, targets, width, self.factors, output, n) for span in spans]
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


def _number_known(numbers: Ints) -> SmallInts:
    """Return the numbers of n-grams among those that are known; -1 for the others."""
    return np.where(numbers >= 0, np.cumsum(numbers >= 0) - 1, -1).astype(np.int32)
