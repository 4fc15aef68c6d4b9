"""Stems: the same with and without PyStemmer, which is compiled."""

import importlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rekern.structures.stemmer import Stemmer, stem

endings = ["ing", "ed", "ly", "ness", "ational", "'s", "'", "s", "ies", "y", "ement", "ize", "ogi", "ion", "eedly"]
words = st.lists(st.text(max_size=3) | st.sampled_from(["run", "nation", "\ud801", "é", *endings]), max_size=5)


@given(words.map("".join), st.sampled_from(["english", "german", "french", "russian"]))
def test_stems_are_those_of_the_plain_stemmer(word, language):
    module = importlib.import_module(f"snowballstemmer.{language}_stemmer")
    plain = getattr(module, f"{language.title()}Stemmer")()
    assert Stemmer(language)(word) == (plain.stemWord(word) or word if len(word) <= 64 else word)


def test_half_a_surrogate_pair_is_a_character():
    assert stem("abc\ud801ing") == "abc\ud801"
    beside = "\U0010d801\U000f0000\ud801\udfffabc"  # private characters stay as they are
    assert stem(f"{beside}ing") == beside


def test_an_unknown_language_is_named():
    with pytest.raises(ValueError, match="no stemmer for language 'klingon': use None or one of arabic, "):
        Stemmer("klingon")
