"""Arrays of results that go through files: the same values, whether the folder is seen, full or gone."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rekern import RewriteVectorizer
from rekern.core import array_exchange, array_parts
from rekern.core.array_exchange import Exchange, FiledResult, make_exchange
from rekern.core.array_parts import ArrayPart, join_arrays, write_part
from rekern.errors import InputError
from rekern.kernels.rewriting import rewrite_vectorizer

LARGE = np.arange(1 << 14, dtype=np.float64)


class Rows(NamedTuple):
    """A result of a worker."""

    name: str
    values: np.ndarray
    others: list[object]


@pytest.fixture
def exchange(tmp_path):
    return make_exchange(str(tmp_path))


def is_equal(one, other):
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and np.array_equal(one, other)
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(is_equal, one, other))
    return one == other


@pytest.mark.parametrize(
    "value",
    [
        LARGE,
        LARGE.reshape(128, 128).astype(np.float32),
        [LARGE, (LARGE[:3], LARGE.astype(np.int32)[:-1])],
        Rows("a", LARGE.view(np.uint64), [None, LARGE + 1]),
    ],
)
def test_large_arrays_come_back_from_a_file(exchange, value):
    filed = exchange.put(value)
    assert isinstance(filed, FiledResult) and len(os.listdir(exchange.folder)) == 2
    found = exchange.take(filed)
    assert is_equal(found, value) and len(os.listdir(exchange.folder)) == 1
    first = next(part for part in (found if isinstance(found, list | tuple) else [found]) if hasattr(part, "shape"))
    first += np.ones_like(first)  # it is an array like any other


@pytest.mark.parametrize(
    "value", [3, "text", LARGE[:10], LARGE.reshape(128, 128).T, np.full(1 << 16, None), {"a": LARGE}, ArrayPart("a", 1)]
)
def test_other_results_are_sent(exchange, value):
    assert exchange.put(value) is value and exchange.take(value) is value
    assert len(os.listdir(exchange.folder)) == 1


def test_a_worker_that_does_not_see_the_folder_sends_its_arrays(exchange, monkeypatch):
    assert exchange._replace(folder="/none").put(LARGE) is LARGE
    assert exchange._replace(machine="another").put(LARGE) is LARGE
    os.unlink(Path(exchange.folder, exchange.mark))
    assert exchange.put(LARGE) is LARGE


def test_a_full_disk_leaves_nothing(exchange, monkeypatch):
    monkeypatch.setattr(array_exchange, "write_array", lambda *_: _raise_full())
    monkeypatch.setattr(array_parts, "write_array", lambda *_: _raise_full())
    assert exchange.put(LARGE) is LARGE
    with pytest.raises(OSError, match="No space"):
        write_part(exchange, [(LARGE,)])
    assert os.listdir(exchange.folder) == [exchange.mark]


def test_a_part_whose_second_file_cannot_be_opened_leaves_nothing_open(exchange, monkeypatch):
    opened, real = [], os.open

    def open_one(*arguments):
        opened.append(real(*arguments) if not opened else _raise_full())
        return opened[-1]

    monkeypatch.setattr(os, "open", open_one)
    with pytest.raises(OSError, match="No space"):
        write_part(exchange, [(LARGE, LARGE)])
    assert os.listdir(exchange.folder) == [exchange.mark]
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(opened[0])


def _raise_full():
    raise OSError(28, "No space left on device")


@given(st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=1, max_size=5))
def test_parts_are_joined_in_order(lengths):
    with TemporaryDirectory() as folder:
        exchange, count, parts = make_exchange(folder), 0, []
        for blocks in lengths:
            made = []
            for length in blocks:
                made.append((np.arange(count, count + length, dtype=np.int32), np.full(length, 0.5 * count)))
                count += length
            parts.append(write_part(exchange, made))
        columns, values = join_arrays(exchange, parts, ("i4", "f8"))
        assert columns.tolist() == list(range(count)) and len(values) == count and values.dtype == np.float64
        columns += 1
        assert os.listdir(folder) == [exchange.mark]


def test_a_part_that_was_cut_is_an_error(exchange):
    part = write_part(exchange, [(LARGE,)])
    os.truncate(Path(exchange.folder, f"{part.name}.0"), 80)
    with pytest.raises(EOFError, match="shorter"):
        join_arrays(exchange, [part], ("f8",))


PAIRS = [(f"a b {number} c", f"b a {number % 7}") for number in range(1300)]


def hash_at_workers(monkeypatch, pairs=PAIRS):
    """Take the way of a cluster, in this process."""
    monkeypatch.setattr(rewrite_vectorizer, "has_shared_memory", lambda: False)
    return RewriteVectorizer(k=(1, 3), hashing=2**12).transform(pairs)


@pytest.mark.parametrize("seen", [lambda _: True, lambda _: False, None], ids=["seen", "not seen", "by some"])
def test_hashed_features_are_the_same_from_workers(monkeypatch, seen):
    expected = RewriteVectorizer(k=(1, 3), hashing=2**12).transform(PAIRS)
    answers = iter([True, False] * 100)
    monkeypatch.setattr(Exchange, "is_seen", seen or (lambda _: next(answers)))
    found = hash_at_workers(monkeypatch)
    assert isinstance(found, sparse.csr_array) and found.shape == expected.shape
    for name in ("data", "indices", "indptr"):
        assert is_equal(getattr(found, name), getattr(expected, name))
    found.sum_duplicates()
    assert (found != expected).nnz == 0


def test_no_room_for_the_features_of_workers(monkeypatch):
    expected = RewriteVectorizer(k=(1, 3), hashing=2**12).transform(PAIRS)
    monkeypatch.setattr(array_parts, "write_array", lambda *_: _raise_full())
    assert np.array_equal(hash_at_workers(monkeypatch).data, expected.data)


def test_the_row_of_a_wrong_pair_of_a_worker(monkeypatch):
    with pytest.raises(InputError, match="row 1200") as caught:
        hash_at_workers(monkeypatch, [*PAIRS[:1200], ("a", 5), *PAIRS])
    assert caught.value.row == 1200


def test_no_pairs_for_workers(monkeypatch):
    assert hash_at_workers(monkeypatch, []).shape == (0, 2**12)


def test_many_small_results_are_no_open_files(tmp_path):
    exchange = make_exchange(str(tmp_path))
    before = len(os.listdir("/proc/self/fd"))
    kept = [exchange.take(exchange.put(np.arange(1 << 14))) for _ in range(20)]
    assert len(os.listdir("/proc/self/fd")) == before and kept[-1][-1] == (1 << 14) - 1


def test_arrays_with_named_fields_are_sent(tmp_path):
    array = np.zeros(1 << 14, [("a", "i4"), ("b", "f8")])
    assert make_exchange(str(tmp_path)).put(array) is array


def test_parts_in_files_and_parts_that_were_sent_are_joined(exchange):
    filed = [write_part(exchange, [(np.arange(n),)]) for n in (3, 0)]
    (found,) = join_arrays(exchange, [filed[0], (np.array([7, 8]),), filed[1], (np.arange(0),)], ("i8",))
    assert found.tolist() == [0, 1, 2, 7, 8] and os.listdir(exchange.folder) == [exchange.mark]
