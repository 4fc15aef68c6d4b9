"""The application: all routes in one, with the guard in front."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rekern.core.version import __version__
from rekern.errors import InputError, MissingExtraError, ModelFileError
from rekern.web import (
    ask_api,
    ask_page,
    docs_page,
    explain_api,
    file_page,
    kernels_page,
    pair_page,
    predict_api,
    question_api,
    question_page,
    rules_api,
    rules_page,
    status_api,
)
from rekern.web.guard import Guard, is_api
from rekern.web.job_queue import ClientGone
from rekern.web.problems import Problem
from rekern.web.site import Site

DESCRIPTION = (
    "Learned relations between texts: predictions, and every decision taken apart. The answers are the same JSON that"
    " the commands print with --json. Errors are problem details (RFC 9457) with the row where it is known."
)


def make_application(site: Site, log: Callable[[str], None] | None = None, shows_texts: bool = False) -> Guard:
    """Return the ASGI application of a site; ``log`` gets one line for each request.

    Lines have no texts of users, unless ``shows_texts`` is true.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        site.close()

    app = FastAPI(
        title="Rekern", version=__version__, description=DESCRIPTION, docs_url=None, redoc_url=None, lifespan=lifespan
    )
    for api in (predict_api, explain_api, rules_api, ask_api, question_api, status_api):
        api.add_routes(app, site)
    for page in (pair_page, rules_page, file_page, ask_page, question_page, kernels_page, docs_page):
        page.add_routes(app, site)
    _answer_errors(app, site)
    paths = {route.path for route in app.routes if hasattr(route, "path")}
    queues = {"/api/": site.queue, "/file": site.files}
    return Guard(app, site.access, site.limits, queues, site.metrics, paths, log, shows_texts)


def is_page(request: Request) -> bool:
    """Whether a person has opened an address in a browser: a link, and no part of a page that a script asks for."""
    if request.method != "GET" or is_api(request.scope) or "part" in request.query_params:
        return False
    return "text/html" in request.headers.get("accept", "")


def _answer_errors(app: FastAPI, site: Site) -> None:
    """Answer every error with problem details, or with a page that has them."""

    @app.exception_handler(HTTPException)
    async def refuse(request: Request, error: HTTPException) -> Response:
        problem = error if isinstance(error, Problem) else Problem.from_status(error.status_code, error.headers)
        if is_page(request):
            return site.render(request, "problem", {"problem": problem}, problem.status_code, problem.headers)
        return problem.to_response()

    @app.exception_handler(RequestValidationError)
    async def refuse_fields(_: Request, error: RequestValidationError) -> Response:
        return Problem.from_fields(error.errors()).to_response()

    @app.exception_handler(InputError)
    async def refuse_input(_: Request, error: InputError) -> Response:
        return Problem.from_error(error).to_response()

    @app.exception_handler(MissingExtraError)
    @app.exception_handler(ModelFileError)
    async def refuse_missing(_: Request, error: Exception) -> Response:
        return Problem("invalid-input", str(error)).to_response()

    @app.exception_handler(ClientGone)
    async def stop(_: Request, error: ClientGone) -> Response:
        return Response(status_code=499)  # which nobody reads

    @app.exception_handler(Exception)
    async def fail(_: Request, error: Exception) -> Response:  # the guard writes the log
        return Problem("internal", "the server failed to answer; its log says where").to_response()

    @app.exception_handler(MemoryError)
    async def refuse_memory(_: Request, error: MemoryError) -> Response:
        return Problem("out-of-time", "there is not enough memory for this; send less at once").to_response()
