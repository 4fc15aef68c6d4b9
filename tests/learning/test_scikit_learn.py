"""The models keep scikit-learn's conventions: its own checks, searches over parameters, weights of pairs."""

import pickle
from functools import partial
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, RandomizedSearchCV, cross_val_score
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from sklearn.utils.validation import check_is_fitted, validate_data

from helpers import rewritings
from rekern import (
    AutoPairClassifier,
    AutoPairRanker,
    AutoPairRegressor,
    PairClassifier,
    PairRanker,
    PairRegressor,
    load_model,
)
from rekern.errors import InputError
from rekern.kernels import Rewriting
from rekern.learning import classifier_trainers, pair_ranker
from rekern.learning.dual_descent import order_gram
from rekern.similarity import PrecisionRecall

MODELS = [PairClassifier, PairRegressor, PairRanker]
AUTO_MODELS = [AutoPairClassifier, AutoPairRegressor, AutoPairRanker]


class NumbersAsPairs:
    """scikit-learn's checks train on numbers. Here a row becomes a pair of texts, with a token for each number."""

    def fit(self, X, y=None, sample_weight=None):
        X = validate_data(self, X)
        return super().fit(self._pairs(X), y, sample_weight=sample_weight)

    def partial_fit(self, X, y=None, **options):
        X = validate_data(self, X, reset=not hasattr(self, "n_features_in_"))
        return super().partial_fit(self._pairs(X), y, **options)

    def _scores(self, X):
        check_is_fitted(self)
        return super()._scores(self._pairs(validate_data(self, X, reset=False)))

    def _pairs(self, X):
        rows = [[f"x{place}y{number:.0f}" for place, number in enumerate(2 * row)] for row in X]
        return [(row, row[::-1]) for row in rows]


class NumberClassifier(NumbersAsPairs, PairClassifier):
    pass


class NumberRegressor(NumbersAsPairs, PairRegressor):
    pass


NUMBERS = [
    NumberClassifier(Rewriting(1), C=10, n_jobs=1),
    NumberRegressor(Rewriting(1), C=10, n_jobs=1),
]
# Checks of scikit-learn that cannot hold, and why.
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": "LIBSVM stops at a tolerance, and the folds of a calibration hold "
    "copies of a pair in several folds; decision values are compared below, to that tolerance",
    "check_classifiers_regression_target": "numbers with decimals may be the names of classes",
    "check_supervised_y_2d": "labels with two dimensions are an error, not a warning",
}


def list_expected(estimator):
    return EXPECTED if is_classifier(estimator) else {n: r for n, r in EXPECTED.items() if "classifiers" not in n}


@parametrize_with_checks(NUMBERS, expected_failed_checks=list_expected)
def test_scikit_learn_checks_hold_for_numbers_as_pairs(estimator, check):
    check(estimator)


# Checks that train on numbers fail for models of texts. These train on nothing.
WITHOUT_DATA = (
    "check_estimator_cloneable",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_estimators_unfitted",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_mixin_order",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
)


@pytest.mark.parametrize("model", MODELS + AUTO_MODELS)
def test_scikit_learn_checks_that_need_no_data_hold(model):
    found = check_estimator(model(n_jobs=1), on_skip=None, on_fail=None)
    passed = {result["check_name"] for result in found if result["status"] == "passed"}
    assert passed >= set(WITHOUT_DATA)


@pytest.mark.parametrize("model", MODELS + AUTO_MODELS)
def test_tags_say_what_a_model_takes(model):
    tags = model().__sklearn_tags__()
    assert tags.input_tags.string
    assert tags.target_tags.required
    kinds = [PairClassifier, AutoPairClassifier], [PairRegressor, AutoPairRegressor]
    assert (is_classifier(model()), is_regressor(model())) == tuple(model in kind for kind in kinds)


@pytest.mark.parametrize("model", MODELS)
def test_untrained_models_say_so(model):
    calls = ["predict", "decision_function", "predict_proba", "predict_log_proba", "rank", "decide", "explain", "rules"]
    for name in calls:
        method = getattr(model(), name, None)
        if method is not None:
            with pytest.raises(NotFittedError, match="not trained yet"):
                method(*([] if name == "rules" else [[("a", "b")]]))
    with pytest.raises(NotFittedError):
        model().save("nowhere.rekern")
    with pytest.raises(NotFittedError):
        check_is_fitted(model())
    assert not hasattr(model(), "scorer_")


# Parameters of the default kernel.


@pytest.mark.parametrize("model", MODELS)
def test_the_default_kernel_has_parameters(model):
    estimator = model()
    assert estimator.kernel is None
    assert estimator.get_params()["kernel__left__k"] == (1, 4)
    assert "kernel__left__k" not in estimator.get_params(deep=False)
    assert repr(estimator) == f"{model.__name__}()"
    assert clone(estimator).kernel is None
    changed = clone(estimator).set_params(kernel__left__k=2, C=3.0)
    assert (changed.kernel.left.k, changed.C) == (2, 3.0)
    assert changed.kernel.right.kernel.groups == ("basic", "ngrams", "sequences", "differences")
    named = model("paper").set_params(kernel__left__k=2).kernel
    assert (named.left.k, named.right.get_params()) == (2, PrecisionRecall().get_params())
    assert clone(changed).kernel.left.k == 2
    assert estimator.kernel is None
    with pytest.raises(ValueError, match="Invalid parameter 'middle'"):
        model().set_params(kernel__middle__k=2)
    given = model().set_params(kernel=Rewriting(), kernel__k=3)
    assert given.kernel.k == 3


def test_a_search_over_the_default_kernel_finds_what_its_kernels_find():
    pairs, labels = rewritings(60, 1)
    grid = {"kernel__left__k": [1, (1, 2)], "C": [0.1, 10.0]}
    found = GridSearchCV(PairClassifier(calibration=0, n_jobs=1), grid, cv=3, error_score="raise").fit(pairs, labels)
    assert len(found.cv_results_["params"]) == 4
    kernels = [Rewriting(k) + clone(PairClassifier().get_params()["kernel__right"]) for k in (1, (1, 2))]
    plain = {"kernel": kernels, "C": [0.1, 10.0]}
    same = GridSearchCV(PairClassifier(calibration=0, n_jobs=1), plain, cv=3, error_score="raise").fit(pairs, labels)
    assert sorted(found.cv_results_["mean_test_score"]) == sorted(same.cv_results_["mean_test_score"])
    assert found.best_estimator_.kernel_.left.k in (1, (1, 2))
    random = RandomizedSearchCV(
        PairClassifier(calibration=0), grid, n_iter=2, cv=2, random_state=0, error_score="raise"
    )
    assert random.fit(pairs, labels).best_score_ > 0
    assert len(cross_val_score(PairClassifier(calibration=0), pairs, labels, cv=2)) == 2


def test_log_probabilities_are_logarithms():
    pairs, labels = rewritings(60, 2)
    model = PairClassifier(n_jobs=1).fit(pairs, labels)
    assert np.allclose(np.exp(model.predict_log_proba(pairs)), model.predict_proba(pairs))


# Weights of pairs.


def fit_weighted_and_copied(model, weights, seed, gram_limit=10_000):
    """The decision values, without the intercept, of a model with weights and of one with copies of the pairs."""
    pairs, _ = rewritings(len(weights), seed)
    labels, groups = np.arange(len(pairs)) % 2, np.arange(len(pairs)) // 6
    copies = np.repeat(np.arange(len(pairs)), weights)
    estimator = model(Rewriting(1), gram_limit=gram_limit, n_jobs=1)
    one, other = {}, {}
    if model is PairClassifier:
        estimator.set_params(calibration=0)
    if model is PairRanker:
        one, other = {"groups": groups}, {"groups": groups[copies]}
    weighted = clone(estimator).fit(pairs, labels, sample_weight=weights, **one)
    copied = clone(estimator).fit([pairs[row] for row in copies], labels[copies], **other)
    return [machine.scorer_.score(pairs)[:, 0] for machine in (weighted, copied)]


@pytest.mark.parametrize("model", MODELS)
@settings(deadline=None, max_examples=10)
@given(st.lists(st.integers(0, 3), min_size=24, max_size=24), st.integers(0, 10**6))
@example([0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 2, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0], 150_000)
def test_a_weight_is_a_number_of_copies(model, weights, seed):
    weights = np.where(np.arange(24) < 4, 1, weights)  # both classes are there
    with patch.object(pair_ranker, "order_gram", partial(order_gram, tolerance=1e-6)):
        one, other = fit_weighted_and_copied(model, weights, seed)
    assert np.allclose(one - one.mean(), other - other.mean(), atol=0.1)  # both stop at a tolerance


@pytest.mark.parametrize("model", MODELS)
def test_a_weight_is_a_number_of_copies_in_training_on_features(model):
    weights = np.random.default_rng(0).integers(1, 4, 24)
    with patch.object(classifier_trainers, "TOLERANCE", 1e-4):
        one, other = fit_weighted_and_copied(model, weights, seed=0, gram_limit=5)
    assert np.allclose(one, other, atol=0.05)


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 1.0, 1: 3.0}])
def test_weights_and_class_weights_go_together(class_weight):
    pairs, labels = rewritings(60, 3)
    weights = np.where(np.arange(60) % 3 == 0, 2, 1)
    copies = np.repeat(np.arange(60), weights)
    estimator = PairClassifier(Rewriting(1), class_weight=class_weight, calibration=0, n_jobs=1)
    one = clone(estimator).fit(pairs, labels, sample_weight=weights)
    other = clone(estimator).fit([pairs[row] for row in copies], labels[copies])
    assert np.allclose(one.decision_function(pairs), other.decision_function(pairs), atol=0.05)


def test_equal_weights_change_nothing():
    pairs, labels = rewritings(40, 4)
    plain, equal = PairClassifier(n_jobs=1).fit(pairs, labels), PairClassifier(n_jobs=1)
    equal.fit(pairs, labels, sample_weight=np.ones(40))
    assert plain.coefficients_.tolist() == equal.coefficients_.tolist()
    assert np.allclose(plain.predict_proba(pairs), equal.predict_proba(pairs))


def test_a_pair_without_weight_is_not_there():
    pairs, labels = rewritings(40, 5)
    weights = (np.arange(40) < 30).astype(float)
    one = PairClassifier(n_jobs=1).fit(pairs, labels, sample_weight=weights)
    other = PairClassifier(n_jobs=1).fit(pairs[:30], labels[:30])
    assert not one.coefficients_[30:].any()
    assert np.allclose(one.predict_proba(pairs), other.predict_proba(pairs))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], "give one number for each of the 4 pairs"),
        ([1.0, -1.0, 1.0, 1.0], "row 1: the weight -1 cannot be used"),
        ([1.0, 1.0, np.nan, 1.0], "row 2: the weight nan cannot be used"),
        ([0.0] * 4, "all sample weights are zero"),
        (["a"] * 4, "must be one number for each pair"),
        ([1.0, 1.0, 0.0, 0.0], "all pairs of class 1 have the weight 0"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(InputError, match=message):
        PairClassifier().fit([("a", "b")] * 4, [0, 0, 1, 1], sample_weight=weights)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("C", "shown"), [(0, "0"), (-1.0, "-1.0"), ("1", "'1'"), (True, "True"), (np.inf, "inf")])
def test_a_bad_cost_is_refused(model, C, shown):
    with pytest.raises(ValueError, match=f"C={shown}: give a finite number above 0"):
        model(C=C).fit([("a", "b"), ("c", "d")], [0, 1])
    with pytest.raises(ValueError, match="kernel='rbf': give a kernel"):
        model(kernel="rbf").fit([("a", "b"), ("c", "d")], [0, 1])


# Groups of a ranking.

QUESTIONS = [f"who wrote {name}" for name in ("Emma", "Ulysses", "Faust", "Hamlet", "Dracula", "Medea")]
CANDIDATES = [
    (q, text) for q in QUESTIONS for text in (f"a man wrote {q.split()[-1]}", "it rains", f"{q[-3:]} is long")
]
MARKS = np.tile([1, 0, 0], len(QUESTIONS))


def test_groups_are_the_sources_by_default():
    groups = np.repeat(np.arange(len(QUESTIONS)), 3)
    one, other = PairRanker().fit(CANDIDATES, MARKS), PairRanker().fit(CANDIDATES, MARKS, groups)
    assert one.coefficients_.tolist() == other.coefficients_.tolist()
    assert one.score(CANDIDATES, MARKS) == other.score(CANDIDATES, MARKS, groups) == 1.0


def test_groups_reach_a_ranker_in_a_search():
    groups = np.repeat(np.arange(len(QUESTIONS)), 3)
    grid = {"C": [0.1, 1.0], "kernel__left__k": [1, 2]}
    search = GridSearchCV(PairRanker(n_jobs=1), grid, cv=GroupKFold(3), error_score="raise")
    search.fit(CANDIDATES, MARKS, groups=groups)
    assert 0 < search.best_score_ <= 1
    assert search.best_estimator_.rank(CANDIDATES[:3]).tolist()[0] == 0


def test_a_column_says_what_the_groups_are():
    # The sources differ within a group: by them there would be no order to learn.
    frame = pd.DataFrame(
        {
            "source": [f"{source} {place}" for place, (source, _) in enumerate(CANDIDATES)],
            "target": [target for _, target in CANDIDATES],
            "group": np.repeat(QUESTIONS, 3),
        }
    )
    with pytest.raises(InputError, match="no order to learn"):
        PairRanker().fit(frame[["source", "target"]], MARKS)
    one, other = PairRanker().fit(frame, MARKS), PairRanker().fit(frame, MARKS, frame["group"])
    assert one.coefficients_.tolist() == other.coefficients_.tolist()
    search = GridSearchCV(PairRanker(n_jobs=1), {"C": [0.1, 1.0]}, cv=GroupKFold(3), error_score="raise")
    assert search.fit(frame, MARKS, groups=frame["group"]).best_score_ > 0


@pytest.mark.parametrize("model", MODELS)
def test_a_model_survives_pickling_and_its_file(model, tmp_path):
    pairs, labels = rewritings(30, 6)
    options = {"groups": np.arange(30) // 5} if model is PairRanker else {}
    trained = model(n_jobs=1).fit(pairs, labels, sample_weight=np.linspace(0.5, 2, 30), **options)
    expected = trained.predict(pairs).tolist()
    assert pickle.loads(pickle.dumps(trained)).predict(pairs).tolist() == expected  # noqa: S301
    trained.save(tmp_path / "m.rekern")
    assert load_model(tmp_path / "m.rekern").predict(pairs).tolist() == expected


def test_tasks_tell_models_apart():
    assert [model.task for model in MODELS] == ["classify", "regress", "rank"]
