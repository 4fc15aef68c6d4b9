"""Weights of patterns, learned by fuzzy Markov logic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from rekern.core.arrays import Floats, Ints
from rekern.questions.closed_form_likelihood import TypeFormulas, learn_weights


class PatternWeights(NamedTuple):
    """Learned weights: a table, patterns × types, and the weights of the prior.

    ``distribution`` has, for each pattern, the share of each type among its questions.
    """

    table: Floats
    prior: Floats
    distribution: Floats
    iterations: int


def learn_pattern_weights(
    confidences: csr_array,
    types: Ints,
    n_types: int,
    share: float = 0.3,
    penalty: float = 1.0,
    start: float = 0.3,
    worlds: str = "all",
    prior: bool = True,
) -> PatternWeights:
    """Learn a weight for every pattern and every type that has at least the ``share`` of the pattern's questions.

    >>> confidences = csr_array([[1.0, 0.0], [0.0, 0.5]])
    >>> learned = learn_pattern_weights(confidences, np.array([0, 1]), 2, penalty=0.1, worlds="one")
    >>> (learned.table > 0).tolist()
    [[True, False], [False, True]]
    """
    matched = confidences.copy()
    matched.data[:] = 1.0
    counts = matched.T @ np.eye(n_types)[types]
    totals = counts.sum(axis=1, keepdims=True)
    pattern, kind = np.nonzero((counts > 0) & (counts >= share * totals))
    formulas = TypeFormulas(pattern, kind, confidences.shape[1], n_types, worlds, bool(prior))
    found = learn_weights(formulas, confidences, types, float(penalty), float(start))
    distribution = counts / np.where(totals > 0, totals, 1.0)
    return PatternWeights(*formulas.split_weights(found.weights), distribution, found.iterations)
