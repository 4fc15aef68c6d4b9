"""What a sentence states: the thing that it is about, the last thing that it names, and the words of the relation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rekern.similarity.role_graphs import RoleGraph


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

    >>> from rekern.similarity.role_graphs import make_role_graph
    >>> graph = make_role_graph(["ann", "work", "for", "acme"], ["Ann", "works", "for", "Acme"],
    ...     ["NNP", "VBZ", "IN", "NNP"], [1, -1, 1, 2], ["nsubj", "root", "prep", "pobj"])
    >>> about, last, relation = find_statement(graph)
    >>> graph.tree.words[about], graph.tree.words[last], [graph.tree.words[place] for place in relation]
    ('Ann', 'Acme', ['works'])
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


def find_below(parents: Sequence[int], top: int) -> set[int]:
    """Return a place of a tree and all places below it.

    >>> sorted(find_below([2, 0, -1, 2], 0))
    [0, 1]
    """
    below: list[list[int]] = [[] for _ in parents]
    for place, parent in enumerate(parents):
        if parent >= 0:
            below[parent].append(place)
    found = [top]
    for place in found:  # which grows
        found += below[place]
    return set(found)
