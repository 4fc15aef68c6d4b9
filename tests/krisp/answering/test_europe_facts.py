"""The embedded domain: its facts agree with each other, and every question's meaning has an answer."""

import warnings
from itertools import groupby

import pytest

from rekern.krisp.answering.europe_facts import europe_database, europe_grammar, europe_questions
from rekern.krisp.answering.sql_compiler import Query, compile_sql
from rekern.krisp.mentions import replace_names
from rekern.krisp.question_words import split_question


@pytest.fixture(scope="module")
def rows():
    database = europe_database()
    return lambda sql: database.run(Query(sql, {})).rows


@pytest.mark.parametrize("part", ["train", "heldout"])
def test_meanings_parse_and_have_answers(part):
    database, grammar = europe_database(), europe_grammar()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no meaning may have two derivations
        for question, meaning in zip(*europe_questions(part), strict=True):
            derivation = grammar.parse(meaning)
            assert derivation.meaning() == meaning
            assert database.run(compile_sql(derivation)).rows, question


def test_enough_questions_and_none_twice():
    train, heldout = europe_questions("train")[0], europe_questions("heldout")[0]
    assert len(train) >= 250
    assert len(heldout) >= 80
    asked = [question.lower().rstrip("?. ") for question in [*train, *heldout]]
    assert len(asked) == len(set(asked))


def test_every_rule_is_trained():
    grammar = europe_grammar()
    used = {str(p) for meaning in europe_questions("train")[1] for p in grammar.parse(meaning).productions()}
    assert {str(p) for p in grammar.productions if p.kind == "rule"} <= used


def test_facts_agree(rows):
    countries = {name for (name,) in rows("SELECT name FROM country")}
    assert len(countries) == 47
    assert not rows("SELECT country, neighbour FROM border EXCEPT SELECT neighbour, country FROM border")
    for table in ("border", "coast", "speaks", "city", "river_country", "mountain_country", "lake_country"):
        assert {name for (name,) in rows(f"SELECT DISTINCT country FROM {table}")} <= countries
    cityless = {name for (name,) in rows("SELECT name FROM country WHERE capital NOT IN (SELECT name FROM city)")}
    assert cityless == {"Monaco", "San Marino", "Vatican City"}  # cities that are states
    assert not rows("SELECT 1 FROM country c JOIN city i ON i.name = c.capital AND i.country <> c.name")
    assert not rows("SELECT 1 FROM country WHERE name NOT IN (SELECT country FROM speaks)")
    for table in ("river", "mountain", "lake"):
        assert not rows(f"SELECT 1 FROM {table} WHERE name NOT IN (SELECT {table} FROM {table}_country)")
    assert rows("SELECT COUNT(*) FROM country WHERE eu = 1") == [(27,)]
    assert not rows(
        "SELECT 1 FROM city JOIN country ON country.name = city.country WHERE city.population > country.population"
    )


def test_known_answers(rows):
    database, grammar = europe_database(), europe_grammar()

    def answer(meaning):
        return {row[0] for row in database.run(compile_sql(grammar.parse(meaning))).rows}

    assert answer("both(neighbours('France'), neighbours('Italy'))") == {"Switzerland"}
    assert answer("most_countries(rivers)") == {"Danube"}
    assert answer("largest(countries)") == {"Russia"}
    assert answer("count(longer(2000))") == {4}
    assert answer("capital(densest(eu(countries)))") == {"Valletta"}
    assert answer("home('Zugspitze')") == {"Austria", "Germany"}


def test_held_out_phrasings_are_new():
    """With names replaced by what they name, no held-out question is a question for training."""

    def phrasing(question):
        return tuple(word for word, _ in groupby(replace_names(europe_grammar(), split_question(question))))

    trained = {phrasing(question) for question in europe_questions("train")[0]}
    assert not [question for question in europe_questions("heldout")[0] if phrasing(question) in trained]
