"""Curves over scores: the kernel against its definition, what a model learns with it, and how it is shown."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from helpers import rewritings
from reference.curves import curve_features, product_features
from rekern import PairClassifier, PairRanker, PairRegressor, load_model
from rekern.core.object_descriptions import State
from rekern.errors import InputError, ModelFileError
from rekern.kernels import Curves, Gaussian, Rewriting, Spectrum
from rekern.kernels.score_kernel import ScoreKernel
from rekern.kernels.score_products import join_pairs
from rekern.learning.gram_svm import classify_gram
from rekern.similarity import PrecisionRecall, Similarities

PAIRS, CLASSES = rewritings(60, 0)
LABELS = [int(label == CLASSES[0]) for label in CLASSES]
SCORES = ("precision", "recall", "source length", "negation differs")


class Given(ScoreKernel):
    """Scores that are the items themselves."""

    def names(self):
        return ["one", "two", "three"]

    def scores(self, X):
        return np.array(X, float).reshape(-1, 3)


NUMBERS = st.sampled_from([0.0, 1.0, 0.5, -2.0, 7.25]) | st.floats(-10, 10)
ROWS = st.lists(st.tuples(NUMBERS, st.sampled_from([0.0, 1.0]), st.just(3.0)), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(ROWS, ROWS, st.integers(2, 7), st.sampled_from([0.1, 1.0, 2.5]))
def test_features_gram_and_decision_agree_with_the_definition(training, items, knots, bend):
    spans = np.ptp(np.array(training), axis=0)
    if ((spans > 0) & (spans < 1e-3)).any():  # a range this small is lost in the rounding of the values
        return
    kernel = Curves(Given(), knots=knots, bend=bend, weight=2.0).fit(training)
    known, asked = (np.array(curve_features(training, rows, knots, bend, 2.0)) for rows in (training, items))
    np.testing.assert_allclose(kernel.scores(items), asked, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(kernel.gram(items, training), asked @ known.T, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(kernel.diag(items), (asked**2).sum(axis=1), rtol=1e-8, atol=1e-8)
    coefficients = np.linspace(-1, 1, 2 * len(training)).reshape(-1, 2)
    decision = kernel.decision_function(training, coefficients)
    values = decision.score(items)
    np.testing.assert_allclose(values, asked @ known.T @ coefficients, rtol=1e-7, atol=1e-7)
    for output in range(2):
        parts = decision.parts(items[0], output)
        assert [part.score for part in parts] == list(items[0])
        np.testing.assert_allclose(sum(part.contribution for part in parts), values[0, output], atol=1e-9)
        for effect, part in zip(decision.effects(output), parts):
            np.testing.assert_allclose(effect.find_height(part.score), part.contribution, atol=1e-9)


def test_the_mean_of_the_diagonal_is_the_weight():
    kernel = Curves(Similarities()).fit(PAIRS)
    assert kernel.diag(PAIRS).mean() == pytest.approx(3.0 * 1.1)


def test_curves_do_not_depend_on_the_order_of_the_pairs():
    one = Curves(Similarities(only=SCORES)).fit(PAIRS)
    other = Curves(Similarities(only=SCORES, standardize=False)).fit(PAIRS[::-1])
    np.testing.assert_allclose(one.scores(PAIRS), other.scores(PAIRS), rtol=1e-9, atol=1e-9)


def test_a_curve_learns_what_a_line_cannot():
    values = np.linspace(0, 1, 80)
    rows = [(value, 0.0, 0.0) for value in values]
    inside = (values > 0.3) & (values < 0.7)
    kernel = Curves(Given(), bend=1.0).fit(rows)
    gram = kernel.gram(rows)
    learned = classify_gram(gram, np.where(inside, 1, -1), 10.0)
    assert np.mean((learned.decide(gram) > 0) == inside) > 0.95
    effect = kernel.decision_function(rows, learned.coefficients[:, None]).effects()[0]
    assert effect.find_height(0.5) > effect.find_height(0.0) and effect.find_height(0.5) > effect.find_height(1.0)
    assert effect.find_height(-5.0) == effect.points[0][1] and effect.find_height(5.0) == effect.points[-1][1]


@pytest.fixture(scope="module")
def model():
    return PairClassifier(Rewriting((1, 2)) + Curves(Similarities(only=SCORES)), calibration=0).fit(PAIRS, LABELS)


def test_a_decision_is_the_sum_of_rules_and_curves(model):
    for pair in PAIRS[:5]:
        why = model.explain(pair, neighbors=0)
        scores = [part for part in why.parts if part.kind == "score"]
        assert {part.name for part in scores} == set(SCORES)
        assert sum(part.contribution for part in why.parts) + why.intercept == pytest.approx(why.decision, abs=1e-9)
    part = next(part for part in scores if part.name == "recall")
    expected = PrecisionRecall().scores([pair])[0, 1]
    assert part.score == pytest.approx(expected)
    assert f"words of the target that the source has too: {expected:.2f}" in why.to_text(50)


def test_training_on_features_gives_the_same_model(model):
    linear = PairClassifier(model.kernel, calibration=0, gram_limit=0).fit(PAIRS, LABELS)
    assert "features" in linear.solver_
    values = model.decision_function(PAIRS)
    assert np.corrcoef(linear.decision_function(PAIRS), values)[0, 1] > 0.99


def test_a_model_with_curves_is_saved_and_loaded(model, tmp_path):
    model.save(tmp_path / "m.rekern")
    loaded = load_model(tmp_path / "m.rekern")
    assert np.array_equal(loaded.decision_function(PAIRS), model.decision_function(PAIRS))


def test_several_outputs_and_numbers():
    kernel = Curves(Similarities(only=SCORES))
    several = PairClassifier(kernel, calibration=0).fit(PAIRS, CLASSES)
    assert several.decision_function(PAIRS[:4]).shape == (4, 3)
    regressor = PairRegressor(kernel).fit(PAIRS, [float(label) for label in LABELS])
    why = regressor.explain(PAIRS[0], neighbors=0)
    assert sum(part.contribution for part in why.parts) + why.intercept == pytest.approx(why.decision, abs=1e-9)


def test_bad_parameters():
    for parameters in (
        {"knots": 1},
        {"knots": 2.5},
        {"bend": 0},
        {"weight": -1.0},
        {"products": -1.0},
        {"kernel": Spectrum(2)},
    ):
        with pytest.raises(ValueError, match=f"{next(iter(parameters))}="):
            Curves(**{"kernel": Similarities(), **parameters}).fit(PAIRS)
    with pytest.raises(InputError, match="at least one"):
        Curves(Given()).fit([])
    with pytest.raises(NotFittedError):
        Curves(Similarities()).gram(PAIRS)


def test_curves_inside_a_gaussian():
    kernel = Gaussian(Curves(Similarities(only=SCORES)), 0.5)
    assert PairClassifier(kernel, calibration=0).fit(PAIRS, LABELS).score(PAIRS, LABELS) > 0.5


def test_rules_lists_the_scores_too(model):
    found = model.rules(5)
    favoring, opposing = found
    assert len(favoring) == len(opposing) == 5 and len(found.scores) == 4
    assert found.to_dict()["scores"][0]["name"] == found.scores[0].name
    spreads = [effect.spread for effect in model.curves()]
    assert spreads == sorted(spreads, reverse=True)
    decision = model.scorer_.terms()[1]
    raw = decision.kernel.raw_values(PAIRS)
    for effect in model.curves(1):
        place = SCORES.index(effect.name)
        added = [effect.find_height(value) for value in raw[:, place]]
        assert np.std(added) == pytest.approx(effect.spread, abs=1e-9)
    for effect, other in zip(model.curves(1), model.curves(0)):
        assert [y for _, y in other.points] == [-y for _, y in effect.points]


def test_lines_of_scores_are_listed():
    model = PairClassifier("paper", calibration=0).fit(PAIRS, LABELS)
    effects = {effect.name: effect for effect in model.rules(3).scores}
    assert set(effects) == {"precision", "recall"}
    for part in model.explain(PAIRS[0], neighbors=0).parts:
        if part.kind == "score":
            assert effects[part.name].kind == "line"
            assert effects[part.name].find_height(part.score) == pytest.approx(part.contribution, abs=1e-9)
    alone = PairClassifier("scores", calibration=0).fit(PAIRS, LABELS).rules(3)
    assert alone.favoring == [] and len(alone.scores) == 48
    with pytest.raises(InputError, match="no re-writing rules and no scores to list"):
        PairClassifier(Gaussian(Rewriting(1)), calibration=0).fit(PAIRS, LABELS).rules()


def test_a_plot_has_the_points_and_the_mark(model):
    effect = model.curves()[0]
    plain, marked = effect.draw(width=30, height=5), effect.draw(width=30, height=5, mark=effect.points[0][0])
    assert plain.splitlines()[0] == effect.description and len(plain.splitlines()) == 8
    assert "●" in plain and "◆" not in plain and marked.count("◆") == 1
    assert len(effect.sketch(9)) == 9


@settings(max_examples=60, deadline=None)
@given(ROWS, ROWS, st.sampled_from([0.5, 3.0]))
def test_products_agree_with_the_definition(training, items, products):
    spans = np.ptp(np.array(training), axis=0)
    if ((spans > 0) & (spans < 1e-3)).any():  # a range this small is lost in the rounding of the values
        return
    kernel = Curves(Given(), knots=3, weight=2.0, products=products).fit(training)
    known, asked = (np.array(product_features(training, rows, 3, 0.1, 2.0, products)) for rows in (training, items))
    np.testing.assert_allclose(kernel.scores(items), asked, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(kernel.gram(items, training), asked @ known.T, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(kernel.gram(training), known @ known.T, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(kernel.diag(items), (asked**2).sum(axis=1), rtol=1e-6, atol=1e-6)
    coefficients = np.linspace(-1, 1, 2 * len(training)).reshape(-1, 2)
    decision = kernel.decision_function(training, coefficients)
    values = decision.score(items)
    np.testing.assert_allclose(values, asked @ known.T @ coefficients, rtol=1e-5, atol=1e-5)
    by_weights = kernel.decide_by_weights(kernel.scores(training).T @ coefficients, training)
    np.testing.assert_allclose(by_weights.score(items), values, atol=1e-8)
    np.testing.assert_allclose(kernel.scores(items) @ decision.list_weights(), values, atol=1e-8)
    effects = {effect.name: effect for effect in decision.effects(1)}
    parts = decision.parts(items[0], 1)
    assert sum(part.contribution for part in parts) == pytest.approx(values[0, 1], abs=1e-9)
    for part in parts:
        if part.kind == "score pair" and part.name in effects:
            effect = effects[part.name]
            assert effect.find_height(part.score, part.other) == pytest.approx(part.contribution, abs=1e-7)
            assert effect.flip().find_height(part.score, part.other) == -effect.find_height(part.score, part.other)


def test_products_learn_what_no_sum_of_curves_can():
    rows = [(one, two, 0.0) for one in np.linspace(0, 1, 12) for two in np.linspace(0, 1, 12)]
    signs = np.array([1 if (one - 0.5) * (two - 0.5) > 0 else -1 for one, two, _ in rows])
    right = {}
    for products in (0.0, 3.0):
        gram = Curves(Given(), products=products).fit(rows).gram(rows)
        right[products] = np.mean(np.sign(classify_gram(gram, signs, 1.0).decide(gram)) == signs)
    assert right[0.0] < 0.7 and right[3.0] > 0.95


def test_products_depend_neither_on_the_order_of_the_pairs_nor_on_the_others_that_are_scored():
    one = Curves(Similarities(), products=3.0).fit(PAIRS)
    assert one.diag(PAIRS).mean() == pytest.approx(3.0 * 1.1 + 3.0)
    other = Curves(Similarities(), products=3.0).fit(PAIRS[::-1])
    np.testing.assert_allclose(one.scores(PAIRS), other.scores(PAIRS), rtol=1e-9, atol=1e-9)
    gram = one.gram(PAIRS, n_jobs=1)
    assert np.array_equal(gram, one.gram(PAIRS, n_jobs=2))
    np.testing.assert_allclose(gram[:7, :50], one.gram(PAIRS[:7], PAIRS[:50]), rtol=1e-9, atol=1e-9)
    decision = one.decision_function(PAIRS, np.linspace(-1, 1, len(PAIRS))[:, None])
    values = decision.score(PAIRS)
    assert np.array_equal(values[3:4], decision.score(PAIRS[3:4])) and np.array_equal(
        values[5:20], decision.score(PAIRS[5:20])
    )


@pytest.fixture(scope="module")
def with_products():
    kernel = Rewriting((1, 2)) + Curves(Similarities(only=SCORES), products=3.0)
    return PairClassifier(kernel, calibration=0).fit(PAIRS, LABELS)


def test_pairs_of_scores_are_explained_and_listed(with_products):
    why = with_products.explain(PAIRS[0], neighbors=0)
    pairs = [part for part in why.parts if part.kind == "score pair"]
    assert {part.name for part in pairs} <= set(join_pairs(SCORES)) and len(pairs) >= 3
    assert sum(part.contribution for part in why.parts) + why.intercept == pytest.approx(why.decision, abs=1e-9)
    values = {part.name: part.score for part in why.parts if part.kind == "score"}
    for part in pairs:
        first, second = part.name.split(" × ")
        assert (part.score, part.other) == (values[first], values[second])
        assert part.to_words().endswith(f": {part.score:.2f} × {part.other:.2f}")
        assert part.to_dict()["other"] == part.other
    listed = [effect for effect in with_products.rules(3).scores if effect.kind == "pair"]
    assert {effect.name for effect in listed} == {part.name for part in pairs}
    raw = with_products.scorer_.terms()[1].kernel.raw_values(PAIRS)
    for effect in listed:
        first, second = (raw[:, SCORES.index(name)] for name in effect.name.split(" × "))
        added = [effect.find_height(one, other) for one, other in zip(first, second)]
        assert np.std(added) == pytest.approx(effect.spread, abs=1e-9)
    assert listed[0].draw(mark=0.5, other=0.5).count("◆") == 1 and "○" in listed[0].draw()
    assert json.dumps(listed[0].to_dict()).count("points") == 2
    drawn = why.to_html(n=200)
    assert drawn.count("rk-plot rk-dashed") >= 1 and "dashed:" in drawn


def test_a_model_with_products_is_saved_and_loaded(with_products, tmp_path):
    with_products.save(tmp_path / "m.rekern")
    loaded = load_model(tmp_path / "m.rekern")
    assert np.array_equal(loaded.decision_function(PAIRS), with_products.decision_function(PAIRS))
    assert loaded.rules(3).to_dict() == with_products.rules(3).to_dict()


def test_damaged_products_are_refused():
    kernel = Curves(Given(), products=3.0).fit([(0.0, 1.0, 2.0), (1.0, 0.0, 5.0), (2.0, 2.0, 2.0)])
    learned = kernel.get_learned()
    decision = kernel.decision_function([(0.0, 1.0, 2.0)], np.ones((1, 1))).to_state()
    for name, value in (
        ("product_center_", None),
        ("product_center_", np.zeros(2)),
        ("product_center_", np.zeros((3, 3))),
        ("product_center_", np.zeros(3, np.int64)),
        ("product_scale_", np.array([-1.0])),
        ("product_scale_", np.zeros(2)),
        ("product_scale_", None),
    ):
        damaged = State({key: other for key, other in learned.items() if key != name})
        if value is not None:
            damaged[name] = value
        with pytest.raises(ModelFileError):
            Curves(Given(), products=3.0).set_learned(damaged)
    with pytest.raises(ModelFileError, match="fit together"):
        Curves(Given()).set_learned(learned)
    for name, value in (
        ("product_weights", np.zeros((1, 2))),
        ("product_spreads", np.zeros((2, 3))),
        ("product_weights", None),
    ):
        damaged = State({key: other for key, other in decision.items() if key != name})
        if value is not None:
            damaged[name] = value
        with pytest.raises(ModelFileError):
            kernel.restore_decision(damaged, 1)
    plain = Curves(Given()).fit([(0.0, 1.0, 2.0), (1.0, 0.0, 5.0)])
    with pytest.raises(ModelFileError, match="product_weights"):
        plain.restore_decision(decision, 1)


def test_products_of_a_kernel_that_is_given_are_kept():
    kernel = Rewriting(1) + Curves(Similarities(only=SCORES), products=3.0)
    numbers = [float(label) for label in LABELS]
    on_gram = [
        PairClassifier(kernel, calibration=0).fit(PAIRS, LABELS),
        PairRegressor(kernel).fit(PAIRS, numbers),
        PairRanker(kernel).fit(PAIRS, numbers, groups=np.arange(60) // 6),
    ]
    on_features = [
        PairClassifier(kernel, calibration=0, gram_limit=10).fit(PAIRS, LABELS),
        PairRegressor(kernel, gram_limit=10).fit(PAIRS, numbers),
        PairRanker(kernel, gram_limit=10).fit(PAIRS, numbers, groups=np.arange(60) // 6),
        PairRanker(kernel, gram_limit=60).fit(PAIRS, numbers, groups=np.arange(60) // 20),  # more differences
        PairClassifier(kernel, calibration=0).fit_in_blocks(PAIRS, LABELS, memory="100MB"),
        PairClassifier(kernel, calibration=0).partial_fit(PAIRS, LABELS),
        PairRegressor(kernel).fit_in_blocks(PAIRS, numbers, memory="100MB"),
    ]
    assert [model.kernel_.right.products for model in on_gram] == [3.0] * 3
    assert [model.kernel_.right.products for model in on_features] == [3.0] * 7
    for model in [*on_gram, *on_features]:
        why = model.explain(PAIRS[1], neighbors=0)
        assert sum(part.contribution for part in why.parts) + why.intercept == pytest.approx(why.decision, abs=1e-6)
    assert kernel.right.products == 3.0  # the kernel that was given stays as it is


def test_products_of_a_named_kernel_are_for_grams_only():
    on_gram = PairClassifier("curves", calibration=0).fit(PAIRS, LABELS)
    on_features = PairClassifier("curves", calibration=0, gram_limit=10).fit(PAIRS, LABELS)
    in_blocks = PairClassifier("curves", calibration=0).fit_in_blocks(PAIRS, LABELS, memory="100MB")
    assert [model.kernel_.products for model in (on_gram, on_features, in_blocks)] == [3.0, 0.0, 0.0]


def test_constant_scores_and_few_items_have_no_products():
    for rows in ([(1.0, 2.0, 3.0)], [(1.0, 2.0, 3.0), (1.0, 5.0, 3.0)], [(0.0, 0.0, 0.0), (1.0, 1.0, 0.0)]):
        kernel = Curves(Given(), products=3.0).fit(rows)
        assert kernel.product_scale_ == 0.0 and not kernel.gram(rows)[0, 0] < 0
        decision = kernel.decision_function(rows, np.ones((len(rows), 1)))
        assert all(part.kind == "score" for part in decision.parts(rows[0]))
    again = kernel.set_params(products=0.0).fit(rows)
    assert "product_scale_" not in again.get_learned()


def test_a_very_stiff_curve_is_a_line():
    rows = [(value, 0.0, value**2) for value in np.linspace(0, 1, 9)]
    line = Curves(Given(), knots=2, bend=1e-9).fit(rows).gram(rows)
    for bend in (1e-9, 1e-30, 1e-300):
        kernel = Curves(Given(), bend=bend).fit(rows)
        np.testing.assert_allclose(kernel.gram(rows), line, atol=1e-6)
        np.testing.assert_allclose(kernel.gram(rows), kernel.scores(rows) @ kernel.scores(rows).T, atol=1e-12)
