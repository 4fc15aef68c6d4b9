"""Connecting to a database by its path or URL."""

from __future__ import annotations

import re

from rekern.core.files import show_path
from rekern.errors import InputError, missing_extra
from rekern.krisp.answering.database import SECONDS, Database, describe_error
from rekern.krisp.answering.sqlalchemy_database import SQLAlchemyDatabase
from rekern.krisp.answering.sqlite_database import check_file, open_sqlite

EXAMPLE = "postgresql+psycopg://user:password@host/database"


def connect_database(url: str, seconds: float = SECONDS) -> Database:
    """Open a database in this process, where its limits of time and memory hold against most queries, not against all.

    >>> connect_database(" ")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: the database has no name: give an SQLite file, or a URL of SQLAlchemy
    """
    text = url
    if not text.strip():
        raise InputError("the database has no name: give an SQLite file, or a URL of SQLAlchemy")
    match = re.match(r"([a-z][a-z0-9_]*)(\+[a-z0-9_]+)?://", text, re.IGNORECASE)
    if match is None or (match[1].lower() == "sqlite" and not match[2]):
        return open_sqlite(text[match.end() :].removeprefix("/") if match else text, seconds)
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
        raise InputError(f"{shown}: {describe_error(error)}") from None
    if engine.dialect.is_async:
        raise InputError(f"{shown}: the driver {engine.dialect.driver} is asynchronous; take another, as in {EXAMPLE}")
    database = SQLAlchemyDatabase(shown, engine, seconds)
    if engine.dialect.name != "sqlite":
        database.check_connection()
    elif engine.url.database and not engine.url.database.startswith((":memory:", "file:")):
        check_file(engine.url.database)  # which SQLite would make
    return database
