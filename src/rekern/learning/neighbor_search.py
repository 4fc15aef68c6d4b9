"""The training pairs that are most similar to a pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.kernels.kernel import Kernel
from rekern.kernels.rewriting.rule_extraction import forget_rules, remember_rules
from rekern.learning.neighbor_search_core import score_shared_words
from rekern.structures.pairs import Pairs

CANDIDATES = 100  # training pairs that are compared exactly, if there are more than `ALL_COMPARED`
ALL_COMPARED = 300


class Nearest(NamedTuple):
    """Numbers of training pairs, and their similarities, the largest first."""

    rows: Ints
    similarities: Floats


def find_nearest(kernel: Kernel, one: object, known: Sequence[object], n: int, n_jobs: int | None = None) -> Nearest:
    """Return the ``n`` training pairs with the largest kernel values with one pair, normalised.

    Among more than `ALL_COMPARED` pairs of words only the candidates that share most words with the pair are compared,
    at least ``n`` and `CANDIDATES` of them. Rare words count more.

    >>> from rekern.kernels import Rewriting
    >>> known = Pairs.from_items([("a b", "c"), ("d e", "f"), ("a b", "b c")])
    >>> find_nearest(Rewriting(1), Pairs.from_items([("a b", "c")]), known, 2).rows.tolist()
    [0, 2]
    """
    rows = np.arange(len(known))
    if len(known) > ALL_COMPARED and isinstance(known, Pairs) and isinstance(one, Pairs):
        scores = _score_candidates(one, known)
        rows = np.sort(np.argsort(-scores, kind="stable")[: max(n, CANDIDATES)])
        known = cast(Sequence[object], known.take(rows))
    remember_rules(known)  # for the values and for the norms
    values = kernel.gram(one, known, n_jobs=n_jobs)[0]
    squares = kernel.diag(one)[0] * kernel.diag(known)
    forget_rules(known)
    values = np.divide(values, np.sqrt(squares), out=np.zeros(len(values)), where=squares > 0)
    best = np.argsort(-values, kind="stable")[:n]
    return Nearest(rows[best], values[best])


def _score_candidates(one: Pairs, known: Pairs) -> Floats:
    """Return how much each training pair has in common with a pair, by words weighted by their rarity."""
    numbers = {word: number for number, word in enumerate(known.tokens.vocabulary)}
    counts = np.bincount(known.tokens.ids, minlength=len(numbers))
    weights = np.log((1 + len(known.tokens.ids)) / (1 + counts))
    sides = []
    for text in one[0]:
        chosen = np.zeros(len(numbers))
        places = [numbers[word] for word in text if word in numbers]
        chosen[places] = weights[places]
        sides.append(chosen)
    scores: Floats = score_shared_words(known.tokens.ids, known.tokens.offsets, sides[0], sides[1])
    return scores
