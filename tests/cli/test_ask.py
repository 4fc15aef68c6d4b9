"""``rekern ask`` on a small domain of the user's own, and on bad input."""

import json
import sqlite3

import pytest
from typer.testing import CliRunner

from cli.running import error_of, invoke, json_of
from rekern.cli.commands import app

GRAMMAR = """
start Query
Query -> {Books}
Query -> {Writer}
Query -> {Number}
Books -> books            := SELECT title FROM book
Books -> by({Person})     := SELECT title FROM book WHERE author IN ({1})
Writer -> writer({Book})  := SELECT author AS name FROM book WHERE title IN ({1})
Person -> {Name}          := SELECT DISTINCT author AS name FROM book WHERE author = {1}
Book -> {Title}           := SELECT title FROM book WHERE title = {1}
Number -> price({Book})   := SELECT price FROM book WHERE title IN ({1})
Number -> count({Books})  := SELECT COUNT(*) AS number FROM ({1}) AS s
Title -> '{name}'
names Title := SELECT title FROM book
Name -> '{name}'
names Name := SELECT DISTINCT author FROM book
"""
QUESTIONS = """question	meaning
which books did jane austen write?	by('Jane Austen')
what books are by leo tolstoy?	by('Leo Tolstoy')
which books are written by mary shelley?	by('Mary Shelley')
what has leo tolstoy written?	by('Leo Tolstoy')
list the books of jane austen	by('Jane Austen')
which books did mary shelley write?	by('Mary Shelley')
list all books	books
which books are there?	books
what books do you have?	books
show me all the books	books
who wrote emma?	writer('Emma')
who is the author of persuasion?	writer('Persuasion')
who is the writer of frankenstein?	writer('Frankenstein')
who wrote war and peace?	writer('War and Peace')
how much is emma?	price('Emma')
how much does frankenstein cost?	price('Frankenstein')
what is the price of persuasion?	price('Persuasion')
what does war and peace cost?	price('War and Peace')
how many books did jane austen write?	count(by('Jane Austen'))
how many books are by mary shelley?	count(by('Mary Shelley'))
how many books are there?	count(books)
how many books do you have?	count(books)
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A folder with a database, a grammar, questions and a trained model."""
    folder = tmp_path_factory.mktemp("shop")
    with sqlite3.connect(folder / "shop.db") as connection:
        connection.execute("CREATE TABLE book (title TEXT, author TEXT, price REAL)")
        books = [
            ("Emma", "Jane Austen", 8.5),
            ("Persuasion", "Jane Austen", 7.9),
            ("Frankenstein", "Mary Shelley", 6.5),
            ("War and Peace", "Leo Tolstoy", 16.5),
            ("x'); DROP TABLE book; --", "Robert'); DELETE FROM book; --", 1.0),
        ]
        connection.executemany("INSERT INTO book VALUES (?, ?, ?)", books)
    connection.close()
    (folder / "grammar.txt").write_text(GRAMMAR, encoding="utf-8")
    (folder / "questions.tsv").write_text(QUESTIONS, encoding="utf-8")
    training = ["--train", folder / "questions.tsv", "--grammar", folder / "grammar.txt", "--db", folder / "shop.db"]
    invoke("ask", *training, "--model", folder / "shop.rekern")
    return folder


@pytest.fixture
def asked(shop):
    return ["--model", shop / "shop.rekern", "--db", shop / "shop.db"]


def test_an_answer_shows_how_it_came_about(asked):
    shown = invoke("ask", "who wrote emma?", *asked).stdout
    assert shown.splitlines()[0] == "Jane Austen"
    for part in (
        "query       writer('Emma')",
        "SQL         SELECT",
        "v1 = 'Emma'",
        "confidence  0.",
        "reading",
        "who wrote",
    ):
        assert part in shown


def test_json(asked):
    found = json_of("ask", "how many books did mary shelley write?", *asked)
    assert found["confident"] is True
    assert found["answer"] == [1]
    assert found["query"] == "count(by('Mary Shelley'))"
    assert found["parameters"] == {"v1": "Mary Shelley"}
    assert 0 < found["confidence"] <= 1
    assert found["derivation"][0]["words"] == "how many books did mary shelley write"


def test_no_confident_reading(asked):
    result = invoke("ask", "why is the sky so blue over my grandmother's old house?", *asked, code=3)
    assert result.stdout.startswith("no confident reading")
    assert "SQL" not in result.stdout
    assert "to teach it, add this question and its meaning to the questions, and train again" in result.stderr
    found = json_of("ask", "why is the sky so blue over my grandmother's old house?", *asked, code=3)
    assert found["confident"] is False
    assert "answer" not in found


def test_lines_from_a_pipe(asked):
    found = invoke("ask", *asked, input="who wrote emma?\n\nwho wrote war and peace?\n").stdout
    assert "Jane Austen" in found
    assert "Leo Tolstoy" in found


def test_json_lines_from_a_pipe(asked):
    questions = "who wrote emma?\n\nwhat is the weather?\n" + "why " * 2000 + "\nhow much is emma?\n"
    lines = invoke("ask", *asked, "--json", code=3, input=questions).stdout.splitlines()
    found = [json.loads(line) for line in lines]
    assert [answer["confident"] for answer in found] == [True, False, False, True]
    assert found[0]["answer"] == ["Jane Austen"] and found[3]["answer"] == [8.5]
    assert found[1]["question"] == "what is the weather?" and "weather" in found[1]["why"]
    assert len(invoke("ask", *asked, "--json", input="who wrote emma?\n").stdout.splitlines()) == 1


def test_names_without_their_accents(shop, asked, tmp_path):
    copy = tmp_path / "later.db"
    copy.write_bytes((shop / "shop.db").read_bytes())
    with sqlite3.connect(copy) as connection:
        connection.execute("INSERT INTO book VALUES ('Les Misérables', 'Victor Hugo', 14)")
    connection.close()
    for title in ("les miserables", "Les Misérables"):
        found = json_of("ask", f"who wrote {title}?", "--model", shop / "shop.rekern", "--db", copy)
        assert found.get("answer") == ["Victor Hugo"]


def test_evaluation(shop, asked):
    report = json_of("ask", "--evaluate", "--test", shop / "questions.tsv", *asked)
    assert report["questions"] == 22
    assert report["right"] + report["wrong"] + report["unanswered"] == 22
    assert report["wrong"] == 0
    shown = invoke("ask", "--evaluate", "--test", shop / "questions.tsv", *asked).stdout
    assert "22 questions:" in shown


def test_names_with_metacharacters_are_only_values(shop, asked):
    for question in (
        "who wrote x'); DROP TABLE book; --?",
        "which books did Robert'); DELETE FROM book; -- write?",
        "which books did jane austen'; DROP TABLE book; -- write?",
        'who wrote " OR 1 = 1 --',
    ):
        result = CliRunner().invoke(app, ["ask", question, *map(str, asked), "--json"])
        found = json.loads(result.stdout)
        assert result.exit_code == (0 if found["confident"] else 3)
        assert "DROP" not in found.get("sql", "") and "DELETE" not in found.get("sql", "")
    with sqlite3.connect(shop / "shop.db") as connection:
        assert connection.execute("SELECT COUNT(*) FROM book").fetchone() == (5,)
    connection.close()


def test_new_names_of_the_database_are_known(shop, asked, tmp_path):
    copy = tmp_path / "later.db"
    copy.write_bytes((shop / "shop.db").read_bytes())
    with sqlite3.connect(copy) as connection:
        connection.execute("INSERT INTO book VALUES ('Villette', 'Charlotte Bronte', 9)")
    connection.close()
    found = json_of("ask", "who wrote villette?", "--model", shop / "shop.rekern", "--db", copy)
    assert found.get("answer") == ["Charlotte Bronte"]


@pytest.mark.parametrize("question", ["", "   ", "?", "\t\n"])
def test_an_empty_question(asked, question):
    assert error_of("ask", question, *asked) == "the question is empty: ask something"


def test_a_long_question(asked):
    assert error_of("ask", "which books " * 100, *asked) == "the question has 200 words: ask in at most 100"


def test_a_meaning_that_the_grammar_cannot_derive(shop, tmp_path):
    bad = tmp_path / "bad.tsv"
    bad.write_text(QUESTIONS + "who sold emma?\tseller('Emma')\n", encoding="utf-8")
    said = error_of("ask", "--train", bad, "--grammar", shop / "grammar.txt", "--db", shop / "shop.db")
    assert "bad.tsv, line 24" in said
    assert "cannot derive seller('Emma')" in said


def test_a_database_without_a_table(shop, asked, tmp_path):
    empty = tmp_path / "empty.db"
    sqlite3.connect(empty).close()
    said = error_of("ask", "who wrote emma?", "--model", shop / "shop.rekern", "--db", empty)
    assert "no such table: book" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--train", "q.tsv"], "--train also needs --grammar and --db"),
        (["--grammar", "g.txt"], "--grammar goes with --train: a model file contains its grammar"),
        (["--model", "m.rekern"], "--model needs --db, the database to ask"),
        (["--db", "x.db"], "--db needs --model, or --train and --grammar"),
    ],
)
def test_options_that_do_not_fit(arguments, said):
    assert error_of("ask", "who?", *arguments) == said


def test_a_table_without_the_columns(shop, tmp_path):
    table = tmp_path / "pairs.tsv"
    table.write_text("source\ttarget\na\tb\n")
    said = error_of("ask", "--train", table, "--grammar", shop / "grammar.txt", "--db", shop / "shop.db")
    assert "question" in said


def test_an_empty_cell(shop, tmp_path):
    table = tmp_path / "empty.tsv"
    table.write_text("question\tmeaning\nwho wrote emma?\twriter('Emma')\n\tbooks\n")
    said = error_of("ask", "--train", table, "--grammar", shop / "grammar.txt", "--db", shop / "shop.db")
    assert "line 3" in said


def test_the_json_of_several_questions_is_one_object_each(asked):
    shown = invoke("ask", "--json", *asked, input="who wrote emma?\nwho wrote persuasion?\n").stdout
    decoder, place, found = json.JSONDecoder(), 0, []
    while shown[place:].strip():
        value, end = decoder.raw_decode(shown[place:].lstrip())
        place += len(shown[place:]) - len(shown[place:].lstrip()) + end
        found.append(value["question"])
    assert found == ["who wrote emma?", "who wrote persuasion?"]
