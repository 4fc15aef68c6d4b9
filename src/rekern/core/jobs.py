"""Blocks of work handed to joblib: threads here by default, any joblib backend on request."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import joblib
import numpy as np


def jobs(n_jobs: int | None) -> int | None:
    """The number of jobs for joblib: all cores unless the caller or a ``joblib.parallel_config`` says otherwise.

    >>> jobs(2)
    2
    """
    if n_jobs is None:
        backend, configured = joblib.parallel.get_active_backend()
        return -1 if _is_default(backend, configured) and not backend.nesting_level else None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or not n_jobs:
        raise ValueError(f"n_jobs={n_jobs!r}: give a whole number of threads, -1 for all cores, or None")
    return int(n_jobs)


def _is_default(backend: Any, configured: int | None) -> bool:
    """Whether no ``joblib.parallel_config`` is in force: then joblib follows our preference for threads."""
    return configured is None and isinstance(backend, joblib.parallel.BACKENDS["loky"])


def shares_memory() -> bool:
    """Whether `run` works in this process: in threads, unless a ``joblib.parallel_config`` chose something else.

    >>> shares_memory()
    True
    """
    backend, configured = joblib.parallel.get_active_backend()
    in_process = (joblib.parallel.BACKENDS["threading"], joblib.parallel.BACKENDS["sequential"])
    return _is_default(backend, configured) or isinstance(backend, in_process)


def spans(total: int, size: int) -> list[tuple[int, int]]:
    """Consecutive ranges of at most ``size`` that cover 0 … total.

    >>> spans(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(first, min(first + size, total)) for first in range(0, total, size)]


def run(
    function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], n_jobs: int | None = None, label: str = ""
) -> Iterator[Any]:
    """The results of ``function(*call)`` for every call, in order, as they come.

    >>> list(run(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    from rekern.core.progress import track

    wanted = jobs(n_jobs)
    if len(calls) <= 1 or wanted == 1:
        results: Iterator[Any] = (function(*call) for call in calls)
    else:
        backend = joblib.parallel.get_active_backend()[0]
        as_they_come = "generator" if getattr(backend, "supports_return_generator", False) else "list"
        wanted = wanted and min(wanted, len(calls))  # joblib would start as many threads as it is told
        pool = joblib.Parallel(n_jobs=wanted, prefer="threads", return_as=as_they_come, pre_dispatch="2*n_jobs")
        if shares_memory():
            results = pool(joblib.delayed(function)(*call) for call in calls)
        else:
            shared = _Shared(function)
            results = pool(joblib.delayed(_call)(shared, *call) for call in calls)
    yield from track(results, len(calls), label)


class _Shared:
    """A function together with the arrays that it holds, to be sent to each process once and not with every call.

    joblib's Dask backend scatters an argument that says it is large; as the called function it would be pickled into
    every task, and would have to be hashable.
    """

    def __init__(self, function: Callable[..., Any]):
        self.function = function

    def __sizeof__(self) -> int:
        return 1 << 20


def _call(shared: _Shared, *arguments: Any) -> Any:
    return shared.function(*arguments)


def local(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], n_jobs: int | None = None) -> list[Any]:
    """The results of ``function(*call)`` for every call, from threads of this process, whatever joblib is set to.

    For compiled work on arrays that are too large to be worth sending elsewhere, or are filled in place.

    >>> local(max, [(1, 2), (4, 3)], n_jobs=2)
    [2, 4]
    """
    wanted = jobs(n_jobs)
    threads = joblib.effective_n_jobs(wanted) if wanted is not None else joblib.cpu_count()
    if len(calls) <= 1 or threads == 1:
        return [function(*call) for call in calls]
    with ThreadPoolExecutor(min(threads, len(calls))) as pool:
        return list(pool.map(lambda call: function(*call), calls))
