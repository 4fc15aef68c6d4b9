"""Weights of rules without wildcards, from the n-grams of the training pairs.

A rule s → t without wildcards matches a pair as often as its source has s times its target has t. Its weight is
Σ over training pairs of factor · count(s) · count(t). n-grams that few training pairs have are *rare*: the pairs of two
rare n-grams are found by walking through their lists. The weights of rules with a *frequent* n-gram are in tables.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.array_core import find_longest
from rekern.core.compiling import compiled, uncounted
from rekern.core.prefetching import prefetch

CACHE_LINE = 8  # numbers of 8 bytes that come from memory together


@uncounted
def _prefetch_grams(row, indptr, grams, offsets, slots):
    """Ask for what is known of the n-grams of a pair."""
    if row + 1 < len(indptr):
        for entry in range(indptr[row], indptr[row + 1]):
            if grams[entry] >= 0:
                prefetch(offsets, grams[entry])
                prefetch(slots, grams[entry])


@uncounted
def _prefetch_lists(row, indptr, grams, offsets, rows, times, slots, table):
    """Ask for the lists of the rare n-grams of a pair, and for the weights of their rules with frequent ones."""
    width = table.shape[1] * table.shape[2]
    for entry in range(indptr[row], indptr[row + 1]):
        gram = np.int64(grams[entry])
        if gram >= 0:
            if slots[gram] < 0:
                prefetch(rows, offsets[gram])
                prefetch(times, offsets[gram])
            for cell in range(gram * width, (gram + 1) * width, CACHE_LINE):
                prefetch(table, cell)


@compiled
def fill_frequent_table(slots, one, other, factors, table):
    """Add up the weights of all rules of a frequent n-gram of one side and any n-gram of the other side.

    ``slots`` has the column of each frequent n-gram, and -1 for the others; ``table[t, slots[s]]`` gets the weight.
    """
    offsets, rows, counts = one
    other_offsets, other_rows, other_counts = other
    # The frequent n-grams of each training pair.
    heads = np.zeros(len(factors) + 1, np.int64)
    for gram in range(len(slots)):
        if slots[gram] >= 0:
            for entry in range(offsets[gram], offsets[gram + 1]):
                heads[rows[entry] + 1] += 1
    for row in range(len(factors)):
        heads[row + 1] += heads[row]
    fill = heads[:-1].copy()
    columns, times = np.empty(heads[-1], np.int64), np.empty(heads[-1])
    for gram in range(len(slots)):
        if slots[gram] >= 0:
            for entry in range(offsets[gram], offsets[gram + 1]):
                at = fill[rows[entry]]
                columns[at] = slots[gram]
                times[at] = counts[entry]
                fill[rows[entry]] += 1
    for gram in range(len(other_offsets) - 1):
        for entry in range(other_offsets[gram], other_offsets[gram + 1]):
            row, count = other_rows[entry], np.float64(other_counts[entry])
            for at in range(heads[row], heads[row + 1]):
                for output in range(factors.shape[1]):
                    table[gram, columns[at], output] += factors[row, output] * (times[at] * count)


@compiled
def add_plain_scores(scores, scale, source, target, sources, targets, factors, source_table, target_table):
    """Add Σ value · weight over the rules without wildcards of each pair, times the scale of the pair, to its scores.

    ``source`` and ``target`` are the n-grams of the new pairs: offsets, numbers (-1 for n-grams that no training pair
    has) and counts. ``sources`` and ``targets`` are the lists of the training pairs: offsets, rows, counts, slots.
    """
    source_indptr, source_grams, source_counts = source
    target_indptr, target_grams, target_counts = target
    source_offsets, source_rows, source_times, source_slots = sources
    target_offsets, target_rows, target_times, target_slots = targets
    shared = np.zeros(len(factors))
    sums = np.empty(scores.shape[1])
    longest = find_longest(source_indptr)
    known, often = np.empty(longest, np.int64), np.empty(longest, np.int64)  # entries of a pair
    for row in range(len(scale)):
        _prefetch_grams(row + 1, source_indptr, source_grams, source_offsets, source_slots)
        _prefetch_grams(row + 1, target_indptr, target_grams, target_offsets, target_slots)
        _prefetch_lists(
            row, source_indptr, source_grams, source_offsets, source_rows, source_times, source_slots, target_table
        )
        _prefetch_lists(
            row, target_indptr, target_grams, target_offsets, target_rows, target_times, target_slots, source_table
        )
        sums[:] = 0.0
        size, frequent = 0, 0
        for one in range(source_indptr[row], source_indptr[row + 1]):
            if source_grams[one] >= 0:
                known[size] = one
                size += 1
                if source_slots[source_grams[one]] >= 0:
                    often[frequent] = one
                    frequent += 1
        for two in range(target_indptr[row], target_indptr[row + 1]):
            gram2 = target_grams[two]
            if gram2 < 0:
                continue
            count2 = target_counts[two]
            slot2 = target_slots[gram2]
            for output in range(len(sums)):
                total = sums[output]
                if slot2 < 0:
                    for index in range(frequent):
                        one = often[index]
                        slot = source_slots[source_grams[one]]
                        total += (source_counts[one] * count2) * source_table[gram2, slot, output]
                else:
                    for index in range(size):
                        one = known[index]
                        gram = source_grams[one]
                        slot = source_slots[gram]
                        weight = source_table[gram2, slot, output] if slot >= 0 else target_table[gram, slot2, output]
                        total += (source_counts[one] * count2) * weight
                sums[output] = total
        for one in range(source_indptr[row], source_indptr[row + 1]):
            gram = source_grams[one]
            if gram >= 0 and source_slots[gram] < 0:
                for entry in range(source_offsets[gram], source_offsets[gram + 1]):
                    shared[source_rows[entry]] += source_counts[one] * source_times[entry]
        for two in range(target_indptr[row], target_indptr[row + 1]):
            gram2 = target_grams[two]
            if gram2 >= 0 and target_slots[gram2] < 0:
                for entry in range(target_offsets[gram2], target_offsets[gram2 + 1]):
                    place = target_rows[entry]
                    if shared[place] != 0.0:
                        value = shared[place] * (target_counts[two] * target_times[entry])
                        for output in range(len(sums)):
                            sums[output] += factors[place, output] * value
        for one in range(source_indptr[row], source_indptr[row + 1]):
            gram = source_grams[one]
            if gram >= 0 and source_slots[gram] < 0:
                for entry in range(source_offsets[gram], source_offsets[gram + 1]):
                    shared[source_rows[entry]] = 0.0
        for output in range(len(sums)):
            scores[row, output] += sums[output] * scale[row]


@compiled
def weigh_plain_rules(source_grams, target_grams, sources, targets, factors, output, source_table, target_table):
    """Return the weights of the rules from each source n-gram (a row) to each target n-gram (a column).

    The arguments are those of `add_plain_scores`; an n-gram of the number -1 has no rules.
    """
    source_offsets, source_rows, source_times, source_slots = sources
    target_offsets, target_rows, target_times, target_slots = targets
    weights = np.zeros((len(source_grams), len(target_grams)))
    times = np.zeros(len(factors))
    for one in range(len(source_grams)):
        gram = source_grams[one]
        if gram < 0:
            continue
        slot = source_slots[gram]
        if slot < 0:
            for entry in range(source_offsets[gram], source_offsets[gram + 1]):
                times[source_rows[entry]] = source_times[entry]
        for two in range(len(target_grams)):
            gram2 = target_grams[two]
            if gram2 < 0:
                continue
            slot2 = target_slots[gram2]
            if slot >= 0:
                weights[one, two] = source_table[gram2, slot, output]
            elif slot2 >= 0:
                weights[one, two] = target_table[gram, slot2, output]
            else:
                for entry in range(target_offsets[gram2], target_offsets[gram2 + 1]):
                    row = target_rows[entry]
                    if times[row] != 0.0:
                        weights[one, two] += factors[row, output] * (times[row] * target_times[entry])
        if slot < 0:
            for entry in range(source_offsets[gram], source_offsets[gram + 1]):
                times[source_rows[entry]] = 0.0
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


@compiled
def find_strong_rules(first, last, sources, targets, width, factors, output, n):
    """Return the ``n`` rules of source n-grams ``first`` … ``last`` with the largest weights, and the ``n`` smallest.

    ``targets`` has the target n-grams of every row. Returns source n-grams, target n-grams and weights, without order;
    more rules if weights are equal. Weights of 0 are left out.
    """
    offsets, rows, counts = sources
    heads, grams, times = targets
    sums, touched = np.zeros(width), np.empty(width, np.int64)
    is_touched = np.zeros(width, np.bool_)
    found_source, found_target = np.empty(8 * n, np.int64), np.empty(8 * n, np.int64)
    found = np.empty(8 * n)
    size, low, high = 0, 0.0, 0.0
    for gram in range(first, last):
        count = 0
        for entry in range(offsets[gram], offsets[gram + 1]):
            row = rows[entry]
            for at in range(heads[row], heads[row + 1]):
                other = grams[at]
                if not is_touched[other]:
                    is_touched[other] = True
                    touched[count] = other
                    count += 1
                sums[other] += factors[row, output] * (np.float64(counts[entry]) * times[at])
        for index in range(count):
            other = touched[index]
            weight = sums[other]
            sums[other] = 0.0
            is_touched[other] = False
            if (weight > 0.0 and weight >= high) or (weight < 0.0 and weight <= low):
                if size == len(found):  # raise the bounds, and drop what does not reach them
                    ascending = np.sort(found)
                    low, high = min(ascending[n - 1], 0.0), max(ascending[size - n], 0.0)
                    kept = 0
                    for place in range(size):
                        if found[place] >= high or found[place] <= low:
                            found_source[kept], found_target[kept] = found_source[place], found_target[place]
                            found[kept] = found[place]
                            kept += 1
                    size = kept
                    if 2 * size > len(found):  # many equal weights
                        found_source = np.concatenate((found_source, found_source))
                        found_target = np.concatenate((found_target, found_target))
                        found = np.concatenate((found, found))
                found_source[size], found_target[size], found[size] = gram, other, weight
                size += 1
    return found_source[:size], found_target[:size], found[:size]


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
