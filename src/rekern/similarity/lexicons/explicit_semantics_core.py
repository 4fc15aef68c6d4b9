"""Compiled code for explicit semantic analysis: vectors of concepts of texts, and their cosines."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

import numpy as np

from rekern.core.compiling import compiled


@compiled
def _describe(rows, idf, indptr, indices, data, vector, touched, count):
    """Add up the vector of a text in ``vector``, list its concepts in ``touched``, and return how many there are."""
    for row in rows:
        if row >= 0:
            count[row] += 1
    size = 0
    for row in rows:
        if row < 0 or count[row] == 0:
            continue
        weight = (1 + math.log(count[row])) * idf[row]
        count[row] = 0
        for at in range(indptr[row], indptr[row + 1]):
            concept = indices[at]
            if vector[concept] == 0.0 and weight * data[at] != 0.0:
                touched[size] = concept
                size += 1
            vector[concept] += weight * data[at]
    return size


@compiled
def compare_texts(rows, rows2, offsets, offsets2, idf, indptr, indices, data, concepts):
    """Return the cosine of the concepts of each pair of texts.

    ``rows`` and ``rows2`` are the rows of the tokens of both sides in the matrix of concepts, -1 for unknown tokens.
    """
    found = np.zeros(len(offsets) - 1)
    vector, vector2 = np.zeros(concepts), np.zeros(concepts)
    touched, touched2 = np.empty(concepts, np.int64), np.empty(concepts, np.int64)
    count = np.zeros(len(idf), np.int64)
    for text in range(len(found)):
        one, two = rows[offsets[text] : offsets[text + 1]], rows2[offsets2[text] : offsets2[text + 1]]
        size = _describe(one, idf, indptr, indices, data, vector, touched, count)
        size2 = _describe(two, idf, indptr, indices, data, vector2, touched2, count)
        product = square = square2 = 0.0
        for at in range(size):
            product += vector[touched[at]] * vector2[touched[at]]
            square += vector[touched[at]] ** 2
        for at in range(size2):
            square2 += vector2[touched2[at]] ** 2
        for at in range(size):
            vector[touched[at]] = 0.0
        for at in range(size2):
            vector2[touched2[at]] = 0.0
        if square > 0 and square2 > 0:
            found[text] = min(product / math.sqrt(square * square2), 1.0)
    return found
