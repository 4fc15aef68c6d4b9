"""Databases are only read, in limited time, and must fit the grammar."""

import sqlite3
import time

import pytest

from rekern.errors import InputError, MissingExtraError
from rekern.krisp.database import Database, open_database, with_database
from rekern.krisp.grammar import read_grammar
from rekern.krisp.sql import Query

FOREVER = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
LINES = [
    "Query -> length({River}) := SELECT km FROM river WHERE name = {1}",
    "River -> '{name}'",
    "names River := SELECT name FROM river",
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rivers & co.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE river (name TEXT, km REAL)")
        connection.execute("INSERT INTO river VALUES ('Rhine', 1233), ('Inn', 518), (NULL, 1)")
    connection.close()
    return path


@pytest.fixture(params=["path", "url", "sqlalchemy"])
def database(request, file):
    if request.param == "sqlalchemy":
        pytest.importorskip("sqlalchemy")
    url = {"path": file, "url": f"sqlite:///{file}", "sqlalchemy": f"sqlite+pysqlite:///{file}"}[request.param]
    opened = open_database(url, seconds=0.3)
    yield opened
    opened.close()


def test_reading(database):
    found = database.run(Query("SELECT name, km FROM river WHERE km > :v1", {"v1": 1000}))
    assert (found.columns, found.rows, found.cut) == (["name", "km"], [("Rhine", 1233.0)], False)


def test_many_rows_are_cut(database):
    found = database.run(Query("SELECT name FROM river ORDER BY km", {}), limit=2)
    assert len(found.rows) == 2
    assert found.cut


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM river",
        "DROP TABLE river",
        "INSERT INTO river VALUES ('x', 1)",
        "CREATE TABLE other (a)",
        "PRAGMA query_only = OFF",
        "ATTACH DATABASE 'other.db' AS other",
        "SELECT load_extension('mischief')",
    ],
)
def test_nothing_is_written(database, file, sql):
    with pytest.raises(InputError):
        database.run(Query(sql, {}))
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT COUNT(*) FROM river").fetchone() == (3,)
    connection.close()


def test_endless_queries_are_stopped(database):
    started = time.monotonic()
    with pytest.raises(InputError, match=r"the query was stopped after 0\.3 seconds"):
        database.run(Query(FOREVER, {}))
    assert time.monotonic() - started < 20


def test_names_come_from_the_database(database):
    grammar = with_database(read_grammar(LINES), database)
    assert [production.value for production in grammar.productions[1:]] == ["Rhine", "Inn"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("Query -> lakes := SELECT name FROM lake", "Query -> lakes: its SQL does not fit"),
        ("Query -> widest({River}) := SELECT wide FROM river WHERE name = {1}", "Query -> widest({River}): its SQL"),
        ("Query -> wrong := SELEC name", "Query -> wrong: its SQL must begin with SELECT or WITH"),
        ("Query -> wrong := SELECT FROM FROM", "Query -> wrong: its SQL does not fit"),
    ],
)
def test_templates_are_checked_on_load(database, line, complaint):
    with pytest.raises(InputError) as caught:
        with_database(read_grammar([*LINES, line]), database)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_production_at_fault_is_named(database):
    lines = [
        "Query -> answer({Place}) := SELECT * FROM ({1}) AS s",
        "Place -> rivers := SELECT name FROM river",
        "Place -> beside({Place}) := SELECT b FROM beside WHERE a IN ({1})",
    ]
    with pytest.raises(InputError, match=r"^Place -> beside\(\{Place\}\): .*no such table: beside"):
        with_database(read_grammar(lines), database)


def test_a_query_for_names_that_fails(database):
    lines = [*LINES[:2], "names River := SELECT name FROM rivers"]
    with pytest.raises(InputError, match=r"names River: its SQL does not fit .*no such table: rivers"):
        with_database(read_grammar(lines), database)


def test_no_database(tmp_path):
    (tmp_path / "text.db").write_text("this is no database, but it is long enough to look like one " * 30)
    with pytest.raises(InputError, match=r"text\.db: file is not a database"):
        open_database(tmp_path / "text.db")
    with pytest.raises(InputError, match=r"none\.db: there is no such database file"):
        open_database(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()


def test_unknown_dialects_and_hidden_passwords():
    pytest.importorskip("sqlalchemy")
    with pytest.raises((InputError, MissingExtraError)) as caught:
        open_database("nosuch://ann:secret@host/db")
    assert "secret" not in str(caught.value)


def test_in_memory_databases_are_guarded_too():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (a)")
    with pytest.raises(InputError, match="not authorized"):
        Database("memory", connection).run(Query("INSERT INTO t VALUES (1)", {}))
