"""The string rewriting kernels (Bu, Li and Zhu, 2012), through their explicit features.

K = Σ over window sizes of (source product · target product + products of rules with aligned wildcards). The first
term covers the rules without wildcards (and, for free wildcards, all rules). They are never listed, so a long pair
costs its length, not its square.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Keys
from rekern.core.csr import make_csr
from rekern.core.inverted_lists import (
    NO_KEYS,
    FrequentKeys,
    InvertedLists,
    invert_all_blocks,
    invert_rows,
)
from rekern.core.key_rows import KeyRows, stack_rows
from rekern.core.model_limits import ModelLimits
from rekern.core.object_descriptions import State
from rekern.core.parallel_jobs import limit_jobs, run_in_threads, stay_here
from rekern.core.parameters import (
    LONGEST_WINDOW,
    WindowSizes,
    check_choice,
    check_decay,
    check_patterns,
    check_size,
    list_windows,
)
from rekern.core.registry import register
from rekern.core.state_schema import COLUMN, DECAY, TOKENIZER, Choice, Either, Flag, ListOf, Schema, Whole, parameters
from rekern.core.symmetric_matrix import mirror_matrix
from rekern.core.window_products import JoinedLists, WindowLists, fill_pair_rows, join_lists
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.gram_plan import GramPlan, check_finite, make_range_error
from rekern.kernels.kernel_items import Items, materialize_items
from rekern.kernels.key_feature_kernel import KeyFeatureKernel
from rekern.kernels.rewriting.rule_decision import RuleDecision
from rekern.kernels.rewriting.rule_extraction import RuleExtractor, sum_squares
from rekern.kernels.rewriting.rule_names import name_rules
from rekern.kernels.rewriting.window_lists import PairLists
from rekern.kernels.rewriting.window_rows import WindowRows, list_all_parts
from rekern.structures.column_selection import select_pairs
from rekern.structures.pairs import Pairs
from rekern.structures.tokenizer import Tokenize

if TYPE_CHECKING:
    import scipy.sparse as sp

MOST_WINDOWS = 100  # in a model file
RULES_OF_A_TOKEN = 32  # about as many begin at a token of a text
MANY_TOKENS = 1 << 17  # of pairs whose features are not kept beside a Gram: to extract them again costs less


@register
class Rewriting(KeyFeatureKernel[Pairs]):
    """Rewriting rules that two pairs of texts share.

    A rule has a source pattern and a target pattern of k elements, tokens or wildcards. It counts once for every pair
    of substrings that it matches, times ``decay`` for every wildcard.

    Parameters
    ----------
    k : int, (int, int) or list
        A window size; a range ``(1, 4)``, a tuple, for the sum of the kernels of sizes 1 to 4; or a list of sizes, such
        as ``[1, 4]`` for these two, or ``[(3, 5), (4, 4)]`` for source and target. Each is normalised separately.
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

    reads_tokens = True

    checks_itself = frozenset({"k"})
    schema = Schema(
        parameters(
            k=Either(
                Whole(1, LONGEST_WINDOW),
                ListOf(Whole(1, LONGEST_WINDOW), 2, tuple),
                ListOf(
                    Either(Whole(1, LONGEST_WINDOW), ListOf(Whole(1, LONGEST_WINDOW), 2, (list, tuple))),
                    most=MOST_WINDOWS,
                ),
            ),
            wildcards=Choice("aligned", "free", "none"),
            decay=DECAY,
            normalize=Flag(),
            span=Whole(1, LONGEST_WINDOW),
            tokenizer=TOKENIZER,
            on=COLUMN,
        )
    )

    def __init__(
        self,
        k: WindowSizes = 4,
        wildcards: str = "aligned",
        decay: float = 1.0,
        normalize: bool = True,
        span: int = 1,
        tokenizer: Tokenize | None = None,
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
        """Return the window sizes, after checking all parameters."""
        return self.make_extractor().windows

    def make_extractor(self) -> RuleExtractor:
        """Return what extracts the rules of pairs, after checking all parameters."""
        check_choice("wildcards", self.wildcards, ("aligned", "free", "none"))
        span, decay = check_size("span", self.span), check_decay(self.decay)
        windows = list_windows(self.k)
        if self.wildcards == "free":
            for window in windows:
                check_patterns(max(window), max(window))
        return RuleExtractor(windows, self.wildcards, decay, span, bool(self.normalize))

    def check_limits(self, limits: ModelLimits) -> None:
        """Refuse windows in a model file that cost much for any pair; the work grows with 2 to the power of k."""
        patterns = sum(1 << max(window) for window in self.windows())
        limits.check("window_patterns", patterns, f"its windows k={self.k!r} have {patterns:,} patterns")

    def read_items(self, X: Items) -> Pairs:
        """Return pairs of texts as interned tokens."""
        return Pairs.from_items(select_pairs(materialize_items(X), self.on), self.tokenizer)

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Extract the features of all pairs into inverted lists."""
        extractor, left = self.make_extractor(), self.read_items(X)
        right = None if Y is None else self.read_items(Y)
        rows, columns = len(left), len(left if right is None else right)
        n_jobs = _limit_jobs(n_jobs, left, right)
        with stay_here():  # rules are found in less time than it takes to send them
            lists = self._invert_pairs(extractor, left, right, n_jobs)
            windows = join_lists(lists.windows, n_jobs)
        block = RewritingBlock(columns, windows, lists.diagonal, lists.across, lists.down)
        return GramPlan(rows, columns, right is None, block)

    def _invert_pairs(
        self, extractor: RuleExtractor, pairs: Pairs, others: Pairs | None, n_jobs: int | None
    ) -> PairLists:
        """Return what the Gram of pairs with others is computed from, or with themselves; heavy pairs are compared."""
        if others is None and len(pairs.tokens.ids) > MANY_TOKENS and not len(extractor.find_heavy(pairs)):
            found = _invert_each_window(extractor, pairs, n_jobs)
            if found is not None:
                return PairLists(found[0], extractor.add_windows(found[1]), {}, {})
        left = _Side.measure(extractor, pairs, n_jobs)
        right = left if others is None else _Side.measure(extractor, others, n_jobs)
        windows = _invert_windows(left, None if others is None else right, n_jobs)
        across = {index: _compare_heavy(extractor, left, index, right) for index in left.heavy}
        if others is None:
            return PairLists(windows, extractor.add_windows(left.squares), across, across)
        down = {index: _compare_heavy(extractor, right, index, left) for index in right.heavy}
        return PairLists(windows, None, across, down)

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every pair.

        >>> Rewriting(k=(1, 4)).diag([("a b", "b a")])  # long enough for windows of 1 and 2
        array([2.])
        """
        pairs = self.read_items(X)
        extractor = self.make_extractor()
        return extractor.add_windows(extractor.measure(pairs, _limit_jobs(None, pairs)).squares)

    def features(self, X: Items, n_jobs: int | None = None) -> sp.csr_array:
        """Return a row for each pair, with a column for each distinct rule of these pairs.

        Its product with its transpose is the Gram. A pair with more than 8 million rules keeps a sample of them,
        with a warning; `gram` and `diag` have no such limit.

        >>> Rewriting(k=1, normalize=False).features([("a b", "b"), ("b", "b")]).toarray().sum(axis=1)
        array([3., 2.])
        """
        return super().features(X, n_jobs)

    def number_columns(self, corpus: Pairs, n_jobs: int | None = None) -> tuple[sp.csr_array, Keys]:
        """Return the rules over the columns of these pairs, and the key of each column."""
        found = self.make_extractor().number_rules(corpus, _limit_jobs(n_jobs, corpus))
        return make_csr(found.values, found.columns, found.indptr, len(found.keys)), found.keys

    def extract_rows(self, corpus: Pairs, n_jobs: int | None = None) -> KeyRows:
        """Return the rules of every pair."""
        return self.make_extractor().list_rules(corpus, _limit_jobs(n_jobs, corpus))

    def name_columns(self) -> list[str]:
        """Return the rule of every learned column as text."""
        self.check_fitted()
        return name_rules(self.make_extractor(), self.corpus_, self.keys_)

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return a table of rules with weights; for free wildcards, whose rules are too many, the plain sum."""
        if self.wildcards == "free":
            return super().decision_function(X, coefficients)
        return RuleDecision.learn(self, X, coefficients)

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return the decision function of a file, in the same form."""
        if self.wildcards == "free":
            return super().restore_decision(state, outputs)
        return RuleDecision.from_state(self, state, outputs)

    def has_features(self) -> bool:
        """Return whether the rules can be listed; with free wildcards there are too many to train on."""
        return self.wildcards != "free"


class _Side(NamedTuple):
    """The pairs of the rows or of the columns of a Gram, with their features in blocks."""

    pairs: Pairs
    blocks: list[list[WindowRows]]
    squares: Floats
    scale: Floats
    heavy: dict[int, int]

    @classmethod
    def measure(cls, extractor: RuleExtractor, pairs: Pairs, n_jobs: int | None) -> _Side:
        blocks, squares, heavy = extractor.measure_blocks(pairs, n_jobs)
        return cls(pairs, blocks, squares, extractor.find_scales(squares), heavy)

    def multiply_row(self, window: int, other: WindowRows) -> Floats:
        """Return the kernel of every pair with the one pair of ``other``, for one window size."""
        return np.concatenate([block[window].multiply_row(other) for block in self.blocks])


def _limit_jobs(n_jobs: int | None, pairs: Pairs, others: Pairs | None = None) -> int | None:
    """Return the number of jobs for the rules of pairs: one for few pairs."""
    tokens = len(pairs.tokens.ids) + (0 if others is None else len(others.tokens.ids))
    return limit_jobs(n_jobs, RULES_OF_A_TOKEN * tokens)


def _invert_windows(left: _Side, right: _Side | None, n_jobs: int | None) -> list[WindowLists]:
    """Return the inverted lists of all window sizes, for the Gram of two sides or of one side with itself."""
    if right is None:
        whole = invert_all_blocks(list_all_parts(left.blocks), n_jobs)
        return _join_lists(left.scale, left.scale, whole)
    both = zip(list_all_parts(left.blocks), list_all_parts(right.blocks))
    calls = [(stack_rows(part), stack_rows(other), 1) for part, other in both]
    return _join_lists(left.scale, right.scale, [(one, NO_KEYS) for one in run_in_threads(invert_rows, calls, n_jobs)])


def _join_lists(
    row_scales: Floats, column_scales: Floats, lists: list[tuple[InvertedLists, FrequentKeys]]
) -> list[WindowLists]:
    """Return the lists of every window size, from those of its three parts."""
    windows = []
    for row_scale, column_scale, at in zip(row_scales, column_scales, range(0, len(lists), 3)):
        (source, keys), (target, keys2), (rules, keys3) = lists[at : at + 3]
        windows.append(WindowLists(row_scale, column_scale, source, target, rules, (keys, keys2, keys3)))
    return windows


def _invert_each_window(
    extractor: RuleExtractor, pairs: Pairs, n_jobs: int | None
) -> tuple[list[WindowLists], Floats] | None:
    """Return the inverted lists and K(x, x) for every window size; None if a pair has too many rules for one pass.

    The features of few window sizes are in memory at a time. They are extracted again for the decision function.
    """
    found: list[tuple[WindowLists, Floats]] = []
    groups = _group_windows(extractor.windows)
    for numbers in groups:
        some = replace(extractor, windows=[extractor.windows[number] for number in numbers])
        blocks = some.extract_blocks(pairs, n_jobs)
        if blocks is None:
            return None
        squares = sum_squares(blocks, n_jobs)
        scale, parts = some.find_scales(squares), list_all_parts(blocks)
        del blocks
        lists = invert_all_blocks(parts, n_jobs, release=True)
        found += zip(_join_lists(scale, scale, lists), squares)
    ranks = np.argsort(np.concatenate(groups))
    return [found[rank][0] for rank in ranks], np.array([found[rank][1] for rank in ranks])


def _group_windows(windows: list[tuple[int, int]]) -> list[list[int]]:
    """Return the numbers of window sizes in groups, the largest first, that need about as much memory as the largest.

    >>> _group_windows([(1, 1), (2, 2), (3, 3), (4, 4)])
    [[3], [2, 1, 0]]
    """
    sizes = [1 << max(window) for window in windows]  # a window has so many sets of wildcards
    groups: list[list[int]] = []
    for number in sorted(range(len(sizes)), key=lambda number: -sizes[number]):
        if not groups or sum(sizes[other] for other in groups[-1]) + sizes[number] > max(sizes):
            groups.append([])
        groups[-1].append(number)
    return groups


def _compare_heavy(extractor: RuleExtractor, side: _Side, index: int, other: _Side) -> Floats:
    """Return the values of one heavy pair of a side with all pairs of the other."""
    pair = side.pairs.take([index])
    values = np.zeros(other.scale.shape)
    heavy = [other.pairs.take([number]) for number in other.heavy]
    parts = max([side.heavy[index], *other.heavy.values()])
    for part in range(parts):
        own = extractor.extract_part(pair, part, parts)
        values += np.array([other.multiply_row(window, mine) for window, mine in enumerate(own)])
        for number, item in zip(other.heavy, heavy):
            theirs = extractor.extract_part(item, part, parts)
            values[:, number] += [row.multiply_row(mine)[0] for row, mine in zip(theirs, own)]
    total: Floats = (values * side.scale[:, index][:, None] * other.scale).sum(axis=0)
    return total


@dataclass(frozen=True)
class RewritingBlock:
    """Computes rows of a Gram of pairs."""

    columns: int
    lists: JoinedLists
    diagonal: Floats | None  # and what else is in no list, as in `PairLists`
    across: dict[int, Floats]
    down: dict[int, Floats]

    def __call__(self, first: int, last: int) -> Floats:
        offset = 0 if self.diagonal is None else first
        block = np.zeros((last - first, self.columns - offset))
        self._fill(block, 0, 0, first, last)
        return block

    def store(self, matrix: Floats, first: int, last: int) -> None:
        """Compute rows ``first`` to ``last - 1`` in their places in the whole Gram."""
        offset = 0 if self.diagonal is None else first
        self._fill(matrix, first, offset, first, last)
        if self.diagonal is not None:
            check_finite(self.diagonal[first:last], first)
        if self.across or self.down:
            check_finite(matrix[first:last, offset:], first)

    def complete(self, matrix: Floats, n_jobs: int | None) -> None:
        """Fill the part of a symmetric Gram below the diagonal."""
        if self.diagonal is not None:
            mirror_matrix(matrix, n_jobs)

    def _fill(self, matrix: Floats, top: int, left: int, first: int, last: int) -> None:
        symmetric = self.diagonal is not None
        wrong = fill_pair_rows(matrix, top, left, (first, last), symmetric, self.lists)
        if wrong >= 0:
            raise make_range_error(wrong)
        offset = first if symmetric else 0
        for index, values in self.down.items():
            if index >= offset:
                matrix[top : top + last - first, left + index - offset] = values[first:last]
        for index, values in self.across.items():
            if first <= index < last:
                matrix[top + index - first, left : left + self.columns - offset] = values[offset:]
        if self.diagonal is not None:
            places = np.arange(last - first)
            matrix[top + places, left + places] = self.diagonal[first:last]
