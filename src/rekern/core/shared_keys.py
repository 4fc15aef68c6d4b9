"""Rows reduced to the keys that several of them have, one for each group of keys that are in the same rows.

The products of different rows need only these keys. Most keys are in one row only, and texts that are used several
times have many keys that are in the same rows with the same values.

The entries are divided into parts by the top bits of their keys, so that the table of a part stays in the cache. All
entries of a key are in one part, so that threads share the parts and nothing else.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rekern.core.array_core import find_longest
from rekern.core.arrays import Floats, Ints, SmallInts, offsets_of
from rekern.core.compiling import compiled
from rekern.core.hashing import mix, size_table
from rekern.core.key_index import check_entries, take_numbers
from rekern.core.key_rows import KeyRows, divide_blocks
from rekern.core.parallel_jobs import FEWEST
from rekern.core.parallel_steps import Steps, split_shares

PART_BITS = 14  # parts of about 2 to the power of this many entries


class SharedKeys(NamedTuple):
    """Entries over numbered keys, each of which stands for one or several equal keys.

    The entries of each part follow one another, and so do the keys, so that no key is in two parts.
    """

    starts: Ints  # where each part begins
    numbers: SmallInts  # of the key of each entry, from 0 up; -1 for an entry that is not needed
    rows: SmallInts  # of each entry, ascending within a part
    values: Floats
    counts: Ints  # how many rows have each key
    times: Ints  # how many keys it stands for

    def cut(self, n: int) -> list[tuple[int, int]]:
        """Cut the entries between parts into at most ``n`` ranges for as many threads.

        >>> nothing = np.zeros(0, np.int64)
        >>> SharedKeys(np.array([0, 5, 6, 10]), nothing, nothing, nothing, nothing, nothing).cut(2)
        [(0, 5), (5, 10)]
        """
        wanted = np.arange(1, n) * self.starts[-1] // n
        inner = self.starts[np.searchsorted(self.starts, wanted)]
        bounds = np.unique(np.concatenate([[0], inner, self.starts[-1:]])).tolist()
        return list(pairwise(bounds))


def share_blocks(blocks: list[KeyRows], shares: int, release: bool = False) -> Steps[SharedKeys]:
    """Return the entries of rows without the keys that only one row has, and with one of each group of equal keys.

    Keys are equal if the same rows have them with the same values. This is found by a 64-bit signature, as the keys
    themselves stand for what they were made of. The rows are in blocks, one below the other. The result does not depend
    on ``shares``, the number of calls of a step. With ``release`` the list of blocks is emptied as soon as they are
    divided, so that the rest fits into their memory.

    >>> from rekern.core.parallel_steps import run_together
    >>> keys = np.array([7, 8, 9, 7, 8], dtype=np.uint64)  # in rows of three and two keys
    >>> rows = KeyRows(np.array([0, 3, 5]), keys, np.array([2.0, 2.0, 1.0, 3.0, 3.0]))
    >>> (found,) = run_together([share_blocks([rows], 1)])
    >>> found.numbers.tolist(), found.rows.tolist(), found.counts.tolist(), found.times.tolist()
    ([0, -1, -1, 0, -1], [0, 0, 0, 1, 1], [2], [2])
    """
    size = sum(len(block.keys) for block in blocks)
    check_entries(size)
    divided = yield from divide_blocks(blocks, max(1, size.bit_length() - PART_BITS), shares)
    starts, keys, row_of, values = divided
    if release:
        blocks.clear()
    parts = len(starts) - 1
    codes, sizes = np.empty(size, np.int32), np.zeros(parts, np.int64)
    spans = split_shares(parts, shares)
    arrays = (starts, keys, row_of, values.view(np.uint64), codes, sizes)
    signed = yield [(_sign_parts, *span, *arrays) for span in spans]
    del divided, keys, arrays
    signatures, counts = (np.concatenate(column) for column in zip(*signed))
    groups, distinct = yield from take_numbers(signatures, max(1, min(shares, len(signatures) // FEWEST)))
    ((kept, firsts, times),) = yield [(_rank_groups, groups, len(distinct))]
    before = offsets_of(sizes)
    yield [(_number_entries, *span, starts, before, kept, codes) for span in spans]
    return SharedKeys(starts, codes, row_of, values, counts[firsts].astype(np.int64), times)


@compiled
def _sign_parts(first, last, starts, keys, rows, bits, codes, sizes):
    """Number the keys of each part that several rows have, in ``codes``; return their signatures and counts.

    ``bits`` are those of the values; the code of a key that only one row has is -1.
    """
    most = (starts[last] - starts[first]) // 2
    signatures, counts = np.empty(most, np.uint64), np.empty(most, np.int32)
    done = 0
    largest = find_longest(starts[first : last + 1])
    table = np.empty(1 << size_table(largest), np.int32)
    own = np.empty(largest, np.uint64)
    times, number = np.empty(largest, np.int32), np.empty(largest, np.int32)
    for part in range(first, last):
        begin, end = starts[part], starts[part + 1]
        mask = (1 << size_table(end - begin)) - 1
        table[: mask + 1] = -1
        size = 0
        for entry in range(begin, end):
            key = keys[entry]
            slot = np.int64(key & np.uint64(mask))
            while table[slot] >= 0 and own[table[slot]] != key:
                slot = (slot + 1) & mask
            if table[slot] < 0:
                table[slot] = size
                own[size] = key
                times[size] = 0
                size += 1
            times[table[slot]] += 1
            codes[entry] = table[slot]
        shared = 0
        for code in range(size):
            number[code] = -1
            if times[code] > 1:
                number[code] = shared
                signatures[done + shared] = np.uint64(0)
                counts[done + shared] = times[code]
                shared += 1
        for entry in range(begin, end):
            code = number[codes[entry]]
            codes[entry] = code
            if code >= 0:
                place = mix(np.uint64(rows[entry] + 1) * np.uint64(0x9E3779B97F4A7C15))
                signatures[done + code] += mix(place ^ bits[entry])
        sizes[part] = shared
        done += shared
    return signatures[:done].copy(), counts[:done].copy()


@compiled
def _rank_groups(groups, size):
    """Number groups by their first keys: the number of each such key, -1 for others; first keys; sizes of groups."""
    kept = np.empty(len(groups), np.int32)
    rank_of = np.full(size, -1, np.int32)
    firsts, times = np.empty(size, np.int64), np.empty(size, np.int64)
    found = 0
    for key in range(len(groups)):
        rank = rank_of[groups[key]]
        if rank < 0:
            rank_of[groups[key]] = found
            kept[key] = found
            firsts[found] = key
            times[found] = 1
            found += 1
        else:
            kept[key] = -1
            times[rank] += 1
    return kept, firsts, times


@compiled
def _number_entries(first, last, starts, before, kept, codes):
    """Replace the number of a key within its part by its number among the keys that are kept, or by -1."""
    for part in range(first, last):
        for entry in range(starts[part], starts[part + 1]):
            if codes[entry] >= 0:
                codes[entry] = kept[before[part] + codes[entry]]
