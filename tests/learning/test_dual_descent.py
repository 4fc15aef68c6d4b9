"""The linear solver reaches the optimum that LIBLINEAR finds, with and without the features that only one row has."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC, LinearSVC, LinearSVR

from helpers import close, rewritings
from rekern.kernels import Rewriting
from rekern.learning import dual_descent
from rekern.learning.dual_descent_core import count_tail, descend_steeply


def features(number=120, seed=0):
    pairs, labels = rewritings(number, seed)
    return sp.csr_array(Rewriting((1, 2)).features(pairs)), labels


def squares(X):
    return np.asarray((X**2).sum(axis=1)).ravel()


def hinge_objectives(X, signs, limits, coefficients):
    """Primal and dual objective of a machine whose intercept is the weight of a constant feature 1."""
    weights, intercept = X.T @ coefficients, coefficients.sum()
    half = 0.5 * (weights @ weights + intercept**2)
    losses = limits @ np.maximum(0, 1 - signs * (X @ weights + intercept))
    return half + losses, signs @ coefficients - half


def narrow(X):
    """The same matrix with 32-bit indices, as LIBLINEAR wants it."""
    return sp.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_classification_reaches_the_optimum(C):
    X, labels = features()
    signs = np.where(labels == 1, 1, -1)
    limits = np.full(len(signs), C)
    peer = LinearSVC(loss="hinge", C=C, intercept_scaling=1, tol=1e-8, max_iter=10**6, random_state=0)
    peer.fit(narrow(X), signs)
    weights, offset = peer.coef_[0], peer.intercept_[0]
    best = 0.5 * (weights @ weights + offset**2) + C * np.maximum(0, 1 - signs * (X @ weights + offset)).sum()
    for options, allowed in (({}, 1e-2), ({"tolerance": 1e-5}, 1e-3)):
        coefficients, intercept = dual_descent.classify_features(X, squares(X), signs, limits, **options)
        close(intercept, coefficients.sum())
        assert (signs * coefficients >= 0).all()
        assert (np.abs(coefficients) <= C).all()
        primal, dual = hinge_objectives(X, signs, limits, coefficients)
        assert dual < best * (1 + 1e-6)
        assert abs(dual - best) < 1e-3 * best
        assert abs(primal - best) < allowed * best
    assert np.abs(X @ (X.T @ coefficients) + intercept - (X @ weights + offset)).max() < 0.01


def test_each_row_has_its_own_limit():
    X, labels = features()
    signs = np.where(labels == 1, 1, -1)
    limits = np.random.default_rng(0).choice([0.0, 0.5, 3.0], len(signs))
    coefficients, _ = dual_descent.classify_features(X, squares(X), signs, limits, tolerance=1e-6)
    assert (np.abs(coefficients) <= limits).all()
    primal, dual = hinge_objectives(X, signs, limits, coefficients)
    assert primal - dual < 1e-4 * primal
    kept = limits > 0
    # LIBSVM has no cost for the intercept; with the constant as a kernel's part it has the same problem.
    gram = (X[kept] @ X[kept].T).toarray() + 1
    svm = SVC(kernel="precomputed", C=1, tol=1e-8).fit(gram, signs[kept], sample_weight=limits[kept])
    found = (X @ (X.T @ coefficients) + coefficients.sum())[kept]
    assert np.corrcoef(found, svm.decision_function(gram))[0, 1] > 0.999


@pytest.mark.parametrize(("C", "width"), [(0.1, 0.1), (1.0, 0.1), (1.0, 0.5), (10.0, 0.0)])
def test_regression_reaches_the_optimum(C, width):
    X, labels = features()
    targets = labels + np.random.default_rng(1).normal(scale=0.3, size=len(labels))
    middle = targets.mean()

    def objective(weights, offset):
        errors = np.abs(targets - middle - (X @ weights + offset))
        return 0.5 * (weights @ weights + offset**2) + C * np.maximum(0, errors - width).sum()

    peer = LinearSVR(epsilon=width, C=C, intercept_scaling=1, tol=1e-8, max_iter=10**6, random_state=0)
    peer.fit(narrow(X), targets - middle)
    best = objective(peer.coef_, float(np.ravel(peer.intercept_)[0]))
    for options, allowed in (({}, 2e-2), ({"tolerance": 1e-5}, 1e-3)):
        coefficients, intercept = dual_descent.regress_features(
            X, squares(X), targets, np.full(len(targets), C), width, **options
        )
        close(intercept, coefficients.sum() + middle)
        assert (np.abs(coefficients) <= C).all()
        primal = objective(X.T @ coefficients, coefficients.sum())
        half = 0.5 * (np.sum((X.T @ coefficients) ** 2) + coefficients.sum() ** 2)
        dual = (targets - middle) @ coefficients - width * np.abs(coefficients).sum() - half
        assert dual < best * (1 + 1e-6)
        assert abs(dual - best) < 1e-3 * best
        assert abs(primal - best) < allowed * best


def test_private_and_equal_columns_change_nothing():
    X, labels = features()
    X = sp.csr_array(sp.hstack([X, X[:, ::3], 2 * X[:, ::5]]))  # some columns twice, some twice as large
    signs = np.where(labels == 1, 1, -1)
    limits = np.ones(len(signs))
    shared, norms = dual_descent.condense(X)
    columns = X.toarray().T
    distinct = np.unique(columns[(columns != 0).sum(axis=1) > 1], axis=0)
    assert shared.shape == (X.shape[0], len(distinct))
    close(norms, squares(X))
    products, expected = (shared @ shared.T).toarray(), (X @ X.T).toarray()
    np.fill_diagonal(products, norms)
    close(products, expected)
    whole = dual_descent.classify_features(X, squares(X), signs, limits, 1e-8)
    partial = dual_descent.classify_features(shared, norms, signs, limits, 1e-8)
    np.testing.assert_allclose(whole[0], partial[0], atol=1e-5)
    np.testing.assert_allclose(whole[1], partial[1], atol=1e-5)


def test_order_by_features_and_by_gram():
    X, labels = features()
    differences = sp.csr_array(X[labels == 1][:30] - X[labels == 0][:30])
    by_features = dual_descent.order_features(differences, squares(differences), np.ones(differences.shape[0]), 1e-8)
    by_gram = dual_descent.order_gram((differences @ differences.T).toarray(), np.ones(differences.shape[0]), 1e-8)
    np.testing.assert_allclose(by_features, by_gram, atol=1e-5)
    assert (by_features >= 0).all()
    assert (by_features <= 1).all()
    weights = differences.T @ by_gram
    primal = 0.5 * weights @ weights + np.maximum(0, 1 - differences @ weights).sum()
    dual = by_gram.sum() - 0.5 * weights @ weights
    assert primal - dual < 1e-5 * max(primal, 1)


def test_rows_and_columns_of_nothing():
    empty = sp.csr_array((4, 3))
    coefficients, intercept = dual_descent.classify_features(empty, np.zeros(4), np.array([1, 1, 1, -1]), np.ones(4))
    assert np.isfinite(coefficients).all()
    assert intercept > 0  # three of four are positive
    assert not dual_descent.order_features(empty, np.zeros(4), np.ones(4)).any()
    shared, norms = dual_descent.condense(sp.csr_array((0, 0)))
    assert shared.shape == (0, 0)
    assert norms.shape == (0,)


def test_same_result_in_every_run():
    X, labels = features()
    signs = np.where(labels == 1, 1, -1)
    first, second = (dual_descent.classify_features(X, squares(X), signs, np.ones(len(signs))) for _ in range(2))
    assert np.array_equal(first[0], second[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_dense_gram_gives_the_machine_of_the_features(dtype):
    X, labels = features()
    signs = np.where(labels == 1, 1.0, -1.0)
    costs = np.random.default_rng(0).choice([0.0, 0.5, 3.0], len(signs))
    gram = (X @ X.T).toarray().astype(dtype)
    coefficients, values = dual_descent.classify_dense_gram(gram, signs, costs, 1e-8)
    assert (signs * coefficients >= 0).all()
    assert (np.abs(coefficients) <= costs).all()
    assert np.allclose(values, gram @ coefficients + coefficients.sum(), atol=1e-5)
    peer = dual_descent.classify_features(X, squares(X), signs, costs, 1e-8)
    assert np.allclose(values, X @ (X.T @ peer.coefficients) + peer.intercept, atol=1e-3)


@pytest.mark.parametrize("missing", [0, 1])
def test_columns_that_all_rows_have_at_their_end_change_nothing(missing, monkeypatch):
    rng = np.random.default_rng(0)
    X, labels = features()
    dense = rng.normal(size=(X.shape[0], 20))
    dense[3, :missing] = 0.0
    X = sp.csr_array(sp.hstack([X[:, ::-1], sp.csr_array(dense)], format="csr"))  # the entries of a row do not ascend
    assert count_tail(X.indptr, X.indices, X.shape[1]) == 20 - missing
    assert count_tail(X.indptr, X.indices, X.shape[1] + 1) == 0
    signs = np.where(labels == 1, 1, -1)
    found = dual_descent.classify_features(X, squares(X), signs, np.ones(len(signs)))
    monkeypatch.setattr(dual_descent, "count_tail", lambda *arrays: 0)
    expected = dual_descent.classify_features(X, squares(X), signs, np.ones(len(signs)))
    np.testing.assert_allclose(found.coefficients, expected.coefficients, atol=1e-9)


def test_an_order_has_a_cost_for_each_difference():
    X, _ = features(40)
    costs = np.random.default_rng(0).choice([0.0, 0.1, 2.0], X.shape[0])
    by_features = dual_descent.order_features(X, squares(X), costs, 1e-8)
    by_gram = dual_descent.order_gram((X @ X.T).toarray(), costs, 1e-8)
    for found in (by_features, by_gram):
        assert (found >= 0).all()
        assert (found <= costs).all()
    assert np.allclose(X.T @ by_features, X.T @ by_gram, atol=1e-3)


def test_an_order_of_candidates_that_share_one_is_found_in_few_steps():
    rng = np.random.default_rng(0)
    worse = 0.1 * rng.normal(size=(400, 50)) + rng.normal(size=50)  # differences from the same better candidate
    gram = worse @ worse.T + 1e-3 * np.eye(400)
    gram[7] = gram[:, 7] = 0.0  # the same candidate twice, which no order can put right
    costs, steps = np.full(400, 100.0), []
    for most in (2000, 400_000):
        coefficients = descend_steeply(gram, costs, 1e-3, most)
        values = gram @ coefficients
        half = 0.5 * coefficients @ values
        losses = costs @ np.where(gram.diagonal() > 0, np.maximum(0, 1 - values), 0)
        assert half + losses - (coefficients.sum() - half) <= 1e-3 * (half + losses)
        steps.append(coefficients)
    assert np.array_equal(*steps)  # it had ended before the 2,000 steps


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 30), st.integers(1, 8), st.integers(0, 10**6), st.sampled_from([0.01, 0.1, 1.0]))
def test_the_promised_gap_holds_at_the_end(rows, columns, seed, C):
    rng = np.random.default_rng(seed)
    X = sp.csr_array(rng.integers(-2, 3, (rows, columns)).astype(np.float64))
    signs = rng.choice([-1.0, 1.0], rows)
    limits = np.full(rows, C)
    for tolerance in (1e-1, 1e-3):
        coefficients, _ = dual_descent.classify_features(X, squares(X), signs, limits, tolerance=tolerance)
        primal, dual = hinge_objectives(X, signs, limits, coefficients)
        assert primal - dual <= tolerance * primal + 1e-9
        differences = sp.csr_array(X.multiply(signs[:, None]))
        gram = (differences @ differences.T).toarray()
        for coefficients in (
            dual_descent.order_features(differences, squares(X), limits, tolerance),
            dual_descent.order_gram(gram, limits, tolerance),
        ):
            values = gram @ coefficients
            half = 0.5 * coefficients @ values
            primal = half + C * np.maximum(0, 1 - values[gram.diagonal() > 0]).sum()  # an empty row teaches nothing
            assert primal - (coefficients.sum() - half) <= tolerance * primal + 1e-9
