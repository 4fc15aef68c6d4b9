"""Databases that answer queries: opened to read only, every query with a time limit."""

from __future__ import annotations

import json
import math
import re
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from rekern.core.files import show_path
from rekern.errors import InputError, missing_extra
from rekern.krisp.answering.sql import Query, check_templates, compile_sql, examples, for_sqlalchemy
from rekern.krisp.grammar import Derivation, Grammar, short

SECONDS = 10.0  # what a query may take
ROWS = 10_000  # and what it may bring back
NAMES = 100_000  # the most names of one non-terminal
STEPS = 1000  # instructions of SQLite between two looks at the clock
LONGEST_VALUE = 100_000_000  # bytes of one value; SQLite itself would make values that fill the memory
LONGEST_WAIT = 2_000_000.0  # seconds; PostgreSQL and threads count no further than a few weeks
EXAMPLE = "postgresql+psycopg://user:password@host/database"

# The functions of PostgreSQL itself that are neither a matter of their arguments nor of the tables: they lock, signal,
# write files, open connections, and a read-only transaction stops only some of them. Those below are harmless.
_ACTING = """SELECT DISTINCT proname FROM pg_catalog.pg_proc WHERE provolatile = 'v' AND (proname LIKE 'dblink%'
OR pronamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog'))"""
_HARMLESS = {"random", "random_normal", "gen_random_uuid", "array_sample", "array_shuffle", "bernoulli", "system"} | {
    *("clock_timestamp", "timeofday", "pg_sleep", "pg_sleep_for", "pg_sleep_until")
}

_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


class Table(NamedTuple):
    """What a query brought back; ``cut`` tells whether there was more than `ROWS`."""

    columns: list[str]
    rows: list[tuple[Any, ...]]
    cut: bool = False


class Database:
    """A database to be asked; `open_database` makes one.

    >>> import sqlite3
    >>> connection = sqlite3.connect(":memory:")
    >>> _ = connection.execute("CREATE TABLE river (name TEXT, km REAL)")
    >>> _ = connection.execute("INSERT INTO river VALUES ('Rhine', 1233)")
    >>> database = Database("an example", connection)
    >>> database.run(Query("SELECT km FROM river WHERE name = :v1", {"v1": "Rhine"})).rows
    [(1233.0,)]
    >>> database.run(Query("DELETE FROM river", {}))
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: an example: not authorized
    """

    def __init__(self, name: str, connection: sqlite3.Connection, seconds: float = SECONDS):
        self.name, self.seconds = name, _waiting(seconds)
        self._connection = connection
        _guard(connection)

    def run(self, query: Query, limit: int = ROWS) -> Table:
        """The rows that a query finds."""
        with _limited(self._connection, self.name, self.seconds):
            cursor = self._connection.execute(query.sql, query.parameters)
            rows = cursor.fetchmany(limit + 1)
            columns = [column[0] for column in cursor.description or []]
            cursor.close()
        return Table(columns, rows[:limit], len(rows) > limit)

    def prepare(self, query: Query) -> None:
        """Have the database check a query without running it."""
        self.run(Query(f"EXPLAIN {query.sql}", query.parameters))

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class OtherDatabase(Database):
    """A database that SQLAlchemy opens: every query runs in a transaction of its own, which is rolled back."""

    def __init__(self, name: str, engine: Any, seconds: float = SECONDS):
        self.name, self.seconds = name, _waiting(seconds)
        self._engine = engine
        self._acting: set[str] | None = None  # names of functions that are not called, once they are known

    def run(self, query: Query, limit: int = ROWS) -> Table:
        """The rows that a query finds."""
        return self._in_time(lambda: self._run(query, limit))

    def prepare(self, query: Query) -> None:
        """Have the database check a query without running it, where it can."""
        if self._engine.dialect.name not in ("mssql", "oracle"):  # they have no EXPLAIN statement
            self._in_time(lambda: self._run(query, None))

    def reach(self) -> None:
        """Connect once, so that a server that is not there is not taken for a fault of a query."""
        self._in_time(self._reach, "the server does not answer")

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _in_time(self, action: Callable[[], Any], late: str = "") -> Any:
        found: list[Any] = []
        failed: list[Exception] = []

        def work() -> None:
            try:
                found.append(action())
            except Exception as error:
                failed.append(error)

        # A daemon, so that a server that does not answer cannot keep the process from ending.
        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        worker.join(self.seconds + 1)  # the server's own limit comes first
        if failed:
            raise failed[0]
        if not found:
            raise InputError(f"{self.name}: {late}" if late else _too_long(self.name, self.seconds))
        return found[0]

    def _reach(self) -> None:
        try:
            self._engine.connect().close()
        except Exception as error:  # drivers have many ways to say that they cannot
            raise InputError(f"{self.name}: {_first_line(error)}") from None

    def _run(self, query: Query, limit: int | None) -> Table:
        """The rows that a query finds; with a limit of None the query is only checked."""
        from sqlalchemy import text
        from sqlalchemy.exc import SQLAlchemyError

        dialect = self._engine.dialect
        explain = "EXPLAIN " if limit is None else ""
        started = math.inf
        try:
            with self._engine.connect() as connection:
                started = time.monotonic()
                if dialect.name == "sqlite":
                    raw = connection.connection.driver_connection
                    _guard(raw)
                    with _limited(raw, self.name, self.seconds):
                        return _fetched(connection.exec_driver_sql(explain + query.sql, query.parameters), limit)
                _check_statement(query.sql, self.name)
                maria = getattr(dialect, "is_mariadb", False)  # known once connected, even if the URL says mysql
                for statement in _reading_only("mariadb" if maria else dialect.name, self.seconds):
                    connection.execute(text(statement))
                if dialect.name == "postgresql":
                    found = self._from_cursor(query, limit, connection)
                else:
                    found = _fetched(connection.execute(text(explain + for_sqlalchemy(query)), query.parameters), limit)
                connection.rollback()
                return found
        except InputError:
            raise
        except (SQLAlchemyError, sqlite3.Error, ValueError, OSError) as error:
            if time.monotonic() - started >= self.seconds:  # every server says it in its own words
                raise InputError(_too_long(self.name, self.seconds)) from None
            raise InputError(f"{self.name}: {_first_line(error)}") from None

    def _from_cursor(self, query: Query, limit: int | None, connection: Any) -> Table:
        """What a cursor of PostgreSQL gives.

        Without one, drivers would fetch all rows, be they a thousand million, and EXPLAIN lets queries pass that write.
        """
        from sqlalchemy import text

        self._check_functions(query.sql, connection)
        connection.execute(text(f"DECLARE rekern NO SCROLL CURSOR FOR {for_sqlalchemy(query)}"), query.parameters)
        if limit is None:
            return Table([], [])
        return _fetched(connection.execute(text(f"FETCH {limit + 1} rekern")), limit)

    def _check_functions(self, sql: str, connection: Any) -> None:
        """Refuse functions of PostgreSQL that do more than read; strings are searched, too, as they may become SQL."""
        from sqlalchemy import text

        if self._acting is None:
            self._acting = {str(row[0]).lower() for row in connection.execute(text(_ACTING))} - _HARMLESS
        for name in re.findall(r'(\w+)"?\s*\(', sql.lower()):
            if name in self._acting:
                raise InputError(f"{self.name}: the function {name} may do more than read, so it is not called")
        if 'u&"' in sql.lower():  # names in disguise
            raise InputError(f'{self.name}: SQL for this database must be without U&"…"')


def _check_statement(sql: str, name: str) -> None:
    """Refuse what is more than one query; drivers differ in what they take, and dialects in what a string is.

    >>> _check_statement("SELECT 1 -- and more", "a server")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: a server: SQL for this database must be without semicolons and comments, also in strings
    """
    if not re.match(r"\s*(SELECT|WITH)\b", sql, re.IGNORECASE):
        raise InputError(f"{name}: SQL must begin with SELECT or WITH")
    if any(sign in sql for sign in (";", "--", "/*")):
        raise InputError(f"{name}: SQL for this database must be without semicolons and comments, also in strings")


def _fetched(result: Any, limit: int | None) -> Table:
    limit = ROWS if limit is None else limit
    rows = [tuple(map(_plain, row)) for row in result.fetchmany(limit + 1)]
    return Table(list(result.keys()), rows[:limit], len(rows) > limit)


def _plain(value: Any) -> Any:
    """A value of a driver as one that SQLite has: rows are compared, put into sets and printed as JSON.

    >>> _plain(Decimal("8.50")), _plain(Decimal("12")), _plain([1, 2]), _plain(memoryview(b"gif"))
    (8.5, 12, '[1, 2]', b'gif')
    """
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    if isinstance(value, Decimal):
        whole = abs(value) < 10**100 and value == value.to_integral_value() if value.is_finite() else False
        return int(value) if whole else float(value)  # PostgreSQL has longer ones than Python would print
    if isinstance(value, memoryview | bytearray):
        return bytes(value)
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else str(value)


def _reading_only(dialect: str, seconds: float) -> list[str]:
    """Statements that make a transaction read only and limit its time, in this dialect."""
    if dialect == "postgresql":
        limit = f"SET LOCAL statement_timeout = {math.ceil(seconds * 1000)}"
        return ["SET TRANSACTION READ ONLY", limit, "SET LOCAL cursor_tuple_fraction = 1"]  # all rows are wanted
    begin = "START TRANSACTION READ ONLY"
    if dialect == "mysql":
        return [f"SET SESSION max_execution_time = {math.ceil(seconds * 1000)}", begin]
    if dialect == "mariadb":
        return [f"SET SESSION max_statement_time = {seconds:g}", begin]
    return []


def open_database(url: str | Path, seconds: float = SECONDS) -> Database:
    """A database, opened to read only: an SQLite file by its path (or sqlite:///path), others by a URL of SQLAlchemy.

    >>> open_database("no such.db")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: no such.db: there is no such database file
    """
    text = str(url)
    if not text.strip():
        raise InputError("the database has no name: give an SQLite file, or a URL of SQLAlchemy")
    match = re.match(r"([a-z][a-z0-9_]*)(\+[a-z0-9_]+)?://", text, re.IGNORECASE)
    if match is None or (match[1].lower() == "sqlite" and not match[2]):
        return _open_sqlite(text[match.end() :].removeprefix("/") if match else text, seconds)
    try:
        from sqlalchemy import create_engine, make_url
        from sqlalchemy.exc import NoSuchModuleError
    except ImportError:
        raise missing_extra("sqlalchemy", "sql") from None
    try:
        parsed = make_url(text)
    except Exception:  # what it says, and what the URL has, may be a password in the wrong place
        raise InputError(f"{match[0]}…: this is no URL of SQLAlchemy; write it as in {EXAMPLE}") from None
    if "@" in (parsed.host or ""):
        raise InputError(f"{match[0]}…: an @ in the password is written %40, as in {EXAMPLE}")
    shown = re.sub(r"//.*@", "//", text, flags=re.DOTALL)  # without user and password
    shown = show_path(re.sub(r"\?.*", "", shown, flags=re.DOTALL))  # which may also stand among the options
    try:
        # A database of no encoding would else give bytes, on which SQLAlchemy itself fails.
        in_utf8 = {"client_encoding": "utf8"} if parsed.get_dialect().driver in ("psycopg", "psycopg2") else {}
        # Who asks line by line may wait for longer than a server keeps a connection: hence the ping.
        engine = create_engine(parsed.update_query_dict(in_utf8), pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise InputError(f"{shown}: its driver {error.name} is not installed; install it, too") from None
    except NoSuchModuleError:
        raise InputError(f"{shown}: SQLAlchemy has no dialect {parsed.drivername}; write it as in {EXAMPLE}") from None
    except Exception as error:  # options that do not fit, a driver that cannot be loaded
        raise InputError(f"{shown}: {_first_line(error)}") from None
    if engine.dialect.is_async:
        raise InputError(f"{shown}: the driver {engine.dialect.driver} is asynchronous; take another, as in {EXAMPLE}")
    database = OtherDatabase(shown, engine, seconds)
    if engine.dialect.name != "sqlite":
        database.reach()
    elif engine.url.database and not engine.url.database.startswith((":memory:", "file:")):
        _check_file(engine.url.database)  # which SQLite would make
    return database


def _check_file(path: str) -> None:
    if "\0" in path or not path:
        raise InputError(f"{show_path(path)} is no name of a database file")
    if Path(path).is_dir():
        raise InputError(f"{show_path(path)} is a folder: give an SQLite file in it")
    if not Path(path).is_file():
        raise InputError(f"{show_path(path)}: there is no such database file")


def _open_sqlite(path: str, seconds: float) -> Database:
    _check_file(path)
    try:
        uri = f"file:{quote(str(Path(path).resolve()))}?mode=ro"
        connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        connection.text_factory = _decoded
        connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchall()
    except sqlite3.Error as error:
        raise InputError(f"{show_path(path)}: {error}") from None
    return Database(show_path(path), connection, seconds)


def _decoded(data: bytes) -> str:
    """Text of a database; one value that is no UTF-8 must not make all others useless."""
    return data.decode("utf-8", "replace")


def _guard(connection: sqlite3.Connection) -> None:
    """Let a connection read, and do nothing else."""
    connection.set_authorizer(None)
    connection.execute("PRAGMA query_only = ON")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)

    def allowed(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        harmless = action in _READING and not (action == sqlite3.SQLITE_FUNCTION and second == "load_extension")
        return sqlite3.SQLITE_OK if harmless else sqlite3.SQLITE_DENY

    connection.set_authorizer(allowed)


@contextmanager
def _limited(connection: sqlite3.Connection, name: str, seconds: float) -> Iterator[None]:
    """Stop what the connection does when the time is over; its errors become one line."""
    deadline = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > deadline, STEPS)
    try:
        yield
    except sqlite3.Error as error:
        late = str(error) == "interrupted"
        raise InputError(_too_long(name, seconds) if late else f"{name}: {_first_line(error)}") from None
    finally:
        connection.set_progress_handler(None, 0)


def _too_long(name: str, seconds: float) -> str:
    return f"{name}: the query was stopped after {seconds:g} seconds"


def _waiting(seconds: float) -> float:
    """A time limit that all databases can keep.

    >>> _waiting(1.5), _waiting(float("inf"))
    (1.5, 2000000.0)
    """
    if not seconds > 0:
        raise InputError("the time limit of a query must be more than 0 seconds")
    return min(seconds, LONGEST_WAIT)


def _first_line(error: object) -> str:
    """What a database complains about, on one line, without the excerpt of the SQL that PostgreSQL adds.

    >>> _first_line('column "lake" does not exist\\nLINE 1: SELECT lake FROM river\\n               ^')
    'column "lake" does not exist'
    """
    said = getattr(error, "orig", None) or error
    fields = getattr(said, "args", None) or [said]
    if isinstance(fields[0], dict):  # as the driver pg8000 has them
        said = fields[0].get("M", said)
    lines = [line for line in str(said).splitlines() if not re.match(r"LINE \d+: |\s*\^\s*$", line)]
    return " ".join(" ".join(lines).split())[:300]


def with_database(grammar: Grammar, database: Database) -> Grammar:
    """The grammar with the names that its queries find in the database, every template checked against the database.

    >>> import sqlite3
    >>> from rekern.krisp.grammar import read_grammar
    >>> grammar = read_grammar([
    ...     "Query -> length({River})  := SELECT km FROM rivers WHERE name = {1}",
    ...     "River -> '{name}'",
    ...     "names River = rhine",
    ... ])
    >>> with_database(grammar, Database("rivers.db", sqlite3.connect(":memory:")))
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: Query -> length({River}): its SQL does not fit rivers.db: no such table: rivers
    """
    check_templates(grammar)
    names = {}
    for left, sql in grammar.name_queries.items():
        try:
            found = database.run(Query(sql, {}), NAMES)
        except InputError as error:
            raise InputError(f"names {left}: its SQL does not fit {error}") from None
        if found.cut:
            raise InputError(f"names {left}: its SQL finds more than {NAMES:,} names; select those that are asked for")
        names[left] = [str(row[0]) for row in found.rows if row[0] is not None]
    for production in grammar.productions:
        if len(production.phrases) > 1 and production.value not in names.get(production.left, [production.value]):
            warnings.warn(f"also {production.left} {production.value}: {database.name} has no such name", stacklevel=2)
    grammar = grammar.with_names(names)
    fits: set[Any] = set()
    for production, derivation in sorted(examples(grammar), key=lambda example: len(example[1].productions())):
        query = compile_sql(derivation)
        try:
            database.prepare(query)
            fits.update(derivation.productions())
        except InputError as error:
            culprit = _culprit(str(error), derivation, fits) or production
            raise InputError(f"{short(culprit)}: its SQL does not fit {error}") from None
    return grammar


def _culprit(message: str, derivation: Derivation, fits: set[Any]) -> Any:
    """Of the productions that have not worked yet, the one whose SQL has a word of the database's complaint."""
    doubtful = [production for production in derivation.productions() if production not in fits and production.sql]
    words = set(re.findall(r"\w+", message.partition(": ")[2]))
    shared: Callable[[Any], int] = lambda production: len(words & set(re.findall(r"\w+", production.sql)))  # noqa: E731
    return max(doubtful, key=shared, default=None)
