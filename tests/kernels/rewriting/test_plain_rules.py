"""Rules without wildcards from lists of n-grams: the plain sums."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import close, corpora, reference_gram
from rekern import ModelFileError
from rekern.kernels import Rewriting
from rekern.kernels.rewriting.compact_rules import compact_decision
from rekern.kernels.rewriting.plain_rules import NgramLists
from rekern.structures import Pairs


@settings(max_examples=25, deadline=None)
@given(corpora("ab", 5, 2, 6), corpora("abc", 5), st.integers(1, 2))
def test_decisions_are_the_plain_sum_over_training_pairs(train, test, outputs):
    kernel = Rewriting((1, 2), decay=0.5)
    weights = np.random.default_rng(0).normal(size=(len(train), outputs))
    expected = reference_gram(test, train, [(1, 1), (2, 2)], decay=0.5) @ weights
    scorer = kernel.decision_function(train, weights)
    again = kernel.restore_decision(scorer.to_state(), outputs)
    close(scorer.score(test), expected)
    whole = [list(scorer.parts(pair, outputs - 1)) for pair in test]
    close([sum(part.contribution for part in parts) for parts in whole], expected[:, outputs - 1])
    assert np.array_equal(again.score(test), scorer.score(test))


def make_decision():
    chance = np.random.default_rng(1)
    sides = [list(map(str, chance.zipf(1.5, chance.integers(1, 12)) % 50)) for _ in range(400)]
    train = Pairs.from_items(list(zip(sides[::2], sides[1::2])))
    return train, Rewriting((1, 3)).decision_function(train, chance.normal(size=(200, 1)))


def test_many_pairs_at_once_have_the_values_of_each_alone():
    """Rules of frequent n-grams, on either side or on both, are products of matrices there."""
    _, scorer = make_decision()
    chance = np.random.default_rng(2)
    new = [tuple(" ".join(map(str, chance.zipf(1.5, 9) % 60)) for _ in range(2)) for _ in range(100)]
    assert any(rules._frequent[0].weights.shape[2] for rules in scorer.plain)
    close(scorer.score(Pairs.from_items(new)), [scorer.score(Pairs.from_items([pair]))[0] for pair in new])


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("lengths", lambda array: array * 0),
        ("lengths", lambda array: array + 1),
        ("steps", lambda array: array * 0 + 255),
        ("steps", lambda array: array[:, :-1]),
        ("counts", lambda array: array * 0),
        ("counts", lambda array: array[:, :-1]),
        ("tops", lambda array: array[1:]),
        ("rests", lambda array: array[:, ::-1]),
    ],
)
def test_damaged_lists_are_refused(name, damage):
    _, scorer = make_decision()
    state = scorer.plain[0].source.to_state()
    assert len(NgramLists.from_state(state, 200).keys) == len(scorer.plain[0].source.keys)
    state[name] = np.ascontiguousarray(damage(state[name]))
    with pytest.raises(ModelFileError):
        NgramLists.from_state(state, 200)


def test_compact_decisions_are_close(monkeypatch):
    train, scorer = make_decision()
    compact, rules = compact_decision(scorer)
    assert rules == sum(len(table.keys) for table in scorer.wildcard)  # few enough: only weights are rounded
    whole = scorer.score(train)
    assert 0 < np.abs(compact.score(train) - whole).max() < 0.05
    monkeypatch.setattr("rekern.kernels.rewriting.compact_rules.COMPACT_BYTES", 10_000)
    monkeypatch.setattr("rekern.kernels.rewriting.compact_rules.PLAIN_BYTES", 5_000)
    smaller, fewer = compact_decision(scorer)
    assert 0 < fewer < rules
    again = scorer.kernel.restore_decision(smaller.to_state(), 1)
    assert np.array_equal(again.score(train), smaller.score(train))
    keys = np.concatenate([table.keys for table in again.wildcard])
    assert again.key_bits == 32 and len(keys) == fewer and not (keys & np.uint64(2**32 - 1)).any()
    parts = sum(part.contribution for part in again.parts(train[0]))
    assert parts == pytest.approx(again.score(train[:1])[0, 0])
    assert np.corrcoef(smaller.score(train)[:, 0], whole[:, 0])[0, 1] > 0.5
