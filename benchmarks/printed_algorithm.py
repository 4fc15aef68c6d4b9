"""Algorithm 2 of "String Re-writing Kernel" (Bu, Li and Zhu, ACL 2012), line by line as in the paper, compiled.

``paper_algorithms`` explains the terms and has a faster version of the same algorithm.

- Lines 2 to 9 fill two maps, one for the sources and one for the targets, with every pair of k-grams. Hashing a pair of
  k-grams takes O(k) steps, as the paper assumes.
- Line 10 finds the keys that both maps have.
- Lines 11 to 13 call g for every source value and every target value of such a key.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from paper_algorithms import (
    COUNT,
    EMPTY,
    LEFT,
    NEXT,
    RIGHT,
    SPREAD,
    Floats,
    Ids,
    Offsets,
    compute_identical_factor,
    compute_others_factor,
    hash_tokens,
    have_same_doubles,
    tabulate_factors,
)
from rekern.core.compiling import compiled


def gram_printed(ids: Ids, offsets: Offsets, n_pairs: int, k: int, decay: float = 1.0, n_jobs: int = 1) -> Floats:
    """Compute the Gram matrix of a corpus with Algorithm 2: each cell of the upper triangle once, then mirrored.

    >>> from paper_algorithms import flatten_texts
    >>> ids, offsets = flatten_texts([[1, 2, 3], [3, 1], [1, 2, 4], [4, 1]])
    >>> gram_printed(ids, offsets, 2, k=1)
    array([[10.,  6.],
           [ 6., 10.]])
    """
    gram = np.zeros((n_pairs, n_pairs))
    constants = (*tabulate_factors(k, decay), *hash_tokens(ids))

    def fill_rows(first: int) -> None:
        maps = _allocate_map(offsets, k), _allocate_map(offsets, k)
        _fill_rows(ids, offsets, n_pairs, first, n_jobs, k, *constants, *maps, gram)

    with ThreadPoolExecutor(n_jobs) as threads:
        list(threads.map(fill_rows, range(n_jobs)))
    return np.triu(gram) + np.triu(gram, 1).T


def _allocate_map(offsets: Offsets, k: int) -> tuple[np.ndarray, ...]:
    """Allocate one map: slots, hashes of keys, hashes of values, and values."""
    windows = max(int(np.diff(offsets).max(initial=0)) - k + 1, 1) ** 2
    slots = np.empty(1 << (8 * windows - 1).bit_length(), dtype=np.int32)
    return slots, np.empty(windows, np.uint64), np.empty(windows, np.uint64), np.empty((windows, 5), np.int32)


@compiled
def _fill_rows(ids, offsets, n_pairs, first, step, k, identical, others, left, right, source_room, target_room, gram):
    source_slots, source_keys, source_hashes, sources = source_room
    target_slots, target_keys, target_hashes, targets = target_room
    for p in range(first, n_pairs, step):
        for q in range(p, n_pairs):
            s1, t1, end1 = offsets[2 * p], offsets[2 * p + 1], offsets[2 * p + 2]
            s2, t2, end2 = offsets[2 * q], offsets[2 * q + 1], offsets[2 * q + 2]
            if min(t1 - s1, end1 - t1, t2 - s2, end2 - t2) < k:
                continue
            _, bits = _fill(ids, s1, t1, s2, t2, k, left, right, source_slots, source_keys, source_hashes, sources)
            _, target_bits = _fill(
                ids, t1, end1, t2, end2, k, left, right, target_slots, target_keys, target_hashes, targets
            )
            mask, shift = np.uint64((1 << target_bits) - 1), np.uint64(64 - target_bits)
            result = 0.0
            for at in range(1 << bits):  # line 10: keys that both maps have
                key = source_slots[at]
                if key == EMPTY:
                    continue
                i, j = sources[key, LEFT], sources[key, RIGHT]
                slot = (source_keys[key] * SPREAD) >> shift
                match = target_slots[slot]
                while match != EMPTY and not (
                    target_keys[match] == source_keys[key]
                    and have_same_doubles(ids, i, j, targets[match, LEFT], targets[match, RIGHT], k, True)
                ):
                    slot = (slot + np.uint64(1)) & mask
                    match = target_slots[slot]
                vs = key if match != EMPTY else EMPTY
                while vs != EMPTY:
                    vt = match
                    while vt != EMPTY:
                        g = compute_others_factor(ids, sources[vs, LEFT], sources[vs, RIGHT], k, others)
                        g *= compute_identical_factor(
                            ids,
                            sources[vs, LEFT],
                            sources[vs, RIGHT],
                            targets[vt, LEFT],
                            targets[vt, RIGHT],
                            k,
                            identical,
                        )
                        result += sources[vs, COUNT] * targets[vt, COUNT] * g
                        vt = targets[vt, NEXT]
                    vs = sources[vs, NEXT]
            gram[p, q] = result


@compiled
def _fill(ids, a, a_end, b, b_end, k, left, right, slots, key_hashes, value_hashes, values):
    """Run lines 2 to 5 (or 6 to 9): fill the map and count. Return the number of values and of bits."""
    bits = 1
    while 1 << bits < 8 * (a_end - a - k + 1) * (b_end - b - k + 1):
        bits += 1
    slots[: 1 << bits] = EMPTY
    mask, shift = np.uint64((1 << bits) - 1), np.uint64(64 - bits)
    size = 0
    for i in range(a, a_end - k + 1):
        for j in range(b, b_end - k + 1):
            key_hash = np.uint64(0)
            value_hash = np.uint64(0)
            for d in range(k):
                double = left[i + d] * right[j + d]
                value_hash += double
                if ids[i + d] != ids[j + d]:
                    key_hash += double
            slot = (key_hash * SPREAD) >> shift
            key = slots[slot]
            while key != EMPTY and not (
                key_hashes[key] == key_hash
                and have_same_doubles(ids, i, j, values[key, LEFT], values[key, RIGHT], k, True)
            ):
                slot = (slot + np.uint64(1)) & mask
                key = slots[slot]
            value = key
            while value != EMPTY and not (
                value_hashes[value] == value_hash
                and have_same_doubles(ids, i, j, values[value, LEFT], values[value, RIGHT], k, False)
            ):
                value = values[value, NEXT]
            if value != EMPTY:
                values[value, COUNT] += 1
                continue
            value_hashes[size] = value_hash
            values[size, LEFT] = i
            values[size, RIGHT] = j
            values[size, COUNT] = 1
            if key == EMPTY:
                slots[slot] = size
                key_hashes[size] = key_hash
                values[size, NEXT] = EMPTY
            else:
                values[size, NEXT] = values[key, NEXT]
                values[key, NEXT] = size
            size += 1
    return size, bits
