"""Weights of rules without wildcards, from the n-grams of the training pairs.

A rule s → t without wildcards matches a pair as often as its source has s times its target has t. Its weight is
Σ over training pairs of factor · count(s) · count(t), found by walking through the lists of both n-grams.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any, TypeAlias

import numpy as np

from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.core.compiling import compiled

Lists: TypeAlias = tuple[AnyArray, AnyArray, AnyArray]  # offsets, numbers, counts


@compiled
def add_plain_scores(scores, scale, source, target, sources, targets, size):
    """Add Σ value · weight over the rules without wildcards of each pair, times the scale of the pair, to its scores.

    ``source`` and ``target`` are the n-grams of the new pairs: offsets, numbers (-1 for n-grams that no training pair
    has) and counts. ``sources`` and ``targets`` are the lists of the training pairs: offsets, rows, and counts, or
    factor · count for each output; ``size`` is how many pairs they are.
    """
    source_indptr, source_grams, source_counts = source
    target_indptr, target_grams, target_counts = target
    source_offsets, source_rows, source_times = sources
    target_offsets, target_rows, target_weights = targets
    shared = np.zeros(size)
    for row in range(len(scale)):
        shared[:] = 0.0
        for one in range(source_indptr[row], source_indptr[row + 1]):
            gram = source_grams[one]
            if gram >= 0:
                count = source_counts[one]
                for entry in range(source_offsets[gram], source_offsets[gram + 1]):
                    shared[source_rows[entry]] += count * source_times[entry]
        for output in range(scores.shape[1]):
            total = 0.0
            for two in range(target_indptr[row], target_indptr[row + 1]):
                gram = target_grams[two]
                if gram >= 0:
                    part = 0.0
                    for entry in range(target_offsets[gram], target_offsets[gram + 1]):
                        part += shared[target_rows[entry]] * target_weights[output, entry]
                    total += target_counts[two] * part
            scores[row, output] += total * scale[row]


@compiled
def weigh_plain_rules(source_grams, target_grams, sources, targets, size, output):
    """Return the weights of the rules from each source n-gram (a row) to each target n-gram (a column).

    The arguments are those of `add_plain_scores`; an n-gram of the number -1 has no rules.
    """
    source_offsets, source_rows, source_times = sources
    target_offsets, target_rows, target_weights = targets
    weights = np.zeros((len(source_grams), len(target_grams)))
    times = np.zeros(size)
    for one in range(len(source_grams)):
        gram = source_grams[one]
        if gram < 0:
            continue
        times[:] = 0.0
        for entry in range(source_offsets[gram], source_offsets[gram + 1]):
            times[source_rows[entry]] = source_times[entry]
        for two in range(len(target_grams)):
            gram2 = target_grams[two]
            if gram2 >= 0:
                for entry in range(target_offsets[gram2], target_offsets[gram2 + 1]):
                    weights[one, two] += times[target_rows[entry]] * target_weights[output, entry]
    return weights


@compiled
def transpose_lists(offsets, rows, counts, size):
    """Return the n-grams of every row, from the rows of every n-gram: heads, n-grams, counts."""
    heads = np.zeros(size + 1, np.int64)
    for row in rows:
        heads[row + 1] += 1
    for row in range(size):
        heads[row + 1] += heads[row]
    fill = heads[:-1].copy()
    grams, times = np.empty(len(rows), np.int32), np.empty(len(rows), np.uint32)
    for gram in range(len(offsets) - 1):
        for entry in range(offsets[gram], offsets[gram + 1]):
            at = fill[rows[entry]]
            grams[at] = gram
            times[at] = counts[entry]
            fill[rows[entry]] += 1
    return heads, grams, times


def find_strong_rules(
    first: int, last: int, sources: Lists, targets: Lists, width: int, factors: Floats, n: int
) -> tuple[Ints, Ints, Floats]:
    """Return the ``n`` rules of source n-grams ``first`` … ``last`` with the largest weights, and the ``n`` smallest.

    ``targets`` has the target n-grams of every row. Returns source n-grams, target n-grams and weights, without order;
    more rules if weights are equal. Weights of 0 are left out.
    """
    room = width + 8 * n
    found: list[Any] = [np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)]
    scratch = np.zeros(width), np.empty(width, np.int64), np.zeros(width, bool)
    size, low, high = 0, 0.0, 0.0
    while first < last:
        first, size = _find_rules(first, last, *sources, *targets, factors, low, high, size, *found, *scratch)
        if first < last:  # there is no room: raise the bounds, and drop what does not reach them
            weights = found[2][:size]
            ascending = np.sort(weights)
            low, high = min(float(ascending[n - 1]), 0.0), max(float(ascending[size - n]), 0.0)
            kept = np.flatnonzero((weights >= high) | (weights <= low))
            size = len(kept)
            more = room if size + width > room else room - size
            found = [np.concatenate((part[kept], np.empty(more, part.dtype))) for part in found]
    return found[0][:size], found[1][:size], found[2][:size]


@compiled
def _find_rules(
    first, last, offsets, rows, counts, heads, grams, times, factors, low, high, size, found_source, found_target,
    found, sums, touched, is_touched,
):  # fmt: skip
    """Append strong rules as long as there is room for those of a source n-gram; return the next one, and how many."""
    for gram in range(first, last):
        if size + len(sums) > len(found):
            return gram, size
        count = 0
        for entry in range(offsets[gram], offsets[gram + 1]):
            row = rows[entry]
            for at in range(heads[row], heads[row + 1]):
                other = grams[at]
                if not is_touched[other]:
                    is_touched[other] = True
                    touched[count] = other
                    count += 1
                sums[other] += factors[row] * (np.float64(counts[entry]) * times[at])
        for index in range(count):
            other = touched[index]
            weight = sums[other]
            sums[other] = 0.0
            is_touched[other] = False
            if (weight > 0.0 and weight >= high) or (weight < 0.0 and weight <= low):
                found_source[size], found_target[size], found[size] = gram, other, weight
                size += 1
    return last, size


@compiled
def count_shared_rows(source_grams, target_grams, sources, targets, size):
    """Return for each rule (a source n-gram and a target n-gram) how many rows have both, and the first of them."""
    source_offsets, source_rows = sources
    target_offsets, target_rows = targets
    counts, first = np.zeros(len(source_grams), np.int64), np.full(len(source_grams), -1, np.int64)
    has_source = np.zeros(size, np.bool_)
    for rule in range(len(source_grams)):
        gram, gram2 = source_grams[rule], target_grams[rule]
        for entry in range(source_offsets[gram], source_offsets[gram + 1]):
            has_source[source_rows[entry]] = True
        for entry in range(target_offsets[gram2], target_offsets[gram2 + 1]):
            if has_source[target_rows[entry]]:
                if counts[rule] == 0:
                    first[rule] = target_rows[entry]
                counts[rule] += 1
        for entry in range(source_offsets[gram], source_offsets[gram + 1]):
            has_source[source_rows[entry]] = False
    return counts, first
