"""SB of the paper (2010): support vector machines on the bigrams of questions, one for each type against the rest.

C, and γ of Gaussian kernels beside the linear one, are chosen by cross-validation on the training questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from experiments.trec import cross_validate_costs, train_classifiers
from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.learning.cross_validation import make_class_folds
from rekern.questions.ngram_patterns import NGramPatterns
from rekern.questions.question_units import cut

COSTS = (0.1, 0.3, 1.0, 3.0, 10.0)  # values of C
GAMMAS = (0.0, 0.01, 0.03, 0.1)  # γ of exp(−γ |x − y|²); 0 stands for the linear kernel
N_FOLDS = 5
SAMPLE = 2000  # questions on which C and γ are chosen, if there are more
MANY = 10  # with more types than this the sample is smaller, because each type has a machine of its own


class BigramSVM:
    """Learns types of questions from the bigrams that occur in at least ``min_count`` of them.

    >>> asked = ["how to swim", "how to sing", "why is it", "why is he"] * 3
    >>> BigramSVM().fit(asked, ["way", "way", "cause", "cause"] * 3).predict(["how to fly"]).tolist()
    ['way']
    """

    def __init__(self, min_count: int = 2):
        self.min_count = min_count

    def fit(self, questions: Sequence[str], y: Sequence[str]) -> Self:
        """Learn from questions and their types."""
        types = np.array(y)
        units = [cut(question) for question in questions]
        self._bigrams = NGramPatterns.from_questions(units, (2,), "words", min_count=self.min_count)
        self._vectors = self._bigrams.match(units)
        products: Floats = (self._vectors @ self._vectors.T).toarray()
        norms = np.diag(products)
        rows = _draw_sample(np.unique(types, return_inverse=True)[1])
        part = products[np.ix_(rows, rows)]
        self._gamma, C = 0.0, COSTS[0]
        if len(rows) >= 2 * N_FOLDS:
            folds = make_class_folds(types[rows], N_FOLDS)
            accuracies = [
                cross_validate_costs(
                    apply_gaussian(part, gamma, norms[rows], norms[rows]), types[rows], folds, COSTS, 1
                )
                for gamma in GAMMAS
            ]
            best, cost = np.unravel_index(np.argmax(accuracies), (len(GAMMAS), len(COSTS)))
            self._gamma, C = GAMMAS[best], COSTS[cost]
        gram = apply_gaussian(products, self._gamma, norms, norms)
        (self._classifier,) = train_classifiers(gram, types, [C], 1)
        return self

    def predict(self, questions: Sequence[str]) -> AnyArray:
        """Return the type of each question."""
        left = self._bigrams.match(cut(question) for question in questions)
        norms = (np.asarray(left.sum(axis=1)).ravel(), np.asarray(self._vectors.sum(axis=1)).ravel())
        gram = apply_gaussian((left @ self._vectors.T).toarray(), self._gamma, *norms)
        return self._classifier.predict(gram)


def apply_gaussian(products: Floats, gamma: float, left: Floats, right: Floats) -> Floats:
    """Compute exp(−γ |x − y|²) from inner products and the squared norms of both sides; γ = 0 keeps the products."""
    if not gamma:
        return products
    values: Floats = np.exp(-gamma * np.maximum(left[:, None] + right - 2 * products, 0.0))
    return values


def _draw_sample(types: Ints) -> Ints:
    size = SAMPLE * MANY // max(MANY, int(types.max()) + 1)
    if len(types) <= size:
        return np.arange(len(types))
    return np.sort(np.random.default_rng(0).permutation(len(types))[:size])
