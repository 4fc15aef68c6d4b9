"""The pages about the server itself: the description of the API, signing in, styles and scripts."""

from __future__ import annotations

import hashlib
from urllib.parse import parse_qs

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rekern.drawing.stylesheet import PAGE_STYLE, REPORT_STYLE, STYLE
from rekern.web.access import COOKIE
from rekern.web.problems import KINDS, Problem
from rekern.web.site import STATIC, Site

TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


def add_routes(app: FastAPI, site: Site) -> None:
    """Add the pages."""
    files = {path.name: path.read_bytes() for path in STATIC.iterdir()}
    files["drawing.css"] = f"{PAGE_STYLE}\n{STYLE}\n{REPORT_STYLE}\n".encode()
    tags = {name: f'"{hashlib.sha256(data).hexdigest()[:16]}"' for name, data in files.items()}

    @app.get("/static/{name}", include_in_schema=False)
    async def static(request: Request, name: str) -> Response:
        if name not in files:
            raise Problem.from_status(404)
        headers = {"ETag": tags[name], "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == tags[name]:
            return Response(status_code=304, headers=headers)
        return Response(files[name], 200, headers, TYPES[name[name.rindex(".") :]])

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        return site.render(request, "docs", {"kinds": dict(sorted(KINDS.items(), key=lambda item: item[1].status))})

    @app.get("/sign-in", include_in_schema=False)
    async def show_form(request: Request) -> Response:
        return site.render(request, "sign_in", {"failed": False})

    @app.post("/sign-in", include_in_schema=False)
    async def sign_in(request: Request) -> Response:
        fields = parse_qs((await request.body()).decode("utf-8", "replace"))
        if not site.access.is_token(fields.get("token", [""])[0]):
            return site.render(request, "sign_in", {"failed": True}, 401)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(COOKIE, site.access.make_session(), httponly=True, samesite="strict")
        return answer
