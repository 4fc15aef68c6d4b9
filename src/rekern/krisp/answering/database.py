"""Databases that answer queries: what every database has, and the limits of a query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from rekern.errors import InputError
from rekern.krisp.answering.sql_compiler import Query

SECONDS = 10.0  # what a query may take
ROWS = 10_000  # what a query may bring back
RESULT_BYTES = 50_000_000  # of all its values together; later rows are cut
MEMORY = 1 << 30  # bytes that a query may take
LEAST_MEMORY = 1 << 24
LONGEST_WAIT = 2_000_000.0  # seconds; PostgreSQL and threads count no further than a few weeks

Value: TypeAlias = str | int | float | bytes | None


class QueryResult(NamedTuple):
    """The rows that a query found; ``cut`` tells whether there were more than the limits allow."""

    columns: list[str]
    rows: list[tuple[Value, ...]]
    cut: bool = False


class Database(Protocol):
    """A database that can be asked; `open_database` opens one, and any object with these methods will do.

    ``name`` is for messages, ``seconds`` is the time that a query may take.
    """

    name: str
    seconds: float

    def run(self, query: Query, limit: int = ROWS) -> QueryResult:
        """Run a query and return at most ``limit`` rows; what cannot be run raises ``InputError``."""
        ...

    def prepare(self, query: Query) -> None:
        """Have the database check a query without running it; what it refuses raises ``InputError``."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


def check_seconds(seconds: float) -> float:
    """Return a time limit that all databases can keep.

    >>> check_seconds(1.5), check_seconds(float("inf"))
    (1.5, 2000000.0)
    """
    if not seconds > 0:
        raise InputError("the time limit of a query must be more than 0 seconds")
    return min(seconds, LONGEST_WAIT)


def check_memory(memory: int) -> int:
    """Return a limit of memory, in bytes, that leaves room for the smallest queries.

    >>> check_memory(1 << 30)
    1073741824
    """
    if not memory >= LEAST_MEMORY:
        raise InputError(f"the memory limit of a query must be at least {LEAST_MEMORY >> 20} megabytes")
    return int(memory)


def take_rows(rows: Iterable[Sequence[Value]], limit: int) -> tuple[list[tuple[Value, ...]], bool]:
    """Take rows up to the limits of their number and size; also tell whether there were more.

    >>> take_rows([("Rhine",), ("Inn",)], 1)
    ([('Rhine',)], True)
    """
    taken: list[tuple[Value, ...]] = []
    size = 0
    for row in rows:
        size += sum(len(value) if isinstance(value, str | bytes) else 8 for value in row)
        if len(taken) == limit or (taken and size > RESULT_BYTES):
            return taken, True
        taken.append(tuple(row))
    return taken, False


def describe_timeout(name: str, seconds: float) -> str:
    """The message about a query that took too long.

    >>> describe_timeout("rivers.db", 10.0)
    'rivers.db: the query was stopped after 10 seconds'
    """
    return f"{name}: the query was stopped after {seconds:g} seconds"


def describe_error(error: object) -> str:
    """The message of a database error on one line, without the excerpt of the SQL that PostgreSQL adds.

    >>> describe_error('column "lake" does not exist\\nLINE 1: SELECT lake FROM river\\n               ^')
    'column "lake" does not exist'
    """
    said = getattr(error, "orig", None) or error
    fields = getattr(said, "args", None) or [said]
    if isinstance(fields[0], dict):  # as the driver pg8000 has them
        said = fields[0].get("M", said)
    lines = [line for line in str(said).splitlines() if not re.match(r"LINE \d+: |\s*\^\s*$", line)]
    return " ".join(" ".join(lines).split())[:300]
