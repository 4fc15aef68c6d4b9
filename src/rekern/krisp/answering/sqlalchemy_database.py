"""Databases that SQLAlchemy opens: every query in a transaction of its own, which is rolled back."""

from __future__ import annotations

import json
import math
import re
import sqlite3
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, TypeVar, cast

from rekern.errors import InputError
from rekern.krisp.answering.database import (
    ROWS,
    SECONDS,
    QueryResult,
    Value,
    check_seconds,
    describe_error,
    describe_timeout,
    take_rows,
)
from rekern.krisp.answering.sql_compiler import Query, escape_for_sqlalchemy
from rekern.krisp.answering.sqlite_database import limit_time, restrict_to_reading

if TYPE_CHECKING:
    from sqlalchemy import Connection, CursorResult, Engine

Found = TypeVar("Found")

CHUNK = 100  # rows that are fetched at once

# The functions of PostgreSQL whose results depend on more than their arguments and the tables: they lock, signal, write
# files, open connections, and a read-only transaction stops only some of them. Those in _HARMLESS are allowed.
_ACTING = """SELECT DISTINCT proname FROM pg_catalog.pg_proc WHERE provolatile = 'v' AND (proname LIKE 'dblink%'
OR pronamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog'))"""
_HARMLESS = {"random", "random_normal", "gen_random_uuid", "array_sample", "array_shuffle", "bernoulli", "system"} | {
    *("clock_timestamp", "timeofday", "pg_sleep", "pg_sleep_for", "pg_sleep_until")
}
# The same for MySQL and MariaDB, which have no catalogue of their own functions.
_MYSQL_ACTING = frozenset(
    """
    load_file get_lock release_lock release_all_locks is_free_lock is_used_lock benchmark master_pos_wait
    source_pos_wait master_gtid_wait wait_for_executed_gtid_set wait_until_sql_thread_after_gtids setval nextval
    lastval last_insert_id service_get_read_locks service_get_write_locks service_release_locks
    """.split()  # noqa: SIM905
)


class SQLAlchemyDatabase:
    """A database that SQLAlchemy opens: every query runs in a transaction of its own, which is rolled back.

    >>> from sqlalchemy import create_engine
    >>> SQLAlchemyDatabase("an example", create_engine("sqlite://")).run(Query("SELECT 1 AS one", {}))
    QueryResult(columns=['one'], rows=[(1,)], cut=False)
    """

    def __init__(self, name: str, engine: Engine, seconds: float = SECONDS):
        self.name, self.seconds = name, check_seconds(seconds)
        self._engine = engine
        self._acting: set[str] | None = None  # names of functions that are not called, once they are known

    def run(self, query: Query, limit: int = ROWS) -> QueryResult:
        """Run a query and return the rows that it finds."""
        return self._in_time(lambda: self._run(query, limit))

    def prepare(self, query: Query) -> None:
        """Have the database check a query without running it, where it can."""
        if self._engine.dialect.name not in ("mssql", "oracle"):  # they have no EXPLAIN statement
            self._in_time(lambda: self._run(query, None))

    def check_connection(self) -> None:
        """Connect once, so that a missing server is not reported as an error of a query."""
        self._in_time(self._connect_once, "the server does not answer")

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _in_time(self, action: Callable[[], Found], late: str = "") -> Found:
        found: list[Found] = []
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
            raise InputError(f"{self.name}: {late}" if late else describe_timeout(self.name, self.seconds))
        return found[0]

    def _connect_once(self) -> None:
        try:
            self._engine.connect().close()
        except Exception as error:  # drivers have many ways to say that they cannot
            raise InputError(f"{self.name}: {describe_error(error)}") from None

    def _run(self, query: Query, limit: int | None) -> QueryResult:
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
                    raw = cast("sqlite3.Connection", connection.connection.driver_connection)
                    restrict_to_reading(raw)
                    with limit_time(raw, self.name, self.seconds):
                        return _fetch(connection.exec_driver_sql(explain + query.sql, query.parameters), limit)
                _check_statement(query.sql, self.name)
                if dialect.name in ("mysql", "mariadb"):
                    _check_for_mysql(query.sql, self.name)
                maria = getattr(dialect, "is_mariadb", False)  # known once connected, even if the URL says mysql
                most = ROWS if limit is None else limit
                for restriction in _list_restrictions("mariadb" if maria else dialect.name, self.seconds, most):
                    connection.execute(text(restriction))
                if dialect.name == "postgresql":
                    found = self._run_with_cursor(query, limit, connection)
                else:
                    streaming = connection.execution_options(stream_results=True, max_row_buffer=CHUNK)
                    found = _fetch(
                        streaming.execute(text(explain + escape_for_sqlalchemy(query)), query.parameters), limit
                    )
                connection.rollback()
                return found
        except InputError:
            raise
        except (SQLAlchemyError, sqlite3.Error, ValueError, OSError) as error:
            if time.monotonic() - started >= self.seconds:  # every server says it in its own words
                raise InputError(describe_timeout(self.name, self.seconds)) from None
            raise InputError(f"{self.name}: {describe_error(error)}") from None

    def _run_with_cursor(self, query: Query, limit: int | None, connection: Connection) -> QueryResult:
        """Run a query with a cursor of PostgreSQL.

        Without a cursor, drivers would fetch all rows, however many, and EXPLAIN accepts queries that write.
        """
        from sqlalchemy import text

        self._check_functions(query.sql, connection)
        connection.execute(
            text(f"DECLARE rekern NO SCROLL CURSOR FOR {escape_for_sqlalchemy(query)}"), query.parameters
        )
        if limit is None:
            return QueryResult([], [])
        return _fetch(connection.execute(text(f"FETCH {limit + 1} rekern")), limit)

    def _check_functions(self, sql: str, connection: Connection) -> None:
        """Refuse functions of PostgreSQL that do more than read; strings are searched too, as they may become SQL."""
        from sqlalchemy import text

        if self._acting is None:
            self._acting = {str(row[0]).lower() for row in connection.execute(text(_ACTING))} - _HARMLESS
        for name in re.findall(r'(\w+)"?\s*\(', sql.lower()):
            if name in self._acting:
                raise InputError(f"{self.name}: the function {name} may do more than read, so it is not called")
        if 'u&"' in sql.lower():  # names in disguise
            raise InputError(f'{self.name}: SQL for this database must be without U&"…"')


def _check_statement(sql: str, name: str) -> None:
    """Refuse SQL that is more than one query; drivers differ in what they take, and dialects in what a string is.

    >>> _check_statement("SELECT 1 -- and more", "a server")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: a server: SQL for this database must be without semicolons and comments, also in strings
    """
    if not re.match(r"\s*(SELECT|WITH)\b", sql, re.IGNORECASE):
        raise InputError(f"{name}: SQL must begin with SELECT or WITH")
    if any(sign in sql for sign in (";", "--", "/*")):
        raise InputError(f"{name}: SQL for this database must be without semicolons and comments, also in strings")


def _check_for_mysql(sql: str, name: str) -> None:
    """Refuse what MySQL and MariaDB let a read-only transaction do nevertheless: write files, read them, take locks.

    >>> _check_for_mysql("SELECT 1 INTO OUTFILE 'x'", "a server")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: a server: SQL for this database must be without INTO, also in strings
    """
    if re.search(r"\binto\b", sql, re.IGNORECASE):
        raise InputError(f"{name}: SQL for this database must be without INTO, also in strings")
    for function in re.findall(r"(\w+)`?\s*\(", sql.lower()):
        if function in _MYSQL_ACTING or function.startswith(("sys_", "lib_mysqludf")):
            raise InputError(f"{name}: the function {function} may do more than read, so it is not called")


def _fetch(result: CursorResult[tuple[object, ...]], limit: int | None) -> QueryResult:
    chunks = iter(lambda: result.fetchmany(CHUNK), [])
    rows = (tuple(map(_to_plain, row)) for chunk in chunks for row in chunk)
    taken, cut = take_rows(rows, ROWS if limit is None else limit)
    return QueryResult(list(result.keys()), taken, cut)


def _to_plain(value: object) -> Value:
    """Convert a value of a driver to one that SQLite has: rows are compared, put into sets and printed as JSON.

    >>> _to_plain(Decimal("8.50")), _to_plain(Decimal("12")), _to_plain([1, 2]), _to_plain(memoryview(b"gif"))
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


def _list_restrictions(dialect: str, seconds: float, rows: int) -> list[str]:
    """Statements that make a transaction read only and limit its time and its rows, in this dialect."""
    if dialect == "postgresql":
        limit = f"SET LOCAL statement_timeout = {math.ceil(seconds * 1000)}"
        return ["SET TRANSACTION READ ONLY", limit, "SET LOCAL cursor_tuple_fraction = 1"]  # all rows are wanted
    times = {
        "mysql": f"SET SESSION max_execution_time = {math.ceil(seconds * 1000)}",
        "mariadb": f"SET SESSION max_statement_time = {seconds:g}",
    }
    if dialect not in times:
        return []
    # drivers read all rows of a query, also those that nobody wants, before the next one
    return [times[dialect], f"SET SESSION sql_select_limit = {rows + 1}", "START TRANSACTION READ ONLY"]
