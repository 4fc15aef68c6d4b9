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
def count_combinations(heads, rows, target_indptr):
    """Return how many combinations with target n-grams all source n-grams before each one have."""
    before = np.zeros(len(heads), np.int64)
    for gram in range(len(heads) - 1):
        count = 0
        for at in range(heads[gram], heads[gram + 1]):
            count += target_indptr[rows[at] + 1] - target_indptr[rows[at]]
        before[gram + 1] = before[gram] + count
    return before


@compiled
def number_combinations(
    first, last, heads, rows, entries, source, target, target_numbers, distinct, size_key, starts, columns, keys
):
    """Number the combinations of source n-grams ``first`` … ``last`` from 0 up, and store a key for each number.

    The numbers of a pair are in ``columns`` from ``starts[row]`` on, ordered by source n-gram. Returns how many there
    are.
    """
    source_indptr, source_keys, _ = source
    target_indptr, target_keys, _ = target
    mark = np.full(distinct, -1, np.int32)
    given = np.empty(distinct, np.int32)
    size = 0
    for gram in range(first, last):
        alone = heads[gram + 1] - heads[gram] == 1
        for at in range(heads[gram], heads[gram + 1]):
            row, entry = rows[at], entries[at]
            start, end = target_indptr[row], target_indptr[row + 1]
            place = starts[row] + (entry - source_indptr[row]) * (end - start)
            begun = source_keys[entry] + size_key
            for other in range(start, end):
                if not alone:
                    code = target_numbers[other]
                    if mark[code] == gram:
                        columns[place + other - start] = given[code]
                        continue
                    mark[code] = gram
                    given[code] = size
                columns[place + other - start] = size
                keys[size] = mix(begun + target_keys[other])
                size += 1
    return size


@compiled
def assemble_rows(first, last, starts, columns, values, scale, source, target, rules, numbers, bases, wild, wild_base):
    """Write the values of pairs ``first`` … ``last``, each from ``starts[row]`` on, and complete their columns.

    Those of rules without wildcards are there; to each is added what the number of its source n-gram says.
    """
    source_indptr, _, source_values = source
    target_indptr, _, target_values = target
    rule_indptr, _, rule_values = rules
    for row in range(first, last):
        at = starts[row]
        for one in range(source_indptr[row], source_indptr[row + 1]):
            value = source_values[one] * scale[row]
            base = bases[numbers[one]]
            for other in range(target_indptr[row], target_indptr[row + 1]):
                columns[at] += base
                values[at] = value * target_values[other]
                at += 1
        for one in range(rule_indptr[row], rule_indptr[row + 1]):
            columns[at] = wild[one] + wild_base
            values[at] = rule_values[one] * scale[row]
            at += 1


@compiled
def spread_bases(bases, ends):
    """Return for each source n-gram the base of its span, which ends at ``ends[span]``; the last base has no span."""
    spread = np.empty(ends[-1] if len(ends) else 0, np.int64)
    first = 0
    for span in range(len(ends)):
        spread[first : ends[span]] = bases[span]
        first = ends[span]
    return spread
