"""The shortest ways between the words of a graph: the core of the group "roles"."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import heapq

import numpy as np

from rekern.core.compiling import compiled


@compiled
def search_ways(start, offsets, others, costs, limit):
    """Return the length of the shortest way from a word to every other one, and the last word before its end.

    The links of word ``i`` lead to ``others[offsets[i] : offsets[i + 1]]``. Ways of at least ``limit`` are not followed
    farther. Of ways of the same length, the first one found is kept.
    """
    size = len(offsets) - 1
    lengths, before = np.full(size, np.inf), np.full(size, -1, np.int64)
    lengths[start] = 0.0
    waiting = [(0.0, start)]
    while len(waiting) > 0:
        length, word = heapq.heappop(waiting)
        if length > lengths[word]:
            continue
        if length >= limit:
            break
        for link in range(offsets[word], offsets[word + 1]):
            other = others[link]
            if length + costs[link] < lengths[other]:
                lengths[other] = length + costs[link]
                before[other] = word
                heapq.heappush(waiting, (lengths[other], other))
    return lengths, before


@compiled
def measure_ways(starts, offsets, others, costs, words, limit):
    """Return the lengths of the shortest ways from some words to the first ``words`` words, at most ``limit``."""
    found = np.empty((len(starts), words))
    for row in range(len(starts)):
        lengths, _ = search_ways(starts[row], offsets, others, costs, limit)
        found[row] = np.minimum(lengths[:words], limit)
    return found
