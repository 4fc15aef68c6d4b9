"""Unigram precision and recall inside a pair (Wan et al., 2006)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.registry import register
from rekern.kernels.score_kernel import ScoreKernel
from rekern.structures.pairs import Pairs


@compiled
def _precision_recall(ids, offsets, vocabulary):
    scores = np.zeros(((len(offsets) - 1) // 2, 2))
    count = np.zeros(vocabulary, np.int64)
    for row in range(len(scores)):
        source = ids[offsets[2 * row] : offsets[2 * row + 1]]
        target = ids[offsets[2 * row + 1] : offsets[2 * row + 2]]
        for token in source:
            count[token] += 1
        shared = 0
        for token in target:
            if count[token] > 0:
                count[token] -= 1
                shared += 1
        for token in source:
            count[token] = 0
        if len(source) and len(target):
            scores[row, 0] = shared / len(source)
            scores[row, 1] = shared / len(target)
    return scores


@register
class PrecisionRecall(ScoreKernel):
    """The share of the source's tokens that the target has, and the other way round; a repeated token counts as often
    as both sides have it. As a kernel, the inner product of the two numbers.

    >>> PrecisionRecall().scores([("the cat sat", "the cat"), ("", "the cat")])
    array([[0.66666667, 1.        ],
           [0.        , 0.        ]])
    >>> PrecisionRecall()(("a b".split(), "a".split()), ("a".split(), "a".split()))  # 0.5 · 1 + 1 · 1
    1.5
    """

    reads_tokens = True

    def __init__(self, tokenizer: Callable[[str], list[str]] | None = None):
        self.tokenizer = tokenizer

    def names(self) -> list[str]:
        """The names of the scores."""
        return ["precision", "recall"]

    def scores(self, X: Any) -> np.ndarray:
        """A row of two numbers for each pair."""
        tokens = Pairs.from_items(X, self.tokenizer).tokens
        return _precision_recall(tokens.ids, tokens.offsets, len(tokens.vocabulary))
