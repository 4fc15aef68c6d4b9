"""Columns for the rules of a corpus, without hashing those that have no wildcards, which are the most.

A rule without wildcards is a source n-gram g and a target n-gram h. The rules of one g are numbered together: a mark
for each h says which number it got. A g that only one pair has (most long ones) needs no marks.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import mix


@compiled
def number_combinations(heads, rows, entries, source_indptr, target_indptr, target_numbers, distinct, begin, numbers):
    """Number the combinations of each pair's n-grams; return how many are distinct, and the two entries of each.

    ``begin[row]`` is where the numbers of a pair begin; they are ordered by source n-gram.
    """
    mark = np.full(distinct, -1, np.int64)
    given = np.empty(distinct, np.int32)
    first = np.empty(len(numbers), np.int32)
    second = np.empty(len(numbers), np.int32)
    size = 0
    for gram in range(len(heads) - 1):
        alone = heads[gram + 1] - heads[gram] == 1
        for at in range(heads[gram], heads[gram + 1]):
            row, entry = rows[at], entries[at]
            start, end = target_indptr[row], target_indptr[row + 1]
            place = begin[row] + (entry - source_indptr[row]) * (end - start)
            for other in range(start, end):
                if alone:
                    numbers[place + other - start] = size
                else:
                    code = target_numbers[other]
                    if mark[code] == gram:
                        numbers[place + other - start] = given[code]
                        continue
                    mark[code] = gram
                    given[code] = size
                    numbers[place + other - start] = size
                first[size] = entry
                second[size] = other
                size += 1
    return size, first, second


@compiled
def assemble_rows(
    first, last, fill, columns, values, scale, offset, source, target, rules, begin, numbers, wild, wild_offset
):
    """Write the columns and values of pairs ``first`` … ``last``, each from ``fill[row]`` on, and move ``fill``."""
    source_indptr, _, source_values = source
    target_indptr, _, target_values = target
    rule_indptr, _, rule_values = rules
    for row in range(first, last):
        at = fill[row]
        number = begin[row]
        for one in range(source_indptr[row], source_indptr[row + 1]):
            value = source_values[one] * scale[row]
            for other in range(target_indptr[row], target_indptr[row + 1]):
                columns[at] = numbers[number] + offset
                values[at] = value * target_values[other]
                number += 1
                at += 1
        for one in range(rule_indptr[row], rule_indptr[row + 1]):
            columns[at] = wild[one] + wild_offset
            values[at] = rule_values[one] * scale[row]
            at += 1
        fill[row] = at


@compiled
def combine_keys(first, second, source_keys, target_keys, size_key, keys):
    """Store the keys of rules without wildcards, from the keys of their two n-grams."""
    for index in range(len(keys)):
        keys[index] = mix(source_keys[first[index]] + target_keys[second[index]] + size_key)
