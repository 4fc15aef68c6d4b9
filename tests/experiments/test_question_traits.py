"""Traits of how a question is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.question_kernels import list_traits


@pytest.mark.parametrize(
    ("question", "trait", "other"),
    [
        ("Should Schools Be Free?", "capitals: many", "should schools be free?"),
        ("Should Schools Be Free?", "function word with a capital", "Should Schools be Free?"),
        ("Can we Be free?", "function word with a capital", "Can I be free?"),
        ("Why is NASA slow?", "all capitals", "Why is Nasa slow?"),
        ("Why can i see it?", "small i", "Why can I see it?"),
        ("How is it ?", "end: space ?", "How is it?"),
        ("How is it", "end: none", "How is it."),
        ("What is 7?", "digit", "What is seven?"),
        ("What is ’it’?", "printed quotes", "What is 'it'?"),
        ("How is it?why?", "no space after a mark", "How is it? why?"),
        ("How is it , here?", "space before a mark", "How is it, here?"),
        ("How? Why?", "several ?", "How, why?"),
        ("pls help me", "chat", "please help me"),
        ("What is the fastest car?", "superlative", "What is the fast car?"),
        ("What is the test?", "asks what", "Is it the test?"),
        ("Is it better?", "comparative", "Is it good?"),
        ("Is it yours?", "has you", "Is it theirs?"),
        ("Is it my dog?", "has i", "Is it a dog?"),
    ],
)
def test_a_trait_tells_two_questions_apart(question, trait, other):
    assert trait in list_traits(question)
    assert trait not in list_traits(other)


def test_the_question_word_comes_first_and_with_every_trait():
    first, *others = list_traits("Whats it like, and why?")
    assert first == "asks what"
    alone, joined = others[: len(others) // 2], others[len(others) // 2 :]
    assert joined == [f"what, {trait}" for trait in alone]
    assert list_traits("Did it rain")[0] == "asks yes or no"
    assert list_traits("rice price")[0] == "asks nothing"
    assert "superlative" not in list_traits("What is a test?")


@given(st.text())
def test_any_text_has_traits_each_once(text):
    found = list_traits(text)
    assert found[0].startswith("asks ") and len(found) == len(set(found))
