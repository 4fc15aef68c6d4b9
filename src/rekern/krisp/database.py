"""Databases that answer queries: opened to read only, every query with a time limit."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from rekern.errors import InputError, missing_extra
from rekern.files import readable
from rekern.krisp.grammar import Derivation, Grammar
from rekern.krisp.sql import Query, check_templates, compile_sql, examples

SECONDS = 10.0  # what a query may take
ROWS = 10_000  # and what it may bring back
NAMES = 100_000  # the most names of one non-terminal
STEPS = 1000  # instructions of SQLite between two looks at the clock

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
        self.name, self.seconds = name, seconds
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
        self.name, self.seconds = name, seconds
        self._engine = engine

    def run(self, query: Query, limit: int = ROWS) -> Table:
        """The rows that a query finds."""
        from concurrent.futures import ThreadPoolExecutor
        from concurrent.futures import TimeoutError as TooLate

        worker = ThreadPoolExecutor(1)
        try:
            return worker.submit(self._run, query, limit).result(self.seconds + 1)  # the server's own limit comes first
        except TooLate:
            raise InputError(_too_long(self.name, self.seconds)) from None
        finally:
            worker.shutdown(wait=False, cancel_futures=True)

    def prepare(self, query: Query) -> None:
        """Have the database check a query without running it, where it can."""
        if self._engine.dialect.name not in ("mssql", "oracle"):  # they have no EXPLAIN statement
            self.run(Query(f"EXPLAIN {query.sql}", query.parameters))

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _run(self, query: Query, limit: int) -> Table:
        from sqlalchemy import text
        from sqlalchemy.exc import SQLAlchemyError

        dialect = self._engine.dialect.name
        try:
            with self._engine.connect() as connection:
                if dialect == "sqlite":
                    raw = connection.connection.driver_connection
                    _guard(raw)
                    with _limited(raw, self.name, self.seconds):
                        return _fetched(connection.exec_driver_sql(query.sql, query.parameters), limit)
                for statement in _reading_only(dialect, self.seconds):
                    connection.execute(text(statement))
                found = _fetched(connection.execute(text(query.sql), query.parameters), limit)
                connection.rollback()
                return found
        except SQLAlchemyError as error:
            cause = _first_line(getattr(error, "orig", None) or error)
            late = cause == "interrupted"  # as SQLite says it
            raise InputError(_too_long(self.name, self.seconds) if late else f"{self.name}: {cause}") from None


def _fetched(result: Any, limit: int) -> Table:
    rows = [tuple(row) for row in result.fetchmany(limit + 1)]
    return Table(list(result.keys()), rows[:limit], len(rows) > limit)


def _reading_only(dialect: str, seconds: float) -> list[str]:
    """Statements that make a transaction read only and limit its time, in this dialect."""
    if dialect == "postgresql":
        return ["SET TRANSACTION READ ONLY", f"SET LOCAL statement_timeout = {int(seconds * 1000)}"]
    if dialect == "mysql":
        return ["SET SESSION TRANSACTION READ ONLY", f"SET SESSION max_execution_time = {int(seconds * 1000)}"]
    if dialect == "mariadb":
        return ["SET SESSION TRANSACTION READ ONLY", f"SET SESSION max_statement_time = {seconds:g}"]
    return []


def open_database(url: str | Path, seconds: float = SECONDS) -> Database:
    """A database, opened to read only: an SQLite file by its path (or sqlite:///path), others by a URL of SQLAlchemy.

    >>> open_database("no such.db")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: no such.db: there is no such database file
    """
    text = str(url)
    match = re.match(r"([a-z][a-z0-9_]*)(\+[a-z0-9_]+)?://", text)
    if match is None or (match[1] == "sqlite" and not match[2]):
        return _open_sqlite(Path(text[len("sqlite:///") :] if match else text), seconds)
    try:
        from sqlalchemy import create_engine
    except ImportError:
        raise missing_extra("sqlalchemy", "sql") from None
    shown = re.sub(r"//[^/@]*@", "//", text)  # without user and password
    try:
        return OtherDatabase(readable(shown), create_engine(text), seconds)
    except Exception as error:  # a driver that is not installed, an unknown dialect, a URL that is none
        raise InputError(f"{readable(shown)}: {_first_line(error)}") from None


def _open_sqlite(path: Path, seconds: float) -> Database:
    name = readable(path)
    if not path.is_file():
        raise InputError(f"{name}: there is no such database file")
    try:
        connection = sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True, check_same_thread=False)
        connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchall()
    except sqlite3.Error as error:
        raise InputError(f"{name}: {error}") from None
    return Database(name, connection, seconds)


def _guard(connection: sqlite3.Connection) -> None:
    """Let a connection read, and do nothing else."""
    connection.set_authorizer(None)
    connection.execute("PRAGMA query_only = ON")

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


def _first_line(error: object) -> str:
    return " ".join(str(error).split())[:300]


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
        names[left] = [row[0] for row in found.rows if row[0] is not None]
    grammar = grammar.with_names(names)
    fits: set[Any] = set()
    for production, derivation in sorted(examples(grammar), key=lambda example: len(example[1].productions())):
        try:
            database.prepare(compile_sql(derivation))
            fits.update(derivation.productions())
        except InputError as error:
            culprit = _culprit(str(error), derivation, fits) or production
            raise InputError(f"{culprit}: its SQL does not fit {error}") from None
    return grammar


def _culprit(message: str, derivation: Derivation, fits: set[Any]) -> Any:
    """Of the productions that have not worked yet, the one whose SQL has a word of the database's complaint."""
    doubtful = [production for production in derivation.productions() if production not in fits and production.sql]
    words = set(re.findall(r"\w+", message.partition(": ")[2]))
    shared: Callable[[Any], int] = lambda production: len(words & set(re.findall(r"\w+", production.sql)))  # noqa: E731
    return max(doubtful, key=shared, default=None)
