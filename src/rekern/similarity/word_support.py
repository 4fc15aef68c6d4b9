"""How far a word of the source supports a word of the target: the same, an equal, or a more general word."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import Floats
from rekern.similarity.content_trees import ContentTree
from rekern.similarity.lexical_resources import LexicalResources
from rekern.similarity.lexicons.wordnet import WordNet
from rekern.similarity.side_words import climb, weigh_words_by_rank
from rekern.similarity.word_classes import find_value
from rekern.structures.word_space import WordSpace

LISTED = 0.9  # the support by a synonym, by a word that the thesaurus lists, or by an acronym
SAME_NAME = 0.85  # by a name with the same beginning: Italian for Italy
SAME_BEGINNING = 0.8  # by another word with the same beginning: founder for founded
GENERAL = 0.7  # by a word of which the target has a more general one, and by another word with the same vector
MOST_KNOWN = 1 << 20  # pairs of words that are remembered
LEAST_COSINE = 0.5
NAME_LETTERS, WORD_LETTERS = 4, 5  # of the same beginning


class WordSupport:
    """The support of words by words, which is computed once for every two words.

    >>> wordnet = WordNet.from_synsets([("1", "n", ["animal"], [], ""), ("2", "n", ["dog"], ["1"], "")])
    >>> resources = LexicalResources(wordnet, [("car", "auto")], None, None, None, 3, {}, 1.0, ())
    >>> support = WordSupport(resources)
    >>> [support.measure(*words) for words in (
    ...     ("dog", "dog", "animals", "anim"), ("animal", "anim", "dog", "dog"), ("Car", "car", "auto", "auto"),
    ...     ("five", "five", "5", "5"), ("Italian", "italian", "Italy", "itali"))]
    [0.7, 0.0, 0.9, 1.0, 0.85]
    """

    def __init__(self, resources: LexicalResources):
        self.resources = resources
        self.wordnet: WordNet = resources.find_wordnet()
        self.listed = resources.read_thesaurus()
        self.above, self.starts = self.wordnet.above.tolist(), self.wordnet.starts.tolist()
        self.known: dict[tuple[str, str, str, str], float] = {}
        self.senses_of: dict[str, tuple[frozenset[int], frozenset[int]]] = {}
        self.values: dict[str, str | None] = {}
        self.units: dict[tuple[str, str], Floats] = {}

    def compare(self, source: ContentTree, target: ContentTree) -> Floats:
        """Return the support of every word of the target (row) by every word of the source (column)."""
        found = np.zeros((len(target), len(source)))
        for row, (word, stem) in enumerate(zip(target.words, target.stems)):
            for column, (other, other_stem) in enumerate(zip(source.words, source.stems)):
                found[row, column] = self.measure(other, other_stem, word, stem)
        for row, word in enumerate(target.words):
            if _is_acronym(word) and word in source.acronyms:
                columns = list(source.acronyms[word])
                found[row, columns] = np.maximum(found[row, columns], LISTED)
        for column, word in enumerate(source.words):
            if _is_acronym(word) and word in target.acronyms:
                rows = list(target.acronyms[word])
                found[rows, column] = np.maximum(found[rows, column], LISTED)
        return found

    def measure(self, source: str, source_stem: str, target: str, target_stem: str) -> float:
        """Return how far a word of the source supports one of the target, from 0 to 1."""
        key = source, source_stem, target, target_stem
        if key not in self.known:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            self.known[key] = 1.0 if source_stem == target_stem else self._measure_others(*key)
        return self.known[key]

    def _measure_others(self, source: str, source_stem: str, target: str, target_stem: str) -> float:
        numbers = self._find_value(source), self._find_value(target)
        if numbers != (None, None):
            return float(numbers[0] == numbers[1])
        one, other = source.casefold(), target.casefold()
        (senses, above), (wanted, _) = self._find_senses(source), self._find_senses(target)
        if other in self.listed.get(one, ()) or not senses.isdisjoint(wanted):
            return LISTED
        is_name = target[:1].isupper()
        if is_name and source[:1].isupper() and _begin_alike(one, other, NAME_LETTERS):
            return SAME_NAME
        if _begin_alike(one, other, WORD_LETTERS):
            return SAME_BEGINNING
        if not above.isdisjoint(wanted):
            return GENERAL
        cosine = 0.0 if is_name else float(self._find_unit(source, source_stem) @ self._find_unit(target, target_stem))
        return GENERAL * cosine if cosine >= LEAST_COSINE else 0.0

    def _find_value(self, word: str) -> str | None:
        if word not in self.values:
            self.values[word] = find_value(word)
        return self.values[word]

    def _find_senses(self, word: str) -> tuple[frozenset[int], frozenset[int]]:
        """Return the synsets of a word, and those of at most three steps above."""
        if word not in self.senses_of:
            senses = frozenset(self.wordnet.synsets(word))
            self.senses_of[word] = senses, frozenset().union(*climb(senses, self.above, self.starts))
        return self.senses_of[word]

    def _find_unit(self, word: str, stem: str) -> Floats:
        """Return the vector of a word, or of its stem, with length 1; a word without one has the vector 0."""
        if (word, stem) not in self.units:
            vector = np.zeros(1) if self.resources.space is None else find_vector(self.resources.space, word, stem)
            length = float(np.linalg.norm(vector))
            self.units[word, stem] = vector / length if length > 0 else vector
        return self.units[word, stem]

    def weigh(self, tree: ContentTree) -> Floats:
        """Return a weight for each word of a tree: rare words of the language count more."""
        return weigh_words_by_rank([word.casefold() for word in tree.words], tree.stems, self.resources)


def find_vector(space: WordSpace, word: str, stem: str) -> Floats:
    """Return the vector of a word in small letters, or else that of its stem."""
    vectors = np.array(space.vectors([word.casefold(), stem]), float)
    found: Floats = vectors[0] if vectors[0].any() else vectors[1]
    return found


def _begin_alike(one: str, other: str, letters: int) -> bool:
    return min(len(one), len(other)) >= letters and one[:letters] == other[:letters]


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and word.isupper()
