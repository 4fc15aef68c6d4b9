"""What stands around the shared words: negation, modality, numbers, names and times. The core of "contexts"."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import math

import numpy as np

from rekern.core.compiling import compiled

COLUMNS = 17
SCOPE = 3  # a negation negates the next words


@compiled
def score_contexts(ids, offsets, content, classes, capital, n_classes):
    """Return a column for each name of the group "contexts".

    ``classes[c, word]`` numbers the words of class c (from 0 up, equal numbers for equal meanings, -1 for others): the
    negations, modal words, reports, quantities, numbers and times. ``capital`` marks places.
    """
    rows = (len(offsets) - 1) // 2
    found = np.zeros((rows, COLUMNS))
    size = len(content)
    counts = np.zeros((2, n_classes, size), np.int64)
    state = np.zeros((2, size), np.int64)  # of a shared word: 1 if it is negated, 2 if it is not, 3 if both
    names = np.zeros((2, size), np.int64)
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        for side in range(2):
            start, stop = (begin, middle) if side == 0 else (middle, end)
            left = 0
            for place in range(start, stop):
                word = ids[place]
                for c in range(n_classes):
                    if classes[c, word] >= 0:
                        counts[side, c, classes[c, word]] += 1
                if content[word]:
                    state[side, word] |= 1 if left > 0 else 2
                    if capital[place]:
                        names[side, word] = 1
                left = SCOPE if classes[0, word] >= 0 else left - 1
        unshared = np.zeros((2, n_classes + 1), np.int64)
        total = np.zeros((2, n_classes), np.int64)
        shared = turned = 0
        for place in range(begin, end):
            word = ids[place]
            for c in range(n_classes):
                number = classes[c, word]
                if number < 0:
                    continue
                for side in range(2):
                    total[side, c] += counts[side, c, number]
                    unshared[side, c] += max(counts[side, c, number] - counts[1 - side, c, number], 0)
                counts[0, c, number] = counts[1, c, number] = 0
            if state[0, word] > 0 and state[1, word] > 0:
                shared += 1
                turned += state[0, word] != state[1, word] and state[0, word] + state[1, word] == 3
            for side in range(2):
                has, other = state[side, word] > 0, state[1 - side, word] > 0
                unshared[side, n_classes] += names[side, word] > 0 and has and not other
            state[0, word] = state[1, word] = names[0, word] = names[1, word] = 0
        for side in range(2):
            found[row, side] = math.log(1.0 + total[side, 0])
            found[row, 4 + side] = math.log(1.0 + total[side, 1])
            found[row, 7 + side] = math.log(1.0 + total[side, 2])
            found[row, 10 + side] = math.log(1.0 + unshared[side, 4])
            found[row, 13 + side] = math.log(1.0 + unshared[side, n_classes])
        found[row, 2] = (total[0, 0] + total[1, 0]) % 2
        found[row, 3] = turned / shared if shared else 0.0
        found[row, 6] = unshared[0, 1] + unshared[1, 1] > 0
        found[row, 9] = unshared[0, 3] + unshared[1, 3] > 0
        found[row, 12] = unshared[0, 4] > 0 and unshared[1, 4] > 0
        found[row, 15] = unshared[0, n_classes] > 0 and unshared[1, n_classes] > 0
        found[row, 16] = unshared[0, 5] > 0 and unshared[1, 5] > 0
    return found
