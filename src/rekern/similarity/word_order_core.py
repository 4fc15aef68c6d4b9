"""The order of the words that two sides share: the core of the group "order"."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import math

import numpy as np

from rekern.core.compiling import compiled

COLUMNS = 14
REACH = 4  # how far apart the words of a pair with a gap may be
LONGEST = 4  # n-grams of BLEU


@compiled
def score_order(ids, offsets, content, capital):
    """Return a column for each name of the group "order"; ``content`` is by word, ``capital`` by place."""
    rows = (len(offsets) - 1) // 2
    found = np.zeros((rows, COLUMNS))
    last = np.full(len(content), -1, np.int64)
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        one, two = ids[begin:middle], ids[middle:end]
        partner = _pair_occurrences(one, two, last)
        is_content, is_name = np.zeros(len(one), np.bool_), np.zeros(len(one), np.bool_)
        matched, chunks, previous, shift, farthest = 0, 0, -2, 0.0, 0.0
        for i in range(len(one)):
            j = partner[i]
            if j < 0:
                previous = -2
                continue
            is_content[i] = content[one[i]]
            is_name[i] = content[one[i]] and (capital[begin + i] or capital[middle + j])
            matched += 1
            chunks += j != previous + 1 or previous < 0
            previous = j
            moved = abs((i + 0.5) / len(one) - (j + 0.5) / len(two))
            shift += moved
            farthest = max(farthest, moved)
        found[row, 0] = _count_reversals(partner, partner >= 0)
        found[row, 1] = _count_reversals(partner, is_content)
        found[row, 2] = _count_reversals(partner, is_name)
        found[row, 3] = chunks / matched if matched else 0.0
        found[row, 4] = shift / matched if matched else 0.0
        found[row, 5] = farthest
        found[row, 6], found[row, 7] = _share_skips(one, two, len(content))
        left, right = one[content[one]], two[content[two]]
        found[row, 8], found[row, 9] = _share_grams(left, right, 2)
        found[row, 10], found[row, 11] = _compute_bleu(one, two)
        found[row, 12] = len(one) > 0 and len(two) > 0 and one[0] == two[0]
        found[row, 13] = len(left) > 0 and len(right) > 0 and left[-1] == right[-1]
    return found


@compiled
def _pair_occurrences(one, two, last):
    """The place in ``two`` of the same occurrence of each word of ``one``: the first with the first, and so on."""
    after = np.full(len(two), -1, np.int64)  # the next place of the same word
    for j in range(len(two) - 1, -1, -1):
        after[j] = last[two[j]]
        last[two[j]] = j
    partner = np.full(len(one), -1, np.int64)
    for i in range(len(one)):
        place = last[one[i]]
        if place >= 0:
            partner[i] = place
            last[one[i]] = after[place]
    for word in two:
        last[word] = -1
    return partner


@compiled
def _count_reversals(partner, chosen):
    """The share of the pairs of chosen words that are in reversed order."""
    places = partner[chosen]
    reversals = 0
    for i in range(len(places)):
        for k in range(i + 1, len(places)):
            reversals += places[k] < places[i]
    return 2.0 * reversals / (len(places) * (len(places) - 1)) if len(places) > 1 else 0.0


@compiled
def _count_common(one, two):
    """The number of elements that two arrays have in common, each as often as both have it."""
    one, two = np.sort(one), np.sort(two)
    i = j = common = 0
    while i < len(one) and j < len(two):
        if one[i] == two[j]:
            common += 1
            i += 1
            j += 1
        elif one[i] < two[j]:
            i += 1
        else:
            j += 1
    return common


@compiled
def _list_skips(words, size):
    """Codes of all pairs of words in order that are at most ``REACH`` apart."""
    codes = np.empty(len(words) * REACH, np.int64)
    number = 0
    for i in range(len(words)):
        for k in range(i + 1, min(i + REACH + 1, len(words))):
            codes[number] = np.int64(words[i]) * size + words[k]
            number += 1
    return codes[:number]


@compiled
def _share_skips(one, two, size):
    codes, codes2 = _list_skips(one, size), _list_skips(two, size)
    common = _count_common(codes, codes2)
    return (common / len(codes) if len(codes) else 0.0), (common / len(codes2) if len(codes2) else 0.0)


@compiled
def _number_grams(one, two, length):
    """Numbers of the n-grams of both sides, equal ones for equal n-grams only."""
    width = len(one) + len(two)
    words = _renumber(np.concatenate((one, two)).astype(np.int64))
    left, right = words[: len(one)], words[len(one) :]
    grams, grams2 = left, right
    for size in range(1, length):
        cut, cut2 = max(len(one) - size, 0), max(len(two) - size, 0)
        codes = np.empty(cut + cut2, np.int64)
        for place in range(cut):
            codes[place] = grams[place] * width + left[place + size]
        for place in range(cut2):
            codes[cut + place] = grams2[place] * width + right[place + size]
        codes = _renumber(codes)
        grams, grams2 = codes[:cut], codes[cut:]
    return grams, grams2


@compiled
def _renumber(codes):
    """Equal numbers for equal codes, all below their number."""
    return np.searchsorted(np.unique(codes), codes)


@compiled
def _share_grams(one, two, length):
    left, right = _number_grams(one, two, length)
    common = _count_common(left, right)
    return (common / len(left) if len(left) else 0.0), (common / len(right) if len(right) else 0.0)


@compiled
def _compute_bleu(one, two):
    """BLEU of the source with the target as reference, and the reverse; counts from bigrams on are one higher."""
    if len(one) == 0 or len(two) == 0:
        return (0.0, 0.0) if len(one) + len(two) else (1.0, 1.0)
    total = total2 = 0.0
    for length in range(1, LONGEST + 1):
        left, right = _number_grams(one, two, length)
        common = _count_common(left, right)
        if length == 1 and common == 0:
            return 0.0, 0.0
        more = 1.0 if length > 1 else 0.0
        total += math.log((common + more) / (len(left) + more))
        total2 += math.log((common + more) / (len(right) + more))
    brevity = min(1.0 - len(two) / len(one), 0.0)
    brevity2 = min(1.0 - len(one) / len(two), 0.0)
    return math.exp(total / LONGEST + brevity), math.exp(total2 / LONGEST + brevity2)
