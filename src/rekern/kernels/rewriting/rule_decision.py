"""The decision function of a re-writing kernel as a table of rules with weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rekern.core.explanations import Part
from rekern.core.jobs import run_in_threads, split_range
from rekern.core.key_index import KeyIndex, index_keys, look_up, number_keys
from rekern.core.key_rows import KeyRows
from rekern.core.weight_table import EMPTY, add_scores, sum_weights, weights_of
from rekern.kernels.decision_functions import GramScorer
from rekern.kernels.kernel import title
from rekern.kernels.rewriting.rule_text import matches
from rekern.kernels.rewriting.window_features import Rows, list_all
from rekern.structures.column_selection import select_pairs
from rekern.structures.pairs import Pairs, as_pairs

if TYPE_CHECKING:
    from rekern.kernels.rewriting.rewriting_kernel import Rewriting

PAIRS_IN_BLOCK = 256
PAIRS_LISTED = 1024


class WeightedRule(NamedTuple):
    """A rule of a model: its weight, how many training pairs it matches, and one of them."""

    rule: str
    weight: float
    support: int
    pair: int  # the number of a training pair that it matches
    source: str  # the words of that pair that it lies on
    target: str


class RuleScorer:
    """Σ over the rules of a pair of value · weight, with weight = Σ over training pairs of coefficient · value."""

    def __init__(self, kernel: Rewriting, X: Any, coefficients: np.ndarray):
        self.kernel = kernel
        self.coefficients = np.asarray(coefficients, dtype=float)
        self.pairs = kernel.items(X)
        self.windows = kernel.windows()
        self._sizes = kernel.size_keys()
        heavy = kernel.heavy(self.pairs)  # compared as wholes: their rules are too many to list
        self.heavy = (
            GramScorer(kernel, [self.pairs[i] for i in heavy], self.coefficients[heavy]) if len(heavy) else None
        )
        self.light = np.setdiff1d(np.arange(len(self.pairs)), heavy)
        rows = kernel.rows(self.pairs.take(self.light))
        assert rows is not None
        self.rows = rows
        self.scale = kernel.scales(np.array([row.squared_norms() for row in rows]))
        self._build()

    def _build(self) -> None:
        coefficients = np.ascontiguousarray(self.coefficients[self.light])
        self._known = [(_index(rows.source.keys), _index(rows.target.keys)) for rows in self.rows]
        blocks = ((listed, coefficients[first:last]) for _, first, last, listed in self._listed())
        self.table = sum_weights(blocks, coefficients.shape[1])

    def _listed(self) -> Iterator[tuple[int, int, int, KeyRows]]:
        """The rules of the training pairs block by block: number of the window size, first and last pair, rules."""
        for number, (rows, scale, key) in enumerate(zip(self.rows, self.scale, self._sizes)):
            for first, last in split_range(len(self.light), PAIRS_LISTED):
                yield number, first, last, list_all([rows.part(first, last)], scale[None, first:last], [key])

    def score(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """The sums for every pair, a column for each output; each pair's is the same in any company."""
        if isinstance(X, Pairs):
            calls: list[tuple[Any, int]] = [(X[first:last], 0) for first, last in split_range(len(X), PAIRS_IN_BLOCK)]
        else:
            sources, targets = as_pairs(select_pairs(X, self.kernel.on))
            whole = list(zip(sources, targets))
            calls = [(whole[first:last], first) for first, last in split_range(len(whole), PAIRS_IN_BLOCK)]
        blocks = run_in_threads(self._score_block, calls, n_jobs)  # in this process: the table is larger than the work
        return np.concatenate(blocks) if blocks else np.zeros((0, self.coefficients.shape[1]))

    def _score_block(self, block: Any, first: int) -> np.ndarray:
        pairs = Pairs.from_items(block, self.kernel.tokenizer, first_row=first)
        scores = np.zeros((len(pairs), self.coefficients.shape[1]))
        rows, norms, heavy = self.kernel.measured(pairs, n_jobs=1)
        scales = self.kernel.scales(norms)
        self._add(scores, rows, scales)
        for index, parts in heavy.items():
            for part in self.kernel.in_parts(pairs.take([index]), parts):
                self._add(scores[index : index + 1], part, scales[:, index : index + 1])
        return scores if self.heavy is None else scores + self.heavy.score(pairs, n_jobs=1)

    def _add(self, scores: np.ndarray, rows: list[Rows], scales: np.ndarray) -> None:
        for window, scale, key, known in zip(rows, scales, self._sizes, self._known):
            source_known = look_up(window.source.keys, known[0])
            target_known = look_up(window.target.keys, known[1])
            grams = (window.source, window.target, window.wild(), source_known, target_known)
            add_scores(scores, *self.table[:3], np.ascontiguousarray(scale), key, *grams)

    def parts(self, item: Any, output: int = 0) -> list[Part]:
        """What each rule of a pair adds."""
        pairs = self.kernel.items([item])
        found: list[Part] = []
        if len(self.kernel.heavy(pairs)):
            name = f"{title(self.kernel)} (too many rules to list)"
            return [Part("kernel", name, 1.0, float(self.score(pairs)[0, output]))]
        windows = self.kernel.rows(pairs, n_jobs=1)
        assert windows is not None
        scales = self.kernel.scales(np.array([rows.squared_norms() for rows in windows]))
        source, target = pairs[0]
        for window, rows, scale, key in zip(self.windows, windows, scales, self._sizes):
            listed = list_all([rows], scale[None], [key])
            weights = weights_of(listed.keys, *self.table[:2])[:, output]
            values = dict(zip(listed.keys.tolist(), zip(listed.values.tolist(), weights.tolist())))
            for match in matches(source, target, window, self.kernel.wildcards, self.kernel.span):
                value, weight = values.get(match.key, (0.0, 0.0))
                if weight != 0.0 and value != 0.0:
                    found.append(Part("rule", match.rule, value, weight, match.source, match.target))
        if self.heavy is not None:
            found.extend(self.heavy.parts(pairs[0], output))
        return found

    def strongest(self, number: int, output: int = 0, sign: int = 1) -> list[WeightedRule]:
        """The rules with the largest weights for (sign 1) or against (sign -1) an output, with an example of each."""
        keys, weights = self.table.cells[:, 0], self.table.numbers[:, 1 + output]
        signed = np.where(keys != EMPTY, sign * weights, 0.0)
        best = np.argpartition(-signed, min(number, len(signed) - 1))[:number]
        best = best[signed[best] > 0]
        best = best[np.lexsort((keys[best], -signed[best]))]
        wanted = keys[best]
        support, first, where = self._occurrences(wanted)
        texts: dict[int, tuple[str, str, str]] = {}
        for index, row in sorted({(int(w), int(f)) for w, f in zip(where, first) if f >= 0}):
            source, target = self.pairs[int(self.light[row])]
            for match in matches(source, target, self.windows[index], self.kernel.wildcards, self.kernel.span):
                texts.setdefault(match.key, (match.rule, match.source, match.target))
        found = []
        for slot, key, count, row in zip(best, wanted.tolist(), support, first):
            rule, source_words, target_words = texts[key]
            pair = int(self.light[row])
            found.append(WeightedRule(rule, float(weights[slot]), int(count), pair, source_words, target_words))
        return found

    def _occurrences(self, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each key, the number of training pairs that have it, the first of them, and its window size."""
        index = index_keys(wanted)
        support = np.zeros(len(wanted), np.int64)
        first = np.full(len(wanted), -1, np.int64)
        where = np.full(len(wanted), -1, np.int64)
        for number, start, _, listed in self._listed():
            found = look_up(listed.keys, index)
            entries = np.flatnonzero(found >= 0)
            at = found[entries]
            row = np.searchsorted(listed.indptr, entries, side="right") - 1 + start
            np.add.at(support, at, 1)
            new = first[at] < 0
            first[at[new][::-1]] = row[new][::-1]
            where[at[new]] = number
        return support, first, where


def _index(keys: np.ndarray) -> KeyIndex:
    return index_keys(number_keys(keys)[1])
