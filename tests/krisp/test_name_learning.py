"""Names: what sentences mention, and what they call a name that is not in its list."""

import pytest

from rekern import SemanticParser, load_model
from rekern.krisp import read_grammar
from rekern.krisp.mentions import find_mentions
from rekern.krisp.name_learning import find_misleading_phrases, find_new_phrases, learn_names

BEEHIVE = {
    "how big is the beehive state": "size(stateid('utah'))",
    "which rivers run through the beehive state": "river(stateid('utah'))",
    "which states border the beehive state": "next_to(stateid('utah'))",
}


@pytest.fixture(scope="module")
def taught_questions(questions):
    sentences, meanings = questions
    return sentences + list(BEEHIVE), meanings + [f"answer({meaning})" for meaning in BEEHIVE.values()]


def learned(grammar, sentences, meanings):
    found = find_new_phrases(grammar, [one.split() for one in sentences], [grammar.parse(one) for one in meanings])
    return {production.value: phrases for production, phrases in found.items()}


def test_a_nickname_is_learned(grammar, taught_questions):
    assert learned(grammar, *taught_questions) == {"utah": ("beehive", "beehive state", "the beehive state")}


def test_what_is_said_of_other_things_too_is_no_name(grammar, taught_questions):
    sentences, meanings = taught_questions
    more = ["what is the beehive river", "where is the beehive lake"]
    assert not learned(grammar, sentences + more, meanings + ["answer(state(all))"] * 2)


def test_one_sentence_is_not_enough_and_two_candidates_are_too_many(grammar):
    meaning = "answer(size(stateid('utah')))"
    assert not learned(grammar, ["how big is deseret"], [meaning])
    both = ["deseret valley", "how big is deseret valley", "valley or deseret"]
    assert not learned(grammar, both, [meaning] * 3)


def test_nothing_is_learned_where_all_names_are_known(grammar, questions):
    assert not learned(grammar, *questions)


def test_the_grammar_that_was_learn_names(grammar, taught_questions):
    sentences, meanings = taught_questions
    words, derivations = [one.split() for one in sentences], [grammar.parse(one) for one in meanings]
    more = learn_names(grammar, words, derivations)
    found = find_mentions(more, ["the", "Beehive", "State"], 0.0)
    assert [(one.production.value, one.start, one.end) for one in found] == [
        ("utah", 0, 3), ("utah", 1, 2), ("utah", 1, 3)
    ]  # fmt: skip
    assert not find_mentions(grammar, ["the", "Beehive", "State"], 0.0)
    assert learn_names(grammar, words[:10], derivations[:10]) is grammar


def test_words_that_only_look_like_names():
    """The abbreviation of a state, say, that is a preposition elsewhere."""
    odd = read_grammar(
        [
            "Query -> answer({Num})",
            "Num -> population({State})",
            "State -> stateid({Name})",
            "Name -> '{name}'",
            "names Name = texas | utah | new york | ohio",
            "also Name utah = in",
        ]
    )
    sentences = ["how many people live in ohio", "how many live in texas", "population in new york"]
    derivations = [odd.parse(f"answer(population(stateid('{name}')))") for name in ("ohio", "texas", "new york")]
    words = [one.split() for one in sentences]
    assert find_misleading_phrases(odd, words, derivations) == {("in",)}
    assert not find_misleading_phrases(odd, words[:1], derivations[:1])
    utah = odd.parse("answer(population(stateid('utah')))")
    assert not find_misleading_phrases(odd, words, [utah, utah, derivations[2]])
    assert not find_mentions(learn_names(odd, words, derivations), ["in"], 0.0)


def test_the_parser_learns_and_keeps_them(grammar, taught_questions, tmp_path):
    parser = SemanticParser(grammar, n_jobs=1).fit(*taught_questions)
    question = "how many people live in the Beehive State?"
    assert parser.predict([question]) == ["answer(population(stateid('utah')))"]
    assert parser.seen(question)[-3:] == ("<Name>",) * 3
    assert parser.grammar is grammar
    parser.save(tmp_path / "parser.rekern")
    assert load_model(tmp_path / "parser.rekern").predict([question]) == ["answer(population(stateid('utah')))"]
