"""Grams on disk: the same bits as in memory, and a killed run goes on where it was."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from rekern.errors import InputError
from rekern.kernels import Rewriting, Spectrum, Subsequence, base, gramfile
from rekern.kernels.base import Plan
from rekern.similarity import PrecisionRecall
from rekern.structures import Pairs


def corpus(number, seed=0):
    rng = np.random.default_rng(seed)
    sides = [list(map(str, rng.integers(0, 30, rng.integers(0, 9)))) for _ in range(2 * number)]
    return Pairs.from_items(list(zip(sides[::2], sides[1::2])))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(base, "BLOCK_BYTES", 1)  # blocks of 16 rows
    monkeypatch.setattr(gramfile, "TILE", 50)


@pytest.fixture
def computed(monkeypatch):
    """The first rows of the blocks that are computed; the list grows as they are."""
    starts = []
    plan_of = Rewriting._plan

    def watched(self, *arguments):
        plan = plan_of(self, *arguments)

        def block(first, last):
            starts.append(first)
            if block.stop_at is not None and len(starts) > block.stop_at:
                raise KeyboardInterrupt
            return plan.block(first, last)

        block.stop_at = watched.stop_at
        return Plan(plan.rows, plan.columns, plan.symmetric, block)

    watched.stop_at = None
    monkeypatch.setattr(Rewriting, "_plan", watched)
    starts_and_stop = (starts, watched)
    return starts_and_stop


KERNELS = [
    Rewriting((1, 3)),
    Rewriting(2, "free") + 0.5 * PrecisionRecall(),
    (Rewriting(1) * Rewriting(2)).normalized(),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=range(len(KERNELS)))
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_same_bits_as_in_memory(kernel, n_jobs, tmp_path):
    pairs = corpus(130)
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


def test_ctrl_c_keeps_what_is_done_and_the_next_run_does_the_rest(tmp_path, computed):
    starts, watched = computed
    pairs, out = corpus(160), tmp_path / "gram.npy"
    watched.stop_at = 4
    with pytest.raises(KeyboardInterrupt):
        Rewriting(2).gram(pairs, out=out, n_jobs=1)
    assert sorted(os.listdir(tmp_path)) == ["gram.npy.part", "gram.npy.part.json"]
    assert json.loads((tmp_path / "gram.npy.part.json").read_text())["done"] == 4 - 1 - _sampled(starts)
    watched.stop_at = None
    before = sorted(set(starts[_sampled(starts) : -1]))
    del starts[:]
    found = Rewriting(2).gram(pairs, out=out, n_jobs=1)
    after = [first for first in starts[gramfile.SAMPLED_ROWS :]]
    assert not set(before) & set(after)
    assert np.array_equal(found, Rewriting(2).gram(pairs))
    assert os.listdir(tmp_path) == ["gram.npy"]


def _sampled(starts):
    return 0
