"""Models that are trained on landmarks: beside the exact machine, saved, explained; the dense solver."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern import PairClassifier, PairRanker, PairRegressor, TextClassifier, load_model
from rekern.kernels import Landmarks, PartialTree, Rewriting, SoftPairing, Spectrum
from rekern.learning.dense_descent import DenseTrainer, order_dense, regress_dense, weigh_columns
from rekern.learning.dual_descent import classify_features, order_features, regress_features
from rekern.learning.landmark_features import list_landmark_features, scale_costs

VERBS = ["beat", "saw", "met", "hit", "paid", "left"]
PAIRS = [
    pair
    for verb in VERBS
    for pair in ((f"Ann {verb} Ben", f"Ben was {verb} by Ann"), (f"Ann {verb} Ben", f"Ann was {verb} by Ben"))
]
LABELS = [1, 0] * len(VERBS)


def tree(text):
    return "(S " + " ".join(f"(X {word})" for word in text.split()) + ")"


TABLE = {
    "source": [source for source, _ in PAIRS],
    "target": [target for _, target in PAIRS],
    "source.tree": [tree(source) for source, _ in PAIRS],
    "target.tree": [tree(target) for _, target in PAIRS],
}
KERNEL = SoftPairing(PartialTree(on="tree"))


@pytest.fixture(scope="module")
def model():
    return PairClassifier(KERNEL, C=10, calibration=2, landmarks=8).fit(TABLE, LABELS)


def test_a_classifier_learns_from_landmarks(model):
    assert isinstance(model.kernel_, Landmarks) and len(model.kernel_.rows_) == 8
    assert model.solver_ == "dual coordinate descent on 12 rows with 8 landmarks"
    assert model.kernel is KERNEL  # parameters stay as they were given
    again = PairClassifier(Landmarks(KERNEL, 8), C=10, calibration=2).fit(TABLE, LABELS)
    assert np.array_equal(again.decision_function(TABLE), model.decision_function(TABLE))


def test_with_all_pairs_as_landmarks_it_is_the_exact_machine():
    exact = PairClassifier(Rewriting((1, 2)), calibration=0, gram_limit=0).fit(PAIRS, LABELS)
    marks = PairClassifier(Rewriting((1, 2)), calibration=0, landmarks=100).fit(PAIRS, LABELS)
    np.testing.assert_allclose(marks.decision_function(PAIRS), exact.decision_function(PAIRS), atol=0.02)
    assert marks.predict(PAIRS).tolist() == LABELS
    rules = {rule.rule: rule.weight for rule in exact.rules(5000).favoring}
    for rule in marks.rules(3).favoring:
        assert rule.weight == pytest.approx(rules[rule.rule], rel=0.02)


def test_a_saved_model_decides_with_the_same_bits(model, tmp_path):
    model.save(tmp_path / "m.rekern")
    again = load_model(tmp_path / "m.rekern")
    assert np.array_equal(again.decide(TABLE).values, model.decide(TABLE).values)
    assert np.array_equal(again.predict_proba(TABLE), model.predict_proba(TABLE))
    assert again.landmarks == 8 and again.kernel_.rows_.tolist() == model.kernel_.rows_.tolist()
    row = {name: column[0] for name, column in TABLE.items()}
    assert again.explain(row) == model.explain(row, neighbors=0)
    retrained = again.fit(TABLE, LABELS)  # the kernel of the file has landmarks already
    assert not isinstance(retrained.kernel_.kernel, Landmarks)
    assert np.array_equal(retrained.decide(TABLE).values, model.decide(TABLE).values)


def test_pairs_in_the_file_give_neighbors(model, tmp_path):
    model.save(tmp_path / "m.rekern", keep_pairs=True)
    again = load_model(tmp_path / "m.rekern")
    row = {name: column[0] for name, column in TABLE.items()}
    why = again.explain(row, neighbors=2)
    assert why.neighbors[0].index == 0 and why.neighbors[0].similarity == pytest.approx(1.0)
    assert again.coefficients_.shape == (12, 1)


def test_parts_are_fragments_and_add_up(model):
    row = {name: column[3] for name, column in TABLE.items()}
    why = model.explain(row)
    assert {part.kind for part in why.parts} == {"fragment"}
    assert why.decision == pytest.approx(why.intercept + sum(part.contribution for part in why.parts), abs=1e-9)
    assert any(part.target and not part.source for part in why.parts)


def test_numbers_orders_and_texts(tmp_path):
    numbers = PairRegressor(Rewriting(2), landmarks=12).fit(PAIRS, LABELS)
    exact = PairRegressor(Rewriting(2), gram_limit=0).fit(PAIRS, LABELS)
    np.testing.assert_allclose(numbers.predict(PAIRS), exact.predict(PAIRS), atol=0.02)
    groups = np.repeat(np.arange(len(VERBS)), 2)
    ranker = PairRanker(Rewriting(2), C=10, landmarks=6).fit(PAIRS, LABELS, groups)
    assert ranker.rank(PAIRS[:2]).tolist() == [0, 1]
    texts = TextClassifier(Spectrum(1), calibration=0, landmarks=4).fit(["a b", "a c", "d b", "d c"], [1, 1, 0, 0])
    assert texts.predict(["a a", "d d"]).tolist() == [1, 0]
    for model, items in ((numbers, PAIRS), (ranker, PAIRS), (texts, ["a d", "b"])):
        model.save(tmp_path / "m.rekern")
        assert np.array_equal(load_model(tmp_path / "m.rekern").predict(items), model.predict(items))


def test_the_number_of_landmarks_is_checked():
    for wrong in (0, 1.5, "many"):
        with pytest.raises(ValueError, match=r"landmarks=.*: give"):
            PairClassifier(landmarks=wrong).fit(PAIRS, LABELS)


def test_costs_make_up_for_what_landmarks_leave_out():
    kernel = Rewriting((1, 2))
    for n, expected in ((12, 1.0), (3, None)):
        marks = Landmarks(kernel, n).fit(PAIRS)
        features = list_landmark_features(marks, PAIRS, None)
        kept = (features.astype(float) ** 2).sum(axis=1)
        factor = scale_costs(marks, PAIRS, features)
        assert factor == pytest.approx(kernel.diag(PAIRS).mean() / kept.mean() if expected is None else 1.0, rel=1e-5)
    assert factor > 1.2  # three landmarks leave much out
    signs = np.where(np.array(LABELS) == 1, 1, -1)
    solution = DenseTrainer(features, signs[None], np.full(12, factor)).fit(0, np.arange(12))
    found = PairClassifier(kernel, calibration=0, landmarks=3).fit(PAIRS, LABELS)
    assert np.array_equal(found.coefficients_[:, 0], solution.coefficients)
    numbers = PairRegressor(kernel, landmarks=3, C=0.1).fit(PAIRS, LABELS)
    expected = regress_dense(features, np.array(LABELS, float), np.full(12, 0.1 * factor), 0.1)
    assert np.array_equal(numbers.coefficients_[:, 0], expected.coefficients)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000), st.floats(0.1, 10))
def test_shorter_features_with_larger_costs_decide_alike(seed, factor):
    """The reason of the factor: without an intercept, features times s and costs divided by s² are the same machine."""
    random = np.random.default_rng(seed)
    dense = random.normal(size=(8, 3)).astype(np.float32)
    costs = random.uniform(0.1, 2, 8)
    short = (dense / np.float32(factor)).astype(np.float32)
    found = weigh_columns(dense, order_dense(dense, costs)[:, None])
    other = weigh_columns(short, order_dense(short, costs * factor**2)[:, None])
    np.testing.assert_allclose(short @ other, dense @ found, rtol=0.05, atol=0.05)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(2, 12), st.integers(1, 9))
def test_the_dense_solver_finds_what_the_sparse_one_finds(seed, n, width):
    random = np.random.default_rng(seed)
    dense = random.normal(size=(n, width)).astype(np.float32)
    matrix, norms = sp.csr_array(dense.astype(float)), (dense.astype(float) ** 2).sum(axis=1)
    signs, costs = np.where(np.arange(n) % 2, 1, -1), random.uniform(0.1, 2, n)
    rows = np.arange(n)
    found = DenseTrainer(dense, signs[None], costs).fit(0, rows)
    expected = classify_features(matrix, norms, signs, costs)
    np.testing.assert_allclose(found.coefficients, expected.coefficients, atol=1e-6)
    np.testing.assert_allclose(found.intercept, expected.intercept, atol=1e-6)
    targets = random.normal(size=n)
    one, other = regress_dense(dense, targets, costs, 0.1), regress_features(matrix, norms, targets, costs, 0.1)
    np.testing.assert_allclose(one.coefficients, other.coefficients, atol=1e-6)
    np.testing.assert_allclose(one.intercept, other.intercept, atol=1e-6)
    np.testing.assert_allclose(order_dense(dense, costs), order_features(matrix, norms, costs), atol=1e-6)
    np.testing.assert_allclose(weigh_columns(dense, costs[:, None])[:, 0], costs @ dense, rtol=1e-5, atol=1e-5)


def test_held_out_rows_are_not_trained_on():
    random = np.random.default_rng(0)
    dense = random.normal(size=(20, 5)).astype(np.float32)
    signs, costs = np.where(dense[:, 0] > 0, 1, -1), np.ones(20)
    train, test = np.arange(0, 20, 2), np.arange(1, 20, 2)
    found = DenseTrainer(dense, signs[None], costs).decide(0, train, test)
    alone = DenseTrainer(dense[train], signs[None, train], costs[train]).fit(0, np.arange(10))
    weights = weigh_columns(dense[train], alone.coefficients[:, None])[:, 0]
    np.testing.assert_allclose(found, dense[test] @ weights + alone.intercept, atol=1e-5)
