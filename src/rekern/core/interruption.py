"""Ctrl-C during long calls of compiled functions.

Python handles signals only between its own instructions. A compiled function of the main thread would delay Ctrl-C
until it returns. A long call is made in another thread, for which the main thread waits; it can be interrupted then.
The compiled function still runs to its end, without any effect.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextvars import copy_context
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")

LONG = 1 << 24  # steps of a call that is worth a thread; fewer take a tenth of a second at most


def call_core(steps: float, core: Callable[..., T], *arguments: object) -> T:
    """Return ``core(*arguments)``, a call of about as many steps, in such a way that Ctrl-C can interrupt it.

    >>> call_core(10**9, max, 1, 2)
    2
    """
    if steps < LONG or threading.current_thread() is not threading.main_thread():
        return core(*arguments)
    results: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(core(*arguments))
        except BaseException as error:
            errors.append(error)

    _call_elsewhere(work)
    if errors:
        raise errors[0]
    return results[0]


class _Worker:
    """A thread for the calls of the main thread, one after the other: a new one for each would find no memory ready."""

    def __init__(self) -> None:
        self.calls: SimpleQueue[tuple[Callable[[], None], threading.Lock] | None] = SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while (call := self.calls.get()) is not None:
            function, done = call
            function()
            del call, function  # and the arrays with them
            done.release()


_worker: _Worker | None = None


def _call_elsewhere(function: Callable[[], None]) -> None:
    """Call a function in the worker, and wait for it."""
    global _worker
    worker = _worker = _worker or _Worker()
    done = threading.Lock()
    done.acquire()
    context = copy_context()
    worker.calls.put((lambda: context.run(function), done))
    try:
        done.acquire()
    except BaseException:  # Ctrl-C: the next call does not wait for this one
        _worker = None
        worker.calls.put(None)
        raise


def _forget_worker() -> None:
    global _worker
    _worker = None  # a process that was forked has no threads but the one that forked


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_worker)
