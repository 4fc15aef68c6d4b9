"""Real and ordinal responses."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVR

from helpers import close
from rekern import PairRegressor
from rekern.errors import InputError
from rekern.kernels import Rewriting
from rekern.similarity import PrecisionRecall

KERNEL = Rewriting((1, 2)) + PrecisionRecall()


def overlaps(number, seed=0):
    """Pairs of ten words each, of which some are shared; the response is how many."""
    rng = np.random.default_rng(seed)
    pairs, responses = [], []
    for _ in range(number):
        words = [f"w{i}" for i in rng.choice(200, 20, replace=False)]
        shared = int(rng.integers(0, 11))
        pairs.append((" ".join(words[:10]), " ".join(words[:shared] + words[10 : 20 - shared])))
        responses.append(shared / 2)
    return pairs, np.array(responses)


TEST, TRUTH = overlaps(40, seed=1)


@pytest.mark.parametrize("gram_limit", [10_000, 5])
def test_it_learns(gram_limit):
    model = PairRegressor(KERNEL, C=10, gram_limit=gram_limit).fit(*overlaps(80))
    assert np.corrcoef(model.predict(TEST), TRUTH)[0, 1] > 0.95
    assert model.score(TEST, TRUTH) > 0.8
    assert ("LIBSVM" in model.solver_) == (gram_limit == 10_000)


def test_libsvm_gives_the_same_machine():
    pairs, responses = overlaps(50)
    model = PairRegressor(KERNEL, C=2, epsilon=0.2).fit(pairs, responses)
    svm = SVR(kernel="precomputed", C=2, epsilon=0.2).fit(KERNEL.gram(pairs), responses)
    close(model.predict(TEST), svm.predict(KERNEL.gram(TEST, pairs)))
    close(model.predict(TEST), KERNEL.gram(TEST, pairs) @ model.coefficients_[:, 0] + model.intercept_[0])


def test_both_solvers_agree():
    gram, linear = (PairRegressor(KERNEL, gram_limit=limit).fit(*overlaps(80)) for limit in (10_000, 5))
    assert np.abs(gram.predict(TEST) - linear.predict(TEST)).max() < 0.3
    assert linear.solver_.startswith("dual coordinate descent on 80 rows")


@pytest.mark.parametrize("gram_limit", [10_000, 5])
@pytest.mark.parametrize("response", ["real", "ordinal"])
def test_explanations_add_up(gram_limit, response):
    model = PairRegressor(KERNEL, gram_limit=gram_limit, response=response).fit(*overlaps(40))
    predictions = model.predict(TEST)
    for pair, prediction in zip(TEST[:8], predictions):
        why = model.explain(pair)
        assert abs(why.intercept + sum(part.contribution for part in why.parts) - why.decision) < 1e-9
        assert why.prediction == prediction
        assert why.explained is None
        if response == "real":
            assert why.decision == prediction
        assert isinstance(why.neighbors[0].label, float)


def test_ordinal_answers_are_levels():
    pairs, responses = overlaps(80)
    levels = np.round(responses).astype(int)
    model = PairRegressor(KERNEL, C=10, response="ordinal").fit(pairs, levels)
    found = model.predict(TEST)
    assert found.dtype == levels.dtype
    assert set(found) <= set(levels)
    assert np.abs(found - TRUTH).mean() < 0.7


def test_one_by_one_and_in_bulk():
    model = PairRegressor(KERNEL).fit(*overlaps(40))
    bulk = model.predict(TEST)
    assert np.array_equal([model.predict([pair])[0] for pair in TEST], bulk)


def test_in_scikit_learn():
    assert cross_val_score(PairRegressor(KERNEL, C=10), *overlaps(60), cv=3, error_score="raise").mean() > 0.7


def test_a_constant_response():
    for gram_limit in (10, 1):
        model = PairRegressor(KERNEL, gram_limit=gram_limit).fit(TEST[:6], [3.0] * 6)
        np.testing.assert_allclose(model.predict(TEST), 3, atol=0.11)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["1", "2", "3"], "row 0: a regression needs numbers as labels, got '1'"),
        ([1, 2, "good"], "row 2: a regression needs numbers as labels, got 'good'"),
        ([1, 2, float("inf")], "row 2: the label is not a finite number"),
        ([1, float("nan"), 2], "row 1: the label is missing"),
        ([1, None, 2], "row 1: the label is missing"),
        ([1, 2], "3 pairs but 2 labels"),
        ([[1], [2], [3]], "one column"),
    ],
)
def test_labels_that_cannot_be_used(labels, message):
    with pytest.raises(InputError, match=message):
        PairRegressor().fit(TEST[:3], labels)


@pytest.mark.parametrize(
    "parameters", [{"C": 0}, {"C": -1}, {"epsilon": -0.1}, {"response": "rank"}, {"C": float("nan")}]
)
def test_impossible_parameters(parameters):
    with pytest.raises(ValueError, match="|".join(parameters)):
        PairRegressor(**parameters).fit(*overlaps(10))
