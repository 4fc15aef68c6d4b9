"""Groups of scores of word vectors, of word order, of contexts, of WordNet's hierarchy and of aligned words."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import Booleans, Floats, Ints
from rekern.core.interruption import call_core
from rekern.similarity import aligner_core, best_match_core, context_core, vector_match_core, word_order_core
from rekern.similarity.lexical_resources import LexicalResources
from rekern.similarity.lexicons.word_vectors import WordVectors
from rekern.similarity.lexicons.wordnet import WordNet
from rekern.similarity.pair_sides import Sides
from rekern.similarity.token_traits import find_traits
from rekern.similarity.used_words import recall
from rekern.similarity.word_classes import CLASSES, FUNCTION_STEMS, number_classes
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
ALIGNER = (
    "aligned precision",
    "aligned recall",
    "soft aligned precision",
    "soft aligned recall",
    "aligned surroundings",
    "source unaligned weight",
    "target unaligned weight",
    "source unaligned words",
    "target unaligned words",
)
COMMON_WORDS = 30.0  # of a language, whose weights grow with their ranks and not with the logarithm yet
STEPS_UP = 3  # how far a more general word may be above


def score_vectors(sides: Sides, resources: LexicalResources) -> Floats:
    """Return soft alignments of words by their vectors, and comparisons of sums of vectors."""
    vectors, keys = find_vectors(sides, resources)
    units, lengths = find_units(vectors)
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


def score_alignments(sides: Sides, resources: LexicalResources) -> Floats:
    """Return scores of one-to-one links of words that mean the same in the same surroundings."""
    lemmas, forms = sides.lemmas, sides.forms
    vectors, keys = find_vectors(sides, resources)
    is_word = recall(find_traits, lemmas.vocabulary).is_word
    is_function = np.array([word in FUNCTION_STEMS for word in lemmas.vocabulary], bool)
    synonyms = list_synonyms(resources.find_wordnet(), forms.vocabulary)
    equals = list_equals(resources.read_thesaurus(), forms.vocabulary)
    listed = [np.union1d(one, other) for one, other in zip(synonyms, equals)]
    steps = float(np.diff(lemmas.offsets)[::2] @ np.diff(lemmas.offsets)[1::2]) * vectors.shape[1]
    found: Floats = call_core(
        steps,
        aligner_core.score_alignments,
        lemmas.ids,
        forms.ids,
        keys,
        lemmas.offsets,
        weigh_by_rank(sides, resources),
        is_word & ~is_function,
        is_word,
        find_units(vectors)[0],
        *flatten(listed),
    )
    return found


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
