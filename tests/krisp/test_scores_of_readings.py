"""Scores of many readings at once are those of each by its definition; a search that saves work finds the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import krisp as reference
from rekern import SemanticParser
from rekern.errors import InputError
from rekern.krisp import read_grammar, reading_search, semantic_parser
from rekern.krisp.mentions import find_longest_spans, find_mentions
from rekern.krisp.pronouns import mark_pronouns
from rekern.krisp.reading import Reading
from rekern.krisp.reading_ranker import LEAST, SCALES, SentenceKnowledge, list_parts, measure_readings
from rekern.krisp.second_opinion import MARGIN, find_parts
from state_questions import QUESTIONS

GRAMMAR = read_grammar(
    [
        "start Q",
        "Q -> answer({S})",
        "S -> all",
        "S -> big({S})",
        "S -> next({S})",
        "S -> both({S}, {S})",
        "S -> first({N}, {S})",
        "S -> '{name}'",
        "N -> {number}",
        "S -> {again}",
        "S -> {T}",
        "T -> {U}",
        "U -> low({S})",
        "names S = utah | ohio | new york | york",
    ]
)
STATES = st.recursive(
    st.sampled_from(["all", "'utah'", "'ohio'", "'new york'", "'york'"]),
    lambda below: st.one_of(
        below.map("big({})".format),
        below.map("next({})".format),
        below.map("low({})".format),
        st.tuples(below, below).map(lambda two: f"both({two[0]}, {two[1]})"),
        st.tuples(st.integers(1, 3), below).map(lambda two: f"first({two[0]}, {two[1]})"),
    ),
    max_leaves=5,
)
MEANINGS = STATES.map(lambda state: GRAMMAR.parse(f"answer({state})"))
MARKED = MEANINGS.map(lambda meaning: mark_pronouns(GRAMMAR, meaning, []))  # what is said twice becomes a pronoun
VOCABULARY = ["the", "big", "next", "both", "utah", "ohio", "new", "york", "1", "2", "unknown"]
WORDS = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(WORDS, MEANINGS), min_size=1, max_size=12),
    WORDS,
    st.lists(st.tuples(MEANINGS | MARKED, st.floats(-20, 0), st.integers(0, 9)), max_size=6),
)
def test_scores_are_those_of_the_definitions(examples, words, found):
    known = SentenceKnowledge.learn([example for example, _ in examples], [meaning for _, meaning in examples])
    mentions = find_mentions(GRAMMAR, tuple(words), 0.0)
    readings = [Reading(meaning.meaning(), log, meaning, (), scored) for meaning, log, scored in found]
    table = measure_readings(known, words, mentions, readings) / SCALES
    expected = dict(zip(known.opinion._parts, known.opinion.expect_parts(words)))
    longest = find_longest_spans([m for m in mentions if m.production.kind != "word"])
    for row, (meaning, log, scored) in zip(table, found):
        assert meaning.productions() == reference.list_productions(meaning)
        explained = reference.explain_words(known.translation.table, list_parts(meaning), words, LEAST)
        assert row == pytest.approx(
            [
                log,
                scored,
                log / max(1, scored),
                reference.count_repeats(meaning),
                len(reference.list_unused(mentions, longest, meaning)),
                reference.measure_agreement(expected, find_parts(meaning), MARGIN),
                len(reference.list_overlooked(known.opinion._telling, words, meaning)),
                explained,
            ]
        )


@pytest.fixture(scope="module")
def parser(grammar, questions):
    return SemanticParser(grammar, ranking=3, rounds=1, n_jobs=1).fit(*questions)


SENTENCES = st.lists(st.sampled_from(sorted({word for text in QUESTIONS for word in text.split()})), max_size=7)


@settings(max_examples=40, deadline=None)
@given(words=SENTENCES)
def test_a_search_that_starts_lower_finds_the_same(parser, words):
    def list_candidates():
        found = parser._reader.read(" ".join(words), None, {"words"}, "a sentence")
        return [(one.meaning, one.log_probability, one.scored) for one in parser._search.find_candidates(found)]

    usual = list_candidates()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading_search, "LEAST", (0.0, -4.0, *reading_search.LEAST))  # the first one is left out
        assert list_candidates() == usual


@settings(max_examples=40, deadline=None)
@given(words=SENTENCES, ranked=st.integers(1, 60))
def test_a_narrow_search_first_finds_the_same(parser, words, ranked):
    def list_candidates(narrow):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reading_search, "RANKED", ranked)
            patch.setattr(reading_search, "NARROW", narrow)
            found = parser._reader.read(" ".join(words), None, {"words"}, "a sentence")
            return [(one.meaning, one.log_probability) for one in parser._search.find_candidates(found)]

    assert list_candidates(reading_search.NARROW) == list_candidates(10**6)


@settings(max_examples=40, deadline=None)
@given(words=SENTENCES, n=st.integers(1, 4))
def test_the_best_readings_have_their_nodes(parser, words, n):
    sentence = " ".join(words)
    every, best = parser.parse(sentence, 60), parser.parse(sentence, n)
    assert list(best) == list(every[:n])
    for reading in best:
        below = [node.depth for node in reading.nodes]
        assert (
            below[0] == 0
            and min([*below[1:], 1]) == 1
            and (reading.nodes[0].start, reading.nodes[0].end) == (0, len(words))
        )
        classes = [node for node in reading.nodes if not node.label.startswith("'")]
        assert reading.scored <= len(classes) <= len(reading.nodes)
        assert np.isclose(reading.mean_probability ** max(1, reading.scored), reading.probability)


def test_many_sentences_are_parsed_as_each_alone(parser, questions, monkeypatch):
    sentences = [*questions[0][:5], "", "which rivers", *questions[0][5:]]
    alone = [parser.parse(sentence, 3) for sentence in sentences]
    monkeypatch.setattr(semantic_parser, "SCORED", 4)
    assert parser.parse_all(sentences, n=3) == alone
    with pytest.raises(InputError, match="the sentence has 101 words: the parser reads up to 100"):
        parser.parse_all(["which", "which " * 101])
