"""Killed commands, full disks, folders that vanish, two writers: the old file or the new one is there, whole."""

import contextlib
import gzip
import json
import os
import random
import resource
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rekern import load_model
from rekern.cli.commands import app
from rekern.core.files import _remove_abandoned, open_locked, remove_locked, write_atomically
from rekern.errors import InputError
from rekern.kernels import Spectrum, gram_file
from rekern.search import match_log, pair_finder

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
    other = [row[:-1] + str(1 - int(row[-1])) for row in rows[:10]]
    (folder / "other.tsv").write_text("source\ttarget\tlabel\n" + "\n".join(other) + "\n")
    run("train", folder / "pairs.tsv", "-o", folder / "model.rekern", "--jobs", 1)
    (folder / "paws_wiki").mkdir()
    for part, chosen in (("dev", rows[:32]), ("test", rows[32:48])):
        lines = ["id\ts1\ts2\tlabel", *(f"{number}\t{row}" for number, row in enumerate(chosen))]
        (folder / "paws_wiki" / f"{part}.tsv.gz").write_bytes(gzip.compress("\n".join(lines).encode() + b"\n"))
    return folder


@pytest.fixture(scope="module", autouse=True)
def flat_parser(tmp_path_factory):
    """A parser that is installed as another package; it takes no time to load."""
    site = tmp_path_factory.mktemp("site")
    shutil.copy(Path(__file__).parent / "data" / "plugin" / "rekern_example.py", site)
    info = site / "rekern_example-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rekern-example\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[rekern.parsers]\nflat = rekern_example:FlatParser\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        patch.setattr(sys, "dont_write_bytecode", True)  # a child with a full disk would leave half of it
        yield


def list_commands(data, out):
    pairs, model = data / "pairs.tsv", data / "model.rekern"
    return {
        "train": ("train", pairs, "-o", out / "new.rekern", "--jobs", 1),
        "predict": ("predict", model, pairs, "-o", out / "new.tsv", "--jobs", 1),
        "gram": ("gram", pairs, "-o", out / "new.npy", "--jobs", 1),
        "gram of libsvm": ("gram", pairs, "-o", out / "new.libsvm", "--jobs", 1),
        "evaluate": ("evaluate", model, data / "other.tsv", "--errors", out / "new.tsv", "--jobs", 1),
        "rules": ("rules", model, "-o", out / "new.tsv"),
        "report": ("report", model, pairs, "-o", out / "new.html", "--top", 2),
        "explain": ("explain", model, "a b c", "b c d", "--html", out / "new.html"),
        "parse": ("parse", pairs, "-o", out / "new.tsv", "--parser", "flat", "--cache", out.parent / "cache"),
        "match": (*("match", pairs, "--text", "source", "--model", model, "--min-probability", 0.0), *to_index(out)),
    }


def to_index(out):
    return ("-o", out / "new.tsv", "--index", out / "index", "--jobs", 1)


NAMES = ("train", "predict", "gram", "gram of libsvm", "evaluate", "rules", "report", "explain")
NEW_NAMES = ("parse", "match")
COMMANDS = [pytest.param(name, marks=[pytest.mark.slow] * (name == "report")) for name in (*NAMES, *NEW_NAMES)]


OLD = b"old"


def read_results(folder, names=None):
    """The files of a folder, or those of these names that are there; of an experiment without the time that it took."""
    found = {path.name: path.read_bytes() for path in folder.iterdir() if names is None or path.name in names}
    for name, content in found.items():
        if name.endswith(".json") and content != OLD:
            found[name] = {**json.loads(content), "seconds": None}
    return found


@pytest.mark.parametrize(
    ("name", "kills"),
    [
        *((name, 1) for name in ("train", "gram")),
        *(pytest.param(name, 200, marks=pytest.mark.slow) for name in (*NAMES, *NEW_NAMES)),
    ],
)
def test_killed_at_random_moments(data, tmp_path, monkeypatch, name, kills):
    monkeypatch.setattr(pair_finder, "PAIRS", 100)  # searches in several blocks, each of which is recorded
    monkeypatch.setattr(match_log, "RECORD_SECONDS", 0.0)
    out, cache = tmp_path / "out", tmp_path / "cache"
    out.mkdir()
    command = list_commands(data, out)[name]
    run(*command)
    whole = read_results(out)
    started = time.perf_counter()
    run(*command)
    took = time.perf_counter() - started
    assert read_results(out) == whole
    rng = random.Random(name)
    for _ in range(kills):
        if rng.random() < 0.5:  # else it goes on with what there is
            shutil.rmtree(cache, ignore_errors=True)
        for file in set(whole) - {"index"}:
            (out / file).write_bytes(OLD)
        if rng.random() < 0.5:
            (out / "index").unlink(missing_ok=True)
        kill_after(rng.random() * 1.5 * took, command)
        left = read_results(out, whole)
        assert set(left) | {"index"} == set(whole) | {"index"}
        assert all(left[file] in (OLD, whole[file]) for file in left)
    # The folder may have what killed processes left; the next run of a new process removes it, or goes on with it.
    assert run_in_child(command).startswith("0 ")
    assert read_results(out) == whole
    assert not cache.exists() or [path.name for path in cache.iterdir()] == ["parses.sqlite"]


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


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not tell when a process started")
def test_what_is_left_is_removed_even_if_the_number_of_the_process_was_given_again(tmp_path):
    with write_atomically(tmp_path / "a.txt") as mine:
        mine.write_text("mine")
        number, start = mine.name.split("-")[2].split(".")
        left = mine.with_name(mine.name.replace(f"-{number}.{start}-", f"-{number}.{int(start) - 1}-"))
        left.write_text("of a process that is no more, whose number this one has")
        _remove_abandoned.cache_clear()
        with write_atomically(tmp_path / "b.txt") as other:
            other.write_text("whole")
        assert not left.exists() and mine.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]


def limit_file_size(size):
    """In a child process: files may not grow beyond a size, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def run_in_child(command, prepare=lambda: None):
    """Run a command in a child process after some preparation; return its exit code and what it says."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        _remove_abandoned.cache_clear()  # as in a new process, which has not looked into the folder yet
        prepare()
        result = CliRunner().invoke(app, list(map(str, command)))
        os.write(write, f"{result.exit_code} {result.stderr}".encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as stream:
        return stream.read()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_is_one_line_and_the_old_file_stays(data, tmp_path, name):
    out = tmp_path / "out"
    out.mkdir()
    command = list_commands(data, out)[name]
    targets = [word for word in command if isinstance(word, Path) and word.parent == out and word.name != "index"]
    for path in targets:
        path.write_bytes(OLD)
    said = run_in_child(command, lambda: limit_file_size(100))
    assert said.startswith("2 rekern: "), said
    assert said.count("\n") == 1 and "Traceback" not in said and "bug" not in said
    assert any(words in said for words in ("File too large", "disk", "cannot use the cache")), said
    assert {path.name: path.read_bytes() for path in out.iterdir()} == {path.name: OLD for path in targets}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_that_vanishes_is_one_line(data, tmp_path, name):
    out = tmp_path / "out"
    out.mkdir()
    command = list_commands(data, out)[name]

    def remove_before_the_end():
        """Remove the folder at the moment in which a file would get its name."""
        replace = os.replace

        def remove_first(source, target):
            if Path(target).parent == out:
                shutil.rmtree(out)
            replace(source, target)

        os.replace = remove_first

    said = run_in_child(command, remove_before_the_end)
    assert said.startswith("2 rekern: ") and "Traceback" not in said and "bug" not in said, said
    assert "No such file" in said.splitlines()[-1] and not out.exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_two_processes_with_the_same_output_leave_one_whole_file(data, tmp_path, name):
    out = tmp_path / "out"
    out.mkdir()
    command = list_commands(data, out)[name]
    run(*command)
    whole = read_results(out)
    shutil.rmtree(out)
    out.mkdir()
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            result = CliRunner().invoke(app, list(map(str, command)))
            os._exit(result.exit_code)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert 0 in codes and set(codes) <= {0, 2}  # the second one may say that another run is writing
    assert read_results(out) == whole


@pytest.mark.parametrize("module", [gram_file, match_log])
def test_a_run_is_locked_until_its_last_file_is_gone(tmp_path, monkeypatch, module):
    def remove(path, file):
        with pytest.raises(InputError, match="another run is writing"), open_locked(path):
            pass
        removed.append(path)
        remove_locked(path, file)

    removed = []
    monkeypatch.setattr(module, "remove_locked", remove)
    if module is gram_file:
        Spectrum(1).gram(["a b", "b c"], out=tmp_path / "out")
    else:
        with match_log.open_match_log(tmp_path / "log", {"corpus": "a"}, False):
            pass
    assert len(removed) == 1 and not removed[0].exists()


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
