"""Classes of pairs: decision values, probabilities, explanations, both solvers."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from helpers import close, rewritings
from rekern import InputError, PairClassifier, PairRegressor, load_model
from rekern.kernels import PairSum, PartialTree, Rewriting, SoftPairing, Spectrum
from rekern.similarity import PrecisionRecall
from rekern.structures import Pairs

KERNEL = Rewriting([(1, 1), (2, 2), (3, 5)]) + PrecisionRecall()
TEST, TRUTH = rewritings(60, seed=1)


def two_classes(number, seed=0):
    pairs, labels = rewritings(number * 3 // 2, seed)
    return [pair for pair, label in zip(pairs, labels) if label < 2], labels[labels < 2]


@pytest.fixture(scope="module")
def binary():
    return PairClassifier(KERNEL).fit(*two_classes(90))


@pytest.fixture(scope="module")
def three():
    return PairClassifier(KERNEL).fit(*rewritings(120))


def test_it_learns(binary, three):
    test, truth = two_classes(60, seed=2)
    assert accuracy_score(truth, binary.predict(test)) > 0.9
    assert accuracy_score(TRUTH, three.predict(TEST)) > 0.75
    assert binary.solver_ == "LIBSVM on a 90 × 90 Gram matrix"
    assert binary.score(test, truth) == accuracy_score(truth, binary.predict(test))


def test_decisions_are_the_gram_times_the_coefficients(binary, three):
    for model in (binary, three):
        gram = KERNEL.gram(TEST, model.pairs_)
        expected = gram @ model.coefficients_ + model.intercept_
        found = model.decision_function(TEST)
        close(found if found.ndim == 2 else found[:, None], expected)
    assert binary.decision_function(TEST).shape == (60,)
    assert three.decision_function(TEST).shape == (60, 3)


def test_libsvm_gives_the_same_machine(binary):
    pairs, labels = two_classes(90)
    svm = SVC(kernel="precomputed", C=1).fit(KERNEL.gram(pairs), labels)
    close(binary.decision_function(TEST), svm.decision_function(KERNEL.gram(TEST, pairs)))


def test_predictions_follow_the_decisions(binary, three):
    assert np.array_equal(binary.predict(TEST), binary.classes_[(binary.decision_function(TEST) > 0).astype(int)])
    assert np.array_equal(three.predict(TEST), three.classes_[three.decision_function(TEST).argmax(axis=1)])


def test_probabilities(binary, three):
    for model in (binary, three):
        chances = model.predict_proba(TEST)
        assert chances.shape == (60, len(model.classes_))
        close(chances.sum(axis=1), np.ones(60))
        assert ((chances >= 0) & (chances <= 1)).all()
    assert np.corrcoef(binary.predict_proba(TEST)[:, 1], binary.decision_function(TEST))[0, 1] > 0.8
    # With probabilities learned by cross-validation a sure answer is mostly right.
    sure = three.predict_proba(TEST).max(axis=1) > 0.8
    assert (three.predict(TEST)[sure] == TRUTH[sure]).mean() > 0.8


def test_no_probabilities_without_calibration():
    model = PairClassifier(KERNEL, calibration=0).fit(*two_classes(30))
    for name in ("predict_proba", "predict_log_proba"):
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match=name) as error:
            getattr(model, name)
        assert "calibration=0" in str(error.value.__cause__)
    assert model.explain(TEST[0]).probability is None


@pytest.mark.parametrize("gram_limit", [10_000, 5])
def test_explanations_add_up(gram_limit):
    for data in (two_classes(40), rewritings(45)):
        model = PairClassifier(KERNEL, gram_limit=gram_limit).fit(*data)
        decisions = model.decision_function(TEST)
        for pair, decision, prediction in zip(TEST[:8], decisions, model.predict(TEST)):
            for label in [None, *model.classes_]:
                why = model.explain(pair, label=label, neighbors=2)
                total = why.intercept + sum(part.contribution for part in why.parts)
                assert abs(total - why.decision) < 1e-9
                if len(model.classes_) == 2:
                    assert why.decision == (-decision if label == 0 else decision)
                    assert why.explained == (0 if label == 0 else 1)
                else:
                    assert why.decision == decision[list(model.classes_).index(why.explained)]
                    assert why.explained == (prediction if label is None else label)
                assert why.prediction == prediction
                assert len(why.neighbors) == 2
                assert 0 <= why.probability <= 1
            assert {part.kind for part in why.parts} == {"rule", "score"}


def test_neighbors_are_the_most_alike(binary):
    pair = TEST[0]
    values = KERNEL.normalized().gram([pair], binary.pairs_)[0]
    found = binary.explain(pair, neighbors=5).neighbors
    close([neighbor.similarity for neighbor in found], np.sort(values)[::-1][:5])
    for neighbor in found:
        assert (neighbor.source, neighbor.target) == binary.pairs_[neighbor.index]
        assert neighbor.label == binary.labels_[neighbor.index]
    close(binary.explain(binary.pairs_[3], neighbors=1).neighbors[0].similarity, 1)
    assert binary.explain(pair, neighbors=0).neighbors == []
    assert len(binary.explain(pair, neighbors=1000).neighbors) == 90


def test_explanation_as_text_and_as_plain_values(binary):
    why = binary.explain(TEST[0])
    text = str(why)
    assert text.startswith(f"source      {TEST[0][0]}\ntarget      {TEST[0][1]}\n")
    assert "intercept" in text
    assert "most similar training pairs" in text
    plain = why.to_dict(n=3)
    assert len(plain["parts"]) == 3
    total = plain["intercept"] + sum(part["contribution"] for part in plain["parts"])
    assert abs(total + plain["other_parts"]["contribution"] - plain["decision"]) < 1e-9
    assert plain["other_parts"]["count"] == len(why.parts) - 3
    sizes = [abs(part.contribution) for part in why.parts]
    assert sizes == sorted(sizes, reverse=True)


def test_one_by_one_and_in_bulk(binary, three):
    for model in (binary, three):
        bulk, chances = model.decision_function(TEST), model.predict_proba(TEST)
        for index, pair in enumerate(TEST):
            assert np.array_equal(model.decision_function([pair])[0], bulk[index])
            assert np.array_equal(model.predict_proba([pair])[0], chances[index])
        assert np.array_equal(model.decision_function(TEST[10:30]), bulk[10:30])
        for n_jobs in (1, 2, 4):
            assert np.array_equal(clone_of(model, n_jobs).decision_function(TEST), bulk)


def clone_of(model, n_jobs):
    model.n_jobs = n_jobs
    return model


@pytest.mark.parametrize("data", [two_classes(90), rewritings(90)], ids=["two", "three"])
def test_both_solvers_agree(data):
    gram, linear = (PairClassifier(KERNEL, gram_limit=limit).fit(*data) for limit in (10_000, 5))
    assert linear.solver_.startswith("dual coordinate descent on 90 rows")
    assert (gram.predict(TEST) == linear.predict(TEST)).mean() > 0.9
    correlation = np.corrcoef(gram.decision_function(TEST).ravel(), linear.decision_function(TEST).ravel())
    assert correlation[0, 1] > 0.98
    close(linear.predict_proba(TEST).sum(axis=1), np.ones(60))
    assert np.abs(gram.predict_proba(TEST) - linear.predict_proba(TEST)).mean() < 0.1
    again = PairClassifier(KERNEL, gram_limit=5, n_jobs=1).fit(*data)
    assert np.array_equal(again.coefficients_, linear.coefficients_)


def test_a_kernel_without_features_always_uses_the_gram():
    model = PairClassifier(Rewriting(1, "free"), gram_limit=5, calibration=0).fit(*two_classes(30))
    assert model.solver_.startswith("LIBSVM")
    assert abs(sum(part.contribution for part in model.explain(TEST[0]).parts) + model.intercept_[0]) < 10


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [False, True], [-1, 1], [1.0, 2.0], [0.5, 1.5], np.array(["a", "b"], dtype=object)],
    ids=str,
)
def test_any_kind_of_label(labels, tmp_path):
    pairs, numbers = two_classes(30)
    named = [labels[number] for number in numbers]
    model = PairClassifier(Rewriting(2), calibration=2).fit(pairs, named)
    assert set(model.predict(pairs)) <= set(labels)
    assert model.explain(pairs[0], label=labels[1]).explained == labels[1]
    assert (model.predict(pairs) == named).mean() > 0.9


def test_class_weights_price_the_errors():
    pairs, labels = two_classes(60)
    few = np.flatnonzero((labels == 0) | (np.arange(len(labels)) % 5 == 0))
    pairs, labels = [pairs[i] for i in few], labels[few]
    means = []
    for weight in (None, "balanced", {0: 1, 1: 50}):
        model = PairClassifier(Rewriting(2), C=0.02, class_weight=weight, calibration=0).fit(pairs, labels)
        means.append(model.decision_function(TEST).mean())
    assert means[0] < means[1] < means[2]


def test_rules_for_and_against(binary, three):
    best, worst = binary.rules(10)
    assert len(best) == len(worst) == 10
    assert all(rule.weight > 0 for rule in best)
    assert all(rule.weight < 0 for rule in worst)
    assert "⟨1⟩ → ⟨1⟩" not in {rule.rule for rule in best[:1]}
    features = Rewriting([(1, 1), (2, 2), (3, 5)]).features(binary.pairs_)
    close(best[0].weight, (features.T @ binary.coefficients_[:, 0]).max())
    assert three.rules(5, label=2)[0] != three.rules(5, label=0)[0]
    with pytest.raises(ValueError, match="say which class: label is one of 0, 1, 2"):
        three.rules(5)
    with pytest.raises(ValueError, match="knows no class 7; its classes are 0, 1"):
        binary.rules(5, label=7)
    with pytest.raises(ValueError, match="no re-writing rules"):
        PairClassifier(PairSum(Spectrum(1)), calibration=0).fit(*two_classes(30)).rules()


def test_in_scikit_learn():
    pairs, labels = two_classes(60)
    model = PairClassifier(KERNEL, calibration=0)
    assert cross_val_score(model, pairs, labels, cv=3, error_score="raise").mean() > 0.8
    assert clone(model).get_params()["kernel__left__k"] == [(1, 1), (2, 2), (3, 5)]
    assert not hasattr(clone(model.fit(pairs, labels)), "coefficients_")


def test_fitting_again_forgets_the_first():
    model = PairClassifier(Rewriting(1), calibration=0).fit(*two_classes(20))
    first = model.decision_function(TEST)
    model.fit(*two_classes(40, seed=5))
    assert model.decision_function(TEST).shape == first.shape
    assert not np.array_equal(model.decision_function(TEST), first)


def test_the_kernel_given_is_not_changed():
    kernel = Rewriting((1, 2))
    model = PairClassifier(kernel, calibration=0).fit(*two_classes(20))
    assert model.kernel is kernel
    assert model.kernel_ is not kernel


def test_ready_tokens_and_pairs():
    pairs, labels = two_classes(30)
    tokens = [(source.split(), target.split()) for source, target in pairs]
    model = PairClassifier(Rewriting((1, 2)), calibration=0).fit(tokens, labels)
    assert np.array_equal(model.decision_function(tokens), model.decision_function(Pairs.from_items(tokens)))
    again = PairClassifier(Rewriting((1, 2)), calibration=0).fit(Pairs.from_items(tokens), labels)
    assert np.array_equal(again.decision_function(tokens), model.decision_function(tokens))
    assert model.explain(tokens[0]).source == pairs[0][0]


def test_not_trained():
    for call in (
        lambda model: model.predict(TEST),
        lambda model: model.predict_proba(TEST),
        lambda model: model.explain(TEST[0]),
        lambda model: model.rules(),
        lambda model: model.save("never"),
    ):
        with pytest.raises(NotFittedError, match="not trained yet"):
            call(PairClassifier())


def test_empty_texts_are_classified(binary):
    found = binary.decision_function([("", ""), ("", "a"), ("x y z", "u v w")])
    assert np.isfinite(found).all()
    assert found[0] == binary.intercept_[0]
    assert binary.explain(("", "")).parts == [] or all(p.contribution == 0 for p in binary.explain(("", "")).parts)
    assert binary.predict([]).shape == (0,)


def test_every_pair_the_same():
    model = PairClassifier(KERNEL).fit([("a b", "a b")] * 6, [0, 1, 0, 1, 0, 1])
    assert np.isfinite(model.predict_proba([("a b", "a b"), ("c", "d")])).all()


def test_only_empty_pairs():
    for gram_limit in (10, 1):
        model = PairClassifier(KERNEL, gram_limit=gram_limit).fit([("", "")] * 4, [0, 1, 0, 1])
        assert np.isfinite(model.decision_function([("", ""), ("a", "b")])).all()


def test_rules_for_the_first_of_two_classes_are_those_against_the_second(binary):
    first, second = binary.rules(3, label=0), binary.rules(3, label=1)
    assert [(rule.rule, -rule.weight) for rule in first[0]] == [(rule.rule, rule.weight) for rule in second[1]]
    assert [(rule.rule, -rule.weight) for rule in first[1]] == [(rule.rule, rule.weight) for rule in second[0]]
    assert second[0][0].weight > 0 > second[1][0].weight


def test_labels_of_a_text_column(tmp_path):
    import pandas as pd

    pairs, labels = two_classes(20)
    series = pd.Series(["yes" if label else "no" for label in labels])
    model = PairClassifier(KERNEL, calibration=0).fit(pairs, series)
    model.save(tmp_path / "m.rekern")
    assert model.explain(pairs[0]).neighbors[0].label in ("yes", "no")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.array(["2020-01-01", "2021-01-01"], "M8[D]"), "all text or all numbers"),
        ([b"yes", b"no"], "all text or all numbers"),
        ([1j, 2], "all text or all numbers"),
        ([10**400, 1], "row 0: the label 10.* is too large"),
        (np.array([1, 2**64 - 1], np.uint64), "row 1: the label 18446744073709551615 is too large"),
        ([0.5, -1e30], "row 1: the label -1e[+]30 is too large; use smaller numbers, or text"),
    ],
)
def test_labels_that_no_file_can_hold(labels, message):
    for model in (PairClassifier(calibration=0), PairRegressor()):
        with pytest.raises(InputError, match=message):
            model.fit([("a", "b"), ("c", "d")], labels)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_weights_that_cannot_be_used(weight):
    for model in (PairClassifier(calibration=0), PairRegressor()):
        with pytest.raises(InputError, match=f"row 1: the weight {weight:g} cannot be used"):
            model.fit([("a", "b"), ("c", "d")], [1, 2], sample_weight=[1, weight])


def test_long_decimal_numbers_as_labels(tmp_path):
    model = PairClassifier(calibration=0).fit([("a", "b"), ("c", "d")], np.array([1, 2], np.longdouble))
    model.save(tmp_path / "model")
    assert load_model(tmp_path / "model").classes_.tolist() == [1.0, 2.0]


def test_labels_that_are_quantities():
    pairs, labels = two_classes(30)
    few = [label / 2 for label in labels]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert PairClassifier(KERNEL, calibration=0).fit(pairs, few).classes_.tolist() == [0.0, 0.5]
    many = [row / 7 for row in range(len(pairs))]
    with pytest.warns(UserWarning, match=f"{len(pairs)} different decimal numbers are used as classes; a regression"):
        PairClassifier(KERNEL, calibration=0).fit(pairs, many)
    for model in (PairClassifier(KERNEL), PairRegressor(KERNEL)):
        with pytest.raises(InputError, match="row 1: the label is not a finite number"):
            model.fit(pairs, [0.0, float("inf"), *many[2:]])


def test_a_kernel_of_texts_is_refused():
    with pytest.raises(InputError, match="Spectrum compares texts, not pairs"):
        PairClassifier(KERNEL + Spectrum(1)).fit(*two_classes(20))


def test_a_probability_never_runs_against_the_decision():
    """Labels at random: what cross-validation finds may have the wrong sign, and then says nothing."""
    pairs, _ = two_classes(20)
    for seed in range(6):
        labels = np.random.default_rng(seed).permutation([0, 1] * 10)
        model = PairClassifier(KERNEL).fit(pairs, labels)
        assert model.calibration_[0, 0] >= 0


def test_a_list_of_pairs_is_not_a_pair(binary):
    with pytest.raises(InputError, match="one pair is needed, got a list of two pairs"):
        binary.explain(TEST[:2])
    with pytest.raises(InputError, match="one pair is needed, got a list of two pairs"):
        KERNEL(TEST[0], TEST[:2])
    with pytest.raises(InputError, match="one pair is needed, got a list of two pairs"):
        SoftPairing(PartialTree()).explain([("(A b)", "(A c)"), ("(A b)", "(A c)")], ("(A b)", "(A c)"))
    with pytest.raises(InputError, match="a list of pairs is needed, got one pair"):
        binary.predict((["a", "cat"], ["the", "cat"]))


def test_classes_may_be_floats():
    pairs, labels = two_classes(30)
    model = PairClassifier(KERNEL, calibration=0).fit(pairs, labels.astype(float))
    assert model.classes_.tolist() == [0.0, 1.0] and model.predict(pairs).dtype == np.float64


def test_predictions_and_probabilities_never_disagree(three):
    """Also where classes are unequal, weighted or noisy, and where nothing was learned."""
    pairs, labels = two_classes(60)
    random = np.random.default_rng(0)
    noisy = np.where(random.random(len(labels)) < 0.3, 1 - labels, labels)
    few = np.where(random.random(len(labels)) < 0.7, 0, labels)
    for truth, weight in [(noisy, None), (few, None), (few, "balanced"), (random.permutation(labels), None)]:
        model = PairClassifier(KERNEL, class_weight=weight).fit(pairs, truth)
        found = model.decide(TEST)
        assert np.array_equal(found.labels == 1, found.probabilities[:, 1] > 0.5)
        assert np.array_equal(found.labels == 1, found.values[:, 0] > 0)
    assert np.array_equal(three.predict(TEST), three.classes_[three.predict_proba(TEST).argmax(axis=1)])


def test_the_threshold_on_the_probability_is_that_on_the_decision(binary, tmp_path):
    pairs, labels = two_classes(90)
    assert binary.threshold_ == 0.5 and set(binary.thresholds_) == {"accuracy", "f1"}
    for threshold in (0.2, 0.7, "f1", "accuracy"):
        model = PairClassifier(KERNEL, threshold=threshold).fit(pairs, labels)
        expected = binary.thresholds_[threshold] if isinstance(threshold, str) else threshold
        assert model.threshold_ == pytest.approx(expected) and model.thresholds_ == binary.thresholds_
        close(model.predict_proba(TEST), binary.predict_proba(TEST))
        found = model.decide(TEST)
        assert np.array_equal(found.labels == 1, found.probabilities[:, 1] > expected)
        assert np.array_equal(found.labels == 1, found.values[:, 0] > 0)
        assert np.array_equal(found.labels, binary.decide(TEST, threshold).labels)
        model.save(tmp_path / "m.rekern")
        loaded = load_model(tmp_path / "m.rekern")
        assert loaded.thresholds_ == model.thresholds_ and loaded.threshold_ == model.threshold_
        assert np.array_equal(loaded.predict(TEST), found.labels)


def test_thresholds_that_cannot_be_used(binary, three):
    for wrong in (0, 1, -0.5, float("nan"), True, "recall", None):
        with pytest.raises(ValueError, match="threshold="):
            PairClassifier(KERNEL, threshold=wrong).fit(*two_classes(20))
    with pytest.raises(InputError, match="two classes, not 3"):
        PairClassifier(KERNEL, threshold="f1").fit(*rewritings(30))
    with pytest.raises(InputError, match="calibration of at least 2"):
        PairClassifier(KERNEL, calibration=0, threshold=0.3).fit(*two_classes(20))
    with pytest.raises(InputError, match="this model has 3"):
        three.decide(TEST, 0.3)
    assert three.threshold_ is None


def test_rules_and_explanations_are_data_and_short(binary):
    pytest.importorskip("pandas")
    rules = binary.rules(30)
    favoring, opposing = rules
    frame = rules.to_frame()
    assert len(frame) == len(favoring) + len(opposing) and set(frame["side"]) == {"for", "against"}
    assert len(repr(rules).splitlines()) <= 15
    why = binary.explain(TEST[0])
    assert why.to_frame()["contribution"].sum() == pytest.approx(why.decision)
    assert len(repr(why).splitlines()) <= 15
