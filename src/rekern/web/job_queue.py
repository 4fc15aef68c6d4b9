"""A bounded queue in front of a few threads: what does not fit is refused at once.

Compiled code releases Python's lock, so that jobs run at the same time.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from starlette.types import Receive

from rekern.web.problems import Problem

T = TypeVar("T")


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


class JobQueue:
    """Jobs of requests, in threads: ``workers`` at once, ``waiting`` more in a queue, each at most ``seconds`` long."""

    def __init__(self, workers: int, waiting: int, seconds: float, name: str = "jobs") -> None:
        self.workers, self.waiting, self.seconds, self.name = workers, waiting, seconds, name
        self.taken = 0  # jobs that wait or run, also those that nobody waits for any more
        self._pool = ThreadPoolExecutor(workers, f"rekern-{name}")
        self._is_closed = False

    def is_full(self) -> bool:
        """Whether the next job would be refused."""
        return self.taken >= self.workers + self.waiting

    def refuse(self) -> Problem:
        """Return the answer to a job for which there is no place."""
        seconds = "1"
        detail = f"{self.taken:,} {self.name} wait or run, which is all that fits; try again in {seconds} second"
        return Problem("too-many-jobs", detail, headers={"Retry-After": seconds})

    async def run(self, work: Callable[[Job], T], receive: Receive | None = None) -> T:
        """Run a job in a thread and return its result.

        The job is cancelled when its time is over, or when ``receive`` tells that the client has left.
        """
        if self._is_closed:
            raise Problem("ending", "the server is about to end; try again later", headers={"Retry-After": "5"})
        if self.is_full():
            raise self.refuse()
        job = Job()
        started = self._start(job, work)
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

    def _start(self, job: Job, work: Callable[[Job], T]) -> Future[T]:
        loop = asyncio.get_running_loop()
        self.taken += 1

        def run() -> T:
            job.check()
            return work(job)

        def release(_: Future[T]) -> None:
            try:
                loop.call_soon_threadsafe(self._release)
            except RuntimeError:  # the loop is closed
                self._release()

        started = self._pool.submit(run)
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
