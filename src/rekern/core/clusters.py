"""Work on a cluster of Dask, Ray or Spark, by one address: ``dask://…``, ``ray://…`` or ``spark://…``.

The libraries' own backends of joblib do the work: inside `use_cluster`, joblib sends its blocks to the workers, so that
features, Grams, folds and searches are computed there. What happens when a worker dies is up to the library.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import NamedTuple

import joblib

from rekern.errors import InputError, missing_extra

PATIENCE = 30  # seconds until a scheduler has answered
LIBRARIES = {"dask": "Dask", "ray": "Ray", "spark": "Spark"}


class Address(NamedTuple):
    """An address of a cluster: which library runs it, where it is, or how many workers are started on this machine."""

    text: str
    library: str
    place: str
    local_workers: int | None


@contextmanager
def use_cluster(address: str) -> Iterator[None]:
    """Connect to a cluster; in this block joblib sends its blocks there.

    ``dask://local:2`` (or ``ray://local:2``, ``spark://local:2``) starts two workers on this machine, and ends them.
    Workers need the same version of Rekern, and see the files that a function names under the same paths. New workers
    of Dask import the script that starts them, so that it needs the line ``if __name__ == "__main__":`` above its work.

    >>> with use_cluster("dask://local:2"):  # doctest: +SKIP
    ...     PairClassifier().fit(pairs, labels)
    """
    found = read_address(address)
    with ExitStack() as stack:
        try:
            options = OPENERS[found.library](found, stack)
        except ImportError:
            raise missing_extra(LIBRARIES[found.library], found.library) from None
        except Exception as error:  # each library raises kinds of its own, and those of Java have none
            reason = (next(iter(str(error).splitlines()), "") or type(error).__name__)[:200]
            raise InputError(f"there is no cluster at {address} ({reason})") from error
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib-spark warns of what a version of Spark cannot do
            stack.enter_context(joblib.parallel_config(found.library, n_jobs=-1, **options))
        yield


def read_address(text: str) -> Address:
    """Return what an address says; InputError for any other text.

    >>> read_address("dask://10.0.0.1:8786").place, read_address("spark://local:2").local_workers
    ('10.0.0.1:8786', 2)
    >>> read_address("slurm://here")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: slurm://here is not an address of a cluster: write dask://HOST:PORT, ray://HOST:PORT or \
spark://HOST:PORT, or dask://local:2 for two workers on this machine
    """
    library, _, place = text.partition("://")
    local = re.fullmatch(r"local(?::([1-9]\d{0,3}))?", place)
    is_place = re.fullmatch(r"(?!local:)[^\s/]+:\d{1,5}(,[^\s/]+:\d{1,5})*", place)
    if library not in LIBRARIES or not (local or is_place):
        raise InputError(
            f"{text} is not an address of a cluster: write dask://HOST:PORT, ray://HOST:PORT or spark://HOST:PORT, or "
            "dask://local:2 for two workers on this machine"
        )
    return Address(text, library, place, int(local[1] or 2) if local else None)


def check_address(address: str | None) -> None:
    """Raise InputError for what is not an address of a cluster, before any work is done.

    >>> check_address(None)
    """
    if address is not None:
        read_address(address)


def use_workers(address: str | None) -> AbstractContextManager[None]:
    """Return `use_cluster` for a command: without an address everything is done in this process.

    >>> with use_workers(None):
    ...     joblib.parallel.get_active_backend()[1] is None
    True
    """
    return nullcontext() if address is None else use_cluster(address)


def _open_dask(address: Address, stack: ExitStack) -> dict[str, object]:
    """Connect to Dask, or start it; return the options of joblib's backend."""
    from distributed import Client, LocalCluster

    if address.local_workers is None:
        place = f"tcp://{address.place}"
    else:
        place = stack.enter_context(
            LocalCluster(n_workers=address.local_workers, threads_per_worker=1, dashboard_address="127.0.0.1:0")
        )
    return {"client": stack.enter_context(Client(place, timeout=PATIENCE, set_as_default=False))}


def _open_ray(address: Address, stack: ExitStack) -> dict[str, object]:
    """Connect to Ray, or start it."""
    if address.local_workers is not None:
        # Read when Ray is imported: nobody else on the network may use the workers of this process.
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    import ray
    from ray.util.joblib import register_ray

    stack.callback(ray.shutdown)
    place = {"address": address.text} if address.local_workers is None else {"num_cpus": address.local_workers}
    ray.init(**place, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    register_ray()
    return {}


def _open_spark(address: Address, stack: ExitStack) -> dict[str, object]:
    """Connect to Spark, or start it."""
    from joblibspark import register_spark
    from pyspark.sql import SparkSession

    if "PYSPARK_PYTHON" not in os.environ:  # else Spark takes the first python3 of the path, here and on each worker
        os.environ["PYSPARK_PYTHON"] = sys.executable
        stack.callback(os.environ.pop, "PYSPARK_PYTHON", None)
    master = address.text if address.local_workers is None else f"local[{address.local_workers}]"
    builder = SparkSession.builder.master(master).appName("rekern").config("spark.ui.enabled", "false")
    session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    stack.callback(session.stop)
    session.sparkContext.setLogLevel("ERROR")
    session.sparkContext.parallelize([0], 1).count()  # until a worker is there: joblib counts them now
    register_spark()
    return {}


OPENERS = {"dask": _open_dask, "ray": _open_ray, "spark": _open_spark}
