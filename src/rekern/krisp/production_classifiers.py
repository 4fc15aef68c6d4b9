"""A classifier for each production: a support vector machine that tells how probable it is that words express it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats, Ints
from rekern.krisp.substring_gram import GramPart, SingleFloats, SubstringGram
from rekern.learning.calibration import fit_sigmoid
from rekern.learning.dual_descent import classify_dense_gram

Float = TypeVar("Float", np.float32, np.float64)

TOLERANCE = 0.01  # between the primal and the dual objective of a machine, as a share of the former
SWEEPS = 200
SURE = 4.0  # the intercept of a classifier that has only seen examples of one side
LEAST_SLOPE = 1e-3
EXACT = 1e-9  # the tolerance of the sigmoid; with a coarse one, probabilities of products of many nodes differ visibly


class ProductionClassifier(NamedTuple):
    """A trained classifier: the coefficients of substrings (by their numbers) and the intercept of its values.

    The probability of a value is 1 / (1 + exp(-(slope · value + offset))).
    """

    numbers: Ints
    coefficients: Floats
    intercept: float
    slope: float
    offset: float


def train_classifier(
    gram: SingleFloats, numbers: Ints, signs: Floats, weights: Floats, C: float
) -> ProductionClassifier:
    """Train a support vector machine with a probability (Platt, 1999) from the Gram of its examples.

    The positive examples together weigh at least as much as the negative ones, so that a rare production is not
    improbable everywhere.

    >>> examples = np.eye(2, dtype=np.float32), np.array([7, 8]), np.array([1.0, -1.0]), np.ones(2)
    >>> classifier = train_classifier(*examples, C=10.0)
    >>> classifier.numbers.tolist(), classifier.coefficients.round(2).tolist()
    ([7, 8], [1.0, -1.0])
    """
    if len(signs) == 0 or (signs == signs[0]).all():  # nothing to tell apart: always expressed, or never
        intercept = SURE * float(signs[0]) if len(signs) else -SURE
        return ProductionClassifier(numbers[:0], np.zeros(0), intercept, 1.0, 0.0)
    positive, negative = weights[signs > 0].sum(), weights[signs < 0].sum()
    weights = weights * np.where(signs > 0, max(1.0, negative / positive), 1.0)
    coefficients, values = classify_dense_gram(np.ascontiguousarray(gram), signs, C * weights, TOLERANCE, SWEEPS)
    sigmoid = fit_sigmoid(values, signs, weights, smooth=True, tolerance=EXACT)
    used = coefficients != 0
    slope = max(sigmoid.slope, LEAST_SLOPE)
    intercept = float(coefficients.sum())
    return ProductionClassifier(numbers[used], coefficients[used], intercept, slope, sigmoid.offset)


def compute_log_probabilities(classifiers: Sequence[ProductionClassifier], gram: SubstringGram | GramPart) -> Floats:
    """The log probability of every distinct substring under every classifier, (classifiers, substrings)."""
    numbers, coefficients = join_coefficients(classifiers, np.float32)
    found = gram.combine_rows(coefficients, numbers).astype(np.float64)
    for values, classifier in zip(found, classifiers):
        values += classifier.intercept
        values[:] = -np.logaddexp(0.0, -(classifier.slope * values + classifier.offset))
    return found


def join_coefficients(
    classifiers: Sequence[ProductionClassifier], kind: type[Float]
) -> tuple[Ints, npt.NDArray[Float]]:
    """The numbers of the substrings that classifiers use, and their coefficients, a row for each classifier."""
    numbers = np.unique(np.concatenate([np.zeros(0, np.int64), *(classifier.numbers for classifier in classifiers)]))
    coefficients = np.zeros((len(classifiers), len(numbers)), kind)
    for row, classifier in zip(coefficients, classifiers):  # a substring may be a positive and a negative example
        np.add.at(row, np.searchsorted(numbers, classifier.numbers), classifier.coefficients)
    return numbers, coefficients
