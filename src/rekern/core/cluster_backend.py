"""The blocks of joblib on a cluster: one backend for all libraries, so that all of them run a lost block again.

The backends of others send a function with its arrays again with every block (Spark), keep it on one worker only
(Dask), or end with an error when a worker dies (Ray).
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from tempfile import TemporaryDirectory
from threading import Lock
from typing import NamedTuple, Protocol, TypeVar, cast

from joblib.parallel import AutoBatchingMixin, ParallelBackendBase

from rekern.core.array_exchange import Exchange, make_exchange
from rekern.core.cluster_calls import Cluster, Outcome, take_outcome

T = TypeVar("T")

LARGE = 1 << 20  # bytes of an argument that is sent to the workers only once
LONG = 1 << 9  # values in a list that is sent only once if several batches have it
REMEMBERED = 8  # long lists
SECONDS = 0.25  # the most that a batch of `run_calls` takes, if it has more than one call
FEWEST_SECONDS = 0.02  # of one at the end
BATCHES_AHEAD = 2  # at each worker: one that runs, and one that waits
FIRST_SHARES = 64  # into so many batches for each worker calls are divided, until it is known how long one takes

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
    MIN_IDEAL_BATCH_DURATION = 0.05  # seconds at the worker; shorter calls are sent together
    MAX_IDEAL_BATCH_DURATION = 0.5

    def __init__(self, cluster: Cluster, **options: object):
        super().__init__(**options)
        self.cluster = cluster
        self._shared: dict[int, tuple[object, object]] = {}  # the value is kept, so that no other gets its id
        self._lists: deque[object] = deque(maxlen=REMEMBERED)  # long ones that a batch had
        self._seconds = 0.0  # of the batch whose results came last
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
            future = self.cluster.submit(run_batch, self._exchange, self.cluster.pack(items), *values)
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
            if sys.getsizeof(argument) >= LARGE or self._is_repeated(argument):
                values.append(self._share(argument))
                argument = _Place(len(values) - 1)
            found.append(argument)
        return tuple(found)

    def _is_repeated(self, argument: object) -> bool:
        """Return whether this is a long list that an earlier batch had, too: its size is not that of its values."""
        if type(argument) is not list or len(argument) < LONG:
            return False
        with self._lock:
            if any(argument is known for known in self._lists):
                return True
            self._lists.append(argument)
        return False

    def _share(self, value: object) -> object:
        with self._sending:
            if id(value) not in self._shared:
                self._shared[id(value)] = (value, self.cluster.share(value))
            return self._shared[id(value)][1]

    def retrieve_result_callback(self, out: Future[Outcome]) -> object:
        """Return the results of a batch, or raise its error."""
        results, self._seconds = cast("BatchResults", take_outcome(out))
        return [self._exchange.take(found) for found in results]

    def batch_completed(self, batch_size: int, duration: float) -> None:
        """Note how long a batch took at its worker; joblib also counts how long it waited there."""
        super().batch_completed(batch_size, self._seconds)

    def run_calls(self, function: Callable[..., T], calls: Sequence[tuple[object, ...]]) -> Iterator[T]:
        """Yield the results of ``function(*call)`` for every call, in order.

        joblib begins with batches of one call, and makes them longer step by step. Here it is known how many there are:
        after the first ones, batches take so long that to send them costs little, and shorter ones come last, so that
        no worker waits long for the others.
        """
        workers, seconds = max(1, self.cluster.count_workers()), 0.0
        # A folder of its own goes with the files of results that nobody takes, after an error or when the rest is not
        # wanted. A worker that still runs a call does not see it then, and writes nothing.
        own = TemporaryDirectory(dir=self._folder.name, ignore_cleanup_errors=True)
        exchange = make_exchange(own.name)
        shared, found = self.cluster.share(function), dict[int, BatchResults]()
        batch: object = None
        sent: dict[Future[Outcome], int] = {}  # the number of the first call of the batch
        given = taken = 0
        try:
            while taken < len(calls):
                while given < len(calls) and len(sent) < BATCHES_AHEAD * workers:
                    last = given + _count_calls(len(calls) - given, len(calls), workers, seconds)
                    batch = self.cluster.pack(calls[given:last])
                    sent[self.cluster.submit(run_share, exchange, batch, shared)] = given
                    given = last
                for future in wait(sent, return_when=FIRST_COMPLETED).done:
                    results = cast("BatchResults", take_outcome(future))
                    found[sent.pop(future)] = results
                    seconds = results.seconds / len(results.values)
                while taken in found:
                    for result in found.pop(taken).values:
                        yield cast(T, exchange.take(result))
                        taken += 1
        finally:
            for future in sent:
                future.cancel()
            shared = batch = None  # an error that a caller keeps has this frame, and would keep their files
            own.cleanup()

    def stop_call(self) -> None:
        """Forget what was shared."""
        with self._sending:
            self._shared.clear()
        with self._lock:
            self._lists.clear()

    def abort_everything(self, ensure_ready: bool = True) -> None:
        """Take back what waits: after an error nobody needs it."""
        with self._lock:
            waiting = list(self._waiting)
        for future in waiting:
            future.cancel()


class BatchResults(NamedTuple):
    """The results of a batch, and how many seconds it took."""

    values: list[object]
    seconds: float


def run_batch(exchange: Exchange, items: Sequence[Item], *values: object) -> BatchResults:
    """Run a batch on a worker; the large arrays of its results are written to files that the other side sees.

    >>> run_batch(Exchange("", "", ""), [(pow, (2, _Place(0)), {})], 5).values
    [32]
    """
    started = time.perf_counter()
    results = (function(*_put_back(arguments, values), **named) for function, arguments, named in items)
    found = [exchange.put(result) for result in results]
    return BatchResults(found, time.perf_counter() - started)


def run_share(exchange: Exchange, calls: Sequence[tuple[object, ...]], function: Callable[..., object]) -> BatchResults:
    """Run some calls of one function on a worker.

    >>> run_share(Exchange("", "", ""), [(2, 5)], pow).values
    [32]
    """
    started = time.perf_counter()
    found = [exchange.put(function(*call)) for call in calls]
    return BatchResults(found, time.perf_counter() - started)


def _count_calls(left: int, total: int, workers: int, seconds: float) -> int:
    """Return how many calls the next batch has, if a call takes so long; 0.0: that is not known.

    >>> _count_calls(1000, 1000, 2, 0.0), _count_calls(2000, 2500, 2, 0.001), _count_calls(200, 2500, 2, 0.001)
    (7, 250, 50)
    """
    if seconds <= 0:
        return max(1, total // (FIRST_SHARES * workers))
    share = max(-(-left // (2 * workers)), int(FEWEST_SECONDS / seconds))
    return max(1, min(share, int(SECONDS / seconds)))


def _put_back(arguments: Sequence[object], values: Sequence[object]) -> list[object]:
    return [values[value.number] if isinstance(value, _Place) else value for value in arguments]
