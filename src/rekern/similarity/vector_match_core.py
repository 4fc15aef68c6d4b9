"""Soft alignments of the words of two sides by their vectors, and means of vectors: the core of the group "vectors"."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import math

import numpy as np

from rekern.core.compiling import compiled

COLUMNS = 14
NOTHING = math.sqrt(2.0)  # the distance of unit vectors that have nothing in common
SAME = 1.0 - 1e-12  # the cosine of vectors that differ by rounding only: a distance is the root of a difference from 1
RARE = 0.01  # a word that this share of the sides has weighs one half in the means


@compiled
def score_vectors(ids, keys, offsets, weights, content, vectors, lengths):
    """Return a column for each name of the group "vectors".

    ``vectors[key]`` has length 1, or 0 for a word without one; ``lengths`` are those of the vectors before. ``weights``
    (idf) and ``content`` are by the number of the word.
    """
    rows = (len(offsets) - 1) // 2
    found = np.zeros((rows, COLUMNS))
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        one, two = ids[begin:middle], ids[middle:end]
        cosines = _compare(one, two, keys[begin:middle], keys[middle:end], vectors)
        matches = np.maximum(cosines, 0.0)
        found[row, 0], found[row, 1] = _link(matches, one, two, weights)
        found[row, 2] = _measure_way(cosines, one, two, content)
        found[row, 3] = _measure_way(cosines.T, two, one, content)
        found[row, 4], found[row, 6] = _miss(matches, one, weights, content)
        found[row, 5], found[row, 7] = _miss(matches.T, two, weights, content)
        found[row, 8] = _follow(matches)
        found[row, 9] = _follow(matches.T)
        found[row, 10:] = _compare_means(
            ids[begin:end], keys[begin:end], middle - begin, weights, content, vectors, lengths
        )
    return found


@compiled
def _compare(one, two, keys, keys2, vectors):
    """The cosine of every word of one side with every word of the other; 1 for equal words."""
    found = np.empty((len(one), len(two)))
    for i in range(len(one)):
        for j in range(len(two)):
            if one[i] == two[j]:
                found[i, j] = 1.0
                continue
            product = 0.0
            for place in range(vectors.shape[1]):
                product += vectors[keys[i], place] * vectors[keys2[j], place]
            found[i, j] = product if product < SAME else 1.0
    return found


@compiled
def _link(matches, one, two, weights):
    """The weighted shares of two sides in a one-to-one alignment: the best match is linked first, and so on."""
    flat = matches.copy().reshape(matches.size)
    order = np.argsort(-flat, kind="mergesort")
    used, used2 = np.zeros(len(one), np.bool_), np.zeros(len(two), np.bool_)
    part = part2 = whole = whole2 = 0.0
    for at in order:
        if flat[at] <= 0:
            break
        i, j = at // len(two), at % len(two)
        if not used[i] and not used2[j]:
            used[i] = used2[j] = True
            part += weights[one[i]] * flat[at]
            part2 += weights[two[j]] * flat[at]
    for i in range(len(one)):
        whole += weights[one[i]]
    for j in range(len(two)):
        whole2 += weights[two[j]]
    return (part / whole if whole > 0 else 1.0), (part2 / whole2 if whole2 > 0 else 1.0)


@compiled
def _measure_way(cosines, one, two, content):
    """The mean distance from a content word to the nearest one of the other side (relaxed word mover's distance)."""
    total, number = 0.0, 0
    for i in range(len(one)):
        if not content[one[i]]:
            continue
        nearest = NOTHING
        for j in range(len(two)):
            if content[two[j]]:
                nearest = min(nearest, math.sqrt(max(2.0 - 2.0 * cosines[i, j], 0.0)))
        total += nearest
        number += 1
    return total / number if number else 0.0


@compiled
def _miss(matches, one, weights, content):
    """The weight that the worst matched content word misses, and that all words miss together (logarithm)."""
    worst = total = 0.0
    for i in range(len(one)):
        best = 0.0
        for j in range(matches.shape[1]):
            best = max(best, matches[i, j])
        missed = weights[one[i]] * max(1.0 - best, 0.0)
        total += missed
        if content[one[i]]:
            worst = max(worst, missed)
    return worst, math.log(1.0 + total)


@compiled
def _follow(matches):
    """The mean best match of two neighbouring words with two neighbouring words; 0 without such words."""
    total = 0.0
    for i in range(matches.shape[0] - 1):
        best = 0.0
        for j in range(matches.shape[1] - 1):
            best = max(best, matches[i, j] * matches[i + 1, j + 1])
        total += math.sqrt(best)
    return total / (matches.shape[0] - 1) if matches.shape[0] > 1 else 0.0


@compiled
def _compare_means(ids, keys, middle, weights, content, vectors, lengths):
    """The cosine of the frequency-weighted means, of the unshared words, of the extremes, and the means' distance."""
    width = vectors.shape[1]
    means, unshared, extremes = np.zeros((2, width)), np.zeros((2, width)), np.zeros((2, 2 * width))
    totals, alone = np.zeros(2), np.zeros(2, np.int64)
    for at in range(len(ids)):
        side = 1 if at >= middle else 0
        word, key = ids[at], keys[at]
        weight = RARE / (RARE + math.exp(-weights[word]))
        totals[side] += weight
        for place in range(width):
            value = vectors[key, place] * lengths[key]
            means[side, place] += weight * value
            if content[word]:
                extremes[side, place] = max(extremes[side, place], value)
                extremes[side, width + place] = min(extremes[side, width + place], value)
        shared = False
        for other in ids[middle:] if side == 0 else ids[:middle]:
            shared = shared or other == word
        if not shared:
            alone[side] += 1
            for place in range(width):
                unshared[side, place] += weights[word] * vectors[key, place]
    distance = 0.0
    for place in range(width):
        left = means[0, place] / totals[0] if totals[0] > 0 else 0.0
        right = means[1, place] / totals[1] if totals[1] > 0 else 0.0
        distance += (left - right) ** 2
    apart = 1.0 if alone[0] == 0 and alone[1] == 0 else _divide_product(unshared[0], unshared[1])
    return np.array(
        [_divide_product(means[0], means[1]), apart, _divide_product(extremes[0], extremes[1]), math.sqrt(distance)]
    )


@compiled
def _divide_product(one, two):
    """The cosine of two vectors, 0 if one of them is 0."""
    product = first = second = 0.0
    for place in range(len(one)):
        product += one[place] * two[place]
        first += one[place] ** 2
        second += two[place] ** 2
    return product / math.sqrt(first * second) if first > 0 and second > 0 else 0.0
