"""Sentences: what is accepted, and what is wrong with the rest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rekern.errors import InputError
from rekern.structures.sentences import Sentence, find_head_fault, sentence


def is_tree(heads):
    """Straight from the definition: one root, and every word reaches it."""
    if not heads:
        return True
    if heads.count(-1) != 1 or any(not -1 <= head < len(heads) for head in heads):
        return False
    for place in range(len(heads)):
        for _ in heads:
            place = heads[place] if place >= 0 else place
        if place != -1:
            return False
    return True


@given(st.lists(st.integers(-2, 7), max_size=7))
def test_faults_are_what_is_no_tree(heads):
    assert (find_head_fault(heads) is None) == is_tree(heads)


def test_defaults():
    found = sentence(np.array(["Dogs", "ran"]), heads=np.array([1, -1]))
    assert found == Sentence(("Dogs", "ran"), ("dog", "ran"), ("_", "_"), (1, -1), ("dep", "root"))
    assert found.root == 1 and sentence([], []).root == -1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", "b"], [-1, -1]), "sentence, word 1 ('b'): a second root"),
        ((["a", "b"], [-1, 2]), "sentence, word 1 ('b'): its head is 2, and there is no such word"),
        ((["a", "b"], [-1, -2]), "sentence, word 1 ('b'): its head is -2"),
        ((["a", "b"], [1, 0]), "sentence: no word is the root"),
        ((["a", "b", "c"], [-1, 2, 1]), "sentence, word 1 ('b'): its heads lead back to it"),
        ((["a", "b"], [-1, 1]), "sentence, word 1 ('b'): its heads lead back to it"),
        ((["a", "b"], [-1, None]), "sentence, word 1: its head is None"),
        ((["a", "b"], [-1, 0.5]), "sentence, word 1: its head is the number 0.5"),
        ((["a", "b"], [-1]), "sentence: 2 words but 1 heads"),
        ((["a", None], [-1, 0]), "sentence, word 1: among the words is None"),
        (("ab", [-1, 0]), "sentence: the words are a str"),
        ((["a"], [-1], ["a", "b"]), "sentence: 1 words but 2 lemmas"),
    ],
)
def test_faults_have_a_place(arguments, message):
    with pytest.raises(InputError) as error:
        sentence(*arguments)
    assert str(error.value).startswith(message) and "\n" not in str(error.value)


def test_long_sentences():
    size = 20_000
    assert find_head_fault([*range(1, size), -1]) is None
    assert find_head_fault([-1, *range(size - 1)]) is None
    assert find_head_fault([-1, *range(2, size), 1]) == (1, "cycle")
