"""Kernels on single texts by their contiguous patterns: n-grams, and n-grams with wildcards."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints, Keys, SmallInts, slice_ragged
from rekern.core.hashing import constants
from rekern.core.inverted_lists import ListBlock, invert_rows
from rekern.core.key_rows import KeyRows, stack_rows
from rekern.core.model_limits import ModelLimits
from rekern.core.object_descriptions import State
from rekern.core.parallel_jobs import run, split_range
from rekern.core.parameters import LONGEST_WINDOW, check_decay, check_patterns, check_size, check_whole
from rekern.core.registry import register
from rekern.core.state_schema import COLUMN, DECAY, TOKENIZER, Flag, Schema, Whole, parameters
from rekern.core.weight_table import sum_weights, unpack_weights
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.gram_plan import GramPlan
from rekern.kernels.kernel_items import Items, materialize_items
from rekern.kernels.key_feature_kernel import KeyDecision, KeyFeatureKernel, normalize_rows, square_rows
from rekern.kernels.strings.ngram_core import extract_patterns
from rekern.kernels.strings.pattern_text import list_ngrams, list_patterns
from rekern.structures.column_selection import select_texts
from rekern.structures.tokenizer import Tokenize
from rekern.structures.tokens import Tokens

TEXTS_IN_BLOCK = 1024


def read_tokens(X: Items, tokenizer: Tokenize | None, on: str | None = None) -> Tokens:
    """Return texts, or their representation ``on``, as interned tokens; ready tokens are used as they are.

    >>> read_tokens(["a b", ["B"]], None).vocabulary
    ['a', 'b', 'B']
    """
    return Tokens.from_texts(select_texts(materialize_items(X), on), tokenizer)


class Pattern(NamedTuple):
    """The patterns that a kernel counts: how many elements, at most how many wildcards, the weight of a wildcard."""

    size: int
    wildcards: int
    decay: float


class PatternKernel(KeyFeatureKernel[Tokens]):
    """A kernel on texts whose features are patterns of ``k`` elements with a limited number of wildcards."""

    on_texts = True

    k: int
    normalize: bool
    tokenizer: Tokenize | None

    def check_pattern(self) -> Pattern:
        """Return the patterns that are counted, after checking the parameters."""
        raise NotImplementedError

    def read_items(self, X: Items) -> Tokens:
        """Return texts as interned tokens."""
        return read_tokens(X, self.tokenizer, self.on)

    def extract_rows(self, corpus: Tokens, n_jobs: int | None = None) -> KeyRows:
        """Return the patterns of every text."""
        pattern = self.check_pattern()
        token_keys = corpus.token_keys()
        blocks = [slice_ragged(corpus.offsets, *span) for span in split_range(len(corpus), TEXTS_IN_BLOCK)]
        calls = [(corpus.ids[place], offsets, token_keys, *pattern) for place, offsets in blocks]
        calls = calls or [(corpus.ids[:0], np.zeros(1, np.int64), token_keys, *pattern)]
        rows = stack_rows(list(run(_extract_block, calls, n_jobs, "patterns")))
        return normalize_rows(rows) if self.normalize else rows

    def name_features(self, corpus: Tokens, row: int, keys: set[int]) -> dict[int, str]:
        """Return these patterns of one text as text; a wildcard is written ∗."""
        size, wildcards, _ = self.check_pattern()
        words = corpus[row]
        ids = corpus.ids[corpus.offsets[row] : corpus.offsets[row + 1]]
        factors = constants(1, size)
        if wildcards == 0:
            patterns = list_ngrams(words, corpus.token_keys(), ids, factors, size)
        else:
            patterns = list_patterns(words, corpus.token_keys(), ids, factors, size, 1, wildcards)
        return {key: pattern.text for key, pattern in patterns.items() if key in keys}

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Extract the patterns of all texts into inverted lists."""
        left = self.extract_rows(self.read_items(X), n_jobs)
        right = None if Y is None else self.extract_rows(self.read_items(Y), n_jobs)
        lists = invert_rows(left, right, n_jobs)
        diagonal = square_rows(left, self.normalize) if right is None else None
        return GramPlan(len(left.indptr) - 1, lists.width, Y is None, ListBlock(lists, diagonal))

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every text."""
        return square_rows(self.extract_rows(self.read_items(X)), self.normalize)

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return a table of patterns with weights."""
        rows = self.extract_rows(self.read_items(X))
        return KeyDecision(self, sum_weights(rows, np.asarray(coefficients, dtype=float)), "pattern")

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return the table of a file."""
        return KeyDecision(self, unpack_weights(state, outputs), "pattern")


@register
class Spectrum(PatternKernel):
    """The n-grams of ``k`` tokens that two texts share (Leslie et al., 2002).

    >>> Spectrum(2, normalize=False)("to be or not to be".split(), "to be is to do".split())  # "to be", twice and once
    2.0
    >>> Spectrum(2).gram(["a rose is a rose", "a rose"])
    array([[1.        , 0.81649658],
           [0.81649658, 1.        ]])
    """

    schema = Schema(parameters(k=Whole(1, LONGEST_WINDOW), normalize=Flag(), tokenizer=TOKENIZER, on=COLUMN))

    def __init__(
        self,
        k: int = 2,
        normalize: bool = True,
        tokenizer: Tokenize | None = None,
        on: str | None = None,
    ):
        self.k = k
        self.normalize = normalize
        self.tokenizer = tokenizer
        self.on = on

    def check_pattern(self) -> Pattern:
        """Return n-grams without wildcards."""
        return Pattern(check_size("k", self.k), 0, 1.0)


@register
class Wildcard(PatternKernel):
    """The patterns of ``k`` elements with at most ``m`` wildcards that two texts share (Leslie and Kuang, 2004).

    A wildcard stands for any one token and weighs ``decay``.

    >>> Wildcard(2, 1, decay=0.5, normalize=False)("a b".split(), "a c".split())  # "a *", with 0.5 on both sides
    0.25
    >>> sorted(Wildcard(2, 1).fit(["a b"]).get_feature_names_out())
    ['a b', 'a ∗', '∗ b']
    """

    schema = Schema(
        parameters(
            k=Whole(1, LONGEST_WINDOW),
            m=Whole(0, LONGEST_WINDOW),
            decay=DECAY,
            normalize=Flag(),
            tokenizer=TOKENIZER,
            on=COLUMN,
        )
    )

    def __init__(
        self,
        k: int = 2,
        m: int = 1,
        decay: float = 1.0,
        normalize: bool = True,
        tokenizer: Tokenize | None = None,
        on: str | None = None,
    ):
        self.k = k
        self.m = m
        self.decay = decay
        self.normalize = normalize
        self.tokenizer = tokenizer
        self.on = on

    def check_limits(self, limits: ModelLimits) -> None:
        """Refuse windows in a model file that cost much for any text."""
        size, wildcards, _ = self.check_pattern()
        patterns = sum(math.comb(size, chosen) for chosen in range(wildcards + 1))
        limits.check("window_patterns", patterns, f"its window k={size} with m={wildcards} has {patterns:,} patterns")

    def check_pattern(self) -> Pattern:
        """Return patterns with wildcards."""
        size = check_size("k", self.k)
        wildcards = check_whole("m", self.m, 0, size, f"k={size}")
        check_patterns(size, wildcards)
        return Pattern(size, wildcards, check_decay(self.decay))


def _extract_block(ids: SmallInts, offsets: Ints, token_keys: Keys, size: int, wildcards: int, decay: float) -> KeyRows:
    return extract_patterns(ids, offsets, token_keys, size, wildcards=wildcards, decay=decay)
