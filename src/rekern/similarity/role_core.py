"""The shortest ways between the words of a graph: the core of the group "roles"."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.compiling import compiled


@compiled
def find_ways(ones, others, costs, size):
    """Return the length of the shortest way between every two words, and the last word before the end of each way.

    Link ``i`` joins the words ``ones[i]`` and ``others[i]``. Of ways of the same length, the first one found is kept.
    """
    lengths, before = np.full((size, size), np.inf), np.full((size, size), -1, np.int64)
    for word in range(size):
        lengths[word, word] = 0.0
    for link in range(len(ones)):
        one, other = ones[link], others[link]
        if costs[link] < lengths[one, other]:
            lengths[one, other] = lengths[other, one] = costs[link]
            before[one, other], before[other, one] = one, other
    for middle in range(size):
        for start in range(size):
            first = lengths[start, middle]
            if first == np.inf:
                continue
            for end in range(size):
                if first + lengths[middle, end] < lengths[start, end]:
                    lengths[start, end] = first + lengths[middle, end]
                    before[start, end] = before[middle, end]
    return lengths, before
