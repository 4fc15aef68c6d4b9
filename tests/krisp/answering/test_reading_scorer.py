"""How readings are judged, and how answers look."""

import re

import pytest

from rekern.errors import InputError
from rekern.krisp import read_grammar
from rekern.krisp.answering.answer import Answer
from rekern.krisp.answering.asker_training import choose_confidence
from rekern.krisp.answering.question_table import read_questions
from rekern.krisp.answering.scored_reading import ScoredReading
from rekern.krisp.reading import ReadingNode
from rekern.krisp.second_opinion import SecondOpinion, find_parts

GRAMMAR = read_grammar(["Q -> {S}", "S -> all", "S -> big({S})", "S -> red({S})", "S -> both({S}, {S})"])


def reading(**changes):
    values = {
        "meaning": "big(all)",
        "derivation": GRAMMAR.parse("big(all)"),
        "confidence": 0.9,
        "score": -1.0,
        "nodes": (
            ReadingNode("both({S}, {S})", 0, 4, 0),
            ReadingNode("big", 0, 1, 1),
            ReadingNode("red({S})", 1, 4, 1),
            ReadingNode("red", 1, 2, 2),
            ReadingNode("all", 2, 4, 2),
        ),
        "words": ("big", "red", "old", "things"),
    }
    return ScoredReading(**{**values, **changes})


def test_the_tree_over_the_words():
    assert reading().draw_tree() == [
        "both({S}, {S})  big red old things",
        "├─ big          big",
        "└─ red({S})     red old things",
        "   ├─ red       red",
        "   └─ all       old things",
    ]


def test_an_answer_without_a_reading_has_no_sql():
    found = Answer("why?", nearest=(reading(),), why="unknown words: why").to_dict()
    assert found == {
        "question": "why?",
        "confident": False,
        "not_understood": [],
        "why": "unknown words: why",
        "nearest": [{"query": "big(all)", "confidence": 0.9}],
    }


def test_the_parts_of_a_meaning_know_their_place():
    assert find_parts(GRAMMAR.parse("big(red(all))")) != find_parts(GRAMMAR.parse("red(big(all))"))
    assert "big / big" in find_parts(GRAMMAR.parse("big(big(all))"))


def test_a_second_opinion_prefers_what_the_words_ask_for():
    sentences = [["things"], ["big", "things"], ["red", "things"], ["big", "red", "things"]]
    meanings = [GRAMMAR.parse(text) for text in ("all", "big(all)", "red(all)", "big(red(all))")]
    opinion = SecondOpinion(sentences, meanings)
    for words, right in zip(sentences, meanings):
        expected = opinion.expect_parts(words)
        assert max(meanings, key=lambda meaning: opinion.measure_agreement(expected, meaning)) == right
    assert opinion.list_unknown(["Please", "blue", "things"], ["pleas", "blue", "things"]) == ["blue"]


@pytest.mark.parametrize(
    ("scores", "right", "answered"),
    [
        ([-1, -2, -3], [True, True, True], 3),
        ([-1, -2, -3], [False, True, True], 0),  # one wrong answer outweighs fifteen right ones
        (range(0, -18, -1), [True, False, *[True] * 16], 18),
        (range(0, -16, -1), [True, False, *[True] * 14], 1),
        ([-1, -2, -9], [True, True, False], 2),
        ([], [], 0),
    ],
)
def test_the_least_confidence(scores, right, answered):
    chosen = choose_confidence(scores, right)
    assert chosen.answered == answered
    assert chosen.right == sum(right[:answered])


def test_a_negation_must_have_been_learned_with_the_meaning():
    sentences = [["big", "things"], ["things", "not", "big"], ["small", "things"]]
    meanings = [GRAMMAR.parse(text) for text in ("big(all)", "red(all)", "red(all)")]
    opinion = SecondOpinion(sentences, meanings)
    assert opinion.count_denials(["not", "big"], meanings[0]) == 1
    assert opinion.count_denials(["not", "big"], meanings[1]) == 0
    assert opinion.count_denials(["big"], meanings[0]) == 0
    assert opinion.count_denials(["things", "without", "red"], meanings[1]) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("question\nwho wrote emma?\n", "has no column 'meaning'; it has question: name one with a header line"),
        ("meaning\nall\n", "has no column 'question'; it has meaning: name one with a header line"),
        ("question\tmeaning\nwho?\t \n", "line 2: the meaning is empty; drop the row or fill it in"),
        ("question\tmeaning\nwho wrote emma?\n", "line 2: 1 fields where the header has 2"),
    ],
)
def test_a_file_of_questions_that_is_not_whole(tmp_path, content, said):
    path = tmp_path / "questions.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read_questions(str(path))
    assert "--target" not in str(caught.value) and "\n" not in str(caught.value)


def test_a_word_may_tell_of_one_of_several_things():
    grammar = read_grammar(["Q -> {S}", "S -> books", "S -> authors", "S -> writer({S})", "Q -> count({S})"])
    asked = [
        *[("list the authors", "authors")] * 2,
        *[("author of this book", "writer(books)")] * 3,
        *[("list the books", "books")] * 5,
        *[("how many books", "count(books)")] * 3,
    ]
    words = [question.replace("author ", "authors ").split() for question, _ in asked]
    opinion = SecondOpinion(words, [grammar.parse(meaning) for _, meaning in asked])
    question = ["how", "many", "authors"]
    assert opinion.list_overlooked(question, grammar.parse("count(books)")) == ["authors"]
    assert opinion.list_overlooked(question, grammar.parse("count(authors)")) == []
    assert opinion.list_overlooked(question, grammar.parse("count(writer(books))")) == []
    assert opinion.list_overlooked(["how", "many", "books"], grammar.parse("count(books)")) == []
