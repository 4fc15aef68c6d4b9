"""Compiled code that follows the hypernyms of a WordNet."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

from rekern.core.compiling import compiled


@compiled
def order_upward(starts, above):
    """Return the synsets ordered so that each comes before all above it; synsets on a cycle are left out."""
    size = len(starts) - 1
    below = np.zeros(size, np.int64)
    for place in above:
        below[place] += 1
    order = np.empty(size, np.int64)
    written = 0
    for place in range(size):
        if below[place] == 0:
            order[written] = place
            written += 1
    read = 0
    while read < written:
        place = order[read]
        read += 1
        for index in range(starts[place], starts[place + 1]):
            below[above[index]] -= 1
            if below[above[index]] == 0:
                order[written] = above[index]
                written += 1
    return order[:written]


@compiled
def carry_up(counts, order, starts, above):
    """Return for every synset the sum of its own count and of the counts below it, each added once."""
    total = counts.copy()
    seen = np.full(len(counts), -1, np.int64)
    stack = np.empty(len(counts), np.int64)
    for place in order:
        height = 0
        stack[0] = place
        seen[place] = place
        height = 1
        while height:
            height -= 1
            top = stack[height]
            for index in range(starts[top], starts[top + 1]):
                if seen[above[index]] != place:
                    seen[above[index]] = place
                    total[above[index]] += counts[place]
                    stack[height] = above[index]
                    height += 1
    return total
