"""Words that stand for others: pronouns, relative pronouns, and "the company" for a name before."""

from __future__ import annotations

from collections.abc import Sequence

from rekern.similarity.word_classes import split_words
from rekern.similarity.word_roles import RELATIVE, Words

PRONOUNS = frozenset(split_words("he she him her his hers himself herself it its itself"))
GENERAL = frozenset(
    split_words(
        "company firm group agency organization bank country city nation island man woman president leader minister"
    )
)
_POINTING = frozenset(split_words("the this that"))
_SUBJECTS = ("nsubj", "nsubjpass")
_NARROWING = frozenset(split_words("prep appos poss compound relcl amod acl nummod"))


def find_antecedents(text: Words) -> dict[int, int]:
    """Return the places of words that stand for others, with the places of these.

    A pronoun stands for the last name before it that is a subject, or else for the last name. "The company" and
    similar words without a modifier stand for the last name, and a relative pronoun for the noun of its clause.

    >>> text = Words(["ann", "says", "she", "sings"], ["NNP", "VBZ", "PRP", "VBZ"], [1, -1, 3, 1],
    ...     ["nsubj", "root", "nsubj", "ccomp"])
    >>> find_antecedents(text)
    {2: 0}
    """
    below = text.list_below()
    kinds = [text.name_kind(place) for place in range(len(text.words))]
    names: list[int] = []  # the last words of the names so far
    subjects: list[int] = []
    found: dict[int, int] = {}
    for place, word in enumerate(text.words):
        if word in PRONOUNS:
            if names:
                found[place] = (subjects or names)[-1]
        elif word in RELATIVE:
            noun = _find_noun(text, place)
            if noun >= 0 and text.relations[place] != "mark":
                found[place] = noun
        elif word in GENERAL and text.tags[place] == "NN" and names and _is_definite(text, below[place]):
            found[place] = names[-1]
        if kinds[place] == "name" and (place + 1 == len(kinds) or kinds[place + 1] != "name"):
            names.append(place)
            subjects += [place] * (text.relations[place] in _SUBJECTS)
    return found


def _find_noun(text: Words, place: int) -> int:
    while place >= 0 and text.relations[place] != "relcl":
        place = text.heads[place]
    return text.heads[place] if place >= 0 else -1


def _is_definite(text: Words, below: Sequence[int]) -> bool:
    has_pointer = any(text.words[other] in _POINTING for other in below)
    return has_pointer and not any(text.relations[other] in _NARROWING for other in below)
