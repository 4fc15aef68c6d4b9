"""Grams on disk: the same bits as in memory, and a killed run goes on where it was."""

import json
import os
import signal
import threading
import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.svm import SVC

from rekern.core.files import open_locked
from rekern.errors import InputError
from rekern.kernels import (
    DependencyPaths,
    Gaussian,
    Neighborhoods,
    PairProduct,
    PartialTree,
    Rewriting,
    SmoothedPartialTree,
    SoftPairing,
    Spectrum,
    Subsequence,
    SubsetTree,
    SubTree,
    Wildcard,
)
from rekern.kernels import gram_file as gramfile
from rekern.kernels import gram_plan as base
from rekern.kernels.gram_file import write_gram
from rekern.kernels.gram_plan import GramPlan
from rekern.similarity import PrecisionRecall
from rekern.structures import Pairs

KERNELS = [
    Rewriting((1, 3)),
    Rewriting(2, "free") + 0.5 * PrecisionRecall(),
    (Rewriting(1) * Rewriting(2)).normalized(),
]


def corpus(number, seed=0):
    rng = np.random.default_rng(seed)
    sides = [list(map(str, rng.integers(0, 30, rng.integers(0, 9)))) for _ in range(2 * number)]
    return Pairs.from_items(list(zip(sides[::2], sides[1::2])))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(base, "BLOCK_BYTES", 1)  # blocks of 16 rows
    monkeypatch.setattr(gramfile, "TILE", 50)
    Watched.starts, Watched.most = [], 10**9


@dataclass(frozen=True)
class Watched:
    """A block function that notes what it computes and stops when it has computed enough."""

    block: Any
    starts: ClassVar[list[int]] = []
    most: ClassVar[int] = 10**9

    def __call__(self, first, last):
        if len(self.starts) == self.most:
            raise KeyboardInterrupt
        self.starts.append(first)
        return self.block(first, last)


def write(kernel, pairs, path, others=None, n_jobs=1):
    plan = kernel.plan_gram(pairs, others, 1)
    return write_gram(
        GramPlan(plan.rows, plan.columns, plan.symmetric, Watched(plan.block)), path, n_jobs, repr(kernel)
    )


def interrupted(kernel, pairs, path, after, others=None):
    Watched.starts, Watched.most = [], after
    with pytest.raises(KeyboardInterrupt):
        write(kernel, pairs, path, others)
    Watched.starts, Watched.most = [], 10**9


@pytest.mark.parametrize("kernel", KERNELS, ids=range(len(KERNELS)))
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_same_bits_as_in_memory(kernel, n_jobs, tmp_path):
    pairs = corpus(330)
    found = kernel.gram(pairs, out=tmp_path / "gram.npy", n_jobs=n_jobs)
    assert isinstance(found, np.memmap)
    expected = kernel.gram(pairs)
    assert np.array_equal(found, expected)
    assert np.array_equal(np.load(tmp_path / "gram.npy"), expected)
    rectangle = kernel.gram(pairs[:40], pairs, out=str(tmp_path / "rectangle.npy"), n_jobs=n_jobs)
    assert np.array_equal(rectangle, kernel.gram(pairs[:40], pairs))
    assert sorted(os.listdir(tmp_path)) == ["gram.npy", "rectangle.npy"]


@pytest.mark.parametrize("kernel", [Spectrum(2), Subsequence(2, 0.5)], ids=["spectrum", "subsequence"])
def test_kernels_on_texts(kernel, tmp_path):
    texts = [source for source, _ in corpus(60)]
    assert np.array_equal(kernel.gram(texts, out=tmp_path / "gram.npy"), kernel.gram(texts))


def test_empty_grams(tmp_path):
    assert Rewriting(1).gram([], out=tmp_path / "a.npy").shape == (0, 0)
    assert Rewriting(1).gram([("a", "b")], [], out=tmp_path / "b.npy").shape == (1, 0)
    assert Rewriting(1).gram([], [("a", "b")], out=tmp_path / "c.npy").shape == (0, 1)
    assert np.load(tmp_path / "b.npy").shape == (1, 0)


def test_a_gram_on_disk_trains_a_machine(tmp_path):
    pairs = corpus(60)
    labels = np.arange(60) % 2
    on_disk = Rewriting(1).gram(pairs, out=tmp_path / "gram.npy")
    machines = [SVC(kernel="precomputed").fit(gram, labels) for gram in (on_disk, Rewriting(1).gram(pairs))]
    assert np.array_equal(machines[0].dual_coef_, machines[1].dual_coef_)


@pytest.mark.parametrize("others", [None, corpus(70, seed=1)], ids=["symmetric", "rectangle"])
def test_an_interrupted_run_goes_on(tmp_path, others):
    kernel, pairs, path = Rewriting(2), corpus(160), tmp_path / "gram.npy"
    interrupted(kernel, pairs, path, after=4, others=others)
    assert sorted(os.listdir(tmp_path)) == ["gram.npy.part", "gram.npy.part.json"]
    interrupted(kernel, pairs, path, after=3, others=others)
    assert json.loads((tmp_path / "gram.npy.part.json").read_text())["done"] == 7
    found = write(kernel, pairs, path, others)
    assert Watched.starts == [112, 128, 144]
    assert np.array_equal(found, kernel.gram(pairs, others))
    assert os.listdir(tmp_path) == ["gram.npy"]


def test_interrupted_while_it_is_mirrored(tmp_path, monkeypatch):
    kernel, pairs, path = Rewriting(2), corpus(160), tmp_path / "gram.npy"
    monkeypatch.setattr(gramfile, "_mirror", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        write(kernel, pairs, path)
    assert not path.exists()
    monkeypatch.undo()
    monkeypatch.setattr(base, "BLOCK_BYTES", 1)
    Watched.starts = []
    assert np.array_equal(write(kernel, pairs, path), kernel.gram(pairs))
    assert Watched.starts == []


def test_an_interruption_before_the_first_block_leaves_nothing(tmp_path):
    interrupted(Rewriting(2), corpus(160), tmp_path / "gram.npy", after=0)
    assert os.listdir(tmp_path) == []


def test_an_old_gram_stays_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "gram.npy"
    old = np.array(Rewriting(1).gram(corpus(40), out=path))
    interrupted(Rewriting(2), corpus(160), path, after=4)
    assert np.array_equal(np.load(path), old)
    write(Rewriting(2), corpus(160), path)
    assert np.load(path).shape == (160, 160)


def changed_pair():
    pairs = [tuple(pair) for pair in corpus(160)]
    pairs[155] = (["99"], ["98"])  # a pair that has no word in common with any other
    return pairs


@pytest.mark.parametrize(
    ("kernel", "pairs", "difference"),
    [
        (Rewriting(3), corpus(160), r"of another kernel, Rewriting\(k=2\)"),
        (Rewriting(2, decay=0.5), corpus(160), "of another kernel"),
        (Rewriting(2), corpus(160, seed=1), "of other items"),
        (Rewriting(2), corpus(150), "of 160 × 160 items, not 150 × 150"),
        (Rewriting(2), changed_pair(), "of other items"),
        (Rewriting(2, normalize=False), corpus(160), "of another kernel"),
        (0.5 * Rewriting(2), corpus(160), "of another kernel"),
    ],
    ids=range(7),
)
def test_another_kernel_or_corpus_starts_over_and_says_so(tmp_path, kernel, pairs, difference):
    path = tmp_path / "gram.npy"
    interrupted(Rewriting(2), corpus(160), path, after=4)
    with pytest.warns(UserWarning, match=rf"gram.npy.part is an unfinished Gram {difference}.*; it is computed from"):
        found = write(kernel, pairs, path)
    assert Watched.starts[0] == 0
    assert len(Watched.starts) == 10
    assert np.array_equal(found, kernel.gram(pairs))


TREES = [f"(S (A w{number % 7}) (B (C w{number % 5}) (D w{number % 3})))" for number in range(160)]
GRAPHS = [(["saw", f"w{number % 7}"], [(0, 1, f"s{number % 3}")]) for number in range(160)]
TEXTS = [" ".join(f"w{number % divisor}" for divisor in (7, 5, 3)) for number in range(160)]
SIDES = list(zip(TREES, reversed(TREES)))
ANY_KERNEL = [
    (PartialTree(), TREES),
    (SubsetTree(), TREES),
    (SubTree(), TREES),
    (SmoothedPartialTree(), TREES),
    (DependencyPaths(), TREES),
    (Neighborhoods(), GRAPHS),
    (Spectrum(1), TEXTS),
    (Wildcard(2), TEXTS),
    (Subsequence(), TEXTS),
    (SoftPairing(PartialTree()), SIDES),
    (PairProduct(SubsetTree()), SIDES),
    (Gaussian(PrecisionRecall()), [("a " * (number % 7 + 1), "a b " * (number % 5)) for number in range(160)]),
    (Rewriting(2) + 2 * PrecisionRecall(), list(zip(TEXTS, reversed(TEXTS)))),
]


@pytest.mark.parametrize(("kernel", "items"), ANY_KERNEL, ids=lambda value: str(value)[:30])
def test_one_other_item_anywhere_starts_over(tmp_path, kernel, items):
    kernel.adapt(items)
    path = tmp_path / "gram.npy"
    interrupted(kernel, items, path, after=4)
    changed = [*items[:150], items[2], *items[151:]]  # no row that a sample of 16 would contain
    assert changed != items
    with pytest.warns(UserWarning, match="an unfinished Gram of other items"):
        found = write(kernel, changed, path)
    assert len(Watched.starts) == 10
    assert np.array_equal(found, kernel.gram(changed))
    interrupted(kernel, items, path, after=4)
    write(kernel, list(items), path)
    assert Watched.starts == list(range(64, 160, 16))


def test_another_version_starts_over(tmp_path, monkeypatch):
    path = tmp_path / "gram.npy"
    interrupted(Rewriting(2), corpus(160), path, after=4)
    monkeypatch.setattr(gramfile, "__version__", "0.0.1")
    with pytest.warns(UserWarning, match="an unfinished Gram of another version"):
        write(Rewriting(2), corpus(160), path)
    assert len(Watched.starts) == 10


def test_a_kernel_that_cannot_be_written_down_starts_over(tmp_path):
    path, values, lock = tmp_path / "gram.npy", np.ones((160, 5)), threading.Lock()

    def plan(most):
        def block(first, last):
            with lock:
                if first >= most:
                    raise KeyboardInterrupt
                return values[first:last]

        return GramPlan(160, 5, False, block)

    with pytest.raises(KeyboardInterrupt):
        write_gram(plan(64), path, 1, "a kernel")
    with pytest.warns(UserWarning, match="cannot be written down"):
        assert np.array_equal(write_gram(plan(160), path, 1, "a kernel"), values)


@dataclass(frozen=True)
class Counted:
    """A block function that notes what it computes."""

    block: Any
    calls: ClassVar[list[int]] = []

    def __call__(self, first, last):
        self.calls.append(first)
        return self.block(first, last)


class CountingTree(PartialTree):
    """A kernel that notes the rows that it computes."""

    def plan_gram(self, X, Y, n_jobs):
        plan = super().plan_gram(X, Y, n_jobs)
        return GramPlan(plan.rows, plan.columns, plan.symmetric, Counted(plan.block))


@pytest.mark.parametrize("kind", [SoftPairing, PairProduct], ids=lambda kind: kind.__name__)
def test_a_pair_kernel_compares_texts_block_by_block_and_only_those_that_are_missing(tmp_path, kind):
    sides = [(f"(S (A w{number}))", f"(S (B w{number}))") for number in range(160)]
    kernel, path = kind(CountingTree()), tmp_path / "gram.npy"
    Counted.calls.clear()
    expected = kernel.gram(sides)
    total = len(Counted.calls)
    Counted.calls.clear()
    interrupted(kernel, sides, path, after=5)
    assert len(Counted.calls) == total // 2  # half of the blocks, half of the comparisons
    found = write(kernel, sides, path)
    assert np.array_equal(found, expected)
    assert len(Counted.calls) == total  # nothing is compared twice, because no text occurs twice


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"done": 3}', "\x00\xff"])
def test_a_damaged_record_starts_over(tmp_path, damage):
    kernel, pairs, path = Rewriting(2), corpus(160), tmp_path / "gram.npy"
    interrupted(kernel, pairs, path, after=4)
    (tmp_path / "gram.npy.part.json").write_text(damage, encoding="latin-1")
    assert np.array_equal(write(kernel, pairs, path), kernel.gram(pairs))
    assert len(Watched.starts) == 10


@pytest.mark.parametrize("damage", ["gone", "short", "other"])
def test_a_damaged_matrix_starts_over(tmp_path, damage):
    kernel, pairs, path = Rewriting(2), corpus(160), tmp_path / "gram.npy"
    interrupted(kernel, pairs, path, after=4)
    part = tmp_path / "gram.npy.part"
    if damage == "gone":
        part.unlink()
    elif damage == "short":
        os.truncate(part, 1000)
    else:
        part.write_bytes(b"something else")
    assert np.array_equal(write(kernel, pairs, path), kernel.gram(pairs))
    assert len(Watched.starts) == 10


def test_a_function_as_tokenizer_does_not_start_over(tmp_path):
    # Its repr holds an address that differs from run to run.
    plan = Rewriting(1).plan_gram(corpus(40), None, 1)
    texts = [f"Rewriting(tokenizer=<function cut at 0x7f{place}>)" for place in ("12ab", "34cd")]
    assert len({repr(gramfile._describe(plan, text)) for text in texts}) == 1


def test_the_number_of_jobs_does_not_start_over(tmp_path):
    kernel, pairs, path = Rewriting((1, 4)), corpus(600), tmp_path / "gram.npy"
    interrupted(kernel, pairs, path, after=30)
    plan = kernel.plan_gram(pairs, None, 2)
    found = write_gram(GramPlan(plan.rows, plan.columns, True, Watched(plan.block)), path, 2, repr(kernel))
    assert sorted(Watched.starts) == list(range(480, 600, 16))
    assert np.array_equal(found, kernel.gram(pairs))


def test_a_second_run_at_the_same_time_is_refused(tmp_path):
    pytest.importorskip("fcntl")
    sidecar = tmp_path / "gram.npy.part.json"
    with open_locked(sidecar), pytest.raises(InputError, match="another run is writing"):
        Rewriting(1).gram([("a", "b")], out=tmp_path / "gram.npy")


@pytest.mark.parametrize("name", ["", "none/gram.npy", "gram.npy/"])
def test_a_place_where_no_file_can_be_written(tmp_path, name):
    with pytest.raises(InputError) as caught:
        Rewriting(1).gram([("a", "b")], out=f"{tmp_path}/{name}")
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no device to try")
def test_a_device_is_refused():
    with pytest.raises(InputError, match="not a plain file"):
        Rewriting(1).gram([("a", "b")], out="/dev/null")


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="room cannot be reserved here")
def test_a_full_disk_is_one_line(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(InputError, match=r"No space left on device; the Gram needs 0\.0 GB"):
        Rewriting(1).gram([("a", "b")], out=tmp_path / "gram.npy")
    assert os.listdir(tmp_path) == []


@dataclass
class Slow:
    """A block function that tells a pipe what it computes, and takes its time."""

    block: Any
    pipe: int

    def __call__(self, first, last):
        os.write(self.pipe, f"{first}\n".encode())
        time.sleep(0.02)
        return self.block(first, last)


def start_writing(path):
    """Write a Gram of 20 blocks in a child process; return its number and what it tells."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        base.BLOCK_BYTES, gramfile.RECORD_SECONDS = 1, 0.0
        plan = Rewriting((1, 2)).plan_gram(corpus(320), None, 1)
        write_gram(GramPlan(plan.rows, plan.columns, True, Slow(plan.block, write)), path, 1, "Rewriting")
        os._exit(0)
    os.close(write)
    return child, os.fdopen(read)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is forked and killed")
def test_a_killed_process_goes_on(tmp_path):
    path = tmp_path / "gram.npy"
    child, told = start_writing(path)
    with told:
        assert len([told.readline() for _ in range(12)]) == 12
        os.kill(child, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert not path.exists()
    done = json.loads((tmp_path / "gram.npy.part.json").read_text())["done"]
    assert 8 <= done <= 16
    child, told = start_writing(path)
    with told:
        again = told.read().split()
    assert os.waitpid(child, 0)[1] == 0
    assert list(map(int, again)) == list(range(16 * done, 320, 16))  # nothing that was recorded is computed again
    assert np.array_equal(np.load(path), Rewriting((1, 2)).gram(corpus(320)))
    assert os.listdir(tmp_path) == ["gram.npy"]
