"""Large Gram matrices: 32 bits, and a solver that finds the optimum that LIBSVM finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from reference import support_vectors
from rekern import PairClassifier
from rekern.learning import pair_classifier
from rekern.learning.classifier_trainers import GramTrainer, LargeGramTrainer
from rekern.learning.smo_core import minimize_dual


def points(n, seed):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(n, 4))
    signs = np.where(rows[:, 0] + random.normal(size=n) > 0, 1, -1)
    signs[:2] = 1, -1
    return (rows @ rows.T).astype(np.float32), signs, random.uniform(0.1, 3.0, n)


def measure_objective(gram, coefficients):
    return np.abs(coefficients).sum() - 0.5 * coefficients @ gram.astype(float) @ coefficients


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 60), st.integers(0, 10**6))
def test_the_optimum_is_that_of_libsvm(n, seed):
    gram, signs, costs = points(n, seed)
    diagonal = gram.diagonal().astype(float)
    coefficients, values, intercept = minimize_dual(gram, diagonal, signs.astype(float), costs, 1e-6, 10**6)
    assert (coefficients * signs >= 0).all() and (np.abs(coefficients) <= costs).all()
    assert abs(coefficients.sum()) < 1e-6 * (1 + np.abs(coefficients).sum())
    assert np.allclose(values, gram.astype(float) @ coefficients, atol=1e-6 * (1 + np.abs(values).max()))
    peer = SVC(C=1.0, kernel="precomputed", tol=1e-6).fit(gram.astype(float), signs, sample_weight=costs)
    best = np.zeros(n)
    best[peer.support_] = peer.dual_coef_[0]
    objective = measure_objective(gram, best)
    assert measure_objective(gram, coefficients) == pytest.approx(objective, rel=1e-4, abs=1e-4)
    free = (np.abs(coefficients) > 1e-6) & (np.abs(coefficients) < costs - 1e-6)
    if free.any():
        assert intercept == pytest.approx(float((signs - values)[free].mean()), abs=1e-4)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from([2, 3, 17, 60, 511, 513, 700]), st.integers(0, 10**6), st.booleans())
def test_rows_in_chunks_take_the_steps_of_the_plain_formula(n, seed, is_tied):
    gram, signs, costs = points(n, seed)
    if is_tied:  # many equal slacks and gains: of equal rows the last is taken
        gram, costs = np.rint(gram), np.ones(n)
    costs[np.arange(n) % 5 == 3] = 0.0
    diagonal = gram.diagonal().astype(float)
    found = minimize_dual(gram, diagonal, signs.astype(float), costs, 1e-3, 300)
    plain = support_vectors.minimize_dual(gram, diagonal, signs.astype(float), costs, 1e-3, 300)
    for one, other in zip(found[:2], plain, strict=True):
        assert np.array_equal(one, other)


def test_folds_leave_out_their_rows():
    gram, signs, costs = points(80, 1)
    large, small = LargeGramTrainer(gram, signs[None], costs), GramTrainer(gram.astype(float), signs[None], costs)
    train, test = np.arange(0, 80, 2), np.arange(1, 80, 2)
    assert np.allclose(large.decide(0, train, test), small.decide(0, train, test), atol=5e-3)
    found, peer = large.fit(0, train), small.fit(0, train)
    assert found.coefficients.shape == peer.coefficients.shape
    assert found.intercept == pytest.approx(peer.intercept, abs=5e-3)


def test_a_model_of_many_pairs_decides_like_one_of_few(monkeypatch):
    words = np.random.default_rng(0).choice(["a", "b", "c", "d", "e"], (60, 2, 4))
    pairs = [(" ".join(one), " ".join(two)) for one, two in words]
    labels = np.arange(60) % 2
    small = PairClassifier().fit(pairs, labels)
    monkeypatch.setattr(pair_classifier, "LARGE_GRAM", 10)
    large = PairClassifier().fit(pairs, labels)
    assert small.solver_ == "LIBSVM on a 60 × 60 Gram matrix"
    assert large.solver_ == "sequential minimal optimisation on a 60 × 60 Gram matrix"
    assert np.allclose(large.decision_function(pairs), small.decision_function(pairs), atol=5e-3)
    one_thread = PairClassifier(n_jobs=1).fit(pairs, labels)
    assert np.array_equal(one_thread.decision_function(pairs), large.decision_function(pairs))
