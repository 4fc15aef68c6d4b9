"""The sigmoid is that of a logistic regression, with weights, and with smoothed targets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from rekern.learning.calibration import Sigmoid, fit_sigmoid


def decisions(n, seed=0, distance=0.7):
    random = np.random.default_rng(seed)
    signs = np.where(random.random(n) < 0.4, 1, -1)
    signs[:2] = 1, -1
    return signs * distance + random.normal(size=n), signs


@pytest.mark.parametrize("distance", [0.0, 0.7, 8.0])
@pytest.mark.parametrize("n", [10, 300])
def test_it_is_the_logistic_regression_of_scikit_learn(n, distance):
    values, signs = decisions(n, n, distance)
    peer = LogisticRegression(C=1e6).fit(values[:, None], signs)
    assert np.allclose(fit_sigmoid(values, signs), [peer.coef_[0, 0], peer.intercept_[0]], rtol=1e-9)
    assert fit_sigmoid(values, signs > 0) == fit_sigmoid(values, signs)


def test_weights_are_those_of_scikit_learn():
    values, signs = decisions(200)
    weights = np.random.default_rng(1).random(200)
    peer = LogisticRegression(C=10).fit(values[:, None], signs, sample_weight=weights)
    found = fit_sigmoid(values, signs, weights, penalty=0.1)
    assert np.allclose(found, [peer.coef_[0, 0], peer.intercept_[0]], rtol=1e-9)


@settings(deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_a_weight_of_two_is_the_value_twice(seed, smooth):
    values, signs = decisions(20, seed)
    twice = np.arange(20) < 7
    weighted = fit_sigmoid(values, signs, 1.0 + twice, smooth=smooth, tolerance=1e-9, penalty=1e-3)
    repeated = np.concatenate([values, values[twice]]), np.concatenate([signs, signs[twice]])
    assert np.allclose(weighted, fit_sigmoid(*repeated, smooth=smooth, tolerance=1e-9, penalty=1e-3), atol=1e-5)


def test_smoothed_targets_are_those_of_platt():
    values, signs = decisions(60)
    p, q = (signs > 0).sum(), (signs < 0).sum()
    targets = np.where(signs > 0, (p + 1) / (p + 2), 1 / (q + 2))
    found = fit_sigmoid(values, signs, smooth=True, tolerance=1e-10, penalty=0.0)
    errors = found.probabilities(values) - targets  # at the optimum both derivatives are 0
    assert abs(errors.sum()) < 1e-6
    assert abs(errors @ values) < 1e-6


def test_smoothed_targets_keep_the_slope_of_classes_apart_small():
    values, signs = np.array([-2.0, -1.0, 1.0, 2.0]), np.array([-1, -1, 1, 1])
    assert fit_sigmoid(values, signs, smooth=True).slope < 1 < fit_sigmoid(values, signs).slope


def test_large_values_do_not_overflow():
    with np.errstate(all="raise"):
        assert Sigmoid(1.0, 0.0).probabilities(np.array([-1e6, 0.0, 1e6])).tolist() == [pytest.approx(0), 0.5, 1.0]
    assert np.isfinite(fit_sigmoid(np.array([-1e4, 1e4, 2e4]), np.array([-1, 1, 1]))).all()


def test_nothing_to_fit_is_an_error():
    with pytest.raises(ValueError, match="at least one value"):
        fit_sigmoid(np.zeros(2), np.array([1, -1]), np.zeros(2))
