"""Fuzzy discriminative Markov logic in closed form, for formulas ``Match(q, p) ∧ Type(q, t) ∧ ⋀ ¬Type(q, other)``.

A world says of every type whether it is true. Such a formula counts the confidence of its match in the world where
exactly its type is true, and 0 in all others. So of the 2^n worlds of a question n have scores of their own, and the
rest share one: their sum is a constant, or with a prior a symmetric function of the prior's weights. `rekern.questions.
logic` has the same by enumeration, for formulas of any form.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rekern.questions import owlqn

WORLDS = ("all", "one")


@dataclass(frozen=True)
class Formulas:
    """Formulas over ``patterns`` evidence columns and ``types`` query atoms.

    Formula i joins column ``pattern[i]`` and type ``type[i]``. With ``prior`` a unit formula ``Type(q, t)`` follows for
    each type; it counts 1 in every world where t is true. ``worlds="one"`` has only the worlds with exactly one type.

    >>> Formulas(np.array([0]), np.array([1]), 1, 2).count
    3
    """

    pattern: np.ndarray
    type: np.ndarray
    patterns: int
    types: int
    worlds: str = "all"
    prior: bool = True

    @property
    def count(self) -> int:
        """How many weights there are, those of the prior included."""
        return len(self.pattern) + (self.types if self.prior else 0)

    def tables(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The weights as a table, patterns × types, and those of the prior."""
        table = np.zeros((self.patterns, self.types))
        table[self.pattern, self.type] = weights[: len(self.pattern)]
        return table, weights[len(self.pattern) :] if self.prior else np.zeros(self.types)

    def rest(self, prior: np.ndarray) -> tuple[float, np.ndarray]:
        """The logarithm of the sum over all worlds with no type or several, and its slope by each prior weight.

        >>> three = Formulas(np.array([], int), np.array([], int), 0, 3)
        >>> round(float(np.exp(three.rest(np.zeros(3))[0])), 6)  # 2³ worlds less the three with one type
        5.0
        """
        if self.worlds == "one":
            return -np.inf, np.zeros(self.types)
        none, one, several = 0.0, -np.inf, -np.inf  # logarithms; adding positive terms only loses no digits
        for weight in prior:
            several = np.logaddexp(np.logaddexp(several, several + weight), one + weight)
            one = np.logaddexp(one, none + weight)
        total = np.logaddexp(none, several)
        # Added up without each type's own term: subtracting a large one would lose the digits of the small ones.
        others = ((1 - np.eye(len(prior))) * np.logaddexp(0.0, prior)).sum(axis=1)
        with np.errstate(divide="ignore"):
            company = np.where(others > 0, others + np.log(-np.expm1(-others)), -np.inf)
        return float(total), np.exp(prior + company - total)


class Likelihood:
    """Minus the conditional log-likelihood of the types of some questions, and its gradient, by the weights.

    ``confidences`` is a sparse matrix, questions × patterns, and ``observed`` the number of each question's type.

    >>> from scipy.sparse import csr_array
    >>> formulas = Formulas(np.array([0, 0]), np.array([0, 1]), 1, 2, worlds="one", prior=False)
    >>> value, gradient = Likelihood(formulas, csr_array([[1.0], [0.5]]), np.array([0, 1]))(np.zeros(2))
    >>> round(value, 4), gradient.tolist()  # two questions, two types: 2 ln 2
    (1.3863, [-0.25, 0.25])
    """

    def __init__(self, formulas: Formulas, confidences: Any, observed: np.ndarray):
        self.formulas = formulas
        self.confidences = confidences
        self.transposed = confidences.T.tocsr()
        self.rows = np.arange(len(observed))
        self.observed = observed

    def __call__(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        """The value and the gradient: ñ(x, y) less its expectation, summed over the questions, with the sign turned."""
        formulas = self.formulas
        table, prior = formulas.tables(weights)
        scores = self.confidences @ table + prior
        rest, slope = formulas.rest(prior)
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


def learn(
    formulas: Formulas,
    confidences: Any,
    observed: np.ndarray,
    penalty: float,
    start: float = 0.3,
    tolerance: float = 1e-3,
    max_iterations: int = 300,
) -> owlqn.Minimum:
    """The weights that maximise log-likelihood − penalty · Σ|w|, from the same positive weight for every formula.

    The tolerance is for classification, where more digits of a weight change nothing; see `rekern.questions.owlqn`.

    >>> from scipy.sparse import csr_array
    >>> formulas = Formulas(np.array([0, 1]), np.array([0, 1]), 2, 2, worlds="one", prior=False)
    >>> learn(formulas, csr_array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1]), 0.25).weights.round(2).tolist()
    [1.1, 1.1]
    """
    likelihood = Likelihood(formulas, confidences, observed)
    return owlqn.minimize(likelihood, np.full(formulas.count, float(start)), penalty, tolerance, max_iterations)


def probabilities(scores: np.ndarray) -> np.ndarray:
    """The probability of each type given that exactly one is true, from the scores of the worlds with one type.

    >>> probabilities(np.array([[0.0, 0.0], [1e4, 0.0]])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    terms = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
    return terms / terms.sum(axis=1, keepdims=True)
