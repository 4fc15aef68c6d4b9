"""Columns are found by common names, and not at all where two answers are possible."""

import pytest

from rekern.structures.known_columns import find_label, find_sides, find_text

SIDES = {
    "source target": (0, 1),
    "Target SOURCE": (1, 0),
    "id Question1 Question2": (1, 2),
    "text_a text_b": (0, 1),
    "Text2 Text1": (1, 0),
    "sent1 sent2": (0, 1),
    "sentence_A sentence_B": (0, 1),
    "query passage": (0, 1),
    "Question Sentence": (0, 1),
    "qid1 qid2 question1 question2": (2, 3),
    "text hypothesis": (0, 1),
    "text premise hypothesis": None,  # premise or text?
    "text q1 q2": None,  # single texts, or pairs?
    "text question1 question2": (1, 2),
    "source target question1 question2": (0, 1),
    "question1 question2 sentence1 sentence2": None,
    "question answer passage": None,
    "Question1 question_1 question2": None,
    "id1 id2": None,
    "source hypothesis": None,
    "": None,
}
LABELS = {
    "source target Label": 2,
    "source target score": None,
    "source target class": None,
    "text1 text2 class": 2,
    "s1 s2 score quality": 3,
    "question1 question2 is_duplicate": 2,
    "question1 question2 Label label": None,
    "text class": 1,
    "text score": None,
    "left right class": None,
}
TEXTS = {"id Text": 1, "id Question": 1, "text question": 0, "question title": None, "Text text": None, "Frage": None}


@pytest.mark.parametrize("names", SIDES)
def test_sides(names):
    assert find_sides(names.split()) == SIDES[names]


@pytest.mark.parametrize("names", LABELS)
def test_label(names):
    assert find_label(names.split()) == LABELS[names]


@pytest.mark.parametrize("names", TEXTS)
def test_text(names):
    assert find_text(names.split()) == TEXTS[names]


def test_names_that_are_no_strings():
    assert find_sides([1, None, "text1", "text2"]) == (2, 3)
    assert find_text([0, 1]) is None
