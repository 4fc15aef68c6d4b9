"""``/api/predict``: the predictions of a model, as ``rekern predict --json`` prints them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

from fastapi import FastAPI
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from rekern.datasets.tables import Table, TableBlock
from rekern.errors import InputError
from rekern.learning.pair_ranker import PairRanker
from rekern.learning.predicted_columns import predict_columns
from rekern.learning.predicted_rows import ColumnChoice, PredictedRows
from rekern.web.job_queue import MOST_TOGETHER, Job
from rekern.web.json_route import JsonRoute
from rekern.web.problems import Problem
from rekern.web.request_rows import PAIRS, TEXTS, PairRows, TextRows, read_rows
from rekern.web.served_models import ServedModel
from rekern.web.site import JSON, Site, dump_json

ROWS = 500  # between two checks whether somebody still waits

ModelName = Annotated[str | None, Field(description="The name of a model; by default the first one.")]
Threshold = Annotated[float, Field(gt=0, lt=1)] | Literal["accuracy", "f1"]


class PredictRequest(BaseModel):
    """Pairs or texts to judge."""

    model: ModelName = None
    pairs: PairRows | None = PAIRS
    texts: TextRows | None = TEXTS
    threshold: Threshold | None = Field(
        None,
        description="Predict the second of two classes above this probability, or above the best one for a measure.",
    )

    group: str | None = Field(
        None,
        description="For a ranker: the field of the pairs that names their group; by default the first text.",
    )

    model_config = {
        "json_schema_extra": {"examples": [{"pairs": [["The judge thanked the pilot.", "The pilot was thanked."]]}]}
    }


def add_routes(app: FastAPI, site: Site) -> None:
    """Add the route."""

    async def predict(request: Request, asked: PredictRequest) -> Response:
        """Return one row for each pair: a class and the probabilities, a number, or a score and a rank.

        Other fields of the objects, such as an id, stand in front of the predictions. A batch costs less than many
        requests.
        """
        model = site.models.find(asked.model)
        rows = len(asked.pairs or asked.texts or ())

        def work(job: Job) -> bytes:
            block = read_rows(site, model, asked.pairs, asked.texts, asked.group)
            choice = ColumnChoice(None, False, "label")
            return write_answer(list(iterate_predictions(model, block, asked.threshold, job, choice)))

        def work_together(parts: Sequence[PredictRequest]) -> list[bytes | Exception]:
            return predict_together(site, model, parts, asked.threshold)

        if rows <= MOST_TOGETHER and model.reads_pairs_alone:
            kind = model.name, asked.threshold
            body = await site.queue.run_together(kind, asked, rows, work_together, request.receive)
        else:
            body = await site.queue.run(work, request.receive)
        site.metrics.count_rows(model.name, rows)
        return Response(body, media_type=JSON)

    app.router.add_api_route(
        "/api/predict", predict, methods=["POST"], summary="Predict pairs or texts", route_class_override=JsonRoute
    )


def predict_together(
    site: Site, model: ServedModel, requests: Sequence[PredictRequest], threshold: Threshold | None
) -> list[bytes | Exception]:
    """Return the answers to small requests: their pairs are predicted in one step."""
    answers: list[bytes | Exception] = [RuntimeError("nothing was predicted")] * len(requests)
    blocks: dict[int, TableBlock] = {}
    for number, asked in enumerate(requests):
        try:
            blocks[number] = read_rows(site, model, asked.pairs, asked.texts, asked.group)
        except (Problem, InputError) as problem:
            answers[number] = problem
    for number, found in predict_blocks(model, blocks, threshold).items():
        try:
            answers[number] = found if isinstance(found, Exception) else write_answer([found])
        except InputError as error:
            answers[number] = error
    return answers


def predict_blocks(
    model: ServedModel, blocks: Mapping[int, TableBlock], threshold: Threshold | None
) -> dict[int, PredictedRows | Exception]:
    """Return the predictions for each of some tables; if one of them is at fault, only that one has an error."""
    tables = [block.table for block in blocks.values()]
    whole = tables[0] if len(tables) == 1 else join_pairs(tables)
    try:
        predicted = predict_columns(model.model, whole, threshold)
    except Exception as error:
        if len(blocks) > 1:
            alone = [predict_blocks(model, {number: block}, threshold) for number, block in blocks.items()]
            return {number: found for part in alone for number, found in part.items()}
        return {number: whole.locate(error) if isinstance(error, InputError) else error for number in blocks}
    found: dict[int, PredictedRows | Exception] = {}
    first = 0
    for number, block in blocks.items():
        last = first + len(block.table)
        own = {name: values[first:last] for name, values in predicted.items()}
        found[number] = ColumnChoice(None, False, "label").copy(block, own)
        first = last
    return found


def join_pairs(tables: Sequence[Table]) -> Table:
    """Return a table of the pairs of all tables, and of nothing else."""
    pairs = [pair for table in tables for pair in table.pairs]
    return Table(pairs, None, None, None, list(range(len(pairs))), ["source", "target"], "row")


def write_answer(parts: Sequence[PredictedRows]) -> bytes:
    """Return predictions as JSON."""
    rows = [row for part in parts for row in part.list_rows()]
    return dump_json({"pairs": len(rows), "rows": rows})


def iterate_predictions(
    model: ServedModel, block: TableBlock, threshold: float | str | None, job: Job, choice: ColumnChoice
) -> Iterator[PredictedRows]:
    """Predict a table, some rows after the other; the job may end between them."""
    count = len(block.table)
    step = count if isinstance(model.model, PairRanker) else ROWS  # ranks need all rows of a group
    for start in range(0, count, step):
        job.check()
        some = block if step >= count else take_rows(block, range(start, min(start + step, count)))
        try:
            predicted = predict_columns(model.model, some.table, threshold)
        except InputError as error:
            raise some.table.locate(error) from None
        yield choice.copy(some, predicted)


def take_rows(block: TableBlock, rows: range) -> TableBlock:
    """Return some rows of a table."""
    return TableBlock(block.table.select(rows), block.columns.select(rows), block.texts)
