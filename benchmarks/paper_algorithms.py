"""Algorithms 1 and 2 of "String Re-writing Kernel" (Bu, Li and Zhu, ACL 2012), compiled.

The benchmarks compare Rekern with them. The kernel counts re-writing rules with aligned wildcards (kb-SRK), with k
tokens on both sides of a rule. It compares two pairs of texts. A *double* has one token from each
pair. A double is *identical* if its two tokens are the same.

Algorithm 2 compares all k-grams of the two sources with each other, and all k-grams of the two targets. Two k-grams
give k doubles. The *key* is the multiset of the doubles that are not identical; the *value* is the multiset of all
doubles. For every key that both the sources and the targets have, the algorithm calls g for each source value and each
target value of the key.

The paper uses hash maps. This version makes them as fast as it can without changing the algorithm:

- The hash of a multiset is the sum of the hashes of its doubles. The next hash on a diagonal takes constant time for
  any k.
- A map is a hash table with open addressing, at most one eighth full. It leads from a key to the chain of its values
  and their frequencies. Equal hashes are always checked by comparing the doubles, so the result is exact.
- A target value is stored only if the source map has its key. Lines 10 to 13 never look at the others.
- The sums over i in Algorithm 1 depend on two counts. A table of them is made once for each k and decay.

Texts are flat: ``ids`` (int32) has the token numbers, text n is ``ids[offsets[n]:offsets[n + 1]]`` (offsets are int64).
Pair i has the texts 2 i (source) and 2 i + 1 (target).
"""

from concurrent.futures import ThreadPoolExecutor
from math import comb, factorial
from typing import Any

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from rekern.core.compiling import compiled

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]
Floats = NDArray[np.float64]

# A value is a row of five numbers: the start of its first two k-grams in the left and in the right text, its frequency,
# the next value with the same key, and the first target value with that key (only in the first source value of a key).
LEFT, RIGHT, COUNT, NEXT, TARGET = range(5)
SPREAD = np.uint64(0x9E3779B97F4A7C15)
EMPTY = np.int32(-1)

inlined = numba.njit(nogil=True, inline="always")


def kbar(as1: ArrayLike, at1: ArrayLike, as2: ArrayLike, at2: ArrayLike, decay: float = 1.0) -> float:
    """Run Algorithm 1: the kernel of two pairs of k-grams, (as1, at1) and (as2, at2), as token numbers.

    >>> s1, t1, s2, t2 = ([ord(c) for c in text] for text in ("abbccbb", "cbcbbcb", "abcccdd", "cbccdcd"))
    >>> kbar(s1, t1, s2, t2)   # Figure 2: 12 + 24 + 14 + 2
    52.0
    """
    ids, offsets = flatten_texts([as1, at1, as2, at2])
    k = int(offsets[1])
    if not np.array_equal(offsets, k * np.arange(5)):
        raise ValueError("Algorithm 1 compares k-grams: give four texts of the same length")
    return float(_compute_kbar(ids, k, *tabulate_factors(k, decay)))


def algorithm2(
    s1: ArrayLike, t1: ArrayLike, s2: ArrayLike, t2: ArrayLike, k: int, decay: float = 1.0
) -> tuple[float, int]:
    """Run Algorithm 2: the kernel of two pairs of texts, (s1, t1) and (s2, t2), and the number C of calls of g.

    >>> algorithm2([1, 2, 3], [3, 1], [1, 2, 4], [4, 1], k=1)   # 1→1, 2→1, and ⟨1⟩→⟨1⟩ (2 places in each pair)
    (6.0, 5)
    """
    ids, offsets = flatten_texts([s1, t1, s2, t2])
    value, calls = _evaluate_cells(
        ids, offsets, np.array([[0, 1]]), k, *tabulate_factors(k, decay), *hash_tokens(ids), allocate_maps(offsets, k)
    )
    return float(value[0]), int(calls[0])


def gram_algorithm2(ids: Ids, offsets: Offsets, n_pairs: int, k: int, decay: float = 1.0, n_jobs: int = 1) -> Floats:
    """Compute the Gram matrix of a corpus with Algorithm 2: each cell of the upper triangle once, then mirrored.

    >>> ids, offsets = flatten_texts([[1, 2, 3], [3, 1], [1, 2, 4], [4, 1]])
    >>> gram_algorithm2(ids, offsets, 2, k=1)
    array([[10.,  6.],
           [ 6., 10.]])
    """
    gram = np.zeros((n_pairs, n_pairs))
    identical, others = tabulate_factors(k, decay)
    left, right = hash_tokens(ids)

    def fill_rows(first: int) -> None:
        _fill_rows(
            ids, offsets, n_pairs, first, n_jobs, k, identical, others, left, right, allocate_maps(offsets, k), gram
        )

    with ThreadPoolExecutor(n_jobs) as threads:
        list(threads.map(fill_rows, range(n_jobs)))
    return np.triu(gram) + np.triu(gram, 1).T


def count_calls_over_length(ids: Ids, offsets: Offsets, pairs_index: ArrayLike, k: int) -> Floats:
    """Compute C / n_avg**2 of Figure 6: the calls of g divided by the squared mean length of the four texts.

    Each row (i, j) of ``pairs_index`` has the numbers of two pairs.

    >>> ids, offsets = flatten_texts([[1, 2, 3], [3, 1], [1, 2, 4], [4, 1]])
    >>> count_calls_over_length(ids, offsets, [(0, 1)], k=1)   # 5 calls, 2.5 tokens on average
    array([0.8])
    """
    cells = np.asarray(pairs_index, dtype=np.int64).reshape(-1, 2)
    _, calls = _evaluate_cells(
        ids, offsets, cells, k, *tabulate_factors(k, 1.0), *hash_tokens(ids), allocate_maps(offsets, k)
    )
    lengths = np.diff(offsets).reshape(-1, 2).sum(axis=1)
    mean = lengths[cells].sum(axis=1) / 4
    return np.divide(calls, mean**2, out=np.zeros(len(cells)), where=mean > 0)


def flatten_texts(texts: list[Any]) -> tuple[Ids, Offsets]:
    """Put texts of token numbers one after the other, with offsets.

    >>> flatten_texts([[5, 6], [7]])
    (array([5, 6, 7], dtype=int32), array([0, 2, 3]))
    """
    arrays = [np.asarray(text, dtype=np.int32) for text in texts]
    return np.concatenate(arrays), np.cumsum([0, *(len(array) for array in arrays)], dtype=np.int64)


def tabulate_factors(k: int, decay: float) -> tuple[Floats, Floats]:
    """Tabulate lines 5 to 7 of Algorithm 1 for all counts up to k.

    ``identical[a, b]`` is the factor of an identical double that is a times in the source and b times in the target.
    ``others[j]`` is the factor of any other double that is j times in both.

    >>> tabulate_factors(1, 0.5)
    (array([[1.  , 1.  ],
           [1.  , 1.25]]), array([1.  , 0.25]))
    """
    square = decay * decay
    identical = [
        [sum(comb(a, i) * comb(b, i) * factorial(i) * square**i for i in range(min(a, b) + 1)) for b in range(k + 1)]
        for a in range(k + 1)
    ]
    others = [factorial(j) * square**j for j in range(k + 1)]
    return np.array(identical, dtype=np.float64), np.array(others, dtype=np.float64)


def hash_tokens(ids: Ids) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Make two random numbers, left and right, for each token.

    The hash of a double is the left number of its first token times the right number of its second token.

    >>> left, right = hash_tokens(np.array([3, 4, 3], dtype=np.int32))
    >>> bool(left[0] == left[2]), bool(left[0] == left[1]), bool(left[0] == right[0])
    (True, False, False)
    """
    tokens = ids.astype(np.uint64)
    return _mix(tokens + SPREAD), _mix(~tokens)


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    # The finaliser of SplitMix64: neighbouring token numbers become unrelated 64-bit numbers.
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def allocate_maps(offsets: Offsets, k: int) -> tuple[NDArray[Any], ...]:
    """Allocate the maps of one evaluation, large enough for any two pairs of the corpus. Each thread needs its own.

    >>> [table.shape for table in allocate_maps(np.array([0, 3, 5]), k=2)]
    [(32,), (4,), (4,), (4,), (4, 5), (4, 5)]
    """
    windows = max(int(np.diff(offsets).max(initial=0)) - k + 1, 1) ** 2
    slots = np.empty(1 << (8 * windows - 1).bit_length(), dtype=np.int32)
    key_hashes, source_hashes, target_hashes = (np.empty(windows, dtype=np.uint64) for _ in range(3))
    sources, targets = (np.empty((windows, 5), dtype=np.int32) for _ in range(2))
    return slots, key_hashes, source_hashes, target_hashes, sources, targets


# The compiled part. Its array arguments are ids and offsets, identical and others (tabulate_factors), left and right
# (hash_tokens), and room (allocate_maps). _group is one long loop on purpose. If each pair of k-grams called a function
# with arrays, counting references would take longer than the work itself.


@compiled
def _fill_rows(ids, offsets, n_pairs, first, step, k, identical, others, left, right, room, gram):
    for p in range(first, n_pairs, step):
        for q in range(p, n_pairs):
            gram[p, q] = _evaluate(ids, offsets, p, q, k, identical, others, left, right, room)[0]


@compiled
def _evaluate_cells(ids, offsets, cells, k, identical, others, left, right, room):
    values = np.zeros(len(cells), dtype=np.float64)
    calls = np.zeros(len(cells), dtype=np.int64)
    for n in range(len(cells)):
        values[n], calls[n] = _evaluate(ids, offsets, cells[n, 0], cells[n, 1], k, identical, others, left, right, room)
    return values, calls


@compiled
def _evaluate(ids, offsets, p, q, k, identical, others, left, right, room):
    slots, key_hashes, source_hashes, target_hashes, sources, targets = room
    s1, t1, end1 = offsets[2 * p], offsets[2 * p + 1], offsets[2 * p + 2]
    s2, t2, end2 = offsets[2 * q], offsets[2 * q + 1], offsets[2 * q + 2]
    if min(t1 - s1, end1 - t1, t2 - s2, end2 - t2) < k:
        return 0.0, 0
    bits = 1
    while 1 << bits < 8 * (t1 - s1 - k + 1) * (t2 - s2 - k + 1):
        bits += 1
    slots[: 1 << bits] = EMPTY
    n_values = _group(
        ids, s1, t1, s2, t2, k, left, right, slots, bits, key_hashes, sources, source_hashes, sources, True
    )
    _group(ids, t1, end1, t2, end2, k, left, right, slots, bits, key_hashes, sources, target_hashes, targets, False)
    result = 0.0
    calls = 0
    for key in range(n_values):  # lines 10 to 13
        if sources[key, TARGET] == EMPTY:
            continue
        outside = compute_others_factor(ids, sources[key, LEFT], sources[key, RIGHT], k, others)
        vs = np.int32(key)
        while vs != EMPTY:
            vt = sources[key, TARGET]
            while vt != EMPTY:
                g = outside * compute_identical_factor(
                    ids, sources[vs, LEFT], sources[vs, RIGHT], targets[vt, LEFT], targets[vt, RIGHT], k, identical
                )
                result += sources[vs, COUNT] * targets[vt, COUNT] * g
                calls += 1
                vt = targets[vt, NEXT]
            vs = sources[vs, NEXT]
    return result, calls


@compiled
def _group(ids, a, a_end, b, b_end, k, left, right, slots, bits, key_hashes, keys, value_hashes, values, is_source):
    """Run lines 2 to 5 for the sources or lines 6 to 9 for the targets, and return the number of values.

    A key is stored as the first source value that has it. Keys and values of the sources are therefore one table.
    """
    mask = np.uint64((1 << bits) - 1)
    shift = np.uint64(64 - bits)
    n_values = 0
    for diagonal in range(a - a_end + k, b_end - b - k + 1):
        first_i, first_j = a + max(-diagonal, 0), b + max(diagonal, 0)
        key_hash = np.uint64(0)
        value_hash = np.uint64(0)
        for step in range(min(a_end - first_i, b_end - first_j)):
            i, j = first_i + step, first_j + step
            double = left[i] * right[j]
            value_hash += double
            if ids[i] != ids[j]:
                key_hash += double
            if step >= k:
                double = left[i - k] * right[j - k]
                value_hash -= double
                if ids[i - k] != ids[j - k]:
                    key_hash -= double
            if step < k - 1:
                continue
            i, j = i - k + 1, j - k + 1
            slot = (key_hash * SPREAD) >> shift
            key = slots[slot]
            while key != EMPTY and not (
                key_hashes[key] == key_hash and have_same_doubles(ids, i, j, keys[key, LEFT], keys[key, RIGHT], k, True)
            ):
                slot = (slot + np.uint64(1)) & mask
                key = slots[slot]
            if key == EMPTY:
                if not is_source:
                    continue
                slots[slot] = n_values
                key_hashes[n_values] = key_hash
                value = EMPTY
            else:
                value = key if is_source else keys[key, TARGET]
            while value != EMPTY and not (
                value_hashes[value] == value_hash
                and have_same_doubles(ids, i, j, values[value, LEFT], values[value, RIGHT], k, False)
            ):
                value = values[value, NEXT]
            if value != EMPTY:
                values[value, COUNT] += 1
                continue
            value_hashes[n_values] = value_hash
            values[n_values, LEFT] = i
            values[n_values, RIGHT] = j
            values[n_values, COUNT] = 1
            values[n_values, NEXT] = EMPTY
            values[n_values, TARGET] = EMPTY
            if key != EMPTY:
                link = NEXT if is_source else TARGET
                values[n_values, NEXT] = keys[key, link]
                keys[key, link] = n_values
            n_values += 1
    return n_values


@inlined
def have_same_doubles(ids, i1, j1, i2, j2, k, skip_identical):
    """Tell whether two pairs of k-grams have the same multiset of doubles (or of doubles that are not identical)."""
    same = 0
    while same < k and ids[i1 + same] == ids[i2 + same] and ids[j1 + same] == ids[j2 + same]:
        same += 1
    if same == k:  # usually even the order is the same
        return True
    surplus = 0
    for d in range(k):
        x, y = ids[i1 + d], ids[j1 + d]
        surplus += int(x != y) - int(ids[i2 + d] != ids[j2 + d])
        if skip_identical and x == y:
            continue
        balance = 0
        for e in range(k):
            balance += int(ids[i1 + e] == x and ids[j1 + e] == y) - int(ids[i2 + e] == x and ids[j2 + e] == y)
        if balance != 0:
            return False
    return surplus == 0


@inlined
def compute_others_factor(ids, i, j, k, others):
    """Compute the part of g for the doubles at (i, j) that are not identical. The other side has them equally often."""
    result = 1.0
    for d in range(k):
        x, y = ids[i + d], ids[j + d]
        if x != y:
            count = 0
            for e in range(k):
                if ids[i + e] == x and ids[j + e] == y:
                    if e < d:  # already counted
                        count = 0
                        break
                    count += 1
            result *= others[count]
    return result


@inlined
def compute_identical_factor(ids, i1, j1, i2, j2, k, identical):
    """Compute the part of g for the identical doubles of the sources at (i1, j1) and of the targets at (i2, j2)."""
    result = 1.0
    for d in range(k):
        x = ids[i1 + d]
        if ids[j1 + d] == x:
            in_source = 0
            in_target = 0
            for e in range(k):
                if ids[i1 + e] == x and ids[j1 + e] == x:
                    if e < d:  # already counted
                        in_source = 0
                        break
                    in_source += 1
                if ids[i2 + e] == x and ids[j2 + e] == x:
                    in_target += 1
            result *= identical[in_source, in_target]
    return result


@compiled
def _compute_kbar(ids, k, identical, others):
    """Run Algorithm 1 on four k-grams in this order: first source, first target, second source, second target."""
    if not have_same_doubles(ids, 0, 2 * k, k, 3 * k, k, True):
        return 0.0
    return compute_others_factor(ids, 0, 2 * k, k, others) * compute_identical_factor(
        ids, 0, 2 * k, k, 3 * k, k, identical
    )
