"""Machines on a Gram are those of scikit-learn, for any way to give the costs of errors."""

import numpy as np
import pytest
from sklearn.svm import SVC, SVR

from rekern.learning.gram_svm import classify_gram, classify_held_out, classify_rows, regress_gram
from rekern.learning.submatrix_core import take_submatrix


def points(n=60, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5))
    return X @ X.T, np.where(X[:, 0] + random.normal(size=n) > 0, 1, -1), X[:, 1]


def test_a_classifier_is_that_of_scikit_learn_to_the_bit():
    gram, signs, _ = points()
    peer = SVC(C=2.5, kernel="precomputed").fit(gram, signs)
    for found in (
        classify_gram(gram, signs, 2.5),
        classify_gram(gram, signs > 0, 2.5),
        classify_gram(gram, signs, np.full(len(gram), 2.5)),
    ):
        assert found.coefficients[peer.support_].tolist() == peer.dual_coef_[0].tolist()
        assert np.count_nonzero(found.coefficients) == len(peer.support_)
        assert found.intercept == peer.intercept_[0]
        assert np.allclose(found.decide(gram), peer.decision_function(gram))


def test_a_regression_is_that_of_scikit_learn_to_the_bit():
    gram, _, targets = points()
    peer = SVR(C=2.5, kernel="precomputed", epsilon=0.2).fit(gram, targets)
    found = regress_gram(gram, targets, 2.5, 0.2)
    assert found.coefficients[peer.support_].tolist() == peer.dual_coef_[0].tolist()
    assert found.intercept == peer.intercept_[0]


def test_rows_with_a_double_cost_count_twice():
    gram, signs, _ = points()
    costs = np.where(np.arange(len(gram)) < 20, 2.0, 1.0)
    twice = np.concatenate([np.arange(len(gram)), np.arange(20)])
    found, doubled = classify_gram(gram, signs, costs), classify_rows(gram, signs, 1.0, twice)
    assert np.allclose(found.decide(gram), doubled.decide(gram[:, twice]), atol=1e-2)


def test_rows_that_cost_nothing_are_not_there():
    gram, signs, targets = points()
    used = np.arange(len(gram)) % 4 > 0
    costs, few = np.where(used, 1.5, 0.0), gram[np.ix_(used, used)]
    for all_rows, some in (
        (classify_gram(gram, signs, costs), classify_gram(few, signs[used], 1.5)),
        (regress_gram(gram, targets, costs, 0.1), regress_gram(few, targets[used], 1.5, 0.1)),
    ):
        assert all_rows.coefficients[used].tolist() == some.coefficients.tolist()
        assert not all_rows.coefficients[~used].any()
        assert all_rows.intercept == some.intercept


def test_held_out_rows_are_decided_by_the_others():
    gram, signs, _ = points()
    rows = np.arange(len(gram))
    train, test = rows[rows % 3 > 0], rows[rows % 3 == 0]
    peer = SVC(kernel="precomputed").fit(gram[np.ix_(train, train)], signs[train])
    expected = peer.decision_function(gram[np.ix_(test, train)])
    assert np.allclose(classify_held_out(gram, signs, 1.0, train, test), expected)


@pytest.mark.parametrize("rows", [[], [3, 1, 1]])
def test_a_submatrix_is_that_of_numpy(rows):
    matrix, rows = np.arange(20.0).reshape(5, 4), np.array(rows, dtype=np.int64)
    assert take_submatrix(matrix, rows, np.array([0, 2])).tolist() == matrix[np.ix_(rows, [0, 2])].tolist()


def test_some_rows_are_trained_as_if_the_others_were_not_there():
    gram, signs, _ = points()
    rows = np.flatnonzero(np.arange(len(gram)) % 3 > 0)
    for costs in (1.5, np.linspace(0.5, 2.0, len(gram))):
        found = classify_rows(gram, signs, costs, rows)
        few = classify_gram(
            gram[np.ix_(rows, rows)], signs[rows], costs[rows] if isinstance(costs, np.ndarray) else costs
        )
        assert found.coefficients.tolist() == few.coefficients.tolist()
        assert found.intercept == few.intercept
