"""Errors as answers: problem details (RFC 9457) as ``application/problem+json``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import Response

from rekern.core.json_values import JsonMapping, JsonObject
from rekern.errors import InputError

MEDIA_TYPE = "application/problem+json"


class ProblemKind(NamedTuple):
    """A kind of problem: the status of the answer, and what it is in words."""

    status: int
    title: str


KINDS = {
    "invalid-input": ProblemKind(422, "The input cannot be used"),
    "text-too-long": ProblemKind(422, "A text is too long"),
    "too-many-rows": ProblemKind(422, "There are too many rows"),
    "not-json": ProblemKind(400, "The body is not JSON"),
    "not-found": ProblemKind(404, "There is nothing here"),
    "unknown-model": ProblemKind(404, "There is no such model"),
    "wrong-method": ProblemKind(405, "The address has no such method"),
    "too-slow": ProblemKind(408, "The request arrived too slowly"),
    "too-large": ProblemKind(413, "The request is too large"),
    "wrong-host": ProblemKind(421, "The request is for another host"),
    "no-token": ProblemKind(401, "A token is needed"),
    "other-site": ProblemKind(403, "The request comes from another site"),
    "too-many-jobs": ProblemKind(429, "There is too much to do"),
    "out-of-time": ProblemKind(503, "The work took too long"),
    "ending": ProblemKind(503, "The server is about to end"),
    "internal": ProblemKind(500, "The server failed"),
}
NO_OBJECT = ("model_attributes_type", "model_type", "dict_type", "missing")  # what pydantic calls it
BY_STATUS = {
    400: ("not-json", "the body cannot be read: send JSON, or the form of the page"),
    404: ("not-found", "there is nothing at this address: / has the pages, /docs describes the API"),
    405: ("wrong-method", "the address has no such method: /docs says which one it has"),
}


class Problem(HTTPException):
    """A request that is refused: what is wrong, and where.

    >>> Problem("text-too-long", "30,000 characters; give at most 20,000", row=3, column="source").status_code
    422
    """

    def __init__(
        self, kind: str, detail: str, *, headers: Mapping[str, str] | None = None, **place: int | str | None
    ) -> None:
        super().__init__(KINDS[kind].status, detail, dict(headers or {}))
        self.kind = kind
        self.place: JsonObject = {name: value for name, value in place.items() if value is not None}

    @classmethod
    def from_error(cls, error: InputError) -> Problem:
        """Return the problem of an input; its rows are counted as in the input."""
        lines = error.row if error.unit == "line" else None
        return cls("invalid-input", str(error), row=None if lines else error.row, line=lines, column=error.column)

    @classmethod
    def from_status(cls, status: int, headers: Mapping[str, str] | None = None) -> Problem:
        """Return the problem of an answer of the framework, with its headers, such as the methods that are allowed."""
        kind, detail = BY_STATUS.get(status, ("invalid-input", "the request cannot be read: /docs describes the API"))
        return cls(kind, detail, headers=headers)

    @classmethod
    def from_fields(cls, errors: Sequence[JsonMapping]) -> Problem:
        """Return the problem of fields of a body or a query that do not fit their schema: the first of them.

        >>> Problem.from_fields([{"loc": ("body", "pairs", 3), "msg": "Input should be a list"}]).place
        {'row': 3, 'column': 'pairs'}
        """
        first = errors[0]
        if first.get("type") == "json_invalid":
            return cls("not-json", f"the body is not JSON: {first.get('ctx', {}).get('error', 'it cannot be read')}")
        if first.get("type") in NO_OBJECT and len(first["loc"]) == 1:
            return cls("invalid-input", "the body is no object of JSON; send one, with Content-Type: application/json")
        names = [part for part in first["loc"][1:] if isinstance(part, str)]
        rows = [part for part in first["loc"][1:] if isinstance(part, int)]
        column = names[0] if names else None
        message = str(first["msg"]).removeprefix("Value error, ")
        row = rows[0] if rows else None
        where = ", ".join([*([f"row {row}"] if rows else []), *([column] if column else [])])
        return cls(
            "invalid-input", f"{where or 'the body'}: {message[:1].lower()}{message[1:]}", row=row, column=column
        )

    @property
    def title(self) -> str:
        """What kind of problem it is."""
        return KINDS[self.kind].title

    def to_dict(self) -> JsonObject:
        """Return the members of the problem details."""
        about = {"type": f"/docs#{self.kind}", "title": self.title, "status": self.status_code}
        return {**about, "detail": self.detail, **self.place}

    def to_response(self) -> Response:
        """Return the answer."""
        body = json.dumps(self.to_dict(), ensure_ascii=False).encode("utf-8", "replace")
        return Response(body, self.status_code, dict(self.headers or {}), MEDIA_TYPE)
