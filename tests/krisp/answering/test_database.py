"""Databases are only read, in limited time, and must fit the grammar."""

import contextlib
import importlib.util
import itertools
import sqlite3
import threading
import time
from datetime import date
from decimal import Decimal
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rekern.errors import InputError
from rekern.krisp import read_grammar
from rekern.krisp.answering.database import Database, QueryResult
from rekern.krisp.answering.database_grammar import connect_grammar
from rekern.krisp.answering.database_urls import connect_database
from rekern.krisp.answering.isolated_database import open_database
from rekern.krisp.answering.sql_compiler import Query, escape_for_sqlalchemy
from rekern.krisp.answering.sqlalchemy_database import SQLAlchemyDatabase
from rekern.krisp.answering.sqlite_database import SQLiteDatabase

FOREVER = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
COUNT = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT COUNT(*) FROM n"
LIMIT = "SET SESSION sql_select_limit = 10001"
LINES = [
    "Query -> length({River}) := SELECT km FROM river WHERE name = {1}",
    "River -> '{name}'",
    "names River := SELECT name FROM river",
]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("databases") / "rivers & co.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE river (name TEXT, km REAL)")
        connection.execute("INSERT INTO river VALUES ('Rhine', 1233), ('Inn', 518), (NULL, 1)")
    connection.close()
    return path


@pytest.fixture(scope="module", params=["path", "url", "sqlalchemy"])
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
    grammar = connect_grammar(read_grammar(LINES), database)
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
        connect_grammar(read_grammar([*LINES, line]), database)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_production_at_fault_is_named(database):
    lines = [
        "Query -> answer({Place}) := SELECT * FROM ({1}) AS s",
        "Place -> rivers := SELECT name FROM river",
        "Place -> beside({Place}) := SELECT b FROM beside WHERE a IN ({1})",
    ]
    with pytest.raises(InputError, match=r"^Place -> beside\(\{Place\}\): .*no such table: beside"):
        connect_grammar(read_grammar(lines), database)


def test_a_query_for_names_that_fails(database):
    lines = [*LINES[:2], "names River := SELECT name FROM rivers"]
    with pytest.raises(InputError, match=r"names River: its SQL does not fit .*no such table: rivers"):
        connect_grammar(read_grammar(lines), database)


def test_no_database(tmp_path):
    (tmp_path / "text.db").write_text("this is no database, but it is long enough to look like one " * 30)
    with pytest.raises(InputError, match=r"text\.db: file is not a database"):
        open_database(tmp_path / "text.db")
    with pytest.raises(InputError, match=r"none\.db: there is no such database file"):
        open_database(tmp_path / "none.db")
    with pytest.raises(InputError, match="is a folder: give an SQLite file in it"):
        open_database(tmp_path)
    for name in ("", " ", "sqlite://", "sqlite:///"):
        with pytest.raises(InputError):
            open_database(name)
    if importlib.util.find_spec("sqlalchemy"):
        with pytest.raises(InputError, match=r"none\.db: there is no such database file"):
            open_database(f"sqlite+pysqlite:///{tmp_path / 'none.db'}")
        with pytest.raises(InputError, match=r"text\.db: file is not a database"):
            open_database(f"sqlite+pysqlite:///{tmp_path / 'text.db'}").run(Query("SELECT * FROM t", {}))
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("nosuch://ann:s3cret@host/db", "nosuch://host/db: SQLAlchemy has no dialect nosuch"),
        ("postgres://ann:s3cret@host/db", "as in postgresql[+]psycopg://user:password@host/database"),
        ("postgresql://ann:s3cr/et@s3cret@host:port/db", "this is no URL of SQLAlchemy"),
        ("postgresql://ann:s3cret", "this is no URL of SQLAlchemy"),
        ("postgresql://ann:p@s3cret@host/db", "an @ in the password is written %40"),
        ("nosuch:///db?user=ann&password=s3cret", "nosuch:///db: SQLAlchemy has no dialect"),
        ("sqlite+aiosqlite:///s.db?x=s3cret", "aiosqlite"),
    ],
)
def test_unknown_dialects_and_hidden_passwords(url, complaint):
    pytest.importorskip("sqlalchemy")
    with pytest.raises(InputError, match=complaint) as caught:
        open_database(url)
    assert "3cr" not in str(caught.value)


def test_a_server_that_cannot_be_reached_is_said_at_once(monkeypatch):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    engine = MagicMock()
    engine.dialect.name, engine.dialect.is_async = "postgresql", False
    cause = RuntimeError('connection to "host" failed:\n  Connection refused')
    engine.connect.side_effect = sqlalchemy.exc.OperationalError("SELECT s3cret", {}, cause)
    monkeypatch.setattr(sqlalchemy, "create_engine", lambda *_, **__: engine)
    with pytest.raises(InputError) as caught:
        connect_database("postgresql+psycopg://ann:s3cret@host/db")
    said = 'postgresql+psycopg://host/db: connection to "host" failed: Connection refused'
    assert str(caught.value) == said
    engine.dialect.is_async = True
    with pytest.raises(InputError, match="is asynchronous; take another"):
        connect_database("postgresql+psycopg://ann:s3cret@host/db")


@pytest.mark.parametrize("scheme", ["sqlite", "sqlite+pysqlite"])
def test_huge_values_are_not_made(file, scheme):
    doubled = "WITH RECURSIVE d(x) AS (SELECT 'xxxxxxxxxx' UNION ALL SELECT x || x FROM d) SELECT MAX(LENGTH(x)) FROM d"
    database = open_database(f"{scheme}:///{file}", seconds=30)
    with contextlib.closing(database), pytest.raises(InputError, match="too big"):
        database.run(Query(doubled, {}))


@pytest.mark.parametrize(
    "call",
    [
        "fts3_tokenizer('simple', x'4141414141414141')",
        "fts3_tokenizer('simple')",
        "instr(hex(zeroblob(49000000)), hex(zeroblob(20000000)) || '1')",
        "length(replace(hex(zeroblob(20000000)), '0', 'xx'))",
        "randomblob(1000000000)",
        "readfile('/etc/passwd')",
    ],
)
def test_only_named_functions_are_called(database, call):
    with pytest.raises(InputError, match=r"not authorized to use function|no such function") as caught:
        database.run(Query(f"SELECT {call}", {}))
    assert "\n" not in str(caught.value)


def test_a_query_that_looks_at_no_clock_is_stopped(file):
    """The search for a long text takes minutes inside one instruction of SQLite."""
    database = open_database(file, seconds=0.2)
    text, part = "a" * 9_000_000, "a" * 4_500_000 + "b"
    started = time.monotonic()
    with pytest.raises(InputError, match=r"the query was stopped after 0\.2 seconds"):
        database.run(Query("SELECT INSTR(:v1, :v2)", {"v1": text, "v2": part}))
    assert time.monotonic() - started < 20
    assert database.run(Query("SELECT COUNT(*) FROM river", {})).rows == [(3,)]  # a new process answers
    database.close()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is limited only where /proc is")
def test_memory_is_limited(file):
    database = open_database(file, seconds=20, memory=1 << 26)
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)"
    with pytest.raises(InputError, match=r"needs more memory than it may have|out of memory"):
        database.run(Query(f"{many} SELECT :v1 || i FROM n ORDER BY 1", {"v1": "x" * 9_000_000}))
    assert database.run(Query("SELECT COUNT(*) FROM river", {})).rows == [(3,)]
    database.close()
    with pytest.raises(InputError, match="at least 16 megabytes"):
        open_database(file, memory=1)


def test_large_results_are_cut(database):
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)"
    found = SQLiteDatabase("memory", sqlite3.connect(":memory:")).run(
        Query(f"{many} SELECT :v1 FROM n", {"v1": "x" * 9_000_000})
    )
    assert found.cut
    assert len(found.rows) == 5


def test_threads_share_a_database(file):
    """Two threads of one connection used to wait for each other for ever."""
    databases = [open_database(file), SQLiteDatabase("memory", sqlite3.connect(file, check_same_thread=False))]
    for database in databases:
        counts = []

        def ask(database=database, counts=counts):
            for _ in range(20):
                counts.append(database.run(Query(COUNT, {})).rows[0][0])

        threads = [threading.Thread(target=ask, daemon=True) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert counts == [3000] * 160
        database.close()


def test_bytes_and_odd_text_come_through(file):
    database = open_database(file)
    assert database.run(Query("SELECT x'00ff', :v1, NULL, 1.5, 1e999", {"v1": "日"})).rows == [
        (b"\x00\xff", "日", None, 1.5, float("inf"))
    ]
    database.close()


def test_text_that_is_no_text(tmp_path):
    with sqlite3.connect(tmp_path / "odd.db") as connection:
        connection.execute("CREATE TABLE t AS SELECT CAST(x'ff41' AS TEXT) AS a")
    connection.close()
    database = open_database(tmp_path / "odd.db")
    assert database.run(Query("SELECT a FROM t", {})).rows == [("\ufffdA",)]
    database.close()


def test_other_words_for_a_name_that_is_not_there(database):
    with pytest.warns(UserWarning, match=r"also River Rine: .* has no such name"):
        connect_grammar(read_grammar([*LINES, "also River Rine = the rhine"]), database)


@pytest.fixture
def server():
    """A stand-in for an engine, as no server runs here; the rows of its answers, and what it was told."""
    pytest.importorskip("sqlalchemy")
    engine = MagicMock()
    engine.dialect.is_mariadb = False
    connection = engine.connect.return_value.__enter__.return_value
    connection.execution_options.return_value = connection
    connection.execute.return_value.fetchmany.side_effect = itertools.cycle([[("Rhine",)], []])
    connection.execute.return_value.keys.return_value = ["name"]
    connection.execute.return_value.__iter__.side_effect = lambda: iter([("pg_reload_conf",), ("pg_sleep",)])
    engine.told = lambda: [str(call.args[0]) for call in connection.execute.call_args_list]
    return engine


@pytest.mark.parametrize(
    ("dialect", "statements"),
    [
        ("mysql", ["SET SESSION max_execution_time = 1500", LIMIT, "START TRANSACTION READ ONLY"]),
        ("mariadb", ["SET SESSION max_statement_time = 1.5", LIMIT, "START TRANSACTION READ ONLY"]),
    ],
)
def test_what_other_servers_are_told_before_a_query(server, dialect, statements):
    server.dialect.name, server.dialect.is_mariadb = dialect, dialect == "mariadb"
    connection = server.connect.return_value.__enter__.return_value
    database = SQLAlchemyDatabase("a server", server, 1.5)
    query = Query("SELECT name FROM river WHERE km > :v1", {"v1": 1})
    assert database.run(query).rows == [("Rhine",)]
    assert server.told() == [*statements, query.sql]
    assert connection.execute.call_args.args[1] == {"v1": 1}
    connection.rollback.assert_called_once()
    database.prepare(query)
    assert server.told()[-1] == f"EXPLAIN {query.sql}"


def test_what_postgresql_is_told(server):
    server.dialect.name = "postgresql"
    connection = server.connect.return_value.__enter__.return_value
    database = SQLAlchemyDatabase("a server", server, 1.0001)
    query = Query("SELECT name FROM river WHERE km > :v1 AND name <> ':v1'", {"v1": 1})
    assert database.run(query, 5).rows == [("Rhine",)]
    limits, (catalogue, *told) = server.told()[:3], server.told()[3:]
    assert limits[:2] == ["SET TRANSACTION READ ONLY", "SET LOCAL statement_timeout = 1001"]
    assert "pg_proc" in catalogue
    opened = r"DECLARE rekern NO SCROLL CURSOR FOR SELECT name FROM river WHERE km > :v1 AND name <> ':v1'"
    assert told == [opened, "FETCH 6 rekern"]
    assert connection.execute.call_args_list[4].args[1] == {"v1": 1}
    connection.rollback.assert_called_once()
    connection.execute.reset_mock()
    database.prepare(query)  # a cursor is opened, and nothing fetched
    assert server.told() == [*limits, opened]


@pytest.mark.parametrize(
    ("sql", "complaint"),
    [
        ("SELECT E'\\''; COMMIT; DELETE FROM river --'", "without semicolons and comments"),
        ("SELECT pg_reload_conf/* */()", "without semicolons and comments"),
        ("COPY river TO PROGRAM 'rm -r .'", "must begin with SELECT or WITH"),
        ("SELECT PG_Reload_Conf ()", "the function pg_reload_conf may do more than read"),
        ('SELECT pg_catalog."pg_reload_conf"()', "the function pg_reload_conf may do more than read"),
        ("SELECT query('SELECT pg_reload_conf()')", "the function pg_reload_conf may do more than read"),
        ('SELECT U&"pg_reload\\005fconf"()', "without U&"),
    ],
)
def test_what_postgresql_is_not_told(server, sql, complaint):
    server.dialect.name = "postgresql"
    with pytest.raises(InputError, match=complaint):
        SQLAlchemyDatabase("a server", server).run(Query(sql, {}))
    assert not any(sql in told for told in server.told())


@pytest.mark.parametrize(
    ("sql", "complaint"),
    [
        ("SELECT 'x' INTO OUTFILE 'x'", "without INTO"),
        ("SELECT LOAD_FILE('/etc/passwd')", "the function load_file may do more than read"),
        ("SELECT `sys_exec`('rm -r .')", "the function sys_exec may do more than read"),
        ("SELECT GET_LOCK ('a', 10)", "the function get_lock may do more than read"),
    ],
)
@pytest.mark.parametrize("dialect", ["mysql", "mariadb"])
def test_what_mysql_is_not_told(server, dialect, sql, complaint):
    server.dialect.name = dialect
    with pytest.raises(InputError, match=complaint):
        SQLAlchemyDatabase("a server", server).run(Query(sql, {}))
    assert server.told() == []


def test_an_error_after_the_time_is_over(server):
    from sqlalchemy.exc import SQLAlchemyError

    def late(*_, **__):
        time.sleep(0.2)
        raise SQLAlchemyError("canceling statement")

    server.connect.return_value.__enter__.return_value.execute.side_effect = late
    server.connect.return_value.__exit__.return_value = False
    with pytest.raises(InputError, match=r"stopped after 0\.1 seconds"):
        SQLAlchemyDatabase("a server", server, 0.1).run(Query("SELECT 1", {}))
    with pytest.raises(InputError, match="a server: canceling statement"):
        SQLAlchemyDatabase("a server", server, 100).run(Query("SELECT 1", {}))


def test_values_of_drivers_become_plain(server):
    server.dialect.name = "postgresql"
    result = server.connect.return_value.__enter__.return_value.execute.return_value
    numbers = (Decimal("8.50"), Decimal("3E2"), Decimal("NaN"), Decimal("1E5000"))
    values = (*numbers, date(2020, 1, 2), ["a", Decimal(1)], {"ä": None}, True, None)
    result.fetchmany.side_effect = [[values], []]
    (row,) = SQLAlchemyDatabase("a server", server).run(Query("SELECT 1", {})).rows
    assert row[2] != row[2]
    assert row[:2] + row[3:] == (8.5, 300, float("inf"), "2020-01-02", '["a", "1"]', '{"ä": null}', True, None)
    assert isinstance(hash(row), int)


@given(st.text("ab1:\\%'\" v", max_size=12), st.text("a:%'\\", max_size=5))
def test_colons_in_strings_are_no_parameters(literal, value):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    quoted = "'" + literal.replace("'", "''") + "'"
    query = Query(f'SELECT :v1, {quoted}, :v1 || {quoted} AS "a:v1"', {"v1": value})
    with sqlalchemy.create_engine("sqlite://").connect() as connection:
        result = connection.execute(sqlalchemy.text(escape_for_sqlalchemy(query)), query.parameters)
        assert [*result] == [(value, literal, value + literal)]
        assert list(result.keys())[2] == "a:v1"


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_time_limit_that_is_none(file, seconds):
    with pytest.raises(InputError, match="must be more than 0 seconds"):
        open_database(file, seconds)


def test_a_server_that_does_not_answer():
    pytest.importorskip("sqlalchemy")
    engine = MagicMock()
    waiting = threading.Event()
    engine.connect.side_effect = lambda: waiting.wait(60)
    with pytest.raises(InputError, match=r"stopped after 0\.1 seconds"):
        SQLAlchemyDatabase("a server", engine, 0.1).run(Query("SELECT 1", {}))
    waiting.set()


def test_in_memory_databases_are_guarded_too():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (a)")
    with pytest.raises(InputError, match="not authorized"):
        SQLiteDatabase("memory", connection).run(Query("INSERT INTO t VALUES (1)", {}))


class ListedRivers:
    """A database of another kind: it knows one query, and how to say so."""

    name, seconds = "a list", 1.0

    def run(self, query, limit=10):
        if query.parameters == {}:
            return QueryResult(["name"], [("Rhine",)])
        return QueryResult(["km"], [(1233.0,)] if query.parameters["v1"] == "Rhine" else [])

    def prepare(self, query):
        if "river" not in query.sql:
            raise InputError("a list: it knows nothing of this")

    def close(self):
        pass


def test_any_object_with_the_same_methods_is_a_database():
    database: Database = ListedRivers()
    grammar = connect_grammar(read_grammar(LINES), database)
    assert grammar.parse("length('Rhine')").meaning() == "length('Rhine')"
    with pytest.raises(InputError, match="Query -> lakes: its SQL does not fit a list: it knows nothing of this"):
        connect_grammar(read_grammar([*LINES, "Query -> lakes := SELECT name FROM lake"]), database)
