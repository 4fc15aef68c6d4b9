"""A database in a process of its own, so that no query can use more time or memory than it may, or end the program.

A query of a stranger can keep SQLite busy inside one function, where no clock is looked at, ask for gigabytes, or meet
a fault of the library or of a driver. The process that it runs in is then stopped, and the next query starts a new one.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import rekern
from rekern.core.json_values import JsonObject
from rekern.errors import InputError, MissingExtraError
from rekern.krisp.answering.database import (
    MEMORY,
    ROWS,
    SECONDS,
    Database,
    QueryResult,
    check_memory,
    check_seconds,
    describe_timeout,
)
from rekern.krisp.answering.database_process import read_message, unpack_value, write_message
from rekern.krisp.answering.sql_compiler import Query

GRACE = 1.0  # seconds that a database has to stop a late query itself
START = 60.0  # seconds for the start of the process and the connection


def open_database(url: str | Path, seconds: float = SECONDS, memory: int = MEMORY) -> Database:
    """Open a database only to read: an SQLite file by its path (or sqlite:///path), others by a URL of SQLAlchemy.

    Queries run in a process of their own, each in at most ``seconds`` and with at most ``memory`` bytes.

    >>> open_database("no such.db")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: no such.db: there is no such database file
    """
    return IsolatedDatabase(str(url), seconds, memory)


class IsolatedDatabase:
    """A database that another process asks; `open_database` opens one.

    ``seconds`` and ``memory`` (bytes) are the limits of one query. May be used by several threads: they wait for each
    other.
    """

    def __init__(self, url: str, seconds: float = SECONDS, memory: int = MEMORY):
        self.seconds, self.memory = check_seconds(seconds), check_memory(memory)
        self.name = "the database"  # until it is open: the URL may hold a password
        self._url = url
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        with self._lock:
            self._start()

    def run(self, query: Query, limit: int = ROWS) -> QueryResult:
        """Run a query and return the rows that it finds."""
        found = self._ask({"sql": query.sql, "parameters": query.parameters, "limit": limit})
        rows = [tuple(map(unpack_value, row)) for row in found["rows"]]
        return QueryResult(found["columns"], rows, found["cut"])

    def prepare(self, query: Query) -> None:
        """Have the database check a query without running it."""
        self._ask({"sql": query.sql, "parameters": query.parameters, "limit": None})

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._stop()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # at the end of the program, parts of Python may be gone
            self._stop()

    def _ask(self, request: JsonObject) -> JsonObject:
        with self._lock:
            if self._process is None:
                self._start()
            return self._exchange(request, self.seconds + GRACE)

    def _start(self) -> None:
        command = [
            sys.executable,
            "-c",
            "from rekern.krisp.answering.database_process import answer_requests; answer_requests()",
        ]
        folders = [str(Path(rekern.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # what libraries say there is no answer, and may quote values
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders))},
            start_new_session=True,  # Ctrl-C is for the program, which stops this process
        )
        # The URL may hold a password, so it is no argument of the command: those can be seen by others.
        opened = self._exchange(
            {"url": self._url, "seconds": self.seconds, "memory": self.memory}, self.seconds + START
        )
        self.name = opened["name"]

    def _exchange(self, request: JsonObject, seconds: float) -> JsonObject:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Event()

        def stop_late() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, stop_late)
        timer.daemon = True
        timer.start()
        try:
            write_message(process.stdin, request)
            answer = read_message(process.stdout)
        except (OSError, ValueError):
            answer = None
        except BaseException:  # Ctrl-C
            self._stop()
            raise
        finally:
            timer.cancel()
        if answer is None:
            self._stop()
            if late.is_set():
                raise InputError(describe_timeout(self.name, self.seconds))
            raise InputError(f"{self.name}: the query made the database's process end; it is not run again")
        if "error" in answer:
            raise _unpack_error(answer)
        return answer

    def _stop(self) -> None:
        process, self._process = getattr(self, "_process", None), None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was not sent yet
                    pipe.close()
        process.wait()


def _unpack_error(answer: JsonObject) -> Exception:
    reason = answer.pop("error")
    return MissingExtraError(reason) if answer.pop("missing", False) else InputError(reason, **answer)
