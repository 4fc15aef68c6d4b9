"""Features with weights in buckets as large as a line of the processor's cache: a look-up waits for memory once.

The first bits of a key give its bucket, so that a cell of the bucket needs only the other bits of the key. In their
place it has the number of the row of weights. Keys that find their bucket full are in a small table beside it.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Keys
from rekern.core.compiling import compiled, uncounted
from rekern.core.weight_table import Numbers, WeightTable, find_place, find_shift, start_keys

CELLS = 8  # of a bucket, 8 bytes each
MOST_KEYS = 5  # of a bucket, on average
CACHE_LINE = 64  # bytes
FEW_BITS = 12  # of the number of a bucket: so many buckets may be mostly empty
CHUNK = 256  # keys whose buckets stay in the fastest cache
NONE, ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT = np.arange(
    9, dtype=np.uint64
)  # an index without a sign costs less
WORD_BITS, IN_WORD = np.uint64(6), np.uint64(63)


class WeightBuckets(NamedTuple):
    """The cells of all buckets, how many bits of a key give the bucket, and how many bits of a cell the row of weights.

    A cell has the other bits of a key, then the number of its row of weights, counted from 1. An empty cell is 0.
    There are no cells if the numbers of the rows have too many bits: then keys are looked up in the table itself.
    """

    cells: Keys
    bucket_bits: int
    number_bits: int
    more_keys: Keys  # those that found their bucket full, in ascending order
    more_numbers: Numbers
    more_starts: Numbers  # as in a table of weights


def make_buckets(table: WeightTable) -> WeightBuckets:
    """Return the buckets of a table of weights.

    >>> from rekern.core.weight_table import make_table
    >>> table = make_table(np.array([5, 2**63], np.uint64), np.array([0, 0], np.uint32), np.ones((1, 1)))
    >>> found = make_buckets(table)
    >>> found.bucket_bits, found.number_bits, found.cells[::CELLS].tolist()
    (1, 1, [11, 1])
    """
    number_bits = max(1, len(table.weights).bit_length())
    least = max(1, (len(table.keys) // MOST_KEYS).bit_length())
    bucket_bits = max(least, number_bits)
    if bucket_bits > max(least + 1, FEW_BITS):
        nothing = np.zeros(0, np.uint32)
        return WeightBuckets(np.zeros(0, np.uint64), 0, 0, np.zeros(0, np.uint64), nothing, nothing)
    room = np.zeros((CELLS << bucket_bits) + CELLS, np.uint64)
    first = -room.ctypes.data % CACHE_LINE // room.itemsize
    cells = room[first : first + (CELLS << bucket_bits)]
    left = _fill_buckets(table.keys, table.numbers, bucket_bits, number_bits, cells)
    more = table.keys[left]
    return WeightBuckets(cells, bucket_bits, number_bits, more, table.numbers[left], start_keys(more))


@compiled
def _fill_buckets(keys, numbers, bucket_bits, number_bits, cells):
    """Fill the cells, and return the places of the keys that find their bucket full."""
    shift, own, up = np.uint64(64 - bucket_bits), np.uint64(bucket_bits), np.uint64(number_bits)
    left = np.empty(len(keys), np.int64)
    count = size = 0
    for index in range(len(keys)):
        key = keys[index]
        size = size + 1 if index > 0 and keys[index - 1] >> shift == key >> shift else 0
        if size < CELLS:
            cells[CELLS * np.int64(key >> shift) + size] = (((key << own) >> own) << up) | (numbers[index] + ONE)
        else:
            left[count] = index
            count += 1
    return left[:count].copy()


@uncounted
def add_from_buckets(keys, values, size, mask, weights, present, buckets, kept, near, sums, row):
    """Add value · weight of the first ``size`` keys to a row of sums, in their order; only bits in ``mask`` count.

    ``present`` is the bit map of the table of weights. All keys of a chunk take one step after the other, so that the
    processor waits for the memory of many at once. ``kept`` and ``near`` are scratch space for a chunk.
    """
    cells, bucket_bits, number_bits, more_keys, more_numbers, more_starts = buckets
    shift, own, up = np.uint64(64 - bucket_bits), np.uint64(bucket_bits), np.uint64(number_bits)
    low, of_map = (ONE << up) - ONE, np.uint64(64 * len(present) - 1)
    for begin in range(0, size, CHUNK):
        count = 0
        for entry in range(begin, min(begin + CHUNK, size)):
            bit = keys[entry] & mask & of_map
            kept[count] = entry
            count += np.int64((present[bit >> WORD_BITS] >> (bit & IN_WORD)) & ONE)
        for index in range(count):
            near[index] = cells[((keys[np.uint64(kept[index])] & mask) >> shift) << THREE]
        found = 0
        for index in range(count):
            entry = np.uint64(kept[index])
            key = keys[entry] & mask
            first = (key >> shift) << THREE
            rest = ((key << own) >> own) << up
            # The least difference is the number of the row, if a cell has the same bits of the key.
            one = min(near[index] ^ rest, cells[first | ONE] ^ rest)
            two = min(cells[first | TWO] ^ rest, cells[first | THREE] ^ rest)
            three = min(cells[first | FOUR] ^ rest, cells[first | FIVE] ^ rest)
            last = cells[first | SEVEN]
            four = min(cells[first | SIX] ^ rest, last ^ rest)
            number = min(min(one, two), min(three, four))
            if number > low and last != NONE:
                place = find_place(key, more_keys, more_starts, find_shift(more_starts))
                number = more_numbers[place] + ONE if place >= 0 else NONE
            elif number == NONE:  # these bits of the key are 0, as an empty cell is
                for cell in range(first, first + EIGHT):
                    number = max(number, cells[cell]) if cells[cell] <= low else number
            kept[found] = np.int64(entry)
            near[found] = number - ONE
            found += np.int64((number <= low) & (number != NONE))
        for output in range(sums.shape[1]):
            total = sums[row, output]
            for index in range(found):
                total += values[np.uint64(kept[index])] * weights[near[index], output]
            sums[row, output] = total
