"""Decision functions: the rule table, the plain sum and the scores give the Gram's values, and their parts add up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import close, corpora, windows
from rekern.kernels import Rewriting, Subsequence
from rekern.kernels.decision_functions import GramDecision, SumDecision
from rekern.kernels.rewriting.rule_decision import RuleDecision
from rekern.similarity import PrecisionRecall
from rekern.structures import Pairs


def coefficients(rows, outputs=2, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, outputs))


@settings(max_examples=60, deadline=None)
@given(
    corpora("abc", 6),
    corpora("abcd", 6),
    windows(),
    st.sampled_from(["aligned", "none", "free"]),
    st.integers(1, 2),
    st.booleans(),
)
def test_scores_are_the_grams_and_parts_add_up(train, test, k, wildcards, span, normalize):
    kernel = Rewriting(k[0] if span == 1 else 2, wildcards, 0.5, normalize, span)
    weights = coefficients(len(train))
    scorer = kernel.decision_function(train, weights)
    assert isinstance(scorer, GramDecision if wildcards == "free" else RuleDecision)
    expected = kernel.gram(test, train) @ weights
    found = scorer.score(test)
    close(found, expected)
    for row, pair in enumerate(test):
        assert np.array_equal(scorer.score([pair])[0], found[row])
        for output in (0, 1):
            parts = scorer.parts(pair, output)
            assert abs(sum(part.contribution for part in parts) - found[row, output]) < 1e-9
            assert len({part.name for part in parts}) == len(parts)


def random_corpus(number, seed=0):
    rng = np.random.default_rng(seed)
    sides = [list(map(str, rng.zipf(1.5, rng.integers(0, 12)) % 50)) for _ in range(2 * number)]
    return Pairs.from_items(list(zip(sides[::2], sides[1::2])))


@pytest.mark.parametrize("wildcards", ["aligned", "none"])
def test_strongest_rules_are_those_of_the_features(wildcards):
    train = random_corpus(60)
    kernel = Rewriting((1, 3), wildcards)
    weights = coefficients(60)
    scorer = kernel.decision_function(train, weights)
    features = kernel.features(train)
    for output in (0, 1):
        exact = features.T @ weights[:, output]
        for sign, rules in zip((1, -1), scorer.list_both_sides(15, output), strict=True):
            close([rule.weight for rule in rules], sign * np.sort(sign * exact)[::-1][:15])
            for rule in rules:
                source, target = train[rule.pair]
                assert f" {rule.source} " in f" {' '.join(source)} "
                assert f" {rule.target} " in f" {' '.join(target)} "
                assert 1 <= rule.support <= 60
            again = kernel.decision_function(train.take([r.pair for r in rules]), np.ones((len(rules), 1)))
            assert {rule.rule for rule in rules} <= {r.rule for r in again.list_both_sides(10**5)[0]}


def test_support_counts_training_pairs():
    train = [("a b", "a b"), ("a c", "a c"), ("d", "e")]
    rules = {
        r.rule: r.support
        for r in Rewriting((1, 2), normalize=False).decision_function(train, np.ones((3, 1))).list_both_sides(100)[0]
    }
    assert rules["⟨1⟩ → ⟨1⟩"] == 2
    assert rules["a → a"] == 2
    assert rules["d → e"] == 1
    assert rules["⟨1⟩ ⟨2⟩ → ⟨1⟩ ⟨2⟩"] == 2
    assert "d ⟨1⟩ → e ⟨1⟩" not in rules


def test_more_rules_asked_for_than_there_are():
    scorer = Rewriting(1).decision_function([("a", "b")], np.array([[1.0]]))
    favoring, opposing = scorer.list_both_sides(10)
    assert [rule.rule for rule in favoring] == ["a → b"]
    assert opposing == []
    assert scorer.list_both_sides(0) == ([], [])


def test_same_result_one_by_one_and_in_bulk_for_any_jobs():
    train, test = random_corpus(400), random_corpus(700, seed=1)
    kernel = Rewriting((1, 4)) + 0.5 * PrecisionRecall()
    scorer = kernel.decision_function(train, coefficients(400, 3))
    assert isinstance(scorer, SumDecision)
    bulk = scorer.score(test, n_jobs=1)
    for n_jobs in (2, 4, None):
        assert np.array_equal(scorer.score(test, n_jobs), bulk)
    assert np.array_equal(scorer.score([tuple(pair) for pair in test]), bulk)
    for row in (0, 255, 256, 699):
        close(scorer.score([test[row]])[0], bulk[row])  # one pair is scored without products of matrices
    close(bulk, kernel.gram(test, train) @ coefficients(400, 3))


def test_silent_training_pairs_do_not_matter():
    train = random_corpus(50)
    weights = coefficients(50)
    weights[::2] = 0
    kernel = Rewriting((1, 3))
    chosen = np.arange(1, 50, 2)
    close(
        kernel.decision_function(train, weights).score(train),
        kernel.decision_function(train.take(chosen), weights[chosen]).score(train),
    )
    assert not kernel.decision_function(train, 0 * weights).score(train).any()


def test_scores_of_nothing():
    scorer = Rewriting(1).decision_function([("a", "b")], np.ones((1, 2)))
    assert scorer.score([]).shape == (0, 2)
    assert scorer.parts(("", "")) == []
    assert scorer.score([("", "")]).tolist() == [[0.0, 0.0]]


def test_parts_name_their_words():
    scorer = Rewriting([(3, 5)]).decision_function(
        [("Orwell wrote 1984", "1984 was written by Orwell")], np.ones((1, 1))
    )
    (part,) = scorer.parts(("Austen wrote Emma", "Emma was written by Austen"))
    assert part.kind == "rule"
    assert part.name == "⟨1⟩ wrote ⟨2⟩ → ⟨2⟩ was written by ⟨1⟩"
    assert (part.source, part.target) == ("austen wrote emma", "emma was written by austen")
    assert part.contribution == part.value * part.weight == pytest.approx(0.25)


def test_a_kernel_without_features_is_one_part():
    kernel = Rewriting(1, "free")
    (part,) = kernel.decision_function([("a", "b")], np.ones((1, 1))).parts(("a", "b"))
    assert part.kind == "kernel"
    assert part.contribution == kernel(("a", "b"), ("a", "b"))
    texts = Subsequence(2, 0.5).decision_function(["a b", "c"], np.ones((2, 1)))
    close(texts.score(["a b"]), [[1.0]])
