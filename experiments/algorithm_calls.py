"""How often Algorithm 2 of the paper evaluates its inner function: the count C of Figure 6.

Algorithm 2 represents every pair of k-grams of the two sources, and of the two targets, as a multiset of doubles (a
double has one token from each text). It groups the distinct multisets by a key, the multiset without its identical
doubles, and evaluates its inner function g once for every source multiset and target multiset with a common key. So C
is the sum, over the keys that both sides have, of the product of the numbers of multisets.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.core.compiling import compiled
from rekern.core.json_values import JsonObject
from rekern.core.parallel_jobs import run, split_range
from rekern.structures.pairs import Pairs

WINDOWS = tuple(range(1, 9))
SAMPLE, SELF_SAMPLE, BLOCK = 5_000, 1_000, 500
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # an odd number without pattern: a product with it mixes all bits


def count_algorithm_calls(
    pairs: Sequence[tuple[object, object]],
    sample: int = SAMPLE,
    seed: int = 0,
    windows: tuple[int, ...] = WINDOWS,
    n_jobs: int | None = None,
) -> list[JsonObject]:
    """Compute C / n_avg² on average and at worst, for every window size, over a seeded sample of pairs of pairs.

    n_avg is the mean length of the four texts. Cells in which a text is shorter than the window count 0. The worst
    cells are those of a pair with itself, which a normalised kernel needs and which a sample rarely contains. So some
    of these are added, for the worst value only.

    >>> pairs = [("a b c".split(), "c a".split()), ("a b d".split(), "d a".split())]
    >>> count_algorithm_calls(pairs, sample=3, windows=(1,))
    [{'k': 1, 'average': 1.12, 'worst': 1.28}]
    """
    corpus = Pairs.from_items(pairs)
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, len(corpus), (sample, 2))
    same = rng.permutation(len(corpus))[:SELF_SAMPLE]
    cells = np.concatenate([cells, np.stack([same, same], axis=1)])
    calls = [(corpus, cells[first:last], k) for k in windows for first, last in split_range(len(cells), BLOCK)]
    ratios = np.concatenate(list(run(compute_call_ratios, calls, n_jobs, "counting"))).reshape(len(windows), -1)
    return [
        {"k": k, "average": round(float(row[:sample].mean()), 4), "worst": round(float(row.max()), 4)}
        for k, row in zip(windows, ratios)
    ]


def compute_call_ratios(corpus: Pairs, cells: Ints, k: int) -> Floats:
    """Compute C / n_avg² for cells (i, j), given by the numbers of two pairs."""
    tokens = corpus.tokens
    words = tokens.token_keys()[tokens.ids]
    # Two unrelated numbers for every token: the hash of a double is their product, that of a multiset their sum. A cell
    # has a few thousand multisets, so that two of them practically never have the same 64-bit hash.
    left, right = words, (words ^ (words >> np.uint64(29))) * SPREAD
    calls = _count_calls(tokens.ids, tokens.offsets, left, right, np.asarray(cells, np.int64), k)
    lengths = np.diff(tokens.offsets).reshape(-1, 2).sum(axis=1)
    means = lengths[cells].sum(axis=1) / 4
    ratios: Floats = np.divide(calls, means**2, out=np.zeros(len(cells)), where=means > 0)
    return ratios


@compiled
def _count_calls(ids: Ints, offsets: Ints, left: AnyArray, right: AnyArray, cells: Ints, k: int) -> Ints:
    """Count the calls of Algorithm 2 for every row of cells."""
    found = np.zeros(len(cells), np.int64)
    for row in range(len(cells)):
        a, b = 2 * cells[row, 0], 2 * cells[row, 1]
        sources = _sort_keys(ids, offsets[a], offsets[a + 1], offsets[b], offsets[b + 1], left, right, k)
        targets = _sort_keys(ids, offsets[a + 1], offsets[a + 2], offsets[b + 1], offsets[b + 2], left, right, k)
        i = j = 0
        while i < len(sources) and j < len(targets):
            if sources[i] < targets[j]:
                i += 1
            elif sources[i] > targets[j]:
                j += 1
            else:
                key, first_i, first_j = sources[i], i, j
                while i < len(sources) and sources[i] == key:
                    i += 1
                while j < len(targets) and targets[j] == key:
                    j += 1
                found[row] += (i - first_i) * (j - first_j)
    return found


@compiled
def _sort_keys(ids: Ints, a: int, a_end: int, b: int, b_end: int, left: AnyArray, right: AnyArray, k: int) -> AnyArray:
    """Return the sorted keys of the distinct multisets of doubles; a key occurs once for each of its multisets."""
    rows, columns = a_end - a - k + 1, b_end - b - k + 1
    if rows <= 0 or columns <= 0:
        return np.empty(0, np.uint64)
    bits = 2
    while 1 << bits < 2 * rows * columns:
        bits += 1
    seen = np.zeros(1 << bits, np.uint64)
    last, shift = np.uint64((1 << bits) - 1), np.uint64(64 - bits)
    keys = np.empty(rows * columns, np.uint64)
    number = 0
    for i in range(a, a + rows):
        for j in range(b, b + columns):
            value = np.uint64(0)
            key = np.uint64(0)
            for step in range(k):
                double = left[i + step] * right[j + step]
                value += double
                if ids[i + step] != ids[j + step]:
                    key += double
            value |= np.uint64(1)  # never 0, which marks an empty place
            place = (value * SPREAD) >> shift
            while seen[place] != 0 and seen[place] != value:
                place = (place + np.uint64(1)) & last
            if seen[place] == 0:
                seen[place] = value
                keys[number] = key
                number += 1
    return np.sort(keys[:number])
