"""The words of a corpus: those that occur, and how often."""

from __future__ import annotations

import math

import numpy as np

from rekern.core.arrays import Ints
from rekern.structures.tokens import Tokens

FREQUENT = 100  # how many of the most frequent tokens count as function words


def count_words(tokens: Tokens) -> tuple[dict[str, float], float, tuple[str, ...]]:
    """Return the idf of every token, the idf of all other tokens, and the frequent tokens in descending order.

    >>> idf, _, frequent = count_words(Tokens.from_texts(["a b", "a"]))
    >>> idf["a"], frequent
    (0.0, ('a', 'b'))
    """
    numbers, vocabulary = number_used_words(tokens)
    sides = np.repeat(np.arange(len(tokens)), np.diff(tokens.offsets))
    places = np.sort(sides * max(len(vocabulary), 1) + numbers)  # np.unique takes ten times as long
    once = places[np.append(True, places[1:] != places[:-1])[: len(places)]] % max(len(vocabulary), 1)
    df = np.bincount(once, minlength=len(vocabulary)).tolist()
    frequency = np.bincount(numbers, minlength=len(vocabulary)).tolist()
    n = len(tokens)
    idf = {token: math.log((n + 1) / (number + 1)) for token, number in zip(vocabulary, df)}
    # Equally frequent tokens are in alphabetical order, so that the order of the pairs does not matter.
    ranked = sorted(zip([-number for number in frequency], vocabulary))
    return idf, math.log(n + 1), tuple(token for _, token in ranked[:FREQUENT])


def drop_unused_words(tokens: Tokens) -> Tokens:
    """Return the same corpus with a vocabulary of only the words that occur in it.

    >>> drop_unused_words(Tokens.from_texts(["a b", "c"])[1:]).vocabulary
    ['c']
    """
    numbers, vocabulary = number_used_words(tokens)
    return Tokens(numbers.astype(np.int32), tokens.offsets, vocabulary)


def number_used_words(tokens: Tokens) -> tuple[Ints, list[str]]:
    """Return the numbers of the tokens in a vocabulary of only the words that occur, and this vocabulary.

    >>> number_used_words(Tokens.from_texts(["a b", "c b"])[1:])
    (array([1, 0]), ['b', 'c'])
    """
    present = np.zeros(len(tokens.vocabulary), bool)
    present[tokens.ids] = True
    numbers = np.cumsum(present) - 1
    return numbers[tokens.ids], [tokens.vocabulary[number] for number in np.flatnonzero(present)]
