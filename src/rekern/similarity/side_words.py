"""What groups of scores ask of the words of both sides: vectors, weights, words of related meaning, content words."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rekern.core.arrays import Booleans, Floats, Ints, offsets_of
from rekern.similarity.lexical_resources import LexicalResources
from rekern.similarity.lexicons.word_vectors import WordVectors
from rekern.similarity.lexicons.wordnet import WordNet
from rekern.similarity.pair_sides import Sides
from rekern.similarity.token_traits import find_traits
from rekern.similarity.used_words import recall
from rekern.structures.tokens import Tokens

COMMON_WORDS = 30.0  # of a language, whose weights grow with their ranks and not with the logarithm yet
STEPS_UP = 3  # how far a more general word may be above


def find_vectors(sides: Sides, resources: LexicalResources) -> tuple[Floats, Ints]:
    """Return the vectors of all words, and for each place the number of its vector.

    A word is looked up as it is written, in small letters, then by its lemma: some spaces have stems only.
    """
    space = resources.space
    assert space is not None  # `fit` makes one if none is given
    words, lemmas, keys = _number_words(sides)
    vectors = np.array(space.vectors(words), float)
    by_lemma = np.array(space.vectors(lemmas), float)
    return np.where(vectors.any(axis=1, keepdims=True), vectors, by_lemma), keys


def weigh_by_rank(sides: Sides, resources: LexicalResources) -> Floats:
    """Return a weight for each vector of `find_vectors`: ln(1 + rank/30), by the place of the word in the space.

    Files of word vectors begin with the most frequent words of a language. What is frequent in the pairs may be rare
    there: in a corpus of captions, a man and a dog are everywhere. A space of another kind has no ranks; its words have
    their idf.
    """
    words, lemmas, _ = _number_words(sides)
    return weigh_words_by_rank(words, lemmas, resources)


def weigh_words_by_rank(words: list[str], lemmas: list[str], resources: LexicalResources) -> Floats:
    """Return the weights of words in small letters, each with its lemma, as `weigh_by_rank` does."""
    if not isinstance(resources.space, WordVectors):
        return np.array([resources.idf.get(lemma, resources.unseen_idf) for lemma in lemmas], float)
    ranks = resources.space.ranks(words)
    return np.log1p(np.where(ranks < len(resources.space), ranks, resources.space.ranks(lemmas)) / COMMON_WORDS)


def _number_words(sides: Sides) -> tuple[list[str], list[str], Ints]:
    """Return the distinct words in small letters, the lemma of each, and for each place the number of its word."""
    forms, lemmas = sides.forms, sides.lemmas
    width = max(len(lemmas.vocabulary), 1)
    codes, keys = np.unique(forms.ids.astype(np.int64) * width + lemmas.ids, return_inverse=True)
    words = [forms.vocabulary[code].casefold() for code in (codes // width).tolist()]
    return words, [lemmas.vocabulary[code] for code in (codes % width).tolist()], keys.ravel().astype(np.int64)


def find_units(vectors: Floats) -> tuple[Floats, Floats]:
    """Return vectors with their length set to 1, unless it is 0, and their lengths.

    >>> find_units(np.array([[0.0, 2.0], [0.0, 0.0]]))
    (array([[0., 1.],
           [0., 0.]]), array([2., 0.]))
    """
    lengths = np.linalg.norm(vectors, axis=1)
    return np.divide(vectors, lengths[:, None], out=np.zeros_like(vectors), where=lengths[:, None] > 0), lengths


def list_synonyms(wordnet: WordNet, words: list[str]) -> list[Ints]:
    """Return for each word the numbers of the words that have a synset in common with it.

    >>> wordnet = WordNet.from_synsets([("1", "n", ["car", "auto"], [], ""), ("2", "n", ["cat"], [], "")])
    >>> [row.tolist() for row in list_synonyms(wordnet, ["car", "cat", "auto", "gnu"])]
    [[0, 2], [1], [0, 2], []]
    """
    senses = [wordnet.synsets(word) for word in words]
    of_sense: dict[int, list[int]] = {}
    for number, places in enumerate(senses):
        for place in places:
            of_sense.setdefault(place, []).append(number)
    return [np.array(sorted({n for place in places for n in of_sense[place]}), np.int64) for places in senses]


def list_equals(thesaurus: dict[str, list[str]], words: list[str]) -> list[Ints]:
    """Return for each word the numbers of the words that the thesaurus lists with it, capital letters or not.

    >>> [row.tolist() for row in list_equals({"car": ["auto", "van"]}, ["Car", "AUTO", "auto"])]
    [[1, 2], [], []]
    """
    folded: dict[str, list[int]] = {}
    for number, word in enumerate(words):
        folded.setdefault(word.casefold(), []).append(number)
    return [
        np.array(sorted({n for other in thesaurus.get(word.casefold(), ()) for n in folded.get(other, ())}), np.int64)
        for word in words
    ]


def list_senses(wordnet: WordNet, words: list[str]) -> tuple[list[Ints], list[Ints], list[Ints]]:
    """Return for each word its synsets, the same with those of at most three steps above, and their direct hypernyms.

    >>> synsets = [("1", "n", ["pet"], [], ""), ("2", "n", ["dog"], ["1"], ""), ("3", "n", ["cat"], ["1"], "")]
    >>> [[list(map(int, row)) for row in part] for part in list_senses(WordNet.from_synsets(synsets), ["dog", "pet"])]
    [[[1], [0]], [[0, 1], [0]], [[0], []]]
    """
    above, starts = wordnet.above.tolist(), wordnet.starts.tolist()
    found: tuple[list[Ints], list[Ints], list[Ints]] = [], [], []
    for word in words:
        senses = set(wordnet.synsets(word))
        levels = climb(senses, above, starts)
        for part, places in zip(found, (senses, senses.union(*levels), levels[0])):
            part.append(np.array(sorted(places), np.int64))
    return found


def climb(senses: Iterable[int], above: list[int], starts: list[int]) -> list[set[int]]:
    """Return the synsets one step above some synsets, those two steps above, and so on, up to `STEPS_UP` steps.

    The synsets directly above synset ``i`` are ``above[starts[i] : starts[i + 1]]``.

    >>> climb([0], [1, 2], [0, 1, 2, 2])
    [{1}, {2}, set()]
    """
    levels, level = [], set(senses)
    for _ in range(STEPS_UP):
        level = {parent for place in level for parent in above[starts[place] : starts[place + 1]]}
        levels.append(level)
    return levels


def count_steps(offsets: Ints) -> float:
    """Return the number of pairs of a place in the source and a place in the target, of all pairs of texts.

    >>> count_steps(np.array([0, 2, 5, 6, 7]))
    7.0
    """
    lengths = np.diff(offsets).astype(float)
    return float(lengths[::2] @ lengths[1::2])


def flatten(lists: list[Ints]) -> tuple[Ints, Ints]:
    """Return lists of numbers as one array, and where each begins.

    >>> flatten([np.array([3, 1]), np.array([2])])
    (array([3, 1, 2]), array([0, 2, 3]))
    """
    numbers = np.concatenate(lists).astype(np.int64) if lists else np.empty(0, np.int64)
    return numbers, offsets_of([len(item) for item in lists])


def find_content(lemmas: Tokens, resources: LexicalResources) -> Booleans:
    """Return which words of the vocabulary are content words: not frequent, and with a letter or a digit."""
    return recall(find_traits, lemmas.vocabulary).is_word & ~resources.mark_frequent(lemmas)


def find_capitals(sides: Sides) -> Booleans:
    """Return at which places a word is written with a capital letter."""
    return recall(find_traits, sides.forms.vocabulary).is_upper[sides.forms.ids]
