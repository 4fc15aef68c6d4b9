"""The word subsequence kernel (Lodhi et al., 2002): tokens in the same order, not necessarily next to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints, SmallInts
from rekern.core.interruption import call_core
from rekern.core.parameters import check_choice, check_decay, check_whole
from rekern.core.registry import register
from rekern.core.state_schema import COLUMN, DECAY, TOKENIZER, Choice, Flag, Schema, Whole, parameters
from rekern.kernels.gram_plan import GramPlan, check_finite, invert_roots
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items
from rekern.kernels.strings.ngram_kernels import read_tokens
from rekern.kernels.strings.subsequence_core import sum_own_subsequences, sum_subsequences
from rekern.structures.tokenizer import Tokenize
from rekern.structures.tokens import Tokens

SMALLER_PARAMETERS = "use a smaller max_length or a smaller decay"


class SubsequenceWeights(NamedTuple):
    """The longest subsequences that count, the weight of a skipped token, and the weight of a token that is kept."""

    max_length: int
    decay: float
    factor: float


@register
class Subsequence(Kernel):
    """The word subsequences that two texts share, of all lengths up to ``max_length``.

    With ``weight="gaps"`` a common subsequence weighs ``decay`` for every token that it skips, in both texts; with
    ``weight="span"`` it weighs ``decay`` for every token from its first to its last, as in Lodhi et al.

    >>> K = Subsequence(max_length=2, decay=0.5, normalize=False)
    >>> K("a b c".split(), "a c".split())  # a, c, and a…c, which skips one token
    2.5
    >>> Subsequence(2, 0.5, weight="span", normalize=False)("a b".split(), "a b".split())  # 2 · 0.5² + 0.5⁴
    0.5625
    """

    on_texts = True

    schema = Schema(
        parameters(
            max_length=Whole(1, 1000),
            decay=DECAY,
            weight=Choice("gaps", "span"),
            normalize=Flag(),
            tokenizer=TOKENIZER,
            on=COLUMN,
        )
    )

    def __init__(
        self,
        max_length: int = 3,
        decay: float = 0.75,
        weight: str = "gaps",
        normalize: bool = True,
        tokenizer: Tokenize | None = None,
        on: str | None = None,
    ):
        self.max_length = max_length
        self.decay = decay
        self.weight = weight
        self.normalize = normalize
        self.tokenizer = tokenizer
        self.on = on

    def _check_weights(self) -> SubsequenceWeights:
        check_choice("weight", self.weight, ("gaps", "span"))
        longest = check_whole("max_length", self.max_length, 1)
        decay = check_decay(self.decay)
        return SubsequenceWeights(longest, decay, 1.0 if self.weight == "gaps" else decay * decay)

    def read_items(self, X: Items) -> Tokens:
        """Return texts as interned tokens."""
        return read_tokens(X, self.tokenizer, self.on)

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Number the tokens of all texts alike; blocks are computed pair by pair."""
        weights = self._check_weights()
        left = self.read_items(X)
        right, size = (left, len(left.vocabulary)) if Y is None else _renumber_tokens(self.read_items(Y), left)
        rows = columns = None
        if self.normalize:
            rows = invert_roots(self._sum_squares(left))
            columns = rows if Y is None else invert_roots(self._sum_squares(right, size))
        block = SubsequenceBlock(
            left.ids, left.offsets, right.ids, right.offsets, size, weights, rows, columns, Y is None
        )
        return GramPlan(len(left), len(right), Y is None, block)

    def _sum_squares(self, tokens: Tokens, size: int | None = None) -> Floats:
        size = size or len(tokens.vocabulary)
        steps = float((np.diff(tokens.offsets).astype(float) ** 2).sum())
        call = (tokens.ids, tokens.offsets, size, *self._check_weights())
        return check_finite(call_core(steps, sum_own_subsequences, *call), remedy=SMALLER_PARAMETERS)

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every text."""
        squares = self._sum_squares(self.read_items(X))
        return (squares > 0).astype(float) if self.normalize else squares


@dataclass(frozen=True)
class SubsequenceBlock:
    """Computes a block of the Gram of texts."""

    ids: SmallInts
    offsets: Ints
    ids2: SmallInts
    offsets2: Ints
    vocabulary: int
    weights: SubsequenceWeights
    rows: Floats | None
    columns: Floats | None
    symmetric: bool

    def __call__(self, first: int, last: int) -> Floats:
        offset = first if self.symmetric else 0
        block = np.zeros((last - first, len(self.offsets2) - 1 - offset))
        arrays = (self.ids, self.offsets, self.ids2, self.offsets2, self.vocabulary)
        steps = (self.offsets[last] - self.offsets[first]) * (self.offsets2[-1] - self.offsets2[offset])
        call_core(steps, sum_subsequences, block, first, offset, self.symmetric, *arrays, *self.weights)
        check_finite(block, first, SMALLER_PARAMETERS)
        if self.rows is not None and self.columns is not None:
            block *= self.rows[first:last, None]  # one after the other: the product of the two may leave the range
            block *= self.columns[offset:]
            if self.symmetric:
                np.fill_diagonal(block, (self.rows[first:last] > 0).astype(float))
        return block


def _renumber_tokens(tokens: Tokens, other: Tokens) -> tuple[Tokens, int]:
    """Return the tokens numbered as in the other corpus, new ones after them, and how many numbers there are."""
    numbers = {token: number for number, token in enumerate(other.vocabulary)}
    place = np.array([numbers.setdefault(token, len(numbers)) for token in tokens.vocabulary], dtype=np.int32)
    return Tokens(place[tokens.ids], tokens.offsets, list(numbers)), len(numbers)
