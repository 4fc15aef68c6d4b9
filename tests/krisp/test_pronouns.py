"""Pronouns: productions that repeat another meaning of the same sentence."""

import pytest

from rekern import SemanticParser, load_model
from rekern.errors import InputError
from rekern.krisp import read_grammar
from rekern.krisp.mentions import find_mentions
from rekern.krisp.pronouns import mark_pronouns

LINES = [
    "Rule -> if({Condition}, {Action})",
    "Condition -> has({Player})",
    "Action -> shoot({Player})",
    "Action -> pass({Player}, {Player})",
    "Player -> player({Shirt})",
    "Player -> {again}",
    "Shirt -> {number}",
]
GRAMMAR = read_grammar(LINES)
SENTENCES, MEANINGS = [], []
for number in (3, 5, 7):
    has = f"if(has(player({number})), "
    SENTENCES.append(f"if player {number} has the ball then it should shoot")
    MEANINGS.append(f"{has}shoot(player({number})))")
    SENTENCES.append(f"if player {number} has the ball then player 2 should shoot")
    MEANINGS.append(f"{has}shoot(player(2)))")
    SENTENCES.append(f"if player {number} has the ball then it should pass to player 4")
    MEANINGS.append(f"{has}pass(player({number}), player(4)))")


@pytest.fixture(scope="module")
def parser():
    return SemanticParser(GRAMMAR, n_jobs=1).fit(SENTENCES, MEANINGS)


def test_a_pronoun_repeats_the_player_before_it(parser):
    sentences = [
        "if player 9 has the ball then it should shoot",
        "if player 9 has the ball then it should pass to player 6",
    ]
    assert parser.predict(sentences) == [
        "if(has(player(9)), shoot(player(9)))",
        "if(has(player(9)), pass(player(9), player(6)))",
    ]


def test_a_reading_has_no_pronoun_in_its_derivation(parser):
    reading = parser.parse("if player 9 has the ball then it should shoot")[0]
    assert all(production.kind != "again" for production in reading.derivation.productions())
    assert GRAMMAR.parse(reading.meaning).meaning() == reading.meaning


def test_a_pronoun_that_refers_to_nothing_gives_no_reading(parser):
    assert not parser.parse("if it has the ball then it should shoot")


def test_a_pronoun_may_come_first():
    sentences = [f"{verb} with it if player {n} is free" for n in (1, 2, 3) for verb in ("shoot", "pass")]
    grammar = read_grammar(
        ["Rule -> {Action} {Player}", "Action -> shoot({Player})", "Action -> pass({Player})", *LINES[4:]]
    )
    meanings = [f"{verb}(player({n})) player({n})" for n in (1, 2, 3) for verb in ("shoot", "pass")]
    productions = [
        [
            "Rule -> {Action} {Player}",
            f"Action -> {verb}({{Player}})",
            "Player -> {again}",
            "Player -> player({Shirt})",
            f"Shirt -> {n}",
        ]
        for n in (1, 2, 3)
        for verb in ("shoot", "pass")
    ]
    found = SemanticParser(grammar, n_jobs=1).fit(sentences, meanings, productions=productions)
    assert found.predict(["pass with it if player 8 is free"]) == ["pass(player(8)) player(8)"]


def test_a_file_keeps_pronouns(parser, tmp_path):
    parser.save(tmp_path / "parser.rekern")
    sentence = "if player 9 has the ball then it should shoot"
    assert load_model(tmp_path / "parser.rekern").predict([sentence]) == parser.predict([sentence])


def test_a_pronoun_alone_never_ends():
    with pytest.raises(InputError, match="never ends"):
        read_grammar(["Q -> f({P})", "P -> {again}"])


@pytest.mark.parametrize(
    ("words", "marked"), [("player 5 has it so player 5 shoots", False), ("player 5 has it", True)]
)
def test_a_meaning_that_is_said_as_often_as_it_is_there_is_no_pronoun(words, marked):
    mentions = find_mentions(GRAMMAR, words.split(), 0.0)
    derivation = mark_pronouns(GRAMMAR, GRAMMAR.parse("if(has(player(5)), shoot(player(5)))"), mentions)
    assert ("again" in [production.kind for production in derivation.productions()]) == marked
