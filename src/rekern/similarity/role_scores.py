"""Scores of how the roles of the target's words are found in the source: the group "roles"."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.interruption import call_core
from rekern.similarity.inclusion_core import FARTHEST, IN_COMPOUND, TO_TEXT
from rekern.similarity.inclusion_scores import INCLUSION, score_each, score_places, weigh_words
from rekern.similarity.lexical_resources import LexicalResources
from rekern.similarity.pair_sides import Sides
from rekern.similarity.role_core import measure_ways, search_ways
from rekern.similarity.role_graphs import RoleGraph, make_role_graph
from rekern.similarity.score_descriptions import BY_ROLES
from rekern.similarity.word_roles import CLAUSES, WITHOUT_PREPOSITION
from rekern.similarity.word_support import WordSupport

FRAMES = (
    "frame",
    "weakest role",
    "other fillers",
    "denied frame",
    "doubtful frame",
    "frame word",
    "doubtful frames",
    "denied frames",
    "frame found",
)
STEPS = ("subject", "object", "of", "in", "preposition", "is", "part", "clause", "same", "text", "other")
ROLES = (
    *(name + BY_ROLES for name in INCLUSION),
    *FRAMES,
    *(f"{name} steps" for name in STEPS),
    "way found",
    "length of way",
    "target says is",
    "is supported",
)
SAME = 0.05  # steps between two words for the same
SHORT = {"part": 0.5, "is": 0.5, "number": 0.5, "quality": 0.7}  # steps between a word and one with this role
ELSEWHERE = 0.6  # the most that a word is worth in a role that it has not, but is near to
REACH = 3.0  # steps
NOMINAL = frozenset(("of", "part", "quality", "is", "in", "at", "from", "for", "number"))
IDENTITY = ("is", "part", "quality", "of")
_NOUN_OBJECT = ("of", "part", "predicate", "quality")
_NOUN_SUBJECT = ("by", "of", "quality", "part")


class Links(NamedTuple):
    """The links of a graph, in both directions, word by word; the last word stands for the whole text."""

    offsets: Ints
    others: Ints
    costs: Floats


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
    links = list_links(source)
    lengths = measure_all_ways(source, links)
    weights = weigh_words(target.tree, support)
    included, places = score_places(source.tree, target.tree, alike, weights, lengths)
    pair = Pair(source, target, alike, target.tree.parents.index(-1) if len(target) else -1)
    return [*included, *_score_frame(pair, lengths), *_score_way(pair, links, lengths, places), *_score_identity(pair)]


def measure_all_ways(graph: RoleGraph, links: Links, starts: Ints | None = None) -> Floats:
    """Return the lengths of the shortest ways from some words of a graph, or from each, to all words."""
    starts = np.arange(len(graph)) if starts is None else starts
    found: Floats = call_core(30.0 * len(starts) * len(graph), measure_ways, starts, *links, len(graph), FARTHEST)
    return found


def compare_graphs(source: RoleGraph, target: RoleGraph, support: WordSupport) -> Floats:
    """Return how far each word of the source (column), or another word for the same, supports each of the target."""
    alike = support.compare(source.tree, target.tree)
    own = alike.copy()
    for one, other in source.same:
        alike[:, one] = np.maximum(alike[:, one], own[:, other])
        alike[:, other] = np.maximum(alike[:, other], own[:, one])
    return alike


def list_links(graph: RoleGraph) -> Links:
    """Return the links of the tree, those of roles, and those between words for the same, with their steps."""
    text, tree = len(graph), graph.tree
    links = [
        (place, parent if parent >= 0 else text, TO_TEXT if parent < 0 else IN_COMPOUND if inside else 1.0)
        for place, (parent, inside) in enumerate(zip(tree.parents, tree.is_part))
    ]
    links += [(one, other, SHORT.get(role, 1.0)) for one, role, other in graph.edges]
    links += [(one, other, SAME) for one, other in graph.same]
    ones, others = (np.array([link[side] for link in links], np.int64) for side in (0, 1))
    costs = np.array([cost for *_, cost in links], float)
    ones, others, costs = np.concatenate([ones, others]), np.concatenate([others, ones]), np.tile(costs, 2)
    order = np.argsort(ones, kind="stable")
    offsets = np.searchsorted(ones[order], np.arange(text + 2))
    return Links(offsets, others[order], costs[order])


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
