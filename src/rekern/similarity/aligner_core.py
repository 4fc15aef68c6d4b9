"""One-to-one links of words that mean the same in the same surroundings: the core of the group "aligner"."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import math

import numpy as np

from rekern.core.compiling import compiled

COLUMNS = 9
LISTED = 0.85  # the similarity of words that a lexicon has as equal
VECTORS = 0.7  # that of other words with the same vector
LEAST = 0.35  # of two words that may be linked
REACH = 3  # how far neighbours are away
EVIDENCE = 0.15  # that links of function words need in their surroundings
MEANING = 0.9  # the share of the words themselves in the order of the links; the rest is that of their surroundings


@compiled
def score_alignments(ids, forms, keys, offsets, weights, content, is_word, vectors, listed, starts):
    """Return a column for each name of the group "aligner".

    ``ids``, ``forms`` and ``keys`` number the stem, the form and the vector at each place. ``weights`` are by vector,
    ``content`` and ``is_word`` by stem. ``vectors[key]`` has length 1, or 0 for a word without one. The equals of a
    form are ``listed[starts[form] : starts[form + 1]]``, ascending.
    """
    rows = (len(offsets) - 1) // 2
    found = np.zeros((rows, COLUMNS))
    for row in range(rows):
        one = _list_words(ids, offsets[2 * row], offsets[2 * row + 1], is_word)
        two = _list_words(ids, offsets[2 * row + 1], offsets[2 * row + 2], is_word)
        alike = _compare(one, two, ids, forms, keys, vectors, listed, starts)
        around = _look_around(alike)
        links = _link(alike, around, content[ids[one]], content[ids[two]])
        matched = np.zeros(len(one)), np.zeros(len(two))
        evidence = 0.0
        for i, j in links:
            matched[0][i] = matched[1][j] = alike[i, j]
            evidence += around[i, j]
        found[row, 4] = evidence / len(links) if len(links) else 0.0
        for side, places in enumerate((one, two)):
            equal = soft = whole = missed = 0.0
            count = 0
            for at, place in enumerate(places):
                if content[ids[place]]:
                    weight, match = weights[keys[place]], matched[side][at]
                    whole += weight
                    soft += weight * match
                    equal += weight * (match >= LISTED)
                    missed += weight * (match == 0)
                    count += match == 0
            found[row, side] = equal / whole if whole > 0 else 1.0
            found[row, 2 + side] = soft / whole if whole > 0 else 1.0
            found[row, 5 + side] = math.log1p(missed)
            found[row, 7 + side] = math.log1p(count)
    return found


@compiled
def _list_words(ids, begin, end, is_word):
    """The places of words, without punctuation."""
    found = np.empty(end - begin, np.int64)
    count = 0
    for place in range(begin, end):
        if is_word[ids[place]]:
            found[count] = place
            count += 1
    return found[:count]


@compiled
def _compare(one, two, ids, forms, keys, vectors, listed, starts):
    """The similarity of every word of one side with every word of the other."""
    found = np.zeros((len(one), len(two)))
    for i in range(len(one)):
        equals = listed[starts[forms[one[i]]] : starts[forms[one[i]] + 1]]
        for j in range(len(two)):
            at = np.searchsorted(equals, forms[two[j]])
            if ids[one[i]] == ids[two[j]]:
                found[i, j] = 1.0
            elif at < len(equals) and equals[at] == forms[two[j]]:
                found[i, j] = LISTED
            else:
                product = 0.0
                for place in range(vectors.shape[1]):
                    product += vectors[keys[one[i]], place] * vectors[keys[two[j]], place]
                found[i, j] = VECTORS * product if VECTORS * product >= LEAST else 0.0
    return found


@compiled
def _look_around(alike):
    """How well the neighbours of two words match, before them and behind them, the near ones counting more."""
    found = np.zeros(alike.shape)
    for i in range(alike.shape[0]):
        for j in range(alike.shape[1]):
            if alike[i, j] == 0:
                continue
            total = 0.0
            for step in range(1, REACH + 1):
                for step2 in range(1, REACH + 1):
                    part = 0.0
                    if i >= step and j >= step2:
                        part += alike[i - step, j - step2]
                    if i + step < alike.shape[0] and j + step2 < alike.shape[1]:
                        part += alike[i + step, j + step2]
                    total += part / (step + step2)
            found[i, j] = min(total / 2, 1.0)
    return found


@compiled
def _link(alike, around, content, content2):
    """The places of linked words: the best two words first, of equal ones those near the beginning."""
    rows, columns = alike.shape
    order = np.full(rows * columns, -np.inf)
    for i in range(rows):
        for j in range(columns):
            if alike[i, j] > 0 and ((content[i] and content2[j]) or around[i, j] > EVIDENCE):
                value = MEANING * alike[i, j] + (1 - MEANING) * around[i, j]
                # of two ties, one order of the pair must not take another one than the other
                order[i * columns + j] = value - 1e-6 * (i + j) - 1e-9 * abs(i - j)
    used, used2 = np.zeros(rows, np.bool_), np.zeros(columns, np.bool_)
    found = np.empty((min(rows, columns), 2), np.int64)
    count = 0
    for at in np.argsort(-order, kind="mergesort"):
        if order[at] == -np.inf:
            break
        i, j = at // columns, at % columns
        if not used[i] and not used2[j]:
            used[i] = used2[j] = True
            found[count] = i, j
            count += 1
    return found[:count]
