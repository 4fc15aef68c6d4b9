"""The decision function of a rewriting kernel as rules with weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

import numpy as np

from rekern.core.arrays import Floats, Ints, Keys
from rekern.core.explanation_parts import Part, PartList
from rekern.core.key_rows import KeyRows
from rekern.core.object_descriptions import State
from rekern.core.parallel_jobs import run_in_threads, split_evenly, split_range
from rekern.core.state_schema import Array, InstanceOf, ListOf, Optional, Record, Whole
from rekern.core.weight_table import (
    Numbers,
    WeightTable,
    add_scores,
    find_weights,
    pack_weights,
    share_weights,
    sum_and_count,
    unpack_weights,
)
from rekern.kernels.decision_functions import DecisionFunction, GramSource
from rekern.kernels.kernel_items import Item, Items, cut_pairs, wrap_item
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.kernels.rewriting.plain_rules import NgramLists, PlainRules
from rekern.kernels.rewriting.rule_extraction import MOST_RULES, MeasuredBlocks, RuleExtractor
from rekern.kernels.rewriting.rule_parts import CombinedRules, RuleValues, list_aligned_parts, list_combined_parts
from rekern.kernels.rewriting.rule_text import PairWords, spell_pair
from rekern.kernels.rewriting.strong_rules import BothSides, RuleShelf, find_strong_rules
from rekern.kernels.rewriting.window_rows import WindowRows
from rekern.structures.column_selection import select_pairs
from rekern.structures.pairs import Pairs
from rekern.structures.tokenizer import Tokenize

FEW_PAIRS, MANY_PAIRS = 256, 1024  # in a block: the rules of one window size stay in the cache
SHORTEST_KEY, LONGEST_KEY = 16, 64  # bits


class RuleKernel(GramSource, Protocol):
    """What the decision function needs of a rewriting kernel."""

    on: str | None
    tokenizer: Tokenize | None

    def make_extractor(self) -> RuleExtractor:
        """Return what extracts the rules of pairs."""
        ...

    def read_items(self, X: Items) -> Pairs:
        """Return pairs of texts as interned tokens."""
        ...


class RuleDecision(DecisionFunction):
    """Σ over the rules of a pair of value · weight, with weight = Σ over training pairs of coefficient · value.

    Rules without wildcards are kept as lists of n-grams (`PlainRules`), those with wildcards as a table of weights,
    both for each window size. Compact rules have shorter keys: only the first ``key_bits`` bits of a key are looked up.
    """

    STATE = Record(
        factors=Array("f8", "windows", "rows", "outputs"),
        windows=ListOf(InstanceOf(State), "windows"),
        shelf=InstanceOf(State),
        key_bits=Optional(Whole(SHORTEST_KEY, LONGEST_KEY)),
    )

    def __init__(
        self,
        kernel: RuleKernel,
        plain: list[PlainRules],
        wildcard: list[WeightTable],
        shelf: RuleShelf | None = None,
        key_bits: int = LONGEST_KEY,
    ):
        self.key_bits = key_bits
        self.kernel = kernel
        self.extractor = kernel.make_extractor()
        self.plain = plain
        self.wildcard = wildcard
        self.outputs = plain[0].factors.shape[1]
        self.shelf = shelf  # of a file: the strongest rules
        # Of a trained function, not of a file: the training pairs, and how many of them have each rule with wildcards.
        self.training: Pairs | None = None
        self.wildcard_counts: list[Numbers] = []

    @classmethod
    def learn(cls, kernel: RuleKernel, X: Items, coefficients: Floats) -> Self:
        """Return the decision function of training pairs."""
        extractor, pairs = kernel.make_extractor(), kernel.read_items(X)
        coefficients = np.asarray(coefficients, dtype=float)
        used = np.flatnonzero(np.any(coefficients != 0, axis=1))
        rows, scale = _extract_used(extractor, pairs, used)
        calls = [(row, coefficients[used] * row_scale[:, None]) for row, row_scale in zip(rows, scale)]
        learned = run_in_threads(_learn_window, calls[::-1])[::-1]  # the one with the most rules is begun first
        found = cls(kernel, [plain for plain, _, _ in learned], [table for _, table, _ in learned])
        found.training, found.wildcard_counts = pairs, [counts for _, _, counts in learned]
        return found

    def to_state(self) -> State:
        """Return the lists of n-grams, the tables of weights and the strongest rules."""
        packed, shelf = run_in_threads(lambda make: make(), [(self._pack_windows,), (self.make_shelf,)])
        return State(
            factors=np.array([rules.factors for rules in self.plain]),
            windows=packed,
            shelf=shelf.to_state(),
            **({} if self.key_bits == LONGEST_KEY else {"key_bits": self.key_bits}),
        )

    def _pack_windows(self) -> list[State]:
        return [
            State(plain=rules.to_state(), wildcard=pack_weights(table))
            for rules, table in zip(self.plain, self.wildcard)
        ]

    @classmethod
    def from_state(cls, kernel: RuleKernel, state: State, outputs: int) -> Self:
        """Return the function that `to_state` wrote down, after checking it."""
        count = len(kernel.make_extractor().windows)
        cls.STATE.check(state, "decision function", {"windows": count, "outputs": outputs})
        factors, windows = state["factors"], state.states("windows", count)
        plain = [PlainRules.from_state(window.state("plain"), rows) for window, rows in zip(windows, factors)]
        wildcard = [unpack_weights(window.state("wildcard"), outputs) for window in windows]
        shelf = RuleShelf.from_state(state.state("shelf"), outputs)
        return cls(kernel, plain, wildcard, shelf, state.get("key_bits", LONGEST_KEY))

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every pair, a column for each output. Other pairs do not change the sum of a pair."""
        known = self.extractor.recall(X) if isinstance(X, Pairs) else None
        if known is not None:
            return self._score_rows(known, n_jobs)
        calls = cut_pairs(X, self.kernel.on, lambda n: split_evenly(n, FEW_PAIRS, MANY_PAIRS, n_jobs))
        blocks = run_in_threads(self._score_block, calls, n_jobs)  # in this process: the table is larger than the work
        return np.concatenate(blocks) if blocks else np.zeros((0, self.outputs))

    def _score_rows(self, measured: MeasuredBlocks, n_jobs: int | None) -> Floats:
        """Return the sums for pairs whose rules are extracted already."""
        scales = self.extractor.find_scales(measured.squares)
        scores = np.zeros((scales.shape[1], self.outputs))

        def add_block(windows: list[WindowRows], offset: int, first: int, last: int) -> None:
            rows, span = [row.slice_rows(first, last) for row in windows], slice(offset + first, offset + last)
            self._add(scores[span], rows, scales[:, span])

        calls, offset = [], 0
        for windows in measured.blocks:
            pairs = windows[0].count_pairs()
            calls += [(windows, offset, first, last) for first, last in split_range(pairs, FEW_PAIRS)]
            offset += pairs
        run_in_threads(add_block, calls, n_jobs)
        return scores

    def _score_block(self, block: Items, first: int) -> Floats:
        pairs = Pairs.from_items(block, self.kernel.tokenizer, first_row=first)
        scores = np.zeros((len(pairs), self.outputs))
        rows, squares = self.extractor.measure(pairs, n_jobs=1, row=first)
        self._add(scores, rows, self.extractor.find_scales(squares))
        return scores

    def _add(self, scores: Floats, rows: list[WindowRows], scales: Floats) -> None:
        for window, scale, plain, wildcard in zip(rows, scales, self.plain, self.wildcard):
            scale = np.ascontiguousarray(scale)
            source, target, rules = (self._shorten(part) for part in window.list_parts())
            plain.add_scores(scores, scale, source, target)
            add_scores(scores, scale, *rules, *wildcard)

    def _shorten(self, rows: KeyRows) -> KeyRows:
        """Return features with keys as they are looked up."""
        return rows if self.key_bits == LONGEST_KEY else rows._replace(keys=shorten_keys(rows.keys, self.key_bits))

    def parts(self, item: Item, output: int = 0) -> Sequence[Part]:
        """Return what each rule of a pair adds; rules are written as text when they are looked at."""
        pairs = Pairs.from_items(select_pairs(wrap_item(item), self.kernel.on), self.kernel.tokenizer, with_forms=True)
        rows, squares = self.extractor.measure(pairs, n_jobs=1)
        if sum(int(window.count_rules()[0]) for window in rows) > MOST_RULES:
            name = f"{summarize_kernel(self.kernel)} (too many rules to list)"
            return [Part("kernel", name, 1.0, float(self.score(pairs)[0, output]))]
        scales = self.extractor.find_scales(squares)
        words = PairWords.from_pair(pairs, 0, spell_pair(pairs, 0))
        blocks = []
        for number, (window, row, scale) in enumerate(zip(self.extractor.windows, rows, scales)):
            combined, aligned = self._weigh(row, float(scale[0]), number, output)
            blocks.append(list_combined_parts(self.extractor, window, words, combined))
            blocks.append(list_aligned_parts(self.extractor, window, words, aligned))
        return PartList.from_blocks(blocks)

    def _weigh(self, row: WindowRows, scale: float, number: int, output: int) -> tuple[CombinedRules, RuleValues]:
        """Return the rules of one pair whose values and weights are not 0: without and with aligned wildcards."""
        values = (row.source.values[:, None] * scale) * row.target.values
        source, target, wild = (self._shorten(part) for part in row.list_parts())
        weights = self.plain[number].weigh(source.keys, target.keys, output)
        ones, others = np.nonzero((weights != 0) & (values != 0))
        rules = row.get_wildcard_rules()
        rule_weights, rule_values = find_weights(wild.keys, self.wildcard[number])[:, output], rules.values * scale
        kept = np.flatnonzero((rule_weights != 0) & (rule_values != 0))
        patterns = row.source.keys, row.target.keys
        return (
            CombinedRules(patterns, (ones, others), values[ones, others], weights[ones, others]),
            RuleValues(rules.keys[kept], rule_values[kept], rule_weights[kept]),
        )

    def list_both_sides(self, n: int, output: int = 0) -> BothSides:
        """Return the ``n`` rules with the largest weights for an output, and the ``n`` against it."""
        if self.shelf is not None:
            return self.shelf.list_rules(n, output)
        assert self.training is not None
        return find_strong_rules(self.extractor, self.training, self.plain, self.wildcard, n, output)

    def make_shelf(self) -> RuleShelf:
        """Return the strongest rules of all outputs, for a file."""
        if self.shelf is not None:
            return self.shelf
        return RuleShelf.collect(self.list_both_sides, self.outputs)


def shorten_keys(keys: Keys, bits: int) -> Keys:
    """Return keys of which all but the first bits are 0.

    >>> shorten_keys(np.array([2**63 + 5], dtype=np.uint64), 32).tolist() == [2**63]
    True
    """
    return keys & mask_first_bits(bits)


def mask_first_bits(bits: int) -> np.uint64:
    """Return a key of which only the first bits are 1.

    >>> int(mask_first_bits(32)) == 2**64 - 2**32
    True
    """
    return np.uint64((1 << 64) - (1 << (64 - bits)))


def _learn_window(rows: WindowRows, factors: Floats) -> tuple[PlainRules, WeightTable, Numbers]:
    """Return the rules of one window size with their weights, and how many pairs have each rule with wildcards."""
    plain = PlainRules(NgramLists.from_rows(rows.source), NgramLists.from_rows(rows.target), factors)
    table, counts = sum_and_count(rows.get_wildcard_rules(), factors)
    numbers, weights = share_weights(table)
    return plain, table._replace(numbers=numbers, weights=weights), counts


def _extract_used(extractor: RuleExtractor, pairs: Pairs, used: Ints) -> tuple[list[WindowRows], Floats]:
    """Return the features and scales of the used pairs."""
    known = extractor.recall(pairs)
    if known is None:
        rows, squares = extractor.measure(pairs.take(used))
        return rows, extractor.find_scales(squares)
    return known.take(used), extractor.find_scales(known.squares)[:, used]
