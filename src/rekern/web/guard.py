"""What stands in front of the application: access, limits, headers, counts, one line of log for each request."""

from __future__ import annotations

import asyncio
import os
import sys
import time
import traceback
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rekern.web.access import Access
from rekern.web.job_queue import JobQueue
from rekern.web.metrics import Metrics
from rekern.web.problems import Problem
from rekern.web.serving_limits import ServingLimits

Log = Callable[[str], None]

BODY_SECONDS = 30.0  # in which the body of a request must arrive
REFUSED = 400  # the least status of a request that is not answered

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class Guard:
    """An ASGI application in front of another one."""

    def __init__(
        self,
        inner: ASGIApp,
        access: Access,
        limits: ServingLimits,
        queues: Mapping[str, JobQueue],
        metrics: Metrics,
        paths: Collection[str] = (),
        log: Log | None = None,
        shows_texts: bool = False,
    ) -> None:
        self._inner, self._access, self._limits = inner, access, limits
        self._queues, self._metrics, self._log, self._shows_texts = queues, metrics, log, shows_texts
        self._room = BodyRoom(limits.room)
        self._paths = frozenset(paths)  # those that are counted by their name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        started = time.perf_counter()
        answer = Answer(send)
        body = LimitedBody(receive, self._limits.body, self._room)
        try:
            problem = self._find_problem(scope)
            queue = self._find_queue(scope)
            if problem is None and queue is not None and queue.is_full():
                await queue.refuse().to_response()(scope, receive, answer)  # before the body is read
            elif problem is None:
                await self._inner(scope, body, answer)
            else:
                await _make_refusal(problem, scope)(scope, receive, answer)
        except asyncio.CancelledError:
            answer.status = answer.status or 499
            raise
        except Exception as error:
            self._report(scope, error)
            if not answer.status:
                detail = "the server failed to answer; its log says where"
                await Problem("internal", detail).to_response()(scope, receive, answer)
        finally:
            body.release()
            seconds = time.perf_counter() - started
            path = self._name_path(scope)
            method = scope["method"] if scope["method"] in ("GET", "POST", "HEAD") else "other"
            self._metrics.count_request(method, path, answer.status, seconds)
            if self._log is not None and not (path == "/static" and answer.status < REFUSED):
                shown = _show_path(scope) if self._shows_texts else path
                self._log(f"{method} {shown} {answer.status} {1000 * seconds:.1f} ms")

    def _find_problem(self, scope: Scope) -> Problem | None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        method, path = scope["method"], scope["path"]
        problem = self._access.find_problem(method, path, headers)
        if problem is not None:
            return problem
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._limits.body:
            return refuse_body(self._limits.body)
        return None

    def _find_queue(self, scope: Scope) -> JobQueue | None:
        """Return the queue in which a request with a body will wait."""
        if scope["method"] != "POST":
            return None
        return next((queue for start, queue in self._queues.items() if scope["path"].startswith(start)), None)

    def _name_path(self, scope: Scope) -> str:
        """Return the path if the server has it; names that clients make up are counted together."""
        path: str = scope["path"]
        return path if path in self._paths else "/static" if path.startswith("/static/") else "other"

    def _report(self, scope: Scope, error: Exception) -> None:
        """Log a bug: what and where, without its message, which may have a text in it."""
        if self._log is None:
            return
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        self._log(f"error: {type(error).__name__} at {place} in {self._name_path(scope)}")
        if os.environ.get("REKERN_TRACEBACK"):
            traceback.print_exception(error, file=sys.stderr)


class Answer:
    """The way out: it notes the status, and adds the headers that every answer has."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    async def __call__(self, message: Message) -> None:
        """Send a message of the application."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
        await self._send(message)


class BodyRoom:
    """The memory that the bodies of all requests share, until they are answered: ``size`` bytes.

    >>> room = BodyRoom(100)
    >>> room.take(60), room.take(60)
    (True, False)
    """

    def __init__(self, size: int) -> None:
        self._free = size

    def take(self, count: int) -> bool:
        """Take some bytes, and return whether there was room for them."""
        self._free -= count
        return self._free >= 0

    def give_back(self, count: int) -> None:
        """Give bytes back."""
        self._free += count


class LimitedBody:
    """The way in: it ends a body that is too large or too slow, or for which there is no room beside the others."""

    def __init__(self, receive: Receive, limit: int, room: BodyRoom, seconds: float = BODY_SECONDS) -> None:
        self._receive, self._limit, self._room = receive, limit, room
        self._read = 0
        self._is_complete = False
        self._deadline = time.monotonic() + seconds

    async def __call__(self) -> Message:
        """Return the next message of the client."""
        if self._is_complete:
            return await self._receive()
        try:
            async with asyncio.timeout(max(self._deadline - time.monotonic(), 0.01)):
                message = await self._receive()
        except TimeoutError:
            raise Problem("too-slow", "the body did not arrive in time", headers={"Connection": "close"}) from None
        if message["type"] == "http.request":
            count = len(message.get("body", b""))
            self._read += count
            self._is_complete = not message.get("more_body", False)
            has_room = self._room.take(count)
            if self._read > self._limit:
                raise refuse_body(self._limit)
            if not has_room:
                detail = "there is no room for this beside the bodies of other requests; try again in 1 second"
                raise Problem("too-many-jobs", detail, headers={"Retry-After": "1"})
        return message

    def release(self) -> None:
        """Give the room of the body back."""
        self._room.give_back(self._read)
        self._read = 0


def is_api(scope: Scope) -> bool:
    """Whether a request is for the API."""
    path: str = scope["path"]
    return path.startswith("/api/")


def refuse_body(limit: int) -> Problem:
    """Return the answer to a body that is too large.

    >>> refuse_body(16_000_000).detail
    'the body has more than 16 MB; send less at once, or start the server with --max-body'
    """
    detail = f"the body has more than {limit / 1e6:g} MB; send less at once, or start the server with --max-body"
    return Problem("too-large", detail)


def _make_refusal(problem: Problem, scope: Scope) -> Response:
    """Return the answer to a refused request; a browser without a session is sent to the page that makes one."""
    if problem.kind == "no-token" and scope["method"] == "GET" and not is_api(scope):
        accepted = Request(scope).headers.get("accept", "")
        if "text/html" in accepted:
            return RedirectResponse("/sign-in", 303)
    return problem.to_response()


def _show_path(scope: Scope) -> str:
    query = scope.get("query_string", b"").decode("latin-1")
    text = scope["path"] + (f"?{query}" if query else "")
    return "".join(sign if sign.isprintable() else "?" for sign in text)
