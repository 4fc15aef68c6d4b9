"""The process that asks a database for `rekern.krisp.answering.isolated_database`."""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO

from rekern.core.json_values import Json, JsonObject
from rekern.errors import InputError, MissingExtraError
from rekern.krisp.answering.database import Database, Value
from rekern.krisp.answering.database_urls import connect_database
from rekern.krisp.answering.sql_compiler import Query


def pack_value(value: Value) -> Json:
    """Write a value of a database as JSON, which has no bytes.

    >>> pack_value(b"gif"), unpack_value(pack_value(b"gif"))
    ({'bytes': 'Z2lm'}, b'gif')
    """
    return {"bytes": base64.b64encode(value).decode("ascii")} if isinstance(value, bytes) else value


def unpack_value(value: Json) -> Value:
    """Read what `pack_value` wrote."""
    return base64.b64decode(value["bytes"]) if isinstance(value, dict) else value


def write_message(pipe: IO[bytes], message: JsonObject) -> None:
    """Write a message to a pipe, and send it."""
    data = json.dumps(message, ensure_ascii=True).encode("ascii")  # also what is no proper Unicode
    pipe.write(len(data).to_bytes(8, "big") + data)
    pipe.flush()


def read_message(pipe: IO[bytes]) -> JsonObject | None:
    """The next message; None at the end of the pipe."""
    header = pipe.read(8)
    if len(header) < 8:
        return None
    size = int.from_bytes(header, "big")
    data = pipe.read(size)
    return json.loads(data) if len(data) == size else None


def answer_requests() -> None:
    """Be the process: open the database that the first message names, then answer queries until the pipe is closed."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a driver prints must not come between the answers
    first = read_message(requests)
    if first is None:
        return
    opened: list[Database] = []

    def open_named() -> JsonObject:
        opened.append(connect_database(first["url"], first["seconds"]))
        limit_memory(first["memory"])
        return {"name": opened[0].name}

    write_message(answers, _collect_answer(open_named))
    if not opened:
        return
    while (request := read_message(requests)) is not None:
        write_message(answers, _collect_answer(partial(_run_request, opened[0], request)))


def _run_request(database: Database, request: JsonObject) -> JsonObject:
    query = Query(request["sql"], request["parameters"])
    try:
        if request["limit"] is None:
            database.prepare(query)
            return {}
        found = database.run(query, request["limit"])
    except MemoryError:
        raise InputError(f"{database.name}: the query needs more memory than it may have") from None
    return {"columns": [*found.columns], "rows": [[*map(pack_value, row)] for row in found.rows], "cut": found.cut}


def _collect_answer(work: Callable[[], JsonObject]) -> JsonObject:
    try:
        return work()
    except InputError as error:
        place = {"file": error.file, "row": error.row, "column": error.column, "unit": error.unit}
        return {"error": error.reason, **place, "names_file": error.names_file}
    except MissingExtraError as error:
        return {"error": str(error), "missing": True}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:300]}


def limit_memory(memory: int) -> None:
    """Let this process take at most ``memory`` bytes more than it has; where the system cannot, nothing is limited."""
    try:
        import resource

        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return
    resource.setrlimit(resource.RLIMIT_AS, (taken + memory, taken + memory))


if __name__ == "__main__":
    answer_requests()
