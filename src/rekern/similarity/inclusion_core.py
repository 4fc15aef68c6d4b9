"""The best place of one tree in another one: the core of the group "inclusion"."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.compiling import compiled

FARTHEST = 6.0  # two words are never farther apart
TO_TEXT = 1.5  # steps from the root of a sentence to the whole text
IN_COMPOUND = 0.5  # steps between the parts of a compound word
STRETCH = 0.1  # what a step between two words costs, of the smaller weight of both


@compiled
def sort_downward(parents):
    """Return the places of a tree, each after its parent."""
    depths = np.zeros(len(parents), np.int64)
    for place in range(len(parents)):
        at = parents[place]
        while at >= 0:
            depths[place] += 1
            at = parents[at]
    return np.argsort(depths, kind="mergesort")


@compiled
def measure_distances(parents, is_part):
    """Return the number of steps between every two words of a tree, at most six; roots are joined by the text."""
    size = len(parents)
    found, to_text = np.zeros((size, size)), np.zeros(size)
    order = sort_downward(parents)
    for at in range(size):
        place = order[at]
        parent = parents[place]
        step = TO_TEXT if parent < 0 else IN_COMPOUND if is_part[place] else 1.0
        to_text[place] = step + (to_text[parent] if parent >= 0 else 0.0)
        for before in range(at):
            other = order[before]
            found[place, other] = step + (found[parent, other] if parent >= 0 else to_text[other])
            found[other, place] = found[place, other]
    return np.minimum(found, FARTHEST, found)


@compiled
def place_tree(support, parents, weights, distances):
    """Return the best place of each word in the other tree, -1 for none, and what all places are worth together.

    A word with weight w is worth w · support. Two linked words cost `STRETCH` · min(w, w') for each step of their
    places beyond the first, and a word whose parent has no place `STRETCH` · w. The best places are found from the
    leaves upwards; of equal ones the first is taken.
    """
    rows, columns = support.shape
    worth, choice = np.zeros((rows, columns + 1)), np.zeros((rows, columns + 1), np.int64)
    order = sort_downward(parents)
    for row in range(rows):
        for column in range(columns):
            worth[row, column] = weights[row] * support[row, column] if support[row, column] > 0 else -np.inf
    for row in order[::-1]:
        parent = parents[row]
        if parent < 0:
            continue
        smaller = STRETCH * min(weights[row], weights[parent])
        supported = np.flatnonzero(support[row] > 0)  # few, also in a long text
        for above in range(columns + 1):
            best, at = worth[row, columns], columns
            for column in supported:
                cost = STRETCH * weights[row]
                if above < columns:
                    cost = smaller * max(distances[above, column] - 1.0, 0.0)
                if worth[row, column] - cost > best or (worth[row, column] - cost == best and column < at):
                    best, at = worth[row, column] - cost, column
            choice[row, above] = at
            worth[parent, above] += best
    places, total = np.empty(rows, np.int64), 0.0
    for row in order:
        if parents[row] < 0:
            at = np.argmax(worth[row])
            total += worth[row, at]
        else:
            above = places[parents[row]]
            at = choice[row, above if above >= 0 else columns]
        places[row] = at if at < columns else -1
    return places, total
