"""A hash table of features with weights, for looking up many keys of which most are absent.

A row of the table has a key and its weights side by side, so that a look-up needs one access to memory. The top bits of
a key give its slot. A bit map over the low bits, which fits into the cache, finds out that most absent keys are absent.
The loops over slots are not in a function of their own, because passing the arrays would cost more than the loop.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Keys
from rekern.core.compiling import compiled
from rekern.core.hashing import mix, size_table
from rekern.core.key_rows import KeyRows

CHUNK = 4096
EMPTY = np.uint64(0)  # a key that happens to be 0 is stored as 1


class WeightTable(NamedTuple):
    """Keys and their weights."""

    cells: Keys  # a row for each slot: the key, and the bits of its weights
    numbers: Floats  # the same memory as floating-point numbers
    present: Keys  # the bit map
    size: int  # the number of keys


def sum_weights(blocks: Iterable[tuple[KeyRows, Floats]], outputs: int) -> WeightTable:
    """Return the weight of every feature: the sum of coefficient · value over the rows of all blocks.

    A block has rows, and an array with ``outputs`` coefficients for each row.

    >>> rows = KeyRows(np.array([0, 2]), np.array([7, 9], dtype=np.uint64), np.array([1.0, 2.0]))
    >>> table = sum_weights([(rows, np.array([[0.5]]))], 1)
    >>> table.size, find_weights(np.array([9, 8], dtype=np.uint64), table.cells, table.numbers).tolist()
    (2, [[1.0], [0.0]])
    """
    cells = np.zeros((1 << 12, 1 + outputs), np.uint64)
    size = 0
    for rows, coefficients in blocks:
        while 2 * (size + len(rows.keys)) > len(cells):
            # NumPy allocates memory in large pages, which halves the time of a look-up; compiled code does not.
            larger = np.zeros((2 * len(cells), 1 + outputs), np.uint64)
            _move_cells(cells, larger)
            cells = larger
        size = _add_rows(cells, cells.view(np.float64), size, coefficients, rows.indptr, rows.keys, rows.values)
    # The bit map has at least 8 bits for each key, and 64 bits in a word.
    present = np.zeros(1 << max(0, size_table(4 * size) - 6), np.uint64)
    _mark_keys(cells, present)
    return WeightTable(cells, cells.view(np.float64), present, size)


@compiled
def _find_shift(cells):
    return np.uint64(64 - size_table(len(cells) // 2))


@compiled
def _move_cells(cells, larger):
    shift, mask = _find_shift(larger), len(larger) - 1
    for old in range(len(cells)):
        if cells[old, 0] != EMPTY:
            slot = np.int64(cells[old, 0] >> shift)
            while larger[slot, 0] != EMPTY:
                slot = (slot + 1) & mask
            for column in range(cells.shape[1]):
                larger[slot, column] = cells[old, column]


@compiled
def _add_rows(cells, numbers, size, coefficients, indptr, keys, values):
    shift, mask = _find_shift(cells), len(cells) - 1
    outputs = coefficients.shape[1]
    for row in range(len(indptr) - 1):
        is_zero = True
        for output in range(outputs):
            is_zero = is_zero and coefficients[row, output] == 0.0
        if is_zero:
            continue
        for entry in range(indptr[row], indptr[row + 1]):
            key = max(keys[entry], np.uint64(1))
            slot = np.int64(key >> shift)
            while cells[slot, 0] != EMPTY and cells[slot, 0] != key:
                slot = (slot + 1) & mask
            if cells[slot, 0] == EMPTY:
                cells[slot, 0] = key
                size += 1
            for output in range(outputs):
                numbers[slot, 1 + output] += coefficients[row, output] * values[entry]
    return size


@compiled
def _mark_keys(cells, present):
    mask = np.uint64(64 * len(present) - 1)
    for slot in range(len(cells)):
        if cells[slot, 0] != EMPTY:
            bit = cells[slot, 0] & mask
            present[np.int64(bit >> np.uint64(6))] |= np.uint64(1) << (bit & np.uint64(63))


@compiled
def _add_weights(count, keys, values, first, cells, numbers, shift, sums):
    """Add value · weight to ``sums`` for the first ``count`` keys.

    The first slots of all keys are read before any is used, so that the accesses to memory overlap.
    """
    mask = len(cells) - 1
    for index in range(count):
        first[index] = cells[np.int64(keys[index] >> shift), 0]
    for index in range(count):
        key = keys[index]
        seen = first[index]
        slot = np.int64(key >> shift)
        while seen != EMPTY and seen != key:
            slot = (slot + 1) & mask
            seen = cells[slot, 0]
        if seen == key:
            for output in range(len(sums)):
                sums[output] += values[index] * numbers[slot, 1 + output]


@compiled
def add_scores(scores, cells, numbers, present, scale, size_key, source, target, rules, source_known, target_known):
    """Add Σ value · weight over the rules of each pair to its scores.

    ``source_known`` and ``target_known`` are negative for n-grams that do not occur in the model. Most long n-grams do
    not, and rules with them are not looked up.
    """
    source_indptr, source_keys, source_values = source
    target_indptr, target_keys, target_values = target
    rule_indptr, rule_keys, rule_values = rules
    shift, low = _find_shift(cells), np.uint64(64 * len(present) - 1)
    one_bit, word_bits, in_word = np.uint64(1), np.uint64(6), np.uint64(63)
    keys, values, first = np.empty(CHUNK, np.uint64), np.empty(CHUNK), np.empty(CHUNK, np.uint64)
    sums = np.empty(scores.shape[1])
    for row in range(len(scale)):
        sums[:] = 0.0
        count = 0
        for one in range(source_indptr[row], source_indptr[row + 1]):
            if source_known[one] < 0:
                continue
            begun = source_keys[one] + size_key
            for other in range(target_indptr[row], target_indptr[row + 1]):
                if target_known[other] < 0:
                    continue
                key = max(mix(begun + target_keys[other]), one_bit)
                bit = key & low
                keys[count] = key
                values[count] = source_values[one] * target_values[other]
                count += np.int64((present[np.int64(bit >> word_bits)] >> (bit & in_word)) & one_bit)
                if count == CHUNK:
                    _add_weights(count, keys, values, first, cells, numbers, shift, sums)
                    count = 0
        for one in range(rule_indptr[row], rule_indptr[row + 1]):
            key = max(rule_keys[one], one_bit)
            bit = key & low
            keys[count] = key
            values[count] = rule_values[one]
            count += np.int64((present[np.int64(bit >> word_bits)] >> (bit & in_word)) & one_bit)
            if count == CHUNK:
                _add_weights(count, keys, values, first, cells, numbers, shift, sums)
                count = 0
        _add_weights(count, keys, values, first, cells, numbers, shift, sums)
        for output in range(len(sums)):
            scores[row, output] += sums[output] * scale[row]


@compiled
def find_weights(keys, cells, numbers):
    """Return the weights of features by their keys; 0 for a feature that the table does not have."""
    found = np.zeros((len(keys), cells.shape[1] - 1))
    shift, mask = _find_shift(cells), len(cells) - 1
    for index in range(len(keys)):
        key = max(keys[index], np.uint64(1))
        slot = np.int64(key >> shift)
        while cells[slot, 0] != EMPTY and cells[slot, 0] != key:
            slot = (slot + 1) & mask
        if cells[slot, 0] == key:
            for output in range(cells.shape[1] - 1):
                found[index, output] = numbers[slot, 1 + output]
    return found
