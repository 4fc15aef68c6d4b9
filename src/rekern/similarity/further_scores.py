"""Groups of scores of word vectors, of word order, of contexts and of WordNet's hierarchy."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import Booleans, Floats, Ints
from rekern.core.interruption import call_core
from rekern.similarity import best_match_core, context_core, vector_match_core, word_order_core
from rekern.similarity.lexical_resources import LexicalResources
from rekern.similarity.lexicons.wordnet import WordNet
from rekern.similarity.pair_sides import Sides
from rekern.similarity.token_traits import find_traits
from rekern.similarity.used_words import recall
from rekern.similarity.word_classes import CLASSES, number_classes
from rekern.structures.tokens import Tokens

VECTORS = (
    "linked precision",
    "linked recall",
    "source mover distance",
    "target mover distance",
    "source weakest match",
    "target weakest match",
    "source missed weight",
    "target missed weight",
    "vector bigram precision",
    "vector bigram recall",
    "mean cosine",
    "unshared cosine",
    "extremes cosine",
    "mean distance",
)
ORDER = (
    "reversals",
    "content reversals",
    "name reversals",
    "chunk rate",
    "mean shift",
    "largest shift",
    "skip precision",
    "skip recall",
    "content bigram precision",
    "content bigram recall",
    "source bleu",
    "target bleu",
    "same first word",
    "same last word",
)
CONTEXTS = (
    "source negations",
    "target negations",
    "odd negations",
    "negated on one side",
    "source modality",
    "target modality",
    "modality differs",
    "source reports",
    "target reports",
    "quantities differ",
    "source other numbers",
    "target other numbers",
    "numbers conflict",
    "source other names",
    "target other names",
    "names conflict",
    "times conflict",
)
RELATIONS = (
    "general precision",
    "general recall",
    "special precision",
    "special recall",
    "sister precision",
    "sister recall",
)
STEPS_UP = 3  # how far a more general word may be above


def score_vectors(sides: Sides, resources: LexicalResources) -> Floats:
    """Return soft alignments of words by their vectors, and comparisons of sums of vectors."""
    vectors, keys = find_vectors(sides, resources)
    lengths = np.linalg.norm(vectors, axis=1)
    units = np.divide(vectors, lengths[:, None], out=np.zeros_like(vectors), where=lengths[:, None] > 0)
    lemmas = sides.lemmas
    steps = float(np.diff(lemmas.offsets)[::2] @ np.diff(lemmas.offsets)[1::2]) * vectors.shape[1]
    weights, content = resources.weigh(lemmas), find_content(lemmas, resources)
    found: Floats = call_core(
        steps, vector_match_core.score_vectors, lemmas.ids, keys, lemmas.offsets, weights, content, units, lengths
    )
    return found


def find_vectors(sides: Sides, resources: LexicalResources) -> tuple[Floats, Ints]:
    """Return the vectors of all words, and for each place the number of its vector.

    A word is looked up as it is written, in small letters, then by its lemma: some spaces have stems only.
    """
    space = resources.space
    assert space is not None  # `fit` makes one if none is given
    forms, lemmas = sides.forms, sides.lemmas
    width = max(len(lemmas.vocabulary), 1)
    codes, keys = np.unique(forms.ids.astype(np.int64) * width + lemmas.ids, return_inverse=True)
    words = [forms.vocabulary[code].casefold() for code in (codes // width).tolist()]
    vectors = np.array(space.vectors(words), float)
    by_lemma = np.array(space.vectors([lemmas.vocabulary[code] for code in (codes % width).tolist()]), float)
    return np.where(vectors.any(axis=1, keepdims=True), vectors, by_lemma), keys.ravel().astype(np.int64)


def score_order(sides: Sides, resources: LexicalResources) -> Floats:
    """Return scores of the order of shared words."""
    lemmas = sides.lemmas
    steps = float(np.diff(lemmas.offsets)[::2] @ np.diff(lemmas.offsets)[1::2])
    arguments = lemmas.ids, lemmas.offsets, find_content(lemmas, resources), find_capitals(sides)
    found: Floats = call_core(steps, word_order_core.score_order, *arguments)
    return found


def score_contexts(sides: Sides, resources: LexicalResources) -> Floats:
    """Return scores of negation, modality, numbers, names and times."""
    lemmas = sides.lemmas
    content, classes = find_content(lemmas, resources), number_classes(lemmas.vocabulary)
    found: Floats = context_core.score_contexts(
        lemmas.ids, lemmas.offsets, content, classes, find_capitals(sides), len(CLASSES)
    )
    return found


def score_relations(sides: Sides, resources: LexicalResources) -> Floats:
    """Return shares of words with a more general, a more special or a sister word on the other side."""
    lemmas, forms = sides.lemmas, sides.forms
    senses, above, parents = list_senses(resources.find_wordnet(), forms.vocabulary)
    weights = resources.weigh(lemmas)
    found: Floats = best_match_core.average_relations(
        lemmas.ids, forms.ids, lemmas.offsets, weights, *flatten(senses), *flatten(above), *flatten(parents)
    )
    return found


def list_senses(wordnet: WordNet, words: list[str]) -> tuple[list[Ints], list[Ints], list[Ints]]:
    """Return for each word its synsets, the same with those of at most three steps above, and their direct hypernyms.

    >>> synsets = [("1", "n", ["pet"], [], ""), ("2", "n", ["dog"], ["1"], ""), ("3", "n", ["cat"], ["1"], "")]
    >>> [[list(map(int, row)) for row in part] for part in list_senses(WordNet.from_synsets(synsets), ["dog", "pet"])]
    [[[1], [0]], [[0, 1], [0]], [[0], []]]
    """
    above, starts = wordnet.above.tolist(), wordnet.starts.tolist()
    found: tuple[list[Ints], list[Ints], list[Ints]] = [], [], []
    for word in words:
        level = senses = set(wordnet.synsets(word))
        parents: set[int] = set()
        seen = set(senses)
        for step in range(STEPS_UP):
            level = {parent for place in level for parent in above[starts[place] : starts[place + 1]]}
            parents = level if step == 0 else parents
            seen |= level
        for part, places in zip(found, (senses, seen, parents)):
            part.append(np.array(sorted(places), np.int64))
    return found


def flatten(lists: list[Ints]) -> tuple[Ints, Ints]:
    """Return lists of numbers as one array, and where each begins.

    >>> flatten([np.array([3, 1]), np.array([2])])
    (array([3, 1, 2]), array([0, 2, 3]))
    """
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(item) for item in lists], dtype=np.int64)])
    return (np.concatenate(lists).astype(np.int64) if lists else np.empty(0, np.int64)), starts


def find_content(lemmas: Tokens, resources: LexicalResources) -> Booleans:
    """Return which words of the vocabulary are content words: not frequent, and with a letter or a digit."""
    return recall(find_traits, lemmas.vocabulary).is_word & ~resources.mark_frequent(lemmas)


def find_capitals(sides: Sides) -> Booleans:
    """Return at which places a word is written with a capital letter."""
    return recall(find_traits, sides.forms.vocabulary).is_upper[sides.forms.ids]
