"""The likelihood of Markov logic by enumeration of all worlds, for formulas of any form."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import Floats, Ints


class EnumeratedLikelihood:
    """Minus the conditional log-likelihood over enumerated worlds, and its gradient, as a function of the weights.

    ``counts`` are formulas × items × worlds, ``observed`` the number of each item's world.

    >>> value, gradient = EnumeratedLikelihood(np.array([[[0.0, 1.0]]]), np.array([1]))(np.zeros(1))
    >>> round(value, 4), gradient.tolist()
    (0.6931, [-0.5])
    """

    def __init__(self, counts: Floats, observed: Ints):
        self.counts = counts
        self.rows = np.arange(len(observed))
        self.observed = observed
        self.observed_counts = counts[:, self.rows, observed].sum(axis=1)

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """Return the value and the gradient: the expected counts minus the observed counts."""
        scores = np.tensordot(weights, self.counts, 1)
        top = scores.max(axis=1)
        sums = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top
        value = float(np.sum(sums - scores[self.rows, self.observed]))
        expected = np.tensordot(self.counts, np.exp(scores - sums[:, None]), 2)
        return value, expected - self.observed_counts
