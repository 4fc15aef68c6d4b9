"""Work on a cluster of Dask, Ray or Spark, by one address: ``dask://…``, ``ray://…`` or ``spark://…``.

A cluster runs a function for many calls and yields the results as they come. A call whose worker dies is run again by
another worker. `use_cluster` also makes joblib send its blocks there, so that features, Grams, folds and searches are
computed on the cluster, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

import joblib

from rekern.core.cluster_backend import ClusterBackend
from rekern.core.cluster_calls import Address, Cluster
from rekern.core.cluster_libraries import open_cluster


@contextmanager
def use_cluster(address: str) -> Iterator[Cluster]:
    """Connect to a cluster; in this block joblib sends its blocks there.

    ``dask://local:2`` (or ``ray://local:2``, ``spark://local:2``) starts two workers on this machine, and ends them.
    Workers need the same version of Rekern, and see the files that a function names under the same paths. New workers
    of Dask import the script that starts them, so that it needs the line ``if __name__ == "__main__":`` above its work.

    >>> with use_cluster("dask://local:2") as cluster:  # doctest: +SKIP
    ...     sorted(cluster.run(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    found = Address(address)
    with ExitStack() as stack:
        cluster = open_cluster(found, stack)
        backend = ClusterBackend(cluster)
        stack.callback(backend.close)
        stack.enter_context(joblib.parallel_config(backend=backend, n_jobs=-1))
        yield cluster


def check_address(address: str | None) -> None:
    """Raise InputError for what is no address of a cluster, before any work is done.

    >>> check_address(None)
    """
    if address is not None:
        Address(address)


def use_workers(address: str | None) -> AbstractContextManager[Cluster | None]:
    """Return `use_cluster` for a command: without an address everything is done in this process.

    >>> with use_workers(None) as cluster:
    ...     print(cluster)
    None
    """
    return nullcontext() if address is None else use_cluster(address)
