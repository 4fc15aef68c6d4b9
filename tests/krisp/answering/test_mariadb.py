"""Questions to a MariaDB server of the tests' own, which speaks MySQL's protocol."""

import time

import pytest

from database_servers import start_mariadb
from rekern.errors import InputError
from rekern.krisp import read_grammar
from rekern.krisp.answering.database_grammar import connect_grammar
from rekern.krisp.answering.isolated_database import open_database
from rekern.krisp.answering.sql_compiler import Query, compile_sql

pytestmark = pytest.mark.slow
ODD = ["100% sure: %s %(v1)s", "a:b :v1 ::x \\: \\", 'O\'Brien "x"; DROP TABLE t; --', "naïve 日本", "{1} {{x}} $1"]


@pytest.fixture(scope="module")
def engine():
    """An engine that may write, on a database with odd names and a table without transactions."""
    from sqlalchemy import create_engine, text

    with start_mariadb() as url:
        server = create_engine(url, isolation_level="AUTOCOMMIT")
        with server.connect() as connection:
            connection.execute(text("CREATE DATABASE rekern CHARACTER SET utf8mb4"))
        made = create_engine(server.url.set(database="rekern"), isolation_level="AUTOCOMMIT")
        with made.connect() as connection:
            connection.execute(text("CREATE TABLE river (name VARCHAR(99), km DOUBLE, price DECIMAL(9, 2), day DATE)"))
            connection.execute(text("CREATE TABLE plain (a INT) ENGINE = MyISAM"))
            connection.execute(text("INSERT INTO plain VALUES (1), (2)"))
            rows = [{"name": name, "km": 100 * place} for place, name in enumerate(ODD)]
            connection.execute(text("INSERT INTO river VALUES (:name, :km, 8.5, '2020-01-02')"), rows)
        yield made
        made.dispose()
        server.dispose()


@pytest.fixture(scope="module")
def database(engine):
    opened = open_database(engine.url.render_as_string(hide_password=False), seconds=1)
    yield opened
    opened.close()


def count_rows(engine):
    with engine.connect() as connection:
        return connection.exec_driver_sql(
            "SELECT (SELECT COUNT(*) FROM river), (SELECT COUNT(*) FROM plain)"
        ).fetchall()


def test_values(database):
    found = database.run(Query("SELECT name, km, price, day FROM river WHERE km >= :v1 ORDER BY km", {"v1": 300}))
    assert found.columns == ["name", "km", "price", "day"]
    assert found.rows == [(ODD[3], 300.0, 8.5, "2020-01-02"), (ODD[4], 400.0, 8.5, "2020-01-02")]


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM river",
        "INSERT INTO plain VALUES (3)",
        "SELECT 1; DELETE FROM river",
        "SELECT name FROM river INTO OUTFILE '/tmp/rekern-out'",
        "SELECT name FROM river LIMIT 1 INTO @a",
        "SELECT LOAD_FILE('/etc/passwd')",
        "SELECT GET_LOCK('a', 1)",
        "SELECT BENCHMARK(1000000000, MD5('a'))",
        "SELECT /*! 1 */ 1",
        "WITH x AS (SELECT 1 AS a) DELETE FROM river",
    ],
)
def test_nothing_is_changed(engine, database, sql):
    before = count_rows(engine)
    for action in (database.run, database.prepare):
        with pytest.raises(InputError) as caught:
            action(Query(sql, {}))
        assert "\n" not in str(caught.value)
    assert count_rows(engine) == before


def test_long_queries_are_stopped(engine, database):
    started = time.monotonic()
    tables = ", ".join(f"river r{place}" for place in range(14))
    with pytest.raises(InputError, match="the query was stopped after 1 seconds"):
        database.run(Query(f"SELECT COUNT(DISTINCT r1.name, r2.name, RAND()) FROM {tables}", {}))
    assert time.monotonic() - started < 20
    with engine.connect() as connection:
        busy = "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '%%DISTINCT r1%%'"
        assert connection.exec_driver_sql(f"{busy} AND id <> CONNECTION_ID()").scalar() == 0


def test_rows_without_end_are_cut(database):
    tables = ", ".join(f"river r{place}" for place in range(14))
    for most in (100, 7):
        found = database.run(Query(f"SELECT r1.name FROM {tables}", {}), most)
        assert (len(found.rows), found.cut) == (most, True)
    assert database.run(
        Query(f"SELECT COUNT(*) AS n FROM (SELECT r1.name FROM {tables} LIMIT 1000) AS r", {}), 7
    ).rows == [(1000,)]


def test_names_are_only_values(database):
    lines = ["Query -> about({X}) := SELECT name FROM river WHERE name = {1} AND name <> ':v1 %s'", "X -> '{name}'"]
    grammar = connect_grammar(read_grammar([*lines, "names X := SELECT name FROM river"]), database)
    assert {production.value for production in grammar.productions} - {None} == set(ODD)
    for name in ODD:
        assert database.run(compile_sql(grammar.parse(f"about('{name}')"))).rows == [(name,)]
