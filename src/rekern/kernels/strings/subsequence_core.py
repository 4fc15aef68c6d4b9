"""The compiled core of the subsequence kernel.

Sums run over matches, the places where both texts have the same token, and not over all cells, because two sentences
share few tokens. For texts that repeat their tokens, Lodhi's recursion over all cells takes over. For two texts of
n tokens it takes max_length · n² steps, or n² if all lengths count, and memory for max_length · n numbers.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.compiling import compiled

MOST_LEVELS = 64  # lengths that are summed one by one if all lengths count


@compiled
def _extend_over_matches(places, places2, count, powers, ends, carried):
    """Extend the subsequences that end in each match by one token.

    A step to a later match costs a power of the decay for the tokens that it skips in both texts. Matches are sorted
    by their place in the first text. The new weights are stored in ``carried``; return their sum.
    """
    found = 0.0
    for match in range(count):
        row, column = places[match], places2[match]
        weight = 0.0
        for before in range(match):
            if places2[before] < column and places[before] < row:
                weight += ends[before] * powers[row - places[before] + column - places2[before] - 2]
        carried[match] = weight
        found += weight
    return found


@compiled
def _sum_over_cells(text, text2, levels, decay, sums):
    """Store the sums over common subsequences of each length, by Lodhi's recursion over all cells.

    ``above[n, c]`` is the sum over the subsequences of n + 1 tokens that end in rows above and in columns before c,
    reduced for the tokens that they skip. Long subsequences are extended first, by shorter ones of the rows above.
    """
    above = np.zeros((levels, len(text) + 1))
    sums[:levels] = 0.0
    for row in range(len(text2)):
        for level in range(levels - 1, -1, -1):
            left = 0.0
            for column in range(len(text)):
                left *= decay
                if text[column] == text2[row]:
                    end = above[level - 1, column] if level else 1.0
                    sums[level] += end
                    left += end
                above[level, column + 1] = decay * above[level, column + 1] + left


@compiled
def _sum_all_lengths(text, text2, decay, factor):
    """Return the sum over common subsequences of any length, each token weighted by ``factor``."""
    above = np.zeros(len(text) + 1)
    total = 0.0
    for row in range(len(text2)):
        left = 0.0
        for column in range(len(text)):
            before = above[column]
            if column:
                above[column] = decay * above[column] + left
            left *= decay
            if text[column] == text2[row]:
                end = factor * (1.0 + before)
                total += end
                left += end
        above[len(text)] = decay * above[len(text)] + left
    return total


@compiled
def _sum_over_matches(places, places2, count, levels, powers, factor, ends, carried):
    """Return the sum over common subsequences of up to ``levels`` tokens, from the list of matches."""
    total, weight = factor * count, factor
    ends[:count] = 1.0
    for _ in range(1, levels):
        found = _extend_over_matches(places, places2, count, powers, ends, carried)
        if found == 0.0:
            break
        weight *= factor
        total += weight * found
        ends, carried = carried, ends
    return total


@compiled
def sum_subsequences(block, first, offset, symmetric, ids, offsets, ids2, offsets2, vocabulary, length, decay, factor):
    """Compute a block of the Gram: Σ over lengths n of factor^n · (sum over common subsequences of n tokens)."""
    sizes, sizes2 = np.diff(offsets), np.diff(offsets2)
    longest = max(sizes.max() if len(sizes) else 0, sizes2.max() if len(sizes2) else 0)
    powers = decay ** np.arange(2 * longest + 1)
    head = np.full(vocabulary, -1, np.int64)
    copies = np.zeros(vocabulary, np.int64)
    after = np.empty(longest, np.int64)
    places, places2 = np.empty(2 * longest, np.int64), np.empty(2 * longest, np.int64)
    ends, carried = np.empty(2 * longest), np.empty(2 * longest)
    sums = np.empty(min(length, longest) + 1)
    for index in range(block.shape[0]):
        text = ids[offsets[first + index] : offsets[first + index + 1]]
        for place in range(len(text) - 1, -1, -1):
            after[place] = head[text[place]]
            head[text[place]] = place
            copies[text[place]] += 1
        for column in range(index if symmetric else 0, block.shape[1]):
            text2 = ids2[offsets2[offset + column] : offsets2[offset + column + 1]]
            count = 0
            for token in text2:
                count += copies[token]
            levels = min(length, len(text), len(text2))
            if count * count <= 4 * len(text) * len(text2):
                match = 0
                for row in range(len(text2)):
                    place = head[text2[row]]
                    while place >= 0:
                        places[match] = row
                        places2[match] = place
                        match += 1
                        place = after[place]
                block[index, column] = _sum_over_matches(places, places2, count, levels, powers, factor, ends, carried)
            elif levels > MOST_LEVELS and length >= min(len(text), len(text2)):
                block[index, column] = _sum_all_lengths(text, text2, decay, factor)
            else:
                _sum_over_cells(text, text2, levels, decay, sums)
                total, weight = 0.0, 1.0
                for level in range(levels):
                    weight *= factor
                    total += weight * sums[level]
                block[index, column] = total
        for token in text:
            head[token] = -1
            copies[token] = 0


@compiled
def sum_own_subsequences(ids, offsets, vocabulary, length, decay, factor):
    """Compute K(x, x) for every text."""
    sums = np.empty(len(offsets) - 1)
    cell = np.empty((1, 1))
    numbers = np.empty(vocabulary, np.int32)  # of the tokens of one text
    known = np.full(vocabulary, -1, np.int64)  # the last text that has each token
    for text in range(len(sums)):
        own = ids[offsets[text] : offsets[text + 1]].copy()
        distinct = 0
        for place in range(len(own)):
            if known[own[place]] != text:
                known[own[place]] = text
                numbers[own[place]] = distinct
                distinct += 1
            own[place] = numbers[own[place]]
        ends = np.array([0, len(own)], offsets.dtype)
        sum_subsequences(cell, 0, 0, False, own, ends, own, ends, distinct, length, decay, factor)
        sums[text] = cell[0, 0]
    return sums
