"""From pairs of texts to their rewriting rules: rows of keys for every window size, scales, columns.

The walk is: texts → n-grams of both sides (`strings.ngram_core`) and rules with aligned wildcards (`aligned_rules`) →
rows of one window size (`window_rows`) → all rules listed (`list_rules`) or numbered as columns (`number_rules`).

A *heavy* pair has too many rules to list at once. Its rules are listed part by part, or only a sample of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from rekern.core.arrays import Booleans, Floats, Ints, Keys, offsets_of, slice_ragged
from rekern.core.key_index import number_keys
from rekern.core.key_rows import KeyRows, stack_rows
from rekern.core.parallel_jobs import SHARES, count_jobs, resolve_jobs, run, run_in_threads, split_range
from rekern.kernels.gram_plan import invert_roots
from rekern.kernels.rewriting.aligned_rules import TokenArrays, extract_aligned_rules
from rekern.kernels.rewriting.rule_columns import RuleColumns, number_rules
from rekern.kernels.rewriting.rule_keys import find_constants
from rekern.kernels.rewriting.short_aligned_rules_core import EVERY_RULE, map_keys
from rekern.kernels.rewriting.window_rows import WindowRows, list_all_rules, stack_all_windows, stack_windows
from rekern.kernels.strings.ngram_core import extract_patterns
from rekern.kernels.strings.pattern_placement_core import ALWAYS_COMPLETE, MAX_ALIGNMENTS
from rekern.structures.pairs import Pairs

T = TypeVar("T")

PAIRS_IN_BLOCK = 512
MOST_PARTS = 1 << 12
FEATURE_LIMIT = 1 << 23  # rules of one pair that are listed; the Gram needs no list and has no limit
REMEMBERED_ENTRIES = 1 << 26  # of the largest extraction that is remembered: 1 GiB


class MeasuredRows(NamedTuple):
    """The features of pairs by window size, K(x, x), and the heavy pairs, which have no features here."""

    rows: list[WindowRows]
    squares: Floats  # K(x, x) by window size and pair, right for heavy pairs too
    heavy: dict[int, int]  # in how many parts each heavy pair is listed


class MeasuredBlocks(NamedTuple):
    """The same with the features in blocks of pairs, each with a list by window size; to stack them is costly."""

    blocks: list[list[WindowRows]]
    squares: Floats
    heavy: dict[int, int]

    def stack(self, n_jobs: int | None = 1, release: bool = False) -> MeasuredRows:
        """Return the same with all pairs together; with ``release`` the blocks are empty then."""
        return MeasuredRows(stack_all_windows(self.blocks, n_jobs, release), self.squares, self.heavy)

    def take(self, places: Ints) -> list[WindowRows]:
        """Return the features of some pairs, in ascending order."""
        found, first = [], 0
        for block in self.blocks:
            last = first + block[0].count_pairs()
            chosen = places[np.searchsorted(places, first) : np.searchsorted(places, last)] - first
            found.append([rows if len(chosen) == last - first else rows.take(chosen) for rows in block])
            first = last
        return [stack_windows(list(window)) for window in zip(*found)]


# What was extracted of pairs that are used several times in training, until they are forgotten or gone.
_REMEMBERED: WeakKeyDictionary[Pairs, list[tuple[RuleExtractor, MeasuredBlocks]]] = WeakKeyDictionary()


def remember_rules(pairs: object) -> None:
    """From now on, extract the rules of these very pairs once only; `forget_rules` frees the memory."""
    if isinstance(pairs, Pairs):
        _REMEMBERED.setdefault(pairs, [])


def forget_rules(pairs: object) -> None:
    """Free what was extracted since `remember_rules`."""
    if isinstance(pairs, Pairs):
        _REMEMBERED.pop(pairs, None)


@dataclass(frozen=True)
class RuleExtractor:
    """Which rules pairs have: window sizes, kind of wildcards, weight and span of a wildcard, normalisation.

    >>> extractor = RuleExtractor([(1, 1)], "aligned", 1.0, 1, False)
    >>> extractor.list_rules(Pairs.from_items([("a b", "b")])).values  # a → b, b → b, ⟨1⟩ → ⟨1⟩
    array([1., 1., 1.])
    """

    windows: list[tuple[int, int]]
    wildcards: str
    decay: float
    span: int
    normalize: bool

    def extract(
        self, pairs: Pairs, n_jobs: int | None = None, part: int = 0, parts: int = 1
    ) -> list[WindowRows] | None:
        """Return the features of the pairs for every window size; None if a pair has too many rules for one pass."""
        found = self.extract_blocks(pairs, n_jobs, part, parts)
        # One window size after the other leaves the blocks, so that the whole is never there twice.
        return None if found is None else [stack_windows([block.pop(0) for block in found]) for _ in self.windows]

    def extract_blocks(
        self,
        pairs: Pairs,
        n_jobs: int | None = None,
        part: int = 0,
        parts: int = 1,
        sought: Sequence[Keys] | None = None,
    ) -> list[list[WindowRows]] | None:
        """Return the same in blocks of pairs, for each a list with the features for every window size.

        ``sought`` has a bit map of keys (`map_keys`) for every window size: other rules may be left out.
        """
        tokens = pairs.tokens
        token_keys = tokens.token_keys()
        size = 8 * PAIRS_IN_BLOCK
        if len(pairs) > PAIRS_IN_BLOCK and resolve_jobs(n_jobs) != 1:
            size = max(PAIRS_IN_BLOCK, min(size, -(-len(pairs) // (SHARES * count_jobs(n_jobs)))))
        blocks = [slice_ragged(tokens.offsets, 2 * first, 2 * last) for first, last in split_range(len(pairs), size)]
        calls = [(TokenArrays(tokens.ids[place], offsets, token_keys),) for place, offsets in blocks]
        calls = calls or [(TokenArrays(tokens.ids[:0], np.zeros(1, np.int64), token_keys),)]
        extract = partial(_extract_block, self.windows, self.wildcards, self.decay, self.span, part, parts, sought)
        found, cut = [], 0
        for block, capped in run(extract, calls, n_jobs, "rules"):
            if block is None:
                return None
            found.append(block)
            cut += capped
        if cut:
            warnings.warn(
                f"{cut} window sizes of pairs repeat tokens so often that rules with many wildcards were left out "
                f"(more than {MAX_ALIGNMENTS:,} alignments of one window); a window of up to 6 tokens is always exact",
                stacklevel=2,
            )
        return found

    def extract_part(self, pair: Pairs, part: int, parts: int) -> list[WindowRows]:
        """Return a part of the rules of a single pair; the n-grams of its sides are in the first part only."""
        rows = self.extract(pair, 1, part, parts)
        assert rows is not None
        return [row.drop_ngrams() for row in rows] if part else rows

    def extract_parts(self, pair: Pairs, parts: int) -> Iterator[list[WindowRows]]:
        """Yield the features of a single pair, part by part."""
        return (self.extract_part(pair, part, parts) for part in range(parts))

    def count_parts(self, pair: Pairs) -> int:
        """Return in how many parts the rules of a single pair must be listed, so that memory stays bounded."""
        parts = 1
        while parts <= MOST_PARTS:
            # A part costs its own rules only, so that looking at all of them costs as much as listing them once.
            if all(self.extract(pair, 1, part, parts) is not None for part in range(parts)):
                return parts
            parts *= 4
        raise ValueError("a pair has too many rewriting rules; use shorter texts, a smaller k or span=1")

    def recall(self, pairs: Pairs) -> MeasuredBlocks | None:
        """Return what was extracted of these very pairs before, if it is remembered."""
        return next((found for extractor, found in _REMEMBERED.get(pairs, ()) if extractor == self), None)

    def is_remembered(self, pairs: Pairs) -> bool:
        """Return whether what is extracted of these very pairs will be used again."""
        return pairs in _REMEMBERED

    def measure(self, pairs: Pairs, n_jobs: int | None = None) -> MeasuredRows:
        """Return the features of the pairs and K(x, x) by window size and pair."""
        return self.measure_blocks(pairs, n_jobs).stack(n_jobs, release=not self.is_remembered(pairs))

    def measure_blocks(self, pairs: Pairs, n_jobs: int | None = None) -> MeasuredBlocks:
        """Return the same with the features in blocks of pairs; those that are very many are not remembered."""
        found = self.recall(pairs)
        if found is None:
            found = self._measure(pairs, n_jobs)
            entries = sum(len(part.keys) for block in found.blocks for rows in block for part in rows.list_parts())
            if pairs in _REMEMBERED and entries <= REMEMBERED_ENTRIES:
                _REMEMBERED[pairs].append((self, found))
        return found

    def _extract_light(
        self, pairs: Pairs, n_jobs: int | None, sought: Sequence[Keys] | None = None
    ) -> tuple[list[list[WindowRows]], Ints]:
        """Return the features of the pairs that are not heavy, in blocks of all pairs, and the heavy ones."""
        heavy = self.find_heavy(pairs)
        blocks = self.extract_blocks(pairs.clear_texts(heavy) if len(heavy) else pairs, n_jobs, sought=sought)
        if blocks is None:  # a short but very repetitive pair: look at every one
            heavy = self.find_heavy(pairs, thorough=True)
            blocks = self.extract_blocks(pairs.clear_texts(heavy), n_jobs, sought=sought)
            assert blocks is not None
        return blocks, heavy

    def _measure(self, pairs: Pairs, n_jobs: int | None) -> MeasuredBlocks:
        blocks, heavy = self._extract_light(pairs, n_jobs)
        squares = sum_squares(blocks, n_jobs)
        parts = {}
        for index in heavy.tolist():
            pair = pairs.take([index])
            parts[index] = self.count_parts(pair)
            for part in self.extract_parts(pair, parts[index]):
                squares[:, index] += [row.sum_squares()[0] for row in part]
        return MeasuredBlocks(blocks, squares, parts)

    def look_through(
        self, pairs: Pairs, function: Callable[[list[WindowRows], int], T], sought: Sequence[Keys]
    ) -> list[T]:
        """Return what a function finds in the features of each block of pairs; it is called in threads.

        The function is given the features and the number of the first pair of the block. Few blocks are in memory at a
        time. Heavy pairs have no features. The function looks only for the rules with wildcards whose keys are
        ``sought``, an array of keys for every window size; others may be missing.
        """
        known = self.recall(pairs)
        if known is not None:
            firsts = offsets_of([block[0].count_pairs() for block in known.blocks]).tolist()
            return run_in_threads(function, list(zip(known.blocks, firsts)))

        maps = [map_keys(keys) for keys in sought]

        def extract(first: int, last: int) -> T:
            (block,), _ = self._extract_light(pairs[first:last], 1, maps)
            return function(block, first)

        return run_in_threads(extract, split_range(len(pairs), PAIRS_IN_BLOCK))

    def find_scales(self, squares: Floats) -> Floats:
        """Return the factor of every window size and pair: 1/√K(x, x), or 1 without normalisation."""
        return np.array([invert_roots(row) if self.normalize else np.ones(len(row)) for row in squares])

    def add_windows(self, squares: Floats) -> Floats:
        """Return K(x, x) of the kernel from the values of all window sizes."""
        total: Floats = (squares > 0).sum(axis=0).astype(float) if self.normalize else squares.sum(axis=0)
        return total

    def extract_scaled(self, pairs: Pairs, n_jobs: int | None = None) -> tuple[list[WindowRows], Floats]:
        """Return the features of pairs that are not heavy, and the factor of every window size and pair."""
        rows, squares, _ = self.measure(pairs, n_jobs)
        return rows, self.find_scales(squares)

    def find_heavy(self, pairs: Pairs, thorough: bool = False) -> Ints:
        """Return the numbers of the heavy pairs.

        Unless ``thorough``, only pairs with many combinations of a source token and a target token are looked at.
        """
        found = []
        for index in range(len(pairs)) if thorough else np.flatnonzero(self.mark_long(pairs)):
            rows = self.extract(pairs.take([int(index)]), n_jobs=1)
            if rows is None or _estimate_rules(rows) > FEATURE_LIMIT:
                found.append(index)
        return np.array(found, dtype=np.int64)

    def mark_long(self, pairs: Pairs) -> Booleans:
        """Return which pairs have many combinations of a source token and a target token, so that they may be heavy."""
        lengths = np.diff(pairs.tokens.offsets)
        long: Booleans = lengths[0::2] * lengths[1::2] >= FEATURE_LIMIT >> 9
        return long

    def has_short_rules(self) -> bool:
        """Return whether compiled code can look up the rules of a pair without listing those of many pairs first."""
        return self.wildcards == "aligned" and self.span == 1 and max(map(max, self.windows)) <= ALWAYS_COMPLETE

    def number_rules(self, pairs: Pairs, n_jobs: int | None = None) -> RuleColumns:
        """Return all rules as rows over numbered columns, with the key of each column."""
        heavy = self.find_heavy(pairs)
        if len(heavy):
            listed = self._sample_heavy(pairs, heavy, n_jobs)
            numbers, keys = number_keys(listed.keys, n_jobs)
            return RuleColumns(listed.indptr, numbers, listed.values, keys)
        rows, scale = self.extract_scaled(pairs, n_jobs)
        return number_rules(rows, scale, self.size_keys(), n_jobs)

    def list_rules(self, pairs: Pairs, n_jobs: int | None = None) -> KeyRows:
        """Return all rules as rows over keys."""
        heavy = self.find_heavy(pairs)
        if len(heavy):
            return self._sample_heavy(pairs, heavy, n_jobs)
        rows, scale = self.extract_scaled(pairs, n_jobs)
        return list_all_rules(rows, scale, self.size_keys(), n_jobs=n_jobs)

    def _sample_heavy(self, pairs: Pairs, heavy: Ints, n_jobs: int | None) -> KeyRows:
        """Return all rules of most pairs, and a sample of those of the heavy ones."""
        warnings.warn(
            f"{len(heavy)} pairs, row {heavy[0]} first, have more than {FEATURE_LIMIT:,} rules: "
            "a sample of them is listed; shorten the texts, or use gram(), which lists none",
            stacklevel=4,
        )
        light = np.setdiff1d(np.arange(len(pairs)), heavy)
        blocks = [self.list_rules(pairs.take(light), n_jobs)]
        for index in heavy:
            pair, parts = pairs.take([index]), 4
            while (rows := self.extract(pair, 1, 0, parts)) is None or _estimate_rules(rows, parts) > FEATURE_LIMIT:
                parts *= 4
            mask, whole = np.uint64(parts - 1), np.ones((1, 1))
            sampled = [list_all_rules([row], whole, [key], mask) for row, key in zip(rows, self.size_keys())]
            scale = self.find_scales(np.array([block.sum_squares() for block in sampled]))
            blocks.append(list_all_rules(rows, scale, self.size_keys(), mask))
        return stack_rows(blocks).take(np.argsort(np.concatenate([light, heavy]), kind="stable"))

    def size_keys(self) -> list[np.uint64]:
        """Return the constant in the keys of each window size."""
        return [find_constants(window, self.span).size_key for window in self.windows]


def sum_squares(blocks: list[list[WindowRows]], n_jobs: int | None = 1) -> Floats:
    """Return K(x, x) by window size and pair, from the features of blocks of pairs."""

    def sum_block(block: list[WindowRows]) -> list[Floats]:
        return [row.sum_squares() for row in block]

    squares: Floats = np.concatenate(run_in_threads(sum_block, [(block,) for block in blocks], n_jobs), axis=1)
    return squares


def _estimate_rules(rows: list[WindowRows], parts: int = 1) -> int:
    """Return the number of rules of a single pair, or about that in one of ``parts`` parts."""
    plain = sum(len(row.source.keys) * len(row.target.keys) for row in rows)
    return plain // parts + sum(len(row.get_wildcard_rules().keys) for row in rows)


def _extract_block(
    windows: list[tuple[int, int]],
    wildcards: str,
    decay: float,
    span: int,
    part: int,
    parts: int,
    sought: Sequence[Keys] | None,
    texts: TokenArrays,
) -> tuple[list[WindowRows] | None, int]:
    """Return the features of a block of pairs; a function of arrays alone, so that it can run anywhere."""
    found, cut = [], 0
    for number, window in enumerate(windows):
        sides = []
        for side in (0, 1):
            free = window[side] if wildcards == "free" else 0
            sides.append(
                extract_patterns(*texts, window[side], side=side, step=2, wildcards=free, span=span, decay=decay)
            )
        rules = None
        if wildcards == "aligned":
            wanted = EVERY_RULE if sought is None else sought[number]
            rules, capped = extract_aligned_rules(texts, window, span, decay, part, parts, wanted)
            if rules is None:
                return None, 0
            cut += capped
        found.append(WindowRows(sides[0], sides[1], rules))
    return found, cut
