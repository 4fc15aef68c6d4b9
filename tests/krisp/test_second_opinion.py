"""The second opinion expects what ridge regression with explicit features expects."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import krisp as reference
from rekern.krisp import read_grammar
from rekern.krisp.second_opinion import DECAY, RIDGE, PartBits, SecondOpinion, find_parts, list_features, weigh_pairs

GRAMMAR = read_grammar(["Q -> {S}", "S -> all", "S -> big({S})", "S -> red({S})"])
MEANINGS = [GRAMMAR.parse(text) for text in ("all", "big(all)", "red(all)", "big(red(all))")]
WORDS = st.lists(st.sampled_from("abcd"), max_size=6)


@settings(max_examples=30, deadline=None)
@given(st.lists(WORDS, min_size=4, max_size=4), WORDS, st.booleans())
def test_parts_are_expected_as_by_explicit_regression(sentences, words, distant):
    opinion = SecondOpinion(sentences, MEANINGS, distant)
    parts = opinion.to_state()[0]["parts"]
    signs = np.array([[1.0 if part in find_parts(meaning) else -1.0 for part in parts] for meaning in MEANINGS])

    def weigh(sentence):
        return reference.ordered_pairs(sentence, DECAY) if distant else dict.fromkeys(list_features(sentence), 1.0)

    expected = reference.expect_parts(sentences, signs, words, weigh, RIDGE)
    np.testing.assert_allclose(opinion.expect_parts(words), expected, atol=1e-9)


@given(WORDS)
def test_all_pairs_are_weighed(words):
    assert weigh_pairs(words) == pytest.approx(reference.ordered_pairs(words, DECAY))


@pytest.mark.parametrize("distant", [False, True])
def test_what_was_written_down_expects_the_same(distant):
    sentences = [["things"], ["big", "things"], ["red", "things"], ["big", "red", "things"]]
    opinion = SecondOpinion(sentences, MEANINGS, distant)
    words, arrays = opinion.to_state()
    again = SecondOpinion.from_state(words, arrays)
    asked = ["things", "that", "are", "big"]
    assert again.expect_parts(asked).tolist() == opinion.expect_parts(asked).tolist()


def test_only_the_parts_that_are_asked_for_have_a_bit():
    bits = PartBits({str(number): number for number in range(100_000)})  # together their bits would take 600 MB
    assert len(bits) == 0
    assert (bits["7"], bits["new"], bits["newer"], bits["new"]) == (1 << 7, 1 << 100_000, 1 << 100_001, 1 << 100_000)
