"""The choice of landmarks among items: at random, or far from each other in the space of a kernel (k-means++)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rekern.core.arrays import Floats, Ints

CANDIDATES = 3  # items that are compared with each other, for each landmark that is chosen among them
ROUNDING = 1e-12  # of the squares of two items: a squared distance that is smaller is none


def choose_at_random(total: int, n: int, generator: np.random.Generator) -> Ints:
    """Choose ``n`` of ``total`` numbers, each with the same probability; they ascend.

    >>> choose_at_random(3, 5, np.random.default_rng(0)).tolist()
    [0, 1, 2]
    """
    if n >= total:
        return np.arange(total)
    return np.sort(generator.choice(total, n, replace=False))


def choose_far_apart(total: int, n: int, generator: np.random.Generator, compare: Callable[[Ints], Floats]) -> Ints:
    """Choose up to ``n`` of ``total`` numbers as k-means++ does (Arthur and Vassilvitskii, 2007); they ascend.

    The first one is chosen at random. Every further one is chosen with a probability in proportion to its squared
    distance from the nearest one that was chosen before. Among very many items, `CANDIDATES` times ``n`` of them are
    drawn at random first, and the choice is made among these. ``compare`` returns the Gram of some of the items.

    >>> points = np.array([0.0, 0.0, 0.0, 9.0])
    >>> choose_far_apart(4, 2, np.random.default_rng(0), lambda rows: np.outer(points[rows], points[rows])).tolist()
    [2, 3]
    """
    if n >= total:
        return np.arange(total)
    candidates = choose_at_random(total, CANDIDATES * n, generator)
    return np.sort(candidates[pick_far_apart(compare(candidates), generator.random(n))])


def pick_far_apart(gram: Floats, numbers: Floats) -> Ints:
    """Return the rows of a Gram that k-means++ picks, one for each of some random numbers from 0 to below 1.

    It stops early if all other rows are at distance 0 from those that were picked.

    >>> pick_far_apart(np.diag([1.0, 1.0, 0.0]), np.array([0.1, 0.9, 0.5])).tolist()
    [0, 2, 1]
    """
    squares = gram.diagonal()
    picked = [int(numbers[0] * len(gram))]
    distances = np.full(len(gram), np.inf)
    for number in numbers[1:].tolist():
        last = picked[-1]
        both = squares + squares[last]
        apart = both - 2 * gram[last]
        np.minimum(distances, np.where(apart > ROUNDING * both, apart, 0.0), out=distances)
        distances[last] = 0.0
        sums = np.cumsum(distances)
        if not sums[-1] > 0:
            break
        place = min(number * sums[-1], np.nextafter(sums[-1], 0.0))  # below the sum, also if the product is rounded up
        picked.append(int(np.searchsorted(sums, place, side="right")))
    return np.array(picked)
