"""Scores of the way in the source between the two things that the target relates: the group "ways"."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats
from rekern.similarity.content_trees import CLASSES
from rekern.similarity.inclusion_scores import score_each
from rekern.similarity.lexical_resources import LexicalResources
from rekern.similarity.pair_sides import Sides
from rekern.similarity.role_graphs import RoleGraph, make_role_graph
from rekern.similarity.role_scores import compare_graphs, find_way, list_links, measure_all_ways
from rekern.similarity.statements import Statement, find_statement
from rekern.similarity.word_support import WordSupport

WAYS = (
    "things joined",
    "distance of things",
    "words between things",
    "names between things",
    "things in order",
    "names nearer to the last",
    "names nearer to the first",
    "relation supported",
    "relation on the way",
    "denied on the way",
    "doubtful on the way",
    "words on the way",
    "support of the first",
    "support of the last",
)
LEAST = 0.5  # the support of a thing by its place
UNRELATED = 0.8  # a name that supports no word of the target as much is another name


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
    links = list_links(source)
    from_starts = measure_all_ways(source, links, starts)
    # They are as near to each other as any two; of those that are farthest apart the first ones.
    apart = np.where(starts[:, None] == ends[None], np.inf, from_starts[:, ends])
    if not apart.size or np.isinf(apart.min()):
        return [0.0] * len(WAYS)
    row, column = np.unravel_index(int(apart.argmin()), apart.shape)
    start, end = int(starts[row]), int(ends[column])
    between = [word for word in find_way(start, end, links)[1:-1] if word < len(source)]
    way = Way(start, end, between, from_starts[row], measure_all_ways(source, links, ends[[column]])[0])
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
