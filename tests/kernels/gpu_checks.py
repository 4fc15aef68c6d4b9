"""Grams by a GPU beside those by the processor: run where there is a GPU, and in Numba's simulator elsewhere.

The simulator has to be chosen before Numba is loaded, so that the test runs this file in a process of its own.
"""

import os
import sys
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from numba import config

from rekern.errors import InputError
from rekern.kernels import BestPairing, DependencyPaths, PartialTree, SmoothedPartialTree, Spectrum, SubsetTree
from rekern.kernels.trees import tree_kernel

WIDE = "(S (A b) (A c) (A b) (A b) (A d) (A b))"  # with itself more than 24 pairs of children match
VERY_WIDE = f"(S {'(A b) (B c) ' * 34})"  # more children than a thread keeps sums of
TREES = ["(S (A (B c) (B d)) (A (B c)))", WIDE, "(a)", "(S (S (S x)))", "(A (B c) (D e) (B c))", WIDE.replace("c", "b")]
LEXICAL = ["(S (x a::n) (x b::n))", "(S (x c::n) (x a::n))", "(S (x d::v) (y e::v))"]
VECTORS = {word: vector.tolist() for word, vector in zip("abcde", np.random.default_rng(0).normal(size=(5, 3)))}


def compare(kernel, X, Y=None, by_gpu=True):
    """Compare both devices."""
    from rekern.kernels.trees.gpu import device_fill

    expected = kernel.gram(X, Y, device="cpu")
    # In the simulator each thread is one of Python, and one kernel can run.
    threads, jobs = (4, 1) if config.ENABLE_CUDASIM else (256, None)
    fill = mock.patch.object(
        device_fill.DeviceFill, "_compute", autospec=True, side_effect=device_fill.DeviceFill._compute
    )
    threads_of_block = mock.patch.object(device_fill, "THREADS", threads)
    with mock.patch.object(tree_kernel, "FEWEST_VALUES", 0), threads_of_block, fill as fills:
        found = kernel.gram(X, Y, jobs, device="cuda")
    assert fills.called == by_gpu
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    return found


def grow(rng, depth=3):
    """A random tree of few labels."""
    label = "ABC"[rng.integers(3)]
    if depth == 0 or rng.random() < 0.3:
        return f"({label})"
    return f"({label} {' '.join(grow(rng, depth - 1) for _ in range(rng.integers(1, 4)))})"


def is_similar(one, other):
    return 0.5 if {one, other} <= {"B", "D", "c", "d"} else 0.0


def check_trees():
    """Every tree kernel, with itself and with other trees."""
    rng = np.random.default_rng(0)
    trees = [*TREES, *(grow(rng) for _ in range(4))]
    kernels = [
        PartialTree(),
        PartialTree(gaps="span", terminal_factor=2.0, normalize=False),
        SubsetTree(),
        SubsetTree(words=True, normalize=False),
        DependencyPaths(),
        DependencyPaths(weights="printed", normalize=False),
        SmoothedPartialTree(similarity=is_similar),
    ]
    for kernel in kernels:
        compare(kernel, trees)
        compare(kernel, trees[:4], [*trees[3:7], "(new (B c))"])
    compare(SmoothedPartialTree(similarity=VECTORS), LEXICAL)
    compare(SmoothedPartialTree(similarity=VECTORS), LEXICAL, LEXICAL[1:])
    assert np.array_equal(np.diag(compare(PartialTree(), trees)), np.ones(len(trees)))


def check_processor():
    """Nodes with too many children, and bounded sums, are left to the processor."""
    compare(PartialTree(), [*TREES, VERY_WIDE], by_gpu=False)
    compare(PartialTree(max_children=3), TREES, by_gpu=False)
    compare(PartialTree(max_children=6), TREES)


def check_chunks():
    """Chunks of two trees, and blocks of three rows."""
    from rekern.kernels.trees.gpu import cuda_cores, device_fill

    with (
        mock.patch.object(cuda_cores, "MOST_TREES", 2),
        mock.patch.object(device_fill.DeviceFill, "height", 3),
        mock.patch.object(device_fill, "BLOCKS", 1),
        mock.patch.object(device_fill, "KEPT_BYTES", 300),
    ):
        for kernel in (PartialTree(), SubsetTree(normalize=False), PartialTree() + 2 * SubsetTree()):
            compare(kernel, TREES)
            compare(kernel, TREES, TREES[:3])


def check_memory():
    """With little memory chunks are small; with too little for two trees the processor does the work."""
    for size, by_gpu in (("3K", True), ("100", False)):
        with mock.patch.dict(os.environ, {"REKERN_DEVICE_MEMORY": size}):
            compare(PartialTree(), TREES, by_gpu=by_gpu)
            compare(SubsetTree(words=True), TREES, TREES[:3], by_gpu=by_gpu)
    with (
        mock.patch.dict(os.environ, {"REKERN_DEVICE_MEMORY": "much"}),
        pytest.raises(InputError, match="REKERN_DEVICE_MEMORY='much'"),
    ):
        compare(PartialTree(), TREES)


def check_combinations():
    """What is built on tree kernels."""
    compare(PartialTree() * DependencyPaths() + 2 * SubsetTree(normalize=False).normalized(), TREES)
    pairs = list(zip(TREES, TREES[::-1]))
    compare(BestPairing(PartialTree()), pairs)
    compare(BestPairing(SubsetTree()), pairs, pairs[:2])
    with tempfile.TemporaryDirectory() as folder:
        written = SubsetTree().gram(TREES, out=Path(folder) / "gram.npy", device="cuda")
        np.testing.assert_allclose(written, SubsetTree().gram(TREES, device="cpu"), rtol=1e-9)
        del written


def check_errors():
    """Values out of range, and kernels that no GPU computes."""
    kernel = PartialTree(mu=10.0, decay=1.0, terminal_factor=1e6, normalize=False)
    trees = [f"(a {'(b c)' * 60})"] * 2
    few = mock.patch.object(tree_kernel, "FEWEST_VALUES", 0)
    with few, pytest.raises(ValueError, match=r"row 0: .*range of numbers"):
        kernel.gram(trees, device="cuda")
    with pytest.raises(InputError, match="no part of Spectrum is computed by a GPU"):
        Spectrum(2).gram(["a b"], device="cuda")


CHECKS = [check_trees, check_processor, check_chunks, check_memory, check_combinations, check_errors]
QUICK = [check_trees, check_processor]

if __name__ == "__main__":
    for check in QUICK if sys.argv[1:] else CHECKS:
        check()
        print(check.__name__)
