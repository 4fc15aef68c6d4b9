"""Arrays in compiled code: how much room they need, and more room for those that grow."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.compiling import compiled


@compiled
def grow(array, needed):
    """Return the same array with room for at least ``needed`` elements.

    >>> len(grow(np.zeros(4), 3)), len(grow(np.zeros(4), 5))
    (4, 8)
    """
    if needed <= len(array):
        return array
    larger = np.empty(max(needed, 2 * len(array)), array.dtype)
    for place in range(len(array)):  # the assignment of a slice takes two seconds to be compiled
        larger[place] = array[place]
    return larger


@compiled
def find_longest(offsets):
    """Return the length of the longest row of a ragged array, at least 1.

    >>> find_longest(np.array([0, 2, 5])), find_longest(np.array([0]))
    (3, 1)
    """
    longest = 1
    for row in range(len(offsets) - 1):
        longest = max(longest, offsets[row + 1] - offsets[row])
    return longest


@compiled
def add_window(strip, source, target, rules, rows, columns):
    """Add (source · target + rules) · rows · columns to a part of a Gram, without arrays in between."""
    for row in range(strip.shape[0]):
        for column in range(strip.shape[1]):
            products = source[row, column] * target[row, column] + rules[row, column]
            strip[row, column] += products * rows[row] * columns[column]
