"""Orders of candidates, and how they are measured."""

import numpy as np
import pytest

from helpers import close
from rekern import PairRanker
from rekern.errors import InputError
from rekern.kernels import Rewriting
from rekern.learning import ranking_measures
from rekern.learning.pair_ranker import subtract_candidates
from rekern.similarity import PrecisionRecall

KERNEL = Rewriting((1, 2)) + PrecisionRecall()


def questions(number, seed=0):
    """Questions with four candidates each, one of which answers it."""
    rng = np.random.default_rng(seed)
    books = [f"book{i}" for i in range(30)]
    people = [f"writer{i}" for i in range(30)]
    pairs, labels, groups = [], [], []
    for group in range(number):
        book, other = rng.choice(books, 2, replace=False)
        who = rng.choice(people)
        candidates = [f"{who} wrote {book}", f"{who} read {other}", f"{book} is long", f"it rains in {other}"]
        for index in rng.permutation(4):
            pairs.append((f"who wrote {book}", candidates[index]))
            labels.append(int(index == 0))
            groups.append(f"question {group}")
    return pairs, labels, groups


TEST = questions(12, seed=1)


@pytest.mark.parametrize("gram_limit", [10_000, 5])
def test_it_learns(gram_limit):
    model = PairRanker(KERNEL, gram_limit=gram_limit).fit(*questions(15))
    assert model.score(*TEST) > 0.95
    measures = ranking_measures(model.decision_function(TEST[0]), *TEST[1:])
    assert measures["map"] == model.score(*TEST)
    assert measures["groups"] == 12
    assert ("Gram" in model.solver_) == (gram_limit == 10_000)
    first = [pair for pair, group in zip(TEST[0], TEST[2]) if group == "question 0"]
    best = model.rank(first)
    assert sorted(best) == [0, 1, 2, 3]
    assert first[best[0]][1].split()[1] == "wrote"


def test_both_solvers_agree():
    gram, linear = (PairRanker(KERNEL, gram_limit=limit).fit(*questions(15)) for limit in (10_000, 5))
    np.testing.assert_allclose(gram.decision_function(TEST[0]), linear.decision_function(TEST[0]), atol=0.02)


def test_scores_are_the_gram_times_the_coefficients():
    model = PairRanker(KERNEL).fit(*questions(10))
    close(model.decision_function(TEST[0]), KERNEL.gram(TEST[0], model.pairs_) @ model.coefficients_[:, 0])
    assert model.intercept_.tolist() == [0]
    assert np.array_equal(model.predict(TEST[0]), model.decision_function(TEST[0]))
    bulk = model.decision_function(TEST[0])
    assert np.array_equal([model.decision_function([pair])[0] for pair in TEST[0]], bulk)


@pytest.mark.parametrize("gram_limit", [10_000, 5])
def test_explanations_add_up(gram_limit):
    model = PairRanker(KERNEL, gram_limit=gram_limit).fit(*questions(10))
    for pair, decision in zip(TEST[0][:6], model.decision_function(TEST[0])):
        why = model.explain(pair)
        assert why.decision == decision == why.prediction
        assert abs(sum(part.contribution for part in why.parts) - decision) < 1e-9
    best, worst = model.rules(5)
    assert best[0].weight > 0 > worst[0].weight


def test_differences_within_groups_only():
    labels, groups = np.array([2.0, 0, 1, 5, 5]), np.array([0, 0, 0, 1, 1])
    found = {tuple(row) for row in subtract_candidates(labels, groups).matrix.toarray().tolist()}
    assert found == {(1, -1, 0, 0, 0), (1, 0, -1, 0, 0), (0, -1, 1, 0, 0)}


def test_groups_need_not_lie_together():
    pairs, labels, groups = questions(10)
    order = np.random.default_rng(0).permutation(len(pairs))
    shuffled = [[column[i] for i in order] for column in (pairs, labels, groups)]
    one, other = PairRanker(KERNEL).fit(pairs, labels, groups), PairRanker(KERNEL).fit(*shuffled)
    np.testing.assert_allclose(one.decision_function(TEST[0]), other.decision_function(TEST[0]), atol=0.02)


# Measures


@pytest.mark.parametrize(
    ("scores", "labels", "groups", "average", "reciprocal"),
    [
        ([3, 2, 1], [1, 0, 0], [1, 1, 1], 1, 1),
        ([1, 2, 3], [1, 0, 0], [1, 1, 1], 1 / 3, 1 / 3),
        ([3, 2, 1], [0, 1, 1], [1, 1, 1], (1 / 2 + 2 / 3) / 2, 1 / 2),
        ([1, 1, 1], [1, 0, 0], [1, 1, 1], 1 / 3, 1 / 3),  # ties count as the worst order
        ([2, 1, 2, 1], [1, 0, 0, 1], ["a", "a", "b", "b"], 3 / 4, 3 / 4),
        ([2, 1, 5], [1, 0, 0], [1, 1, 2], 1, 1),  # a group without an answer is left out
    ],
)
def test_measures(scores, labels, groups, average, reciprocal):
    found = ranking_measures(scores, labels, groups)
    close([found["map"], found["mrr"]], [average, reciprocal])


# Bad input


@pytest.mark.parametrize(
    ("labels", "groups", "message"),
    [
        ([1, 0, 1], [1, 1], "3 pairs but 2 groups"),
        ([1, 0], [1, 1, 1], "3 pairs but 2 labels"),
        (["good", "bad", "bad"], [1, 1, 1], "needs numbers as labels"),
        ([1, 1, 1], [1, 1, 1], "no order to learn"),
        ([1, 0, 0], [1, 2, 3], "no order to learn"),
        ([1, None, 0], [1, 1, 1], "row 1: the label is missing"),
    ],
)
def test_what_cannot_be_ranked(labels, groups, message):
    with pytest.raises(InputError, match=message):
        PairRanker().fit(TEST[0][:3], labels, groups)


def test_nothing_to_measure():
    with pytest.raises(InputError, match="nothing to measure"):
        ranking_measures([1, 2], [0, 0], [1, 1])


def test_impossible_parameters():
    with pytest.raises(ValueError, match="C=0"):
        PairRanker(C=0).fit(*questions(2))
