"""The roles of words: what is subject, object or modifier of what, whichever way a sentence says it.

The relations are those of spaCy's English models. A passive subject becomes an object, its agent a subject, and a
preposition a part of the role. Words that a sentence leaves out are found in the words above: "the man who came", "the
man seen there", "he wants to come" and "he came and went" all have a subject or an object that is written elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rekern.similarity.word_classes import split_words

BE = frozenset(split_words("be is are was were been being am 're 'm"))
RELATIVE = frozenset(split_words("who which that whom whose"))
TIMES = frozenset(
    split_words(
        "january february march april may june july august september october november december monday tuesday "
        "wednesday thursday friday saturday sunday today yesterday tomorrow"
    )
)
_SUBJECTS, _PASSIVE = ("nsubj", "csubj"), ("nsubjpass", "csubjpass")
CLAUSES = ("xcomp", "ccomp", "advcl", "acl")
_NAMED = {
    "dobj": "object",
    "advmod": "adverb",
    "npadvmod": "adverb",
    "attr": "predicate",
    "acomp": "predicate",
    "oprd": "predicate",
    "appos": "is",
    "poss": "of",
    "compound": "part",
    "nmod": "part",
    "amod": "quality",
    "nummod": "number",
    "quantmod": "number",
    **{name: name for name in CLAUSES},
    **dict.fromkeys(_SUBJECTS, "subject"),
    **dict.fromkeys(_PASSIVE, "object"),
}
_IN_PHRASE = ("pobj", "pcomp")
_INSIDE = ("part", "quality", "number")  # roles that a word joined by "and" does not share


class Words(NamedTuple):
    """The words of a text, a value for each: small letters, part of speech, place of the head (-1: none), relation."""

    words: Sequence[str]
    tags: Sequence[str]
    heads: Sequence[int]
    relations: Sequence[str]

    def list_below(self) -> list[list[int]]:
        """Return the places of the words below each word."""
        below: list[list[int]] = [[] for _ in self.heads]
        for place, head in enumerate(self.heads):
            if head >= 0:
                below[head].append(place)
        return below

    def is_verb(self, place: int) -> bool:
        """Whether a word is a verb."""
        return self.tags[place].startswith("VB")

    def name_kind(self, place: int) -> str:
        """Return "time", "number" or "name", or nothing for another word."""
        word, tag = self.words[place], self.tags[place]
        if word in TIMES and tag.startswith("NN"):
            return "time"
        if tag == "CD":
            return "time" if len(word) == 4 and word.isdigit() and word[:2] in ("17", "18", "19", "20") else "number"
        return "name" if tag.startswith("NNP") else ""


Role = tuple[str, int]  # a role, and the word that has it
WITHOUT_PREPOSITION = frozenset((*_NAMED.values(), "time")) - {"is", "of"}


def list_roles(text: Words, order: Sequence[int]) -> list[list[Role]]:
    """Return the roles of other words in each word; ``order`` has each word after its head.

    >>> text = Words(["dogs", "were", "seen", "by", "ann"], ["NNS", "VBD", "VBN", "IN", "NNP"], [2, 2, -1, 2, 3],
    ...     ["nsubjpass", "auxpass", "root", "agent", "pobj"])
    >>> list_roles(text, [2, 0, 1, 3, 4])[2]
    [('object', 0), ('subject', 4)]
    """
    below = text.list_below()
    roles = [_read_roles(text, below, place) for place in range(len(text.heads))]
    owners: list[set[int]] = [set() for _ in roles]  # the words in which each word has a role
    for owner, found in enumerate(roles):
        for _, other in found:
            owners[other].add(owner)
    passive = [any(text.relations[other] in ("auxpass", "nsubjpass") for other in found) for found in below]
    for place in order:
        head, relation = text.heads[place], text.relations[place]
        if head < 0:
            continue
        if relation == "conj" and not text.is_verb(place):
            for owner in sorted(owners[head]):
                shared = [(role, place) for role, other in roles[owner] if other == head and role not in _INSIDE]
                roles[owner] += shared
                owners[place].update([owner] * bool(shared))
        elif text.is_verb(place):
            roles[place] = _add_missing(roles, text, place, passive)
            for _, other in roles[place]:
                owners[other].add(place)
    return roles


def _read_roles(text: Words, below: Sequence[Sequence[int]], place: int) -> list[Role]:
    """Return the roles of the words directly below a word."""
    found: list[Role] = []
    for other in below[place]:
        relation, word = text.relations[other], text.words[other]
        phrase = [(lower, word) for lower in below[other] if text.relations[lower] in _IN_PHRASE]
        if relation == "agent":
            found += [("subject", lower) for lower, _ in phrase]
        elif relation == "prep" or (relation == "dative" and text.tags[other] in ("IN", "TO")):
            for inner in below[other]:
                if text.relations[inner] == "prep":
                    last = text.words[inner]
                    phrase += [(lower, last) for lower in below[inner] if text.relations[lower] in _IN_PHRASE]
            found += [(preposition, lower) for lower, preposition in phrase]
        elif relation == "dative":
            found.append(("to", other))
        elif relation in _NAMED:
            is_time = relation in ("advmod", "npadvmod") and text.name_kind(other) == "time"
            found.append(("time" if is_time else _NAMED[relation], other))
    return found


def _add_missing(roles: Sequence[list[Role]], text: Words, place: int, passive: Sequence[bool]) -> list[Role]:
    """Return the roles in a verb, with the subject or object that is written elsewhere."""
    found, head, relation = roles[place], text.heads[place], text.relations[place]
    own = {role for role, _ in found}
    above = {role: [word for other, word in roles[head] if other == role] for role in ("subject", "object")}
    role = "object" if passive[place] else "subject"
    if relation == "conj":
        if text.tags[place] == "VBN" and passive[head] and "subject" not in own:
            role = "object"
        if "subject" not in own and role not in own:
            return found + [(role, word) for word in above["object" if passive[head] else "subject"]]
    elif relation == "relcl":
        taken = [other for other, word in found if text.words[word] in RELATIVE]
        rest = [(other, word) for other, word in found if text.words[word] not in RELATIVE]
        if taken or ("object" not in own and "subject" in own):
            return [*rest, (taken[-1] if taken else "object", head)]
    elif relation == "acl":
        role = {"VBN": "object", "VBG": "subject"}.get(text.tags[place], "")
        if role and role not in own:
            return [*found, (role, head)]
    elif relation in ("xcomp", "advcl", "pcomp") and "subject" not in own:
        verb = head if relation != "pcomp" or text.heads[head] < 0 else text.heads[head]
        subjects, objects = ([word for other, word in roles[verb] if other == name] for name in ("subject", "object"))
        chosen = objects if objects and (passive[verb] or relation == "xcomp") else subjects
        return found + [(role, word) for word in chosen[:1]]
    return found
