"""Features with weights, sorted by their keys, for looking up many keys of which most are absent.

Keys are spread evenly, so the top bits of a key tell where in the sorted keys it must be. A bit map over the low bits,
which fits into the cache, finds out that most absent keys are absent.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats, Keys
from rekern.core.compiling import compiled, inlined
from rekern.core.hashing import size_table
from rekern.core.key_index import MOST_ENTRIES, number_keys
from rekern.core.key_rows import KeyRows
from rekern.core.number_packing import pack_keys, pack_numbers, unpack_keys, unpack_numbers
from rekern.core.object_descriptions import State
from rekern.core.state_schema import Array, Record
from rekern.errors import ModelFileError

CHUNK = 1024
FEW_KEYS = 8  # that are searched one after the other

Numbers = npt.NDArray[np.uint32]

PACKED_TABLE = Record(
    tops=Array("u1", "*"),
    rests=Array("u1", "*", "keys"),
    numbers=Array("u1", "*", "keys"),
    weights=Array("f8", "rows", "outputs"),
)


class WeightTable(NamedTuple):
    """Keys in ascending order, the row of weights of each key, and what finds a key quickly."""

    keys: Keys
    numbers: Numbers
    weights: Floats  # a column for each output; keys with equal weights may share a row
    starts: Numbers  # where the keys with the same top bits begin
    present: Keys  # the bit map over the low bits


def sum_weights(rows: KeyRows, factors: Floats, n_jobs: int | None = None) -> WeightTable:
    """Return the weight of every feature: the sum of factor · value over the rows, in their order.

    ``factors`` has a column for each output. The result does not depend on the number of threads.

    >>> rows = KeyRows(np.array([0, 2, 3]), np.array([9, 7, 9], dtype=np.uint64), np.array([1.0, 2.0, 3.0]))
    >>> table = sum_weights(rows, np.array([[0.5], [1.0]]))
    >>> table.keys.tolist(), find_weights(np.array([9, 8], dtype=np.uint64), table).tolist()
    ([7, 9], [[3.5], [0.0]])
    """
    return sum_and_count(rows, factors, n_jobs)[0]


def sum_and_count(rows: KeyRows, factors: Floats, n_jobs: int | None = None) -> tuple[WeightTable, Numbers]:
    """Return the weight of every feature, and how many rows have it.

    >>> rows = KeyRows(np.array([0, 2, 3]), np.array([9, 7, 9], dtype=np.uint64), np.array([1.0, 2.0, 3.0]))
    >>> sum_and_count(rows, np.array([[0.5], [1.0]]))[1].tolist()
    [1, 2]
    """
    numbers, distinct = number_keys(rows.keys, n_jobs)
    order = np.argsort(distinct)
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    weights, counts = _add_up(rows.indptr, ranks[numbers], rows.values, np.ascontiguousarray(factors), len(distinct))
    return make_table(distinct[order], np.arange(len(distinct), dtype=np.uint32), weights), counts


@compiled
def _add_up(indptr, numbers, values, factors, size):
    """Return the weight of every feature, and how many rows have it."""
    weights, counts = np.zeros((size, factors.shape[1])), np.zeros(size, np.uint32)
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            counts[numbers[entry]] += np.uint32(1)
            for output in range(factors.shape[1]):
                weights[numbers[entry], output] += factors[row, output] * values[entry]
    return weights, counts


def make_table(keys: Keys, numbers: Numbers, weights: Floats) -> WeightTable:
    """Return a table of keys in ascending order, each with the number of its row of weights."""
    # The bit map has at least 8 bits for each key, and 64 bits in a word.
    present = np.zeros(1 << max(0, int(size_table(4 * len(keys))) - 6), np.uint64)
    _mark_keys(keys, present)
    return WeightTable(keys, numbers, weights, start_keys(keys), present)


def start_keys(keys: Keys) -> Numbers:
    """Return where the keys with the same top bits begin, for keys in ascending order.

    >>> start_keys(np.array([1, 2, 2**62, 2**63, 2**63 + 1], np.uint64)).tolist()
    [0, 3, 5]
    """
    starts = np.zeros((1 << max(0, len(keys).bit_length() - 2)) + 1, np.uint32)
    _fill_starts(keys, find_shift(starts), starts)
    return starts


def pack_weights(table: WeightTable) -> State:
    """Return a table in few bytes, without loss."""
    numbers, weights = share_weights(table)
    return State(**pack_keys(table.keys), numbers=pack_numbers(numbers), weights=weights)


def unpack_weights(state: State, outputs: int) -> WeightTable:
    """Return the table that `pack_weights` wrote, after checking that its parts fit together.

    >>> rows = KeyRows(np.array([0, 2]), np.array([7, 9], dtype=np.uint64), np.array([2.0, 3.0]))
    >>> unpack_weights(pack_weights(sum_weights(rows, np.array([[0.5]]))), 1).weights.tolist()
    [[1.0], [1.5]]
    """
    PACKED_TABLE.check(state, "table of weights", {"outputs": outputs})
    keys, weights = unpack_keys(state["tops"], state["rests"]), state["weights"]
    numbers = unpack_numbers(state["numbers"], len(weights)).astype(np.uint32)
    if len(keys) >= MOST_ENTRIES:
        raise ModelFileError("its table of weights is damaged")
    return make_table(keys, numbers, weights)


def share_weights(table: WeightTable) -> tuple[Numbers, Floats]:
    """Return for every key the number of its row of weights, and the rows; equal ones of a new table become one.

    >>> rows = KeyRows(np.array([0, 2]), np.array([7, 9], dtype=np.uint64), np.array([2.0, 2.0]))
    >>> numbers, weights = share_weights(sum_weights(rows, np.array([[0.5]])))
    >>> numbers.tolist(), weights.tolist()
    ([0, 0], [[1.0]])
    """
    if not np.array_equal(table.numbers, np.arange(len(table.numbers))):  # keys share rows already
        return table.numbers, table.weights
    weights = np.ascontiguousarray(table.weights)
    signatures = sign_rows(weights.view(np.uint64))
    codes, distinct = number_keys(signatures)
    first = np.empty(len(distinct), np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    if not np.array_equal(weights[first][codes], weights):  # two different rows with one signature: keep all
        return table.numbers, table.weights
    return codes.astype(np.uint32)[table.numbers], weights[first]


def sign_rows(cells: Keys) -> Keys:
    """Return a 64-bit signature of every row; that of a row with one cell is the cell, well mixed."""
    signatures = np.zeros(len(cells), np.uint64)
    for column in range(cells.shape[1]):
        signatures = (signatures ^ cells[:, column]) * np.uint64(0x9E3779B97F4A7C15)
        signatures = (signatures ^ (signatures >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
        signatures = signatures ^ (signatures >> np.uint64(32))
    return signatures


@compiled
def _mark_keys(keys, present):
    mask = np.uint64(64 * len(present) - 1)
    for index in range(len(keys)):
        bit = keys[index] & mask
        present[np.int64(bit >> np.uint64(6))] |= np.uint64(1) << (bit & np.uint64(63))


@compiled
def _fill_starts(keys, shift, starts):
    for index in range(len(keys)):
        top = np.int64(keys[index] >> np.uint64(shift)) if shift < 64 else 0
        starts[top + 1] += np.uint32(1)
    for top in range(len(starts) - 1):
        starts[top + 1] += starts[top]


@inlined
def find_place(key, keys, starts, shift):
    """Return the place of a key among sorted keys, -1 if it is not there. ``shift`` leaves the bits of ``starts``."""
    top = np.int64(key >> np.uint64(shift)) if shift < 64 else 0
    low, high = np.int64(starts[top]), np.int64(starts[top + 1])
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < starts[top + 1] and keys[low] == key else -1


@inlined
def find_shift(starts):
    """Return by how many bits a key is shifted to find its place in ``starts``."""
    bits = 0
    while (1 << bits) < len(starts) - 1:
        bits += 1
    return 64 - bits


@compiled
def _find_weights(wanted, keys, numbers, weights, starts, found):
    shift = find_shift(starts)
    for index in range(len(wanted)):
        place = find_place(wanted[index], keys, starts, shift)
        if place >= 0:
            for output in range(weights.shape[1]):
                found[index, output] = weights[numbers[place], output]


def find_weights(keys: Keys, table: WeightTable) -> Floats:
    """Return the weights of features by their keys; 0 for a feature that the table does not have."""
    found = np.zeros((len(keys), table.weights.shape[1]))
    _find_weights(keys, *table[:4], found)
    return found


@inlined
def _add_entries(
    keys, values, start, stop, table_keys, numbers, weights, starts, present, kept, first, last, near, sums
):  # fmt: skip
    """Add value · weight of the entries from ``start`` to ``stop`` to the sums, in their order.

    All features of a chunk take one step after the other, so that the processor waits for the memory of many at once.
    ``kept``, ``first``, ``last`` and ``near`` are scratch space for a chunk.
    """
    shift, low = find_shift(starts), np.uint64(64 * len(present) - 1)
    one_bit, word_bits, in_word = np.uint64(1), np.uint64(6), np.uint64(63)
    most = len(table_keys) - 1
    for begin in range(start, stop, CHUNK):
        count = 0
        for entry in range(begin, min(begin + CHUNK, stop)):
            bit = keys[entry] & low
            kept[count] = entry
            count += np.int64((present[np.int64(bit >> word_bits)] >> (bit & in_word)) & one_bit)
        for index in range(count):
            top = np.int64(keys[kept[index]] >> np.uint64(shift)) if shift < 64 else 0
            first[index] = starts[top]
            last[index] = starts[top + 1]
        for index in range(count):  # without a branch, so that no search waits for the memory of another
            near[index] = table_keys[min(np.int64(first[index]), most)]
        found = 0
        for index in range(count):
            key, at, end = keys[kept[index]], np.int64(first[index]), np.int64(last[index])
            while end - at > FEW_KEYS:
                middle = (at + end) >> 1
                if table_keys[middle] <= key:
                    at = middle
                else:
                    end = middle
            other = near[index] if at == first[index] else table_keys[at]
            while other < key and at + 1 < end:
                at += 1
                other = table_keys[at]
            kept[found] = kept[index]
            first[found] = at
            found += np.int64((at < end) & (other == key))
        for index in range(found):
            last[index] = numbers[first[index]]
        for index in range(found):
            for output in range(len(sums)):
                sums[output] += values[kept[index]] * weights[last[index], output]


@compiled
def add_scores(scores, scale, indptr, keys, values, table_keys, numbers, weights, starts, present):
    """Add Σ value · weight over the features of each row, times the scale of the row, to its scores."""
    kept = np.empty(CHUNK, np.int64)
    first, last = np.empty(CHUNK, np.uint32), np.empty(CHUNK, np.uint32)
    near = np.empty(CHUNK, np.uint64)
    sums = np.empty(scores.shape[1])
    for row in range(len(scale) if len(table_keys) else 0):  # pairs without a common word have no rule with a wildcard
        sums[:] = 0.0
        _add_entries(
            keys, values, indptr[row], indptr[row + 1], table_keys, numbers, weights, starts, present, kept, first,
            last, near, sums,
        )  # fmt: skip
        for output in range(len(sums)):
            scores[row, output] += sums[output] * scale[row]
