"""Shares of tokens that two sides of a pair have in common, in compiled code."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

from rekern.core.compiling import compiled


@compiled
def count_shares(ids, offsets, vocabulary):
    """Precision and recall of every pair, a row for each."""
    scores = np.zeros(((len(offsets) - 1) // 2, 2))
    count = np.zeros(vocabulary, np.int64)
    for row in range(len(scores)):
        source = ids[offsets[2 * row] : offsets[2 * row + 1]]
        target = ids[offsets[2 * row + 1] : offsets[2 * row + 2]]
        for token in source:
            count[token] += 1
        shared = 0
        for token in target:
            if count[token] > 0:
                count[token] -= 1
                shared += 1
        for token in source:
            count[token] = 0
        if len(source) and len(target):
            scores[row, 0] = shared / len(source)
            scores[row, 1] = shared / len(target)
    return scores
