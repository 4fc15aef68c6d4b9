"""The content words of a text as a graph: the roles that words have in each other, whichever way a sentence says it.

The relations are those of spaCy's English models. A passive subject becomes an object, its agent a subject, and a
preposition a part of the role. Words that a sentence leaves out are found in the words above: "the man who came", "the
man seen there", "he wants to come" and "he came and went" all have a subject or an object that is written elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from experiments.rte3.content import ContentTree, list_below, make_content_tree, sort_places, stem_words
from rekern.similarity.word_classes import split_words


def split(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


BE = split("be is are was were been being am 're 'm")
HAVE = split("have has had having 've")
RELATIVE = split("who which that whom whose")
PRONOUNS = split("he she him her his hers himself herself it its itself")
LINKING = stem_words("become became becomes remain remained")
GENERAL = split(  # "the company" stands for a name before it
    "company firm group agency organization bank country city nation island man woman president leader minister"
)
TIMES = split(
    "january february march april may june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday today yesterday tomorrow"
)
CLOSED = split("not n't no never without neither")  # they deny the word above them
DENYING = stem_words(
    "never without deny refuse fail reject neither nor nobody nothing none hardly barely prevent avoid decline "
    "lack unable impossible stop"
)
DOUBTING = stem_words(
    "plan want hope intend expect seek try attempt propose allege accuse suspect claim believe think consider "
    "threaten demand ask call urge deny refuse fail reject decline offer suggest decide agree promise fear "
    "warn predict possible likely unlikely potential effort proposal bid charge allegation accusation "
    "suspicion rumor speculation able aim need let allow order require prepare pledge vow"
)
DOUBTFUL = split("allegedly reportedly possibly perhaps likely probably alleged suspected would-be")
CONDITIONS = split("if whether unless")
SURE_MODALS = split("will can shall 'll wo ca")
# A word below another one, by these relations, is denied or doubted with it, or because of it.
_SHARED = split("xcomp ccomp acl pcomp pobj attr acomp oprd")
_DOUBTED = split("xcomp ccomp acl prep pcomp dobj oprd nsubjpass")
_DENIED = split("xcomp ccomp acl pcomp dobj pobj prep")
_STAND_INS = split_words("attr acomp dobj xcomp ccomp oprd pobj pcomp prep advcl relcl")
_POINTING = split("the this that")
_NARROWING = split("prep appos poss compound relcl amod acl nummod")
CLAUSES = ("xcomp", "ccomp", "advcl", "acl")
_NAMED = {
    **dict.fromkeys(("nsubj", "csubj"), "subject"),
    **dict.fromkeys(("dobj", "nsubjpass", "csubjpass"), "object"),
    **dict.fromkeys(("advmod", "npadvmod"), "adverb"),
    **dict.fromkeys(("attr", "acomp", "oprd"), "predicate"),
    **dict.fromkeys(("compound", "nmod"), "part"),
    **dict.fromkeys(("nummod", "quantmod"), "number"),
    **{name: name for name in CLAUSES},
    "appos": "is",
    "poss": "of",
    "amod": "quality",
}
_IN_PHRASE = ("pobj", "pcomp")
_INSIDE = ("part", "quality", "number")  # roles that a word joined by "and" does not share
WITHOUT_PREPOSITION = frozenset((*_NAMED.values(), "time")) - {"is", "of"}
Role = tuple[str, int]  # a role, and the word that has it


class Words(NamedTuple):
    """The words of a text, a value for each: small letters, part of speech, place of the head (-1: none), relation."""

    words: Sequence[str]
    tags: Sequence[str]
    heads: Sequence[int]
    relations: Sequence[str]

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


@dataclass(frozen=True)
class RoleGraph:
    """Content words with their tree, their roles in each other, and what is the same, denied or doubtful.

    ``edges`` are pairs of places with a role: (*saw*, "subject", *Ann*). ``same`` are pairs of places of words that
    name the same thing: a name and its repetition, a noun and its pronoun.
    """

    tree: ContentTree
    edges: list[tuple[int, str, int]]
    same: list[tuple[int, int]]
    denied: list[bool]
    doubted: list[bool]

    def __len__(self) -> int:
        return len(self.tree)


def make_role_graph(
    stems: Sequence[str], forms: Sequence[str], tags: Sequence[str], heads: Sequence[int], relations: Sequence[str]
) -> RoleGraph:
    """Make the graph of a text from its dependencies.

    >>> graph = make_role_graph(["dog", "were", "seen", "by", "ann"], ["Dogs", "were", "seen", "by", "Ann"],
    ...     ["NNS", "VBD", "VBN", "IN", "NNP"], [2, 2, -1, 2, 3], ["nsubjpass", "auxpass", "root", "agent", "pobj"])
    >>> [(graph.tree.words[one], role, graph.tree.words[other]) for one, role, other in graph.edges]
    [('seen', 'object', 'Dogs'), ('seen', 'subject', 'Ann')]
    """
    tree = make_content_tree(stems, forms, tags, heads, relations)
    text = Words([form.casefold() for form in forms], tags, heads, relations)
    below = list_below(heads)
    order = sort_places(heads, below)
    number = {place: node for node, place in enumerate(tree.places)}  # of a compound word, its last part
    antecedents = _find_antecedents(text, below)
    content = _find_content(text, order, below, number, antecedents)
    edges = _list_edges(text, stems, _list_roles(text, order, below), number, content)
    same = [
        (number[place], content[other])
        for place, other in antecedents.items()
        if place in number and content[other] not in (-1, number[place])
    ]
    first: dict[str, int] = {}
    for node, place in enumerate(tree.places):
        if tags[place].startswith("NNP"):
            other = first.setdefault(tree.stems[node], node)
            same += [(other, node)] * (other != node)
    denied, doubted = _list_doubts(text, stems, order, below)
    return RoleGraph(
        tree, edges, same, [denied[place] for place in tree.places], [doubted[place] for place in tree.places]
    )


def _find_antecedents(text: Words, below: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return the places of words that stand for others, with the places of these.

    A pronoun stands for the last name before it that is a subject, or else for the last name. "The company" and
    similar words without a modifier stand for the last name, and a relative pronoun for the noun of its clause.
    """
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
            subjects += [place] * (text.relations[place] in ("nsubj", "nsubjpass"))
    return found


def _find_noun(text: Words, place: int) -> int:
    while place >= 0 and text.relations[place] != "relcl":
        place = text.heads[place]
    return text.heads[place] if place >= 0 else -1


def _is_definite(text: Words, below: Sequence[int]) -> bool:
    has_pointer = any(text.words[other] in _POINTING for other in below)
    return has_pointer and not any(text.relations[other] in _NARROWING for other in below)


def _list_roles(text: Words, order: Sequence[int], below: Sequence[Sequence[int]]) -> list[list[Role]]:
    """Return the roles of other words in each word; ``order`` has each word after its head."""
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


def _find_content(
    text: Words,
    order: Sequence[int],
    below: Sequence[Sequence[int]],
    number: dict[int, int],
    antecedents: dict[int, int],
) -> list[int]:
    """Return the content word that each word is, or that stands for it; -1 if none does."""
    found = [number.get(place, -1) for place in range(len(text.words))]
    for place in reversed(order):
        if found[place] < 0 and place not in antecedents:
            able = [other for other in below[place] if found[other] >= 0 and text.relations[other] in _STAND_INS]
            if able:
                best = min(able, key=lambda other: (_STAND_INS.index(text.relations[other]), other))
                found[place] = found[best]
    original = found.copy()
    for place in antecedents:
        seen, other = {place}, antecedents[place]
        while other in antecedents and other not in seen:
            seen.add(other)
            other = antecedents[other]
        found[place] = original[other]
    return found


def _list_edges(
    text: Words, stems: Sequence[str], roles: Sequence[list[Role]], number: dict[int, int], content: Sequence[int]
) -> list[tuple[int, str, int]]:
    """Return the roles of content words; "X is Y" and "X has Y" become roles of X and Y in each other."""
    found: list[tuple[int, str, int]] = []
    for place, own in enumerate(roles):
        subjects, others = ([other for role, other in own if role == name] for name in ("subject", "predicate"))
        is_be = text.words[place] in BE or (text.words[place] == "'s" and text.is_verb(place))
        if is_be or (text.is_verb(place) and stems[place] in LINKING):
            found += [(content[one], "is", content[other]) for one in subjects for other in others]
            around = [(role, other) for role, other in own if role not in WITHOUT_PREPOSITION or role == "time"]
            found += [(content[one], role, content[other]) for one in [*subjects, *others] for role, other in around]
            if is_be:
                continue
        if text.words[place] in HAVE and text.is_verb(place):
            objects = [other for role, other in own if role == "object"]
            found += [(content[other], "of", content[one]) for one in subjects for other in objects]
            continue
        above = number.get(place, -1)
        for role, other in own:
            if role == "part" and text.name_kind(place) == "name" and not text.name_kind(other):
                role = "is"  # president Lincoln
            elif role == "part" and text.name_kind(other) not in ("", text.name_kind(place)):
                role = "of"  # the Lincoln family
            found.append((above, role, content[other]))
    return list(dict.fromkeys(edge for edge in found if edge[0] >= 0 and edge[2] >= 0 and edge[0] != edge[2]))


def _list_doubts(
    text: Words, stems: Sequence[str], order: Sequence[int], below: Sequence[Sequence[int]]
) -> tuple[list[bool], list[bool]]:
    """Return which words are denied, and which are doubtful, by a word above or directly below them."""
    size = len(text.words)
    denied, doubted = [False] * size, [False] * size
    for place in order:
        head, relation = text.heads[place], text.relations[place]
        if head >= 0:
            shares = relation in _SHARED
            is_name = relation == "nsubjpass" and text.tags[place].startswith("NNP")
            denied[place] = (shares and denied[head]) or (relation in _DENIED and stems[head] in DENYING)
            doubted[place] = ((shares or relation == "conj") and doubted[head]) or (
                relation in _DOUBTED and stems[head] in DOUBTING and not is_name
            )
        for other in below[place]:
            word = text.words[other]
            denied[place] |= text.relations[other] == "neg" or word in CLOSED
            doubted[place] |= (
                (text.tags[other] == "MD" and word not in SURE_MODALS)
                or (text.relations[other] == "mark" and word in CONDITIONS)
                or word in DOUBTFUL
            )
    return denied, doubted
