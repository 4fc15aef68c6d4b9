"""The string rewriting kernels (Bu, Li and Zhu, 2012), through their explicit features.

K = Σ over window sizes of (source product · target product + products of rules with aligned wildcards). The first
term covers the rules without wildcards (and, for free wildcards, all rules). They are never listed, so a long pair
costs its length, not its square.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rekern.core.array_core import add_window
from rekern.core.arrays import Floats
from rekern.core.inverted_lists import InvertedLists, invert_rows, multiply_lists
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
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.gram_plan import GramPlan
from rekern.kernels.kernel_items import Items, materialize_items
from rekern.kernels.key_feature_kernel import KeyFeatureKernel
from rekern.kernels.rewriting.rule_decision import RuleDecision
from rekern.kernels.rewriting.rule_extraction import RuleExtractor
from rekern.kernels.rewriting.rule_text import name_rules
from rekern.kernels.rewriting.window_rows import list_all_parts
from rekern.structures.column_selection import select_pairs
from rekern.structures.pairs import Pairs
from rekern.structures.tokenizer import Tokenize

if TYPE_CHECKING:
    import scipy.sparse as sp

MOST_WINDOWS = 100  # in a model file
STRIP = 16  # rows of a Gram whose products stay in the cache
RULES_OF_A_TOKEN = 32  # about as many begin at a token of a text


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
        n_jobs = _limit_jobs(n_jobs, left, right)
        with stay_here():  # rules are found in less time than it takes to send them
            blocks, squares = extractor.measure_blocks(left, n_jobs)
            scales = columns = extractor.find_scales(squares)
            parts: list[tuple[KeyRows, ...]] = [(stack_rows(part),) for part in list_all_parts(blocks)]
            if right is not None:
                others, other_squares = extractor.measure_blocks(right, n_jobs)
                columns = extractor.find_scales(other_squares)
                parts = [(*part, stack_rows(other)) for part, other in zip(parts, list_all_parts(others))]
            lists = run_in_threads(invert_rows, parts, n_jobs)
        diagonal = extractor.add_windows(squares) if right is None else None
        block = RewritingBlock(list(zip(lists[::3], lists[1::3], lists[2::3])), scales, columns, diagonal)
        return GramPlan(len(left), columns.shape[1], right is None, block)

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

        Its product with its transpose is the Gram. A pair with more than 8 million rules is refused; `gram` and `diag`
        do not list rules without wildcards, so that they take longer texts.

        >>> Rewriting(k=1, normalize=False).features([("a b", "b"), ("b", "b")]).toarray().sum(axis=1)
        array([3., 2.])
        """
        return super().features(X, n_jobs)

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


def _limit_jobs(n_jobs: int | None, pairs: Pairs, others: Pairs | None = None) -> int | None:
    """Return the number of jobs for the rules of pairs: one for few pairs."""
    tokens = len(pairs.tokens.ids) + (0 if others is None else len(others.tokens.ids))
    return limit_jobs(n_jobs, RULES_OF_A_TOKEN * tokens)


@dataclass(frozen=True)
class RewritingBlock:
    """Computes rows of a Gram: Σ over window sizes of (sources · targets + rules) · factors of row and column."""

    lists: list[tuple[InvertedLists, InvertedLists, InvertedLists]]  # of sources, targets and rules of each window size
    row_scales: Floats
    column_scales: Floats
    diagonal: Floats | None  # of a symmetric Gram, whose lists meet only the rows below

    def __call__(self, first: int, last: int) -> Floats:
        offset = 0 if self.diagonal is None else first
        block = np.zeros((last - first, self.column_scales.shape[1] - offset))
        for begin in range(first, last, STRIP):
            end = min(begin + STRIP, last)
            strip = block[begin - first : end - first]
            for lists, rows, columns in zip(self.lists, self.row_scales, self.column_scales):
                parts = [multiply_lists(part, begin, end, offset) for part in lists]
                add_window(strip, *parts, rows[begin:end], columns[offset:])
        if self.diagonal is not None:
            np.fill_diagonal(block, self.diagonal[first:last])
        return block
