"""All rules of pairs: those without wildcards as combinations of the n-grams of both sides, then those with wildcards.

The functions take the features of one window size: the n-grams of the sources, those of the targets, and the rules
with wildcards (see `window_rows.WindowRows`).
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.compiling import compiled, uncounted
from rekern.core.hashing import mix


@uncounted
def sum_squares(values, start, stop):
    """Return the sum of the squares of the values from ``start`` to ``stop``, as four sums that do not wait."""
    one = two = three = four = 0.0
    whole = stop - (stop - start) % 4
    for entry in range(start, whole, 4):
        one += values[entry] * values[entry]
        two += values[entry + 1] * values[entry + 1]
        three += values[entry + 2] * values[entry + 2]
        four += values[entry + 3] * values[entry + 3]
    for entry in range(whole, stop):
        one += values[entry] * values[entry]
    return (one + two) + (three + four)


@compiled
def square_pairs(source, target, rules):
    """Return K(x, x) of each pair: the squares of its n-grams, multiplied, and those of its rules with wildcards."""
    squares = np.zeros(len(source[0]) - 1)
    for row in range(len(squares)):
        in_source = sum_squares(source[2], source[0][row], source[0][row + 1])
        in_target = sum_squares(target[2], target[0][row], target[0][row + 1])
        in_rules = sum_squares(rules[2], rules[0][row], rules[0][row + 1])
        squares[row] = in_source * in_target + in_rules
    return squares


@compiled
def count_rules(source, target, rules, size_key, mask):
    """Count the rules of each pair; those without wildcards only if their keys are 0 in the bits of the mask."""
    source_indptr, source_keys, _ = source
    target_indptr, target_keys, _ = target
    rule_indptr = rules[0]
    counts = np.zeros(len(source_indptr) - 1, np.int64)
    for row in range(len(counts)):
        first, last = source_indptr[row], source_indptr[row + 1]
        first2, last2 = target_indptr[row], target_indptr[row + 1]
        if mask == 0:
            counts[row] = (last - first) * (last2 - first2) + rule_indptr[row + 1] - rule_indptr[row]
            continue
        count = 0
        for one in range(first, last):
            for other in range(first2, last2):
                count += mix(source_keys[one] + target_keys[other] + size_key) & mask == 0
        counts[row] = count + rule_indptr[row + 1] - rule_indptr[row]
    return counts


@compiled
def list_rules(first, last, fill, keys, values, scale, size_key, source, target, rules, mask):
    """Write the rules of pairs ``first`` … ``last``, each from ``fill[row]`` on, and move ``fill`` past them.

    A rule without wildcards is kept if the bits of ``mask`` are 0 in its key: 0 keeps all, more bits a sample.
    """
    source_indptr, source_keys, source_values = source
    target_indptr, target_keys, target_values = target
    rule_indptr, rule_keys, rule_values = rules
    for row in range(first, last):
        at = fill[row]
        factor = scale[row]
        for one in range(source_indptr[row], source_indptr[row + 1]):
            begun = source_keys[one] + size_key
            value = source_values[one] * factor
            for other in range(target_indptr[row], target_indptr[row + 1]):
                key = mix(begun + target_keys[other])
                if key & mask == 0:
                    keys[at] = key
                    values[at] = value * target_values[other]
                    at += 1
        for one in range(rule_indptr[row], rule_indptr[row + 1]):
            keys[at] = rule_keys[one]
            values[at] = rule_values[one] * factor
            at += 1
        fill[row] = at
