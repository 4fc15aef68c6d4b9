"""The page File: predictions for a table that is dropped on it. Nothing is kept."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, NamedTuple

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from rekern.core.json_values import JsonObject, to_json_value
from rekern.datasets.table_writer import TableWriter
from rekern.datasets.tables import Table
from rekern.errors import InputError, MissingExtraError
from rekern.learning.predicted_rows import ColumnChoice
from rekern.learning.table_labels import read_truth
from rekern.web.job_queue import Job
from rekern.web.page_state import PageState
from rekern.web.predict_api import iterate_predictions
from rekern.web.problems import Problem
from rekern.web.served_models import ServedModel
from rekern.web.site import Site
from rekern.web.uploaded_table import FORMATS, ColumnNames, read_upload

if TYPE_CHECKING:
    from rekern.learning.reports.model_report import Report

Tell = Callable[[JsonObject], None]
PREVIEW = 20  # rows that the page shows
WRITTEN = {"csv": "csv", "jsonl": "jsonl", "json": "jsonl"}  # the format of the predictions; else TSV


def add_routes(app: FastAPI, site: Site) -> None:
    """Add the page."""

    @app.get("/file", include_in_schema=False)
    async def show(request: Request) -> Response:
        state = PageState(site, request)
        model = state.model()
        values = {"model": model, "formats": FORMATS, "limits": site.limits, "format": state.text("format")}
        return site.render(request, "file", {**values, "names": _read_names(state).fill(model)})

    @app.post("/file", include_in_schema=False)
    async def predict(request: Request) -> Response:
        state = PageState(site, request)
        model, format = state.model(), state.choice("format", FORMATS)
        names = _read_names(state)
        data = await request.body()
        if site.files.is_full():
            raise site.files.refuse()
        events = _stream(site, lambda job, tell: predict_file(site, model, Upload(data, format, names), job, tell))
        return StreamingResponse(events, media_type="application/x-ndjson", headers={"Cache-Control": "no-store"})


def _read_names(state: PageState) -> ColumnNames:
    return ColumnNames(*(state.text(name) for name in ColumnNames._fields))


async def _stream(site: Site, work: Callable[[Job, Tell], None]) -> AsyncIterator[bytes]:
    """Yield what a job tells, one line of JSON each, while it runs; it is cancelled when nobody reads any more."""
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[JsonObject | None] = asyncio.Queue()

    def tell(event: JsonObject | None) -> None:
        loop.call_soon_threadsafe(told.put_nowait, event)

    async def run() -> None:
        try:
            await site.files.run(lambda job: work(job, tell))
        except (InputError, MissingExtraError) as error:
            tell({"problem": str(error)})
        except Problem as problem:
            tell({"problem": problem.detail})
        finally:
            tell(None)

    task = asyncio.ensure_future(run())
    try:
        while (event := await told.get()) is not None:
            yield json.dumps(to_json_value(event), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        await task
    finally:
        task.cancel()


class Upload(NamedTuple):
    """What the browser sends: the bytes of a file, its format, and the names of its columns."""

    data: bytes
    format: str
    names: ColumnNames


def predict_file(site: Site, model: ServedModel, upload: Upload, job: Job, tell: Tell) -> None:
    """Predict a file, and tell the progress, the rows of the result and a summary."""
    block = read_upload(site, model, *upload)
    total, done = len(block.table), 0
    written = WRITTEN.get(upload.format, "tsv")
    stream = io.BytesIO()
    table = TableWriter(stream, f"predictions.{written}", written, to_screen=False)
    tell({"progress": 0, "total": total, "name": f"predictions.{written}"})
    choice = ColumnChoice(None, True, "")
    preview: list[dict[str, object]] = []
    for rows in iterate_predictions(model, block, None, job, choice):
        table.write({**rows.copied, **rows.predicted})
        done += len(rows)
        if len(preview) < PREVIEW:
            preview += rows.list_rows()[: PREVIEW - len(preview)]
        tell({"progress": done, "total": total, "table": stream.getvalue().decode()})
        stream.seek(0)
        stream.truncate()
    job.check()
    report = _make_report(model, block.table)
    if report is not None:
        tell({"report": report.to_html()})
    fragment = None
    if report is not None:
        from rekern.drawing.report_page import draw_report

        fragment = draw_report(report.to_dict(), report.draw_mistakes(), [], False, style=False)
    html = site.fill("file_part", {"preview": preview, "total": total, "report": fragment})
    tell({"html": html, "summary": f"{total:,} row{'s are' if total != 1 else ' is'} predicted."})


def _make_report(model: ServedModel, table: Table) -> Report | None:
    """Return how good the model is on a table, if it has labels."""
    if table.labels is None:
        return None
    from rekern.learning.reports.model_report import make_report

    labels = read_truth(model.model, table)
    names = {"model": model.name}
    return make_report(model.model, table.items, labels, table.list_groups(), names=names)
