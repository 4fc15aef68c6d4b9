"""Meanings become SQL whose values are bound parameters only."""

import sqlite3

import pytest

from rekern.errors import InputError
from rekern.krisp import read_grammar
from rekern.krisp.answering.sql_compiler import DEEPEST, check_templates, compile_sql, get_template, list_examples
from rekern.krisp.answering.sqlite_database import SQLiteDatabase

LINES = [
    "Query -> {Thing}",
    "Thing -> named({Name})            := SELECT name FROM thing WHERE name = {1}",
    "Thing -> next({Thing})            := SELECT b AS name FROM beside WHERE a IN ({1})",
    "Thing -> twice({Thing})           := SELECT name FROM thing WHERE name IN ({1}) AND name IN ({1})",
    "Thing -> both({Thing}, {Thing})   := SELECT name FROM thing WHERE name IN ({1}) AND name IN ({2})",
    "Thing -> above({Figure})          := SELECT name FROM thing WHERE size > {1}",
    "Thing -> things                   := SELECT name FROM thing",
    "Name -> '{name}'",
    "Figure -> {number}",
]


def grammar_with(*names):
    return read_grammar([*LINES, "names Name = a | b"]).with_names({"Name": names})


@pytest.fixture
def database():
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        """CREATE TABLE thing (name TEXT, size REAL); CREATE TABLE beside (a TEXT, b TEXT);
        INSERT INTO thing VALUES ('a', 1), ('b', 2), ('x''); DROP TABLE thing; --', 3);
        INSERT INTO beside VALUES ('a', 'b'), ('b', 'a')"""
    )
    return SQLiteDatabase("things", connection)


def answer(database, grammar, meaning):
    return [row[0] for row in database.run(compile_sql(grammar.parse(meaning))).rows]


def test_compositions(database):
    grammar = grammar_with()
    assert answer(database, grammar, "next(named('a'))") == ["b"]
    assert answer(database, grammar, "both(next(named('a')), above(1.5))") == ["b"]
    assert answer(database, grammar, "twice(next(next(named('a'))))") == ["a"]


def test_numbers_keep_their_kind():
    grammar = grammar_with()
    assert compile_sql(grammar.parse("above(10)")).parameters == {"v1": 10}
    assert compile_sql(grammar.parse("above(1.5)")).parameters == {"v1": 1.5}


@pytest.mark.parametrize("number", ["9" * 18, "9" * 19, "9" * 5000, "-" + "9" * 30])
def test_huge_numbers_can_be_asked_for(database, number):
    assert len(answer(database, grammar_with(), f"above({number})")) == (3 if number[0] == "-" else 0)


@pytest.mark.parametrize(
    "name", ["x'); DROP TABLE thing; --", "o'neill", 'say "it"', "50%_", "{1}", ":v1", "?", "a\\b", "naïve ☃"]
)
def test_names_with_metacharacters_are_values(database, name):
    grammar = grammar_with(name)
    query = compile_sql(grammar.with_names({}).parse(f"next(named('{name}'))"))
    assert query.sql == "SELECT b AS name FROM beside WHERE a IN (SELECT name FROM thing WHERE name = :v1)"
    assert query.parameters == {"v1": name}
    database.run(query)
    assert answer(database, grammar, "things") == ["a", "b", "x'); DROP TABLE thing; --"]


def test_a_name_with_metacharacters_is_found(database):
    grammar = grammar_with("x'); DROP TABLE thing; --")
    assert len(answer(database, grammar, "named('x'); DROP TABLE thing; --')")) == 1


@pytest.mark.parametrize("depth", [1, DEEPEST, DEEPEST + 1, 40])
def test_depth_does_not_matter(database, depth):
    meaning = "next(" * depth + "named('a')" + ")" * depth
    assert answer(database, grammar_with(), meaning) == ["b" if depth % 2 else "a"]


def test_what_is_used_twice_is_computed_once(database):
    def meaning(depth):
        return "twice(" * depth + "named('a')" + ")" * depth

    assert len(compile_sql(grammar_with().parse(meaning(30))).sql) < 10_000
    assert answer(database, grammar_with(), meaning(8)) == ["a"]


def test_own_with_clause(database):
    lines = [
        "Q -> deep({X}) := WITH mine AS (SELECT name FROM thing)",
        " SELECT name FROM mine WHERE name IN ({1}) OR name IN ({1})",
        "X -> {N} := SELECT {1} AS name",
        "N -> '{name}'",
        "names N = a",
    ]
    assert answer(database, read_grammar(lines), "deep('a')") == ["a"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("Query -> things := SELECT {1}", "Query -> things: its SQL has {1}, but there are no slots"),
        ("Query -> things := SELECT 1; DROP TABLE thing", "Query -> things: its SQL must be one statement"),
        ("Query -> things", "Query -> things has no SQL: write := SELECT ... behind it"),
        ("Query -> things := SELECT :v1", "Query -> things: its SQL has a parameter of its own"),
        ("Query -> things := SELECT $x", "Query -> things: its SQL has a parameter of its own"),
        ("Query -> things := SELECT 1 -- one", "Query -> things: its SQL has a comment"),
        ("Query -> n{number} := SELECT '{1}'", "Query -> n{number}: {1} stands in quotes; write it outside"),
    ],
)
def test_bad_templates(line, complaint):
    with pytest.raises(InputError) as caught:
        check_templates(read_grammar([line]))
    assert str(caught.value).startswith(complaint)


@pytest.mark.parametrize(
    ("sql", "complaint"),
    [
        ("DELETE FROM thing", "names N: its SQL must begin with SELECT or WITH"),
        ("SELECT name FROM thing; DROP TABLE thing", "names N: its SQL must be one statement"),
        ("SELECT {1}", "names N: its SQL has a slot"),
    ],
)
def test_bad_queries_for_names(sql, complaint):
    with pytest.raises(InputError) as caught:
        check_templates(read_grammar(["Query -> {N}", "N -> '{name}'", f"names N := {sql}"]))
    assert str(caught.value).startswith(complaint)


def test_semicolons_in_strings_are_fine():
    check_templates(read_grammar(["Query -> things := SELECT ';' AS name"]))


def test_only_queries_are_compiled():
    with pytest.raises(InputError, match="must begin with SELECT or WITH"):
        compile_sql(read_grammar(["Query -> things := DELETE FROM thing"]).parse("things"))
    with pytest.raises(InputError, match=r"^T -> things: its SQL must begin"):
        compile_sql(read_grammar(["Query -> {T}", "T -> things := DELETE FROM thing"]).parse("things"))


def test_examples_cover_every_template():
    grammar = grammar_with("c", "d")
    used = {
        get_template(production) for _, derivation in list_examples(grammar) for production in derivation.productions()
    }
    assert used == {get_template(production) for production in grammar.productions}


def test_slots_stay_apart():
    lines = ["Query -> q({N}) := SELECT 1{1}2", "N -> minus({N}) := -{1}", "N -> {number}"]
    query = compile_sql(read_grammar(lines).parse("q(minus(minus(5)))"))
    assert query.sql == "SELECT 1 - - :v1 2" and query.parameters == {"v1": 5}  # no comment, and not :v12
