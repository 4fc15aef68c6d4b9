"""What scores learn of the words of the training pairs: their weights, and which are frequent."""

from __future__ import annotations

import math

import numpy as np

from rekern.core.arrays import Ints
from rekern.structures.tokens import Tokens

FREQUENT = 100  # how many of the most frequent tokens count as function words


def count_words(tokens: Tokens) -> tuple[dict[str, float], float, tuple[str, ...]]:
    """Return the idf of every token, the idf of all other tokens, and the frequent tokens in descending order."""
    numbers, vocabulary = number_used_words(tokens)
    sides = np.repeat(np.arange(len(tokens)), np.diff(tokens.offsets))
    once = np.unique(sides * max(len(vocabulary), 1) + numbers) % max(len(vocabulary), 1)
    df = np.bincount(once, minlength=len(vocabulary)).tolist()
    frequency = np.bincount(numbers, minlength=len(vocabulary)).tolist()
    n = len(tokens)
    idf = {token: math.log((n + 1) / (number + 1)) for token, number in zip(vocabulary, df)}
    # Equally frequent tokens are in alphabetical order, so that the order of the pairs does not matter.
    ranked = sorted(zip([-number for number in frequency], vocabulary))
    return idf, math.log(n + 1), tuple(token for _, token in ranked[:FREQUENT])


def drop_unused_words(tokens: Tokens) -> Tokens:
    """Return the same corpus with a vocabulary of only the words that occur in it."""
    numbers, vocabulary = number_used_words(tokens)
    return Tokens(numbers.astype(np.int32), tokens.offsets, vocabulary)


def number_used_words(tokens: Tokens) -> tuple[Ints, list[str]]:
    """Return the numbers of the tokens in a vocabulary of only the words that occur, and this vocabulary."""
    present = np.zeros(len(tokens.vocabulary), bool)
    present[tokens.ids] = True
    numbers = np.cumsum(present) - 1
    return numbers[tokens.ids], [tokens.vocabulary[number] for number in np.flatnonzero(present)]
