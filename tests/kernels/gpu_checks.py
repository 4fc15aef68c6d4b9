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

from rekern.core import device_copies, inverted_lists
from rekern.core.cuda_compiling import CudaFunction
from rekern.core.device import is_simulated
from rekern.kernels import (
    BestPairing,
    DependencyPaths,
    Gaussian,
    PartialTree,
    Rewriting,
    SmoothedPartialTree,
    SubsetTree,
    device_plan,
)
from rekern.kernels.rewriting import device_rewriting
from rekern.kernels.trees import device_gram

WIDE = "(S (A b) (A c) (A b) (A b) (A d) (A b))"  # with itself more than 24 pairs of children match
TREES = ["(S (A (B c) (B d)) (A (B c)))", WIDE, "(a)", "(S (S (S x)))", "(A (B c) (D e) (B c))", WIDE.replace("c", "b")]
LEXICAL = ["(S (x a::n) (x b::n))", "(S (x c::n) (x a::n))", "(S (x d::v) (y e::v))"]
VECTORS = {word: vector.tolist() for word, vector in zip("abcde", np.random.default_rng(0).normal(size=(5, 3)))}
PAIRS = [
    ("a b c d", "b c a"),
    ("a b", "a b d"),
    ("a c b e", "a c d"),
    ("", "a"),
    ("a b c d e", "b c a f"),
    ("x y", "z"),
]


def compare(kernel, X, Y=None, by_gpu=True):
    """Compare both devices."""
    expected = kernel.gram(X, Y, device="cpu")
    launch = mock.patch.object(CudaFunction, "launch", autospec=True, side_effect=CudaFunction.launch)
    with mock.patch.object(device_plan, "FEWEST_VALUES", 0), launch as launches:
        found = kernel.gram(X, Y, device="cuda")
    assert launches.called == by_gpu
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
        PartialTree(gaps="span", max_children=2, terminal_factor=2.0, normalize=False),
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


def check_chunks():
    """Chunks of two trees, and rows of Grams that are too large to be kept."""
    kernel = PartialTree() + 2 * SubsetTree()
    with mock.patch.object(device_gram, "MOST_TREES", 2):
        compare(PartialTree(), TREES)
        compare(SubsetTree(), TREES[:3], TREES)
        with mock.patch.object(device_copies, "PIECE_ROWS", 1), mock.patch.object(device_copies, "PIECE_COLUMNS", 2):
            compare(SubsetTree(), TREES)
        with mock.patch.object(device_plan, "KEPT_BYTES", 8), mock.patch.object(device_plan, "HEIGHT", 3):
            compare(kernel, TREES)
            compare(kernel, TREES, TREES[:3])


def check_memory():
    """With too little memory for two trees the processor does the work; with little, chunks are small."""
    little = "40K" if is_simulated() else "1M"  # blocks of the simulator have fewer threads
    for size, by_gpu in (("1", False), (little, True)):
        with mock.patch.dict(os.environ, {"REKERN_DEVICE_MEMORY": size}):
            compare(PartialTree(), TREES, by_gpu=by_gpu)


def check_combinations():
    """What is built on tree kernels."""
    compare(PartialTree() * DependencyPaths() + 2 * SubsetTree(normalize=False).normalized(), TREES)
    compare(Gaussian(PartialTree(), gamma=0.5), TREES)
    pairs = list(zip(TREES, TREES[::-1]))
    compare(BestPairing(PartialTree()), pairs)
    compare(BestPairing(SubsetTree()), pairs, pairs[:2])
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(device_plan, "FEWEST_VALUES", 0):
        written = SubsetTree().gram(TREES, out=Path(folder) / "gram.npy", device="cuda")
        np.testing.assert_allclose(written, SubsetTree().gram(TREES, device="cpu"), rtol=1e-9)
        del written


def check_rewriting():
    """The re-writing kernels, in blocks of few rows, with keys that are frequent and such that are not."""
    with mock.patch.object(device_rewriting, "MOST_ROWS", 4), mock.patch.object(inverted_lists, "FEW_ROWS", 1):
        compare(Rewriting(k=(1, 3)), PAIRS)
        compare(Rewriting(k=2, decay=0.5, normalize=False), PAIRS)
        compare(Rewriting(k=2, wildcards="none"), PAIRS, PAIRS[1:4])
        with mock.patch.object(device_plan, "KEPT_BYTES", 8), mock.patch.object(device_plan, "HEIGHT", 5):
            compare(2 * Rewriting(k=1), PAIRS)
    small = {"PIECE_ROWS": 2, "PIECE_COLUMNS": 3}
    with mock.patch.multiple(device_copies, **small), mock.patch.object(device_rewriting, "MOST_ROWS", 4):
        compare(Rewriting(k=(1, 2)), PAIRS)
        compare(Rewriting(k=1), PAIRS, PAIRS[1:5])
        with mock.patch.object(device_plan, "KEPT_BYTES", 8), mock.patch.object(device_plan, "HEIGHT", 5):
            compare(2 * Rewriting(k=1), PAIRS)


def check_errors():
    """Values out of range, and Ctrl-C, after which the next Gram is right."""
    with mock.patch.object(device_plan, "FEWEST_VALUES", 0):
        with pytest.raises(ValueError, match=r"row 0: a kernel value exceeds the range of numbers"):
            PartialTree(mu=1e200, decay=1.0, normalize=False).gram(TREES, device="cuda")
        interrupted = mock.patch.object(device_gram.Workspace, "sum_tile", side_effect=KeyboardInterrupt)
        with interrupted, pytest.raises(KeyboardInterrupt):
            PartialTree().gram(TREES, device="cuda")
    compare(PartialTree(), TREES[:2])


CHECKS = [check_trees, check_chunks, check_memory, check_combinations, check_rewriting, check_errors]
QUICK = [check_memory, check_rewriting]  # in the simulator, where the others take a minute

if __name__ == "__main__":
    for check in QUICK if sys.argv[1:] == ["quick"] else CHECKS:
        check()
        print(check.__name__)
    sys.exit(0)
