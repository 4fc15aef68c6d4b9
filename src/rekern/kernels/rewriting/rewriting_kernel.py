"""The string re-writing kernels (Bu, Li and Zhu, 2012), through their explicit feature map.

K = Σ over window sizes of (source product · target product + products of rules with aligned wildcards). The first
term covers the rules without wildcards (and, for free wildcards, all rules): it never lists them, so a long pair costs
its length, not its square.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from rekern.core.csr import make_csr
from rekern.core.inverted_lists import Postings, add_window, invert
from rekern.core.jobs import jobs, local, run, spans
from rekern.core.key_index import number_keys
from rekern.core.key_rows import KeyRows, stack_rows
from rekern.core.parameters import check_decay, check_patterns, check_size, windows_of
from rekern.core.registry import register
from rekern.kernels.kernel import Kernel, Plan, inverse_roots
from rekern.kernels.rewriting.aligned_rules import aligned_rules, rule_constants
from rekern.kernels.rewriting.pattern_placements import MAX_ALIGNMENTS
from rekern.kernels.rewriting.rule_columns import Columns, number_rules
from rekern.kernels.rewriting.rule_decision import RuleScorer
from rekern.kernels.rewriting.window_features import Rows, list_all, one_below_the_other
from rekern.kernels.strings.ngram_core import patterns
from rekern.structures.pairs import Pairs
from rekern.structures.representations import pairs_in

PAIRS_IN_BLOCK = 512
MOST_PARTS = 1 << 12
FEATURE_LIMIT = 1 << 23  # rules of one pair that are listed; the Gram needs no list and has no limit


@register
class Rewriting(Kernel):
    """Re-writing rules that two pairs of texts share.

    A rule has a source pattern and a target pattern of k elements, tokens or wildcards. It counts once for every pair
    of substrings that it matches, times ``decay`` for every wildcard.

    Parameters
    ----------
    k : int, (int, int) or list
        A window size, a range ``(1, 4)`` for the sum of the kernels of sizes 1 to 4, or a list of sizes for the two
        sides such as ``[(3, 5), (4, 4)]``, each normalised by itself.
    wildcards : "aligned", "free" or "none"
        Every wildcard aligned with one on the other side that stands for the same token (kb-SRK), wildcards that
        stand for any token (pw-SRK), or none (ps-SRK).
    decay : float
        The weight of a wildcard, above 0 and at most 1.
    normalize : bool
        Divide the kernel of each window size by √(K(x, x) K(y, y)); a pair too short for a window counts 0 there.
    span : int
        The most tokens that a wildcard may stand for, up to 32; aligned ones stand for the same tokens.
    tokenizer : callable, optional
        From a text to its tokens; by default Treebank tokens, case-folded and stemmed (`rekern.structures.Tokenizer`).
    on : str, optional
        The representation of both sides that is compared, such as "lemmas"; the words by default.

    Examples
    --------
    >>> a = ("Shakespeare wrote Hamlet".split(), "Hamlet was written by Shakespeare".split())
    >>> b = ("Orwell wrote 1984".split(), "1984 was written by Orwell".split())
    >>> Rewriting(k=[(3, 5)], normalize=False)(a, b)  # ⟨1⟩ wrote ⟨2⟩ → ⟨2⟩ was written by ⟨1⟩
    1.0
    >>> Rewriting(k=[(3, 5)], wildcards="none")(a, b)
    0.0
    """

    def __init__(
        self,
        k: Any = 4,
        wildcards: str = "aligned",
        decay: float = 1.0,
        normalize: bool = True,
        span: int = 1,
        tokenizer: Callable[[str], list[str]] | None = None,
        on: str | None = None,
    ):
        self.k = k
        self.wildcards = wildcards
        self.decay = decay
        self.normalize = normalize
        self.span = span
        self.tokenizer = tokenizer
        self.on = on

    def windows(self) -> list[tuple[int, int]]:
        """The window sizes, after checking all parameters."""
        if self.wildcards not in ("aligned", "free", "none"):
            raise ValueError(f"wildcards={self.wildcards!r}: give 'aligned', 'free' or 'none'")
        check_size("span", self.span)
        check_decay(self.decay)
        windows = windows_of(self.k)
        if self.wildcards == "free":
            for window in windows:
                check_patterns(max(window), max(window))
        return windows

    def items(self, X: Any) -> Pairs:
        """Pairs of texts as interned tokens."""
        return Pairs.from_items(pairs_in(X, self.on), self.tokenizer)

    def rows(self, pairs: Pairs, n_jobs: int | None = None, part: int = 0, parts: int = 1) -> list[Rows] | None:
        """The features of the pairs for every window size; None if a pair has too many rules for one pass."""
        windows = self.windows()
        tokens = pairs.tokens
        extract = partial(
            _extract, tokens.fingerprints(), windows, self.wildcards, float(self.decay), int(self.span), part, parts
        )
        calls = [
            (tokens.ids[tokens.offsets[2 * a] : tokens.offsets[2 * b]], _shifted(tokens.offsets[2 * a : 2 * b + 1]))
            for a, b in spans(len(pairs), PAIRS_IN_BLOCK if jobs(n_jobs) != 1 else 8 * PAIRS_IN_BLOCK)
        ] or [(tokens.ids[:0], np.zeros(1, np.int64))]
        blocks, cut = [], 0
        for block, capped in run(extract, calls, n_jobs, "rules"):
            if block is None:
                return None
            blocks.append(block)
            cut += capped
        if cut:
            warnings.warn(
                f"{cut} window sizes of pairs repeat tokens so often that rules with many wildcards were left out "
                f"(more than {MAX_ALIGNMENTS:,} alignments of one window); a window of up to 6 tokens is always exact",
                stacklevel=2,
            )
        return [one_below_the_other([block[index] for block in blocks]) for index in range(len(windows))]

    def parts_needed(self, pair: Pairs) -> int:
        """In how many parts the rules of a single pair must be listed, so that memory stays bounded."""
        parts = 1
        while parts <= MOST_PARTS:
            # A part costs its own rules only, so that looking at all of them costs as much as listing them once.
            if all(self.rows(pair, 1, part, parts) is not None for part in range(parts)):
                return parts
            parts *= 4
        raise ValueError("a pair has too many re-writing rules; use shorter texts, a smaller k or span=1")

    def part_of(self, pair: Pairs, part: int, parts: int) -> list[Rows]:
        """A part of the rules of a single pair; the k-grams of its sides are in the first part only."""
        rows = self.rows(pair, 1, part, parts)
        assert rows is not None
        return [row.only_rules() for row in rows] if part else rows

    def in_parts(self, pair: Pairs, parts: int) -> Iterator[list[Rows]]:
        """The features of a single pair, part by part."""
        return (self.part_of(pair, part, parts) for part in range(parts))

    def measured(self, pairs: Pairs, n_jobs: int | None = None) -> tuple[list[Rows], np.ndarray, dict[int, int]]:
        """The features of the pairs, K(x, x) by window size and pair, and in how many parts to list each heavy pair.

        Heavy pairs have too many rules to list at once: here they have no features, but their K(x, x) is right.
        """
        heavy = self.heavy(pairs)
        rows = self.rows(pairs.without_texts(heavy) if len(heavy) else pairs, n_jobs)
        if rows is None:  # a short but very repetitive pair: look at every one
            heavy = self.heavy(pairs, thorough=True)
            rows = self.rows(pairs.without_texts(heavy), n_jobs)
            assert rows is not None
        norms = np.array([row.squared_norms() for row in rows])
        parts = {}
        for index in heavy.tolist():
            pair = pairs.take([index])
            parts[index] = self.parts_needed(pair)
            for part in self.in_parts(pair, parts[index]):
                norms[:, index] += [row.squared_norms()[0] for row in part]
        return rows, norms, parts

    def scales(self, norms: np.ndarray) -> np.ndarray:
        """The factor of every window size and pair: 1/√K(x, x), or 1 without normalisation."""
        return np.array([inverse_roots(row) if self.normalize else np.ones(len(row)) for row in norms])

    def _plan(self, X: Any, Y: Any, n_jobs: int | None) -> Plan:
        left = self.items(X)
        rows, norms, heavy = self.measured(left, n_jobs)
        scale = self.scales(norms)
        if Y is None:
            right, rows2, scale2, heavy2 = left, rows, scale, heavy
        else:
            right = self.items(Y)
            rows2, norms2, heavy2 = self.measured(right, n_jobs)
            scale2 = self.scales(norms2)
        calls: list[tuple[Any, ...]] = []
        for row, other in zip(rows, rows2):
            for one, two in ((row.source, other.source), (row.target, other.target), (row.wild(), other.wild())):
                calls.append((one, None if Y is None else two, 1))
        lists = local(invert, calls, n_jobs)
        windows = [(*two, *lists[3 * index : 3 * index + 3]) for index, two in enumerate(zip(scale, scale2))]
        diagonal = None
        if Y is None:
            diagonal = (norms > 0).sum(axis=0).astype(float) if self.normalize else norms.sum(axis=0)
        across = {
            index: self._against(left.take([index]), parts, scale[:, index], right, rows2, scale2, heavy2)
            for index, parts in heavy.items()
        }
        down = across
        if Y is not None:
            down = {
                index: self._against(right.take([index]), parts, scale2[:, index], left, rows, scale, heavy)
                for index, parts in heavy2.items()
            }
        return Plan(len(left), len(right), Y is None, _Block(len(right), windows, diagonal, across, down))

    def _against(
        self,
        pair: Pairs,
        parts: int,
        scale: np.ndarray,
        pairs: Pairs,
        rows: list[Rows],
        scale2: np.ndarray,
        heavy: dict[int, int],
    ) -> np.ndarray:
        """The values of one heavy pair with all pairs of a corpus, whose features and scales are given."""
        values = np.zeros(scale2.shape)
        others = [pairs.take([index]) for index in heavy]
        parts = max([parts, *heavy.values()])
        for part in range(parts):
            own = self.part_of(pair, part, parts)
            values += np.array([row.products(mine) for row, mine in zip(rows, own)])
            for index, other in zip(heavy, others):
                theirs = self.part_of(other, part, parts)
                values[:, index] += [row.products(mine)[0] for row, mine in zip(theirs, own)]
        return (values * scale[:, None] * scale2).sum(axis=0)

    def diag(self, X: Any) -> np.ndarray:
        """K(x, x) for every pair.

        >>> Rewriting(k=(1, 4)).diag([("a b", "b a")])  # long enough for windows of 1 and 2
        array([2.])
        """
        norms = self.measured(self.items(X))[1]
        return (norms > 0).sum(axis=0).astype(float) if self.normalize else norms.sum(axis=0)

    def heavy(self, pairs: Pairs, thorough: bool = False) -> np.ndarray:
        """The numbers of the pairs that have too many rules to list them all.

        Unless it is to be thorough, only pairs with many combinations of a token with a token are looked at.
        """
        lengths = np.diff(pairs.tokens.offsets)
        found = []
        for index in np.flatnonzero(lengths[0::2] * lengths[1::2] >= (0 if thorough else FEATURE_LIMIT >> 9)):
            rows = self.rows(pairs.take([int(index)]), n_jobs=1)
            if rows is None or _total(rows) > FEATURE_LIMIT:
                found.append(index)
        return np.array(found, dtype=np.int64)

    def features(self, X: Any, n_jobs: int | None = None) -> sp.csr_array:
        """The feature map: a row for each pair, a column for each distinct rule of these pairs.

        Its product with its transpose is the Gram. A pair with more than 8 million rules keeps a sample of them,
        with a warning; `gram` and `diag` need no such limit.

        >>> Rewriting(k=1, normalize=False).features([("a b", "b"), ("b", "b")]).toarray().sum(axis=1)
        array([3., 2.])
        """
        numbered = self.numbered(self.items(X), n_jobs)
        return make_csr(numbered.values, numbered.columns, numbered.indptr, len(numbered.keys))

    def numbered(self, pairs: Pairs, n_jobs: int | None = None) -> Columns:
        """The feature map as rows over numbered columns, with the key of each column."""
        heavy = self.heavy(pairs)
        if len(heavy):
            listed = self._with_samples(pairs, heavy, n_jobs)
            numbers, keys = number_keys(listed.keys, n_jobs)
            return Columns(listed.indptr, numbers, listed.values, keys)
        rows, scale = self.scaled(pairs, n_jobs)
        return number_rules(rows, scale, self.size_keys(), n_jobs)

    def listed(self, pairs: Pairs, n_jobs: int | None = None) -> KeyRows:
        """The feature map as rows over keys."""
        heavy = self.heavy(pairs)
        if len(heavy):
            return self._with_samples(pairs, heavy, n_jobs)
        rows, scale = self.scaled(pairs, n_jobs)
        return list_all(rows, scale, self.size_keys(), n_jobs=n_jobs)

    def scaled(self, pairs: Pairs, n_jobs: int | None = None) -> tuple[list[Rows], np.ndarray]:
        """The features of pairs that have not too many rules, and the factor of every window size and pair."""
        rows, norms, _ = self.measured(pairs, n_jobs)
        return rows, self.scales(norms)

    def _with_samples(self, pairs: Pairs, heavy: np.ndarray, n_jobs: int | None) -> KeyRows:
        """All rules of most pairs, and a sample of those of the heavy ones."""
        warnings.warn(
            f"{len(heavy)} pairs, row {heavy[0]} first, have more than {FEATURE_LIMIT:,} rules: "
            "a sample of them is listed; shorten the texts, or use gram(), which lists none",
            stacklevel=4,
        )
        light = np.setdiff1d(np.arange(len(pairs)), heavy)
        blocks = [self.listed(pairs.take(light), n_jobs)]
        for index in heavy:
            pair, parts = pairs.take([index]), 4
            while (rows := self.rows(pair, 1, 0, parts)) is None or _total(rows, parts) > FEATURE_LIMIT:
                parts *= 4
            mask, whole = np.uint64(parts - 1), np.ones((1, 1))
            sampled = [list_all([row], whole, [key], mask) for row, key in zip(rows, self.size_keys())]
            scale = self.scales(np.array([block.squared_norms() for block in sampled]))
            blocks.append(list_all(rows, scale, self.size_keys(), mask))
        return stack_rows(blocks).take(np.argsort(np.concatenate([light, heavy]), kind="stable"))

    def size_keys(self) -> list[Any]:
        """The constant in the keys of each window size."""
        return [rule_constants(window, int(self.span))[2][0] for window in self.windows()]

    def scorer(self, X: Any, coefficients: np.ndarray) -> Any:
        """A table of rules with weights; for free wildcards, whose rules are too many to list, the plain sum."""
        if self.wildcards == "free":
            return super().scorer(X, coefficients)
        return RuleScorer(self, X, coefficients)

    def has_features(self) -> bool:
        """Rules are explicit features; with free wildcards there are too many of them to train on."""
        return self.wildcards != "free"


def _total(rows: list[Rows], parts: int = 1) -> int:
    """The number of rules of a single pair, or about that in one of so many parts."""
    plain = sum(len(row.source.keys) * len(row.target.keys) for row in rows)
    return plain // parts + sum(len(row.wild().keys) for row in rows)


@dataclass(frozen=True)
class _Block:
    """Computes rows ``first`` … ``last`` of a Gram."""

    columns: int
    windows: list[tuple[np.ndarray, np.ndarray, Postings, Postings, Postings]]
    diagonal: np.ndarray | None  # of a symmetric Gram, whose lists meet only the rows below
    across: dict[int, np.ndarray]  # the rows of heavy pairs, which are in no list
    down: dict[int, np.ndarray]  # and their columns

    def __call__(self, first: int, last: int) -> np.ndarray:
        symmetric = self.diagonal is not None
        offset = first if symmetric else 0
        block = np.zeros((last - first, self.columns - offset))
        for window in self.windows:
            add_window(block, first, offset, symmetric, *window)
        for index, values in self.down.items():
            if index >= offset:
                block[:, index - offset] = values[first:last]
        for index, values in self.across.items():
            if first <= index < last:
                block[index - first] = values[offset:]
        if self.diagonal is not None:
            np.fill_diagonal(block, self.diagonal[first:last])
        return block


def _shifted(offsets: np.ndarray) -> np.ndarray:
    return offsets - offsets[0]


def _extract(
    finger: np.ndarray,
    windows: list[tuple[int, int]],
    wildcards: str,
    decay: float,
    span: int,
    part: int,
    parts: int,
    ids: np.ndarray,
    offsets: np.ndarray,
) -> tuple[list[Rows] | None, int]:
    """The features of a block of pairs; a function of arrays alone, so that it can run anywhere."""
    found, cut = [], 0
    for window in windows:
        sides = [
            patterns(
                ids,
                offsets,
                finger,
                window[side],
                side=side,
                step=2,
                wildcards=window[side] if wildcards == "free" else 0,
                span=span,
                decay=decay,
            )
            for side in (0, 1)
        ]
        rules = None
        if wildcards == "aligned":
            rules, capped = aligned_rules(ids, offsets, finger, window, span, decay, part, parts)
            if rules is None:
                return None, 0
            cut += capped
        found.append(Rows(sides[0], sides[1], rules))
    return found, cut
