"""Questions to a PostgreSQL server of the tests' own, or to that of REKERN_POSTGRESQL.

That is the URL of a user who may create databases, for example ``postgresql+psycopg://ann:secret@localhost/postgres``.
A database of the tests' own is made on the server and dropped afterwards.
"""

import json
import os
import re
import sqlite3
import time
from contextlib import nullcontext
from importlib import resources
from pathlib import Path

import pytest

from cli.running import error_of, invoke
from database_servers import start_postgresql
from rekern.errors import InputError
from rekern.krisp import read_grammar
from rekern.krisp.answering.database_grammar import connect_grammar
from rekern.krisp.answering.europe_facts import SCHEMA, europe_database, europe_questions, fill_europe
from rekern.krisp.answering.isolated_database import open_database
from rekern.krisp.answering.sql_compiler import Query, compile_sql

NAME = "rekern_test"
HOWTO = Path(__file__).parents[3] / "docs/how-to/ask-your-database.md"
ODD = ["100% sure: %s %(v1)s", "a:b :v1 ::x \\: \\", 'O\'Brien "x"; DROP TABLE t; --', "naïve 日本", "{1} {{x}} $1"]
QUESTIONS = """who wrote emma?
list all books
how many books did jules verne write?
what is the cheapest book?
what is the oldest book by tolstoy?
which authors are from france?
where is victor hugo from?
how much is war and peace?
how much is the cheapest book by austen?
when was frankenstein published?
when was tolstoy born?
what books come from russia?
who is the writer of the oldest book?
how many books are by authors from england?
which writers come from the united states?
what is the price of les misérables?
what else did the author of emma write?
in which year was the writer of roughing it born?
what does michel strogoff cost?
which books did mark twain write?
"""

pytestmark = pytest.mark.slow
URL = []  # of the server, once it runs


def url(**changes):
    from sqlalchemy import make_url

    return make_url(URL[0]).set(**({"database": NAME} | changes)).render_as_string(hide_password=False)


@pytest.fixture(scope="module")
def server_url():
    given = os.environ.get("REKERN_POSTGRESQL", "")
    with nullcontext(given) if given else start_postgresql() as found:
        URL[:] = [found]
        yield found


@pytest.fixture(scope="module")
def engine(server_url):
    """An engine that may write, on a database with Europe, the shop of the how-to page and odd values."""
    from sqlalchemy import create_engine

    server = create_engine(server_url, isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {NAME} WITH (FORCE)")
        connection.exec_driver_sql(f"CREATE DATABASE {NAME} ENCODING 'UTF8' TEMPLATE template0")
    made = create_engine(url())
    shop = re.search(r'executescript\("""(.*?)"""', HOWTO.read_text(encoding="utf-8"), re.DOTALL)[1]
    facts = sqlite3.connect(":memory:")
    fill_europe(facts)
    with made.begin() as connection:
        for statement in [*SCHEMA.replace("REAL", "DOUBLE PRECISION").split(";"), *shop.split(";")]:
            if statement.strip():
                connection.exec_driver_sql(statement)
        for (table,) in facts.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            rows = facts.execute(f"SELECT * FROM {table}").fetchall()
            connection.exec_driver_sql(f"INSERT INTO {table} VALUES ({', '.join(['%s'] * len(rows[0]))})", rows)
        for statement in (
            "CREATE TABLE t (a INTEGER)",
            "INSERT INTO t VALUES (1), (2)",
            "CREATE SEQUENCE s",
            "CREATE TYPE mood AS ENUM ('glad', 'sad')",
            "CREATE TABLE odd (name TEXT, padded CHAR(9), mood mood, day DATE, id UUID, list INTEGER[], tree JSONB,"
            " price NUMERIC(9, 2), bytes BYTEA)",
            "CREATE FUNCTION dblink(TEXT) RETURNS TEXT LANGUAGE SQL AS 'SELECT $1'",  # as the extension has one
        ):
            connection.exec_driver_sql(statement)
        values = "'Rhine', 'glad', '2020-01-02', 'b0f487af-eca7-4814-b521-05ccea8dbc0b', '{1,2}', '{\"a\": 1}'"
        connection.exec_driver_sql(f"INSERT INTO odd VALUES (%s, {values}, 8.50, '\\x01')", [(name,) for name in ODD])
    facts.close()
    yield made
    made.dispose()
    with server.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE {NAME} WITH (FORCE)")
    server.dispose()


@pytest.fixture
def database(engine):
    opened = open_database(url(), seconds=1)
    yield opened
    opened.close()


def state(engine):
    """What queries must not change."""
    with engine.connect() as connection:
        return connection.exec_driver_sql(
            "SELECT (SELECT COUNT(*) FROM t), (SELECT is_called FROM s),"
            " (SELECT COUNT(*) FROM pg_largeobject_metadata),"
            " (SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'),"
            " (SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory')"
        ).fetchall()


def test_europe_is_answered_as_by_sqlite(engine):
    lines = resources.files("rekern.krisp.answering").joinpath("data/europe/grammar.txt").read_text(encoding="utf-8")
    databases = europe_database(), open_database(url())
    first, second = (connect_grammar(read_grammar(lines.splitlines()), database) for database in databases)
    assert {p.value for p in first.productions} == {p.value for p in second.productions}
    meanings = europe_questions("train")[1]
    assert len(meanings) == 803
    for meaning in dict.fromkeys(meanings):
        query = compile_sql(second.parse(meaning))
        here, there = databases[0].run(query), databases[1].run(query)
        assert here.columns == there.columns
        assert sorted(here.rows) == sorted(there.rows), meaning
    for database in databases:
        database.close()


def test_the_page_on_your_own_database(engine, tmp_path):
    page = HOWTO.read_text(encoding="utf-8")
    script, grammar, questions = re.findall(r"```(?:python|text)\n(.*?)```", page, re.DOTALL)[:3]
    (tmp_path / "grammar.txt").write_text(grammar, encoding="utf-8")
    (tmp_path / "questions.tsv").write_text(questions, encoding="utf-8")
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.executescript(re.search(r'executescript\("""(.*?)"""', script, re.DOTALL)[1])
    connection.close()
    files = ["--train", tmp_path / "questions.tsv", "--grammar", tmp_path / "grammar.txt"]
    invoke("ask", *files, "--db", url(), "--model", tmp_path / "shop.rekern", "--jobs", 1)
    answers = []
    for db in (url(), tmp_path / "shop.db"):
        # 3: one of the questions has no confident reading
        lines = invoke("ask", "--model", tmp_path / "shop.rekern", "--db", db, "--json", code=3, input=QUESTIONS).stdout
        found = [json.loads(line) for line in lines.splitlines()]
        found = [(line["question"], line.get("query"), sorted(line.get("answer", []), key=str)) for line in found]
        answers.append(found)
    assert answers[0] == answers[1]
    assert len(answers[0]) == 20
    assert sum(query is not None for _, query, _ in answers[0]) >= 18


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM t",
        "WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x",
        "WITH x AS (INSERT INTO t VALUES (3) RETURNING a) SELECT a FROM x",
        "SELECT a INTO u FROM t",
        "SELECT a FROM t FOR UPDATE",
        "SELECT nextval('s')",
        "SELECT setval('s', 99)",
        "SELECT lo_create(4711)",
        "SELECT lo_export(1, '/nowhere/file')",
        "SELECT set_config('transaction_read_only', 'off', false)",
        "SELECT pg_advisory_lock(1)",
        'SELECT pg_catalog . "pg_advisory_lock" (1)',
        'SELECT U&"pg_advisory\\005flock"(1)',
        "SELECT E'\\'' || pg_advisory_lock/**/(1) || ''",
        "SELECT pg_reload_conf()",
        "SELECT pg_read_file('PG_VERSION')",
        "SELECT query_to_xml('DELETE FROM t RETURNING a', true, true, '')",
        "SELECT dblink('DELETE FROM t')",
        "COPY t TO PROGRAM 'true'",
        "SELECT 1; DELETE FROM t",
    ],
)
def test_nothing_is_changed(engine, database, sql):
    before = state(engine)
    for action in (database.run, database.prepare):
        with pytest.raises(InputError) as caught:
            action(Query(sql, {}))
        assert "\n" not in str(caught.value)
    assert state(engine) == before
    with pytest.raises(InputError, match=r"Query -> bad: its SQL|names X: its SQL"):
        connect_grammar(read_grammar([f"Query -> bad := {sql}"]), database)


def test_a_connection_that_commits_by_itself_is_refused(engine):
    if engine.dialect.driver != "psycopg":
        pytest.skip("autocommit is an option of psycopg")
    opened = open_database(url() + "?autocommit=true")
    with pytest.raises(InputError):
        opened.run(Query("SELECT a FROM t", {}))
    opened.close()


@pytest.mark.parametrize(
    "sql", ["SELECT pg_sleep(60)", "SELECT COUNT(*) FROM city a, city b, city c, city d, city e, city f"]
)
def test_long_queries_are_stopped(engine, database, sql):
    database.prepare(Query(sql, {}))  # which runs nothing
    started = time.monotonic()
    with pytest.raises(InputError, match="the query was stopped after 1 seconds"):
        database.run(Query(sql, {}))
    assert time.monotonic() - started < 20
    with engine.connect() as connection:
        busy = "SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%%rekern%%'"
        assert connection.exec_driver_sql(f"{busy} AND pid <> pg_backend_pid()").scalar() == 0


def test_rows_without_end_are_cut(database):
    found = database.run(Query("SELECT a.name FROM city a, city b, city c, city d, city e, city f", {}), 100)
    assert len(found.rows) == 100
    assert found.cut


def test_a_connection_that_was_lost_is_made_anew(engine, database):
    query = Query("SELECT COUNT(*) FROM t", {})
    assert database.run(query).rows == [(2,)]
    with engine.connect() as connection:
        others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        connection.exec_driver_sql(f"SELECT pg_terminate_backend(pid) {others}")
    assert database.run(query).rows == [(2,)]


def test_names_are_only_values(database):
    lines = ["Query -> about({X}) := SELECT name FROM odd WHERE name = {1} AND name <> ':v1 %s'", "X -> '{name}'"]
    grammar = connect_grammar(read_grammar([*lines, "names X := SELECT name FROM odd"]), database)
    assert {production.value for production in grammar.productions} - {None} == set(ODD)
    for name in ODD:
        assert database.run(compile_sql(grammar.parse(f"about('{name}')"))).rows == [(name,)]


@pytest.mark.parametrize("column", ["padded", "mood", "day", "id", "price"])
def test_names_of_other_types(database, column):
    lines = [f"Query -> about({{X}}) := SELECT DISTINCT {column} FROM odd WHERE {column} = {{1}}", "X -> '{name}'"]
    grammar = connect_grammar(read_grammar([*lines, f"names X := SELECT DISTINCT {column} FROM odd"]), database)
    (value,) = [production.value for production in grammar.productions if production.value]
    assert len(database.run(compile_sql(grammar.parse(f"about('{value}')"))).rows) == 1


def test_values_and_signs(engine, database):
    (row,) = database.run(Query("SELECT price, list, tree, day, bytes FROM odd LIMIT 1", {})).rows
    assert row == (8.5, "[1, 2]", '{"a": 1}', "2020-01-02", b"\x01")
    remainder = "MOD(5, 3)" if engine.dialect.driver == "pg8000" else "5 % 3"  # a sign that pg8000 takes for its own
    signs = f"SELECT {remainder}, '12:30 :a \\:b', CAST(:v1 AS TEXT), 3::text, (ARRAY[1, 2, 3])[2:3]"
    assert database.run(Query(signs, {"v1": ":v2 %"})).rows == [(2, "12:30 :a \\:b", ":v2 %", "3", "[2, 3]")]
    assert database.run(Query("SELECT E'\\':v1', $$:v1$$", {"v1": "x"})).rows == [("':v1", ":v1")]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"password": "s3cr3t-wrong", "username": "no_such_user"}, "no_such_user"),
        ({"database": "no_such_database"}, "no_such_database"),
        ({"port": 1, "password": "s3cr3t"}, r"refused|Can't create a connection"),
        ({}, r"names Title: its SQL does not fit .*relation \"no_book\" does not exist$"),
    ],
)
def test_one_line_for_what_is_missing(engine, tmp_path, changes, complaint):
    (tmp_path / "grammar.txt").write_text(
        "Query -> about({Title}) := SELECT 1\nTitle -> '{name}'\nnames Title := SELECT title FROM no_book\n"
    )
    (tmp_path / "questions.tsv").write_text("question\tmeaning\nemma?\tabout('Emma')\n")
    files = ["--train", tmp_path / "questions.tsv", "--grammar", tmp_path / "grammar.txt"]
    said = error_of("ask", *files, "--db", url(**changes), "emma?")
    assert re.search(complaint, said)
    assert "s3cr3t" not in said
    assert (engine.url.password or "s3cr3t") not in said
