"""Values that go to workers of this machine through files, and calls that are sent in batches."""

import os
from concurrent.futures import Future
from io import FileIO
from pathlib import Path
from tempfile import TemporaryFile

import cloudpickle
import numpy as np
import pytest
import tblib.pickling_support
from hypothesis import given
from hypothesis import strategies as st

from rekern.core import cluster_backend, cluster_files
from rekern.core.cluster_backend import ClusterBackend
from rekern.core.cluster_calls import Cluster, call_there
from rekern.core.cluster_files import FiledValue, ValueFiles
from rekern.core.files import is_local, take_turn


@pytest.fixture
def files():
    found = ValueFiles(cloudpickle)
    yield found
    found.close()
    assert not os.path.exists(found.folder)


class HereCluster(Cluster):
    """A cluster whose calls are run here, when they are submitted; all is pickled as on its way."""

    def __init__(self):
        self.sizes = []
        tblib.pickling_support.install()  # as Dask does: errors are sent with their frames

    def find_serializer(self):
        return cloudpickle

    def send_call(self, function, *arguments):
        content = cloudpickle.dumps((function, arguments))
        self.sizes.append(len(content))
        future = Future()
        function, arguments = cloudpickle.loads(content)
        future.set_result(cloudpickle.loads(cloudpickle.dumps(call_there(function, *arguments))))
        return future

    def send_value(self, value):
        return value

    def count_workers(self):
        return 2


@pytest.fixture
def here(files):
    cluster = HereCluster()
    cluster.files = files
    backend = ClusterBackend(cluster)
    yield backend
    backend.close()


def test_a_shared_value_is_loaded_once_and_its_arrays_can_be_changed(files):
    array = np.arange(1 << 15).reshape(128, -1)
    shared = files.share({"a": array, "b": lambda number: number + 1})
    there = cloudpickle.loads(cloudpickle.dumps(shared))
    found = there.load()
    assert np.array_equal(found["a"], array) and found["b"](1) == 2 and there.load() is found
    assert found["a"].flags.writeable and found["a"].flags.aligned
    found["a"][0] = 7
    assert np.array_equal(there._read()["a"], array)  # the change stays in its process


def test_values_whose_files_are_gone_are_forgotten(files):
    one = files.share("one")
    assert one.load() == "one" and one.path in cluster_files._loaded
    path = one.path
    del one
    assert not os.path.exists(path)
    other = files.share("other")
    assert other.load() == "other" and path not in cluster_files._loaded


def test_long_arguments_go_through_a_file_and_short_ones_do_not(files):
    short, long = ["a"] * 5, [f"text {number}" for number in range(20_000)]
    assert files.pack(short) is short
    packed = files.pack(long)
    assert isinstance(packed, FiledValue) and packed.load() == long
    assert packed.path not in cluster_files._loaded  # the value of one call is not kept


@pytest.mark.parametrize("last", [np.zeros(0), np.zeros((3, 0), np.float32), np.ones(1)])
def test_arrays_without_values_are_shared(files, last):
    first, found = files.share([np.arange(3, dtype=np.int8), last]).load()
    assert first.tolist() == [0, 1, 2]
    assert (found.dtype, found.shape) == (last.dtype, last.shape) and np.array_equal(found, last)


def test_values_are_sent_where_there_is_no_room(files, monkeypatch):
    def refuse(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cluster_files, "open", refuse, raising=False)
    long = list(range(100_000))
    cluster = HereCluster()
    cluster.files = files
    assert files.share(long) is None and cluster.pack(long) is long and cluster.share(long) is long


def test_a_full_disk_keeps_no_part_of_a_value(files, monkeypatch):
    class FullFile(FileIO):
        def write(self, content):
            super().write(content[:10])
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(cluster_files, "open", lambda path, mode, buffering: FullFile(path, mode), raising=False)
    assert files.share(bytes(1 << 20)) is None and not os.listdir(files.folder)


def test_a_file_stays_until_its_call_is_done(files):
    class WaitingCluster(HereCluster):
        def send_call(self, function, *arguments):
            return Future()

    cluster = WaitingCluster()
    cluster.files = files
    packed = cluster.pack(bytes(1 << 20))
    path = packed.path
    future = cluster.submit(len, packed)
    del packed
    assert os.path.exists(path)
    future.set_result(None)
    assert not os.path.exists(path)


@given(st.integers(1, 40), st.sampled_from([0.0, 1e-9, 0.01, 0.1, 10.0]), st.integers(1, 5))
def test_all_calls_are_in_a_batch(total, seconds, workers):
    left = total
    while left:
        count = cluster_backend._count_calls(left, total, workers, seconds)
        assert count >= 1
        if seconds:
            assert count == 1 or count * seconds <= cluster_backend.SECONDS
        left -= min(count, left)


def test_the_last_batches_are_worth_sending():
    assert cluster_backend._count_calls(8, 2500, 2, 0.001) * 0.001 == cluster_backend.FEWEST_SECONDS


def test_calls_run_in_order_and_long_functions_are_sent_once(here):
    table = np.arange(1 << 18)
    found = list(here.run_calls(lambda row, text: (int(table[row]), text), [(row, f"t{row}") for row in range(300)]))
    assert found == [(row, f"t{row}") for row in range(300)]
    assert max(here.cluster.sizes) < 1 << 16
    assert not os.listdir(here.cluster.files.folder)


def test_an_error_ends_the_calls(here):
    results = here.run_calls(lambda number: 1 / number, [(2,), (0,), (1,)])
    with pytest.raises(ZeroDivisionError):
        list(results)


@pytest.mark.parametrize("calls_in_batch", [1, 3])
def test_results_that_nobody_takes_leave_no_files(here, monkeypatch, calls_in_batch):
    monkeypatch.setattr(cluster_backend, "_count_calls", lambda *_: calls_in_batch)
    results = here.run_calls(lambda number: np.full(1 << 14, 1 / number), [(number,) for number in range(2, 12)])
    assert next(results)[0] == 0.5 and len(list(Path(here._exchange.folder).glob("*/*"))) > 1
    results.close()
    assert os.listdir(here._exchange.folder) == [here._exchange.mark]
    with pytest.raises(ZeroDivisionError) as caught:
        list(here.run_calls(lambda number: np.full(1 << 14, 1 / number), [(number,) for number in range(8, -3, -1)]))
    assert os.listdir(here._exchange.folder) == [here._exchange.mark]
    assert not os.listdir(here.cluster.files.folder) and caught.value.__traceback__ is not None  # which has its frames


def test_a_list_that_several_batches_have_is_shared(here):
    import joblib

    texts = [f"text {number}" for number in range(5000)]
    with joblib.parallel_config(backend=here, n_jobs=-1):
        found = joblib.Parallel(batch_size=1)(joblib.delayed(lambda X, n: X[n])(texts, n) for n in range(6))
    assert found == texts[:6]
    assert max(here.cluster.sizes) < 1 << 16
    assert not os.listdir(here.cluster.files.folder)


def test_turns_are_for_files_of_this_machine(tmp_path):
    assert is_local(os.stat("/proc").st_dev) is False
    with TemporaryFile(dir=tmp_path) as file, take_turn(file), take_turn(file):  # one process may nest them
        file.write(b"a")
    if os.path.isdir("/dev/shm"):
        import fcntl

        path = f"/dev/shm/rekern-{os.getpid()}"
        try:
            with open(path, "w+b") as one, open(path, "r+b") as other:
                with take_turn(one), pytest.raises(BlockingIOError):
                    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.unlink(path)
