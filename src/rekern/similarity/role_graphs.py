"""The content words of a text as a graph: its tree of dependencies, and the roles that words have in each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rekern.similarity.antecedents import find_antecedents
from rekern.similarity.content_trees import ContentTree, make_content_tree
from rekern.similarity.word_classes import split_words
from rekern.similarity.word_roles import BE, WITHOUT_PREPOSITION, Role, Words, list_roles
from rekern.structures.stemmer import stem

HAVE = frozenset(split_words("have has had having 've"))
LINKING = frozenset(map(stem, split_words("become became becomes remain remained")))
CLOSED = frozenset(split_words("not n't no never without neither"))  # they deny the word above them
DENYING = frozenset(
    map(
        stem,
        split_words(
            "never without deny refuse fail reject neither nor nobody nothing none hardly barely prevent avoid decline "
            "lack unable impossible stop"
        ),
    )
)
DOUBTING = frozenset(
    map(
        stem,
        split_words(
            "plan want hope intend expect seek try attempt propose allege accuse suspect claim believe think consider "
            "threaten demand ask call urge deny refuse fail reject decline offer suggest decide agree promise fear "
            "warn predict possible likely unlikely potential effort proposal bid charge allegation accusation "
            "suspicion rumor speculation able aim need let allow order require prepare pledge vow"
        ),
    )
)
DOUBTFUL = frozenset(split_words("allegedly reportedly possibly perhaps likely probably alleged suspected would-be"))
CONDITIONS = frozenset(split_words("if whether unless"))
SURE_MODALS = frozenset(split_words("will can shall 'll wo ca"))
# A word below another one, by these relations, is denied or doubted with it, or because of it.
_SHARED = frozenset(split_words("xcomp ccomp acl pcomp pobj attr acomp oprd"))
_DOUBTED = frozenset(split_words("xcomp ccomp acl prep pcomp dobj oprd nsubjpass"))
_DENIED = frozenset(split_words("xcomp ccomp acl pcomp dobj pobj prep"))
_STAND_INS = split_words("attr acomp dobj xcomp ccomp oprd pobj pcomp prep advcl relcl")


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
    below = text.list_below()
    order = _sort_downward(heads, below)
    number = {place: node for node, place in enumerate(tree.places)}  # of a compound word, its last part
    antecedents = find_antecedents(text)
    content = _find_content(text, order, below, number, antecedents)
    edges = _list_edges(text, stems, list_roles(text, order), number, content)
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


def _sort_downward(heads: Sequence[int], below: Sequence[Sequence[int]]) -> list[int]:
    order = [place for place, head in enumerate(heads) if head < 0]
    for place in order:  # which grows
        order += below[place]
    return order


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
