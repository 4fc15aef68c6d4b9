"""The blocks of joblib on a cluster: one backend for all libraries, so that all of them run a lost block again.

The backends of others send a function with its arrays again with every block (Spark), keep it on one worker only
(Dask), or end with an error when a worker dies (Ray).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from tempfile import TemporaryDirectory
from threading import Lock
from typing import NamedTuple, Protocol, cast

from joblib.parallel import AutoBatchingMixin, ParallelBackendBase

from rekern.core.array_exchange import Exchange, make_exchange
from rekern.core.cluster_calls import Cluster, Outcome, take_outcome

LARGE = 1 << 20  # bytes of an argument that is sent to the workers only once

Item = tuple[Callable[..., object], tuple[object, ...], dict[str, object]]  # of a batch of joblib


class Batch(Protocol):
    """A batch of joblib."""

    items: Sequence[Item]


class _Place(NamedTuple):
    """Stands for an argument that all workers have: its number among them."""

    number: int


class ClusterBackend(AutoBatchingMixin, ParallelBackendBase):
    """A backend of joblib whose batches run on a `Cluster`."""

    supports_retrieve_callback = True
    default_n_jobs = -1
    MIN_IDEAL_BATCH_DURATION = 0.05  # seconds; shorter calls are sent together
    MAX_IDEAL_BATCH_DURATION = 0.5

    def __init__(self, cluster: Cluster, **options: object):
        super().__init__(**options)
        self.cluster = cluster
        self._shared: dict[int, tuple[object, object]] = {}  # the value is kept, so that no other gets its id
        self._waiting: set[Future[Outcome]] = set()
        self._lock = Lock()  # joblib submits from several threads
        self._sending = Lock()  # of its own: those who bring results must never wait until something is sent
        # joblib submits more when it hears of a result. It hears in a thread of ours: in one of the library, which
        # brings the results, to send something and wait for the answer would wait for ever.
        self._listener = ThreadPoolExecutor(1)
        self._folder = TemporaryDirectory(prefix="rekern-", ignore_cleanup_errors=True)
        self._exchange = make_exchange(self._folder.name)

    def close(self) -> None:
        """End the thread that tells joblib of results, and remove the folder of results."""
        self._listener.shutdown(wait=False, cancel_futures=True)
        self._folder.cleanup()

    def effective_n_jobs(self, n_jobs: int | None) -> int:
        """Return the number of workers, but at least 2: with 1, joblib would compute everything in this process."""
        return max(2, self.cluster.count_workers())

    def configure(self, n_jobs: int = 1, parallel: object = None, **options: object) -> int:
        """Note for whom the batches are run."""
        self.parallel = parallel
        return self.effective_n_jobs(n_jobs)

    def submit(self, func: Batch, callback: Callable[[Future[Outcome]], object] | None = None) -> Future[Outcome]:
        """Send a batch of calls; large arguments are sent once for all batches."""
        try:
            values: list[object] = []
            items = [(function, self._replace(arguments, values), named) for function, arguments, named in func.items]
            future = self.cluster.submit(run_batch, self._exchange, items, *values)
        except Exception as error:  # what cannot be sent is the error of its batch; joblib waits for all batches
            future = Future()
            future.set_exception(error)
        with self._lock:
            self._waiting.add(future)
        future.add_done_callback(self._forget)
        if callback is not None:
            future.add_done_callback(lambda done: self._listener.submit(callback, done))
        return future

    apply_async = submit  # as joblib 1.4 calls it

    def _forget(self, future: Future[Outcome]) -> None:
        with self._lock:
            self._waiting.discard(future)

    def _replace(self, arguments: Sequence[object], values: list[object]) -> tuple[object, ...]:
        """Put places instead of large arguments, whose values are appended."""
        found = []
        for argument in arguments:
            if sys.getsizeof(argument) >= LARGE:
                values.append(self._share(argument))
                argument = _Place(len(values) - 1)
            found.append(argument)
        return tuple(found)

    def _share(self, value: object) -> object:
        with self._sending:
            if id(value) not in self._shared:
                self._shared[id(value)] = (value, self.cluster.share(value))
            return self._shared[id(value)][1]

    def retrieve_result_callback(self, out: Future[Outcome]) -> object:
        """Return the results of a batch, or raise its error."""
        return [self._exchange.take(found) for found in cast("list[object]", take_outcome(out))]

    def stop_call(self) -> None:
        """Forget what was shared."""
        with self._sending:
            self._shared.clear()

    def abort_everything(self, ensure_ready: bool = True) -> None:
        """Take back what waits: after an error nobody needs it."""
        with self._lock:
            waiting = list(self._waiting)
        for future in waiting:
            future.cancel()


def run_batch(exchange: Exchange, items: Sequence[Item], *values: object) -> list[object]:
    """Run a batch on a worker; the large arrays of its results are written to files that the other side sees.

    >>> run_batch(Exchange("", "", ""), [(pow, (2, _Place(0)), {})], 5)
    [32]
    """
    results = (function(*_put_back(arguments, values), **named) for function, arguments, named in items)
    return [exchange.put(result) for result in results]


def _put_back(arguments: Sequence[object], values: Sequence[object]) -> list[object]:
    return [values[value.number] if isinstance(value, _Place) else value for value in arguments]
