"""How often Algorithm 2 of the paper evaluates its inner function: the count C of Figure 6.

Algorithm 2 represents every pair of k-grams of the two sources, and of the two targets, as a multiset of doubles (a
double has one token from each text). It groups the distinct multisets by a key, the multiset without its identical
doubles, and evaluates its inner function g once for every source multiset and target multiset with a common key. So C
is the sum, over the keys that both sides have, of the product of the numbers of multisets.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from experiments.algorithm_calls_core import SPREAD, count_calls
from rekern.core.arrays import Floats, Ints
from rekern.core.json_values import JsonObject
from rekern.core.parallel_jobs import run, split_range
from rekern.structures.pairs import Pairs

WINDOWS = tuple(range(1, 9))
SAMPLE = 5_000
SELF_SAMPLE = 1_000
BLOCK = 500


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
    """Compute C / n_avg² for cells (i, j), given by the numbers of two pairs.

    >>> corpus = Pairs.from_items([("a b c".split(), "c a".split()), ("a b d".split(), "d a".split())])
    >>> compute_call_ratios(corpus, np.array([[0, 1]]), k=1)  # 5 calls; the four texts have 2.5 tokens on average
    array([0.8])
    """
    tokens = corpus.tokens
    words = tokens.token_keys()[tokens.ids]
    # Two unrelated numbers for every token: the hash of a double is their product, that of a multiset their sum. A cell
    # has a few thousand multisets, so that two of them practically never have the same 64-bit hash.
    left, right = words, (words ^ (words >> np.uint64(29))) * SPREAD
    calls = count_calls(tokens.ids, tokens.offsets, left, right, np.asarray(cells, np.int64), k)
    lengths = np.diff(tokens.offsets).reshape(-1, 2).sum(axis=1)
    means = lengths[cells].sum(axis=1) / 4
    ratios: Floats = np.divide(calls, means**2, out=np.zeros(len(cells)), where=means > 0)
    return ratios
