"""Rules with aligned wildcards as rows of numbers, each of which stands for a word or a sign."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.compiling import compiled
from rekern.kernels.rewriting.aligned_rules_core import join_placements, place_pair

NO_LIMIT = 1 << 40


@compiled
def _number_words(numbers, size, end, elements, starts, first_word):
    """Write the numbers of the words of a pattern: tokens stand directly before the next wildcard, or the end."""
    wildcard, following, position = len(elements) - 1, size, end
    for index in range(size - 1, -1, -1):
        if wildcard >= 0 and elements[wildcard] == index:
            following, position = index, starts[wildcard]
            wildcard -= 1
        else:
            numbers[index] = first_word + position - (following - index)


@compiled
def number_aligned_rules(
    source, target, token_keys, source_size, target_size, span, source_factors, target_factors, size_key, pair_keys,
    wanted, is_all,
):  # fmt: skip
    """Return rules of a pair with aligned wildcards: their keys, a row of numbers for each, the words that it lies on.

    The rules are those with a wanted key, each where it matches first; or all of them, once for every match. ``wanted``
    is in ascending order. Numbers from 0 are wildcards, as many as a window has elements; then come the arrow, the
    words of the source and those of the target. The words that a rule lies on are four bounds: of the source, of the
    target.
    """
    placed = place_pair(source, target, token_keys, source_size, target_size, span, source_factors, target_factors)
    left, right = placed.left, placed.right
    keys, _, count, trace = join_placements(
        left, right, placed.counts, placed.counts2, size_key, pair_keys, 1.0, NO_LIMIT, False, True
    )
    arrow = max(source_size, target_size)
    most = count if is_all else min(count, len(wanted))
    found = np.empty(most, np.uint64)
    numbers = np.empty((most, source_size + 1 + target_size), np.int64)
    bounds = np.empty((most, 4), np.int64)
    is_found = np.zeros(len(wanted), np.bool_)
    row, place = 0, 0
    for entry in range(count):
        one, other, aligned = trace[place], trace[place + 1], place + 2
        window, last, wildcards, listed = left.shapes[one]
        window2, last2, _, listed2 = right.shapes[other]
        place = aligned + wildcards
        if not is_all:
            at, end = 0, len(wanted)
            while at < end:
                middle = (at + end) >> 1
                if wanted[middle] < keys[entry]:
                    at = middle + 1
                else:
                    end = middle
            if at == len(wanted) or wanted[at] != keys[entry] or is_found[at]:
                continue
            is_found[at] = True
        elements, elements2 = left.elements[listed : listed + wildcards], right.elements[listed2 : listed2 + wildcards]
        starts, starts2 = left.starts[listed : listed + wildcards], right.starts[listed2 : listed2 + wildcards]
        written, written2 = numbers[row, :source_size], numbers[row, source_size + 1 :]
        _number_words(written, source_size, last, elements, starts, arrow + 1)
        _number_words(written2, target_size, last2, elements2, starts2, arrow + 1 + len(source))
        numbers[row, source_size] = arrow
        for number in range(wildcards):
            written[elements[number]] = number
            written2[elements2[trace[aligned + number]]] = number
        bounds[row, 0], bounds[row, 1] = placed.starts[window], last
        bounds[row, 2], bounds[row, 3] = placed.starts2[window2], last2
        found[row] = keys[entry]
        row += 1
    return found[:row], numbers[:row], bounds[:row]
