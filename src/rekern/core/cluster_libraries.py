"""Dask, Ray and Spark as a `Cluster`: how each is opened, gets a call, and keeps a value at its workers."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from multiprocessing.spawn import get_preparation_data
from threading import Thread
from typing import TYPE_CHECKING, TypeVar, cast

from rekern.core.call_server import CallServer, serve_calls
from rekern.core.cluster_calls import Address, Cluster, Outcome, call_there
from rekern.core.cluster_files import Serializer, ValueFiles
from rekern.errors import missing_extra

if TYPE_CHECKING:
    from distributed import Client
    from pyspark.sql import SparkSession

T = TypeVar("T")

MOST_TRIES = 4  # of a call whose worker dies each time
PATIENCE = 30  # seconds until a scheduler has answered
SPARK_MASTER = "spark-class org.apache.spark.deploy.master.Master"
DASK_OPTIONS = {
    # By default a worker of Dask gives all memory back at once. To get it again for the next block takes as long as to
    # compute that.
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 28,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 1 << 25,
    "distributed.worker.profile.enabled": False,
}
RAY_PATIENCE = 180  # seconds until the processes of Ray have started on a busy machine


def open_cluster(address: Address, stack: ExitStack) -> Cluster:
    """Connect to a cluster, or start one on this machine; the stack ends it."""
    cluster = OPENERS[address.library](address, stack)
    if address.local_workers is not None:
        cluster.files = ValueFiles(cluster.find_serializer())
        stack.callback(cluster.files.close)
    return cluster


class DaskCluster(Cluster):
    """A cluster of Dask."""

    def __init__(self, client: Client):
        self.client = client
        self._executor = client.get_executor(pure=False)

    def find_serializer(self) -> Serializer:
        """Return that of Dask."""
        from distributed.protocol import pickle

        return cast(Serializer, pickle)

    def send_call(self, function: Callable[..., object], *arguments: object) -> Future[Outcome]:
        """Give a call to a worker; Dask runs it again if the worker dies."""
        return cast("Future[Outcome]", self._executor.submit(call_there, function, *arguments))

    def send_value(self, value: object) -> object:
        """Make a value the result of a task, which Dask makes again if all workers that have it die."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that the task is large
            return self.client.submit(_return, value, pure=False)

    def count_workers(self) -> int:
        """Return the number of threads of all workers."""
        return sum(self.client.nthreads().values())


class RayCluster(Cluster):
    """A cluster of Ray."""

    def __init__(self) -> None:
        import ray

        self._ray = ray
        self._call = ray.remote(num_cpus=1, max_retries=MOST_TRIES - 1)(call_there)

    def find_serializer(self) -> Serializer:
        """Return that of Ray."""
        return cast(Serializer, self._ray.cloudpickle)

    def send_call(self, function: Callable[..., object], *arguments: object) -> Future[Outcome]:
        """Give a call to a worker; Ray runs it again if the worker dies."""
        return cast("Future[Outcome]", self._call.remote(function, *arguments).future())

    def send_value(self, value: object) -> object:
        """Put a value into the store of objects, from which every machine takes it once."""
        return self._ray.put(value)

    def count_workers(self) -> int:
        """Return the number of processors of all machines."""
        return int(self._ray.cluster_resources().get("CPU", 0))


class SparkCluster(Cluster):
    """A cluster of Spark: one job, whose tasks fetch calls from this process until it is closed."""

    def __init__(self, session: SparkSession, stack: ExitStack):
        from pyspark.serializers import CloudPickleSerializer

        self.context, self._pickler = session.sparkContext, CloudPickleSerializer()
        host = self.context.getConf().get("spark.driver.host") or "127.0.0.1"
        self._server = CallServer(host, self._pickler, MOST_TRIES)
        self._job = Thread(target=self._keep_workers, daemon=True)
        self._job.start()
        stack.callback(self._close)

    def find_serializer(self) -> Serializer:
        """Return that of Spark."""
        from pyspark import cloudpickle

        return cast(Serializer, cloudpickle)

    def send_call(self, function: Callable[..., object], *arguments: object) -> Future[Outcome]:
        """Give a call to the next free worker; if that dies, another one gets it."""
        return self._server.submit(function, arguments)

    def send_value(self, value: object) -> object:
        """Keep a value for the workers: each gets it with the first call that needs it."""
        return self._server.share(value)

    def count_workers(self) -> int:
        """Return the number of cores of all machines."""
        return int(self.context.defaultParallelism)

    def _keep_workers(self) -> None:
        """Run the job of all workers; when tasks have failed so often that Spark ends it, another one begins.

        If some jobs end without any answer, there are no workers that could give one.
        """
        place, pickler, workers = self._server.place, self._pickler, self.count_workers()
        tries = 0
        while self._server.is_open:
            answers, fault = self._server.n_answers, RuntimeError("the workers of Spark cannot reach this process")
            try:
                self.context.parallelize(range(workers), workers).foreach(lambda _: serve_calls(place, pickler))
            except Exception as error:
                fault.__cause__ = error
            tries = 0 if self._server.n_answers > answers else tries + 1
            if self._server.is_open and tries == MOST_TRIES:
                self._server.fail(fault)
                return

    def _close(self) -> None:
        """Let the workers go, and wait until they have gone."""
        self._server.close()
        self._job.join(PATIENCE)


def _return(value: T) -> T:
    return value


def _open_dask(address: Address, stack: ExitStack) -> Cluster:
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise missing_extra("Dask", "dask") from None
    if address.local_workers is None:
        try:
            client = stack.enter_context(Client(f"tcp://{address.place}", timeout=PATIENCE, set_as_default=False))
        except (OSError, ValueError) as error:
            raise address.refuse(error, "start it with `dask scheduler` and `dask worker`") from None
    else:
        if is_starting():
            line = 'if __name__ == "__main__":'
            raise SystemExit(f"a new worker of Dask imports this script: put its work below the line `{line}`")
        with dask.config.set(DASK_OPTIONS):
            try:
                workers = LocalCluster(
                    n_workers=address.local_workers,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                    scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # any port that is free
                )
            except RuntimeError as error:
                remedy = "see what stands above; on a busy machine try again, or with fewer workers"
                raise address.refuse(error, remedy) from None
        client = stack.enter_context(Client(stack.enter_context(workers), direct_to_workers=True))
    return DaskCluster(client)


def is_starting() -> bool:
    """Return whether this process is a new worker, which imports the script that has started it.

    >>> is_starting()
    False
    """
    try:
        get_preparation_data("worker")  # what a process of its own would get
    except RuntimeError:
        return True
    return False


def _open_ray(address: Address, stack: ExitStack) -> Cluster:
    if address.local_workers is not None:
        # Read when Ray is imported: nobody else on the network may use the workers of this process.
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    try:
        import ray
    except ImportError:
        raise missing_extra("Ray", "ray") from None
    is_local = address.local_workers is not None
    for tries_left in (1, 0) if is_local else (0,):
        with ExitStack() as own:
            try:
                place = _start_ray(address, own) if is_local else address.text
                own.callback(ray.shutdown)
                ray.init(place, log_to_driver=False, logging_level="ERROR")
            except Exception as error:  # Ray raises many kinds, Exception itself among them
                if tries_left:
                    continue
                logs = "see the logs of Ray, by default in /tmp/ray/session_latest/logs"
                start = "start it with `ray start --head --ray-client-server-port 10001`"
                raise address.refuse(error, logs if is_local else start) from None
            stack.push(own.pop_all())
            break
    return RayCluster()


def _start_ray(address: Address, stack: ExitStack) -> str:
    """Start Ray on this machine, and return where it listens.

    ``ray.init`` could start it, too. But then Ray waits for all ports of its processes, and gives up if one of these
    has not started within 15 seconds, as on a busy machine. With ports from here it waits for fewer. What was read from
    the disk in the first try makes a second one faster.
    """
    import ray

    host = ray.util.get_node_ip_address()
    names = ["port", "ray-client-server-port", "dashboard-agent-listen-port", "dashboard-agent-grpc-port"]
    names += ["runtime-env-agent-port", "metrics-export-port"]
    ports = _find_free_ports(len(names))
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", "--disable-usage-stats"]
    command += [f"--num-cpus={address.local_workers}", "--include-dashboard=false", "--include-log-monitor=false"]
    command += [f"--{name}={port}" for name, port in zip(names, ports)]
    quiet = subprocess.DEVNULL
    # By default Ray's workers have the lowest priority but a few, and hardly come on beside any other work.
    variables = {"RAY_worker_niceness": "0", **os.environ}
    head = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, env=variables)
    stack.callback(_end, head)
    started = time.monotonic()
    while not _is_open(host, ports[0]):
        if head.poll() is not None or time.monotonic() - started > RAY_PATIENCE:
            raise TimeoutError("Ray did not start")
        time.sleep(0.1)
    return f"{host}:{ports[0]}"


def _find_free_ports(n: int) -> list[int]:
    """Return ports that nobody uses now."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for one in sockets:
            one.bind(("", 0))
        return [one.getsockname()[1] for one in sockets]


def _is_open(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process, which ends its own ones, and wait for it."""
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _open_spark(address: Address, stack: ExitStack) -> Cluster:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise missing_extra("Spark", "spark") from None
    local = address.local_workers
    if "PYSPARK_PYTHON" not in os.environ:  # else Spark takes the first python3 of the path, here and on each worker
        os.environ["PYSPARK_PYTHON"] = sys.executable
        stack.callback(os.environ.pop, "PYSPARK_PYTHON", None)
    master = address.text if local is None else f"local[{local},{MOST_TRIES}]"
    builder = SparkSession.builder.master(master).appName("rekern")
    for name in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(name, "false")
    try:
        session = builder.getOrCreate()
    except Exception as error:  # what comes from Java has no class of its own
        raise address.refuse(error, f"start it with `{SPARK_MASTER}`; Java 17 is needed") from None
    stack.callback(session.stop)
    session.sparkContext.setLogLevel("ERROR")
    return SparkCluster(session, stack)


OPENERS: dict[str, Callable[[Address, ExitStack], Cluster]] = {
    "dask": _open_dask,
    "ray": _open_ray,
    "spark": _open_spark,
}
