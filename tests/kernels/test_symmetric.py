"""`Symmetric` against its definition, and what it promises: a pair and its reverse are the same."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern import PairClassifier, load_model
from rekern.errors import InputError
from rekern.kernels import Gaussian, PartialTree, Rewriting, SoftPairing, Symmetric
from rekern.similarity import Similarities
from rekern.structures.pairs import Pairs

PAIRS = [
    ("the cat sat", "a cat sits"),
    ("dogs bark", "dogs do not bark"),
    ("he came home", "home he came"),
    ("rain", "it rains in rain"),
    ("a b c", "c d"),
    ("x", ""),
]
LABELS = [1, 0, 1, 1, 0, 0]
TEXTS = st.lists(st.sampled_from("abc"), max_size=4).map(" ".join)
SOME_PAIRS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4)


def reverse(pairs):
    return [(target, source) for source, target in pairs]


def average_orders(kernel, X, Y):
    """The mean of the four Grams, straight from the definition."""
    return sum(kernel.gram(x, y) for x in (X, reverse(X)) for y in (Y, reverse(Y))) / 4


@settings(max_examples=20)
@given(SOME_PAIRS, SOME_PAIRS)
def test_gram_is_the_mean_over_both_orders(X, Y):
    kernel = Rewriting(k=(1, 2))
    symmetric = Symmetric(kernel)
    np.testing.assert_allclose(symmetric.gram(X, Y), average_orders(kernel, X, Y), atol=1e-12)
    np.testing.assert_allclose(symmetric.gram(X), average_orders(kernel, X, X), atol=1e-12)
    np.testing.assert_allclose(symmetric.diag(X), np.diag(average_orders(kernel, X, X)), atol=1e-12)
    np.testing.assert_allclose(symmetric.gram(reverse(X), Y), symmetric.gram(X, Y), atol=1e-12)
    features = symmetric.features(X)
    np.testing.assert_allclose((features @ features.T).toarray(), symmetric.gram(X), atol=1e-12)


@pytest.mark.parametrize("items", [PAIRS, Pairs.from_items(PAIRS, with_forms=True)], ids=["texts", "pairs"])
def test_scores_in_both_orders(items):
    kernel = Gaussian(Similarities(only=("precision", "recall", "target length")), 0.5)
    symmetric = Symmetric(kernel).adapt(items)
    fitted = Gaussian(Similarities(only=("precision", "recall", "target length")), 0.5).adapt(PAIRS + reverse(PAIRS))
    np.testing.assert_allclose(symmetric.gram(items), average_orders(fitted, PAIRS, PAIRS), atol=1e-12)


@pytest.mark.parametrize("gram_limit", [100, 0], ids=["gram", "features"])
def test_model(tmp_path, gram_limit):
    kernel = Symmetric(Rewriting(k=(1, 2)) + Similarities(only=("precision", "recall")))
    model = PairClassifier(kernel, calibration=0, gram_limit=gram_limit).fit(PAIRS, LABELS)
    values = model.decision_function(PAIRS)
    np.testing.assert_allclose(model.decision_function(reverse(PAIRS)), values, atol=1e-9)
    found = model.explain(PAIRS[0])
    assert found.decision == pytest.approx(float(values[0]), abs=1e-9)
    assert {part.kind for part in found.parts} >= {"rule", "score"}
    model.save(tmp_path / "model.rekern")
    np.testing.assert_array_equal(load_model(tmp_path / "model.rekern").decision_function(PAIRS), values)


@settings(max_examples=20)
@given(st.tuples(TEXTS, TEXTS), st.sampled_from([0, 3, 400]))
def test_parts_of_both_orders_are_merged(pair, n_largest):
    model = fit_model("precision", "recall", "target length")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rekern.kernels.symmetric.N_LARGEST", n_largest)
        found = model.explain(pair)
    total = sum(part.contribution for part in found.parts) + found.intercept
    assert total == pytest.approx(float(model.decision_function([pair])[0]), abs=1e-9)
    words = [part.to_words() for part in found.parts]
    if n_largest == 400:
        assert len(set(words)) == len(words) and not any("←" in text for text in words)
    for part in found.parts:
        assert all(word in pair[0].split() for word in part.source.split())
        assert all(word in pair[1].split() for word in part.target.split())


def test_a_score_is_shown_once_with_its_value_in_the_other_order():
    model = fit_model("target length")
    (part,) = [part for part in model.explain(("a", "b c d")).parts if part.kind == "score"]
    assert part.to_words() == "length of the target (logarithm, divided by 5) (0.14 in the other order): 0.28"


@cache
def fit_model(*scores):
    kernel = Symmetric(Rewriting(k=(1, 2)) + Similarities(only=scores))
    return PairClassifier(kernel, calibration=0).fit(PAIRS, LABELS)


def test_other_representations_are_refused():
    with pytest.raises(InputError, match="Symmetric needs a kernel on the words of pairs"):
        Symmetric(SoftPairing(PartialTree(on="tree"))).gram([{"source.tree": "(A)", "target.tree": "(B)"}])
