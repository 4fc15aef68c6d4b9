"""The group "ways", slow and plain: what a text states, and all shortest ways between the two things it relates."""

import math

from reference_roles import links


def is_below(parents, place, top):
    while place >= 0:
        if place == top:
            return True
        place = parents[place]
    return False


def statement(graph):
    """The two things and the words of the relation, or None."""
    parents, size = graph.tree.parents, len(graph.tree.parents)
    if not size:
        return None
    root = min(place for place in range(size) if parents[place] < 0)
    able = []
    for rank, wanted in enumerate(("subject", "object")):
        able += [
            (rank, number, other)
            for number, (one, role, other) in enumerate(graph.edges)
            if (one, role) == (root, wanted)
        ]
    able += [
        (2, number, one)
        for number, (one, role, other) in enumerate(graph.edges)
        if role == "is" and root in (one, other)
    ]
    if not able:
        return None
    about = min(able)[2]
    rest = [p for p in range(size) if p != about and (about == root or not is_below(parents, p, about))]
    if not rest or (rest[-1] == root and rest != [root]):
        return None
    return about, rest[-1], [place for place in rest if not is_below(parents, place, rest[-1])]


def shortest_ways(graph, start, end):
    """All shortest ways between two words, as lists of the words between them; the text itself is left out."""
    size, near = len(graph.tree.words), {}
    for one, other, cost in links(graph):
        for a, b in ((one, other), (other, one)):
            near[a, b] = min(cost, near.get((a, b), math.inf))
    found, todo = [], [([start], 0.0)]
    while todo:
        way, length = todo.pop()
        if way[-1] == end:
            found.append((length, [word for word in way[1:-1] if word < size]))
            continue
        todo += [([*way, b], length + cost) for (a, b), cost in near.items() if a == way[-1] and b not in way]
    least = min(length for length, _ in found)
    return [between for length, between in found if length <= least + 1e-9]


def scores(source, target, alike, lengths):
    """The scores for every shortest way; one row of zeros if there is none. ``lengths`` are those of the ways."""
    stated = statement(target)
    able = []
    if stated is not None:
        about, last, _ = stated
        places = range(len(source.tree.words))
        able = [
            (lengths[x][y], x, y) for x in places for y in places if x != y and alike[about][x] >= 0.5 <= alike[last][y]
        ]
    if not able:
        return [[0.0] * 14]
    far, x, y = min(able)
    kinds = source.tree.kinds
    names = [w for w in range(len(kinds)) if kinds[w] == 0]
    others = [w for w in names if w not in (x, y) and all(row[w] < 0.8 for row in alike)]
    relation = [row for place, row in enumerate(alike) if place not in (about, last)]
    rows = []
    for between in shortest_ways(source, x, y):
        passed = [x, y, *between]
        rows.append(
            [
                1.0,
                far,
                math.log(1 + abs(x - y)),
                math.log(1 + sum(min(x, y) < w < max(x, y) for w in names)),
                x < y,
                math.log(1 + sum(lengths[w][y] < far for w in others)),
                math.log(1 + sum(lengths[x][w] < far for w in others)),
                max((max(row) for row in relation), default=1.0),
                max((row[w] for row in relation for w in between), default=0.0),
                any(source.denied[w] for w in passed),
                any(source.doubted[w] for w in passed),
                len(between),
                alike[about][x],
                alike[last][y],
            ]
        )
    return rows
