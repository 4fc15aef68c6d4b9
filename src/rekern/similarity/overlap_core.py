"""The basic scores of `Similarities`: what two token sequences have in common, in compiled code.

Every function sets the scratch arrays that it is given (``count``, ``masks``, ``known``) back to zero. A corpus needs
one set of them, and the values of a pair do not depend on the pairs around it. Numbers of tokens and codes of
characters have one type everywhere, and a function with one caller is compiled into it: all are compiled once.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

import numpy as np

from rekern.core.arrays import AnyArray, Booleans, Floats, Ints, Keys, offsets_of
from rekern.core.compiling import compiled, inlined
from rekern.core.hashing import mix, size_table

LETTERS = 4  # of an n-gram of characters
BLANK = 32  # the code of the character between two tokens
BITS = 64  # of one word of a bit vector
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # times a key: its first bits are those of a slot


@compiled
def _divide(part, whole, empty):
    return part / whole if whole > 0.0 else empty


@inlined
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


@inlined
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


@inlined
def _find_share(tokens, chosen, others, count):
    """The share of the chosen ones among ``tokens`` that occur in ``others`` at all."""
    for token in others:
        count[token] = 1
    part = whole = 0.0
    for index in range(len(tokens)):
        if chosen[index]:
            whole += 1.0
            part += count[tokens[index]]
    for token in others:
        count[token] = 0
    return _divide(part, whole, 1.0)


@inlined
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


@inlined
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


@compiled
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


def spell_texts(ids: Keys, offsets: Ints, letters: AnyArray, begins: Ints, stops: Ints) -> tuple[Keys, Ints]:
    """The characters of texts, with a blank between two tokens, and where each text begins.

    The characters of a token are ``letters[begins[token]:stops[token]]``.

    >>> letters = np.array([97, 98, 99], np.uint32)
    >>> spell_texts(np.array([0, 1, 1], np.uint64), np.array([0, 2, 3]), letters, np.array([0, 2]), np.array([2, 3]))
    (array([97, 98, 32, 99, 99], dtype=uint64), array([0, 4, 5]))
    """
    with_blanks = offsets_of((stops - begins + 1)[ids])[offsets]
    starts = offsets_of(np.maximum(np.diff(with_blanks) - 1, 0))
    spelled = np.full(starts[-1], BLANK, np.uint64)
    _spell(ids, offsets, letters, begins, stops, starts, spelled)
    return spelled, starts


@compiled
def _spell(ids, offsets, letters, begins, stops, starts, spelled):
    for text in range(len(starts) - 1):
        at = starts[text]
        for token in ids[offsets[text] : offsets[text + 1]]:
            for letter in range(begins[token], stops[token]):
                spelled[at] = letters[letter]
                at += 1
            at += 1


@compiled
def number_codes(keys):
    """Put the number of each distinct key in its place; returns how many there are."""
    bits = size_table(len(keys))
    slots = np.full(1 << bits, -1, np.int32)
    distinct = np.empty(len(keys), np.uint64)
    last = (1 << bits) - 1
    shift = np.uint64(64 - bits)
    size = 0
    for index in range(len(keys)):
        key = keys[index]
        slot = np.int64(mix(key) >> shift)
        while slots[slot] >= 0 and distinct[slots[slot]] != key:
            slot = (slot + 1) & last
        if slots[slot] < 0:
            slots[slot] = size
            distinct[size] = key
            size += 1
        keys[index] = slots[slot]
    return size


def make_ngram_table(n: int) -> tuple[AnyArray, Ints, Keys, AnyArray]:
    """Return scratch space for counting ``n`` n-grams: see `count_ngrams`."""
    slots = np.empty(1 << int(size_table(n)), np.int32)
    return slots, np.empty(n, np.int64), np.empty(n, np.uint64), np.empty((n, 2), np.int64)


@compiled
def count_ngrams(codes, begin, middle, end, n, limit, slots, places, keys, counts):
    """Count the n-grams of two texts, ``codes[begin:middle]`` and ``codes[middle:end]``; return how many are distinct.

    ``counts`` gets how often each text has each. No two n-grams are ever confused: if all codes are below a ``limit``
    that is small enough, the codes of an n-gram are the bits of one number, otherwise they are compared one by one.
    """
    bits = size_table(max(middle - begin - n + 1, 0) + max(end - middle - n + 1, 0))
    last, shift = np.uint64((1 << bits) - 1), np.uint64(64 - bits)
    for slot in range(1 << bits):
        slots[slot] = -1
    width = min(64 // n, 32)
    is_short = limit <= 1 << width
    mask, step_width = ~np.uint64(0) >> np.uint64(64 - n * width), np.uint64(width)
    size = 0
    for side in range(2):
        first = begin if side == 0 else middle
        stop = middle if side == 0 else end
        key = np.uint64(0)
        for place in range(first, stop):
            key = ((key << step_width) | codes[place]) & mask
            start = place - n + 1
            if start < first:
                continue
            if not is_short:
                key = np.uint64(0)
                for step in range(n):
                    key = (key + codes[start + step]) * SPREAD
            slot = (key * SPREAD) >> shift
            number = np.int64(slots[slot])
            while number >= 0:
                if keys[number] == key:
                    step = n if is_short else 0
                    while step < n and codes[places[number] + step] == codes[start + step]:
                        step += 1
                    if step == n:
                        break
                slot = (slot + np.uint64(1)) & last
                number = np.int64(slots[slot])
            if number < 0:
                number = size
                slots[slot] = number
                places[number] = start
                keys[number] = key
                counts[number, 0] = counts[number, 1] = 0
                size += 1
            counts[number, side] += 1
    return size


@inlined
def _has_any(tokens, marked):
    for token in tokens:
        if marked[token]:
            return 1.0
    return 0.0


def score_pairs(
    ids: Keys, offsets: Ints, capital: Booleans, weights: Floats, prefix: Ints, negation: Booleans, spelled: Keys,
    starts: Ints,
) -> Floats:  # fmt: skip
    """All scores of all pairs, a row for each pair.

    ``capital`` marks positions, all else is known of a token number: ``weights`` has a row of ones, of idf, of marks
    of content words and of numbers; ``prefix`` is -1 or numbers a token's beginning; ``negation`` marks.
    ``spelled[starts[text]:starts[text + 1]]`` are the characters of a text.
    """
    scores = np.empty((len(offsets) // 2, 28))
    vocabulary = len(prefix)
    longest = find_longest_pair(offsets)
    scratch = (
        np.zeros(vocabulary, np.int64),
        np.zeros(int(prefix.max(initial=0)) + 1, np.uint8),
        np.zeros(vocabulary, np.uint64),
        np.full(vocabulary, -1, np.int64),
        np.empty(longest, np.int64),
        np.empty(longest, np.uint8),
        *make_ngram_table(max(longest, find_longest_pair(starts))),
    )
    limit = int(spelled.max(initial=0)) + 1
    _score_pairs(ids, offsets, capital, weights, prefix, negation, spelled, starts, limit, scores, *scratch)
    return scores


def find_longest_pair(offsets: Ints) -> int:
    """Return how much the two texts of a pair have together at most, at least 1.

    >>> find_longest_pair(np.array([0, 1, 3, 3, 4]))
    3
    """
    begins = offsets[::2]
    return int((begins[1:] - begins[:-1]).max(initial=1))


@compiled
def _score_pairs(
    ids, offsets, capital, weights, prefix, negation, spelled, starts, limit, scores, count, known, masks, last, before,
    carries, slots, places, keys, counts,
):  # fmt: skip
    idf, vocabulary = weights[1], len(prefix)
    for row in range(len(scores)):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        score = scores[row]
        for side in range(2):
            begin1, end1 = (begin, middle) if side == 0 else (middle, end)
            begin2, end2 = (middle, end) if side == 0 else (begin, middle)
            one, two = ids[begin1:end1], ids[begin2:end2]
            _cover_kinds(one, two, weights, count, score, side)
            score[10 + side] = _find_share(one, capital[begin1:end1], two, count)
            score[20 + side] = math.log(1.0 + len(one)) / 5
            score[22 + side] = _share_beginnings(one, two, idf, prefix, count, known)
            score[25 + side] = _has_any(one, negation)
        for n in range(2, 5):  # of tokens, and in the end of characters
            codes, first, border, stop, above, empty = ids, begin, middle, end, vocabulary, 0.0
            if n == LETTERS:
                codes, first, border, stop = spelled, starts[2 * row], starts[2 * row + 1], starts[2 * row + 2]
                above, empty = limit, 1.0
            shared = 0
            for gram in range(count_ngrams(codes, first, border, stop, n, above, slots, places, keys, counts)):
                shared += min(counts[gram, 0], counts[gram, 1])
            column = 18 if n == LETTERS else 2 * n
            score[column] = _divide(float(shared), float(border - first - n + 1), empty)
            score[column + 1] = _divide(float(shared), float(stop - border - n + 1), empty)
        s, t = ids[begin:middle], ids[middle:end]
        length = float(measure_common_subsequence(s, t, masks, carries))
        score[14], score[15] = _divide(length, float(len(s)), 1.0), _divide(length, float(len(t)), 1.0)
        length = float(measure_common_run(s, t, last, before))
        score[16], score[17] = _divide(length, float(len(s)), 1.0), _divide(length, float(len(t)), 1.0)
        size = max(2 * len(t), 8)
        start = _find_window(s, t, size, idf, count)
        # Added up afresh: a sum that has slid along the source carries the rounding of every step.
        score[24] = _cover(t, s[start : start + size], idf, count)
        score[27] = abs(score[25] - score[26])
