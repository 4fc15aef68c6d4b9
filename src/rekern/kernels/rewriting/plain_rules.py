"""The rules without wildcards of a decision function: the n-grams of the training pairs, as lists of pairs.

The rules themselves are not listed: they are the combinations of an n-gram of the source and one of the target, and
ten thousand pairs have forty million of them, but only a million n-grams.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

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
FREQUENT = 1 / 32  # an n-gram is frequent if more than this share of the training pairs has it, and more than 64
MOST_WEIGHTS = 1 << 22  # of rules with frequent n-grams that are kept
MANY = 64  # new pairs for which these are worth their matrix products

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


class FrequentRules(NamedTuple):
    """The weights of the rules from the frequent n-grams of one side to all n-grams of the other side."""

    slots: Ints  # of each n-gram, and of the number -1: the number of frequent ones for all others
    weights: Floats  # by output, n-gram of the other side (the last is for the number -1), and slot


def _weigh_frequent(one: NgramLists, other: NgramLists, factors: Floats) -> FrequentRules:
    """Return the rules of the frequent n-grams of the first side."""
    lengths, n_outputs = np.diff(one.offsets), factors.shape[1]
    order = np.argsort(-lengths, kind="stable")[: MOST_WEIGHTS // (n_outputs * (len(other.keys) + 1))]
    frequent = order[lengths[order] > max(64, FREQUENT * len(factors))]
    slots = np.full(len(lengths) + 1, len(frequent))
    slots[frequent] = np.arange(len(frequent))
    counts = np.zeros((len(factors), len(frequent)))
    for slot, number in enumerate(frequent.tolist()):
        entries = slice(one.offsets[number], one.offsets[number + 1])
        counts[one.rows[entries], slot] = one.counts[entries]
    lists = sp.csr_array((other.counts.astype(np.float64), other.rows, other.offsets), (len(other.keys), len(factors)))
    weights = np.zeros((n_outputs, len(other.keys) + 1, len(frequent)))
    for output in range(n_outputs):
        weights[output, :-1] = lists @ (factors[:, [output]] * counts)
    return FrequentRules(slots, weights)


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
        """Add what these rules give to new pairs, times the scale of each pair, to their scores.

        Frequent n-grams have long lists: for many pairs, their rules are added by products of matrices.
        """
        numbered = [
            (rows.indptr, look_up(rows.keys, index), rows.values) for rows, index in zip((source, target), self._index)
        ]
        if len(scale) >= MANY:
            for one, other in ((0, 1), (1, 0)):
                slots, weights = self._frequent[one]
                n_grams, size = weights.shape[1] - 1, weights.shape[2]
                if size:
                    indptr, grams, values = numbered[one]
                    found = slots[grams]
                    counts = sp.csr_array((values, found, indptr), shape=(len(scale), size + 1)).toarray()[:, :size]
                    numbered[one] = indptr, np.where(found < size, grams.dtype.type(-1), grams), values
                    indptr, grams, values = numbered[other]
                    columns = np.where(grams < 0, n_grams, grams)
                    others = sp.csr_array((values, columns, indptr), shape=(len(scale), n_grams + 1))
                    for output, table in enumerate(weights):
                        scores[:, output] += scale * np.einsum("ij,ij->i", others @ table, counts)
        add_plain_scores(scores, scale, *numbered, *self._lists)

    @cached_property
    def _frequent(self) -> tuple[FrequentRules, FrequentRules]:
        sides = self.source, self.target
        return _weigh_frequent(*sides, self.factors), _weigh_frequent(*sides[::-1], self.factors)

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
