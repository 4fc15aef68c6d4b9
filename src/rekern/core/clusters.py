"""Work on a cluster of Dask or Spark, by one address: ``dask://…`` or ``spark://…``.

A cluster runs a function for many calls and yields the results as they come. A call whose worker dies is run again by
another worker. `use_cluster` also makes joblib send its blocks there, so that features, Grams and folds are computed on
the cluster, too.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Protocol, TypeVar

from rekern.errors import InputError, missing_extra

if TYPE_CHECKING:
    from distributed import Client
    from pyspark.sql import SparkSession

T = TypeVar("T")
Calls = Sequence[tuple[object, ...]]

MOST_TRIES = 4  # of a call whose worker dies each time
PATIENCE = 30  # seconds until a scheduler has answered
AHEAD = 4  # calls that wait at each worker, so that it never waits itself


class Cluster(Protocol):
    """Workers that run a function; the function and its arguments are sent to them."""

    def run(self, function: Callable[..., T], calls: Calls) -> Iterator[T]:
        """Yield the results in the order in which they come."""
        ...


class Address:
    """An address of a cluster: which library runs it, and where it is.

    >>> Address("dask://10.0.0.1:8786").place, Address("spark://local:2").local_workers
    ('10.0.0.1:8786', 2)
    >>> Address("slurm://here")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: slurm://here is no address of a cluster: write dask://HOST:PORT or spark://HOST:PORT, or \
dask://local:2 for two workers on this machine
    """

    def __init__(self, text: str):
        self.text = text
        self.library, _, self.place = text.partition("://")
        if self.library not in OPENERS or not self.place:
            raise InputError(
                f"{text} is no address of a cluster: write dask://HOST:PORT or spark://HOST:PORT, or "
                "dask://local:2 for two workers on this machine"
            )
        local = re.fullmatch(r"local(?::(\d{1,4}))?", self.place)
        self.local_workers = int(local[1] or 2) if local else None


@contextmanager
def use_cluster(address: str) -> Iterator[Cluster]:
    """Connect to a cluster; in this block joblib sends its blocks there.

    ``dask://local:2`` (or ``spark://local:2``) starts two workers on this machine, and ends them. Workers need
    the same version of Rekern, and see the files that a function names under the same paths.

    >>> with use_cluster("dask://local:2") as cluster:  # doctest: +SKIP
    ...     sorted(cluster.run(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    found = Address(address)
    with ExitStack() as stack:
        yield OPENERS[found.library](found, stack)


class DaskCluster:
    """A cluster of Dask."""

    def __init__(self, client: Client):
        self.client = client

    def run(self, function: Callable[..., T], calls: Calls) -> Iterator[T]:
        """Yield the results in the order in which they come; Dask runs a call again if its worker dies."""
        from distributed import as_completed

        client = self.client
        waiting = as_completed()
        left = iter(calls)
        ahead = AHEAD * max(1, len(client.nthreads()))
        for call in islice(left, ahead):
            waiting.add(client.submit(function, *call, pure=False))
        for future in waiting:
            found: T = future.result()
            following = next(left, None)
            if following is not None:
                waiting.add(client.submit(function, *following, pure=False))
            yield found


class SparkCluster:
    """A cluster of Spark."""

    def __init__(self, session: SparkSession):
        self.session = session

    def run(self, function: Callable[..., T], calls: Calls) -> Iterator[T]:
        """Yield the results in the order in which they come; Spark runs a call again if its worker dies."""
        context = self.session.sparkContext
        rows = context.parallelize(list(calls), max(1, len(calls)))
        yield from rows.map(lambda call: function(*call)).toLocalIterator(prefetchPartitions=True)


def _open_dask(address: Address, stack: ExitStack) -> Cluster:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise missing_extra("Dask", "dask") from None
    if address.local_workers is None:
        try:
            client = stack.enter_context(Client(f"tcp://{address.place}", timeout=PATIENCE))
        except (OSError, ValueError) as error:
            raise _refuse(address, error, "start it with `dask scheduler` and `dask worker`") from None
    else:
        workers = LocalCluster(
            n_workers=address.local_workers, threads_per_worker=1, processes=True, dashboard_address=None
        )
        client = stack.enter_context(Client(stack.enter_context(workers)))
    _send_blocks("dask", stack)
    return DaskCluster(client)


def _open_spark(address: Address, stack: ExitStack) -> Cluster:
    try:
        from joblibspark import register_spark
        from pyspark.sql import SparkSession
    except ImportError:
        raise missing_extra("Spark", "spark") from None
    local = address.local_workers
    if local is not None and "PYSPARK_PYTHON" not in os.environ:  # else Spark takes the first python3 of the path
        os.environ["PYSPARK_PYTHON"] = sys.executable
        stack.callback(os.environ.pop, "PYSPARK_PYTHON", None)
    master = address.text if local is None else f"local[{local},{MOST_TRIES}]"
    builder = SparkSession.builder.master(master).appName("rekern")
    for name in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(name, "false")
    try:
        session = builder.getOrCreate()
    except Exception as error:  # what comes from Java has no class of its own
        raise _refuse(address, error, "start it with Spark's sbin/start-all.sh; Java 17 is needed") from None
    stack.callback(session.stop)
    session.sparkContext.setLogLevel("ERROR")
    register_spark()
    _send_blocks("spark", stack)
    return SparkCluster(session)


OPENERS: dict[str, Callable[[Address, ExitStack], Cluster]] = {
    "dask": _open_dask,
    "spark": _open_spark,
}


def _send_blocks(backend: str, stack: ExitStack) -> None:
    """Make joblib send its blocks to a backend."""
    import joblib

    stack.enter_context(joblib.parallel_config(backend=backend, n_jobs=-1))


def _refuse(address: Address, error: Exception, remedy: str) -> InputError:
    reason = next(iter(str(error).splitlines()), "") or type(error).__name__
    return InputError(f"there is no cluster at {address.text} ({reason[:200]}): {remedy}")
