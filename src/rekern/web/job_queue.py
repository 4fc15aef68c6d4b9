"""A bounded queue in front of a few threads: what does not fit is refused at once.

Compiled code releases Python's lock, so that jobs run at the same time. Small jobs of one kind that wait are done
together, which costs less than one after the other: the more is asked for, the more gets done.
"""

from __future__ import annotations

import asyncio
import threading
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
    """A job that waits: what is to be done about its part, together with others of its kind unless that is None."""

    result: Future[object]
    work: Callable[[Sequence[object]], Sequence[object]]
    part: object
    kind: Hashable = None
    rows: int = 0


class JobQueue:
    """Jobs of requests, in threads: ``workers`` at once, ``waiting`` more in a queue, each at most ``seconds`` long."""

    def __init__(self, workers: int, waiting: int, seconds: float, name: str = "jobs") -> None:
        self.workers, self.waiting, self.seconds, self.name = workers, waiting, seconds, name
        self.taken = 0  # jobs that wait or run, also those that nobody waits for any more
        self._pool = ThreadPoolExecutor(workers, f"rekern-{name}")
        self._tickets: dict[Future[object], _Ticket] = {}  # jobs that wait, in their order, by their result
        self._busy = 0  # threads that work, or are about to
        self._lock = threading.Lock()  # of both
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
        job = Job()

        def run(_: Sequence[object]) -> Sequence[T]:
            job.check()
            return [work(job)]

        return cast(T, await self._wait(self._add(_Ticket(Future(), run, None)), job, receive))

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
        ticket = _Ticket(Future(), cast("Callable[[Sequence[object]], Sequence[object]]", work), part, kind, rows)
        return cast(T, await self._wait(self._add(ticket), Job(), receive))

    def _add(self, ticket: _Ticket) -> Future[object]:
        """Let a job wait for a thread, and return what will be its result."""
        self._check_place()
        loop = asyncio.get_running_loop()
        self.taken += 1

        def release(result: Future[object]) -> None:
            with self._lock:
                self._tickets.pop(result, None)  # it was cancelled: what it is about is not kept
            try:
                loop.call_soon_threadsafe(self._release)
            except RuntimeError:  # the loop is closed
                self._release()

        ticket.result.add_done_callback(release)
        with self._lock:
            self._tickets[ticket.result] = ticket
            starts = self._busy < self.workers
            self._busy += starts
        if starts:
            self._pool.submit(self._work)
        return ticket.result

    def _work(self) -> None:
        """Do the jobs that wait, until there are none."""
        while tickets := self._take_tickets():
            tickets = [ticket for ticket in tickets if ticket.result.set_running_or_notify_cancel()]
            if tickets:
                _do_work(tickets)

    def _take_tickets(self) -> list[_Ticket]:
        """Return the job that has waited longest, with others that can be done together with it."""
        with self._lock:
            if not self._tickets:
                self._busy -= 1
                return []
            first, *others = self._tickets.values()
            taken, rows = [first], first.rows
            for ticket in others if first.kind is not None else []:
                if ticket.kind == first.kind:
                    rows += ticket.rows
                    if rows > MOST_TOGETHER:
                        break
                    taken.append(ticket)
            for ticket in taken:
                del self._tickets[ticket.result]
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

    def _release(self) -> None:
        self.taken -= 1

    def close(self) -> None:
        """Refuse new jobs; those that wait or run come to their end."""
        self._is_closed = True
        self._pool.shutdown(wait=False)


def _do_work(tickets: Sequence[_Ticket]) -> None:
    """Do jobs together, and hand out their results."""
    try:
        results = tickets[0].work([ticket.part for ticket in tickets])
    except BaseException as error:
        results = [error] * len(tickets)
    for ticket, result in zip(tickets, results):
        if isinstance(result, BaseException):
            ticket.result.set_exception(result)
        else:
            ticket.result.set_result(result)


async def _wait_for_leave(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
