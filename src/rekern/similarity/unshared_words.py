"""Scores of the words that only one side of a pair has, and of the order of the words that both have.

A word is shared as often as both sides have it. Its first occurrences count as shared, the others as unshared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Self

import numpy as np
from sklearn.exceptions import NotFittedError

from rekern.core.arrays import Floats
from rekern.core.object_descriptions import State
from rekern.core.registry import register
from rekern.core.state_schema import COLUMN, Array, Number, Record, Schema, Spreads, Weights, parameters
from rekern.errors import InputError
from rekern.kernels.score_kernel import ScoreKernel
from rekern.similarity.score_descriptions import describe_score
from rekern.similarity.used_words import count_words, weigh_words
from rekern.structures import Representations, Tokens, Trees, stem

# Beginnings of Penn tags, and the kinds of words that they stand for. The first match counts.
KINDS = (
    ("NNP", "names"),
    ("NN", "nouns"),
    ("VB", "verbs"),
    ("JJ", "adjectives"),
    ("RB", "adverbs"),
    ("CD", "numbers"),
    *((tag, "function words") for tag in ("IN", "PRP", "DT", "TO", "MD", "CC")),
    ("", "others"),
)
LISTED = tuple(dict.fromkeys(kind for _, kind in KINDS))
CONTENT = ("names", "nouns", "verbs", "adjectives", "numbers")
PLACES = ("content weight", "longest run", "runs", "beginning", "end")
UNSHARED = tuple(f"{side} unshared {name}" for side in ("source", "target") for name in (*LISTED, *PLACES))
CHUNKS = (
    "meteor",
    "chunks",
    "inversions",
    "idf bigram precision",
    "idf bigram recall",
    "idf trigram precision",
    "idf trigram recall",
    "verbs in common",
    "names in common",
    "same beginning",
)


Side = tuple[list[int], list[str]]


def find_kind(tag: str) -> str:
    """Return the kind of a word with this tag.

    >>> find_kind("NNPS"), find_kind("VBZ"), find_kind("PRP$"), find_kind(",")
    ('names', 'verbs', 'function words', 'others')
    """
    return next(kind for start, kind in KINDS if tag.startswith(start))


def score_unshared_words(lemmas: Tokens, tags: Tokens, weights: Floats) -> Floats:
    """Return scores of the unshared words on both sides of each pair.

    For each side they are ln(1 + n) of the n unshared words of each kind, the total weight of the unshared content
    words, the length of the longest run of unshared words, the number of such runs, and the number of unshared words at
    the beginning and at the end. ``weights`` has a weight for each word of the vocabulary of ``lemmas``.

    >>> lemmas = Tokens.from_texts([["old", "dog", "bark"], ["dog", "bark", "loud"]])
    >>> tags = Tokens.from_texts([["JJ", "NNS", "VBP"], ["NNS", "VBP", "RB"]])
    >>> found = dict(zip(UNSHARED, score_unshared_words(lemmas, tags, np.array([3.0, 1.0, 2.0, 4.0]))[0].tolist()))
    >>> [name for name, value in found.items() if value]  # doctest: +NORMALIZE_WHITESPACE
    ['source unshared adjectives', 'source unshared content weight', 'source unshared longest run',
     'source unshared runs', 'source unshared beginning', 'target unshared adverbs', 'target unshared longest run',
     'target unshared runs', 'target unshared end']
    """
    rows = []
    for one, other in _read_pairs(lemmas, tags):
        rows.append(_score_unshared(*one, other[0], weights) + _score_unshared(*other, one[0], weights))
    return np.array(rows, float).reshape(len(rows), len(UNSHARED))


def score_arrangement(lemmas: Tokens, tags: Tokens, weights: Floats) -> Floats:
    """Return scores of the arrangement of the shared words.

    They are METEOR, its chunks divided by the number of shared words, the steps back divided by the same number, the
    shares of weighted bigrams and trigrams, the shares of verbs and of names in common, and whether the first words are
    the same. ``weights`` has a weight for each word of the vocabulary of ``lemmas``.

    >>> lemmas = Tokens.from_texts([["a", "b", "c", "d"], ["c", "d", "a", "b"]])
    >>> tags = Tokens.from_texts([["NN"] * 4, ["NN"] * 4])
    >>> found = score_arrangement(lemmas, tags, np.ones(4))[0]
    >>> dict(zip(CHUNKS[:4], found.round(4).tolist()))  # two chunks of four words, one step back
    {'meteor': 0.9375, 'chunks': 0.5, 'inversions': 0.25, 'idf bigram precision': 0.6667}
    """
    rows = []
    for one, other in _read_pairs(lemmas, tags):
        scores = _score_order(one[0], other[0])
        for length in (2, 3):
            scores += _weigh_shares(one[0], other[0], length, weights)
        for kind in ("verbs", "names"):
            mine, theirs = ({word for word, its in zip(*side) if its == kind} for side in (one, other))
            scores.append(len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0)
        scores.append(float(one[0][:1] == other[0][:1]))
        rows.append(scores)
    return np.array(rows, float).reshape(len(rows), len(CHUNKS))


def _read_pairs(lemmas: Tokens, tags: Tokens) -> Iterator[tuple[Side, Side]]:
    """Return the source and the target of each pair: the numbers of their words, and the kinds of these words."""
    kinds = [find_kind(tag) for tag in tags.vocabulary]
    words, word_kinds = lemmas.ids.tolist(), [kinds[tag] for tag in tags.ids.tolist()]
    sides = ((words[first:last], word_kinds[first:last]) for first, last in pairwise(lemmas.offsets.tolist()))
    return zip(sides, sides)


def _score_unshared(words: list[int], kinds: list[str], others: list[int], weights: Floats) -> list[float]:
    left = Counter(others)
    shared = []
    for word in words:
        shared.append(left[word] > 0)
        left[word] -= 1
    number = Counter(kind for kind, found in zip(kinds, shared) if not found)
    content = sum(
        float(weights[word]) for word, kind, found in zip(words, kinds, shared) if not found and kind in CONTENT
    )
    runs, run = [], 0
    for found in [*shared, True]:
        if found and run:
            runs.append(run)
        run = 0 if found else run + 1
    begin = shared.index(True) if any(shared) else len(shared)
    end = shared[::-1].index(True) if any(shared) else len(shared)
    return [*(math.log1p(number[kind]) for kind in LISTED), content, max(runs, default=0), len(runs), begin, end]


def _score_order(words: list[int], others: list[int]) -> list[float]:
    """Return METEOR (Banerjee and Lavie, 2005), chunks and steps back; a word matches the nearest free equal word."""
    free: dict[int, list[int]] = {}
    for place, word in enumerate(others):
        free.setdefault(word, []).append(place)
    matched: list[int] = []
    for place, word in enumerate(words):
        if free.get(word):
            wanted = matched[-1] + 1 if matched else place
            nearest = min(free[word], key=lambda other: abs(other - wanted))
            free[word].remove(nearest)
            matched.append(nearest)
    size = len(matched)
    if not size:
        return [0.0, 0.0, 0.0]
    steps = np.diff(matched)
    chunks = 1 + int(np.sum(steps != 1))
    precision, recall = size / len(words), size / len(others)
    mean = precision * recall / (0.9 * precision + 0.1 * recall)
    return [mean * (1 - 0.5 * (chunks / size) ** 3), chunks / size, float(np.sum(steps < 0)) / size]


def _weigh_shares(words: list[int], others: list[int], length: int, weights: Floats) -> list[float]:
    """Return the shares of the n-grams of each side that the other has; an n-gram weighs as much as its words."""
    one, other = (Counter(zip(*(side[start:] for start in range(length)))) for side in (words, others))

    def sum_weights(grams: Counter[tuple[int, ...]]) -> float:
        return sum(float(weights[list(gram)].sum()) * count for gram, count in grams.items())

    shared = sum_weights(one & other)
    return [shared / sum_weights(grams) if sum_weights(grams) else 0.0 for grams in (one, other)]


@register
class UnsharedWords(ScoreKernel):
    """Linear kernel on standardised scores of the words that two constituent trees do not share, and of word order.

    The words are the stems of the leaves. Their kinds come from the part-of-speech tags above them. `fit` learns from
    the training pairs the idf of every stem (ln((n + 1)/(df + 1)), if df of n sides have it), and the mean and the
    standard deviation of every score. `score_unshared_words` and `score_arrangement` describe the scores.

    Parameters
    ----------
    on : str
        The representation of the pairs that has constituent trees.

    Examples
    --------
    >>> trees = ["(S (NNS Dogs) (VBP bark))", "(S (NNS Cats) (VBP mew))"]
    >>> pairs = Representations({"source.words": trees, "target.words": trees[::-1]})
    >>> UnsharedWords(on="words").fit(pairs).scores(pairs).shape
    (2, 36)
    """

    schema = Schema(
        parameters(on=COLUMN),
        learned=Record(
            idf_=Weights(),
            unseen_idf_=Number(0.0),
            mean_=Array("f8", "scores"),
            scale_=Spreads("scores"),
        ),
    )

    def __init__(self, on: str | None = None):
        self.on = on

    def names(self) -> list[str]:
        """Return the names of the scores."""
        return [*UNSHARED, *CHUNKS]

    def fit(self, X: object, y: object = None) -> Self:
        """Learn the weights of stems, and the mean and the standard deviation of every score."""
        lemmas, _ = self._read_words(X)
        self.idf_, self.unseen_idf_, _ = count_words(lemmas)
        found = self._compute_scores(X)
        self.mean_, spread = found.mean(axis=0), found.std(axis=0)
        self.scale_ = np.where(spread < 1e-9, np.inf, spread)  # a constant score is 0
        return self

    def scores(self, X: object) -> Floats:
        """Return an array with a row of scores for each pair."""
        return self.rescale(self.raw_scores(X))

    def raw_scores(self, X: object) -> Floats:
        """Return the scores before they are standardised."""
        if not hasattr(self, "scale_"):
            raise NotFittedError("this UnsharedWords is not fitted yet; call fit(pairs) first")
        return self._compute_scores(X)

    def rescale(self, raw: Floats) -> Floats:
        """Return standardised scores."""
        standardized: Floats = (raw - self.mean_) / self.scale_
        return standardized

    def get_learned(self) -> State:
        """Return the weights of stems, and the mean and spread of every score; 0 stands for a constant score."""
        state = super().get_learned()
        return State(state, scale_=np.where(np.isinf(state["scale_"]), 0.0, state["scale_"])) if state else state

    def set_learned(self, state: State) -> None:
        """Set what `get_learned` returned, after checking it."""
        super().set_learned(state)
        self.scale_ = np.where(self.scale_ == 0, np.inf, self.scale_)

    def count_sizes(self) -> dict[str, int]:
        """Return the number of scores."""
        return {"scores": len(self.names())}

    def describe_scores(self) -> list[str]:
        """Return every score in words."""
        return [describe_score(name) for name in self.names()]

    def _compute_scores(self, X: object) -> Floats:
        lemmas, tags = self._read_words(X)
        weights = weigh_words(lemmas.vocabulary, self.idf_, self.unseen_idf_)
        return np.column_stack([score_unshared_words(lemmas, tags, weights), score_arrangement(lemmas, tags, weights)])

    def _read_words(self, X: object) -> tuple[Tokens, Tokens]:
        """Return the stems and the tags of all sides: the source and the target of the first pair, of the second, …"""
        if self.on is None:
            raise InputError("on=None: name the representation that has the constituent trees")
        table, sources, targets = Representations.from_items(X).texts([self.on])
        texts = list_words(table.trees(self.on))
        chosen = [texts[number] for pair in zip(sources.tolist(), targets.tolist()) for number in pair]
        stems, tags = ([[word[place] for word in text] for text in chosen] for place in (0, 1))
        return Tokens.from_texts(stems), Tokens.from_texts(tags)


def list_words(trees: Trees) -> list[list[tuple[str, str]]]:
    """Return the words of each tree, in the order of the sentence, as pairs of stem and tag.

    >>> list_words(Trees.from_items(["(S (NP (NNS Dogs)) (VP (VBP bark)))"]))
    [[('dog', 'NNS'), ('bark', 'VBP')]]
    """
    vocabulary, labels = trees.vocabulary, trees.labels.tolist()
    first, count = trees.first.tolist(), trees.count.tolist()
    texts = []
    for root, end in zip(trees.offsets[:-1].tolist(), trees.offsets[1:].tolist()):
        found, todo = [], [(root, "")] if root < end else []
        while todo:
            node, above = todo.pop()
            label = vocabulary[labels[node]]
            if not count[node]:
                found.append((stem(label), above))
            todo += [(child, label) for child in reversed(range(first[node], first[node] + count[node]))]
        texts.append(found)
    return texts
