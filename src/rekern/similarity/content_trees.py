"""The content words of a text as a tree: function words are left out, and compound words are cut into their parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rekern.similarity.token_traits import NEGATIONS
from rekern.similarity.word_classes import FUNCTION_STEMS, MODALS, find_value, split_words
from rekern.structures.stemmer import stem

LONGEST_RUN = 8  # of words whose initials may be an acronym
CLASSES = ("names", "numbers", "verbs", "nouns", "others")
LIGHT_STEMS = FUNCTION_STEMS | frozenset(
    map(
        stem,
        split_words(
            "since during until while against among per within upon toward towards although though because however "
            "whether become became via either neither nor mr mrs ms dr said say says according"
        ),
    )
)
DENIALS = frozenset(NEGATIONS) | frozenset(map(stem, split_words("nobody nothing neither deny refuse fail reject")))
HEDGES = frozenset(
    map(
        stem,
        split_words(
            "if whether plan want hope intend expect seek likely possible potential attempt try propose alleged "
            "allegedly accuse suspect claim believe think consider threaten demand ask call urge would-be"
        )
        + MODALS,
    )
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
    below = _list_below(heads)
    order = _sort_upward(heads, below)
    stand_ins = _find_stand_ins(order, below, light, parts, tags, relations)

    words, kept, is_part, place_of = [], [], [], {}
    for place, found in enumerate(parts):
        if not light[place]:
            chosen = [part for part in found if not _is_light(part, len(found))] or list(found)
            words += chosen
            kept += [place] * len(chosen)
            is_part += [True] * (len(chosen) - 1) + [False]
            place_of[place] = len(words) - 1
    last_of = [place_of[place] for place in kept]
    sentence_of = _number_sentences(heads, order)
    denials, hedges = [0] * len(words), [0] * len(words)
    for place, word in enumerate(stems):
        if word in DENIALS or word in HEDGES:
            marked = _find_marked(place, heads, tags, light, stand_ins)
            if marked >= 0:
                denials[place_of[marked]] += word in DENIALS
                hedges[place_of[marked]] += word in HEDGES
    return ContentTree(
        words,
        [stems[place] if word == forms[place] else stem(word.casefold()) for word, place in zip(words, kept)],
        [_classify(word, tags[place]) for word, place in zip(words, kept)],
        [
            last if inside else _find_parent(place, heads, light, stand_ins, place_of)
            for place, inside, last in zip(kept, is_part, last_of)
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
        return False  # US is no pronoun
    return stem(part.casefold()) in LIGHT_STEMS or (parts > 1 and len(part) == 1 and not part.isdigit())


def _classify(word: str, tag: str) -> int:
    if tag == "CD" or find_value(word) is not None:
        return CLASSES.index("numbers")
    if tag.startswith("NNP"):
        return CLASSES.index("names")
    if tag.startswith("VB"):
        return CLASSES.index("verbs")
    return CLASSES.index("nouns" if tag in ("NN", "NNS") else "others")


def _list_below(heads: Sequence[int]) -> list[list[int]]:
    below: list[list[int]] = [[] for _ in heads]
    for place, head in enumerate(heads):
        if head >= 0:
            below[head].append(place)
    return below


def _sort_upward(heads: Sequence[int], below: Sequence[Sequence[int]]) -> list[int]:
    """Sort places so that each comes before its head."""
    order = [place for place, head in enumerate(heads) if head < 0]
    for place in order:  # which grows
        order += below[place]
    return order[::-1]


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


def _find_marked(
    place: int, heads: Sequence[int], tags: Sequence[str], light: Sequence[bool], stand_ins: Sequence[int]
) -> int:
    """Return the content word that a negation or a hedge is about."""
    if not light[place] or (tags[place] in ("MD", "IN") and stand_ins[place] >= 0):
        return stand_ins[place]
    return stand_ins[heads[place] if heads[place] >= 0 else place]


def _number_sentences(heads: Sequence[int], order: Sequence[int]) -> list[int]:
    roots = [place for place, head in enumerate(heads) if head < 0]
    found = [0] * len(heads)
    for place in reversed(order):
        found[place] = roots.index(place) if heads[place] < 0 else found[heads[place]]
    return found


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
