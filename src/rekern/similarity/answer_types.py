"""What a question asks for, and whether the other side has something of this kind: the group "answers"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rekern.core.arrays import Floats
from rekern.similarity.answer_core import find_evidence
from rekern.similarity.lexical_resources import LexicalResources
from rekern.similarity.pair_sides import Sides
from rekern.similarity.side_words import find_capitals, find_content
from rekern.similarity.word_classes import CLASSES, number_classes, split_words

KINDS = ("person", "time", "place", "number", "reason", "definition")
ANSWERS = (*(f"{kind} wanted" for kind in KINDS), "new names", "new numbers")
OTHER = len(KINDS)

AMOUNTS = frozenset(split_words("many much old long far tall high big large deep heavy fast often hot cold wide small"))
KIND_OF_WORD = {
    **dict.fromkeys(split_words("year date day month time century years dates season"), "time"),
    **dict.fromkeys(
        split_words("country city state county place town continent location province region river"), "place"
    ),
    **dict.fromkeys(
        split_words("number percentage percent amount population age temperature size cost price"), "number"
    ),
    **dict.fromkeys(split_words("person actor actress singer president author man woman player king queen"), "person"),
}
COPULAS = frozenset(split_words("is are was were 's be"))
ARTICLES = frozenset(split_words("a an the one any"))
PREPOSITIONS = frozenset(split_words("in at near from to"))
REASONS = frozenset(split_words("because due cause causes caused reason since result therefore"))


def find_wanted_kind(words: Sequence[str]) -> str | None:
    """Return what a question asks for, None if this is not clear or if it is no question.

    >>> find_wanted_kind("how many dogs bark".split()), find_wanted_kind("in what year did he die".split())
    ('number', 'time')
    >>> find_wanted_kind("what is a dog".split()), find_wanted_kind("dogs bark".split())
    ('definition', None)
    """
    for place, word in enumerate(words):
        following = words[place + 1 : place + 3]
        if word in ("who", "whom", "whose"):
            return "person"
        if word in ("when", "where", "why"):
            return {"when": "time", "where": "place", "why": "reason"}[word]
        if word == "how":
            return "number" if following[:1] and following[0] in AMOUNTS else None
        if word in ("what", "which"):
            kinds = [KIND_OF_WORD[near] for near in following if near in KIND_OF_WORD]
            if kinds:
                return kinds[0]
            return "definition" if following[:1] and following[0] in COPULAS else None
    return None


def score_answers(sides: Sides, resources: LexicalResources) -> Floats:
    """Return a column for each name of the group: 1 if the kind is wanted and found, -1 if it is wanted and missing."""
    lemmas, forms = sides.lemmas, sides.forms
    small = [form.casefold() for form in forms.vocabulary]
    numbers = {kind: place for place, kind in enumerate(KINDS)}
    wanted = np.full(len(forms) // 2, OTHER, np.int64)
    kinds: dict[tuple[str, ...], int] = {}
    for row in range(len(wanted)):
        words = tuple(
            small[number] for number in forms.ids[forms.offsets[2 * row] : forms.offsets[2 * row + 1]].tolist()
        )
        if words not in kinds:
            kinds[words] = numbers.get(find_wanted_kind(words) or "", OTHER)
        wanted[row] = kinds[words]
    classes = number_classes(lemmas.vocabulary)
    roles = np.array([[word in known for word in small] for known in (COPULAS, ARTICLES, PREPOSITIONS, REASONS)], bool)
    found: Floats = find_evidence(
        lemmas.ids,
        lemmas.offsets,
        wanted,
        find_content(lemmas, resources),
        classes[CLASSES.index("numbers")] >= 0,
        classes[CLASSES.index("times")] >= 0,
        roles.reshape(4, len(small))[:, forms.ids],
        find_capitals(sides),
    )
    return found
