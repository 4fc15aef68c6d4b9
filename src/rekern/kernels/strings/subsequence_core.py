"""The compiled core of the subsequence kernel.

Sums run over matches, the places where both texts have the same token, and not over all cells, because two sentences
share few tokens. For texts that repeat their tokens, Lodhi's recursion over all cells takes over.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.compiling import compiled


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
def _extend_over_cells(places, places2, count, rows, columns, decay, ends, carried):
    """Do the same by Lodhi's recursion over all cells, whose time does not grow with the square of the matches."""
    above = np.zeros(columns + 1)  # above[c]: Σ ends(i, j) · decay^(tokens skipped) over the cells i < row, j < c
    found = 0.0
    match = 0
    for row in range(rows):
        first = match
        while match < count and places[match] == row:
            carried[match] = above[places2[match]]
            found += carried[match]
            match += 1
        left, at = 0.0, first
        for column in range(columns):
            left *= decay
            if at < match and places2[at] == column:
                left += ends[at]
                at += 1
            above[column + 1] = decay * above[column + 1] + left
    return found


@compiled
def sum_subsequences(block, first, offset, symmetric, ids, offsets, ids2, offsets2, vocabulary, length, decay, factor):
    """Compute a block of the Gram: Σ over lengths n of factor^n · (sum over common subsequences of n tokens)."""
    longest = 1
    for text in range(len(offsets) - 1):
        longest = max(longest, offsets[text + 1] - offsets[text])
    for text in range(len(offsets2) - 1):
        longest = max(longest, offsets2[text + 1] - offsets2[text])
    powers = decay ** np.arange(2 * longest + 1)
    head = np.full(vocabulary, -1, np.int64)
    after = np.empty(longest, np.int64)
    places = np.empty(4 * longest, np.int64)
    places2 = np.empty(4 * longest, np.int64)
    ends = np.empty(4 * longest)
    carried = np.empty(4 * longest)
    for index in range(block.shape[0]):
        text = ids[offsets[first + index] : offsets[first + index + 1]]
        for place in range(len(text) - 1, -1, -1):
            after[place] = head[text[place]]
            head[text[place]] = place
        for column in range(index if symmetric else 0, block.shape[1]):
            text2 = ids2[offsets2[offset + column] : offsets2[offset + column + 1]]
            count = 0
            for row in range(len(text2)):
                place = head[text2[row]]
                while place >= 0:
                    if count == len(places):
                        places = np.concatenate((places, places))
                        places2 = np.concatenate((places2, places2))
                        ends = np.empty(len(places))
                        carried = np.empty(len(places))
                    places[count] = row
                    places2[count] = place
                    count += 1
                    place = after[place]
            total, weight = factor * count, factor
            ends[:count] = 1.0
            few = count * count <= 4 * len(text) * len(text2)
            for _ in range(1, min(length, len(text), len(text2))):
                if few:
                    found = _extend_over_matches(places, places2, count, powers, ends, carried)
                else:
                    found = _extend_over_cells(places, places2, count, len(text2), len(text), decay, ends, carried)
                if found == 0.0:
                    break
                weight *= factor
                total += weight * found
                ends, carried = carried, ends
            block[index, column] = total
        for place in range(len(text)):
            head[text[place]] = -1


@compiled
def sum_own_subsequences(ids, offsets, vocabulary, length, decay, factor):
    """Compute K(x, x) for every text."""
    sums = np.empty(len(offsets) - 1)
    cell = np.empty((1, 1))
    for text in range(len(sums)):
        sum_subsequences(cell, text, text, False, ids, offsets, ids, offsets, vocabulary, length, decay, factor)
        sums[text] = cell[0, 0]
    return sums
