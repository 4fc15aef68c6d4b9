"""The basic scores of `Similarities`: what two token sequences have in common, in compiled code.

Every function sets the scratch arrays that it is given (``count``, ``masks``, ``known``) back to zero. A corpus needs
one set of them, and the values of a pair do not depend on the pairs around it.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import mix, size_table

BLANK = 32  # the code of the character between two tokens
BITS = 64  # of one word of a bit vector


@compiled
def _divide(part, whole, empty):
    return part / whole if whole > 0 else empty


@compiled
def _cover(tokens, others, weight, count):
    """The share of the weight of ``tokens`` that ``others`` have too; each of the others serves once."""
    for token in others:
        count[token] += 1
    part = whole = 0.0
    for token in tokens:
        whole += weight[token]
        if count[token] > 0:
            count[token] -= 1
            part += weight[token]
    for token in others:
        count[token] = 0
    return _divide(part, whole, 1.0)


@compiled
def _find_share(tokens, chosen, others, count):
    """The share of the chosen ones among ``tokens`` that occur in ``others`` at all."""
    for token in others:
        count[token] = 1
    part = whole = 0
    for index in range(len(tokens)):
        if chosen[index]:
            whole += 1
            part += count[tokens[index]]
    for token in others:
        count[token] = 0
    return _divide(part, whole, 1.0)


@compiled
def _share_beginnings(tokens, others, weight, prefix, count, known):
    """The share of the weight of ``tokens`` that occur in ``others`` or begin like one of them."""
    for token in others:
        count[token] = 1
        if prefix[token] >= 0:
            known[prefix[token]] = 1
    part = whole = 0.0
    for token in tokens:
        whole += weight[token]
        if count[token] or (prefix[token] >= 0 and known[prefix[token]]):
            part += weight[token]
    for token in others:
        count[token] = 0
        if prefix[token] >= 0:
            known[prefix[token]] = 0
    return _divide(part, whole, 1.0)


@compiled
def _find_window(source, target, size, weight, count):
    """Where the window of ``size`` source tokens begins that covers most of the target's weight."""
    for token in target:
        count[token] += 1
    covered = best = 0.0
    start = 0
    for index in range(len(source)):
        # While it is positive, count says how many more of a token the target has than the window.
        entering = source[index]
        if count[entering] > 0:
            covered += weight[entering]
        count[entering] -= 1
        if index >= size:
            leaving = source[index - size]
            count[leaving] += 1
            if count[leaving] > 0:
                covered -= weight[leaving]
        if index >= size - 1 and covered > best:
            best = covered
            start = index - size + 1
    for token in source:
        count[token] = 0
    for token in target:
        count[token] = 0
    return start


@compiled
def measure_common_subsequence(source, target, masks):
    """The length of the longest common subsequence (Hyyrö, 2004), 64 cells of the table at a time.

    A zero bit of ``row`` is a place of the target where the length grows. The table is worked off in strips of 64
    columns; the addition's carry into the next strip is kept for each row, so memory is linear.
    """
    carries = np.zeros(len(source), np.uint8)
    one = np.uint64(1)
    length = 0
    for begin in range(0, len(target), BITS):
        strip = target[begin : begin + BITS]
        for place in range(len(strip)):
            masks[strip[place]] |= one << np.uint64(place)
        row = ~np.uint64(0)
        for index in range(len(source)):
            mask = masks[source[index]]
            half = row + (row & mask)
            total = half + np.uint64(carries[index])
            carries[index] = (half < row) | (total < half)
            row = total | (row & ~mask)
        for place in range(len(strip)):
            masks[strip[place]] = 0
            length += 1 - np.int64((row >> np.uint64(place)) & one)
    return length


@compiled
def measure_common_run(source, target):
    """The length of the longest run of tokens that both have."""
    # The lengths of the runs that end at a target token and at the source token before, or this one. There are two
    # arrays, so that the loop over the target runs over several tokens at a time.
    before, runs = np.zeros(len(target) + 1, np.int32), np.zeros(len(target) + 1, np.int32)
    longest = np.int32(0)
    for token in source:
        for place in range(len(target)):
            run = before[place] + np.int32(1) if target[place] == token else np.int32(0)
            runs[place + 1] = run
            longest = max(longest, run)
        before, runs = runs, before
    return np.int64(longest)


@compiled
def number_codes(keys):
    """Put the number of each distinct key in its place; returns how many there are."""
    bits = size_table(len(keys))
    slots = np.full(1 << bits, -1, np.int32)
    distinct = np.empty(len(keys), np.int64)
    last = (1 << bits) - 1
    shift = np.uint64(64 - bits)
    size = 0
    for index in range(len(keys)):
        key = keys[index]
        slot = np.int64(mix(np.uint64(key)) >> shift)
        while slots[slot] >= 0 and distinct[slots[slot]] != key:
            slot = (slot + 1) & last
        if slots[slot] < 0:
            slots[slot] = size
            distinct[size] = key
            size += 1
        keys[index] = slots[slot]
    return size


@compiled
def number_ngrams(heads, tails, shift):
    """Numbers for longer n-grams of two sides: what begins with a head and, ``shift`` places on, ends with a tail.

    Made of numbers of shorter n-grams, they are exact: no fingerprints, so no collisions.
    """
    sizes = [max(min(len(heads[side]), len(tails[side]) - shift), 0) for side in range(2)]
    keys = np.empty(sizes[0] + sizes[1], np.int64)
    at = 0
    for side in range(2):
        for place in range(sizes[side]):
            keys[at] = (np.int64(heads[side][place]) << 32) | np.int64(tails[side][place + shift])
            at += 1
    size = number_codes(keys)
    return (keys[: sizes[0]], keys[sizes[0] :]), size


@compiled
def _count_shared(grams, distinct):
    """How many n-grams the two sides share, repeated ones as often as both have them."""
    count = np.zeros(distinct, np.int64)
    for gram in grams[0]:
        count[gram] += 1
    shared = 0
    for gram in grams[1]:
        if count[gram] > 0:
            count[gram] -= 1
            shared += 1
    return shared


@compiled
def _spell(tokens, codes, begins, stops):
    """The characters of the tokens, with a blank between any two."""
    length = max(len(tokens) - 1, 0)
    for token in tokens:
        length += stops[token] - begins[token]
    spelled = np.full(length, BLANK, np.int64)
    at = 0
    for token in tokens:
        for place in range(begins[token], stops[token]):
            spelled[at] = codes[place]
            at += 1
        at += 1
    return spelled


@compiled
def _has_any(tokens, marked):
    for token in tokens:
        if marked[token]:
            return 1.0
    return 0.0


@compiled
def score_pairs(ids, offsets, capital, weights, prefix, negation, codes, begins, stops):
    """All scores of all pairs, a row for each pair.

    ``capital`` marks positions, all else is known of a token number: ``weights`` has a row of ones, of idf, of marks
    of content words and of numbers; ``prefix`` is -1 or numbers a token's beginning; ``negation`` marks;
    ``codes[begins[token]:stops[token]]`` are its characters.
    """
    rows = (len(offsets) - 1) // 2
    vocabulary = len(prefix)
    scores = np.empty((rows, 28))
    count = np.zeros(vocabulary, np.int64)
    beginnings = 0
    for number in prefix:
        beginnings = max(beginnings, number + 1)
    known = np.zeros(beginnings, np.uint8)
    masks = np.zeros(vocabulary, np.uint64)
    idf = weights[1]
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        s, t = ids[begin:middle], ids[middle:end]
        score = scores[row]
        for kind, column in ((0, 0), (1, 2), (2, 8), (3, 12)):
            score[column] = _cover(s, t, weights[kind], count)
            score[column + 1] = _cover(t, s, weights[kind], count)

        bigrams, distinct = number_ngrams((s, t), (s, t), 1)
        shared = _count_shared(bigrams, distinct)
        score[4], score[5] = _divide(shared, len(bigrams[0]), 0.0), _divide(shared, len(bigrams[1]), 0.0)
        trigrams, distinct = number_ngrams(bigrams, (s, t), 2)
        shared = _count_shared(trigrams, distinct)
        score[6], score[7] = _divide(shared, len(trigrams[0]), 0.0), _divide(shared, len(trigrams[1]), 0.0)

        score[10] = _find_share(s, capital[begin:middle], t, count)
        score[11] = _find_share(t, capital[middle:end], s, count)

        length = measure_common_subsequence(s, t, masks)
        score[14], score[15] = _divide(length, len(s), 1.0), _divide(length, len(t), 1.0)
        length = measure_common_run(s, t)
        score[16], score[17] = _divide(length, len(s), 1.0), _divide(length, len(t), 1.0)

        spelled = (_spell(s, codes, begins, stops), _spell(t, codes, begins, stops))
        twos, distinct = number_ngrams(spelled, spelled, 1)
        fours, distinct = number_ngrams(twos, twos, 2)
        shared = _count_shared(fours, distinct)
        score[18], score[19] = _divide(shared, len(fours[0]), 1.0), _divide(shared, len(fours[1]), 1.0)

        score[20], score[21] = math.log(1.0 + len(s)) / 5, math.log(1.0 + len(t)) / 5
        score[22] = _share_beginnings(s, t, idf, prefix, count, known)
        score[23] = _share_beginnings(t, s, idf, prefix, count, known)
        size = max(2 * len(t), 8)
        start = _find_window(s, t, size, idf, count)
        # Added up afresh: a sum that has slid along the source carries the rounding of every step.
        score[24] = _cover(t, s[start : start + size], idf, count)
        score[25], score[26] = _has_any(s, negation), _has_any(t, negation)
        score[27] = abs(score[25] - score[26])
    return scores
