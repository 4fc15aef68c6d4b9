"""All rules of a corpus or a model: those without wildcards as combinations of both sides' k-grams, then the rest.

The compiled functions take the features of one window size (`rewriting.Rows`): the k-grams of the sources, those of
the targets, and the rules with wildcards. Tables are open-addressed by the top bits of a key; loops that probe them are
written out, since handing arrays to a small function costs more than the probe.
"""

import numpy as np

from rekern._compile import compiled
from rekern.kernels.keys import mix


@compiled
def count_rules(source, target, rules, size_key, mask):
    """How many rules each pair has whose keys are 0 in the bits of the mask."""
    source_indptr, source_keys, _ = source
    target_indptr, target_keys, _ = target
    rule_indptr, rule_keys, _ = rules
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
        for one in range(rule_indptr[row], rule_indptr[row + 1]):
            count += rule_keys[one] & mask == 0
        counts[row] = count
    return counts


@compiled
def list_rules(first, last, fill, keys, values, scale, size_key, source, target, rules, mask):
    """Write the rules of pairs ``first`` … ``last``, each from ``fill[row]`` on, and move ``fill`` behind them.

    A rule is kept if the bits of ``mask`` are 0 in its key: 0 keeps all, and more bits keep a sample.
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
            if rule_keys[one] & mask == 0:
                keys[at] = rule_keys[one]
                values[at] = rule_values[one] * factor
                at += 1
        fill[row] = at


@compiled
def _rehashed(slots, used, weights):
    """The same table with twice as many slots."""
    bits = 1
    while (1 << bits) < 2 * len(slots):
        bits += 1
    shift, mask = np.uint64(64 - bits), (1 << bits) - 1
    new_slots = np.empty(1 << bits, np.uint64)
    new_used = np.zeros(1 << bits, np.bool_)
    new_weights = np.zeros((1 << bits, weights.shape[1]))
    for slot in range(len(slots)):
        if used[slot]:
            place = np.int64(slots[slot] >> shift)
            while new_used[place]:
                place = (place + 1) & mask
            new_slots[place] = slots[slot]
            new_used[place] = True
            for output in range(weights.shape[1]):
                new_weights[place, output] = weights[slot, output]
    return new_slots, new_used, new_weights


@compiled
def add_weights(slots, used, weights, size, coefficients, indptr, keys, values):
    """Add coefficient · value to the weight of every listed rule; the table doubles when it is half full."""
    outputs = coefficients.shape[1]
    for row in range(len(indptr) - 1):
        silent = True
        for output in range(outputs):
            silent = silent and coefficients[row, output] == 0.0
        if silent:
            continue
        while 2 * (size + indptr[row + 1] - indptr[row]) > len(slots):
            slots, used, weights = _rehashed(slots, used, weights)
        bits = 0
        while (1 << bits) < len(slots):
            bits += 1
        shift, mask = np.uint64(64 - bits), len(slots) - 1
        for entry in range(indptr[row], indptr[row + 1]):
            key = keys[entry]
            slot = np.int64(key >> shift)
            while used[slot] and slots[slot] != key:
                slot = (slot + 1) & mask
            if not used[slot]:
                used[slot] = True
                slots[slot] = key
                size += 1
            for output in range(outputs):
                weights[slot, output] += coefficients[row, output] * values[entry]
    return slots, used, weights, size


@compiled
def add_scores(scores, slots, used, weights, shift, scale, size_key, source, target, rules, source_known, target_known):
    """Add Σ value · weight over the rules of each pair to its scores.

    ``source_known`` and ``target_known`` say which k-grams occur in the model at all: most long ones do not, and rules
    made of them need not be looked up.
    """
    source_indptr, source_keys, source_values = source
    target_indptr, target_keys, target_values = target
    rule_indptr, rule_keys, rule_values = rules
    outputs = scores.shape[1]
    mask, shift = len(slots) - 1, np.uint64(shift)
    sums = np.empty(outputs)
    for row in range(len(scale)):
        sums[:] = 0.0
        for one in range(source_indptr[row], source_indptr[row + 1]):
            if source_known[one] < 0:
                continue
            begun = source_keys[one] + size_key
            for other in range(target_indptr[row], target_indptr[row + 1]):
                if target_known[other] < 0:
                    continue
                key = mix(begun + target_keys[other])
                slot = np.int64(key >> shift)
                while used[slot] and slots[slot] != key:
                    slot = (slot + 1) & mask
                if used[slot]:
                    for output in range(outputs):
                        sums[output] += source_values[one] * target_values[other] * weights[slot, output]
        for one in range(rule_indptr[row], rule_indptr[row + 1]):
            key = rule_keys[one]
            slot = np.int64(key >> shift)
            while used[slot] and slots[slot] != key:
                slot = (slot + 1) & mask
            if used[slot]:
                for output in range(outputs):
                    sums[output] += rule_values[one] * weights[slot, output]
        for output in range(outputs):
            scores[row, output] += sums[output] * scale[row]


@compiled
def weights_of(keys, slots, used, weights, shift):
    """The weights of rules by their keys; 0 for a rule that the model does not know."""
    found = np.zeros((len(keys), weights.shape[1]))
    mask, shift = len(slots) - 1, np.uint64(shift)
    for index in range(len(keys)):
        slot = np.int64(keys[index] >> shift)
        while used[slot] and slots[slot] != keys[index]:
            slot = (slot + 1) & mask
        if used[slot]:
            found[index] = weights[slot]
    return found
