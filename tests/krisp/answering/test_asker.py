"""Which reading of a question is taken, and when none is."""

import json
import math
import sqlite3
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rekern.core.model_archive import load_model
from rekern.errors import InputError, ModelFileError
from rekern.krisp import Readings, read_grammar
from rekern.krisp.answering.asker import Asker
from rekern.krisp.answering.asker_evaluation import evaluate_asker
from rekern.krisp.answering.asker_training import choose_confidence, train_asker
from rekern.krisp.answering.question_table import Questions
from rekern.krisp.answering.reading_scorer import AHEAD, RIVAL, subtract_rivals
from rekern.krisp.answering.sqlite_database import SQLiteDatabase

GRAMMAR = [
    "Query -> {Rivers}",
    "Query -> {Places}",
    "Rivers -> rivers({Place})      := SELECT river FROM runs WHERE place IN ({1})",
    "Places -> places({River})      := SELECT place FROM runs WHERE river IN ({1})",
    "Places -> places               := SELECT place FROM runs",
    "Place -> {PlaceName}           := SELECT {1} AS place",
    "River -> {RiverName}           := SELECT {1} AS river",
    "PlaceName -> '{name}'",
    "names PlaceName := SELECT DISTINCT place FROM runs",
    "RiverName -> '{name}'",
    "names RiverName := SELECT DISTINCT river FROM runs",
]
ASKED = {
    "rivers through Basel": "rivers('Basel')",
    "which rivers run through Linz?": "rivers('Linz')",
    "the rivers of Ulm": "rivers('Ulm')",
    "name the nice rivers of Linz": "rivers('Linz')",
    "places along the Rhine": "places('Rhine')",
    "which places lie along the Danube?": "places('Danube')",
    "the places on the Rhine": "places('Rhine')",
    "all places": "places",
    "list the places": "places",
}


def make_database():
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.executescript(
        """CREATE TABLE runs (river TEXT, place TEXT);
        INSERT INTO runs VALUES ('Rhine', 'Basel'), ('Danube', 'Linz'), ('Danube', 'Ulm'), ('Paillon', 'Nice')"""
    )
    return SQLiteDatabase("rivers", connection)


@pytest.fixture
def database():
    return make_database()


@pytest.fixture(scope="module")
def asker():
    return train_asker(Questions(list(ASKED), list(ASKED.values())), read_grammar(GRAMMAR), make_database())


def test_a_name_that_the_reading_leaves_out_is_noticed(asker):
    assert asker.ask("which rivers run through Basel?").result.rows == [("Rhine",)]
    left_out = asker.ask("does the Danube run through Basel?")
    assert left_out.reading is None
    assert "names left out: " in left_out.why


def test_a_word_that_is_also_a_name_need_not_be_one(asker):
    assert asker.scorer.list_unused("the nice rivers of Ulm", read_derivation(asker, "rivers('Ulm')")) == []
    assert asker.scorer.list_unused("the rivers of Basel", read_derivation(asker, "rivers('Ulm')")) == ["basel"]


def read_derivation(asker, meaning):
    return asker.parser.grammar_.parse(meaning)


@given(st.lists(st.integers(-200, 0).map(lambda number: number / 8), min_size=2))
def test_rivals_take_more_from_worse_readings(scores):
    found = subtract_rivals(scores)
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    assert order == sorted(order, key=lambda place: (-found[place], order.index(place)))
    first, second = order[:2]
    assert found[first] == scores[first] - RIVAL * max(0.0, AHEAD - (scores[first] - scores[second]))
    assert all(found[place] <= scores[place] - RIVAL * AHEAD for place in order[1:])


def test_a_search_that_is_cut_is_said(asker, monkeypatch):
    def cut(question, n):
        found = Readings()
        found.cut = True
        return found

    monkeypatch.setattr(asker.parser, "parse", cut)
    assert asker.ask("rivers of Ulm").why == "the search was given up: ask less"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (" ?! ", "the question is empty: ask something"),
        ("river " * 101, "the question has 101 words: ask in at most 100"),
        ("rivers of \udcff", "the question is not all text"),
        ("rivers of \0", "the question has a NUL character"),
    ],
)
def test_what_is_no_question(asker, question, said):
    with pytest.raises(InputError, match=said):
        asker.ask(question)


@pytest.mark.parametrize(
    ("question", "meaning", "said"),
    [
        ("?", "places", "place 2: the question is empty"),
        ("rivers " * 101, "places", "place 2: the question has 101 words"),
        ("rivers of Bonn", "rivers('Bonn')", r"place 2: the grammar cannot derive .* 'Bonn' \(character 9\)"),
    ],
)
def test_bad_rows_are_named(database, question, meaning, said):
    questions = Questions(["all places", question], ["places", meaning], ["place 1", "place 2"])
    with pytest.raises(InputError, match=said):
        train_asker(questions, read_grammar(GRAMMAR), database)


def test_a_query_that_takes_too_long_names_its_question(database):
    forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0"
    grammar = read_grammar([*GRAMMAR, f"Places -> ever := {forever}"])
    database.seconds = 0.2
    asker = train_asker(Questions(list(ASKED), list(ASKED.values())), grammar, database)
    with pytest.raises(InputError, match=r"question 2: its meaning has no answer: rivers: the query was stopped"):
        evaluate_asker(asker, Questions(["all places", "for ever"], ["places", "ever"]))


def test_several_derivations_are_mentioned_once(database):
    lines = ["Query -> {A}", "Query -> {B}", "A -> all := SELECT 1", "B -> all := SELECT 2"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        train_asker(Questions(["all of it"], ["all"]), read_grammar(lines), database)
    assert len([warning for warning in caught if "several derivations" in str(warning.message)]) == 1


@pytest.mark.parametrize("seed", range(5))
def test_the_confidence_fits_scores_with_a_long_tail(seed):
    random = np.random.default_rng(seed)
    values = -(random.exponential(1.0, 2000) ** 2) * 3
    chances = 1 / (1 + np.exp(-(0.7 * values + 4)))
    chosen = choose_confidence(values, random.random(2000) < chances)
    assert abs(chosen.slope - 0.7) < 0.15 and abs(chosen.shift - 4) < 0.8


@pytest.mark.parametrize("truth", [[True] * 3, [False] * 3])
def test_the_confidence_of_readings_that_are_all_alike(truth):
    chosen = choose_confidence([-1.0, -2.0, -3.0], truth)
    assert chosen.slope > 0 and math.isfinite(chosen.shift)


def damaged(path, member, change):
    """A copy of a model file with another content of one member."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    content = json.loads(members[member])
    change(content)
    members[member] = json.dumps(content).encode()
    other = path.with_name("damaged.rekern")
    with zipfile.ZipFile(other, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return other


@pytest.mark.parametrize(
    ("member", "change"),
    [
        ("model.json", lambda c: c["notes"].update(questions=[1, 2])),
        ("model.json", lambda c: c["notes"].update(meanings=0.5)),
        ("model.json", lambda c: c["notes"]["meanings"].pop()),
        ("model.json", lambda c: c["notes"].update(slope="steep")),
        ("model.json", lambda c: c["notes"].update(confidence=float("nan"))),
        ("model.json", lambda c: c.update(notes=[])),
        ("model.json", lambda c: c["parameters"].update(stretch="a" * 10_000)),
        ("model.json", lambda c: c["parameters"].update(stems="yes")),
        ("model.json", lambda c: c["kernel"].update(type="a" * 10_000)),
        ("grammar.json", lambda c: c.update(start="Nothing")),
        ("grammar.json", lambda c: c["productions"][0].update(left="Nobody")),
        ("grammar.json", lambda c: c["productions"][0].update(parts=["", ""], slots=["Query"])),
        ("grammar.json", lambda c: c["productions"][2].update(sql="DELETE FROM runs")),
        ("grammar.json", lambda c: c["name_queries"].update(PlaceName="DROP TABLE runs")),
        ("grammar.json", lambda c: c["name_queries"].update(Query="SELECT 1")),
        ("grammar.json", lambda c: c["name_templates"]["PlaceName"].update(left="RiverName")),
        ("substrings.json", lambda c: c[0].__setitem__(0, 10**30)),
        ("sentences.json", lambda c: c.clear()),
    ],
)
def test_damaged_models_are_refused_in_one_line(asker, database, tmp_path, member, change):
    asker.parser.save(tmp_path / "rivers.rekern")
    with pytest.raises((InputError, ModelFileError)) as caught:
        Asker(load_model(damaged(tmp_path / "rivers.rekern", member, change)), database)
    assert len(str(caught.value)) < 400 and "\n" not in str(caught.value)
    assert database.run(Asker(load_model(tmp_path / "rivers.rekern"), database).ask("all places").query).rows
