"""The basic scores of `Similarities`: what two token sequences have in common, in compiled code.

Every function sets the scratch arrays that it is given (``count``, ``masks``, ``known``) back to zero. A corpus needs
one set of them, and the values of a pair do not depend on the pairs around it.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

import numpy as np

from rekern.core.compiling import compiled, uncounted
from rekern.core.hashing import mix, size_table

BLANK = 32  # the code of the character between two tokens
BITS = 64  # of one word of a bit vector
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # times a key: its first bits are those of a slot


@compiled
def _divide(part, whole, empty):
    return part / whole if whole > 0 else empty


@uncounted
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


@uncounted
def _cover_kinds(tokens, others, weights, count, score, side):
    """Store the shares of `_cover` for all four kinds of weights; the tokens that are covered are always the same."""
    for token in others:
        count[token] += 1
    part = idf_part = content_part = number_part = 0.0
    whole = idf = content = number = 0.0
    for token in tokens:
        idf += weights[1, token]
        content += weights[2, token]
        number += weights[3, token]
        whole += weights[0, token]
        if count[token] > 0:
            count[token] -= 1
            part += weights[0, token]
            idf_part += weights[1, token]
            content_part += weights[2, token]
            number_part += weights[3, token]
    for token in others:
        count[token] = 0
    score[side] = _divide(part, whole, 1.0)
    score[2 + side] = _divide(idf_part, idf, 1.0)
    score[8 + side] = _divide(content_part, content, 1.0)
    score[12 + side] = _divide(number_part, number, 1.0)


@uncounted
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


@uncounted
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


@uncounted
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


@uncounted
def measure_common_subsequence(source, target, masks, carries):
    """The length of the longest common subsequence (Hyyrö, 2004), 64 cells of the table at a time.

    A zero bit of ``row`` is a place of the target where the length grows. The table is worked off in strips of 64
    columns; the addition's carry into the next strip is kept for each row, so memory is linear. ``carries`` is scratch
    space for the places of the source.
    """
    for index in range(len(source)):
        carries[index] = 0
    one = np.uint64(1)
    length = 0
    for begin in range(0, len(target), BITS):
        size = min(len(target) - begin, BITS)
        for place in range(size):
            masks[target[begin + place]] |= one << np.uint64(place)
        row = ~np.uint64(0)
        for index in range(len(source)):
            mask = masks[source[index]]
            half = row + (row & mask)
            total = half + np.uint64(carries[index])
            carries[index] = (half < row) | (total < half)
            row = total | (row & ~mask)
        for place in range(size):
            masks[target[begin + place]] = 0
            length += 1 - np.int64((row >> np.uint64(place)) & one)
    return length


@uncounted
def measure_common_run(source, target, last, before):
    """The length of the longest run of tokens that both have.

    A run between two places of the source that are looked at is no longer than the longest one so far. ``last`` has a
    -1 for each token of the vocabulary, before and after; ``before`` is scratch space for the places of the target.
    """
    for place in range(len(target)):
        before[place] = last[target[place]]
        last[target[place]] = place
    longest = 0
    at = 0
    while at < len(source):
        place = last[source[at]]
        while place >= 0:
            first = 0
            while first < min(at, place) and source[at - first - 1] == target[place - first - 1]:
                first += 1
            size = 1
            room = min(len(source) - at, len(target) - place)
            while size < room and source[at + size] == target[place + size]:
                size += 1
            longest = max(longest, first + size)
            place = before[place]
        at += longest + 1
    for token in target:
        last[token] = -1
    return longest


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
def make_ngram_table(n):
    """Return scratch space for counting ``n`` n-grams: see `count_ngrams`."""
    return (
        np.empty(1 << size_table(n), np.int32),
        np.empty(n, np.int64),
        np.empty(n, np.uint64),
        np.empty((n, 2), np.int64),
    )


@uncounted
def measure_code(n, limit):
    """Return how many bits a code has in the key of an n-gram, and whether all codes below the limit fit in."""
    width = min(64 // n, 32)
    return np.uint64(width), limit <= 1 << width


@uncounted
def hash_codes(codes, place, n):
    """Return the key of an n-gram whose codes do not fit into one number: others may have it too."""
    key = np.uint64(0)
    for step in range(n):
        key = (key + np.uint64(codes[place + step])) * SPREAD
    return key


@uncounted
def find_ngram(codes, place, n, key, is_short, slots, last, shift, places, keys):
    """Return the number of the n-gram at a place, -1 if the table does not have it, and its slot."""
    slot = (key * SPREAD) >> shift
    number = np.int64(slots[slot])
    while number >= 0:
        if keys[np.uint64(number)] == key:
            if is_short:
                break
            step = 0
            while step < n and codes[places[number] + step] == codes[place + step]:
                step += 1
            if step == n:
                break
        slot = (slot + np.uint64(1)) & last
        number = np.int64(slots[slot])
    return number, slot


@uncounted
def count_ngrams(codes, begin, middle, end, n, limit, slots, places, keys, counts):
    """Count the n-grams of two texts, ``codes[begin:middle]`` and ``codes[middle:end]``; return how many are distinct.

    ``counts`` gets how often each text has each. No two n-grams are ever confused: if all codes are below a ``limit``
    that is small enough, the codes of an n-gram are the bits of one number, otherwise they are compared one by one.
    """
    bits = size_table(max(middle - begin - n + 1, 0) + max(end - middle - n + 1, 0))
    last, shift = np.uint64((1 << bits) - 1), np.uint64(64 - bits)
    for slot in range(1 << bits):
        slots[slot] = -1
    width, is_short = measure_code(n, limit)
    mask = ~np.uint64(0) >> np.uint64(64 - n * np.int64(width))
    size = 0
    for side in range(2):
        first, stop = (begin, middle) if side == 0 else (middle, end)
        key = np.uint64(0)
        for step in range(min(n - 1, stop - first)):
            key = (key << width) | np.uint64(codes[first + step])
        for place in range(first, stop - n + 1):
            if is_short:
                key = ((key << width) | np.uint64(codes[place + n - 1])) & mask
            else:
                key = hash_codes(codes, place, n)
            number, slot = find_ngram(codes, place, n, key, is_short, slots, last, shift, places, keys)
            if number < 0:
                number = size
                slots[slot] = number
                places[number] = place
                keys[number] = key
                counts[number, 0] = counts[number, 1] = 0
                size += 1
            counts[number, side] += 1
    return size


@uncounted
def find_limit(codes, size):
    """Return a number above each of the first codes."""
    limit = np.int64(0)
    for index in range(size):
        limit = max(limit, np.int64(codes[index]))
    return limit + 1


@uncounted
def _count_shared(codes, begin, middle, end, n, limit, slots, places, keys, counts):
    """How many n-grams two texts share, repeated ones as often as both have them.

    The n-grams of the first text are counted as in `count_ngrams`; each of the second takes one away.
    """
    count_ngrams(codes, begin, middle, middle, n, limit, slots, places, keys, counts)
    bits = size_table(max(middle - begin - n + 1, 0))
    last, shift = np.uint64((1 << bits) - 1), np.uint64(64 - bits)
    width, is_short = measure_code(n, limit)
    mask = ~np.uint64(0) >> np.uint64(64 - n * np.int64(width))
    key = np.uint64(0)
    for step in range(min(n - 1, end - middle)):
        key = (key << width) | np.uint64(codes[middle + step])
    shared = 0
    for place in range(middle, end - n + 1):
        if is_short:
            key = ((key << width) | np.uint64(codes[place + n - 1])) & mask
        else:
            key = hash_codes(codes, place, n)
        number, _ = find_ngram(codes, place, n, key, is_short, slots, last, shift, places, keys)
        if number >= 0 and counts[number, 0] > 0:
            counts[number, 0] -= 1
            shared += 1
    return shared


@uncounted
def _measure_spelling(ids, begin, end, begins, stops):
    """The number of characters of the tokens, with a blank between any two."""
    length = max(end - begin - 1, 0)
    for place in range(begin, end):
        length += stops[ids[place]] - begins[ids[place]]
    return length


@uncounted
def _spell(ids, begin, end, codes, begins, stops, spelled, at):
    """Write the characters of the tokens, with a blank between any two, from ``at`` on; return where they end."""
    for place in range(begin, end):
        if place > begin:
            spelled[at] = BLANK
            at += 1
        for letter in range(begins[ids[place]], stops[ids[place]]):
            spelled[at] = codes[letter]
            at += 1
    return at


@uncounted
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
    longest = characters = 0
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        longest = max(longest, end - begin)
        letters = _measure_spelling(ids, begin, middle, begins, stops)
        characters = max(characters, letters + _measure_spelling(ids, middle, end, begins, stops))
    last, before = np.full(vocabulary, -1, np.int64), np.empty(longest, np.int64)
    carries = np.empty(longest, np.uint8)
    spelled = np.empty(characters, np.uint32)
    slots, places, keys, counts = make_ngram_table(max(longest, characters))
    idf = weights[1]
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        s, t = ids[begin:middle], ids[middle:end]
        score = scores[row]
        _cover_kinds(s, t, weights, count, score, 0)
        _cover_kinds(t, s, weights, count, score, 1)
        for n, column in ((2, 4), (3, 6)):
            shared = _count_shared(ids, begin, middle, end, n, vocabulary, slots, places, keys, counts)
            score[column] = _divide(shared, max(len(s) - n + 1, 0), 0.0)
            score[column + 1] = _divide(shared, max(len(t) - n + 1, 0), 0.0)

        score[10] = _find_share(s, capital[begin:middle], t, count)
        score[11] = _find_share(t, capital[middle:end], s, count)

        length = measure_common_subsequence(s, t, masks, carries)
        score[14], score[15] = _divide(length, len(s), 1.0), _divide(length, len(t), 1.0)
        length = measure_common_run(s, t, last, before)
        score[16], score[17] = _divide(length, len(s), 1.0), _divide(length, len(t), 1.0)

        border = _spell(ids, begin, middle, codes, begins, stops, spelled, 0)
        written = _spell(ids, middle, end, codes, begins, stops, spelled, border)
        limit = find_limit(spelled, written)
        shared = _count_shared(spelled, 0, border, written, 4, limit, slots, places, keys, counts)
        score[18] = _divide(shared, max(border - 3, 0), 1.0)
        score[19] = _divide(shared, max(written - border - 3, 0), 1.0)

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
