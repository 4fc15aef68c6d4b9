"""SQLite databases, opened only to read, every query with limits on its time and on what it brings back."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from rekern.core.files import show_path
from rekern.errors import InputError
from rekern.krisp.answering.database import (
    ROWS,
    SECONDS,
    QueryResult,
    check_seconds,
    describe_error,
    describe_timeout,
    take_rows,
)
from rekern.krisp.answering.sql_compiler import Query

STEPS = 1000  # instructions of SQLite between two looks at the clock
LONGEST_VALUE = 10_000_000  # bytes of one value; SQLite itself would make values that fill the memory

# The functions that a query may call. Others reach files or memory (load_extension, fts3_tokenizer), or only make
# long values out of nothing, so that one call takes longer than any limit (zeroblob, hex, printf).
FUNCTIONS = frozenset(
    """
    abs avg ceil ceiling changes coalesce concat concat_ws count cume_dist current_date current_time
    current_timestamp date datetime degrees dense_rank exp first_value floor glob group_concat if ifnull iif instr
    json json_array_length json_extract json_type julianday lag last_value lead length like likelihood likely ln log
    log10 log2 lower ltrim match max median min mod nth_value ntile nullif octet_length percent_rank pi pow power
    radians random rank replace round row_number rtrim sign soundex sqrt strftime string_agg substr substring sum
    time timediff total trim trunc typeof unicode unixepoch unlikely upper sin cos tan asin acos atan atan2 -> ->>
    """.split()  # noqa: SIM905
)
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}


class SQLiteDatabase:
    """An SQLite database in this process, for data and queries that you trust; threads wait for each other.

    `rekern.krisp.answering.isolated_database.open_database` opens a file in a process of its own, where the limits hold
    against any query.

    >>> import sqlite3
    >>> connection = sqlite3.connect(":memory:")
    >>> _ = connection.execute("CREATE TABLE river (name TEXT, km REAL)")
    >>> _ = connection.execute("INSERT INTO river VALUES ('Rhine', 1233)")
    >>> database = SQLiteDatabase("an example", connection)
    >>> database.run(Query("SELECT km FROM river WHERE name = :v1", {"v1": "Rhine"})).rows
    [(1233.0,)]
    >>> database.run(Query("DELETE FROM river", {}))
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: an example: not authorized
    """

    def __init__(self, name: str, connection: sqlite3.Connection, seconds: float = SECONDS):
        self.name, self.seconds = name, check_seconds(seconds)
        self._connection = connection
        # One thread at a time: SQLite calls back into Python, and two threads would wait for each other for ever.
        self._lock = threading.Lock()
        restrict_to_reading(connection)

    def run(self, query: Query, limit: int = ROWS) -> QueryResult:
        """Run a query and return the rows that it finds."""
        with self._lock, limit_time(self._connection, self.name, self.seconds):
            cursor = self._connection.execute(query.sql, query.parameters)
            rows, cut = take_rows(cursor, limit)
            columns = [column[0] for column in cursor.description or []]
            cursor.close()
        return QueryResult(columns, rows, cut)

    def prepare(self, query: Query) -> None:
        """Have the database check a query without running it."""
        self.run(Query(f"EXPLAIN {query.sql}", query.parameters))

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()


def open_sqlite(path: str, seconds: float) -> SQLiteDatabase:
    """Open an SQLite file, only to read."""
    check_file(path)
    try:
        uri = f"file:{quote(str(Path(path).resolve()))}?mode=ro"
        connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        connection.text_factory = _decode
        connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchall()
    except sqlite3.Error as error:
        raise InputError(str(error), file=show_path(path)) from None
    return SQLiteDatabase(show_path(path), connection, seconds)


def check_file(path: str) -> None:
    """Refuse a path that is no existing file; SQLite would make the file."""
    if "\0" in path or not path:
        raise InputError(f"{show_path(path)} is no name of a database file")
    if Path(path).is_dir():
        name = show_path(path)
        raise InputError(f"{name} is a folder: give an SQLite file in it", file=name, names_file=True)
    if not Path(path).is_file():
        raise InputError("there is no such database file", file=show_path(path))


def _decode(data: bytes) -> str:
    """Text of a database; a single value that is no UTF-8 must not make all others unusable."""
    return data.decode("utf-8", "replace")


def restrict_to_reading(connection: sqlite3.Connection) -> None:
    """Let a connection read and do nothing else."""
    connection.set_authorizer(None)
    connection.execute("PRAGMA query_only = ON")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)

    def allowed(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        harmless = action in _READING or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in FUNCTIONS)
        return sqlite3.SQLITE_OK if harmless else sqlite3.SQLITE_DENY

    connection.set_authorizer(allowed)


@contextmanager
def limit_time(connection: sqlite3.Connection, name: str, seconds: float) -> Iterator[None]:
    """Stop the query of a connection when the time is over; errors become one line."""
    deadline = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > deadline, STEPS)
    try:
        yield
    except sqlite3.Error as error:
        late = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT
        raise InputError(describe_timeout(name, seconds) if late else f"{name}: {describe_error(error)}") from None
    finally:
        connection.set_progress_handler(None, 0)
