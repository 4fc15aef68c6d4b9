"""``/api/rules``: the strongest rules and scores of a model, as ``rekern rules --json`` prints them."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query
from starlette.requests import Request
from starlette.responses import Response

from rekern.core.json_values import JsonObject
from rekern.kernels.rewriting.strong_rules import STORED
from rekern.learning.rule_listing import describe_rules, list_rules
from rekern.web.job_queue import Job
from rekern.web.site import Site


def add_routes(app: FastAPI, site: Site) -> None:
    """Add the route."""

    @app.get("/api/rules", summary="List rules and scores")
    async def rules(
        request: Request,
        model: str | None = None,
        label: str | None = None,
        top: Annotated[int, Query(ge=1, le=STORED)] = 20,
    ) -> Response:
        """Return the ``top`` rules for and against each label, and the scores, with weight, support and an example."""
        served = site.models.find(model)

        def work(job: Job) -> JsonObject:
            return describe_rules(served.model, list_rules(served.model, top, label))

        return await site.answer_json(request, work)
