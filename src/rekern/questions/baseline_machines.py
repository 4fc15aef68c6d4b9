"""Support vector machines behind the same interface: on bigrams (the paper's SB) and on the kernels of this package.

One machine for each type against all others, trained by LIBSVM on a Gram matrix. C and, for Gaussian kernels, γ are
chosen by cross-validation on the training questions; the same folds give the temperature of the probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rekern.learning.cross_validation import Fold, make_class_folds
from rekern.learning.gram_svm import classify_gram

PRICES = (0.1, 0.3, 1.0, 3.0, 10.0)
WIDTHS = (0.01, 0.03, 0.1)  # γ of exp(−γ |x − y|²); 0 stands for the linear kernel
FOLDS = 5
SAMPLE = 2000  # questions on which C and γ are chosen, where there are more
MANY = 10  # types from which on fewer questions must do, for each type is a machine of its own

Gram = Callable[[Any, Any], np.ndarray]


@dataclass(frozen=True)
class Machine:
    """score(x) = Σ coefficients[i] · K(training question i, x) + intercept, a column for each type."""

    coefficients: np.ndarray
    intercept: np.ndarray
    price: float
    width: float
    temperature: float

    def scores(self, gram: np.ndarray) -> np.ndarray:
        """The decision values of questions, from their kernel values with the training questions."""
        return self.temperature * (gram @ self.coefficients + self.intercept)


def train(
    gram: np.ndarray,
    types: np.ndarray,
    count: int,
    squares: bool = False,
    price: float | None = None,
    width: float | None = None,
) -> Machine:
    """Train on a Gram matrix; what is not given of C and γ is chosen by cross-validation.

    With ``squares`` the Gram holds inner products, and Gaussian kernels over them are tried beside the linear one.

    >>> gram = np.array([[1.0, 0.9, 0.0, 0.0], [0.9, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.9], [0.0, 0.0, 0.9, 1.0]])
    >>> train(gram, np.array([0, 0, 1, 1]), 2, price=1.0).scores(gram).argmax(axis=1).tolist()
    [0, 0, 1, 1]
    """
    rows = _sample(types)
    part, part_types = gram[np.ix_(rows, rows)], types[rows]
    splits = _splits(part_types)
    prices = PRICES if price is None else (price,)
    widths = ((0.0, *WIDTHS) if squares else (0.0,)) if width is None else (width,)
    best: tuple[float, float, float, np.ndarray] | None = None
    for candidate in widths:
        matrix = gaussian(part, candidate)
        for C in prices:
            held_out = np.zeros((len(rows), count))
            for train_rows, test_rows in splits:
                coefficients, intercept = _fit(matrix[np.ix_(train_rows, train_rows)], part_types[train_rows], count, C)
                held_out[test_rows] = matrix[np.ix_(test_rows, train_rows)] @ coefficients + intercept
            accuracy = float(np.mean(held_out.argmax(axis=1) == part_types)) if splits else 0.0
            if best is None or accuracy > best[0]:
                best = (accuracy, C, candidate, held_out)
    assert best is not None
    _, C, chosen, held_out = best
    coefficients, intercept = _fit(gaussian(gram, chosen), types, count, C)
    return Machine(coefficients, intercept, C, chosen, _temperature(held_out, part_types) if splits else 1.0)


def gaussian(
    products: np.ndarray, width: float, left: np.ndarray | None = None, right: np.ndarray | None = None
) -> np.ndarray:
    """exp(−γ |x − y|²) from inner products and the squared norms of both sides; the products themselves for γ = 0.

    >>> gaussian(np.array([[4.0, 0.0], [0.0, 1.0]]), 0.2).round(3).tolist()
    [[1.0, 0.368], [0.368, 1.0]]
    """
    if not width:
        return products
    left = np.diag(products) if left is None else left
    right = np.diag(products) if right is None else right
    return np.exp(-width * np.maximum(left[:, None] + right - 2 * products, 0.0))


def _fit(gram: np.ndarray, types: np.ndarray, count: int, price: float) -> tuple[np.ndarray, np.ndarray]:
    coefficients = np.zeros((len(types), count))
    intercept = np.full(count, -1.0)  # a type that has no example here is never the answer
    for kind in range(count):
        sides = types == kind
        if sides.any() and not sides.all():
            coefficients[:, kind], intercept[kind] = classify_gram(gram, sides, price)
    return coefficients, intercept


def _sample(types: np.ndarray) -> np.ndarray:
    size = SAMPLE * MANY // max(MANY, int(types.max()) + 1)
    if len(types) <= size:
        return np.arange(len(types))
    return np.sort(np.random.default_rng(0).permutation(len(types))[:size])


def _splits(types: np.ndarray) -> Sequence[Fold]:
    return make_class_folds(types, FOLDS) if len(types) >= 2 * FOLDS else ()


def _temperature(values: np.ndarray, types: np.ndarray) -> float:
    """The factor on decision values that makes their softmax most likely on held-out questions."""
    from scipy.optimize import minimize_scalar

    def loss(logarithm: float) -> float:
        scaled = np.exp(logarithm) * values
        top = scaled.max(axis=1)
        sums = np.log(np.exp(scaled - top[:, None]).sum(axis=1)) + top
        return float(np.mean(sums - scaled[np.arange(len(types)), types]))

    return float(np.exp(minimize_scalar(loss, bounds=(-3.0, 4.0), method="bounded").x))
