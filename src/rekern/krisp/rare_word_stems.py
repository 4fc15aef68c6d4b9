"""Stems for rare words: a word that training sentences seldom have is seen as a frequent one of the same stem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

FREQUENT = 60  # sentences with a word, so that it is seen as it is


@cache
def stem(word: str) -> str:
    """The stem of an English word in lower case; what stands for a name stays as it is.

    >>> stem("rivers"), stem("<States>")
    ('river', '<States>')
    """
    import snowballstemmer

    return word if word.startswith("<") else snowballstemmer.stemmer("english").stemWord(word)


class Stems(NamedTuple):
    """The words that are seen as they are, and for every stem the most frequent word that has it."""

    frequent: frozenset[str]
    chief: dict[str, str]

    def seen(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words as they are seen: the more sentences were learned from, the more words are told apart."""
        return tuple(word if word in self.frequent else self.chief.get(stem(word), word) for word in words)


def learned_stems(sentences: Iterable[Sequence[str]], least: int = FREQUENT) -> Stems:
    """What sentences teach about words.

    >>> stems = learned_stems([["state", "bordering", "a", "state"], ["a", "state"], ["states"], ["states"]], least=2)
    >>> stems.seen(["states", "bordering", "states", "border", "lakes"])
    ('states', 'bordering', 'states', 'bordering', 'lakes')
    """
    counts = Counter(word for sentence in sentences for word in set(sentence))
    chief: dict[str, str] = {}
    for word in sorted(counts, key=lambda word: (-counts[word], word)):
        chief.setdefault(stem(word), word)
    return Stems(frozenset(word for word, count in counts.items() if count >= least), chief)
