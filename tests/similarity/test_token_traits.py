"""Traits of tokens are those of their letters, whatever was asked before."""

from hypothesis import given
from hypothesis import strategies as st

from rekern.similarity.token_traits import NEGATIONS, find_traits

tokens = st.lists(st.text(max_size=6) | st.sampled_from(["nation", "national", "n't", "42nd", "Über", "٣", "not"]))


@given(tokens)
def test_traits_are_those_of_the_letters(vocabulary):
    traits = find_traits(vocabulary)
    assert traits.is_word.tolist() == [any(c.isalnum() for c in token) for token in vocabulary]
    assert traits.is_number.tolist() == [any(c.isdigit() for c in token) for token in vocabulary]
    assert traits.is_negation.tolist() == [token in NEGATIONS for token in vocabulary]
    assert traits.is_upper.tolist() == [token[:1].isupper() for token in vocabulary]
    prefix = traits.prefix.tolist()
    assert [number < 0 for number in prefix] == [len(token) < 4 for token in vocabulary]
    assert all(number < len(vocabulary) for number in prefix)
    for one, number in zip(vocabulary, prefix):
        for two, other in zip(vocabulary, prefix):
            assert number < 0 or other < 0 or (number == other) == (one[:4] == two[:4])
