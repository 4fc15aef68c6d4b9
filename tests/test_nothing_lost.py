"""Killed commands, full disks, folders that vanish, two writers: the old file or the new one is there, whole."""

import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rekern import load_model
from rekern.cli.commands import app
from rekern.core.files import write_atomically
from rekern.kernels import Spectrum

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked and killed")


def run(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == 0, result.output


def kill_after(seconds, arguments):
    """Run a command in a process of its own, and kill it after a while."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            app(list(map(str, arguments)), standalone_mode=False)
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A table of pairs and a model."""
    folder = tmp_path_factory.mktemp("data")
    rng = random.Random(0)
    rows = [
        f"{' '.join(rng.choices('abcdef', k=6))}\t{' '.join(rng.choices('abcdef', k=6))}\t{n % 2}" for n in range(60)
    ]
    (folder / "pairs.tsv").write_text("source\ttarget\tlabel\n" + "\n".join(rows) + "\n")
    run("train", folder / "pairs.tsv", "-o", folder / "model.rekern", "--jobs", 1)
    return folder


def list_commands(data, out):
    pairs, model = data / "pairs.tsv", data / "model.rekern"
    return {
        "train": ("train", pairs, "-o", out / "new.rekern", "--jobs", 1),
        "predict": ("predict", model, pairs, "-o", out / "new.tsv", "--jobs", 1),
        "gram": ("gram", pairs, "-o", out / "new.npy", "--jobs", 1),
        "gram of libsvm": ("gram", pairs, "-o", out / "new.libsvm", "--format", "libsvm", "--jobs", 1),
        "evaluate": ("evaluate", model, pairs, "--errors", out / "new.tsv", "--jobs", 1),
        "rules": ("rules", model, "-o", out / "new.tsv"),
        "report": ("report", model, pairs, "-o", out / "new.html"),
        "explain": ("explain", model, "a b c", "b c d", "--html", out / "new.html"),
    }


@pytest.mark.parametrize(
    ("name", "kills"),
    [
        *(("train", 2), ("gram", 2)),
        *(pytest.param(name, 200, marks=pytest.mark.slow) for name in ("train", "predict", "gram", "gram of libsvm")),
        *(pytest.param(name, 200, marks=pytest.mark.slow) for name in ("evaluate", "rules", "report", "explain")),
    ],
)
def test_killed_at_random_moments(data, tmp_path, name, kills):
    command = list_commands(data, tmp_path)[name]
    out = next(Path(word) for word in command if isinstance(word, Path) and word.parent == tmp_path)
    run(*command)
    started = time.perf_counter()
    run(*command)
    took = time.perf_counter() - started
    whole = out.read_bytes()
    rng = random.Random(name)
    for _ in range(kills):
        out.write_bytes(b"old")
        kill_after(rng.random() * 1.5 * took, command)
        assert out.read_bytes() in (b"old", whole)
    # The folder may have what killed processes left; the next run of a new process removes it, or goes on with it.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    program = [sys.executable, "-m", "rekern", *map(str, command)]
    subprocess.run(program, env=environment, check=True, capture_output=True)
    assert out.read_bytes() == whole
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path):
    child = os.fork()
    if child == 0:
        with write_atomically(tmp_path / "a.txt") as temporary:
            temporary.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    with write_atomically(tmp_path / "other.txt") as mine:
        mine.write_text("whole")
        left = [path.name for path in tmp_path.iterdir()]
    assert left == [mine.name]
    assert [path.name for path in tmp_path.iterdir()] == ["other.txt"]


def limit_file_size(size):
    """In a child process: files may not grow beyond a size, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("name", ["train", "predict", "gram", "gram of libsvm"])
def test_a_full_disk_is_one_line_and_the_old_file_stays(data, tmp_path, name):
    command = list_commands(data, tmp_path)[name]
    out = next(Path(word) for word in command if isinstance(word, Path) and word.parent == tmp_path)
    out.write_bytes(b"old")
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        limit_file_size(500)
        result = CliRunner().invoke(app, list(map(str, command)))
        os.write(write, f"{result.exit_code} {result.stderr}".encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as stream:
        said = stream.read()
    assert said.startswith("2 rekern: "), said
    assert said.count("\n") == 1 and "Traceback" not in said
    assert out.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_a_folder_that_vanishes_is_one_line(data, tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    with pytest.raises(OSError, match="No such file"), write_atomically(folder / "a.txt") as temporary:
        temporary.write_text("new")
        shutil.rmtree(folder)
    assert not folder.exists()


def test_two_writers_leave_one_whole_file(tmp_path):
    barrier = threading.Barrier(8)
    texts = [str(number) * 100_000 for number in range(8)]

    def write(text):
        barrier.wait()
        with write_atomically(tmp_path / "a.txt") as temporary:
            temporary.write_text(text)

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "a.txt").read_text() in texts
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_model_gives_the_same_bits_in_32_threads_as_alone(data):
    pairs = [tuple(line.split("\t")[:2]) for line in (data / "pairs.tsv").read_text().splitlines()[1:9]]
    alone = load_model(data / "model.rekern")
    expected = alone.decision_function(pairs).tobytes(), [repr(alone.explain(pair).to_dict()) for pair in pairs[:2]]
    model = load_model(data / "model.rekern")  # nothing is prepared: all threads meet it for the first time
    barrier, found = threading.Barrier(32), []

    def use(number):
        barrier.wait()
        if number % 2:
            explained = [repr(model.explain(pair).to_dict()) for pair in pairs[:2]]
            values = model.decision_function(pairs).tobytes()
        else:
            values = model.decision_function(pairs).tobytes()
            explained = [repr(model.explain(pair).to_dict()) for pair in pairs[:2]]
        found.append((values, explained))

    threads = [threading.Thread(target=use, args=(number,)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 32 and all(one == expected for one in found)


def test_a_kernel_gives_the_same_bits_in_32_threads_as_alone():
    texts = [f"a b {number % 7} c {number % 3}" for number in range(40)]
    expected = Spectrum(2).gram(texts)
    barrier, found, kernel = threading.Barrier(32), [], Spectrum(2)

    def use():
        barrier.wait()
        found.append(kernel.gram(texts, n_jobs=2))

    threads = [threading.Thread(target=use) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 32 and all(np.array_equal(one, expected) for one in found)
