"""A bounded queue in front of a few threads: what does not fit is refused at once.

Compiled code releases Python's lock, so that jobs run at the same time. Small jobs of one kind that wait are done
together, which costs less than one after the other: the more is asked for, the more gets done.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, TypeVar, cast

from starlette.types import Receive

from rekern.web.problems import Problem

T = TypeVar("T")
Part = TypeVar("Part")

MOST_TOGETHER = 500  # rows that are done in one step


class JobCancelled(Exception):
    """Nobody waits for the job any more."""


class ClientGone(Exception):
    """The client has closed the connection; there is nobody to answer."""


class Job:
    """A piece of work that can be told to stop.

    >>> job = Job()
    >>> job.check()
    >>> job.cancel()
    >>> job.is_cancelled()
    True
    """

    def __init__(self) -> None:
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Ask the job to stop at its next check."""
        self._cancelled.set()

    def is_cancelled(self) -> bool:
        """Whether the job shall stop."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Stop here if the job was cancelled; long work calls this between its steps."""
        if self.is_cancelled():
            raise JobCancelled


class _Ticket(NamedTuple):
    """A small job that waits to be done together with others: what it is about, its rows, and its result."""

    part: object
    rows: int
    result: Future[object]


class JobQueue:
    """Jobs of requests, in threads: ``workers`` at once, ``waiting`` more in a queue, each at most ``seconds`` long."""

    def __init__(self, workers: int, waiting: int, seconds: float, name: str = "jobs") -> None:
        self.workers, self.waiting, self.seconds, self.name = workers, waiting, seconds, name
        self.taken = 0  # jobs that wait or run, also those that nobody waits for any more
        self._pool = ThreadPoolExecutor(workers, f"rekern-{name}")
        self._tickets: dict[Hashable, deque[_Ticket]] = {}  # by kind
        self._lock = threading.Lock()  # of the tickets
        self._is_closed = False

    def is_full(self) -> bool:
        """Whether the next job would be refused."""
        return self.taken >= self.workers + self.waiting

    def refuse(self) -> Problem:
        """Return the answer to a job for which there is no place."""
        seconds = "1"
        places = self.workers + self.waiting
        detail = f"{places:,} {self.name} wait or run, which is all that fits; try again in {seconds} second"
        return Problem("too-many-jobs", detail, headers={"Retry-After": seconds})

    async def run(self, work: Callable[[Job], T], receive: Receive | None = None) -> T:
        """Run a job in a thread and return its result.

        The job is cancelled when its time is over, or when ``receive`` tells that the client has left.
        """
        self._check_place()
        job = Job()

        def run() -> T:
            job.check()
            return work(job)

        return await self._wait(self._note(self._pool.submit(run)), job, receive)

    async def run_together(
        self,
        kind: Hashable,
        part: Part,
        rows: int,
        work: Callable[[Sequence[Part]], Sequence[T | Exception]],
        receive: Receive | None = None,
    ) -> T:
        """Run a small job in a thread, with others of the same kind that wait, and return its result.

        ``work`` gets the parts of all of them, and returns a result or an error for each.
        """
        self._check_place()
        ticket = _Ticket(part, rows, self._note(Future()))
        with self._lock:
            self._tickets.setdefault(kind, deque()).append(ticket)
        self._pool.submit(self._work_together, kind, work)
        return await self._wait(cast("Future[T]", ticket.result), Job(), receive)

    def _work_together(self, kind: Hashable, work: Callable[[Sequence[Part]], Sequence[T | Exception]]) -> None:
        tickets = [ticket for ticket in self._take_tickets(kind) if ticket.result.set_running_or_notify_cancel()]
        if not tickets:  # another thread has done it
            return
        results: Sequence[T | BaseException]
        try:
            results = work([cast(Part, ticket.part) for ticket in tickets])
        except BaseException as error:
            results = [error] * len(tickets)
        for ticket, result in zip(tickets, results):
            if isinstance(result, BaseException):
                ticket.result.set_exception(result)
            else:
                ticket.result.set_result(result)

    def _take_tickets(self, kind: Hashable) -> list[_Ticket]:
        with self._lock:
            waiting = self._tickets.get(kind)
            if not waiting:
                return []
            taken = [waiting.popleft()]
            rows = taken[0].rows
            while waiting and rows + waiting[0].rows <= MOST_TOGETHER:
                rows += waiting[0].rows
                taken.append(waiting.popleft())
            if not waiting:
                del self._tickets[kind]
            return taken

    def _check_place(self) -> None:
        if self._is_closed:
            raise Problem("ending", "the server is about to end; try again later", headers={"Retry-After": "5"})
        if self.is_full():
            raise self.refuse()

    async def _wait(self, started: Future[T], job: Job, receive: Receive | None) -> T:
        waiter = asyncio.wrap_future(started)
        leaving = None if receive is None else asyncio.ensure_future(_wait_for_leave(receive))
        watched: list[asyncio.Future[T] | asyncio.Future[None]] = [waiter] if leaving is None else [waiter, leaving]
        try:
            await asyncio.wait(watched, timeout=self.seconds, return_when=asyncio.FIRST_COMPLETED)
            if waiter.done():
                return waiter.result()
            if leaving is not None and leaving.done():
                raise ClientGone
            detail = f"the work took longer than {self.seconds:g} s; send less at once"
            raise Problem("out-of-time", detail, headers={"Retry-After": "5"})
        finally:
            if not waiter.done():
                job.cancel()
                waiter.cancel()  # which keeps a job from starting that still waits
            if leaving is not None:
                leaving.cancel()

    def _note(self, started: Future[T]) -> Future[T]:
        """Count a job until its end."""
        loop = asyncio.get_running_loop()
        self.taken += 1

        def release(_: Future[T]) -> None:
            try:
                loop.call_soon_threadsafe(self._release)
            except RuntimeError:  # the loop is closed
                self._release()

        started.add_done_callback(release)
        return started

    def _release(self) -> None:
        self.taken -= 1

    def close(self) -> None:
        """Refuse new jobs; those that wait or run come to their end."""
        self._is_closed = True
        self._pool.shutdown(wait=False)


async def _wait_for_leave(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
