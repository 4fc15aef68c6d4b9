"""Computations in steps whose calls are shared by threads."""

import threading
from collections.abc import Callable, Generator, Sequence
from itertools import count
from queue import PriorityQueue
from typing import TypeAlias, TypeVar, cast

from rekern.core.parallel_jobs import Results, count_threads, keep_threads, run_calls, run_in_threads, split_range

T = TypeVar("T")

Steps: TypeAlias = Generator[list[tuple[object, ...]], Results, T]  # see `run_together`

BEGINNING = -1  # in place of the number of a call
STOP = -1  # in place of the number of a computation; it is taken before all calls


def run_together(works: Sequence[Steps[T]], n_jobs: int | None = None, urgent: int = 0) -> list[T]:
    """Return the results of several computations whose steps are shared by threads of this process.

    A computation is a generator. It yields the calls of a step, each a function and its arguments, and gets their
    results. What it does between its steps is done by one thread. No computation waits for the steps of another one:
    many short rounds of all threads would cost more than the work itself. Calls of the first ``urgent`` computations,
    which have a long last step, are made before those of the others.

    >>> def find_longest(words):
    ...     lengths = yield [(len, word) for word in words]
    ...     return max(lengths)
    >>> run_together([find_longest(["a", "abc"]), find_longest(["ab"])], n_jobs=2)
    [3, 2]
    """
    flow = _Flow(works, urgent)
    if len(works) == 1:
        flow.advance(0, None)  # it may have no step of several calls, for which threads would be needed
    else:
        flow.begin()
    if flow.unfinished:
        with keep_threads():  # until they have stopped
            try:
                run_in_threads(flow.work, [()] * count_threads(n_jobs), n_jobs)
            finally:
                flow.stop()
    return cast("list[T]", flow.results)


def split_shares(n: int, shares: int) -> list[tuple[int, int]]:
    """Cut the range from 0 to n - 1 into at most so many equal ranges, for the calls of a step.

    >>> split_shares(5, 2), split_shares(0, 2)
    ([(0, 3), (3, 5)], [])
    """
    return split_range(n, max(1, -(-n // shares)))


class _Flow:
    """Computations in steps. The thread that makes the last call of a step goes on to the next step."""

    def __init__(self, works: Sequence[Steps[object]], urgent: int):
        self.works, self.urgent = works, urgent
        self.results: Results = [None] * len(works)
        self.answers: list[Results] = [[] for _ in works]
        self.missing = [0] * len(works)  # results of calls of the present step
        self.unfinished = len(works)
        self.tickets = count()  # so that calls are made in the order in which they are put, and never compared
        self.calls: PriorityQueue[tuple[bool, int, int, int, tuple[object, ...]]] = PriorityQueue()
        self.lock = threading.Lock()
        self.is_stopped = False

    def begin(self) -> None:
        """Let threads begin all computations."""
        for number in range(len(self.works)):
            self._put(number, BEGINNING, ())

    def stop(self) -> None:
        """Let all threads stop before their next call."""
        self.is_stopped = True
        self.calls.put((False, STOP, STOP, STOP, ()))

    def work(self) -> None:
        """Make calls until all computations are finished, or one has failed."""
        try:
            while not self.is_stopped:
                *_, number, place, call = self.calls.get()
                if number == STOP:
                    break
                if place == BEGINNING:
                    self.advance(number, None)
                    continue
                self.answers[number][place] = cast("Callable[..., object]", call[0])(*call[1:])
                del call  # and the arrays with it
                with self.lock:
                    self.missing[number] -= 1
                    is_last = not self.missing[number]
                if is_last:
                    self.advance(number, self.answers[number])
        finally:
            self.stop()  # for the next thread; after an error for all

    def advance(self, number: int, answers: Results | None) -> None:
        """Take a computation to its next step of several calls, or to its end; a step of one call is made here."""
        while True:
            try:
                calls = self.works[number].send(cast("Results", answers))  # None begins it
            except StopIteration as end:
                self.results[number] = end.value
                with self.lock:
                    self.unfinished -= 1
                if not self.unfinished:
                    self.stop()
                return
            if len(calls) > 1:
                break
            answers = run_calls(calls, 1)
        self.answers[number], self.missing[number] = [None] * len(calls), len(calls)
        for place, call in enumerate(calls):
            self._put(number, place, call)

    def _put(self, number: int, place: int, call: tuple[object, ...]) -> None:
        self.calls.put((number >= self.urgent, next(self.tickets), number, place, call))
