"""Groups of scores of word vectors, of word order, of contexts, of WordNet's hierarchy and of aligned words."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.interruption import call_core
from rekern.similarity import aligner_core, best_match_core, context_core, vector_match_core, word_order_core
from rekern.similarity.lexical_resources import LexicalResources
from rekern.similarity.pair_sides import Sides
from rekern.similarity.side_words import (
    count_steps,
    find_capitals,
    find_content,
    find_units,
    find_vectors,
    flatten,
    list_equals,
    list_senses,
    list_synonyms,
    weigh_by_rank,
)
from rekern.similarity.token_traits import find_traits
from rekern.similarity.used_words import recall
from rekern.similarity.word_classes import CLASSES, FUNCTION_STEMS, number_classes

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


def score_vectors(sides: Sides, resources: LexicalResources) -> Floats:
    """Return soft alignments of words by their vectors, and comparisons of sums of vectors."""
    vectors, keys = find_vectors(sides, resources)
    units, lengths = find_units(vectors)
    lemmas = sides.lemmas
    steps = count_steps(lemmas.offsets) * vectors.shape[1]
    weights, content = resources.weigh(lemmas), find_content(lemmas, resources)
    found: Floats = call_core(
        steps, vector_match_core.score_vectors, lemmas.ids, keys, lemmas.offsets, weights, content, units, lengths
    )
    return found


def score_order(sides: Sides, resources: LexicalResources) -> Floats:
    """Return scores of the order of shared words."""
    lemmas = sides.lemmas
    arguments = lemmas.ids, lemmas.offsets, find_content(lemmas, resources), find_capitals(sides)
    found: Floats = call_core(count_steps(lemmas.offsets), word_order_core.score_order, *arguments)
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
    found: Floats = call_core(
        count_steps(lemmas.offsets) * vectors.shape[1],
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
