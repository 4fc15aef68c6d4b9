"""Many scores inside a pair, of its words, their order, their characters and what training says of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from rekern.errors import InputError
from rekern.kernels.scores import ScoreKernel
from rekern.similarity.overlap import pair_scores
from rekern.structures.pairs import Pairs, as_pairs
from rekern.structures.tokens import Tokenizer, Tokens

NAMES = (
    "precision",
    "recall",
    "idf precision",
    "idf recall",
    "bigram precision",
    "bigram recall",
    "trigram precision",
    "trigram recall",
    "content precision",
    "content recall",
    "capital precision",
    "capital recall",
    "number precision",
    "number recall",
    "subsequence precision",
    "subsequence recall",
    "substring precision",
    "substring recall",
    "character precision",
    "character recall",
    "source length",
    "target length",
    "prefix precision",
    "prefix recall",
    "window recall",
    "source negation",
    "target negation",
    "negation differs",
)
FREQUENT = 100  # so many of the most frequent tokens count as function words
PREFIX = 4  # so many characters make a common beginning
NEGATIONS = frozenset(["not", "n't", "no", "never", "neither", "nor", "without", "none", "fail", "refus", "reject"])
SMALLEST_SPREAD = 1e-9  # a standard deviation below is nothing but rounding: the score is constant


class Similarities(ScoreKernel):
    """28 scores of how much the two sides of a pair have in common, as a linear kernel; no lexicon, no parser.

    Precision is the share of the source that is found in the target, recall the share of the target that is found in
    the source. Both are taken of tokens, tokens weighted by idf, bigrams, trigrams, content tokens (not among the 100
    most frequent of training, and with a letter or digit), capitalised tokens, tokens with a digit, the longest common
    subsequence, the longest common run (substring), character 4-grams, and idf-weighted tokens that need share no more
    than their first 4 characters (prefix). A repeated token or n-gram counts as often as both sides have it; for
    capitals and prefixes it is enough to occur. Further scores: the best idf recall in a window of the source of twice
    the target's length (8 tokens at least), ln(1 + length)/5 of both sides, and whether the source, the target, or just
    one of them has a negation. A share of nothing is 1, of no bigrams or trigrams 0.

    ``fit`` learns from the training pairs, in any order, the number of sides that have a token (for its idf,
    ln((n + 1)/(df + 1)) with n sides), the frequent tokens, and the mean and standard deviation of every score.

    Parameters
    ----------
    only : tuple of str, optional
        The scores to use, by name, in this order; all of ``Similarities().names()`` by default.
    standardize : bool
        Whether to take the training mean off and divide by the standard deviation; a score that is constant in
        training is then 0.
    tokenizer : callable, optional
        From a str to a list of tokens, ``Tokenizer()`` by default. Ready-made tokens are used verbatim.

    Attributes
    ----------
    idf_ : dict
        The weight of every training token.
    unseen_idf_ : float
        The weight of any other token.
    frequent_ : tuple of str
        The frequent tokens, the most frequent first.
    mean_, scale_ : arrays
        Of the scores in training; a scale of 0 marks a constant score.

    >>> pairs = [("Tom sold the car to Ann.", "Ann bought the car."), ("It rains.", "It does not rain.")]
    >>> kernel = Similarities(only=("recall", "idf recall", "negation differs"), standardize=False).fit(pairs)
    >>> kernel.scores([("The car was sold to Ann.", "Ann owns the car."), ("It rains.", "It never rains.")])
    array([[0.8       , 0.48775253, 0.        ],
           [0.75      , 0.38829974, 1.        ]])
    >>> Similarities().fit(pairs).gram(pairs).shape
    (2, 2)
    """

    def __init__(
        self,
        only: tuple[str, ...] | None = None,
        standardize: bool = True,
        tokenizer: Callable[[str], list[str]] | None = None,
    ):
        self.only = only
        self.standardize = standardize
        self.tokenizer = tokenizer

    def names(self) -> list[str]:
        """The names of the scores.

        >>> Similarities(only=("prefix recall", "window recall")).names()
        ['prefix recall', 'window recall']
        """
        if self.only is None:
            return list(NAMES)
        if isinstance(self.only, str) or not len(self.only):
            raise InputError(f"only={self.only!r}: give a tuple of names of scores, or None for all")
        for name in self.only:
            if name not in NAMES:
                raise InputError(f"there is no score {name!r}; choose among {', '.join(NAMES)}")
        return list(self.only)

    def fit(self, X: Any, y: Any = None) -> Similarities:
        """Learn word statistics, and the mean and spread of every score, from the training pairs."""
        names = self.names()
        tokens, raw = self._read(X)
        if not len(tokens):
            raise InputError("there are no pairs to learn word weights from; give at least one")
        numbers, vocabulary = _used(tokens)
        sides = np.repeat(np.arange(len(tokens)), np.diff(tokens.offsets))
        once = np.unique(sides * max(len(vocabulary), 1) + numbers) % max(len(vocabulary), 1)
        df = np.bincount(once, minlength=len(vocabulary)).tolist()
        frequency = np.bincount(numbers, minlength=len(vocabulary)).tolist()
        n = len(tokens)
        self.idf_ = {token: math.log((n + 1) / (number + 1)) for token, number in zip(vocabulary, df)}
        self.unseen_idf_ = math.log(n + 1)
        # Of equally frequent tokens the first in the alphabet: the order of the pairs must not matter.
        ranked = sorted(zip([-number for number in frequency], vocabulary))
        self.frequent_ = tuple(token for _, token in ranked[:FREQUENT])
        columns = self._raw_scores(tokens, raw, names).T
        # Exact sums, for the same reason.
        self.mean_ = np.array([math.fsum(column) / len(column) for column in columns])
        squares = (columns - self.mean_[:, None]) ** 2
        spread = np.array([math.sqrt(math.fsum(column) / len(column)) for column in squares])
        self.scale_ = np.where(spread < SMALLEST_SPREAD, 0.0, spread)
        return self

    def scores(self, X: Any) -> np.ndarray:
        """A row of scores for each pair."""
        names = self.names()
        if not hasattr(self, "scale_"):
            raise NotFittedError("this Similarities has seen no training pairs yet; call fit(pairs) first")
        found = self._raw_scores(*self._read(X), names)
        if not self.standardize:
            return found
        constant = self.scale_ == 0
        return np.where(constant, 0.0, (found - self.mean_) / np.where(constant, 1.0, self.scale_))

    def _read(self, X: Any) -> tuple[Tokens, Tokens]:
        """The tokens of all sides, and the same tokens as they were written."""
        if isinstance(X, Pairs):
            return X.tokens, X.tokens
        items = list(zip(*as_pairs(X)))
        tokenizer = Tokenizer() if self.tokenizer is None else self.tokenizer
        tokens = Pairs.from_items(items, tokenizer).tokens
        if type(tokenizer) is not Tokenizer:
            return tokens, tokens
        as_written = Tokenizer(language=None, lowercase=False, punctuation=tokenizer.punctuation)
        return tokens, Pairs.from_items(items, as_written).tokens

    def _raw_scores(self, tokens: Tokens, raw: Tokens, names: list[str]) -> np.ndarray:
        numbers, vocabulary = _used(tokens)
        function_words = set(self.frequent_)
        frequent = np.array([token in function_words for token in vocabulary], bool)
        worded = np.array([any(map(str.isalnum, token)) for token in vocabulary], bool)
        weights = np.ones((4, len(vocabulary)))
        weights[1] = [self.idf_.get(token, self.unseen_idf_) for token in vocabulary]
        weights[2] = worded & ~frequent
        weights[3] = [any(map(str.isdigit, token)) for token in vocabulary]
        begins: dict[str, int] = {}
        prefix = [
            begins.setdefault(token[:PREFIX], len(begins)) if len(token) >= PREFIX else -1 for token in vocabulary
        ]
        raw_numbers, raw_vocabulary = _used(raw)
        upper = np.array([token[:1].isupper() for token in raw_vocabulary], bool)
        codes = np.frombuffer("".join(vocabulary).encode("utf-32-le", "surrogatepass"), np.uint32)
        found = pair_scores(
            numbers,
            tokens.offsets,
            upper[raw_numbers] & ~frequent[numbers],
            weights,
            np.array(prefix, np.int64),
            np.array([token in NEGATIONS for token in vocabulary], bool),
            codes,
            np.array(list(accumulate(map(len, vocabulary), initial=0)), np.int64),
        )
        # A copy in rows: elsewhere rows are summed up, and the layout would decide in which order.
        return np.ascontiguousarray(found[:, [NAMES.index(name) for name in names]])


def _used(tokens: Tokens) -> tuple[np.ndarray, list[str]]:
    """The token numbers, and the vocabulary, without what is in other parts of the corpus only."""
    present = np.zeros(len(tokens.vocabulary), bool)
    present[tokens.ids] = True
    numbers = np.cumsum(present) - 1
    return numbers[tokens.ids], [tokens.vocabulary[number] for number in np.flatnonzero(present)]
