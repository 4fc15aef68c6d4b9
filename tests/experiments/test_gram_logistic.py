"""Kernel logistic regression is the minimum that a general optimiser finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from experiments.pair_models import fit_logistic


def make_problem(seed, size=25, dimensions=4):
    random = np.random.default_rng(seed)
    X = random.normal(size=(size, dimensions))
    signs = np.where(X[:, 0] + random.normal(size=size) > 0, 1, -1)
    signs[:2] = 1, -1
    return X, signs


def measure(weights, X, signs, C):
    values = X @ weights[:-1] + weights[-1]
    return C * np.logaddexp(0, -signs * values).sum() + weights[:-1] @ weights[:-1] / 2


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([0.01, 0.3, 1.0, 30.0]))
def test_minimum(seed, C):
    X, signs = make_problem(seed)
    found = fit_logistic(X @ X.T, signs, C)
    weights = np.append(X.T @ found.coefficients, found.intercept)
    peer = minimize(measure, np.zeros(X.shape[1] + 1), (X, signs, C), tol=1e-12)
    assert measure(weights, X, signs, C) <= peer.fun + 1e-7 * abs(peer.fun)
    np.testing.assert_allclose(weights, peer.x, atol=2e-3 * (1 + abs(peer.x).max()))
    # where the slope is 0: each coefficient is C times how far its probability is off
    off = C * ((signs > 0) - 1 / (1 + np.exp(-found.decide(X @ X.T))))
    np.testing.assert_allclose(found.coefficients, off, atol=1e-5 * C)
    assert found.coefficients.sum() == pytest.approx(0, abs=1e-6 * C)


def test_separable_points_and_large_costs():
    X = np.array([[1.0], [2.0], [-1.0], [-2.0]])
    found = fit_logistic(X @ X.T, np.array([True, True, False, False]) * 2 - 1, 1e6)
    assert (found.decide(X @ X.T) > 0).tolist() == [True, True, False, False] and np.isfinite(found.coefficients).all()


def test_items_that_are_alike():
    found = fit_logistic(np.ones((3, 3)), np.array([1, 1, -1]), 1.0)
    np.testing.assert_allclose(found.decide(np.ones((1, 3))), np.log(2), atol=1e-6)
