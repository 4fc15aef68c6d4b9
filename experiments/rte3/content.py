"""The group "inclusion": how well the tree of the target's content words can be laid into that of the source."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.compiling import compiled
from rekern.core.interruption import call_core
from rekern.similarity.lexical_resources import LexicalResources
from rekern.similarity.pair_sides import Sides
from rekern.similarity.side_words import climb, weigh_words_by_rank
from rekern.similarity.token_traits import NEGATIONS
from rekern.similarity.word_classes import FUNCTION_STEMS, MODALS, find_number, split_words
from rekern.structures.stemmer import stem
from rekern.structures.word_space import WordSpace

T = TypeVar("T")
CLASSES = ("names", "numbers", "verbs", "nouns", "others")
INCLUSION = (
    "included words",
    "included in one sentence",
    *(f"missed {name}" for name in CLASSES),
    *("largest miss", "inclusion", "included links", "links kept", "links near", "stretch", "close words"),
    *("names apart", "words between", "negated inclusion", "hedged inclusion", "included root"),
    *("depth of inclusion", "source content", "target content"),
)
NEAR = 2.0  # steps
VERBS = 0.5  # the weight of a verb, times that of other words: relations are said in many ways
FARTHEST = 6.0  # two words are never farther apart
TO_TEXT = 1.5  # steps from the root of a sentence to the whole text
IN_COMPOUND = 0.5  # steps between the parts of a compound word
STRETCH = 0.1  # what a step between two words costs, of the smaller weight of both
LONGEST_RUN = 8  # of words whose initials may be an acronym

LISTED = 0.9  # the support by a synonym, by a word that the thesaurus lists, or by an acronym
SAME_NAME, NAME_LETTERS = 0.85, 4  # by a name with the same beginning: Italian for Italy
SAME_BEGINNING, WORD_LETTERS = 0.8, 5  # by another word with the same beginning: founder for founded
GENERAL = 0.7  # by a word of which the target has a more general one, and by another word with the same vector
LEAST_COSINE = 0.5


def stem_words(text: str) -> frozenset[str]:
    """Return the stems of the words of a text."""
    return frozenset(map(stem, text.split()))


ORDINALS = split_words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
WITH_UNIT = re.compile(r"[$€£]?(\d[\d,]*(?:\.\d+)?)(?:st|nd|rd|th|s|m|bn|k|mm|km|c|f)?", re.ASCII)
LIGHT_STEMS = FUNCTION_STEMS | stem_words(
    "since during until while against among per within upon toward towards although though because however "
    "whether become became via either neither nor mr mrs ms dr said say says according"
)
DENIALS = frozenset(NEGATIONS) | stem_words("nobody nothing neither deny refuse fail reject")
HEDGES = stem_words(
    "if whether plan want hope intend expect seek likely possible potential attempt try propose alleged "
    "allegedly accuse suspect claim believe think consider threaten demand ask call urge would-be " + " ".join(MODALS)
)
# The word that stands for a function word is the one below it by the first of these relations.
_STAND_INS = split_words(
    "VP:VP S:SBAR VP:S VP:SQ NP:VP ADJP:VP S:VP NP:PP S:PP PP:PP PP:VP SBAR:PP "
    "attr acomp dobj xcomp ccomp oprd pobj pcomp prep advcl relcl nsubj nsubjpass"  # of dependency parsers
)
_PREFERENCE = {relation: place for place, relation in enumerate(_STAND_INS)}
_NEVER_STAND_IN = frozenset(("DT", "PRP$", "CC"))
_BRACKETS = frozenset(("-LRB-", "-RRB-", "-LCB-", "-RCB-", "-LSB-", "-RSB-"))
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?\.?")
_CUTS = re.compile(r"[-/–—]+")


@dataclass(frozen=True)
class ContentTree:
    """Content words, in the order of the text, with what is needed to compare two trees.

    ``parents`` has the place of the word above each word, or -1. A part of a compound word, such as *state* in
    *state-owned*, is below its last part, and ``is_part`` marks it. ``denials`` and ``hedges`` count the words that
    negate a word or make it less than a fact (*may*, *if*, *accused*). ``places`` are those of the words in the text.
    """

    words: list[str]
    stems: list[str]
    kinds: list[int]
    parents: list[int]
    is_part: list[bool]
    sentences: list[int]
    denials: list[int]
    hedges: list[int]
    acronyms: dict[str, set[int]]
    places: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.words)


def find_value(word: str) -> str | None:
    """Return the number that a word stands for, also as an ordinal or with a unit; None if it is none.

    >>> find_value("Seventh"), find_value("1990s"), find_value("$20m"), find_value("five"), find_value("dog")
    ('7', '1990', '20', '5', None)
    """
    folded = word.casefold()
    found = WITH_UNIT.fullmatch(folded)
    if found is not None:
        return found[1].replace(",", "")
    return str(ORDINALS.index(folded) + 1) if folded in ORDINALS else find_number(stem(folded))


@lru_cache(maxsize=65536)
def cut_word(word: str) -> tuple[str, ...]:
    """Return the parts of a compound word; an abbreviation loses its dots.

    >>> cut_word("8,586-meter"), cut_word("U.S."), cut_word("dog"), cut_word("--")
    (('8,586', 'meter'), ('US',), ('dog',), ())
    """
    if word in _BRACKETS:
        return ()
    plain = word.replace(".", "") if _DOTTED.fullmatch(word) else word
    return tuple(part for part in _CUTS.split(plain) if any(map(str.isalnum, part)))


def list_below(heads: Sequence[int]) -> list[list[int]]:
    """Return the places below each place of a tree."""
    below: list[list[int]] = [[] for _ in heads]
    for place, head in enumerate(heads):
        if head >= 0:
            below[head].append(place)
    return below


def sort_places(heads: Sequence[int], below: Sequence[Sequence[int]]) -> list[int]:
    """Sort places so that each comes after its head."""
    order = [place for place, head in enumerate(heads) if head < 0]
    for place in order:  # which grows
        order += below[place]
    return order


def make_content_tree(
    stems: Sequence[str], forms: Sequence[str], tags: Sequence[str], heads: Sequence[int], relations: Sequence[str]
) -> ContentTree:
    """Make the tree of the content words of a text from its dependencies.

    >>> tree = make_content_tree(["the", "dog", "was", "not", "fed"], ["The", "dog", "was", "not", "fed"],
    ...     ["DT", "NN", "VBD", "RB", "VBN"], [1, 2, -1, 2, 2], ["DT:NP", "NP:S", "root", "RB:VP", "VP:VP"])
    >>> tree.words, tree.parents, tree.denials
    (['dog', 'fed'], [1, -1], [0, 1])
    """
    heads = [-1 if relation.endswith(":ROOT") else head for head, relation in zip(heads, relations)]
    parts = [cut_word(form) for form in forms]
    light = [all(_is_light(part, len(found)) for part in found) for found in parts]
    if all(light):
        light = [not found for found in parts]
    below = list_below(heads)
    order = sort_places(heads, below)[::-1]  # each before its head
    stand_ins = _find_stand_ins(order, below, light, parts, tags, relations)

    words, kept, is_part, place_of = [], [], [], {}
    for place, found in enumerate(parts):
        if not light[place]:
            chosen = [part for part in found if not _is_light(part, len(found))] or list(found)
            words += chosen
            kept += [place] * len(chosen)
            is_part += [True] * (len(chosen) - 1) + [False]
            place_of[place] = len(words) - 1
    roots = [place for place, head in enumerate(heads) if head < 0]
    sentence_of = [0] * len(heads)
    for place in reversed(order):
        sentence_of[place] = roots.index(place) if heads[place] < 0 else sentence_of[heads[place]]
    denials, hedges = [0] * len(words), [0] * len(words)
    for place, word in enumerate(stems):
        if word in DENIALS or word in HEDGES:
            if not light[place] or (tags[place] in ("MD", "IN") and stand_ins[place] >= 0):
                marked = stand_ins[place]  # the content word that a negation or a hedge is about
            else:
                marked = stand_ins[heads[place] if heads[place] >= 0 else place]
            if marked >= 0:
                denials[place_of[marked]] += word in DENIALS
                hedges[place_of[marked]] += word in HEDGES
    return ContentTree(
        words,
        [stems[place] if word == forms[place] else stem(word.casefold()) for word, place in zip(words, kept)],
        [_classify(word, tags[place]) for word, place in zip(words, kept)],
        [
            place_of[place] if inside else _find_parent(place, heads, light, stand_ins, place_of)
            for place, inside in zip(kept, is_part)
        ],
        is_part,
        [sentence_of[place] for place in kept],
        denials,
        hedges,
        _find_acronyms(parts, light, kept),
        kept,
    )


def _is_light(part: str, parts: int) -> bool:
    """Whether a part of a word is a function word, or a single letter beside other parts."""
    if part.isupper() and len(part) > 1:
        return False  # US is not a pronoun
    return stem(part.casefold()) in LIGHT_STEMS or (parts > 1 and len(part) == 1 and not part.isdigit())


def _classify(word: str, tag: str) -> int:
    if tag == "CD" or find_value(word) is not None:
        return CLASSES.index("numbers")
    if tag.startswith("NNP"):
        return CLASSES.index("names")
    return CLASSES.index("verbs" if tag.startswith("VB") else "nouns" if tag in ("NN", "NNS") else "others")


def _find_stand_ins(
    order: Sequence[int],
    below: Sequence[Sequence[int]],
    light: Sequence[bool],
    parts: Sequence[tuple[str, ...]],
    tags: Sequence[str],
    relations: Sequence[str],
) -> list[int]:
    """Return for each place the content word that stands for it: the word itself, or one below it; -1 if none does."""
    found = [-1] * len(order)
    for place in order:
        if not light[place]:
            found[place] = place
            continue
        able = [
            other
            for other in below[place]
            if parts[other] and found[other] >= 0 and not (light[other] and tags[other] in _NEVER_STAND_IN)
        ]
        if able:
            best = min(able, key=lambda one: (_PREFERENCE.get(relations[one], len(_PREFERENCE)), light[one], one))
            found[place] = found[best]
    return found


def _find_parent(
    place: int, heads: Sequence[int], light: Sequence[bool], stand_ins: Sequence[int], place_of: dict[int, int]
) -> int:
    """Return the content word above a word. It is never below the word, because it stands for one above it."""
    head = heads[place]
    while head >= 0:
        if not light[head]:
            return place_of[head]
        if stand_ins[head] not in (-1, place):
            return place_of[stand_ins[head]]
        head = heads[head]
    return -1


def _find_acronyms(parts: Sequence[tuple[str, ...]], light: Sequence[bool], kept: Sequence[int]) -> dict[str, set[int]]:
    """Return the initials of runs of capitalised words, function words between them left out, with the words' places.

    A place is that among the content words.
    """
    numbers: dict[int, list[int]] = {}
    for number, place in enumerate(kept):
        numbers.setdefault(place, []).append(number)
    runs = [(part, place) for place, found in enumerate(parts) for part in found]
    acronyms: dict[str, set[int]] = {}
    for begin, (word, _) in enumerate(runs):
        if not word[:1].isupper():
            continue
        initials, places = "", set[int]()
        for other, place in runs[begin : begin + LONGEST_RUN]:
            if other[:1].isupper():
                initials += other[0].upper()
                places.update(numbers.get(place, ()))
            elif not light[place]:
                break
            if len(initials) > 1:
                acronyms.setdefault(initials, set()).update(places)
    return acronyms


class WordSupport:
    """How far a word of the source supports a word of the target: the same, an equal, or a more general word."""

    def __init__(self, resources: LexicalResources):
        self.resources = resources
        self.wordnet = resources.find_wordnet()
        self.listed = resources.read_thesaurus()
        self.above, self.starts = self.wordnet.above.tolist(), self.wordnet.starts.tolist()
        self.measure = lru_cache(1 << 20)(self._measure)  # once for every two words
        self.find_senses = lru_cache(None)(self._find_senses)
        self.find_unit = lru_cache(None)(lambda *word: find_unit(resources.space, *word))
        self.find_value = lru_cache(None)(find_value)

    def compare(self, source: ContentTree, target: ContentTree) -> Floats:
        """Return the support of every word of the target (row) by every word of the source (column)."""
        found = np.zeros((len(target), len(source)))
        for row, (word, end) in enumerate(zip(target.words, target.stems)):
            for column, (other, other_end) in enumerate(zip(source.words, source.stems)):
                found[row, column] = self.measure(other, other_end, word, end)
        for table, one, two in ((found, target, source), (found.T, source, target)):
            for row, word in enumerate(one.words):
                if len(word) > 1 and word.isupper() and word in two.acronyms:
                    columns = list(two.acronyms[word])
                    table[row, columns] = np.maximum(table[row, columns], LISTED)
        return found

    def _measure(self, source: str, source_stem: str, target: str, target_stem: str) -> float:
        if source_stem == target_stem:
            return 1.0
        numbers = self.find_value(source), self.find_value(target)
        if numbers != (None, None):
            return float(numbers[0] == numbers[1])
        one, other = source.casefold(), target.casefold()
        (senses, above), (wanted, _) = self.find_senses(source), self.find_senses(target)
        if other in self.listed.get(one, ()) or not senses.isdisjoint(wanted):
            return LISTED
        is_name = target[:1].isupper()
        if is_name and source[:1].isupper() and _begin_alike(one, other, NAME_LETTERS):
            return SAME_NAME
        if _begin_alike(one, other, WORD_LETTERS):
            return SAME_BEGINNING
        if not above.isdisjoint(wanted):
            return GENERAL
        cosine = 0.0 if is_name else float(self.find_unit(source, source_stem) @ self.find_unit(target, target_stem))
        return GENERAL * cosine if cosine >= LEAST_COSINE else 0.0

    def _find_senses(self, word: str) -> tuple[frozenset[int], frozenset[int]]:
        """Return the synsets of a word, and those of at most three steps above."""
        senses = frozenset(self.wordnet.synsets(word))
        return senses, frozenset().union(*climb(senses, self.above, self.starts))

    def weigh(self, tree: ContentTree) -> Floats:
        """Return a weight for each word of a tree: rare words of the language count more."""
        return weigh_words_by_rank([word.casefold() for word in tree.words], tree.stems, self.resources)


def find_unit(space: WordSpace | None, word: str, end: str) -> Floats:
    """Return the vector of a word in small letters, or of its stem, with length 1; a word without one has 0."""
    vectors = np.zeros((2, 1)) if space is None else np.array(space.vectors([word.casefold(), end]), float)
    return set_length(vectors[0] if vectors[0].any() else vectors[1])


def set_length(vector: Floats) -> Floats:
    """Return a vector with the length 1, or 0 if it is 0."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector


def _begin_alike(one: str, other: str, letters: int) -> bool:
    return min(len(one), len(other)) >= letters and one[:letters] == other[:letters]


@compiled
def search_ways(start, offsets, others, costs, limit):
    """Return the length of the shortest way from a word to every other one, and the last word before its end.

    The links of word ``i`` lead to ``others[offsets[i] : offsets[i + 1]]``. Ways of at least ``limit`` are not followed
    farther. Of ways of the same length, the first one found is kept.
    """
    size = len(offsets) - 1
    lengths, before = np.full(size, np.inf), np.full(size, -1, np.int64)
    lengths[start] = 0.0
    waiting = [(0.0, start)]
    while len(waiting) > 0:
        length, word = heapq.heappop(waiting)
        if length > lengths[word]:
            continue
        if length >= limit:
            break
        for link in range(offsets[word], offsets[word + 1]):
            other = others[link]
            if length + costs[link] < lengths[other]:
                lengths[other] = length + costs[link]
                before[other] = word
                heapq.heappush(waiting, (lengths[other], other))
    return lengths, before


@compiled
def measure_all_ways(starts, offsets, others, costs, words, limit):
    """Return the lengths of the shortest ways from some words to the first ``words`` words, at most ``limit``."""
    found = np.empty((len(starts), words))
    for row in range(len(starts)):
        lengths, _ = search_ways(starts[row], offsets, others, costs, limit)
        found[row] = np.minimum(lengths[:words], limit)
    return found


class Links(NamedTuple):
    """The links of a graph, in both directions, word by word; the last word stands for the whole text."""

    offsets: Ints
    others: Ints
    costs: Floats


def list_links(tree: ContentTree, others: Sequence[tuple[int, int, float]] = ()) -> Links:
    """Return the links of a tree, and others, with their steps; roots are linked with the whole text."""
    text = len(tree)
    listed = [
        (place, parent if parent >= 0 else text, TO_TEXT if parent < 0 else IN_COMPOUND if inside else 1.0)
        for place, (parent, inside) in enumerate(zip(tree.parents, tree.is_part))
    ]
    one, two, costs = np.array([*listed, *others], float).reshape(-1, 3).T
    ones, twos, costs = (
        np.concatenate([one, two]).astype(int),
        np.concatenate([two, one]).astype(int),
        np.tile(costs, 2),
    )
    order = np.argsort(ones, kind="stable")
    return Links(np.searchsorted(ones[order], np.arange(text + 2)), twos[order], costs[order])


def measure_ways(links: Links, starts: Ints | None = None) -> Floats:
    """Return the lengths of the shortest ways from some words, or from each, to all words; at most `FARTHEST`."""
    words = len(links.offsets) - 2
    starts = np.arange(words) if starts is None else starts
    found: Floats = call_core(30.0 * len(starts) * words, measure_all_ways, starts, *links, words, FARTHEST)
    return found


@compiled
def sort_downward(parents):
    """Return the places of a tree, each after its parent."""
    depths = np.zeros(len(parents), np.int64)
    for place in range(len(parents)):
        at = parents[place]
        while at >= 0:
            depths[place] += 1
            at = parents[at]
    return np.argsort(depths, kind="mergesort")


@compiled
def place_tree(support, parents, weights, distances):
    """Return the best place of each word in the other tree, -1 for none, and what all places are worth together.

    A word with weight w is worth w · support. Two linked words cost `STRETCH` · min(w, w') for each step of their
    places beyond the first, and a word whose parent has no place `STRETCH` · w. The best places are found from the
    leaves upwards; of equal ones the first is taken.
    """
    rows, columns = support.shape
    worth, choice = np.zeros((rows, columns + 1)), np.zeros((rows, columns + 1), np.int64)
    order = sort_downward(parents)
    for row in range(rows):
        for column in range(columns):
            worth[row, column] = weights[row] * support[row, column] if support[row, column] > 0 else -np.inf
    for row in order[::-1]:
        parent = parents[row]
        if parent < 0:
            continue
        smaller = STRETCH * min(weights[row], weights[parent])
        supported = np.flatnonzero(support[row] > 0)  # few, also in a long text
        for above in range(columns + 1):
            best, at = worth[row, columns], columns
            for column in supported:
                cost = STRETCH * weights[row]
                if above < columns:
                    cost = smaller * max(distances[above, column] - 1.0, 0.0)
                if worth[row, column] - cost > best or (worth[row, column] - cost == best and column < at):
                    best, at = worth[row, column] - cost, column
            choice[row, above] = at
            worth[parent, above] += best
    places, total = np.empty(rows, np.int64), 0.0
    for row in order:
        if parents[row] < 0:
            at = np.argmax(worth[row])
            total += worth[row, at]
        else:
            above = places[parents[row]]
            at = choice[row, above if above >= 0 else columns]
        places[row] = at if at < columns else -1
    return places, total


def score_inclusion(sides: Sides, resources: LexicalResources) -> Floats:
    """Return scores of the best place of the target's tree in the source's tree, a row for each pair."""
    return score_each(sides, resources, make_content_tree, score_trees, len(INCLUSION))


def score_each(
    sides: Sides,
    resources: LexicalResources,
    make: Callable[..., T],
    score: Callable[[T, T, WordSupport], list[float]],
    n_scores: int,
) -> Floats:
    """Make something of the dependencies of each text, and return the scores of the two sides of each pair."""
    support, made = WordSupport(resources), [make(*text) for text in list_texts(sides)]
    rows = [score(source, target, support) for source, target in zip(made[::2], made[1::2])]
    return np.array(rows, float).reshape(len(rows), n_scores)


def list_texts(sides: Sides) -> list[tuple[Any, ...]]:
    """Return stems, forms, tags, heads and relations of each text."""
    assert sides.tags is not None and sides.heads is not None and sides.relations is not None
    return list(zip(sides.lemmas, sides.forms, sides.tags, sides.heads, sides.relations, strict=True))


def score_trees(source: ContentTree, target: ContentTree, support: WordSupport) -> list[float]:
    """Return the scores of one pair of trees."""
    alike, weights = support.compare(source, target), weigh_words(target, support)
    return score_places(source, target, alike, weights, measure_ways(list_links(source)))[0]


def weigh_words(tree: ContentTree, support: WordSupport) -> Floats:
    """Return the weight of each word of a tree: rare words count more, verbs less."""
    is_verb = np.array(tree.kinds, np.int64) == CLASSES.index("verbs")
    return (1.0 + support.weigh(tree)) * np.where(is_verb, VERBS, 1.0)


def score_places(
    source: ContentTree, target: ContentTree, alike: Floats, weights: Floats, distances: Floats
) -> tuple[list[float], Ints]:
    """Return the scores of the best places of the target's words in the source, and these places."""
    parents = np.array(target.parents, np.int64)
    steps = len(target) * len(source) ** 2
    places, total = call_core(steps, place_tree, alike, parents, weights, distances)
    scores = [
        *_score_words(source, target, alike, weights),
        float(total / weights.sum()) if len(target) else 1.0,
        *_score_links(parents, weights, places, distances),
        *_score_all_pairs(target, weights, places, distances, measure_ways(list_links(target))),
        *_score_surroundings(source, target, alike, places),
        math.log1p(len(source)),
        math.log1p(len(target)),
    ]
    return scores, places


def _score_words(source: ContentTree, target: ContentTree, alike: Floats, weights: Floats) -> list[float]:
    """Return the share of words that the source, or one sentence of it, supports, and what is missed by class."""
    if not len(target):
        return [1.0, 1.0] + [0.0] * (len(CLASSES) + 1)
    best = alike.max(axis=1, initial=0.0)
    sentences, kinds = np.array(source.sentences, np.int64), np.array(target.kinds, np.int64)
    within = [alike[:, sentences == one].max(axis=1) for one in np.unique(sentences)]
    missed = weights * (1.0 - best)
    return [
        float(weights @ best / weights.sum()),
        max((float(weights @ found / weights.sum()) for found in within), default=0.0),
        *(math.log1p(float(missed[kinds == kind].sum())) for kind in range(len(CLASSES))),
        float(missed.max()),
    ]


def _score_links(parents: Ints, weights: Floats, places: Ints, distances: Floats) -> list[float]:
    """Return shares of the target's links whose words both have a place: any, one step apart, and two."""
    rows = np.flatnonzero(parents >= 0)
    if not len(rows):
        return [1.0, 1.0, 1.0]
    above = parents[rows]
    smaller = np.minimum(weights[rows], weights[above])
    whole = (places[rows] >= 0) & (places[above] >= 0)
    steps = np.full(len(rows), np.inf)
    steps[whole] = distances[places[above[whole]], places[rows[whole]]]
    return [float(smaller @ (steps <= most) / smaller.sum()) for most in (np.finfo(float).max, 1.0, NEAR)]


def _score_all_pairs(target: ContentTree, weights: Floats, places: Ints, distances: Floats, own: Floats) -> list[float]:
    """Return how much farther apart words of the target are in the source, on average, and whether not at all.

    The last score is how far names and numbers are apart there, at most.
    """
    rows = np.flatnonzero(places >= 0)
    one, two = (rows[side] for side in np.triu_indices(len(rows), 1))
    if not len(one):
        return [0.0, 0.0, 0.0]
    smaller = np.minimum(weights[one], weights[two])
    there = distances[places[one], places[two]]
    farther = there - own[one, two]
    is_name = np.isin(target.kinds, (CLASSES.index("names"), CLASSES.index("numbers")))
    return [
        float(smaller @ np.maximum(farther, 0.0) / smaller.sum()),
        float(smaller @ (farther <= 0) / smaller.sum()),
        float(there[is_name[one] & is_name[two]].max(initial=0.0)),
    ]


def _score_surroundings(source: ContentTree, target: ContentTree, alike: Floats, places: Ints) -> list[float]:
    """Return the words of the source between the places and its roots, and what is negated or hedged there."""
    used = [int(place) for place in places if place >= 0]
    if not used:
        return [0.0, float(sum(target.denials) > 0), -float(sum(target.hedges) > 0), 0.0, 0.0]
    chains = {place: _climb_to_root(source.parents, place) for place in used}
    root = target.parents.index(-1)
    is_placed = places[root] >= 0
    top = int(places[root]) if is_placed else min(used, key=lambda place: len(chains[place]))
    denied = any(source.denials[place] for place in chains[top]) != (sum(target.denials) > 0)
    hedged = any(source.hedges[place] for place in chains[top]) - float(sum(target.hedges) > 0)
    between = set().union(*chains.values()) - set(used)
    root_support = float(alike[root, top]) if is_placed else 0.0
    return [math.log1p(len(between)), float(denied), hedged, root_support, math.log1p(len(chains[top]))]


def _climb_to_root(parents: list[int], place: int) -> list[int]:
    found = [place]
    while parents[found[-1]] >= 0:
        found.append(parents[found[-1]])
    return found
