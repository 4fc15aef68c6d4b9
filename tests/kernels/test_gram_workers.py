"""Workers write the blocks of a Gram on disk and mirror them, with the same bits; a file that they do not see."""

import json
import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rekern.errors import InputError
from rekern.kernels import Rewriting, Spectrum, gram_workers
from rekern.kernels import gram_file as gramfile
from rekern.kernels import gram_plan as base
from rekern.kernels.gram_workers import SharedFile, mirror_rows, split_rows, write_block

PAIRS = [(f"a {number % 7} b", f"b a {number % 5}") for number in range(80)]


def test_worker_processes_write_their_blocks_themselves(tmp_path, monkeypatch):
    import joblib

    monkeypatch.setattr(base, "BLOCK_BYTES", 1 << 13)
    texts = [f"a{number % 7} b{number % 5} c{number % 3}" for number in range(60)]
    kernel, sent = Spectrum(1), []
    expected, rectangle = kernel.gram(texts), kernel.gram(texts[:40], texts)
    compute = gramfile._compute_blocks

    def note_blocks(*arguments):
        for block in compute(*arguments):
            sent.append(block)
            yield block

    monkeypatch.setattr(gramfile, "_compute_blocks", note_blocks)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert np.array_equal(kernel.gram(texts, out=tmp_path / "gram.npy"), expected)
        assert np.array_equal(kernel.gram(texts[:40], texts, out=tmp_path / "other.npy"), rectangle)
        assert len(sent) > 4 and all(block is None for block in sent)
        sent.clear()
        monkeypatch.setattr(gramfile, "_record", lambda *_: None)  # the number of the run is nowhere
        assert np.array_equal(kernel.gram(texts, out=tmp_path / "gram.npy"), expected)
        assert sent and not any(block is None for block in sent)
    assert sorted(os.listdir(tmp_path)) == ["gram.npy", "other.npy"]


def test_a_worker_that_does_not_see_the_file_returns_its_block(tmp_path):
    plan = Spectrum(1).plan_gram(["a b", "b c", "a"], None, 1)
    nowhere = SharedFile(str(tmp_path / "g.part"), str(tmp_path / "g.json"), "7", 128, 3)
    assert not nowhere.is_seen() and not mirror_rows(nowhere, 0, 3)
    assert np.array_equal(write_block(plan, nowhere, 0, 3), plan.compute(0, 3))


def share_matrix(folder, matrix):
    """Return a file of a Gram that workers see."""
    path, sidecar = folder / "g.part", folder / "g.json"
    np.save(path.with_suffix(".npy"), matrix)
    os.replace(path.with_suffix(".npy"), path)
    sidecar.write_text(json.dumps({"run": "7"}))
    mapped = np.lib.format.open_memmap(path, mode="r")
    return SharedFile(str(path), str(sidecar), "7", mapped.offset, matrix.shape[1])


@given(st.integers(1, 60), st.integers(1, 20), st.integers(1, 20), st.integers(1, 4))
def test_workers_mirror_rows_in_any_order(size, strip, chunk, workers):
    matrix = np.random.default_rng(size).random((size, size))
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(gram_workers, "STRIP", strip)
        patch.setattr(gram_workers, "CHUNK", max(strip, chunk))
        file = share_matrix(Path(folder), np.where(np.tri(size, k=-1, dtype=bool), np.nan, matrix))
        calls = split_rows(size, workers)
        assert sorted(row for call in calls for row in range(*call)) == list(range(size))
        for call in sorted(calls, key=lambda call: call[0] * 7919 % 13):
            assert mirror_rows(file, *call)
        assert np.array_equal(np.load(file.part), np.triu(matrix) + np.triu(matrix, 1).T)


def test_a_file_that_was_cut_is_an_error(tmp_path):
    file = share_matrix(tmp_path, np.ones((3, 3)))
    os.truncate(file.part, file.start + 10)
    with pytest.raises(EOFError, match="shorter"):
        mirror_rows(file, 1, 3)


def test_workers_of_a_full_disk_are_one_line(tmp_path, monkeypatch):
    import joblib

    monkeypatch.setattr(gramfile, "has_shared_memory", lambda: False)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=100))
    with (
        joblib.parallel_config(backend="threading"),
        pytest.raises(InputError, match=r"No space left on device; the Gram needs 0\.0 GB"),
    ):
        Rewriting(1).gram(PAIRS, out=tmp_path / "gram.npy")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("missing", ["write_block", "mirror_rows"])
def test_workers_that_lose_sight_of_the_file(tmp_path, monkeypatch, missing):
    """What they do not write is written here, with the same bits."""
    monkeypatch.setattr(base, "BLOCK_BYTES", 1)
    monkeypatch.setattr(gramfile, "has_shared_memory", lambda: False)
    blind = {"write_block": lambda plan, _, *span: plan.compute(*span), "mirror_rows": lambda *_: False}
    monkeypatch.setattr(gramfile, missing, blind[missing])
    assert np.array_equal(Rewriting(2).gram(PAIRS, out=tmp_path / "gram.npy"), Rewriting(2).gram(PAIRS))
