"""Stems of rare words: the parser replaces a word that few training sentences have by a frequent one of its stem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from rekern.structures.stemmer import find_stemmer

FREQUENT = 60  # training sentences that must have a word, so that it is not replaced


@cache
def stem_word(word: str) -> str:
    """The stem of an English word in lower case; the type of a name, in angle brackets, is not changed.

    >>> stem_word("rivers"), stem_word("<States>")
    ('river', '<States>')
    """
    return word if word.startswith("<") else find_stemmer("english")(word)


class Stems(NamedTuple):
    """The frequent words, and for every stem the most frequent word that has it (its representative)."""

    frequent: frozenset[str]
    representatives: dict[str, str]

    def replace_rare(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words, each rare one replaced by the representative of its stem.

        >>> Stems(frozenset(["states"]), {"state": "states"}).replace_rare(["state", "lakes"])
        ('states', 'lakes')
        """
        return tuple(
            word if word in self.frequent else self.representatives.get(stem_word(word), word) for word in words
        )


def learn_stems(sentences: Iterable[Sequence[str]], least: int = FREQUENT) -> Stems:
    """Count the words of training sentences, and choose the representative of every stem.

    >>> stems = learn_stems([["state", "bordering", "a", "state"], ["a", "state"], ["states"], ["states"]], least=2)
    >>> stems.replace_rare(["states", "bordering", "states", "border", "lakes"])
    ('states', 'bordering', 'states', 'bordering', 'lakes')
    """
    counts = Counter(word for sentence in sentences for word in set(sentence))
    representatives: dict[str, str] = {}
    for word in sorted(counts, key=lambda word: (-counts[word], word)):
        representatives.setdefault(stem_word(word), word)
    return Stems(frozenset(word for word, count in counts.items() if count >= least), representatives)
