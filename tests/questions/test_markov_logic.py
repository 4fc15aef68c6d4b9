"""Fuzzy Markov logic: closed form, enumeration and the slow reference agree; the optimiser finds the optimum."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.optimize import minimize as scipy_minimize
from scipy.sparse import csr_array

from reference import markov as reference
from rekern.errors import InputError
from rekern.questions.closed_form_likelihood import (
    WORLDS,
    ClosedFormLikelihood,
    TypeFormulas,
    compute_probabilities,
    learn_weights,
)
from rekern.questions.l1_minimizer import minimize_with_l1
from rekern.questions.markov_logic import (
    And,
    Atom,
    EnumeratedLikelihood,
    MarkovLogic,
    Not,
    Or,
    build_closed_form,
    compute_truth,
    find_closed_shapes,
    parse_formula,
)

CASES = [(worlds, prior) for worlds in WORLDS for prior in (True, False)]


def problem(seed, worlds, prior, questions=12, patterns=5, types=3, fuzzy=True):
    rng = np.random.default_rng(seed)
    matched = rng.random((questions, patterns)) < 0.5
    confidences = np.where(matched, rng.random((questions, patterns)) if fuzzy else 1.0, 0.0)
    pattern, kind = np.nonzero(rng.random((patterns, types)) < 0.8)
    formulas = TypeFormulas(pattern, kind, patterns, types, worlds, prior)
    return formulas, confidences, rng.integers(0, types, questions), rng.normal(size=formulas.n_weights)


@pytest.mark.parametrize(("worlds", "prior"), CASES)
@given(seed=st.integers(0, 10_000), types=st.integers(2, 4))
@settings(max_examples=10, deadline=None)
def test_closed_form_is_the_sum_over_all_worlds(worlds, prior, seed, types):
    formulas, confidences, observed, weights = problem(seed, worlds, prior, types=types)
    value, _ = ClosedFormLikelihood(formulas, csr_array(confidences), observed)(weights)
    pairs = list(zip(formulas.pattern, formulas.type))
    table, unit = formulas.split_weights(weights)
    expected = reference.log_likelihood(confidences, observed, pairs, weights, unit, types, worlds)
    assert -value == pytest.approx(expected, rel=1e-10)
    found = compute_probabilities(confidences @ table + unit)
    slow = [reference.exactly_one(row, pairs, weights, unit, types) for row in confidences]
    np.testing.assert_allclose(found, slow, rtol=1e-9)


@pytest.mark.parametrize(("worlds", "prior"), CASES)
def test_gradient_is_that_of_finite_differences(worlds, prior):
    formulas, confidences, observed, weights = problem(1, worlds, prior, 30, 8, 4)
    likelihood = ClosedFormLikelihood(formulas, csr_array(confidences), observed)
    slopes = approx_fprime(weights, lambda w: likelihood(w)[0], 1e-7)
    np.testing.assert_allclose(likelihood(weights)[1], slopes, atol=2e-5)


@pytest.mark.parametrize(("worlds", "prior"), CASES)
@pytest.mark.parametrize("penalty", [0.05, 0.7])
def test_orthant_wise_search_finds_the_optimum_of_split_variables(worlds, prior, penalty):
    formulas, confidences, observed, _ = problem(2, worlds, prior, 40, 8, 4)
    likelihood = ClosedFormLikelihood(formulas, csr_array(confidences), observed)
    size = formulas.n_weights

    def split(both):
        value, gradient = likelihood(both[:size] - both[size:])
        return value + penalty * both.sum(), np.concatenate([gradient, -gradient]) + penalty

    limits = [(0, None)] * (2 * size)
    options = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 20_000, "maxfun": 100_000}
    best = scipy_minimize(split, np.full(2 * size, 0.1), jac=True, bounds=limits, method="L-BFGS-B", options=options)
    found = learn_weights(formulas, csr_array(confidences), observed, penalty, tolerance=1e-8, max_iterations=5000)
    assert found.objective == pytest.approx(best.fun, abs=1e-6)
    assert np.count_nonzero(found.weights) <= size
    if penalty > 0.5:
        assert (found.weights == 0).any()  # exactly, not nearly


def test_without_penalty_it_is_plain_minimisation():
    target = np.array([1.0, -2.0, 0.0])
    found = minimize_with_l1(lambda w: (float(((w - target) ** 2).sum()), 2 * (w - target)), np.zeros(3))
    np.testing.assert_allclose(found.weights, target, atol=1e-6)
    nothing = minimize_with_l1(lambda w: (0.0, np.zeros(0)), np.zeros(0))
    assert nothing.converged and nothing.iterations == 0


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=6))
@example([16.0, -22.0])
def test_rest_of_the_worlds_under_a_prior(prior):
    count = len(prior)
    formulas = TypeFormulas(np.array([], int), np.array([], int), 0, count)
    total, slopes = formulas.sum_other_worlds(np.array(prior))
    worlds = [world for world in reference.worlds_of(count) if sum(world) != 1]
    terms = [float(np.dot(world, prior)) for world in worlds]
    assert total == pytest.approx(float(np.logaddexp.reduce(terms)), rel=1e-9, abs=1e-9)
    expected = [sum(np.exp(t - total) for t, world in zip(terms, worlds) if world[k]) for k in range(count)]
    np.testing.assert_allclose(slopes, expected, rtol=1e-6, atol=1e-9)


def test_confidences_of_one_are_ordinary_markov_logic():
    """With all confidences 1 a formula counts its true groundings, as in Singla and Domingos (2005)."""
    formulas, confidences, observed, weights = problem(3, "all", False, fuzzy=False)
    types = formulas.n_types
    total = 0.0
    for row, kind in zip(confidences, observed):
        scores = {}
        for world in reference.worlds_of(types):
            holds = [
                bool(row[p]) and world[t] and not any(world[o] for o in range(types) if o != t)
                for p, t in zip(formulas.pattern, formulas.type)
            ]
            scores[world] = sum(weight for weight, true in zip(weights, holds) if true)
        seen = tuple(t == kind for t in range(types))
        total += scores[seen] - np.log(sum(np.exp(list(scores.values()))))
    value, _ = ClosedFormLikelihood(formulas, csr_array(confidences), observed)(weights)
    assert -value == pytest.approx(total, rel=1e-10)


FORMULAS = st.recursive(
    st.sampled_from("abc").map(lambda name: ("atom", name)),
    lambda part: st.one_of(
        part.map(lambda p: ("not", p)),
        st.tuples(st.sampled_from(["and", "or"]), part, part),
    ),
    max_leaves=6,
)


@given(FORMULAS, st.dictionaries(st.sampled_from("abc"), st.floats(0, 1)))
def test_fuzzy_truth(formula, values):
    assert compute_truth(build_formula(formula), values) == pytest.approx(reference.fuzzy(formula, values))


def build_formula(formula):
    """The formula that nested tuples stand for, as the reference has it."""
    kind, *parts = formula
    if kind == "atom":
        return Atom(parts[0])
    if kind == "not":
        return Not(build_formula(parts[0]))
    return (And if kind == "and" else Or)(tuple(map(build_formula, parts)))


def written(formula):
    if formula[0] == "atom":
        return formula[1]
    if formula[0] == "not":
        return f"!({written(formula[1])})"
    return f"({written(formula[1])} {'&' if formula[0] == 'and' else '∨'} {written(formula[2])})"


@given(FORMULAS, st.dictionaries(st.sampled_from("abc"), st.floats(0, 1)))
def test_a_written_formula_means_the_same(formula, values):
    assert compute_truth(parse_formula(written(formula)), values) == pytest.approx(reference.fuzzy(formula, values))


def evidence_and_truths(seed, single=True):
    rng = np.random.default_rng(seed)
    evidence = [{name: float(rng.random()) for name in "xy" if rng.random() < 0.8} for _ in range(20)]
    if single:
        return evidence, [[str(rng.choice(["A", "B", "C"]))] for _ in evidence]
    return evidence, [[name for name in "ABC" if rng.random() < 0.5] for _ in evidence]


@pytest.mark.parametrize("worlds", WORLDS)
def test_users_formulas_in_closed_form_and_by_enumeration(worlds):
    formulas = ["x & only(A)", "(x | !y) & only(B)", "y ∧ only(C)", "A", "B", "C"]
    evidence, truths = evidence_and_truths(0)
    fast = MarkovLogic(formulas, ["A", "B", "C"], 0.1, worlds=worlds).fit(evidence, truths)
    slow = MarkovLogic(formulas, ["A", "B", "C"], 0.1, worlds=worlds, enumerate_worlds=True).fit(evidence, truths)
    assert fast.closed_form_ and not slow.closed_form_
    assert fast.objective_ == pytest.approx(slow.objective_, abs=1e-6)
    np.testing.assert_allclose(fast.predict_proba(evidence), slow.predict_proba(evidence), atol=1e-4)
    np.testing.assert_allclose(fast.world_probabilities(evidence).sum(axis=1), 1.0)


EVIDENCE = st.recursive(
    st.sampled_from("xyz"),
    lambda part: st.one_of(
        part.map(lambda p: f"!({p})"),
        st.tuples(part, st.sampled_from("&|"), part).map(lambda three: f"({' '.join(three)})"),
    ),
    max_leaves=4,
)


@given(
    st.lists(st.tuples(EVIDENCE, st.integers(0, 3)), max_size=5),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from(WORLDS),
    st.integers(0, 1000),
)
@settings(max_examples=60, deadline=None)
def test_any_formulas_of_the_closed_form_agree_with_enumeration(pairs, types, units, worlds, seed):
    queries = list("ABCD"[:types])
    formulas = [f"{evidence} & only({queries[kind % types]})" for evidence, kind in pairs] + units * queries
    rng = np.random.default_rng(seed)
    rng.shuffle(formulas)
    items = [{name: float(rng.random()) for name in "xyz" if rng.random() < 0.8} for _ in range(4)]
    observed = rng.integers(0, types, 4)
    logic = MarkovLogic(formulas, queries, worlds=worlds)
    parsed, values, weights = logic._parse_formulas(), logic._check_evidence(items), rng.normal(0, 2, len(formulas))
    shapes = find_closed_shapes(parsed, queries)
    closed, confidences, order = build_closed_form(shapes, values, 4, types, worlds)
    value, slopes = ClosedFormLikelihood(closed, confidences, observed)(weights[order])
    numbers = logic._number_worlds([(queries[kind],) for kind in observed])
    slow_value, slow_slopes = EnumeratedLikelihood(logic._count(parsed, values, 4), numbers)(weights)
    assert value == pytest.approx(slow_value, abs=1e-9)
    np.testing.assert_allclose(slopes, slow_slopes[order], atol=1e-9)


def test_formulas_of_any_form_with_several_true_atoms():
    evidence, truths = evidence_and_truths(1, single=False)
    logic = MarkovLogic(["x & A", "!A | B", "y & (B | C)", "A & !B"], ["A", "B", "C"], 0.5)
    logic.fit(evidence, truths)
    assert not logic.closed_form_
    assert logic.world_probabilities(evidence).shape == (20, 8)
    assert set(logic.formulas_) <= set(logic.formulas)
    dropped = [w for w in logic.weights_ if w == 0]
    assert len(logic.formulas_) == 4 - len(dropped)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("a &", "a name is missing at position 4"),
        ("(a", "a \\) is missing"),
        ("a b", "'b' is too much"),
        ("only(x)", "only\\(…\\) takes a query atom"),
        ("", "a name is missing"),
    ],
)
def test_bad_formulas(formula, message):
    with pytest.raises(InputError, match=message):
        parse_formula(formula, ["A"])


def test_bad_evidence():
    logic = MarkovLogic(["x & A"], ["A"])
    for evidence, truths, message in (
        ([{"x": 2.0}], [["A"]], "row 0: the confidence of 'x' is 2.0"),
        ([{"A": 1.0}], [["A"]], "row 0: 'A' is a query atom"),
        ([{"x": 1.0}], [["B"]], "row 0: 'B' is not among the query atoms"),
        ([{"x": float("nan")}], [["A"]], "give one from 0 to 1"),
        ([], [], "there are 0 items"),
        ([{"x": "1"}], [["A"]], "row 0: the confidence of 'x' is '1'"),
        ([["x"]], [["A"]], "row 0: evidence is a dict"),
        ([{"x": 1.0}], ["A"], "row 0: give a list of the query atoms"),
        ([{"x": 1.0}], [None], "row 0: give a list of the query atoms"),
    ):
        with pytest.raises(InputError, match=message):
            logic.fit(evidence, truths)
    with pytest.raises(InputError, match="exactly one query atom is true"):
        MarkovLogic(["x & A"], ["A", "B"], worlds="one").fit([{"x": 1.0}], [["A", "B"]])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"penalty": -1.0}, "penalty=-1.0: give a number from 0"),
        ({"penalty": float("nan")}, "penalty=nan"),
        ({"start": float("inf")}, "start=inf"),
        ({"formulas": "x & A"}, "formulas is a list of texts"),
        ({"formulas": [1]}, "formulas is a list of texts"),
        ({"queries": "A"}, "queries is a list of texts"),
        ({"queries": [f"q{number}" for number in range(17)], "formulas": []}, "use at most 16, or worlds='one'"),
    ],
)
def test_bad_parameters_of_markov_logic(parameters, message):
    with pytest.raises(InputError, match=message):
        MarkovLogic(**({"formulas": ["x & A"], "queries": ["A"]} | parameters)).fit([{"x": 1.0}], [["A"]])


def test_no_formulas_give_equal_worlds():
    logic = MarkovLogic([], ["A", "B"]).fit([{}], [["A", "A"]])
    assert logic.world_probabilities([{}]).tolist() == [[0.25] * 4]
