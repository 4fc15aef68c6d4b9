"""Groups of scores beyond the basic ones: what each is called, and how it is computed from the words of both sides."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.interruption import call_core
from rekern.similarity import best_match_core, further_scores, sequence_core
from rekern.similarity.answer_types import ANSWERS, score_answers
from rekern.similarity.lexical_resources import LexicalResources
from rekern.similarity.overlap_core import number_codes, spell_texts
from rekern.similarity.pair_sides import Sides
from rekern.similarity.side_words import (
    count_steps,
    find_capitals,
    find_content,
    find_units,
    find_vectors,
    flatten,
    list_equals,
    list_synonyms,
)
from rekern.similarity.token_traits import find_traits
from rekern.similarity.used_words import recall
from rekern.similarity.word_facts import spell_words
from rekern.structures.tokenizer import Tokenizer
from rekern.structures.tokens import Tokens

LONGEST_GRAM = 4
MOST_CODES = 1 << 14  # of characters that have a place of their own in tables

NOUNS = ("NN", "NNS")  # proper names have no generalisation


class Group(NamedTuple):
    """A group of scores: their names, how they are computed, and whether they need a word space or trees.

    A pair and its reverse have different scores of a group that is directed.
    """

    names: tuple[str, ...]
    score: Callable[[Sides, LexicalResources], Floats]  # a row for each pair
    needs_space: bool = False
    needs_trees: bool = False
    is_directed: bool = False


def _score_ngrams(sides: Sides, resources: LexicalResources) -> Floats:
    return sequence_core.compare_ngrams(sides.lemmas.ids, sides.lemmas.offsets, LONGEST_GRAM)


def _score_tags(sides: Sides, resources: LexicalResources) -> Floats:
    assert sides.tags is not None
    return sequence_core.compare_ngrams(sides.tags.ids, sides.tags.offsets, LONGEST_GRAM)


def _score_sequences(sides: Sides, resources: LexicalResources) -> Floats:
    spelled = recall(spell_words, sides.forms.vocabulary, True)
    codes, offsets = spell_texts(sides.forms.ids.astype(np.uint64), sides.forms.offsets, *spelled)
    distinct = int(codes.max(initial=0)) + 1
    if distinct > MOST_CODES:  # then tables of all codes are too large
        distinct = number_codes(codes)
    lemmas = sides.lemmas
    steps = count_steps(lemmas.offsets)
    return np.column_stack(
        [
            call_core(count_steps(offsets), sequence_core.measure_common_parts, codes, offsets, distinct),
            call_core(steps, sequence_core.tile_pairs, lemmas.ids, lemmas.offsets, resources.min_match),
            call_core(steps, sequence_core.compare_edits, lemmas.ids, lemmas.offsets),
        ]
    )


def _score_differences(sides: Sides, resources: LexicalResources) -> Floats:
    lemmas = sides.lemmas
    return sequence_core.score_differences(
        lemmas.ids,
        lemmas.offsets,
        resources.weigh(lemmas),
        find_content(lemmas, resources),
        recall(find_traits, lemmas.vocabulary).is_number,
        find_capitals(sides),
    )


def _score_links(sides: Sides, resources: LexicalResources) -> Floats:
    """Shares of the links between a word and its head, by lemmas, and by lemmas and relation."""
    assert sides.heads is not None and sides.relations is not None
    columns = []
    for labelled in (False, True):
        texts = []
        for lemmas, relations, heads in zip(sides.lemmas, sides.relations, sides.heads):
            texts.append(
                [
                    "\t".join((lemma, lemmas[head] if head >= 0 else "", relation if labelled else ""))
                    for lemma, relation, head in zip(lemmas, relations, heads)
                    if any(map(str.isalnum, lemma))
                ]
            )
        links = Tokens.from_texts(texts)
        columns.append(
            best_match_core.average_listed(
                links.ids,
                links.ids,
                links.offsets,
                np.ones(max(len(links.vocabulary), 1)),
                np.empty(0, np.int64),
                np.zeros(len(links.vocabulary) + 1, np.int64),
            )
        )
    return np.column_stack(columns)


def _score_resnik(lemmas: Tokens, forms: Tokens, resources: LexicalResources) -> Floats:
    wordnet = resources.find_wordnet()
    ancestors, starts = flatten([wordnet.ancestors(form) for form in forms.vocabulary])
    weights = resources.weigh(lemmas)
    found: Floats = best_match_core.average_resnik(
        lemmas.ids, forms.ids, lemmas.offsets, weights, ancestors, starts, wordnet.by_rank
    )
    return found


def _score_wordnet(sides: Sides, resources: LexicalResources) -> Floats:
    wordnet = resources.find_wordnet()
    forms, lemmas = sides.forms, sides.lemmas
    neighbors, starts = flatten(list_synonyms(wordnet, forms.vocabulary))
    synonyms = best_match_core.average_listed(
        lemmas.ids, forms.ids, lemmas.offsets, resources.weigh(sides.lemmas), neighbors, starts
    )
    base = [wordnet.lemmas(form) for form in forms.vocabulary]
    antonyms = np.zeros((len(lemmas) // 2, 1))
    opposite: dict[str, set[str]] = {}
    for pair in wordnet.antonyms:
        for word in pair:
            opposite.setdefault(word, set()).update(pair - {word})
    opposed = [set().union(*(opposite.get(word, ()) for word in words)) for words in base]
    for row in range(len(antonyms)):
        begin, middle, end = forms.offsets[2 * row : 2 * row + 3]
        one, two = set(forms.ids[begin:middle].tolist()), set(forms.ids[middle:end].tolist())
        against = set().union(*(opposed[number] for number in one - two))
        antonyms[row] = any(word in against for number in two - one for word in base[number])
    return np.column_stack([_score_resnik(lemmas, forms, resources), synonyms, antonyms])


def _score_esa(sides: Sides, resources: LexicalResources) -> Floats:
    return resources.find_concepts().cosines(sides.lemmas[::2], sides.lemmas[1::2])[:, None]


def _score_substitution(sides: Sides, resources: LexicalResources) -> Floats:
    """Resnik and ESA on the texts whose nouns are replaced by more general words."""
    wordnet = resources.find_wordnet()
    cut = Tokenizer() if resources.tokenizer is None else resources.tokenizer
    general = {form: wordnet.generalization(form) for form in sides.forms.vocabulary}
    stems = {word: " ".join(cut(word)) for word in set(general.values()) if word is not None}
    if sides.tags is not None:
        noun = np.array([tag in NOUNS for tag in sides.tags.vocabulary], bool)[sides.tags.ids]
    else:
        # Without tags, a frequent word that can be a noun too (it, a, be) is none.
        noun = ~resources.mark_frequent(sides.lemmas)[sides.lemmas.ids]
    offsets = sides.forms.offsets.tolist()
    forms, lemmas = list(sides.forms), list(sides.lemmas)
    for side, words in enumerate(forms):
        for place, word in enumerate(words):
            new = general[word]
            if new is not None and noun[offsets[side] + place]:
                words[place], lemmas[side][place] = new, stems[new]
    # A general word may be two (head of state): its concepts are those of both.
    parts = Tokens.from_texts([[part for lemma in text for part in lemma.split(" ")] for text in lemmas])
    explicit = resources.find_concepts().cosines(parts[::2], parts[1::2])
    return np.column_stack([_score_resnik(Tokens.from_texts(lemmas), Tokens.from_texts(forms), resources), explicit])


def _score_thesaurus(sides: Sides, resources: LexicalResources) -> Floats:
    forms, lemmas = sides.forms, sides.lemmas
    neighbors, starts = flatten(list_equals(resources.read_thesaurus(), forms.vocabulary))
    weights = resources.weigh(lemmas)
    found: Floats = best_match_core.average_listed(lemmas.ids, forms.ids, lemmas.offsets, weights, neighbors, starts)
    return found


def _score_alignment(sides: Sides, resources: LexicalResources) -> Floats:
    vectors, keys = find_vectors(sides, resources)
    lemmas = sides.lemmas
    units, _ = find_units(vectors)
    found: Floats = best_match_core.average_cosines(lemmas.ids, keys, lemmas.offsets, resources.weigh(lemmas), units)
    return found


# All groups but the basic one and that of kernels. A program may add a group of its own.
GROUPS = {
    "ngrams": Group(tuple(f"lemma {n}-gram cosine" for n in range(1, LONGEST_GRAM + 1)), _score_ngrams),
    "tags": Group(tuple(f"tag {n}-gram cosine" for n in range(1, LONGEST_GRAM + 1)), _score_tags, needs_trees=True),
    "sequences": Group(
        ("common substring", "common subsequence", "string tiling", "tiles", "edit similarity"), _score_sequences
    ),
    "differences": Group(
        (
            "source rarest unshared",
            "target rarest unshared",
            "source unshared idf",
            "target unshared idf",
            "source unshared content",
            "target unshared content",
            "numbers equal",
            "numbers contained",
            "names equal",
            "names contained",
            "length ratio",
        ),
        _score_differences,
    ),
    "links": Group(
        ("link precision", "link recall", "relation precision", "relation recall"), _score_links, needs_trees=True
    ),
    "wordnet": Group(
        ("resnik precision", "resnik recall", "synonym precision", "synonym recall", "antonyms"), _score_wordnet
    ),
    "esa": Group(("esa",), _score_esa),
    "substitution": Group(
        ("substituted resnik precision", "substituted resnik recall", "substituted esa"), _score_substitution
    ),
    "thesaurus": Group(("thesaurus precision", "thesaurus recall"), _score_thesaurus),
    "alignment": Group(("vector precision", "vector recall", "vector cosine"), _score_alignment, needs_space=True),
    "vectors": Group(further_scores.VECTORS, further_scores.score_vectors, needs_space=True),
    "order": Group(further_scores.ORDER, further_scores.score_order),
    "contexts": Group(further_scores.CONTEXTS, further_scores.score_contexts),
    "relations": Group(further_scores.RELATIONS, further_scores.score_relations, is_directed=True),
    "answers": Group(ANSWERS, score_answers, is_directed=True),
    "aligner": Group(further_scores.ALIGNER, further_scores.score_alignments, needs_space=True),
}
