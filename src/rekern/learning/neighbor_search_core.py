"""Which training pairs share the most words with a pair."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.compiling import compiled


@compiled
def score_shared_words(ids, offsets, source_weights, target_weights):
    """Return for each pair the weights of the words that it shares with another pair, added up; short texts count more.

    ``source_weights`` and ``target_weights`` have a weight for every word of the vocabulary, 0 for words that the
    other pair does not have.
    """
    scores = np.zeros((len(offsets) - 1) // 2)
    seen = np.full(len(source_weights), -1, np.int64)
    for text in range(len(offsets) - 1):
        weights = target_weights if text & 1 else source_weights
        total = 0.0
        for place in range(offsets[text], offsets[text + 1]):
            word = ids[place]
            if weights[word] != 0.0 and seen[word] != text:
                seen[word] = text
                total += weights[word]
        scores[text >> 1] += total / np.sqrt(1.0 + offsets[text + 1] - offsets[text])
    return scores
