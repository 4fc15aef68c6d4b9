"""``/api/predict``: the predictions of a model, as ``rekern predict --json`` prints them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from fastapi import FastAPI
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from rekern.core.json_values import JsonObject
from rekern.datasets.tables import TableBlock
from rekern.errors import InputError
from rekern.learning.pair_ranker import PairRanker
from rekern.learning.predicted_columns import predict_columns
from rekern.learning.predicted_rows import ColumnChoice, PredictedRows
from rekern.web.job_queue import Job
from rekern.web.request_rows import PAIRS, TEXTS, PairRows, TextRows, read_rows
from rekern.web.served_models import ServedModel
from rekern.web.site import Site

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

    model_config = {
        "json_schema_extra": {"examples": [{"pairs": [["The judge thanked the pilot.", "The pilot was thanked."]]}]}
    }


def add_routes(app: FastAPI, site: Site) -> None:
    """Add the route."""

    @app.post("/api/predict", summary="Predict pairs or texts")
    async def predict(request: Request, asked: PredictRequest) -> Response:
        """Return one row for each pair: a class and the probabilities, a number, or a score and a rank.

        Other fields of the objects, such as an id, stand in front of the predictions. A batch costs less than many
        requests.
        """
        model = site.models.find(asked.model)

        def work(job: Job) -> JsonObject:
            block = read_rows(site, model, asked.pairs, asked.texts)
            choice = ColumnChoice(None, False, "label", _ignore)
            rows = [
                row
                for part in iterate_predictions(model, block, asked.threshold, job, choice)
                for row in part.list_rows()
            ]
            return {"pairs": len(rows), "rows": rows}

        answer = await site.answer_json(request, work)
        site.metrics.count_rows(model.name, len(asked.pairs or asked.texts or ()))
        return answer


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


def _ignore(message: str) -> None:
    """Say nothing: the names of the columns are in the answer."""
