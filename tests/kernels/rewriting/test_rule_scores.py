"""Decision values of rules that are looked up pair by pair equal those of rules that are listed first, to the bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.core import weight_buckets
from rekern.kernels import Rewriting
from rekern.kernels.rewriting import rule_extraction
from rekern.kernels.rewriting.rule_decision import RuleDecision
from rekern.kernels.rewriting.rule_score_core import MOST_RULES
from rekern.kernels.rewriting.short_aligned_rules_core import MOST_TWINS
from rekern.structures.pairs import Pairs

texts = st.lists(st.sampled_from("aabcdefgh"), max_size=12)
corpora = st.lists(st.tuples(texts, texts), min_size=1, max_size=6)
windows = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=3, unique=True)


def train(kernel, training, outputs=2):
    coefficients = np.random.default_rng(len(training)).normal(size=(len(training), outputs))
    decision = kernel.decision_function(Pairs.from_items(training), coefficients)
    assert isinstance(decision, RuleDecision)
    for rules in decision.plain:
        rules.prepare()
    return decision


@settings(max_examples=60, deadline=None)
@given(corpora, corpora, windows, st.sampled_from([1.0, 0.7]), st.booleans(), st.sampled_from([64, 20]))
def test_equal_bits(training, items, sizes, decay, normalize, bits):
    decision = train(Rewriting(k=sizes, decay=decay, normalize=normalize), training)
    decision.key_bits = bits
    pairs = Pairs.from_items([*items, *training])
    listed, at_once = decision._score_listed(pairs), decision._score_at_once(pairs)
    assert at_once.tobytes() == listed.tobytes()
    single = [decision._score_at_once(pairs[row : row + 1]) for row in range(len(pairs))]
    assert np.concatenate(single).tobytes() == listed.tobytes()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(*[st.lists(st.sampled_from("abc"), max_size=9)] * 2), min_size=1, max_size=4), windows)
def test_equal_rules_and_no_buckets(pairs, sizes):
    """Rules that occur several times are merged alike, also where weights are looked up in the table itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weight_buckets, "FEW_BITS", 0)
        patch.setattr(weight_buckets, "MOST_KEYS", 10**6)
        decision = train(Rewriting(k=sizes, decay=0.7), pairs)
        items = Pairs.from_items(pairs)
        assert decision._score_at_once(items).tobytes() == decision._score_listed(items).tobytes()


def test_more_equal_rules_than_there_is_room_for(monkeypatch):
    chance = np.random.default_rng(0)
    items = Pairs.from_items([tuple(" ".join(chance.choice(list("abc"), 30)) for _ in range(2)) for _ in range(3)])
    decision = train(Rewriting(k=4), items)
    (rows,), _, _ = decision.extractor.measure(items)
    assert 2 * MOST_TWINS < rows.get_wildcard_rules().values.sum() / len(items) < MOST_RULES  # no token is single
    expected = decision._score_listed(items)
    monkeypatch.setattr(decision, "_score_listed", None)
    assert decision._score_at_once(items).tobytes() == expected.tobytes()


@pytest.mark.parametrize("limit", ["long", "many rules"])
def test_pairs_that_are_too_large_are_listed(monkeypatch, limit):
    chance = np.random.default_rng(0)
    long = [" ".join(chance.choice(["a", "b", "c"], 60)) for _ in range(2)]
    pairs = [("a b c d e f", "b c d e a f"), ("a b", "c d"), tuple(long), ("", "a")]
    decision = train(Rewriting(k=[2, 6]), pairs)
    items = Pairs.from_items(pairs)
    expected = decision._score_listed(items)
    if limit == "long":
        monkeypatch.setattr(rule_extraction, "FEATURE_LIMIT", 3000 << 9)
        monkeypatch.setattr(decision.extractor.__class__, "find_heavy", lambda *_, **__: np.zeros(0, np.int64))
    listed = []
    score_listed = decision._score_listed
    monkeypatch.setattr(decision, "_score_listed", lambda some: (listed.append(len(some)), score_listed(some))[1])
    assert decision._score_at_once(items).tobytes() == expected.tobytes()
    assert listed == [1]
