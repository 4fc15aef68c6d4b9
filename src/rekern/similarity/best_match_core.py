"""The best match of every word of one side on the other side: cores of the scores over lexicons and word spaces."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

import numpy as np

from rekern.core.compiling import compiled


@compiled
def _find_first_common(one, two):
    """The first element of two ascending arrays that both have, -1 if there is none."""
    i = j = 0
    while i < len(one) and j < len(two):
        if one[i] == two[j]:
            return one[i]
        if one[i] < two[j]:
            i += 1
        else:
            j += 1
    return -1


@compiled
def _average_best(matrix, one, two, weights):
    """The weighted averages of the best matches of the rows and of the columns; 1 for an average of nothing."""
    best, best2 = np.zeros(len(one)), np.zeros(len(two))
    for i in range(len(one)):
        for j in range(len(two)):
            best[i] = max(best[i], matrix[i, j])
            best2[j] = max(best2[j], matrix[i, j])
    part = whole = 0.0
    for i in range(len(one)):
        part += weights[one[i]] * best[i]
        whole += weights[one[i]]
    part2 = whole2 = 0.0
    for j in range(len(two)):
        part2 += weights[two[j]] * best2[j]
        whole2 += weights[two[j]]
    return (part / whole if whole > 0 else 1.0), (part2 / whole2 if whole2 > 0 else 1.0)


@compiled
def average_resnik(ids, keys, offsets, weights, ancestors, starts, information):
    """Precision and recall by Resnik similarity, over √(res(a, a) · res(b, b)); words with equal ``ids`` have 1.

    ``keys`` number the forms in the lexicon: ``ancestors[starts[key]:starts[key + 1]]`` are the ranks of all synsets
    above a form, ascending, and ``information`` is by rank.
    """
    rows = (len(offsets) - 1) // 2
    found = np.empty((rows, 2))
    own = np.zeros(len(starts) - 1)
    for key in range(len(own)):
        if starts[key] < starts[key + 1]:
            own[key] = information[ancestors[starts[key]]]
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        matrix = np.zeros((middle - begin, end - middle))
        for i in range(begin, middle):
            key = keys[i]
            above = ancestors[starts[key] : starts[key + 1]]
            for j in range(middle, end):
                if ids[i] == ids[j]:
                    matrix[i - begin, j - middle] = 1.0
                    continue
                key2 = keys[j]
                common = _find_first_common(above, ancestors[starts[key2] : starts[key2 + 1]])
                if common >= 0:
                    length = math.sqrt(own[key] * own[key2])
                    if length > 0:
                        matrix[i - begin, j - middle] = information[common] / length
        found[row] = _average_best(matrix, ids[begin:middle], ids[middle:end], weights)
    return found


@compiled
def average_listed(ids, keys, offsets, weights, neighbors, starts):
    """Precision and recall where a word also matches those listed with it: ``neighbors`` of its key, ascending."""
    rows = (len(offsets) - 1) // 2
    found = np.empty((rows, 2))
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        matrix = np.zeros((middle - begin, end - middle))
        for i in range(begin, middle):
            listed = neighbors[starts[keys[i]] : starts[keys[i] + 1]]
            for j in range(middle, end):
                if ids[i] == ids[j]:
                    matrix[i - begin, j - middle] = 1.0
                elif len(listed):
                    at = np.searchsorted(listed, keys[j])
                    if at < len(listed) and listed[at] == keys[j]:
                        matrix[i - begin, j - middle] = 1.0
        found[row] = _average_best(matrix, ids[begin:middle], ids[middle:end], weights)
    return found


@compiled
def average_relations(ids, keys, offsets, weights, senses, first, above, first2, parents, first3):
    """Precision and recall where a word of the target is more general, more special, or a sister; equal words match.

    Of the form ``key``, ``senses[first[key]:first[key + 1]]`` are the synsets, ``above`` these and those above them,
    and ``parents`` the direct hypernyms, all ascending. Sisters have a common hypernym, and none is above the other.
    """
    rows = (len(offsets) - 1) // 2
    found = np.empty((rows, 6))
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        matrix = np.zeros((3, middle - begin, end - middle))
        for i in range(begin, middle):
            a = keys[i]
            for j in range(middle, end):
                b = keys[j]
                if ids[i] == ids[j]:
                    matrix[:, i - begin, j - middle] = 1.0
                    continue
                up, down = above[first2[a] : first2[a + 1]], above[first2[b] : first2[b + 1]]
                is_general = _find_first_common(up, senses[first[b] : first[b + 1]]) >= 0
                is_special = _find_first_common(down, senses[first[a] : first[a + 1]]) >= 0
                matrix[0, i - begin, j - middle] = is_general
                matrix[1, i - begin, j - middle] = is_special
                if not is_general and not is_special:
                    near = parents[first3[a] : first3[a + 1]], parents[first3[b] : first3[b + 1]]
                    matrix[2, i - begin, j - middle] = _find_first_common(near[0], near[1]) >= 0
        for kind in range(3):
            best = _average_best(matrix[kind], ids[begin:middle], ids[middle:end], weights)
            found[row, 2 * kind], found[row, 2 * kind + 1] = best
    return found


@compiled
def average_cosines(ids, keys, offsets, weights, vectors):
    """Precision and recall by the cosine of words (negative ones count 0), and the cosine of the weighted sums.

    ``vectors[key]`` has length 1, or 0 for a word without one.
    """
    rows = (len(offsets) - 1) // 2
    found = np.empty((rows, 3))
    width = vectors.shape[1]
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        matrix = np.zeros((middle - begin, end - middle))
        for i in range(begin, middle):
            for j in range(middle, end):
                if ids[i] == ids[j]:
                    matrix[i - begin, j - middle] = 1.0
                    continue
                key, key2 = keys[i], keys[j]
                product = 0.0
                for place in range(width):
                    product += vectors[key, place] * vectors[key2, place]
                matrix[i - begin, j - middle] = max(product, 0.0)
        found[row, 0], found[row, 1] = _average_best(matrix, ids[begin:middle], ids[middle:end], weights)
        sums = np.zeros((2, width))
        for at in range(begin, end):
            side = 1 if at >= middle else 0
            for place in range(width):
                sums[side, place] += weights[ids[at]] * vectors[keys[at], place]
        product = one = two = 0.0
        for place in range(width):
            product += sums[0, place] * sums[1, place]
            one += sums[0, place] ** 2
            two += sums[1, place] ** 2
        found[row, 2] = product / math.sqrt(one * two) if one > 0 and two > 0 else 0.0
    return found
