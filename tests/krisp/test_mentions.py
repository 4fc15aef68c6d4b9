"""Numbers and identifiers: what a sentence says of them, and what it leaves unsaid."""

import json
import zipfile

import pytest

from rekern import SemanticParser, load_model
from rekern.errors import ModelFileError
from rekern.krisp import read_grammar
from rekern.krisp.mentions import find_mentions, replace_names

GRAMMAR = """
start Order
Order -> do {Player} {Action}
Order -> define {Zone} {Place}
Player -> player {Shirt}
Action -> pass {Place}
Action -> hold
Place -> zone {Zone}
Place -> wing_left
Place -> circle {Size}
Shirt -> {number}
Size -> {number}
Zone -> {identifier}
""".strip().splitlines()

ORDERS = {
    "player 4 should pass to R2": "do player 4 pass zone R2",
    "player 7 should pass to the left wing": "do player 7 pass wing_left",
    "player 3 should hold the ball": "do player 3 hold",
    "player 9 holds the ball": "do player 9 hold",
    "player 5 should pass the ball to homeZone": "do player 5 pass zone homeZone",
    "the goalie should hold the ball": "do player 1 hold",
    "the goalie should pass to R4": "do player 1 pass zone R4",
    "the goalie should pass to the left wing": "do player 1 pass wing_left",
    "let R2 be the left wing": "define R2 wing_left",
    "let R8 be a circle of radius 12": "define R8 circle 12",
    "let far_zone be a circle of radius 3": "define far_zone circle 3",
    "call R5 a circle of radius 7": "define R5 circle 7",
}


@pytest.fixture(scope="module")
def grammar():
    return read_grammar(GRAMMAR)


@pytest.fixture(scope="module")
def parser(grammar):
    return SemanticParser(grammar, n_jobs=1).fit(list(ORDERS), list(ORDERS.values()))


def test_numbers_and_identifiers_of_new_sentences(parser):
    assert parser.predict(["player 11 should pass to R77", "let mid_field be a circle of radius 2.5"]) == [
        "do player 11 pass zone R77",
        "define mid_field circle 2.5",
    ]


def test_a_number_that_no_sentence_says_is_learned(parser):
    assert parser.predict(["the goalie should pass to otherZone"]) == ["do player 1 pass zone otherZone"]
    best = parser.parse("the goalie should pass to otherZone")[0]
    assert "Shirt -> 1" in [node.label for node in best.nodes]
    shirt = next(p for p in best.derivation.productions() if p.left == "Shirt")
    assert shirt == parser.grammar.by_left["Shirt"][0]  # as if the sentence had said it


def test_what_the_kernels_see(grammar):
    words = ("Player", "4", "to", "R2", "or", "wing_left")
    assert replace_names(grammar, words) == ("player", "<Shirt|Size>", "to", "<Zone>", "or", "wing_left")
    assert [(m.left, m.text) for m in find_mentions(grammar, words, 0.0)] == [
        ("Shirt", "4"),
        ("Size", "4"),
        ("Zone", "R2"),
    ]


def test_learned_values_are_saved(parser, tmp_path):
    path = tmp_path / "orders.rekern"
    parser.save(path)
    sentences = ["the goalie should hold the ball", "player 2 should pass to R3"]
    assert load_model(path).predict(sentences) == parser.predict(sentences)


def test_a_file_with_a_value_of_a_rule_is_refused(parser, tmp_path):
    path, damaged = tmp_path / "orders.rekern", tmp_path / "damaged.rekern"
    parser.save(path)
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(damaged, "w") as copy:
        for name in archive.namelist():
            content = archive.read(name)
            if name == "model.json":
                header = json.loads(content)
                header["productions"] = [[0, "1"], *header["productions"][1:]]
                content = json.dumps(header).encode()
            copy.writestr(name, content)
    with pytest.raises(ModelFileError):
        load_model(damaged)


def test_names_are_found_without_their_accents():
    grammar = read_grammar(
        ["Query -> {Book}", "Book -> '{name}'", "names Book = Les Misérables | Résumé | Resume | Łódź"]
    )

    def find(text):
        return [mention.production.value for mention in find_mentions(grammar, text.split(), 0.0)]

    assert find("who wrote les miserables") == ["Les Misérables"]
    assert find("who wrote Les Misérables") == ["Les Misérables"]
    assert find("Lodz") == ["Łódź"]
    assert find("resume") == ["Resume"] and find("Résumé") == ["Résumé"]
    assert sorted(find("resumé")) == ["Resume", "Résumé"]
    assert replace_names(grammar, ("lodz", "now")) == ("<Book>", "now")
