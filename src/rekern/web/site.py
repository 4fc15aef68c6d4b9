"""What all routes of the server share: models, limits, queues, counts, templates."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.resources import files

from jinja2 import Environment, PackageLoader, select_autoescape
from pydantic_core import PydanticSerializationError, to_json
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from rekern.core.json_values import to_json_value
from rekern.core.version import __version__
from rekern.drawing.markup import write_signed
from rekern.errors import InputError
from rekern.web.access import Access
from rekern.web.job_queue import Job, JobQueue
from rekern.web.metrics import Metrics
from rekern.web.problems import Problem
from rekern.web.served_models import ServedModels
from rekern.web.serving_limits import ServingLimits

JSON = "application/json"
STATIC = files("rekern.web").joinpath("static")


class Site:
    """A server's models and everything that its routes need."""

    def __init__(self, models: ServedModels, limits: ServingLimits | None = None, access: Access | None = None) -> None:
        limits = limits or ServingLimits()
        self.models, self.limits = models, limits
        self.access = access or Access()
        self.queue = JobQueue(limits.workers, limits.waiting, limits.seconds)
        self.files = JobQueue(1, 4, limits.file_seconds, "files")
        self.metrics = Metrics([self.queue, self.files])
        self._templates = Environment(
            loader=PackageLoader("rekern.web"),
            autoescape=select_autoescape(default=True),
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters["signed"] = write_signed
        self._templates.globals.update(version=__version__, models=models, needs_token=self.access.needs_token)

    async def answer_json(self, request: Request, work: Callable[[Job], object]) -> Response:
        """Run a job in the queue and return its result as JSON."""
        return Response(await self.queue.run(lambda job: dump_json(work(job)), request.receive), media_type=JSON)

    async def answer_page(
        self, request: Request, template: str, values: Mapping[str, object], work: Callable[[Job], Mapping[str, object]]
    ) -> Response:
        """Run a job in the queue and return a page, or the part of it that changes, with its result."""
        try:
            found = await self.queue.run(work, request.receive)
        except InputError as error:
            return self.render(request, template, {**values, "problem": str(error)}, 422)
        except Problem as problem:
            return self.render(request, template, {**values, "problem": problem.detail}, problem.status_code)
        return self.render(request, template, {**values, **found})

    def render(
        self,
        request: Request,
        template: str,
        values: Mapping[str, object],
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Return a page; with ``part`` in the query only its changing part, for the scripts."""
        name = f"{template}_part" if "part" in request.query_params else template
        html = self.fill(name, {"page": template, **values})
        content = html.encode("utf-8", "replace")  # a model file may have half of a character
        return HTMLResponse(content, status, {**(headers or {}), "Cache-Control": "no-store"})

    def fill(self, template: str, values: Mapping[str, object]) -> str:
        """Return a template with values filled in; all text in it is escaped."""
        return self._templates.get_template(f"{template}.html").render(values)

    def check_text(self, text: str, column: str, row: int | None = None) -> str:
        """Return a text that is not too long and has no halves of characters."""
        if len(text) > self.limits.characters:
            most = f"give at most {self.limits.characters:,}"
            detail = f"the text has {len(text):,} characters; {most}"
            where = ", ".join([*([] if row is None else [f"row {row}"]), column])
            raise Problem("text-too-long", f"{where}: {detail}", row=row, column=column)
        if not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text):
            raise Problem("invalid-input", f"{column}: the text has half of a character", row=row, column=column)
        return text

    def check_rows(self, count: int) -> None:
        """Refuse a batch with too many rows."""
        if count > self.limits.rows:
            detail = f"{count:,} rows; send at most {self.limits.rows:,} at once"
            raise Problem("too-many-rows", detail, row=self.limits.rows)

    def close(self) -> None:
        """Take no more jobs."""
        self.queue.close()
        self.files.close()


def dump_json(value: object) -> bytes:
    """Return a value as JSON, with null for numbers that are not finite.

    >>> dump_json({"rule": "⟨1⟩", "score": float("nan")}).decode()
    '{"rule":"⟨1⟩","score":null}'
    """
    try:
        return to_json(value, inf_nan_mode="null", fallback=to_json_value)
    except (PydanticSerializationError, TypeError, ValueError):  # half of a character, or no plain value
        try:
            return json.dumps(to_json_value(value), ensure_ascii=False).encode("utf-8", "replace")
        except RecursionError:  # a field that is copied
            raise InputError("a value has too many lists and objects inside each other: leave it out") from None
