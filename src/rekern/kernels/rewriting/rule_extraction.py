"""From pairs of texts to their rewriting rules: rows of keys for every window size, scales, columns.

The walk is: texts → n-grams of both sides (`strings.ngram_core`) and rules with aligned wildcards (`aligned_rules`) →
rows of one window size (`window_rows`) → all rules listed (`list_rules`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from rekern.core.arrays import Floats, Ints, offsets_of, slice_ragged
from rekern.core.key_rows import KeyRows
from rekern.core.parallel_jobs import SHARES, count_jobs, resolve_jobs, run, run_in_threads, split_range
from rekern.errors import InputError
from rekern.kernels.gram_plan import invert_roots
from rekern.kernels.rewriting.aligned_rules import TokenArrays, extract_aligned_rules, find_constants
from rekern.kernels.rewriting.window_rows import WindowRows, list_all_rules, stack_windows
from rekern.kernels.strings.ngram_core import extract_patterns
from rekern.kernels.strings.pattern_placement_core import MAX_ALIGNMENTS
from rekern.structures.pairs import Pairs

T = TypeVar("T")

PAIRS_IN_BLOCK = 512
MOST_RULES = 1 << 23  # of one pair and window size, with wildcards; and of one pair where all rules are listed
REMEMBERED_ENTRIES = 1 << 26  # of the largest extraction that is remembered: 1 GiB


class MeasuredRows(NamedTuple):
    """The features of pairs by window size, and K(x, x) by window size and pair."""

    rows: list[WindowRows]
    squares: Floats


class MeasuredBlocks(NamedTuple):
    """The same with the features in blocks of pairs, each with a list by window size; to stack them is costly."""

    blocks: list[list[WindowRows]]
    squares: Floats

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

    def extract_blocks(self, pairs: Pairs, n_jobs: int | None = None, row: int = 0) -> list[list[WindowRows]]:
        """Return the features of blocks of pairs, for each a list by window size.

        An error names the pair by its number, where ``row`` is that of the first.
        """
        tokens = pairs.tokens
        token_keys = tokens.token_keys()
        size = 8 * PAIRS_IN_BLOCK
        if len(pairs) > PAIRS_IN_BLOCK and resolve_jobs(n_jobs) != 1:
            size = max(PAIRS_IN_BLOCK, min(size, -(-len(pairs) // (SHARES * count_jobs(n_jobs)))))
        blocks = [slice_ragged(tokens.offsets, 2 * first, 2 * last) for first, last in split_range(len(pairs), size)]
        calls = [(TokenArrays(tokens.ids[place], offsets, token_keys),) for place, offsets in blocks]
        calls = calls or [(TokenArrays(tokens.ids[:0], np.zeros(1, np.int64), token_keys),)]
        extract = partial(_extract_block, self.windows, self.wildcards, self.decay, self.span)
        found: list[list[WindowRows]] = []
        cut = 0
        for block, overflow, capped in run(extract, calls, n_jobs, "rules"):
            if overflow >= 0:
                raise make_size_error(row + size * len(found) + overflow)
            found.append(block)
            cut += capped
        if cut:
            warnings.warn(
                f"{cut} window sizes of pairs repeat tokens so often that rules with many wildcards were left out "
                f"(more than {MAX_ALIGNMENTS:,} alignments of one window); a window of up to 6 tokens is always exact",
                stacklevel=2,
            )
        return found

    def recall(self, pairs: Pairs) -> MeasuredBlocks | None:
        """Return what was extracted of these very pairs before, if it is remembered."""
        return next((found for extractor, found in _REMEMBERED.get(pairs, ()) if extractor == self), None)

    def is_remembered(self, pairs: Pairs) -> bool:
        """Return whether what is extracted of these very pairs will be used again."""
        return pairs in _REMEMBERED

    def measure(self, pairs: Pairs, n_jobs: int | None = None, row: int = 0) -> MeasuredRows:
        """Return the features of the pairs and K(x, x) by window size and pair."""
        blocks, squares = self.measure_blocks(pairs, n_jobs, row)
        return MeasuredRows([stack_windows(list(window)) for window in zip(*blocks)], squares)

    def measure_blocks(self, pairs: Pairs, n_jobs: int | None = None, row: int = 0) -> MeasuredBlocks:
        """Return the same with the features in blocks of pairs; those that are very many are not remembered."""
        found = self.recall(pairs)
        if found is None:
            blocks = self.extract_blocks(pairs, n_jobs, row)
            found = MeasuredBlocks(blocks, sum_squares(blocks, n_jobs))
            entries = sum(len(part.keys) for block in found.blocks for rows in block for part in rows.list_parts())
            if pairs in _REMEMBERED and entries <= REMEMBERED_ENTRIES:
                _REMEMBERED[pairs].append((self, found))
        return found

    def look_through(self, pairs: Pairs, function: Callable[[list[WindowRows], int], T]) -> list[T]:
        """Return what a function finds in the features of each block of pairs; it is called in threads.

        The function is given the features and the number of the first pair of the block. Few blocks are in memory at a
        time.
        """
        known = self.recall(pairs)
        if known is not None:
            firsts = offsets_of([block[0].count_pairs() for block in known.blocks]).tolist()
            return run_in_threads(function, list(zip(known.blocks, firsts)))

        def extract(first: int, last: int) -> T:
            (block,) = self.extract_blocks(pairs[first:last], 1, first)
            return function(block, first)

        return run_in_threads(extract, split_range(len(pairs), PAIRS_IN_BLOCK))

    def find_scales(self, squares: Floats) -> Floats:
        """Return the factor of every window size and pair: 1/√K(x, x), or 1 without normalisation."""
        return np.array([invert_roots(row) if self.normalize else np.ones(len(row)) for row in squares])

    def add_windows(self, squares: Floats) -> Floats:
        """Return K(x, x) of the kernel from the values of all window sizes."""
        total: Floats = (squares > 0).sum(axis=0).astype(float) if self.normalize else squares.sum(axis=0)
        return total

    def list_rules(self, pairs: Pairs, n_jobs: int | None = None, row: int = 0) -> KeyRows:
        """Return all rules as rows over keys."""
        rows, squares = self.measure(pairs, n_jobs, row)
        counts = np.sum([window.count_rules() for window in rows], axis=0)
        if counts.max(initial=0) > MOST_RULES:
            raise make_size_error(row + int(np.argmax(counts > MOST_RULES)))
        return list_all_rules(rows, self.find_scales(squares), self.size_keys(), n_jobs)

    def size_keys(self) -> list[np.uint64]:
        """Return the constant in the keys of each window size."""
        return [find_constants(window, self.span).size_key for window in self.windows]


def sum_squares(blocks: list[list[WindowRows]], n_jobs: int | None = 1) -> Floats:
    """Return K(x, x) by window size and pair, from the features of blocks of pairs."""

    def sum_block(block: list[WindowRows]) -> list[Floats]:
        return [row.sum_squares() for row in block]

    squares: Floats = np.concatenate(run_in_threads(sum_block, [(block,) for block in blocks], n_jobs), axis=1)
    return squares


def make_size_error(row: int) -> InputError:
    """Return the error of a pair with more rules than fit into memory."""
    return InputError(
        f"row {row}: the pair has more than {MOST_RULES:,} rewriting rules; "
        'use shorter texts, a smaller k or wildcards="none"'
    )


def _extract_block(
    windows: list[tuple[int, int]], wildcards: str, decay: float, span: int, texts: TokenArrays
) -> tuple[list[WindowRows], int, int]:
    """Return the features of a block of pairs, the pair with too many rules or -1, and how many windows were cut.

    It is a function of arrays alone, so that it can run anywhere.
    """
    found, cut = [], 0
    for window in windows:
        sides = []
        for side in (0, 1):
            free = window[side] if wildcards == "free" else 0
            sides.append(
                extract_patterns(*texts, window[side], side=side, step=2, wildcards=free, span=span, decay=decay)
            )
        rules = None
        if wildcards == "aligned":
            rules, overflow, capped = extract_aligned_rules(texts, window, span, decay, MOST_RULES)
            if overflow >= 0:
                return [], overflow, 0
            cut += capped
        found.append(WindowRows(sides[0], sides[1], rules))
    return found, -1, cut
