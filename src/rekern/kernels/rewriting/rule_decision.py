"""The decision function of a rewriting kernel as a table of rules with weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from rekern.core.arrays import Floats, Ints, Keys
from rekern.core.explanations import Part
from rekern.core.key_index import KeyIndex, index_keys, look_up, number_keys
from rekern.core.key_rows import KeyRows
from rekern.core.parallel_jobs import run_in_threads, split_range
from rekern.core.weight_table import EMPTY, add_scores, find_weights, sum_weights
from rekern.kernels.decision_functions import DecisionFunction, GramDecision, GramSource
from rekern.kernels.kernel_items import Item, Items, materialize_items
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.kernels.rewriting.rule_extraction import RuleExtractor
from rekern.kernels.rewriting.rule_text import find_matches
from rekern.kernels.rewriting.window_rows import WindowRows, list_all_rules
from rekern.kernels.strings.ngram_kernels import Tokenize
from rekern.structures.column_selection import select_pairs
from rekern.structures.pairs import Pairs, as_pairs

PAIRS_IN_BLOCK = 256
PAIRS_LISTED = 1024


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


class WeightedRule(NamedTuple):
    """A rule of a model: its weight, how many training pairs it matches, and one of them."""

    rule: str
    weight: float
    support: int
    pair: int  # the number of a training pair that it matches
    source: str  # the words of that pair that it lies on
    target: str


class RuleDecision(DecisionFunction):
    """Σ over the rules of a pair of value · weight, with weight = Σ over training pairs of coefficient · value."""

    def __init__(self, kernel: RuleKernel, X: Items, coefficients: Floats):
        self.kernel = kernel
        self.extractor = kernel.make_extractor()
        self.coefficients = np.asarray(coefficients, dtype=float)
        self.pairs = kernel.read_items(X)
        self._sizes = self.extractor.size_keys()
        heavy = self.extractor.find_heavy(self.pairs)  # compared as wholes: their rules are too many to list
        self.heavy: GramDecision | None = None
        if len(heavy):
            self.heavy = GramDecision(kernel, [self.pairs[i] for i in heavy], self.coefficients[heavy])
        self.light = np.setdiff1d(np.arange(len(self.pairs)), heavy)
        self.rows = self.extractor.extract_light(self.pairs.take(self.light))
        self.scale = self.extractor.find_scales(np.array([row.sum_squares() for row in self.rows]))
        self._build()

    def _build(self) -> None:
        coefficients = np.ascontiguousarray(self.coefficients[self.light])
        self._known = [(_index_distinct(rows.source.keys), _index_distinct(rows.target.keys)) for rows in self.rows]
        blocks = ((listed, coefficients[first:last]) for _, first, last, listed in self._list_blocks())
        self.table = sum_weights(blocks, coefficients.shape[1])

    def _list_blocks(self) -> Iterator[tuple[int, int, int, KeyRows]]:
        """Yield the rules of the training pairs in blocks: number of the window size, first and last pair, rules."""
        for number, (rows, scale, key) in enumerate(zip(self.rows, self.scale, self._sizes)):
            for first, last in split_range(len(self.light), PAIRS_LISTED):
                block = rows.slice_rows(first, last)
                yield number, first, last, list_all_rules([block], scale[None, first:last], [key])

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every pair, a column for each output. Other pairs do not change the sum of a pair."""
        if isinstance(X, Pairs):
            calls: list[tuple[object, int]] = [
                (X[first:last], 0) for first, last in split_range(len(X), PAIRS_IN_BLOCK)
            ]
        else:
            sources, targets = as_pairs(select_pairs(materialize_items(X), self.kernel.on))
            whole = list(zip(sources, targets))
            calls = [(whole[first:last], first) for first, last in split_range(len(whole), PAIRS_IN_BLOCK)]
        blocks = run_in_threads(self._score_block, calls, n_jobs)  # in this process: the table is larger than the work
        return np.concatenate(blocks) if blocks else np.zeros((0, self.coefficients.shape[1]))

    def _score_block(self, block: Items, first: int) -> Floats:
        pairs = Pairs.from_items(block, self.kernel.tokenizer, first_row=first)
        scores = np.zeros((len(pairs), self.coefficients.shape[1]))
        rows, squares, heavy = self.extractor.measure(pairs, n_jobs=1)
        scales = self.extractor.find_scales(squares)
        self._add(scores, rows, scales)
        for index, parts in heavy.items():
            for part in self.extractor.extract_parts(pairs.take([index]), parts):
                self._add(scores[index : index + 1], part, scales[:, index : index + 1])
        return scores if self.heavy is None else scores + self.heavy.score(pairs, n_jobs=1)

    def _add(self, scores: Floats, rows: list[WindowRows], scales: Floats) -> None:
        for window, scale, key, known in zip(rows, scales, self._sizes, self._known):
            source_known = look_up(window.source.keys, known[0])
            target_known = look_up(window.target.keys, known[1])
            grams = (window.source, window.target, window.get_wildcard_rules(), source_known, target_known)
            add_scores(scores, *self.table[:3], np.ascontiguousarray(scale), key, *grams)

    def parts(self, item: Item, output: int = 0) -> list[Part]:
        """Return what each rule of a pair adds."""
        pairs = self.kernel.read_items([item])
        found: list[Part] = []
        if len(self.extractor.find_heavy(pairs)):
            name = f"{summarize_kernel(self.kernel)} (too many rules to list)"
            return [Part("kernel", name, 1.0, float(self.score(pairs)[0, output]))]
        windows = self.extractor.extract_light(pairs, n_jobs=1)
        scales = self.extractor.find_scales(np.array([rows.sum_squares() for rows in windows]))
        source, target = pairs[0]
        for window, rows, scale, key in zip(self.extractor.windows, windows, scales, self._sizes):
            listed = list_all_rules([rows], scale[None], [key])
            weights = find_weights(listed.keys, self.table.cells, self.table.numbers)[:, output]
            values = dict(zip(listed.keys.tolist(), zip(listed.values.tolist(), weights.tolist())))
            for match in find_matches(source, target, window, self.extractor.wildcards, self.extractor.span):
                value, weight = values.get(match.key, (0.0, 0.0))
                if weight != 0.0 and value != 0.0:
                    found.append(Part("rule", match.rule, value, weight, match.source, match.target))
        if self.heavy is not None:
            found.extend(self.heavy.parts(pairs[0], output))
        return found

    def list_strongest(self, n: int, output: int = 0, sign: int = 1) -> list[WeightedRule]:
        """Return the ``n`` rules with the largest weights for (sign 1) or against (sign -1) an output."""
        keys, weights = self.table.cells[:, 0], self.table.numbers[:, 1 + output]
        signed = np.where(keys != EMPTY, sign * weights, 0.0)
        best = np.argpartition(-signed, min(n, len(signed) - 1))[:n]
        best = best[signed[best] > 0]
        best = best[np.lexsort((keys[best], -signed[best]))]
        wanted = keys[best]
        support, first, where = self._find_occurrences(wanted)
        texts: dict[int, tuple[str, str, str]] = {}
        for index, row in sorted({(int(w), int(f)) for w, f in zip(where, first) if f >= 0}):
            source, target = self.pairs[int(self.light[row])]
            for match in find_matches(
                source, target, self.extractor.windows[index], self.extractor.wildcards, self.extractor.span
            ):
                texts.setdefault(match.key, (match.rule, match.source, match.target))
        found = []
        for slot, key, count, row in zip(best, wanted.tolist(), support, first):
            rule, source_words, target_words = texts[key]
            pair = int(self.light[row])
            found.append(WeightedRule(rule, float(weights[slot]), int(count), pair, source_words, target_words))
        return found

    def _find_occurrences(self, wanted: Keys) -> tuple[Ints, Ints, Ints]:
        """Return for each key the number of training pairs that have it, the first of them, and its window size."""
        index = index_keys(wanted)
        support = np.zeros(len(wanted), np.int64)
        first = np.full(len(wanted), -1, np.int64)
        where = np.full(len(wanted), -1, np.int64)
        for number, start, _, listed in self._list_blocks():
            found = look_up(listed.keys, index)
            entries = np.flatnonzero(found >= 0)
            at = found[entries]
            row = np.searchsorted(listed.indptr, entries, side="right") - 1 + start
            np.add.at(support, at, 1)
            new = first[at] < 0
            first[at[new][::-1]] = row[new][::-1]
            where[at[new]] = number
        return support, first, where


def _index_distinct(keys: Keys) -> KeyIndex:
    return index_keys(number_keys(keys)[1])
