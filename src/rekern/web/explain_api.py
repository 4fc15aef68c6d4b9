"""``/api/explain``: why a model decides as it does, as ``rekern explain --json`` prints it."""

from __future__ import annotations

from fastapi import FastAPI
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from rekern.core.json_values import JsonObject
from rekern.errors import InputError
from rekern.learning.pair_classifier import PairClassifier
from rekern.learning.pair_explanation import PairExplanation
from rekern.web.job_queue import Job
from rekern.web.json_route import JsonRoute
from rekern.web.predict_api import ModelName
from rekern.web.problems import Problem
from rekern.web.request_rows import PAIRS, TEXTS, PairRows, TextRows, read_rows
from rekern.web.served_models import ServedModel
from rekern.web.site import Site

NEIGHBORS = 3


class ExplainRequest(BaseModel):
    """A pair or a text to explain; or several."""

    model: ModelName = None
    source: str | None = Field(None, description="The first text of one pair.")
    target: str | None = Field(None, description="Its second text.")
    text: str | None = Field(None, description="Instead: the text, for a model of texts.")
    pairs: PairRows | None = PAIRS
    texts: TextRows | None = TEXTS
    label: str | int | float | None = Field(None, description="The class to explain, if there are more than two.")
    top: int | None = Field(None, ge=1, description="The number of parts; by default all of them.")
    neighbors: int = Field(NEIGHBORS, ge=0, le=100, description="The number of similar training pairs.")

    model_config = {
        "json_schema_extra": {
            "examples": [{"source": "The judge thanked the pilot.", "target": "The pilot was thanked.", "top": 5}]
        }
    }


def add_routes(app: FastAPI, site: Site) -> None:
    """Add the route."""

    async def explain(request: Request, asked: ExplainRequest) -> Response:
        """Return the exact decomposition of a decision value into rules, scores and the intercept.

        Two texts (``source`` and ``target``) give one explanation; ``pairs`` give an object with ``rows``.
        """
        model = site.models.find(asked.model)
        has_batch = asked.pairs is not None or asked.texts is not None
        pairs, texts = asked.pairs, asked.texts
        if not has_batch and model.is_for_texts:
            texts = None if asked.text is None else [asked.text]
        elif not has_batch and (asked.source is not None or asked.target is not None):
            pairs = [{"source": asked.source, "target": asked.target}]

        def work(job: Job) -> JsonObject:
            items = read_rows(site, model, pairs, texts).table.items
            rows = []
            for row in range(len(items)):
                job.check()
                try:
                    found = explain_item(model, items[row], asked.label, asked.neighbors)
                except InputError as error:
                    raise error.at(row=row) from None
                rows.append(found.to_dict(asked.top))
            return {"rows": rows} if has_batch else rows[0]

        answer = await site.answer_json(request, work)
        site.metrics.count_rows(model.name, len(pairs or texts or ()))
        return answer

    app.router.add_api_route(
        "/api/explain", explain, methods=["POST"], summary="Explain decisions", route_class_override=JsonRoute
    )


def explain_item(served: ServedModel, item: object, label: object, neighbors: int) -> PairExplanation:
    """Explain the decision about a pair or a text."""
    model = served.model
    if isinstance(model, PairClassifier):
        return model.explain(item, label=label, neighbors=neighbors)
    if label is not None:
        raise Problem("invalid-input", "a label is for classifiers; this model predicts numbers", column="label")
    return model.explain(item, neighbors=neighbors)
