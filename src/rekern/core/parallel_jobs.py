"""Parallel work: in threads by default, or with the joblib backend that the user configures."""

import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

from rekern.core.progress import track
from rekern.errors import InputError

T = TypeVar("T")

FEWEST = 1 << 15  # entries, or steps of as long, that are worth a call in a thread
SHARES = 2  # calls for each thread, so that none waits long for the others
SHARES_OF_WORKER = 4  # the same for each worker of a cluster

_thread = threading.local()  # whether this thread works for a call of `run`, and the threads that it keeps


def resolve_jobs(n_jobs: int | None) -> int | None:
    """Return the number of jobs for joblib: all cores, unless ``n_jobs`` or ``joblib.parallel_config`` sets another.

    >>> resolve_jobs(2)
    2
    """
    if n_jobs is None:
        if vars(_thread).get("is_working"):  # the threads beside this one use the cores
            return None
        if "joblib" not in sys.modules:  # nobody has configured it
            return -1
        import joblib

        backend, configured = joblib.parallel.get_active_backend()
        return -1 if _is_default(backend, configured) and not backend.nesting_level else None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or not n_jobs:
        raise InputError(f"n_jobs={n_jobs!r}: give a whole number of threads, -1 for all cores, or None")
    return int(n_jobs)


def _is_default(backend: object, configured: int | None) -> bool:
    """Return whether no ``joblib.parallel_config`` is active, so that `run` can choose threads."""
    import joblib

    return configured is None and isinstance(backend, joblib.parallel.BACKENDS["loky"])


def has_shared_memory() -> bool:
    """Return whether `run` works in this process, which is true unless ``joblib.parallel_config`` set another backend.

    >>> has_shared_memory()
    True
    """
    import joblib

    backend, configured = joblib.parallel.get_active_backend()
    in_process = (joblib.parallel.BACKENDS["threading"], joblib.parallel.BACKENDS["sequential"])
    return _is_default(backend, configured) or isinstance(backend, in_process)


def use_one_blas_thread() -> AbstractContextManager[object]:
    """Let BLAS use one thread in this block: the jobs use the cores, and the last digits do not depend on their number.

    >>> with use_one_blas_thread():
    ...     np.eye(2) @ np.eye(2)
    array([[1., 0.],
           [0., 1.]])
    """
    limits: AbstractContextManager[object] = _find_blas().limit(limits=1, user_api="blas")
    return limits


@cache
def _find_blas() -> ThreadpoolController:
    return ThreadpoolController()  # looks through all loaded libraries, which takes milliseconds


def split_range(total: int, size: int) -> list[tuple[int, int]]:
    """Split the range from 0 to ``total`` into consecutive ranges of at most ``size``.

    >>> split_range(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(first, min(first + size, total)) for first in range(0, total, size)]


def split_evenly(total: int, least: int, most: int, n_jobs: int | None = None) -> list[tuple[int, int]]:
    """Split the range from 0 to ``total`` into ranges of ``least`` to ``most``, about as many for each thread.

    >>> split_evenly(1000, 100, 400, n_jobs=2), split_evenly(150, 100, 400, n_jobs=2)
    ([(0, 250), (250, 500), (500, 750), (750, 1000)], [(0, 150)])
    """
    if total < 2 * least:
        return split_range(total, 2 * least)
    threads = count_threads(n_jobs)
    rounds = -(-total // (threads * most))
    return split_range(total, max(least, -(-total // (threads * rounds))))


def run(
    function: Callable[..., T], calls: Sequence[tuple[object, ...]], n_jobs: int | None = None, label: str = ""
) -> Iterator[T]:
    """Yield the results of ``function(*call)`` for every call, in order; ``label`` is shown on a progress bar.

    >>> list(run(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    n_jobs = resolve_jobs(n_jobs)
    if len(calls) <= 1 or n_jobs == 1:
        results: Iterator[T] = (function(*call) for call in calls)
    else:
        import joblib

        backend, configured = joblib.parallel.get_active_backend()
        if _is_default(backend, configured) or type(backend) is joblib.parallel.BACKENDS["threading"]:
            results = _run_in_own_threads(function, calls, n_jobs)
        else:
            results = _run_in_joblib(function, calls, n_jobs)
    yield from track(results, len(calls), label)


def _run_in_joblib(function: Callable[..., T], calls: Sequence[tuple[object, ...]], n_jobs: int | None) -> Iterator[T]:
    """Yield the results from the backend that the user has configured, in few shares: each is sent the function."""
    size = -(-len(calls) // (SHARES_OF_WORKER * count_jobs(n_jobs)))
    large = _LargeFunction(function)
    shares = [(large, calls[first:last]) for first, last in split_range(len(calls), size)]
    for results in run_at_workers(_call_all, shares, n_jobs):
        yield from results


class _LargeFunction:
    """A wrapper around a function with large arrays: joblib's Dask backend sends what is large only once."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function

    def __sizeof__(self) -> int:
        return 1 << 20


def _call_all(large: _LargeFunction, calls: Sequence[tuple[object, ...]]) -> list[Any]:
    return [large.function(*call) for call in calls]


def run_at_workers(
    function: Callable[..., T], calls: Iterable[tuple[object, ...]], n_jobs: int | None = -1
) -> Iterator[T]:
    """Yield the results of long calls in order, from the workers of joblib's backend; ``calls`` may be a generator.

    >>> list(run_at_workers(pow, iter([(2, 3), (3, 2)])))
    [8, 9]
    """
    import joblib

    backend = joblib.parallel.get_active_backend()[0]
    return_as = "generator" if getattr(backend, "supports_return_generator", False) else "list"
    pool = joblib.Parallel(n_jobs, prefer="threads", return_as=return_as, pre_dispatch="2*n_jobs", batch_size=1)
    for result, error in pool(joblib.delayed(_call_there)(function, call) for call in calls):
        if error is not None:
            raise error
        yield result


def _call_there(function: Callable[..., T], call: tuple[object, ...]) -> tuple[T | None, Exception | None]:
    """Return the result of a call on a worker, or its error: no library wraps it, or tries the call again.

    The call stays in one thread, for the other cores have calls of their own.
    """
    import joblib

    try:
        with joblib.parallel_config(backend="sequential"):
            return function(*call), None
    except Exception as error:
        return None, error


def run_in_threads(
    function: Callable[..., T], calls: Sequence[tuple[object, ...]], n_jobs: int | None = None
) -> list[T]:
    """Return the results of ``function(*call)`` for every call, always from threads of this process.

    Use it for compiled work on arrays that are filled in place, or too large to be sent to another process. After an
    error or Ctrl-C only the calls that run already are finished.

    >>> run_in_threads(max, [(1, 2), (4, 3)], n_jobs=2)
    [2, 4]
    """
    threads = 1 if len(calls) <= 1 else count_threads(n_jobs)
    if threads == 1:
        return [function(*call) for call in calls]
    kept: dict[int, ThreadPoolExecutor] | None = vars(_thread).get("pools")
    if kept is not None:
        return list(_get_pool(kept, threads).map(lambda call: function(*call), calls))
    pool = ThreadPoolExecutor(min(threads, len(calls)))
    try:
        return list(pool.map(lambda call: function(*call), calls))
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def keep_threads() -> Iterator[None]:
    """Let all calls of `run_in_threads` in this block use the same threads, as to start some takes milliseconds.

    >>> with keep_threads():
    ...     run_in_threads(max, [(1, 2), (4, 3)], n_jobs=2)
    [2, 4]
    """
    if "pools" in vars(_thread):
        yield
        return
    pools: dict[int, ThreadPoolExecutor] = {}
    _thread.pools = pools
    is_complete = False
    try:
        yield
        is_complete = True
    finally:
        del _thread.pools
        for pool in pools.values():
            pool.shutdown(wait=is_complete, cancel_futures=True)  # as below, nobody waits after an error or Ctrl-C


def limit_jobs(n_jobs: int | None, steps: int) -> int | None:
    """Return the number of jobs for so many steps: one if they take less time than threads need to begin.

    >>> limit_jobs(4, 10**6), limit_jobs(4, 10)
    (4, 1)
    """
    return n_jobs if steps >= FEWEST else 1


def count_threads(n_jobs: int | None) -> int:
    """Return how many threads of this process are to share work: one where all work is to stay in its thread.

    >>> count_threads(2)
    2
    """
    n_jobs = resolve_jobs(n_jobs)
    if n_jobs == 1 or is_alone():
        return 1
    import joblib

    return int(joblib.effective_n_jobs(n_jobs) if n_jobs is not None else joblib.cpu_count())


def count_jobs(n_jobs: int | None) -> int:
    """Return how many calls `run` makes side by side: in threads, or at the workers of the backend that is configured.

    >>> count_jobs(2)
    2
    """
    n_jobs = resolve_jobs(n_jobs)
    if n_jobs == 1:
        return 1
    import joblib

    return int(joblib.effective_n_jobs(n_jobs))


def is_alone() -> bool:
    """Return whether joblib is told to keep all work in its thread, as on a worker of a cluster.

    >>> is_alone()
    False
    """
    if "joblib" not in sys.modules:
        return False
    import joblib

    return isinstance(joblib.parallel.get_active_backend()[0], joblib.parallel.BACKENDS["sequential"])


@contextmanager
def allow_threads(n_jobs: int | None) -> Iterator[None]:
    """Let a call on a worker of a cluster use threads, if some were asked for; elsewhere nothing changes.

    >>> with allow_threads(2):
    ...     list(run(pow, [(2, 3), (3, 2)], 2))
    [8, 9]
    """
    if n_jobs in (None, 1) or not is_alone():
        yield
        return
    import joblib

    with joblib.parallel_config(backend="threading", n_jobs=n_jobs):
        yield


@contextmanager
def stay_here() -> Iterator[None]:
    """Let calls of `run` use threads of this process, also if a cluster is configured: what is sent would cost more.

    >>> with stay_here():
    ...     list(run(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    if has_shared_memory():
        yield
        return
    import joblib

    with joblib.parallel_config(backend="threading", n_jobs=-1):
        yield


def run_ahead(function: Callable[..., T], calls: Sequence[tuple[object, ...]], n: int = 2) -> Iterator[T]:
    """Yield the results of ``function(*call)`` for every call, in order; threads are at most ``n`` calls ahead.

    >>> list(run_ahead(pow, [(2, 3), (3, 2), (1, 5)]))
    [8, 9, 1]
    """
    with ThreadPoolExecutor(n) as pool:
        yield from _submit_ahead(pool, function, calls, n)


def _run_in_own_threads(
    function: Callable[..., T], calls: Sequence[tuple[object, ...]], n_jobs: int | None
) -> Iterator[T]:
    """Yield the results from threads; each result is there at once, while joblib looks for it every 10 ms."""
    import joblib

    threads = joblib.effective_n_jobs(n_jobs)
    if min(threads, len(calls)) == 1:
        yield from (function(*call) for call in calls)
        return
    kept: dict[int, ThreadPoolExecutor] | None = vars(_thread).get("pools")
    if kept is not None:
        yield from _submit_ahead(_get_pool(kept, threads), partial(_work, function), calls, 2 * threads)
        return
    pool = ThreadPoolExecutor(min(threads, len(calls)))
    try:
        yield from _submit_ahead(pool, partial(_work, function), calls, 2 * threads)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # after an error or Ctrl-C nobody waits for what runs already


def _get_pool(kept: dict[int, ThreadPoolExecutor], threads: int) -> ThreadPoolExecutor:
    if threads not in kept:
        kept[threads] = ThreadPoolExecutor(threads)
    return kept[threads]


def _work(function: Callable[..., T], *arguments: object) -> T:
    """Call a function in a thread whose own calls of `run` stay in it."""
    _thread.is_working = True
    try:
        return function(*arguments)
    finally:
        _thread.is_working = False


def _submit_ahead(
    pool: ThreadPoolExecutor, function: Callable[..., T], calls: Sequence[tuple[object, ...]], ahead: int
) -> Iterator[T]:
    """Yield the results in order; at most this many calls are submitted before their results are taken."""
    waiting = deque(pool.submit(function, *call) for call in calls[:ahead])
    try:
        for call in calls[ahead:]:
            result = waiting.popleft().result()
            waiting.append(pool.submit(function, *call))
            yield result
        while waiting:
            yield waiting.popleft().result()
    finally:
        for call_ahead in waiting:
            call_ahead.cancel()
