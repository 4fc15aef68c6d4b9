"""Training of support vector machines that classify questions: one for each type against the rest, on a Gram.

C and, for Gaussian kernels, γ are chosen by cross-validation on the training questions. The same folds give the
temperature of the probabilities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from rekern.core.arrays import Floats, Ints
from rekern.learning.cross_validation import Fold, make_class_folds
from rekern.learning.gram_svm import classify_gram
from rekern.questions.svm_models import OneVsRestSVM, apply_gaussian

COSTS = (0.1, 0.3, 1.0, 3.0, 10.0)  # values of C
GAMMAS = (0.01, 0.03, 0.1)  # γ of exp(−γ |x − y|²); 0 stands for the linear kernel
N_FOLDS = 5
SAMPLE = 2000  # questions on which C and γ are chosen, if there are more
MANY = 10  # with more types than this the sample is smaller, because each type has a machine of its own


class _Candidate(NamedTuple):
    """A setting, its accuracy in the folds, and the scores of the questions when they were held out."""

    accuracy: float
    C: float
    gamma: float
    held_out: Floats


def train_one_vs_rest(
    gram: Floats, types: Ints, n_types: int, gaussian: bool = False, C: float | None = None
) -> OneVsRestSVM:
    """Train on a Gram matrix; γ, and C unless it is given, are chosen by cross-validation.

    With ``gaussian`` the Gram holds inner products, and Gaussian kernels over them are tried besides the linear kernel.

    >>> gram = np.array([[1.0, 0.9, 0.0, 0.0], [0.9, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.9], [0.0, 0.0, 0.9, 1.0]])
    >>> train_one_vs_rest(gram, np.array([0, 0, 1, 1]), 2, C=1.0).scores(gram).argmax(axis=1).tolist()
    [0, 0, 1, 1]
    """
    rows = _draw_sample(types)
    part, part_types = gram[np.ix_(rows, rows)], types[rows]
    folds = make_class_folds(part_types, N_FOLDS) if len(rows) >= 2 * N_FOLDS else []
    costs = COSTS if C is None else (C,)
    gammas = (0.0, *GAMMAS) if gaussian else (0.0,)
    best: _Candidate | None = None
    for width in gammas:
        matrix = apply_gaussian(part, width)
        for cost in costs:
            found = _cross_validate(matrix, part_types, n_types, cost, width, folds)
            if best is None or found.accuracy > best.accuracy:
                best = found
    assert best is not None
    coefficients, intercept = _fit_types(apply_gaussian(gram, best.gamma), types, n_types, best.C)
    temperature = _fit_temperature(best.held_out, part_types) if folds else 1.0
    return OneVsRestSVM(coefficients, intercept, best.C, best.gamma, temperature)


def _cross_validate(gram: Floats, types: Ints, n_types: int, C: float, gamma: float, folds: list[Fold]) -> _Candidate:
    held_out = np.zeros((len(types), n_types))
    for train, test in folds:
        coefficients, intercept = _fit_types(gram[np.ix_(train, train)], types[train], n_types, C)
        held_out[test] = gram[np.ix_(test, train)] @ coefficients + intercept
    accuracy = float(np.mean(held_out.argmax(axis=1) == types)) if folds else 0.0
    return _Candidate(accuracy, C, gamma, held_out)


def _fit_types(gram: Floats, types: Ints, n_types: int, C: float) -> tuple[Floats, Floats]:
    coefficients = np.zeros((len(types), n_types))
    intercept = np.full(n_types, -1.0)  # a type without examples here is never the answer
    for kind in range(n_types):
        is_kind = types == kind
        if is_kind.any() and not is_kind.all():
            coefficients[:, kind], intercept[kind] = classify_gram(gram, is_kind, C)
    return coefficients, intercept


def _draw_sample(types: Ints) -> Ints:
    size = SAMPLE * MANY // max(MANY, int(types.max()) + 1)
    if len(types) <= size:
        return np.arange(len(types))
    return np.sort(np.random.default_rng(0).permutation(len(types))[:size])


def _fit_temperature(values: Floats, types: Ints) -> float:
    """Find the factor on decision values that makes their softmax most likely on held-out questions."""

    def compute_loss(logarithm: float) -> float:
        scaled = np.exp(logarithm) * values
        top = scaled.max(axis=1)
        sums = np.log(np.exp(scaled - top[:, None]).sum(axis=1)) + top
        return float(np.mean(sums - scaled[np.arange(len(types)), types]))

    return float(np.exp(minimize_scalar(compute_loss, bounds=(-3.0, 4.0), method="bounded").x))
