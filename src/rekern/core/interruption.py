"""Ctrl-C during long calls of compiled functions.

Python handles signals only between its own instructions. A compiled function of the main thread would delay Ctrl-C
until it returns. A long call is made in another thread, for which the main thread waits; it can be interrupted then.
The compiled function still runs to its end, without any effect.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")

LONG = 1 << 20  # steps of a call that is worth a thread; they take a few milliseconds


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

    thread = threading.Thread(target=copy_context().run, args=(work,), daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
