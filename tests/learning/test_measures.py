"""Measures agree with those of scikit-learn and SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, pearsonr, spearmanr
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    confusion_matrix,
    f1_score,
    precision_recall_fscore_support,
    roc_auc_score,
)

from experiments.pair_corpora import mcnemar
from rekern.learning.measures import (
    binary_measures,
    class_measures,
    correlations,
    find_areas,
    find_best_threshold,
)


def test_classes_are_measured_as_by_scikit_learn():
    random = np.random.default_rng(0)
    true, guess = random.integers(0, 3, 50), random.integers(0, 3, 50)
    found = class_measures(guess.tolist(), true.tolist(), [0, 1, 2])
    assert found["accuracy"] == accuracy_score(true, guess)
    assert found["confusion"] == confusion_matrix(true, guess).tolist()
    precision, recall, f1, count = precision_recall_fscore_support(true, guess)
    for place, row in enumerate(found["classes"].values()):
        expected = [precision[place], recall[place], f1[place], count[place]]
        assert list(row.values()) == pytest.approx(expected)


def test_a_class_that_is_never_predicted_has_precision_0():
    row = class_measures(["a", "a"], ["a", "b"], ["a", "b"])["classes"]["b"]
    assert row == {"precision": 0.0, "recall": 0.0, "f1": 0.0, "pairs": 1}


def test_correlations_are_those_of_scipy():
    random = np.random.default_rng(0)
    x = random.normal(size=30).round(1)
    y = x + random.normal(size=30).round(1)
    found = correlations(x, y)
    assert found["pearson"] == pytest.approx(pearsonr(x, y).statistic)
    assert found["spearman"] == pytest.approx(spearmanr(x, y).statistic)
    assert correlations([1, 1], [1, 2])["pearson"] is None


def test_mcnemar_is_a_binomial_test_of_the_differences():
    true = np.zeros(40)
    one, other = (np.arange(40) < 13).astype(float), (np.arange(40) >= 35).astype(float)
    assert mcnemar(true, one, other) == pytest.approx(binomtest(5, 18).pvalue)
    assert mcnemar([1, 1], [1, 1], [1, 1]) == 1.0


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.3, 0.5, 0.8]), st.booleans()), min_size=1, max_size=12))
def test_no_threshold_is_better_than_the_best(rows):
    scores, truth = np.array([score for score, _ in rows]), np.array([positive for _, positive in rows])
    for metric, measure in (("accuracy", accuracy_score), ("f1", lambda t, g: f1_score(t, g, zero_division=0))):
        found = find_best_threshold(scores, truth, metric)
        assert found.reached == pytest.approx(measure(truth, scores > found.threshold))
        every = [measure(truth, scores > threshold) for threshold in (0.05, 0.2, 0.4, 0.6, 0.9)]
        assert found.reached == pytest.approx(max(every)) and 0 < found.threshold < 1


def test_weights_of_pairs_move_the_best_threshold():
    scores, truth = np.array([0.2, 0.4, 0.6, 0.8]), np.array([False, True, False, True])
    assert find_best_threshold(scores, truth, weights=np.array([1.0, 5.0, 1.0, 1.0])).threshold == pytest.approx(0.3)
    assert find_best_threshold(scores, truth, weights=np.array([1.0, 1.0, 5.0, 1.0])).threshold == pytest.approx(0.7)


@given(st.lists(st.tuples(st.sampled_from([-1.5, 0.0, 0.25, 0.5, 2.0]), st.booleans()), min_size=2, max_size=30))
def test_areas_are_those_of_scikit_learn(items):
    scores = np.array([score for score, _ in items] + [0.0, 1.0])
    truth = np.array([is_positive for _, is_positive in items] + [False, True])
    expected = roc_auc_score(truth, scores), average_precision_score(truth, scores)
    assert find_areas(scores, truth) == pytest.approx(expected, abs=1e-12)


def test_one_class_alone_has_no_curve():
    assert binary_measures([0.2, 0.3], [1, 1]) is None
    assert binary_measures([0.2, 0.3], [0, 0]) is None
