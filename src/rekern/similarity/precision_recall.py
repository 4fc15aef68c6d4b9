"""Unigram precision and recall inside a pair (Wan et al., 2006)."""

from __future__ import annotations

from rekern.core.arrays import Floats
from rekern.core.registry import register
from rekern.core.state_schema import TOKENIZER, Schema, parameters
from rekern.kernels.score_kernel import ScoreKernel
from rekern.similarity.precision_recall_core import count_shares
from rekern.similarity.score_descriptions import describe_score
from rekern.structures.pairs import Pairs
from rekern.structures.tokenizer import Tokenize


@register
class PrecisionRecall(ScoreKernel):
    """Precision and recall: the share of the source's tokens that the target has, and the other way round.

    A repeated token counts as often as both sides have it. As a kernel, the inner product of the two numbers.

    >>> PrecisionRecall().scores([("the cat sat", "the cat"), ("", "the cat")])
    array([[0.66666667, 1.        ],
           [0.        , 0.        ]])
    >>> PrecisionRecall()(("a b".split(), "a".split()), ("a".split(), "a".split()))  # 0.5 · 1 + 1 · 1
    1.5
    """

    reads_tokens = True

    schema = Schema(parameters(tokenizer=TOKENIZER))

    def __init__(self, tokenizer: Tokenize | None = None):
        self.tokenizer = tokenizer

    def names(self) -> list[str]:
        """The names of the scores."""
        return ["precision", "recall"]

    def describe_scores(self) -> list[str]:
        """Both scores in words."""
        return [describe_score(name) for name in self.names()]

    def scores(self, X: object) -> Floats:
        """A row of two numbers for each pair."""
        tokens = Pairs.from_items(X, self.tokenizer).tokens
        shares: Floats = count_shares(tokens.ids, tokens.offsets, len(tokens.vocabulary))
        return shares
