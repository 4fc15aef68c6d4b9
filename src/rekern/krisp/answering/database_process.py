"""The process that asks a database for `rekern.krisp.answering.isolated_database`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rekern.core.json_values import JsonObject
from rekern.errors import InputError, MissingExtraError
from rekern.krisp.answering.database import Database
from rekern.krisp.answering.database_messages import pack_value, read_message, write_message
from rekern.krisp.answering.database_urls import connect_database
from rekern.krisp.answering.sql_compiler import Query


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
