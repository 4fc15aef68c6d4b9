"""Scores of how the tree of the target is included in that of the source: the group "inclusion"."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.interruption import call_core
from rekern.similarity.content_trees import CLASSES, ContentTree, make_content_tree
from rekern.similarity.inclusion_core import measure_distances, place_tree
from rekern.similarity.lexical_resources import LexicalResources
from rekern.similarity.pair_sides import Sides
from rekern.similarity.word_support import WordSupport

T = TypeVar("T")
Words: TypeAlias = Sequence[str]
Heads: TypeAlias = Sequence[int]

INCLUSION = (
    "included words",
    "included in one sentence",
    *(f"missed {name}" for name in CLASSES),
    "largest miss",
    "inclusion",
    "included links",
    "links kept",
    "links near",
    "stretch",
    "close words",
    "names apart",
    "words between",
    "negated inclusion",
    "hedged inclusion",
    "included root",
    "depth of inclusion",
    "source content",
    "target content",
)
NEAR = 2.0  # steps
VERBS = 0.5  # the weight of a verb, times that of other words: relations are said in many ways


def score_inclusion(sides: Sides, resources: LexicalResources) -> Floats:
    """Return scores of the best place of the target's tree in the source's tree, a row for each pair."""
    return score_each(sides, resources, make_content_tree, score_trees, len(INCLUSION))


def score_each(
    sides: Sides,
    resources: LexicalResources,
    make: Callable[[Words, Words, Words, Heads, Words], T],
    score: Callable[[T, T, WordSupport], list[float]],
    n_scores: int,
) -> Floats:
    """Make something of the dependencies of each text, and return the scores of the two sides of each pair."""
    assert sides.tags is not None and sides.heads is not None and sides.relations is not None
    support = WordSupport(resources)
    texts = zip(sides.lemmas, sides.forms, sides.tags, sides.heads, sides.relations, strict=True)
    made = [make(*text) for text in texts]
    rows = [score(source, target, support) for source, target in zip(made[::2], made[1::2])]
    return np.array(rows, float).reshape(len(rows), n_scores)


def score_trees(source: ContentTree, target: ContentTree, support: WordSupport) -> list[float]:
    """Return the scores of one pair of trees."""
    distances = call_core(len(source) ** 2, measure_distances, *read_links(source))
    return score_places(source, target, support.compare(source, target), weigh_words(target, support), distances)[0]


def weigh_words(tree: ContentTree, support: WordSupport) -> Floats:
    """Return the weight of each word of a tree: rare words count more, verbs less."""
    is_verb = np.array(tree.kinds, np.int64) == CLASSES.index("verbs")
    weights: Floats = (1.0 + support.weigh(tree)) * np.where(is_verb, VERBS, 1.0)
    return weights


def score_places(
    source: ContentTree, target: ContentTree, alike: Floats, weights: Floats, distances: Floats
) -> tuple[list[float], Ints]:
    """Return the scores of the best places of the target's words in the source, and these places."""
    parents, _ = links = read_links(target)
    steps = len(target) * len(source) ** 2
    places, total = call_core(steps, place_tree, alike, parents, weights, distances)
    scores = [
        *_score_words(source, target, alike, weights),
        float(total / weights.sum()) if len(target) else 1.0,
        *_score_links(parents, weights, places, distances),
        *_score_all_pairs(target, weights, places, distances, measure_distances(*links)),
        *_score_surroundings(source, target, alike, places),
        math.log1p(len(source)),
        math.log1p(len(target)),
    ]
    return scores, places


def read_links(tree: ContentTree) -> tuple[Ints, Ints]:
    """Return the word above each word of a tree, and whether the word is a part of a compound word."""
    return np.array(tree.parents, np.int64), np.array(tree.is_part, np.int64)


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
        denied, hedged = float(sum(target.denials) > 0), -float(sum(target.hedges) > 0)
        return [0.0, denied, hedged, 0.0, 0.0]
    chains = {place: _climb(source.parents, place) for place in used}
    root = target.parents.index(-1)
    is_placed = places[root] >= 0
    top = int(places[root]) if is_placed else min(used, key=lambda place: len(chains[place]))
    denied = any(source.denials[place] for place in chains[top]) != (sum(target.denials) > 0)
    hedged = any(source.hedges[place] for place in chains[top]) - float(sum(target.hedges) > 0)
    between = set().union(*chains.values()) - set(used)
    return [
        math.log1p(len(between)),
        float(denied),
        hedged,
        float(alike[root, top]) if is_placed else 0.0,
        math.log1p(len(chains[top])),
    ]


def _climb(parents: list[int], place: int) -> list[int]:
    found = [place]
    while parents[found[-1]] >= 0:
        found.append(parents[found[-1]])
    return found
