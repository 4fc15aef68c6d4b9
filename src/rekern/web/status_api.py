"""``/api/models``, ``/api/health`` and ``/api/metrics``: what the server has, and how it is."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.responses import Response

from rekern.core.version import __version__
from rekern.web.metrics import MEDIA_TYPE
from rekern.web.site import JSON, Site, dump_json


def add_routes(app: FastAPI, site: Site) -> None:
    """Add the routes."""

    @app.get("/api/models", summary="List the models")
    async def models() -> Response:
        """Return the name, task, classes and kernel of each model, and what questions are asked about."""
        return Response(dump_json(site.models.describe()), media_type=JSON)

    @app.get("/api/health", summary="Tell whether the server is there")
    async def health() -> Response:
        """Return that the server answers; it needs no token."""
        found = {"status": "ok", "version": __version__, "jobs": site.queue.taken, "files": site.files.taken}
        return Response(dump_json(found), media_type=JSON)

    @app.get("/api/metrics", summary="Count what was done")
    async def metrics() -> Response:
        """Return counts of requests, durations, rows and jobs in the text format of Prometheus."""
        return Response(site.metrics.write(), media_type=MEDIA_TYPE)
