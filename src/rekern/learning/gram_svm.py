"""Support vector machines on a Gram matrix, trained by LIBSVM (scikit-learn's SVC and SVR).

All machines of this package that are trained on a Gram with an intercept of their own come from here.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import AnyArray, Floats
from rekern.learning.dual_solution import DualSolution
from rekern.learning.submatrix_core import take_submatrix

if TYPE_CHECKING:
    from sklearn.svm import SVC, SVR

Rows = npt.NDArray[np.integer]

CACHE_MEGABYTES = 200


def classify_gram(gram: Floats, signs: AnyArray, C: float | Floats) -> DualSolution:
    """Train a support vector classifier (hinge loss).

    Parameters
    ----------
    gram : array of shape (n, n)
        Kernel values of the training items.
    signs : array of shape (n,)
        1 or True for the positive class, -1 or False for the other.
    C : float or array of shape (n,)
        The cost of errors, the same for all items or one for each.

    Examples
    --------
    >>> solution = classify_gram(np.eye(2), np.array([1, -1]), 10.0)
    >>> solution.coefficients.tolist(), solution.intercept
    ([1.0, -1.0], -0.0)
    """
    from sklearn.svm import SVC

    return _solve(SVC(C=1.0, kernel="precomputed", cache_size=CACHE_MEGABYTES), gram, signs, C)


def regress_gram(gram: Floats, targets: Floats, C: float | Floats, epsilon: float) -> DualSolution:
    """Train support vector regression; errors up to ``epsilon`` cost nothing.

    >>> solution = regress_gram(np.eye(2), np.array([1.0, 3.0]), 10.0, 0.0)
    >>> solution.decide(np.eye(2)).tolist()
    [1.0, 3.0]
    """
    from sklearn.svm import SVR

    return _solve(SVR(C=1.0, kernel="precomputed", epsilon=epsilon, cache_size=CACHE_MEGABYTES), gram, targets, C)


def classify_rows(gram: Floats, signs: AnyArray, C: float | Floats, rows: Rows) -> DualSolution:
    """Train `classify_gram` on some rows of a Gram; the coefficients are those of these rows.

    >>> classify_rows(np.eye(3), np.array([1, 1, -1]), 10.0, np.array([0, 2])).coefficients.tolist()
    [1.0, -1.0]
    """
    chosen = C[rows] if isinstance(C, np.ndarray) else np.full(len(rows), float(C))
    if not (np.diff(rows) > 0).all():  # some row twice, or in another order
        return classify_gram(take_submatrix(gram, rows, rows), signs[rows], chosen)
    costs = np.zeros(len(gram))
    costs[rows] = chosen
    coefficients, intercept = classify_gram(gram, signs, costs)
    return DualSolution(coefficients[rows], intercept)


def classify_held_out(gram: Floats, signs: AnyArray, C: float | Floats, train: Rows, test: Rows) -> Floats:
    """The decision values of test rows, from a classifier trained on other rows of the same Gram.

    >>> gram = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0], [0.5, 0.0, 1.0]])
    >>> classify_held_out(gram, np.array([1, -1, 1]), 10.0, np.array([0, 1]), np.array([2])).tolist()
    [0.5]
    """
    return classify_rows(gram, signs, C, train).decide(take_submatrix(gram, test, train))


def _solve(svm: SVC | SVR, gram: Floats, targets: AnyArray, C: float | Floats) -> DualSolution:
    """Train on the rows whose errors cost something; the other rows have the coefficient 0.

    LIBSVM drops rows of weight 0 without a copy of the others: it reads the Gram where it is.
    """
    from sklearn import config_context

    svm.random_state = 0  # without it, numbers are drawn from the generator that all code of the process shares
    costs = C if isinstance(C, np.ndarray) else np.full(len(gram), float(C))
    coefficients = np.zeros(len(gram))
    # A search for NaN in a large Gram takes longer than to train, a check of the parameters longer than a small Gram.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        svm.fit(gram, targets, sample_weight=costs)
    used = np.flatnonzero(costs > 0) if _counts_used_rows() else np.arange(len(gram))
    coefficients[used[svm.support_]] = svm.dual_coef_[0]
    return DualSolution(coefficients, float(svm.intercept_[0]))


@cache
def _counts_used_rows() -> bool:
    """Whether scikit-learn numbers support vectors among the rows of positive weight, and not among all rows."""
    from sklearn.svm import SVC

    svm = SVC(kernel="precomputed", random_state=0).fit(np.eye(3), [0, 0, 1], sample_weight=[0.0, 1.0, 1.0])
    return int(svm.support_.max()) == 1
