"""The groups "roles" and "ways", and the kernel `StatedRelation`: what the target says of its things, in the source."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from experiments.rte3.content import (
    CLASSES,
    INCLUSION,
    Links,
    WordSupport,
    find_unit,
    list_below,
    list_links,
    list_texts,
    measure_ways,
    score_each,
    score_places,
    search_ways,
    set_length,
    weigh_words,
)
from experiments.rte3.roles import CLAUSES, WITHOUT_PREPOSITION, RoleGraph, make_role_graph
from rekern.core.arrays import Floats, Ints
from rekern.kernels.score_kernel import ScoreKernel
from rekern.similarity.lexical_resources import LexicalResources
from rekern.similarity.pair_sides import Sides, read_tree_sides
from rekern.structures.word_space import WordSpace

FRAMES = (
    *("frame", "weakest role", "other fillers", "denied frame", "doubtful frame", "frame word", "doubtful frames"),
    *("denied frames", "frame found"),
)
STEPS = ("subject", "object", "of", "in", "preposition", "is", "part", "clause", "same", "text", "other")
ROLES = (
    *(f"{name} by roles" for name in INCLUSION),
    *FRAMES,
    *(f"{name} steps" for name in STEPS),
    *("way found", "length of way", "target says is", "is supported"),
)
WAYS = (
    *("things joined", "distance of things", "words between things", "names between things", "things in order"),
    *("names nearer to the last", "names nearer to the first", "relation supported", "relation on the way"),
    *("denied on the way", "doubtful on the way", "words on the way", "support of the first", "support of the last"),
)
SAME = 0.05  # steps between two words for the same
SHORT = {"part": 0.5, "is": 0.5, "number": 0.5, "quality": 0.7}  # steps between a word and one with this role
ELSEWHERE = 0.6  # the most that a word is worth in a role that it has not, but is near to
REACH = 3.0  # steps
LEAST = 0.5  # the support of a thing by its place
UNRELATED = 0.8  # a name that supports no word of the target as much is another name
NOMINAL = frozenset(("of", "part", "quality", "is", "in", "at", "from", "for", "number"))
IDENTITY = ("is", "part", "quality", "of")
_NOUN_OBJECT = ("of", "part", "predicate", "quality")
_NOUN_SUBJECT = ("by", "of", "quality", "part")


class Pair(NamedTuple):
    """The graphs of both sides, how far each word of the source supports each of the target, and the target's root."""

    source: RoleGraph
    target: RoleGraph
    alike: Floats
    root: int  # -1 for an empty text


def score_roles(sides: Sides, resources: LexicalResources) -> Floats:
    """Return scores of the roles of the target's words in the source, a row for each pair."""
    return score_each(sides, resources, make_role_graph, score_graphs, len(ROLES))


def score_graphs(source: RoleGraph, target: RoleGraph, support: WordSupport) -> list[float]:
    """Return the scores of one pair of graphs."""
    alike = compare_graphs(source, target, support)
    links = list_role_links(source)
    lengths = measure_ways(links)
    weights = weigh_words(target.tree, support)
    included, places = score_places(source.tree, target.tree, alike, weights, lengths)
    pair = Pair(source, target, alike, target.tree.parents.index(-1) if len(target) else -1)
    return [*included, *_score_frame(pair, lengths), *_score_way(pair, links, lengths, places), *_score_identity(pair)]


def compare_graphs(source: RoleGraph, target: RoleGraph, support: WordSupport) -> Floats:
    """Return how far each word of the source (column), or another word for the same, supports each of the target."""
    alike = support.compare(source.tree, target.tree)
    own = alike.copy()
    for one, other in source.same:
        alike[:, one] = np.maximum(alike[:, one], own[:, other])
        alike[:, other] = np.maximum(alike[:, other], own[:, one])
    return alike


def list_role_links(graph: RoleGraph) -> Links:
    """Return the links of the tree, those of roles, and those between words for the same, with their steps."""
    roles = [(one, other, SHORT.get(role, 1.0)) for one, role, other in graph.edges]
    return list_links(graph.tree, [*roles, *((one, other, SAME) for one, other in graph.same)])


def compare_roles(target: str, source: str) -> float:
    """Return how far a role in the source is that of the target, from 0 to 1.

    >>> compare_roles("subject", "object"), compare_roles("object", "of"), compare_roles("in", "at")
    (0.0, 0.8, 0.8)
    """
    if target == source:
        return 1.0
    both = {target, source}
    if both == {"subject", "object"}:
        return 0.0
    of_target, of_source = target not in WITHOUT_PREPOSITION | {"is"}, source not in WITHOUT_PREPOSITION | {"is"}
    if (of_target and of_source) or both <= NOMINAL:
        return 0.8
    if (target == "object" and source in _NOUN_OBJECT) or (target == "subject" and source in _NOUN_SUBJECT):
        return 0.8
    if of_target or of_source:
        return 0.8 if "time" in both else 0.7 if "object" in both else 0.4
    return 0.4


def _score_frame(pair: Pair, lengths: Floats) -> list[float]:
    """Return how well a word of the source has the roles of the target's root, and whether it is denied or doubtful.

    The word is the one for which the support of the root, times the mean support of its roles, is the largest.
    """
    root, alike = pair.root, pair.alike
    able = np.flatnonzero(alike[root] > 0) if root >= 0 else ()
    if not len(able):
        return [0.0] * len(FRAMES)
    wanted = [(role, other) for one, role, other in pair.target.edges if one == root]
    roles_of = defaultdict(list)
    for one, role, other in pair.source.edges:
        roles_of[one].append((role, other))
    best, word, supports, missing = -1.0, -1, list[float](), 0
    for at in map(int, able):
        given = roles_of.get(at, [])
        near = ELSEWHERE * np.clip(1.0 - (lengths[at] - 1.0) / REACH, 0.0, 1.0)
        found, others = [], 0
        for role, other in wanted:
            here = max((compare_roles(role, name) * alike[other, filler] for name, filler in given), default=0.0)
            found.append(max(float(here), float((alike[other] * near).max())))
            fillers = [filler for name, filler in given if name == role in ("subject", "object")]
            others += bool(fillers) and alike[other, fillers].max() == 0 and alike[other].max() > 0
        total = float(alike[root, at]) * (sum(found) / len(found) if found else 1.0)
        if total > best:
            best, word, supports, missing = total, at, found, others
    denied, doubted = pair.target.denied[root], pair.target.doubted[root]
    return [
        best,
        min(supports, default=1.0),
        float(missing),
        float(pair.source.denied[word] != denied),
        float(pair.source.doubted[word]) - doubted,
        float(alike[root, word]),
        sum(pair.source.doubted[at] for at in able) / len(able) - doubted,
        sum(pair.source.denied[at] for at in able) / len(able) - denied,
        1.0,
    ]


def _score_way(pair: Pair, links: Links, lengths: Floats, places: Ints) -> list[float]:
    """Return the kinds of steps between the places of what the target is about and what it says of it."""
    counts = dict.fromkeys(STEPS, 0.0)
    ends = _find_ends(pair)
    if ends is None or places[ends[0]] < 0 or places[ends[1]] < 0:
        return [*counts.values(), 0.0, 0.0]
    start, end = (int(places[place]) for place in ends)
    roles: dict[tuple[int, int], str] = {}
    for one, role, other in pair.source.edges:
        roles.setdefault((one, other), role)
        roles.setdefault((other, one), role)
    same = {*pair.source.same, *((other, one) for one, other in pair.source.same)}
    for at, before in pairwise(find_way(start, end, links)):
        if len(pair.source) in (before, at):
            kind = "text"
        elif (before, at) in same:
            kind = "same"
        else:
            kind = _name_step(roles.get((before, at), "acl"))
        counts[kind] += 1
    return [*counts.values(), 1.0, float(lengths[start, end])]


def find_way(start: int, end: int, links: Links) -> list[int]:
    """Return the words of the shortest way between two words, from its end to its start."""
    _, last = search_ways(start, *links, np.inf)
    found = [end]
    while found[-1] != start:
        found.append(int(last[found[-1]]))
    return found


def _find_ends(pair: Pair) -> tuple[int, int] | None:
    """Return the subject of the target's root, or else its object, and its last other role; or what is what."""
    wanted = [(role, other) for one, role, other in pair.target.edges if one == pair.root]
    equal = [(one, other) for one, role, other in pair.target.edges if role == "is"]
    about = [other for role, other in wanted if role == "subject"] or [
        other for role, other in wanted if role == "object"
    ]
    if not about and any(role == "is" for role, _ in wanted):
        about = [pair.root]
    others = [other for role, other in wanted if other not in about and role != "adverb"]
    if about and others:
        return about[0], others[-1]
    return equal[0] if equal else None


def _name_step(role: str) -> str:
    if role in ("quality", "number"):
        return "part"
    if role in CLAUSES:
        return "clause"
    if role in STEPS:
        return role
    return "other" if role in WITHOUT_PREPOSITION else "preposition"


def _score_identity(pair: Pair) -> list[float]:
    """Return whether the target says what something is, and how far a noun with its noun in the source says so."""
    equal = [(one, other) for one, role, other in pair.target.edges if role == "is"]
    if not equal:
        return [0.0, 1.0]
    given = [(one, other) for one, role, other in pair.source.edges if role in IDENTITY]
    given += [(other, one) for one, other in given]
    alike = pair.alike
    found = (min(alike[a, one], alike[b, other]) for a, b in equal for one, other in given)
    return [1.0, float(max(found, default=0.0))]


class Statement(NamedTuple):
    """The places of the two things that a text relates, and of the words that say how."""

    about: int
    last: int
    relation: list[int]


def find_statement(graph: RoleGraph) -> Statement | None:
    """Return what a text states, or None if it is about nothing, or names no second thing.

    It is about the subject of its main word, else about its object, or about what it says to be something. The second
    thing is the last content word that is not below the first. This is the main word only if it stands alone there, as
    in "Ann sang": behind other words it ends a sentence such as "Ann often sang", which names no second thing. The
    relation is made of the words that are below neither thing.
    """
    if not len(graph):
        return None
    parents = graph.tree.parents
    root = parents.index(-1)
    of_root = [(role, other) for one, role, other in graph.edges if one == root]
    found = [other for wanted in ("subject", "object") for role, other in of_root if role == wanted]
    found += [one for one, role, other in graph.edges if role == "is" and root in (one, other)]
    if not found:
        return None
    about = found[0]
    first = {about} if about == root else find_below(parents, about)
    rest = [place for place in range(len(graph)) if place not in first]
    if not rest or (rest[-1] == root and len(rest) > 1):
        return None
    second = find_below(parents, rest[-1])
    return Statement(about, rest[-1], [place for place in rest if place not in second])


def find_below(parents: list[int], top: int) -> set[int]:
    """Return a place of a tree and all places below it."""
    below, found = list_below(parents), [top]
    for place in found:  # which grows
        found += below[place]
    return set(found)


class Way(NamedTuple):
    """The places of two things in the source, the content words between them on the shortest way, and the lengths of
    the ways from each of the two to all words."""

    start: int
    end: int
    between: list[int]
    from_start: Floats
    from_end: Floats


def score_ways(sides: Sides, resources: LexicalResources) -> Floats:
    """Return scores of the way between the things that each target relates, a row for each pair."""
    return score_each(sides, resources, make_role_graph, score_way, len(WAYS))


def score_way(source: RoleGraph, target: RoleGraph, support: WordSupport) -> list[float]:
    """Return the scores of one pair of graphs; all are 0 if one of the things has no place in the source."""
    stated = find_statement(target)
    if stated is None or not len(source):
        return [0.0] * len(WAYS)
    alike = compare_graphs(source, target, support)
    starts, ends = (np.flatnonzero(alike[thing] >= LEAST) for thing in (stated.about, stated.last))
    links = list_role_links(source)
    from_starts = measure_ways(links, starts)
    # They are as near to each other as any two; of those that are farthest apart the first ones.
    apart = np.where(starts[:, None] == ends[None], np.inf, from_starts[:, ends])
    if not apart.size or np.isinf(apart.min()):
        return [0.0] * len(WAYS)
    row, column = np.unravel_index(int(apart.argmin()), apart.shape)
    start, end = int(starts[row]), int(ends[column])
    between = [word for word in find_way(start, end, links)[1:-1] if word < len(source)]
    way = Way(start, end, between, from_starts[row], measure_ways(links, ends[[column]])[0])
    return _score_found(source, way, stated, alike)


def _score_found(source: RoleGraph, way: Way, stated: Statement, alike: Floats) -> list[float]:
    start, end, between, from_start, from_end = way
    low, high = min(start, end), max(start, end)
    names = np.array(source.tree.kinds) == CLASSES.index("names")
    far = from_start[end]
    others = np.flatnonzero(names & (alike.max(axis=0) < UNRELATED))
    others = others[(others != start) & (others != end)]
    relation = [place for place in range(len(alike)) if place not in (stated.about, stated.last)]
    passed = [start, end, *between]
    return [
        1.0,
        float(far),
        math.log1p(high - low),
        math.log1p(int(names[low + 1 : high].sum())),
        float(start < end),
        math.log1p(int((from_end[others] < far).sum())),
        math.log1p(int((from_start[others] < far).sum())),
        float(alike[relation].max()) if relation else 1.0,
        float(alike[np.ix_(relation, between)].max()) if relation and between else 0.0,
        float(any(source.denied[word] for word in passed)),
        float(any(source.doubted[word] for word in passed)),
        float(len(between)),
        float(alike[stated.about, start]),
        float(alike[stated.last, end]),
    ]


class StatedRelation(ScoreKernel):
    """Linear kernel on a vector of length 1, the sum over the words of the relation that the target states.

    The relation is made of the content words of the target that are below neither of the two things that it relates: in
    "Ann works for Acme" the word *works*. A target that relates no two things has its main word instead. Every word has
    a vector of length 1 in the ``space``; if no word has one, the sum is 0. The source is not looked at. Alone it knows
    nothing about a pair; in a product it tells other kernels when their scores mean the same.

    >>> from rekern.similarity import WordVectors
    >>> from rekern.structures import sentence, to_conllu
    >>> parse = to_conllu([sentence(["Ann", "likes", "Bob"], [1, -1, 1], tags=["NNP", "VBZ", "NNP"],
    ...                             relations=["nsubj", "root", "dobj"])])
    >>> kernel = StatedRelation(on="parse", space=WordVectors(["likes", "bob"], [[3.0, 4.0], [1.0, 0.0]]))
    >>> kernel.scores({"source.parse": [parse], "target.parse": [parse]})
    array([[0.6, 0.8]])
    """

    def __init__(self, on: str, space: WordSpace):
        self.on = on
        self.space = space

    def names(self) -> list[str]:
        """Return the names of the scores: the dimensions of the word space."""
        return [f"stated relation {number}" for number in range(1, self.space.vectors([""]).shape[1] + 1)]

    def scores(self, X: object) -> Floats:
        """Return the vector of the relation that each target states, a row for each pair."""
        assert self.on is not None
        size, rows = len(self.names()), []
        for text in list_texts(read_tree_sides(X, self.on))[1::2]:
            graph = make_role_graph(*text)
            stated = find_statement(graph)
            places = stated.relation if stated is not None else [graph.tree.parents.index(-1)] if len(graph) else []
            units = [find_unit(self.space, graph.tree.words[place], graph.tree.stems[place]) for place in places]
            vectors = [unit for unit in units if unit.any()]
            rows.append(set_length(np.array(vectors).reshape(len(vectors), size).sum(axis=0)))
        return np.array(rows).reshape(-1, size)
