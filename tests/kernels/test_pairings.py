"""Pair kernels against their definitions, over any kernel on texts, in any number of threads and blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from test_trees_reference import trees

import reference.pairings as reference
from helpers import close, texts
from rekern.errors import InputError
from rekern.kernels import (
    AllProduct,
    AllSum,
    BestPairing,
    Neighborhoods,
    PairProduct,
    PairSum,
    PartialTree,
    Rewriting,
    SmoothedPartialTree,
    SoftPairing,
    Spectrum,
    Subsequence,
    SubsetTree,
    SubTree,
    text_gram,
)
from rekern.similarity import PrecisionRecall
from rekern.structures import Representations, Trees

KINDS = [PairSum, PairProduct, AllSum, AllProduct, BestPairing, SoftPairing]
TREE_PAIRS = [
    ("(S (A x) (B y))", "(S (A x))"),
    ("(S (A x))", "(S (A x) (B y))"),
    ("()", "(B y)"),
    ("(S (A x) (B y))", "(S (A x))"),
    ("(S (A z) (C (A x)))", "()"),
]


def expected(kind, kernel, left, right):
    return np.array([[reference.pair_value(kind.__name__, kernel, a, b) for b in right] for a in left])


def check(kind, inner, left, right):
    kernel = kind(inner)
    cached = {}

    def value(a, b):
        key = (str(a), str(b))
        if key not in cached:
            cached[key] = inner(a, b)
        return cached[key]

    close(kernel.gram(left, right), expected(kind, value, left, right))
    symmetric = kernel.gram(left)
    close(symmetric, expected(kind, value, left, left))
    assert np.array_equal(symmetric, symmetric.T)
    close(kernel.diag(left), np.diag(symmetric))
    close(kernel(left[0], right[0]), kernel.gram(left, right)[0, 0])


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.lists(st.tuples(trees() | st.just("()"), trees()), min_size=1, max_size=3),
    st.lists(st.tuples(trees(), trees() | st.just("()")), min_size=1, max_size=3),
    st.booleans(),
)
def test_trees(kind, left, right, normalize):
    check(kind, PartialTree(0.4, 0.4, normalize=normalize), left, right)


@settings(max_examples=15, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.lists(st.tuples(texts("ab", 3), texts("ab", 3)), min_size=1, max_size=3),
    st.lists(st.tuples(texts("ab", 3), texts("ab", 3)), min_size=1, max_size=3),
)
def test_tokens_and_sums_of_kernels(kind, left, right):
    check(kind, Spectrum(1) + 0.5 * Subsequence(2, 0.5), left, right)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "inner",
    [SubTree(), SubsetTree(words=True), SmoothedPartialTree(similarity={"x": [1.0, 0.0], "y": [1.0, 1.0]})],
    ids=["subtree", "subset", "smoothed"],
)
def test_every_pair_kernel_over_every_tree_kernel(kind, inner):
    check(kind, inner, TREE_PAIRS, TREE_PAIRS[1:4])


def test_the_soft_maximum_does_not_overflow():
    kernel = SoftPairing(PartialTree(1.0, 1.0, normalize=False), c=1e6)
    big = "(S " + "(A x) " * 30 + ")"
    best = BestPairing(PartialTree(1.0, 1.0, normalize=False))
    assert kernel((big, big), (big, big)) == pytest.approx(best((big, big), (big, big)))
    assert SoftPairing(PartialTree())(("()", "()"), ("()", "()")) == pytest.approx(np.log(2) / 100)
    with pytest.raises(ValueError, match=r"c=0: give a finite number above 0"):
        SoftPairing(PartialTree(), c=0)(("()", "()"), ("()", "()"))


def random_table(number, seed=0):
    rng = np.random.default_rng(seed)
    words = [f"(NP (DT {rng.choice(['a', 'the'])}) (NN n{rng.integers(4)}))" for _ in range(2 * number)]
    sides = [f"(S {words[i]} (VP {words[-i - 1]}))" for i in range(2 * number)]
    return Representations({"source": sides[:number], "target": sides[number:]})


@pytest.mark.parametrize("kind", KINDS)
def test_same_bits_for_any_jobs_and_when_rows_are_computed_on_demand(kind, monkeypatch):
    kernel, train, test = kind(PartialTree()), random_table(60), random_table(30, seed=1)
    symmetric, across = kernel.gram(train, n_jobs=1), kernel.gram(test, train, n_jobs=1)
    for n_jobs in (2, 4, None):
        assert np.array_equal(kernel.gram(train, n_jobs=n_jobs), symmetric)
        assert np.array_equal(kernel.gram(test, train, n_jobs=n_jobs), across)
    monkeypatch.setattr(text_gram, "GRAM_BYTES", 0)
    close(kernel.gram(train, n_jobs=2), symmetric)
    assert np.array_equal(kernel.gram(test, train, n_jobs=2), across)


def test_equal_texts_are_compared_once():
    seen = []

    class Counting(Spectrum):
        def plan_gram(self, X, Y, n_jobs):
            seen.append((len(X), None if Y is None else len(Y)))
            return super().plan_gram(X, Y, n_jobs)

    pairs = [("a", "b"), ("b", "a"), ("a", "c"), ("a", "b")]
    SoftPairing(Counting(1)).gram(pairs)
    SoftPairing(Counting(1)).gram(pairs, pairs[:1])
    PairSum(Counting(1)).gram(pairs)
    assert seen == [(3, None), (3, 2), (2, None), (3, None)]


@pytest.mark.parametrize("kind", [PairSum, AllSum])
def test_features(kind):
    kernel = kind(SubTree() + Spectrum(1))
    features = kernel.features(TREE_PAIRS)
    close((features @ features.T).toarray(), kernel.gram(TREE_PAIRS))
    assert not kind(PartialTree()).has_features()
    assert not SoftPairing(SubTree()).has_features()


def test_texts_are_equal_if_all_that_the_kernel_reads_is():
    rows = {"source": ["a", "a"], "target": ["a", "b"]}
    table = Representations({**rows, "source.tree": ["(A x)", "(B y)"], "target.tree": ["(A x)", "(B y)"]})
    kernel = AllSum(Spectrum(1) + SubsetTree(on="tree"))
    plain = AllSum(Spectrum(1)).gram(table), AllSum(SubsetTree(on="tree")).gram(table)
    close(kernel.gram(table), plain[0] + plain[1])
    assert len(table.texts(["text", "tree"]).table) == 3


def test_named_representations_in_every_form():
    pandas = pytest.importorskip("pandas")
    columns = {
        "source": ["a b", "c"],
        "target": ["a", "c d"],
        "source.tree": [TREE_PAIRS[0][0], TREE_PAIRS[1][0]],
        "target.tree": [TREE_PAIRS[0][1], TREE_PAIRS[1][1]],
        "graph": [(["a", "b"], [(0, 1)]), (["a"], [])],
        "label": [1, 0],
    }
    kernel = SoftPairing(PartialTree(on="tree")) + Neighborhoods(1, 1, on="graph") + PrecisionRecall() + Rewriting(1)
    table = Representations(columns)
    close(SoftPairing(PartialTree(on="tree")).gram(table), SoftPairing(PartialTree()).gram(TREE_PAIRS[:2]))
    expected = kernel.gram(table)
    ready = {**columns, "source.tree": Trees.from_items(columns["source.tree"])}
    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
    for form in (columns, rows, pandas.DataFrame(columns), Representations(ready), [*table], iter(rows)):
        assert np.array_equal(kernel.gram(form), expected)
    close(kernel(rows[0], rows[1]), expected[0, 1])


def test_errors_are_one_line_and_name_the_place():
    kernel = SoftPairing(PartialTree(on="tree"))
    table = {"source": ["a", "b"], "target": ["c", "d"], "source.tree": ["(A x)", "(B"], "target.tree": ["(A x)", "()"]}
    cases = [
        (kernel, table, "row 1, source.tree: line 1, column 1: this bracket is never closed"),
        (kernel, {**table, "source.tree": ["(A x)", None]}, "row 1, source.tree: the value is None"),
        (kernel, {**table, "target.tree": [float("nan"), "()"]}, "row 0, target.tree: the value is NaN"),
        (kernel, {**table, "target.tree": [3, "()"]}, "row 0, target.tree: the tree is the number 3"),
        (SoftPairing(PartialTree(on="parse")), table, "no column 'source.parse'.*the sources have tree"),
        (kernel, [("a", "b")], "no column 'source.tree' for the representation 'tree'"),
        (PartialTree(on="tree"), table, "put it into PairSum"),
        (PartialTree(on="tree"), ["(A x)"], "on='tree': the items have words only"),
        (SoftPairing(Rewriting()), table, "compares pairs; use it alone"),
        (SoftPairing(3), table, "needs a kernel on texts"),
        (Neighborhoods(on="graph"), {"graph": ["{"]}, "row 0, graph: the text is not JSON"),
    ]
    for one, items, message in cases:
        with pytest.raises(InputError, match=message) as caught:
            one.gram(items)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("c", [0, -1, float("nan"), float("inf"), 1e-320, 10**400, "100", True, None])
def test_soft_maxima_without_a_meaning(c):
    with pytest.raises(ValueError, match=r"^c=") as error:
        SoftPairing(PartialTree(), c).gram([("(a b)", "(a b)")])
    assert "\n" not in str(error.value)


def test_an_error_about_a_long_kernel_is_one_line():
    inner = PairSum(SmoothedPartialTree(similarity={f"word{number}": [1.0, number] for number in range(50)}))
    with pytest.raises(InputError) as error:
        SoftPairing(inner).gram([("(a b)", "(a b)")])
    assert "PairSum(kernel=SmoothedPartialTree(similarity=dict)) compares pairs" in str(error.value)


def test_parameters_are_reached_through_the_pair_kernel():
    kernel = SoftPairing(PartialTree(), c=50)
    assert set(kernel.get_params()) >= {"c", "kernel", "kernel__decay", "kernel__on"}
    other = clone(kernel).set_params(kernel__decay=0.7, c=10.0)
    assert (kernel.kernel.decay, other.kernel.decay, other.c) == (0.4, 0.7, 10.0)


def test_explanations_name_the_better_pairing():
    for kind in KINDS:
        found = kind(PartialTree()).explain(TREE_PAIRS[0], TREE_PAIRS[1])
        assert found.decision == pytest.approx(kind(PartialTree())(TREE_PAIRS[0], TREE_PAIRS[1]))
        assert found.crossed == pytest.approx((1.0, 1.0))
        assert found.pairing == ("straight" if kind in (PairSum, PairProduct) else "crossed")
        assert {bool(part.source) for part in found.parts} == {True, False}
        assert all(part.name == part.source + part.target for part in found.parts)
        assert len(found.parts) == 10
    whole = BestPairing(SubsetTree()).explain(TREE_PAIRS[0], TREE_PAIRS[1], n=None)
    for side, value in zip(("source", "target"), whole.crossed):
        assert sum(part.value for part in whole.parts if getattr(part, side)) == pytest.approx(value)
    assert SoftPairing(Spectrum(1) + Spectrum(2)).explain(("a", "b"), ("a", "b")).parts == []


def test_inner_kernels_learn_from_the_texts():
    seen = []

    class Learning(Spectrum):
        def fit(self, X, y=None):
            seen.append(list(X["text"]))
            return self

    (SoftPairing(Learning(1)) + Rewriting(1)).fit([("a", "b"), ("b", "c")])
    assert seen == [["a", "b", "c"]]


def test_explanations_as_plain_data():
    found = BestPairing(SubsetTree()).explain(TREE_PAIRS[0], TREE_PAIRS[1])
    plain = found.to_dict(3)
    assert plain["pairing"] == "crossed" and plain["crossed"] == list(found.crossed)
    assert len(plain["parts"]) == 3 and plain["parts"][0]["kind"] == "fragment"
    assert len(repr(found).splitlines()) <= 15
    assert len(found.to_frame()) == len(found.parts)
