"""The likelihood of fuzzy Markov logic in closed form, for formulas ``Match(q, p) ∧ Type(q, t) ∧ ⋀ ¬Type(q, other)``.

A world says of every type whether it is true. A formula of this form counts the confidence of its match in the world
where exactly its type is true, and 0 in all others. So n of the 2ⁿ worlds of a question have scores of their own, and
all others share one score: their sum is a constant, or with a prior a symmetric function of the prior's weights.
`rekern.questions.markov_logic` computes the same by enumeration, for formulas of any form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from rekern.core.arrays import Floats, Ints
from rekern.questions.l1_minimizer import Minimum, minimize_with_l1

WORLDS = ("all", "one")


@dataclass(frozen=True)
class TypeFormulas:
    """Formulas over ``n_patterns`` evidence columns and ``n_types`` query atoms.

    Formula i joins column ``pattern[i]`` and type ``type[i]``. With ``prior`` they are followed by a unit formula
    ``Type(q, t)`` for each type, which counts 1 in every world where t is true. ``worlds="one"`` allows only the worlds
    with exactly one type.

    >>> TypeFormulas(np.array([0]), np.array([1]), 1, 2).n_weights
    3
    """

    pattern: Ints
    type: Ints
    n_patterns: int
    n_types: int
    worlds: str = "all"
    prior: bool = True

    @property
    def n_weights(self) -> int:
        """The number of weights, including those of the prior."""
        return len(self.pattern) + (self.n_types if self.prior else 0)

    def split_weights(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return the weights as a table, patterns × types, and the weights of the prior."""
        table = np.zeros((self.n_patterns, self.n_types))
        table[self.pattern, self.type] = weights[: len(self.pattern)]
        return table, weights[len(self.pattern) :] if self.prior else np.zeros(self.n_types)

    def sum_other_worlds(self, prior: Floats) -> tuple[float, Floats]:
        """Return the logarithm of the sum over all worlds with no type or several, and its slope by each prior weight.

        >>> three = TypeFormulas(np.array([], int), np.array([], int), 0, 3)
        >>> round(float(np.exp(three.sum_other_worlds(np.zeros(3))[0])), 6)  # 2³ worlds minus the three with one type
        5.0
        """
        if self.worlds == "one":
            return -np.inf, np.zeros(self.n_types)
        none, one, several = 0.0, -np.inf, -np.inf  # logarithms; adding positive terms only loses no digits
        for weight in prior:
            several = np.logaddexp(np.logaddexp(several, several + weight), one + weight)
            one = np.logaddexp(one, none + weight)
        total = np.logaddexp(none, several)
        # Summed without each type's own term: subtracting a large one would lose the digits of the small ones.
        others = ((1 - np.eye(len(prior))) * np.logaddexp(0.0, prior)).sum(axis=1)
        with np.errstate(divide="ignore"):
            with_others = np.where(others > 0, others + np.log(-np.expm1(-others)), -np.inf)
        return float(total), np.exp(prior + with_others - total)


class ClosedFormLikelihood:
    """Minus the conditional log-likelihood of the types of questions, and its gradient, as a function of the weights.

    ``confidences`` is a sparse matrix, questions × patterns, and ``observed`` the number of each question's type.

    >>> from scipy.sparse import csr_array
    >>> formulas = TypeFormulas(np.array([0, 0]), np.array([0, 1]), 1, 2, worlds="one", prior=False)
    >>> value, gradient = ClosedFormLikelihood(formulas, csr_array([[1.0], [0.5]]), np.array([0, 1]))(np.zeros(2))
    >>> round(value, 4), gradient.tolist()  # two questions, two types: 2 ln 2
    (1.3863, [-0.25, 0.25])
    """

    def __init__(self, formulas: TypeFormulas, confidences: csr_array, observed: Ints):
        self.formulas = formulas
        self.confidences = confidences
        self.transposed = confidences.T.tocsr()
        self.rows = np.arange(len(observed))
        self.observed = observed

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """Return the value and the gradient: the expected counts minus the observed counts, over all questions."""
        formulas = self.formulas
        table, prior = formulas.split_weights(weights)
        scores = self.confidences @ table + prior
        rest, slope = formulas.sum_other_worlds(prior)
        highest = np.maximum(scores.max(axis=1), rest)
        terms = np.exp(scores - highest[:, None])
        other = np.exp(rest - highest)
        sums = terms.sum(axis=1) + other
        value = float(np.sum(np.log(sums) + highest) - scores[self.rows, self.observed].sum())
        expected = terms / sums[:, None]
        others = float(np.sum(other / sums))
        expected[self.rows, self.observed] -= 1.0
        gradient = (self.transposed @ expected)[formulas.pattern, formulas.type]
        if formulas.prior:
            gradient = np.concatenate([gradient, expected.sum(axis=0) + others * slope])
        return value, gradient


def learn_weights(
    formulas: TypeFormulas,
    confidences: csr_array,
    observed: Ints,
    penalty: float,
    start: float = 0.3,
    tolerance: float = 1e-3,
    max_iterations: int = 300,
) -> Minimum:
    """Find the weights that maximize log-likelihood − penalty · Σ|w|, starting from one positive weight for all.

    The tolerance is chosen for classification, where more digits of a weight change nothing; see
    `rekern.questions.l1_minimizer`.

    >>> from scipy.sparse import csr_array
    >>> formulas = TypeFormulas(np.array([0, 1]), np.array([0, 1]), 2, 2, worlds="one", prior=False)
    >>> learn_weights(formulas, csr_array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1]), 0.25).weights.round(2).tolist()
    [1.1, 1.1]
    """
    likelihood = ClosedFormLikelihood(formulas, confidences, observed)
    return minimize_with_l1(likelihood, np.full(formulas.n_weights, float(start)), penalty, tolerance, max_iterations)


def compute_probabilities(scores: Floats) -> Floats:
    """Compute the probability of each type, given that exactly one is true, from the scores of the types.

    >>> compute_probabilities(np.array([[0.0, 0.0], [1e4, 0.0]])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    terms = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
    probabilities: Floats = terms / terms.sum(axis=1, keepdims=True)
    return probabilities


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
