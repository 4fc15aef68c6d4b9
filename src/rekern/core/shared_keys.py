"""Rows reduced to the keys that several of them have, one for each group of keys that are in the same rows.

Products of different rows need no more than these. Most keys are in one row only, and of texts that are used several
times many keys are in the same rows with the same values.

The entries are divided into parts by the top bits of their keys, so that the table of a part stays in the cache.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from typing import NamedTuple

import numpy as np

from rekern.core.arrays import AnyArray, Floats, Ints, SmallInts, offsets_of
from rekern.core.compiling import compiled
from rekern.core.hashing import mix, size_table
from rekern.core.key_index import number_keys
from rekern.core.key_rows import KeyRows, divide_blocks
from rekern.core.parallel_jobs import count_threads, run_in_threads, split_range

PART_BITS = 14  # parts of about 2 to the power of this many entries
THREAD_BITS = 18  # entries, to the power of two, for which one thread is enough
MOST_ENTRIES = 1 << 31


class SharedKeys(NamedTuple):
    """Rows over numbered keys, each of which stands for one or several equal keys."""

    indptr: Ints
    numbers: SmallInts  # of the keys of each row, from 0 up
    values: Floats
    counts: Ints  # how many rows have each key
    times: Ints  # how many keys it stands for


def share_keys(rows: KeyRows, n_jobs: int | None = None) -> SharedKeys:
    """Return rows without the keys that only one row has, and with one of each group of equal keys.

    Keys are equal if the same rows have them with the same values. This is found by a 64-bit signature, as the keys
    themselves stand for what they were made of. The result does not depend on the number of jobs.

    >>> keys = np.array([7, 8, 9, 7, 8], dtype=np.uint64)  # in rows of three and two keys
    >>> found = share_keys(KeyRows(np.array([0, 3, 5]), keys, np.array([2.0, 2.0, 1.0, 3.0, 3.0])))
    >>> found.indptr.tolist(), found.values.tolist(), found.counts.tolist(), found.times.tolist()
    ([0, 1, 2], [2.0, 3.0], [2], [2])
    """
    return share_blocks([rows], n_jobs)


def share_blocks(blocks: list[KeyRows], n_jobs: int | None = None, release: bool = False) -> SharedKeys:
    """Return the same as `share_keys` of all blocks of rows, one below the other, which are never put together.

    With ``release`` the list of blocks is emptied as soon as they are divided, so that the rest fits into their memory.
    """
    size, height = sum(len(block.keys) for block in blocks), sum(len(block.indptr) - 1 for block in blocks)
    if size >= MOST_ENTRIES:
        raise ValueError(f"{size:,} features are too many for one matrix; use a smaller k or fewer pairs")
    n_jobs = max(1, min(count_threads(n_jobs), size >> THREAD_BITS))
    starts, keys, row_of, values = divide_blocks(blocks, max(1, size.bit_length() - PART_BITS), n_jobs)
    if release:
        blocks.clear()
    parts = len(starts) - 1
    codes, sizes = np.empty(size, np.int32), np.zeros(parts, np.int64)
    arrays = (starts, keys, row_of, values.view(np.uint64), codes, sizes)
    spans = split_range(parts, max(16, parts // 16))
    signed = run_in_threads(_sign_parts, [(*span, *arrays) for span in spans], n_jobs)
    del keys, arrays
    signatures, counts = (np.concatenate(column) for column in zip(*signed))
    before = np.concatenate([[0], np.cumsum(sizes)])
    groups, distinct = number_keys(signatures, n_jobs)
    first = np.empty(len(distinct), np.int64)
    first[groups[::-1]] = np.arange(len(groups) - 1, -1, -1)
    times = np.bincount(groups, minlength=len(distinct))[groups[np.sort(first)]]
    first.sort()
    kept = np.full(len(groups), -1, np.int32)
    kept[first] = np.arange(len(first), dtype=np.int32)
    indptr, numbers, listed = _list_entries((starts, before, codes, kept, row_of), height, values, n_jobs)
    return SharedKeys(indptr, numbers, listed, counts[first].astype(np.int64), times)


def _list_entries(
    coded: tuple[AnyArray, ...], height: int, values: Floats, n_jobs: int | None
) -> tuple[Ints, SmallInts, Floats]:
    """Return the entries of the keys that are kept, row by row; within a row in the order of the parts."""
    parts = len(coded[1]) - 1
    spans = split_range(parts, max(1, -(-parts // count_threads(n_jobs))))
    counts = np.zeros((len(spans), height), np.int64)  # of the entries that each span of parts has in each row
    run_in_threads(_count_entries, [(*span, *coded, own) for span, own in zip(spans, counts)], n_jobs)
    indptr = offsets_of(counts.sum(axis=0))
    fills = indptr[:-1] + np.cumsum(counts, axis=0) - counts
    numbers, listed = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    calls = [(*span, *coded, own, values, numbers, listed) for span, own in zip(spans, fills)]
    run_in_threads(_place_entries, calls, n_jobs)
    return indptr, numbers, listed


@compiled
def _sign_parts(first, last, starts, keys, rows, bits, codes, sizes):
    """Number the keys of each part that several rows have, in ``codes``; return their signatures and counts.

    ``bits`` are those of the values; the code of a key that only one row has is -1.
    """
    most = (starts[last] - starts[first]) // 2
    signatures, counts = np.empty(most, np.uint64), np.empty(most, np.int32)
    done = 0
    largest = 0
    for part in range(first, last):
        largest = max(largest, starts[part + 1] - starts[part])
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
def _count_entries(first, last, starts, before, codes, kept, row_of, counts):
    """Count the entries of each row whose keys are kept, in the parts from ``first`` to ``last - 1``."""
    for part in range(first, last):
        for entry in range(starts[part], starts[part + 1]):
            if codes[entry] >= 0 and kept[before[part] + codes[entry]] >= 0:
                counts[row_of[entry]] += 1


@compiled
def _place_entries(first, last, starts, before, codes, kept, row_of, fill, values, numbers, listed):
    """Write these entries to the places of their rows, which begin as ``fill`` says."""
    for part in range(first, last):
        for entry in range(starts[part], starts[part + 1]):
            if codes[entry] >= 0:
                number = kept[before[part] + codes[entry]]
                if number >= 0:
                    at = fill[row_of[entry]]
                    fill[row_of[entry]] = at + 1
                    numbers[at] = number
                    listed[at] = values[entry]
