"""What two sequences have in common, as runs, subsequences, n-grams and edits: compiled cores over whole corpora."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

import numpy as np

from rekern.core.arrays import AnyArray, Floats, Ints, Keys
from rekern.core.compiling import compiled, inlined
from rekern.similarity.overlap_core import (
    count_ngrams,
    find_longest_pair,
    make_ngram_table,
    measure_common_run,
    measure_common_subsequence,
)

START, NEXT = 0, 1  # of a common run: where it begins, and the next one of its length


def compare_ngrams(ids: AnyArray, offsets: Ints, longest: int) -> Floats:
    """The cosines of the counts of n-grams of two sides, a column for each n; 0 if a side has none."""
    cosines = np.zeros((len(offsets) // 2, longest))
    limit = int(ids.max(initial=0)) + 1
    table = make_ngram_table(find_longest_pair(offsets))
    _compare_ngrams(ids.astype(np.uint64), offsets, limit, cosines, *table)
    return cosines


@compiled
def _compare_ngrams(ids, offsets, limit, cosines, slots, places, keys, counts):
    for row in range(len(cosines)):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        for column in range(cosines.shape[1]):
            product = one = two = 0.0
            for gram in range(count_ngrams(ids, begin, middle, end, column + 1, limit, slots, places, keys, counts)):
                product += counts[gram, 0] * counts[gram, 1]
                one += counts[gram, 0] * counts[gram, 0]
                two += counts[gram, 1] * counts[gram, 1]
            cosines[row, column] = product / math.sqrt(one * two) if one > 0 and two > 0 else 0.0


def measure_common_parts(codes: Keys, offsets: Ints, vocabulary: int) -> Floats:
    """The lengths of the longest common run and of the longest common subsequence, over the longer side's length."""
    found, longest = np.ones((len(offsets) // 2, 2)), find_longest_pair(offsets)
    last, before = np.full(vocabulary, -1, np.int64), np.empty(longest, np.int64)
    _measure_common_parts(
        codes, offsets, found, np.zeros(vocabulary, np.uint64), np.empty(longest, np.uint8), last, before
    )
    return found


@compiled
def _measure_common_parts(codes, offsets, found, masks, carries, last, before):
    for row in range(len(found)):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        one, two = codes[begin:middle], codes[middle:end]
        longer = max(middle - begin, end - middle)
        if longer:
            found[row, 0] = measure_common_run(one, two, last, before) / longer
            found[row, 1] = measure_common_subsequence(one, two, masks, carries) / longer


@inlined
def _list_runs(one, two, least, last, before, heads, runs):
    """List the common runs of at least ``least`` tokens that cannot be extended, as lists of runs of one length each.

    Run r begins at ``divmod(runs[START, r], len(two))``. The first run of a length is ``heads[length]``, the one after
    r is ``runs[NEXT, r]``, and -1 ends a list. Return the number of runs; those that have no room are counted only.
    Only equal tokens are compared: ``last`` has a -1 for each token of the vocabulary, before and after, and ``before``
    is scratch space for the places of ``two``.
    """
    for length in range(min(len(one), len(two)) + 1):
        heads[length] = -1
    room = runs.shape[1]
    count = 0
    for j in range(len(two)):
        before[j] = last[two[j]]
        last[two[j]] = j
    for i in range(len(one)):
        j = last[one[i]]
        while j >= 0:
            if i == 0 or j == 0 or one[i - 1] != two[j - 1]:
                length = 1
                while i + length < len(one) and j + length < len(two) and one[i + length] == two[j + length]:
                    length += 1
                if length >= least:
                    if count < room:
                        runs[START, count] = i * len(two) + j
                        runs[NEXT, count] = heads[length]
                        heads[length] = count
                    count += 1
            j = before[j]
    for token in two:
        last[token] = -1
    return count


@inlined
def _sort(places):
    """Sort a few numbers in place (Shell, 1959; steps of Tokuda, about): NumPy's sort takes a second to be compiled."""
    step = len(places)
    while step > 1:
        step = max(step * 4 // 9, 1)
        for index in range(step, len(places)):
            place = places[index]
            at = index
            while at >= step and places[at - step] > place:
                places[at] = places[at - step]
                at -= step
            places[at] = place


def tile_pairs(ids: AnyArray, offsets: Ints, least: int) -> Floats:
    """Twice the tiled tokens over all tokens, and the tiles for each tiled token, of every pair.

    Greedy string tiling: in each round the longest common runs of free tokens become tiles, from left to right, first
    in the first side, then in the second, unless an earlier tile of the round has taken a token; until no run has
    ``least`` tokens. All runs are listed once. A run that has lost tokens to tiles is replaced by its free parts, which
    are shorter and wait for their round. A part costs a token or is part of a run that was listed, so the time is
    quadratic.
    """
    found, longest = np.ones((len(offsets) // 2, 2)), find_longest_pair(offsets)
    last = np.full(int(ids.max(initial=0)) + 1, -1, np.int64)
    scratch = np.empty(longest, np.int64), np.empty(longest + 1, np.int64), np.empty((2, longest), np.int64)
    _tile_pairs(ids.astype(np.uint64), offsets, max(least, 1), found, last, *scratch, np.empty((2, 64), np.int64))
    return found


@compiled
def _tile_pairs(ids, offsets, least, found, last, before, heads, upcoming, runs):
    for row in range(len(found)):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        one, two = ids[begin:middle], ids[middle:end]
        covered = tiles = 0
        while True:
            count = _list_runs(one, two, least, last, before, heads, runs)
            if count <= runs.shape[1]:
                break
            runs = np.empty((2, 2 * count), np.int64)
        for place in range(max(len(one), len(two))):  # the first taken place from each on
            upcoming[0, place], upcoming[1, place] = len(one), len(two)
        for length in range(min(len(one), len(two)) if count else 0, least - 1, -1):
            waiting = 0
            run = heads[length]
            while run >= 0:
                waiting += 1
                run = runs[NEXT, run]
            if waiting == 0:
                continue
            places = np.empty(waiting, np.int64)
            run = heads[length]
            for number in range(waiting):
                places[number] = runs[START, run]
                run = runs[NEXT, run]
            _sort(places)
            for place in places:
                i, j = place // len(two), place % len(two)
                at = 0
                while at < length:
                    free = min(min(upcoming[0, i + at] - i, upcoming[1, j + at] - j), length) - at
                    if free == length:
                        for side in range(2):
                            first = i if side == 0 else j
                            for taken in range(first, first + length):
                                upcoming[side, taken] = taken
                            taken = first - 1
                            while taken >= 0 and upcoming[side, taken] > taken:
                                upcoming[side, taken] = first
                                taken -= 1
                        covered += length
                        tiles += 1
                    elif free >= least:
                        if count == runs.shape[1]:
                            larger = np.empty((2, 2 * count), np.int64)
                            for run in range(count):
                                larger[START, run], larger[NEXT, run] = runs[START, run], runs[NEXT, run]
                            runs = larger
                        runs[START, count] = (i + at) * len(two) + j + at
                        runs[NEXT, count] = heads[free]
                        heads[free] = count
                        count += 1
                    at += max(free, 1)
        if end > begin:
            found[row, 0] = 2 * covered / (end - begin)
        found[row, 1] = tiles / covered if covered else 1.0


def compare_edits(ids: AnyArray, offsets: Ints) -> Floats:
    """1 − (tokens to insert, delete or replace) / (length of the longer side)."""
    found = np.ones(len(offsets) // 2)
    _compare_edits(ids.astype(np.uint64), offsets, found, np.empty(find_longest_pair(offsets) + 1, np.int64))
    return found


@compiled
def _compare_edits(ids, offsets, found, costs):
    for row in range(len(found)):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        one, two = ids[begin:middle], ids[middle:end]
        if begin == end:
            continue
        for j in range(len(two) + 1):
            costs[j] = j
        for i in range(len(one)):
            diagonal = costs[0]
            costs[0] = i + 1
            for j in range(len(two)):
                replaced = diagonal + (one[i] != two[j])
                diagonal = costs[j + 1]
                costs[j + 1] = min(replaced, min(diagonal, costs[j]) + 1)
        found[row] = 1 - costs[len(two)] / max(len(one), len(two))


def score_differences(
    ids: AnyArray, offsets: Ints, idf: Floats, content: AnyArray, number: AnyArray, capital: AnyArray
) -> Floats:
    """What is not shared: a column for each name of the group "differences"; ``capital`` marks positions."""
    found, vocabulary = np.zeros((len(offsets) // 2, 11)), len(idf)
    counts, name = np.zeros((2, vocabulary), np.int64), np.zeros(vocabulary, np.int64)
    _score_differences(ids.astype(np.uint64), offsets, idf, content, number, capital, found, counts, name)
    return found


@compiled
def _score_differences(ids, offsets, idf, content, number, capital, found, count, name):
    kinds = np.empty((2, 3), np.int64)  # numbers and names: of one side only (0, 1), and of both (2)
    for row in range(len(found)):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        for place in range(begin, end):
            count[1 if place >= middle else 0, ids[place]] += 1
            if capital[place] and content[ids[place]]:
                name[ids[place]] = 1
        kinds[:] = 0
        for token in ids[begin:end]:
            one, two = count[0, token], count[1, token]
            if one == 0 and two == 0:
                continue
            if one == 0 or two == 0:
                side = 0 if two == 0 else 1
                found[row, side] = max(found[row, side], idf[token])
                found[row, 2 + side] += idf[token] * max(one, two)
                found[row, 4 + side] += content[token]
            where = 2 if one > 0 and two > 0 else (0 if two == 0 else 1)
            kinds[0, where] += number[token]
            kinds[1, where] += name[token]
            count[0, token] = count[1, token] = name[token] = 0
        for column in range(2, 6):
            found[row, column] = math.log(1 + found[row, column])
        for kind in range(2):
            found[row, 6 + 2 * kind] = kinds[kind, 0] + kinds[kind, 1] == 0
            found[row, 7 + 2 * kind] = kinds[kind, 0] == 0 or kinds[kind, 1] == 0
        found[row, 10] = abs(math.log((1 + middle - begin) / (1 + end - middle)))
