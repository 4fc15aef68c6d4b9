"""Messages between a program and the process that asks a database for it: the length in eight bytes, then JSON."""

from __future__ import annotations

import base64
import json
from typing import IO

from rekern.core.json_values import Json, JsonObject
from rekern.krisp.answering.database import Value


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
