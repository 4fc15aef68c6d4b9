"""Landmarks: against the formula, as a transformer, in decision functions, and what explains their decisions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from reference import landmarks as reference
from rekern.kernels import (
    AllProduct,
    Landmarks,
    Neighborhoods,
    PartialTree,
    Product,
    Rewriting,
    SoftPairing,
    Spectrum,
    SubsetTree,
)
from rekern.kernels.landmarks import CANDIDATES, MOST_SHARED, choose_far_apart, pick_far_apart
from rekern.similarity import PrecisionRecall

BELOW_ONE = np.nextafter(1.0, 0.0)


def are_near(one, other):
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-8)


TREES = [
    "(S (NP (DT the) (NN cat)) (VP (VB sat)))",
    "(S (NP (DT the) (NN dog)) (VP (VB sat)))",
    "(NP (DT a) (NN cat))",
    "(S (NP (NN cat)) (VP (VB ran) (NP (NN home))))",
    "(NP (DT a) (NN cat))",  # twice: the rank of the Gram is deficient
    "(X y)",
]
NEW_TREES = ["(S (NP (DT a) (NN dog)) (VP (VB ran)))", "(Z z)"]
PAIRS = [("the cat sat", "a cat sat"), ("a dog ran", "the dog ran"), ("", "x"), ("a a", "a a a")]
GRAPHS = [(["saw", "Chip"], [(0, 1, "s")]), (["saw", "Dale"], [(0, 1, "s")]), ([], [])]
TREE_PAIRS = [(a, b) for a in TREES[:3] for b in TREES[:3]]

CASES = [
    (Spectrum(1), ["a b", "b c", "", "a c d", "a b"]),
    (PartialTree(), TREES),
    (SubsetTree(normalize=False), TREES),
    (AllProduct(PartialTree()), TREE_PAIRS),
    (Neighborhoods(1, 1, 0), GRAPHS),
    (Rewriting((1, 2)) + PrecisionRecall(), PAIRS),
]


@pytest.mark.parametrize(("kernel", "items"), CASES, ids=lambda value: repr(value)[:30])
def test_all_items_as_landmarks_are_exact(kernel, items):
    exact = clone(kernel).adapt(items).gram(items)
    marks = Landmarks(kernel, n=len(items)).fit(items)
    are_near(marks.gram(items), exact)
    are_near(marks.diag(items), np.diag(exact))
    X = marks.transform(items)
    are_near(X @ X.T, exact)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcd"), max_size=5), min_size=2, max_size=7),
    st.integers(1, 5),
    st.sampled_from(["k-means++", "random"]),
    st.integers(0, 3),
)
def test_values_are_those_of_the_formula(texts, n, choice, seed):
    marks = Landmarks(Spectrum(1, normalize=False), n, choice, seed).fit(texts)
    chosen = [texts[row] for row in marks.rows_]
    assert list(marks.items_) == chosen and len(chosen) <= n
    expected = reference.approximate(marks.kernel, chosen, texts, texts[:2])
    are_near(marks.gram(texts, texts[:2]), expected)
    are_near(marks.gram(texts)[:, :2], expected)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=8), st.randoms())
def test_far_items_are_picked_as_in_the_formula(points, random):
    matrix = np.array(points, float)
    numbers = np.array([min(random.random(), BELOW_ONE) for _ in range(5)])  # some versions of Hypothesis draw 1, too
    gram = matrix @ matrix.T
    found = pick_far_apart(gram, numbers).tolist()
    assert found == reference.pick(gram.tolist(), numbers.tolist())
    assert len(set(found)) == len(found)


def test_numbers_next_to_one_pick_no_item_twice():
    gram = np.array([[0.0, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.0]])
    assert pick_far_apart(gram, np.array([0.0, *[BELOW_ONE] * 3])).tolist() == [0, 1]


def test_candidates_are_drawn_among_many():
    points = np.arange(1000.0)
    seen = []

    def compare(rows):
        seen.append(rows)
        return np.outer(points[rows], points[rows])

    found = choose_far_apart(1000, 10, np.random.default_rng(0), compare)
    assert len(seen[0]) == 10 * CANDIDATES and len(found) == 10 and (np.diff(found) > 0).all()


def test_deficient_rank_and_equal_items():
    items = ["a b"] * 5
    marks = Landmarks(Spectrum(1), n=3).fit(items)
    assert len(marks.rows_) == 1  # the others are at distance 0
    are_near(Landmarks(Spectrum(1), n=3, choice="random").fit(items).gram(items), np.ones((5, 5)))
    nothing = Landmarks(Spectrum(1), n=2).fit(["", "", ""])
    assert not nothing.gram(["", "a"]).any()


def test_same_bits_with_any_number_of_jobs_and_of_items():
    marks = Landmarks(AllProduct(PartialTree()), n=4).fit(TREE_PAIRS)
    whole = marks.compute_features(TREE_PAIRS, n_jobs=1)
    assert np.array_equal(whole, marks.compute_features(TREE_PAIRS, n_jobs=2))
    np.testing.assert_allclose(whole[3:4], marks.compute_features(TREE_PAIRS[3:4]), rtol=1e-9)
    again = Landmarks(AllProduct(PartialTree()), n=4).fit(TREE_PAIRS)
    assert np.array_equal(again.rows_, marks.rows_)


def test_landmarks_are_a_transformer():
    labels = [0, 0, 1, 0, 1, 1]
    model = make_pipeline(Landmarks(PartialTree(), n=5), LinearSVC()).fit(TREES, labels)
    assert model.predict(TREES).tolist() == labels
    marks = Landmarks(PartialTree(), n=3)
    with pytest.raises(NotFittedError, match=r"call fit\(items\) first"):
        marks.transform(TREES)
    X = marks.fit_transform(TREES)
    assert X.shape == (6, 3) and marks.get_feature_names_out().tolist() == [f"landmark {row}" for row in marks.rows_]
    are_near((marks + Spectrum(1)).features(TREES).toarray()[:, :3], X)
    with pytest.raises(ValueError, match="n=0: give a whole number"):
        Landmarks(PartialTree(), n=0).fit(TREES)
    with pytest.raises(ValueError, match="choice='far': give 'k-means"):
        Landmarks(PartialTree(), choice="far").fit(TREES)


def test_tables_and_columns_are_items():
    import pandas as pd

    frame = pd.DataFrame({"source": ["a b", "c", "a"], "target": ["a", "c d", "b"]}, index=[7, 8, 9])
    marks = Landmarks(Rewriting(1), n=2).fit(frame)
    are_near(marks.gram(frame), marks.gram([("a b", "a"), ("c", "c d"), ("a", "b")]))
    are_near(
        Landmarks(Spectrum(1), n=2, choice="random").fit(pd.Series(["a", "b", "c"], index=[5, 6, 7])).gram(["a"]),
        Landmarks(Spectrum(1), n=2, choice="random").fit(["a", "b", "c"]).gram(["a"]),
    )


@pytest.mark.parametrize(
    ("kernel", "items", "new"),
    [
        (PartialTree(), TREES, NEW_TREES),
        (SoftPairing(SubsetTree()), TREE_PAIRS, [tuple(NEW_TREES), (TREES[0], NEW_TREES[0])]),
        (Rewriting(1) + PrecisionRecall(), PAIRS, [("the cat", "a cat")]),
        (Product(Spectrum(1), Spectrum(2)), ["a b c", "b c", "a b"], ["b c d"]),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_decisions_are_sums_over_landmarks_and_their_parts_add_up(kernel, items, new):
    marks = Landmarks(kernel, n=3).fit(items)
    coefficients = np.random.default_rng(0).normal(size=(len(items), 2))
    decide = marks.decision_function(items, coefficients)
    are_near(decide.score(new), marks.gram(new, items) @ coefficients)
    for output in (0, 1):
        for item, value in zip(new, decide.score(new)[:, output]):
            are_near(sum(part.contribution for part in decide.parts(item, output)), value)
    again = Landmarks(clone(kernel), n=3)
    for part, learned in zip([again, again.kernel], [marks.get_learned(), marks.kernel.get_learned()]):
        part.set_learned(learned)
    if not kernel.list_children() or isinstance(kernel, SoftPairing):
        assert np.array_equal(again.restore_decision(decide.to_state(), 2).score(new), decide.score(new))


def test_the_part_of_a_landmark_is_shared_out_over_fragments():
    marks = Landmarks(PartialTree(normalize=False), n=1).fit(TREES[2:3])
    decide = marks.decision_function(TREES[2:3], np.array([[2.0]]))
    shared = PartialTree(normalize=False).explain(NEW_TREES[0], TREES[2], n=None)
    expected = {part.name: 2 * part.contribution for part in shared.parts}
    found = {part.name: part.contribution for part in decide.parts(NEW_TREES[0])}
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        are_near(found[name], value)


def test_landmarks_beyond_the_first_are_one_part():
    trees = [f"(A (B b{number}))" for number in range(MOST_SHARED + 2)]
    marks = Landmarks(PartialTree(), n=len(trees)).fit(trees)
    decide = marks.decision_function(trees, np.ones((len(trees), 1)))
    parts = decide.parts(trees[0])
    assert [part.name for part in parts if part.kind == "landmark"] == ["2 other landmarks"]
    are_near(sum(part.contribution for part in parts), decide.score(trees[:1])[0, 0])
