"""What two sequences have in common, as runs, subsequences, n-grams and edits: compiled cores over whole corpora."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

import numpy as np

from rekern.core.array_core import find_longest
from rekern.core.compiling import compiled, uncounted
from rekern.similarity.overlap_core import (
    BLANK,
    count_ngrams,
    find_limit,
    make_ngram_table,
    measure_common_run,
    measure_common_subsequence,
)

START, NEXT = 0, 1  # of a common run: where it begins, and the next one of its length


@compiled
def compare_ngrams(ids, offsets, longest):
    """The cosines of the counts of n-grams of two sides, a column for each n; 0 if a side has none."""
    rows = (len(offsets) - 1) // 2
    cosines = np.zeros((rows, longest))
    tokens = 0
    for row in range(rows):
        tokens = max(tokens, offsets[2 * row + 2] - offsets[2 * row])
    slots, places, keys, counts = make_ngram_table(tokens)
    limit = find_limit(ids, len(ids))
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        for n in range(1, longest + 1):
            product = one = two = 0.0
            for gram in range(count_ngrams(ids, begin, middle, end, n, limit, slots, places, keys, counts)):
                product += counts[gram, 0] * counts[gram, 1]
                one += counts[gram, 0] ** 2
                two += counts[gram, 1] ** 2
            cosines[row, n - 1] = product / math.sqrt(one * two) if one > 0 and two > 0 else 0.0
    return cosines


@compiled
def spell_texts(ids, offsets, letters, begins, stops):
    """The characters of texts, with a blank between two tokens, and where each text begins.

    The characters of a token are ``letters[begins[token]:stops[token]]``.
    """
    ends = np.zeros(len(offsets), np.int64)
    for text in range(len(offsets) - 1):
        length = max(offsets[text + 1] - offsets[text] - 1, 0)
        for place in range(offsets[text], offsets[text + 1]):
            length += stops[ids[place]] - begins[ids[place]]
        ends[text + 1] = ends[text] + length
    spelled = np.full(ends[-1], BLANK, np.int64)
    for text in range(len(offsets) - 1):
        at = ends[text]
        for place in range(offsets[text], offsets[text + 1]):
            for letter in range(begins[ids[place]], stops[ids[place]]):
                spelled[at] = letters[letter]
                at += 1
            at += 1
    return spelled, ends


@compiled
def measure_common_parts(ids, offsets, vocabulary):
    """The lengths of the longest common run and of the longest common subsequence, over the longer side's length."""
    rows = (len(offsets) - 1) // 2
    found = np.ones((rows, 2))
    masks = np.zeros(vocabulary, np.uint64)
    last, before = np.full(vocabulary, -1, np.int64), np.empty(find_longest(offsets), np.int64)
    carries = np.empty(len(ids), np.uint8)
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        one, two = ids[begin:middle], ids[middle:end]
        longer = max(len(one), len(two))
        if longer:
            found[row, 0] = measure_common_run(one, two, last, before) / longer
            found[row, 1] = measure_common_subsequence(one, two, masks, carries) / longer
    return found


@uncounted
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


@uncounted
def _take(upcoming, side, begin, end):
    """Mark the tokens from ``begin`` to ``end`` as taken: ``upcoming[side, p]`` is the first taken place from p on."""
    for place in range(begin, end):
        upcoming[side, place] = place
    place = begin - 1
    while place >= 0 and upcoming[side, place] > place:
        upcoming[side, place] = begin
        place -= 1


@compiled
def make_tiling_scratch(longest):
    """Return scratch space for two sides of at most this length: see `_list_runs` and `_tile`."""
    return (
        np.empty(longest, np.int64),
        np.empty(longest + 1, np.int64),
        np.empty((2, 64), np.int64),
        np.empty((2, longest), np.int64),
    )


@compiled
def _tile(one, two, least, last, before, heads, runs, upcoming):
    """Greedy string tiling: how many tokens of either side lie in tiles, and the number of tiles.

    In each round the longest common runs of free tokens become tiles, from left to right, first in the first side,
    then in the second, unless an earlier tile of the round has taken a token; until no run has ``least`` tokens.
    All runs are listed once. A run that has lost tokens to tiles is replaced by its free parts, which are shorter and
    wait for their round. A part costs a token or is part of a run that was listed, so the time is quadratic.
    Also return ``runs``, which may have been enlarged.
    """
    covered = tiles = 0
    least = max(least, 1)
    count = _list_runs(one, two, least, last, before, heads, runs)
    while count > runs.shape[1]:
        runs = np.empty((2, 2 * count), np.int64)
        count = _list_runs(one, two, least, last, before, heads, runs)
    if count == 0:
        return 0, 0, runs
    for side, size in ((0, len(one)), (1, len(two))):
        for place in range(size):
            upcoming[side, place] = size
    for length in range(min(len(one), len(two)), least - 1, -1):
        waiting = 0
        run = heads[length]
        while run >= 0:
            waiting += 1
            run = runs[NEXT, run]
        if not waiting:
            continue
        places = np.empty(waiting, np.int64)
        run = heads[length]
        for number in range(waiting):
            places[number] = runs[START, run]
            run = runs[NEXT, run]
        places.sort()
        for place in places:
            i, j = place // len(two), place % len(two)
            at = 0
            while at < length:
                free = min(upcoming[0, i + at] - i, upcoming[1, j + at] - j, length) - at
                if free == length:
                    _take(upcoming, 0, i, i + length)
                    _take(upcoming, 1, j, j + length)
                    covered += length
                    tiles += 1
                elif free >= least:
                    if count == runs.shape[1]:
                        runs = np.concatenate((runs, runs), axis=1)
                    runs[START, count] = (i + at) * len(two) + j + at
                    runs[NEXT, count] = heads[free]
                    heads[free] = count
                    count += 1
                at += max(free, 1)
    return covered, tiles, runs


@compiled
def tile_pairs(ids, offsets, least):
    """Twice the tiled tokens over all tokens, and the tiles for each tiled token, of every pair."""
    rows = (len(offsets) - 1) // 2
    found = np.ones((rows, 2))
    largest = -1
    for token in ids:  # without ids.max(): to load that, Numba imports SciPy
        largest = max(largest, np.int64(token))
    last = np.full(largest + 1, -1, np.int64)
    before, heads, runs, upcoming = make_tiling_scratch(find_longest(offsets))
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        one, two = ids[begin:middle], ids[middle:end]
        covered, tiles, runs = _tile(one, two, least, last, before, heads, runs, upcoming)
        if end > begin:
            found[row, 0] = 2 * covered / (end - begin)
        found[row, 1] = tiles / covered if covered else 1.0
    return found


@compiled
def compare_edits(ids, offsets):
    """1 − (tokens to insert, delete or replace) / (length of the longer side)."""
    rows = (len(offsets) - 1) // 2
    found = np.ones(rows)
    costs = np.empty(find_longest(offsets) + 1, np.int64)
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        one, two = ids[begin:middle], ids[middle:end]
        if len(one) == 0 and len(two) == 0:
            continue
        for j in range(len(two) + 1):
            costs[j] = j
        for i in range(len(one)):
            diagonal = costs[0]
            costs[0] = i + 1
            for j in range(len(two)):
                replaced = diagonal + (one[i] != two[j])
                diagonal = costs[j + 1]
                costs[j + 1] = min(replaced, diagonal + 1, costs[j] + 1)
        found[row] = 1 - costs[len(two)] / max(len(one), len(two))
    return found


@compiled
def score_differences(ids, offsets, idf, content, number, capital):
    """What is not shared: a column for each name of the group "differences"; ``capital`` marks positions."""
    rows = (len(offsets) - 1) // 2
    vocabulary = len(idf)
    found = np.zeros((rows, 11))
    count = np.zeros((2, vocabulary), np.int64)
    name = np.zeros(vocabulary, np.int64)
    kinds = np.empty((2, 3), np.int64)  # numbers and names: of one side only (0, 1), and of both (2)
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        tokens = ids[begin:end]
        for place in range(begin, end):
            count[1 if place >= middle else 0, ids[place]] += 1
            if capital[place] and content[ids[place]]:
                name[ids[place]] = 1
        kinds[:] = 0
        for token in tokens:
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
    return found
