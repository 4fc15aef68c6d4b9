"""Neighbourhoods of a graph as text."""

from __future__ import annotations

from collections import defaultdict

LabelledGraph = tuple[list[str], list[tuple[int, int, str]]]  # labels of the nodes, and edges with their labels


def write_neighborhood(graph: LabelledGraph, root: int, radius: int) -> str:
    """Return a neighbourhood as text: the root, then what it is linked to, and so on, in brackets.

    Nodes that have further links get a number, and these links follow at the end.

    >>> write_neighborhood((["saw", "Chip", "Dale", "old"], [(0, 1, "subj"), (0, 2, "obj"), (2, 3, "")]), 0, 2)
    'saw (–obj– Dale – old, –subj– Chip)'
    >>> write_neighborhood((["a", "b", "c"], [(0, 1, ""), (1, 2, ""), (2, 0, "x")]), 0, 1)
    'a (– b#1, –x– c#2); b#1 – c#2'
    """
    labels, edges = graph
    joined: dict[int, dict[int, list[str]]] = defaultdict(dict)
    for one, other, label in edges:
        joined[one].setdefault(other, []).append(label)
        if one != other:
            joined[other].setdefault(one, []).append(label)
    parent, level = {root: root}, [root]
    children: dict[int, list[int]] = defaultdict(list)
    for _ in range(radius):
        following = []
        for node in level:
            for other in sorted(joined[node], key=lambda other: (labels[other], sorted(joined[node][other]))):
                if other not in parent:
                    parent[other] = node
                    children[node].append(other)
                    following.append(other)
        level = following
    place = {node: at for at, node in enumerate(parent)}
    again = sorted(
        (place[one], place[other])
        for one in parent
        for other in joined[one]
        if other in place and place[one] <= place[other] and (one == other or parent[other] != one)
    )
    nodes = list(parent)
    numbered = {nodes[at] for link in again for at in link}
    named = {node: labels[node] + (f"#{place[node]}" if node in numbered else "") for node in nodes}
    texts: dict[int, str] = {}
    for node in reversed(nodes):  # those farthest from the root first: no recursion, however long a path is
        parts = [f"{_write_link(joined[node][child])} {texts[child]}" for child in children[node]]
        texts[node] = named[node]
        if parts:
            texts[node] += f" {parts[0]}" if len(parts) == 1 else f" ({', '.join(sorted(parts))})"
    rest = [f"{named[nodes[a]]} {_write_link(joined[nodes[a]][nodes[b]])} {named[nodes[b]]}" for a, b in again]
    return "; ".join([texts[root], *rest])


def _write_link(labels: list[str]) -> str:
    text = "+".join(sorted(labels))
    return f"–{text}–" if text else "–"
