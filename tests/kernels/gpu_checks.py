"""Grams by a GPU beside those by the processor: run where there is a GPU, and in Numba's simulator elsewhere.

The simulator has to be chosen before Numba is loaded, so that the test runs this file in a process of its own.
"""

import os
import sys
import tempfile
import weakref
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from rekern.core import device_copies, inverted_lists
from rekern.core.cuda_compiling import CudaFunction
from rekern.core.device import allocate, is_simulated, load_cuda
from rekern.errors import InputError
from rekern.kernels import (
    BestPairing,
    DependencyPaths,
    Gaussian,
    PartialTree,
    Rewriting,
    SmoothedPartialTree,
    Spectrum,
    SubsetTree,
    device_plan,
)
from rekern.kernels.rewriting import device_rewriting, device_rows, device_rules, rule_extraction
from rekern.kernels.trees import device_gram

WIDE = "(S (A b) (A c) (A b) (A b) (A d) (A b))"  # with itself more than 24 pairs of children match
VERY_WIDE = f"(S {'(A b) (B c) ' * 17})"  # more children than a thread keeps sums of in fast memory
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
        array = load_cuda().device_array(expected.shape)
        array.copy_to_device(np.full(expected.shape, np.nan))
        assert kernel.gram(X, Y, device="cuda", out=array) is array
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(array.copy_to_host(), expected, rtol=1e-9, atol=1e-12)
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


def check_wide_trees():
    """Trees with more children than a thread keeps sums of, sums of bounded length, and labels that are similar."""
    trees = [WIDE, VERY_WIDE, TREES[0]]
    for kernel in (PartialTree(gaps="span"), PartialTree(max_children=3), DependencyPaths()):
        compare(kernel, trees)
    compare(SmoothedPartialTree(similarity=is_similar), trees[::2])


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
    refuse = mock.patch.object(device_rules, "can_list_rules", return_value=False)  # the processor makes all lists
    with refuse, mock.patch.object(device_rows, "MOST_ROWS", 4), mock.patch.object(inverted_lists, "FEW_ROWS", 1):
        compare(Rewriting(k=(1, 3)), PAIRS)
        compare(Rewriting(k=2, decay=0.5, normalize=False), PAIRS)
        compare(Rewriting(k=2, wildcards="none"), PAIRS, PAIRS[1:4])
        with mock.patch.object(device_plan, "KEPT_BYTES", 8), mock.patch.object(device_plan, "HEIGHT", 5):
            compare(2 * Rewriting(k=1), PAIRS)
    small = {"PIECE_ROWS": 2, "PIECE_COLUMNS": 3}
    with refuse, mock.patch.multiple(device_copies, **small), mock.patch.object(device_rows, "MOST_ROWS", 4):
        compare(Rewriting(k=(1, 2)), PAIRS)
        compare(Rewriting(k=1), PAIRS, PAIRS[1:5])
        with mock.patch.object(device_plan, "KEPT_BYTES", 8), mock.patch.object(device_plan, "HEIGHT", 5):
            compare(2 * Rewriting(k=1), PAIRS)
    with mock.patch.object(rule_extraction, "FEATURE_LIMIT", 12):  # some pairs are heavy
        assert len(Rewriting(k=1).make_extractor().find_heavy(Rewriting().read_items(PAIRS))) == 3
        compare(Rewriting(k=1), PAIRS)
        compare(Rewriting(k=1, normalize=False), PAIRS[2:], PAIRS)


def list_random_pairs():
    """Pairs of few words, more than a tile has columns; in the simulator, a tile of one thread."""
    rng = np.random.default_rng(0)
    few = 20 if is_simulated() else 5000
    return [tuple(" ".join(rng.choice(list("abcd"), rng.integers(4))) for _ in "st") for _ in range(few)]


@contextmanager
def launch_few_blocks(threads):
    """Let blocks of threads take several rows, as those of large Grams do; in the simulator blocks are slow."""
    few = {"MOST_BLOCKS": 3, "MOST_TASKS": 3}
    with (
        mock.patch.multiple(device_rules, **few, TILE_THREADS=threads),
        mock.patch.multiple(device_rows, **few),
        mock.patch.object(device_copies, "MOST_BLOCKS", 3),
    ):
        yield


def compare_listed(kernel, X, Y=None, threads=256):
    """Compare whole numbers, which have no rounding, and see to it that the GPU lists the rules."""
    listing = mock.patch.object(device_rules, "list_keys", side_effect=device_rules.list_keys)
    with listing as listed, launch_few_blocks(threads):
        assert np.array_equal(compare(kernel, X, Y), kernel.gram(X, Y, device="cpu"))
    assert listed.called


def check_rules():
    """Rules that the GPU lists: equal tokens in many places, several tiles of columns, and what it does not list."""
    compare_listed(Rewriting(k=(1, 2), normalize=False), [*PAIRS[:3], ("a a b a", "b a a a")])
    pairs = list_random_pairs()
    compare_listed(Rewriting(k=1, normalize=False), pairs[:3], pairs, threads=1 if is_simulated() else 256)
    with mock.patch.object(device_rules, "list_keys") as listed:
        compare(Rewriting(k=2, decay=0.5), PAIRS[:3])
    assert not listed.called


def check_more_rules():
    """Windows of different sizes, no wildcards, blocks, normalised kernels, and too little room."""
    pairs = list_random_pairs()
    compare_listed(Rewriting(k=[3, (2, 3)], normalize=False), PAIRS)
    compare_listed(Rewriting(k=2, wildcards="none", normalize=False), PAIRS, PAIRS[1:4])
    compare_listed(Rewriting(k=1, normalize=False), pairs, threads=1 if is_simulated() else 256)
    with launch_few_blocks(256):
        compare(Rewriting(k=(1, 3)), PAIRS)
        compare(Rewriting(k=(1, 2)), PAIRS[:4], PAIRS[1:])
        with mock.patch.object(device_plan, "KEPT_BYTES", 8), mock.patch.object(device_plan, "HEIGHT", 5):
            compare(2 * Rewriting(k=1), PAIRS)
    for other in (Rewriting(k=2, span=2), Rewriting(k=2, wildcards="free")):
        with mock.patch.object(device_rules, "list_keys") as listed:
            compare(other, PAIRS[:3])
        assert not listed.called
    for name, limit in (("MOST_ENTRIES", 3), ("LARGEST", 3), ("BOUND_BYTES", 1 << 60)):
        windows = mock.patch.object(device_rewriting, "DeviceWindows", side_effect=device_rewriting.DeviceWindows)
        with mock.patch.object(device_rules, name, limit), windows as by_processor:
            compare(Rewriting(k=1), PAIRS[:3])
        assert by_processor.called


def check_out():
    """Grams that stay on the GPU, in arrays of its libraries, and arrays that cannot take them."""
    cuda, kernel = load_cuda(), Rewriting(k=1)
    expected = kernel.gram(PAIRS, device="cpu")
    array = cuda.device_array(expected.shape)
    assert kernel.gram(PAIRS, device="cuda", out=array) is array  # a small Gram, computed by the processor
    assert np.array_equal(array.copy_to_host(), expected)
    for wrong, reason in [
        (cuda.device_array((6, 5)), r"its shape is \(6, 5\) and not \(6, 6\)"),
        (cuda.device_array((6, 6), np.float32), "its type is float32"),
        (cuda.device_array((6, 12))[:, ::2], "there are gaps between its values"),
        (cuda.device_array((6, 6), order="F"), "there are gaps between its values"),
    ]:
        with pytest.raises(InputError, match=f"out cannot take the Gram: .*{reason}.*; give a writable array"):
            kernel.gram(PAIRS, device="cuda", out=wrong)
    for device in (None, "cpu"):
        with pytest.raises(InputError, match='out lies on the GPU: give device="cuda", too'):
            kernel.gram(PAIRS, device=device, out=array)
    with pytest.raises(InputError, match="no part of Spectrum is computed by a GPU"):
        Spectrum(2).gram(["a b"], device="cuda", out=array)
    with mock.patch.dict(os.environ, {"REKERN_DEVICE": "cuda"}):
        assert kernel.gram(PAIRS, out=array) is array
    if is_simulated():
        return
    for library in ("cupy", "torch"):
        try:
            module = __import__(library)
        except ImportError:
            continue
        options = {"dtype": module.float64} | ({"device": "cuda"} if library == "torch" else {})
        found = module.full((6, 6), float("nan"), **options)
        with mock.patch.object(device_plan, "FEWEST_VALUES", 0):
            assert kernel.gram(PAIRS, device="cuda", out=found) is found
        np.testing.assert_allclose(np.array(found.tolist()), expected, rtol=1e-9)
        with pytest.raises(InputError, match="there are gaps between its values"):
            kernel.gram(PAIRS, device="cuda", out=found.T)
        with pytest.raises(InputError, match="its type is int64"):
            kernel.gram(PAIRS, device="cuda", out=module.zeros((6, 6), **{**options, "dtype": module.int64}))


def check_stays():
    """Sums and the like are made on the GPU, with one more Gram there however many kernels are added."""
    one, alive, most = Rewriting(k=1, normalize=False), [], []
    refuse = mock.patch.object(device_rules, "can_list_rules", return_value=False)

    def count_arrays(*shape):
        array = allocate(*shape)
        alive.append(weakref.ref(array))
        most.append(sum(known() is not None for known in alive))
        return array

    observed = {"copy_to_device": mock.Mock(), "allocate": count_arrays}
    with refuse, mock.patch.object(device_plan, "FEWEST_VALUES", 0), mock.patch.multiple(device_plan, **observed):
        for kernel in (one, one + 2 * one + one, (one * one).normalized()):
            array = load_cuda().device_array((len(PAIRS), len(PAIRS)))
            kernel.gram(PAIRS, device="cuda", out=array)
            np.testing.assert_allclose(array.copy_to_host(), kernel.gram(PAIRS, device="cpu"), rtol=1e-9)
    assert most == [1, 1, 1]
    assert not observed["copy_to_device"].called


def check_errors():
    """Values out of range, and Ctrl-C, after which the next Gram is right."""
    with mock.patch.object(device_plan, "FEWEST_VALUES", 0):
        with pytest.raises(ValueError, match=r"row 0: a kernel value exceeds the range of numbers"):
            PartialTree(mu=1e200, decay=1.0, normalize=False).gram(TREES, device="cuda")
        interrupted = mock.patch.object(device_gram.Workspace, "sum_tile", side_effect=KeyboardInterrupt)
        with interrupted, pytest.raises(KeyboardInterrupt):
            PartialTree().gram(TREES, device="cuda")
    compare(PartialTree(), TREES[:2])


CHECKS = [
    check_trees,
    check_wide_trees,
    check_chunks,
    check_memory,
    check_combinations,
    check_rewriting,
    check_rules,
    check_more_rules,
    check_out,
    check_stays,
    check_errors,
]
QUICK = [
    check_wide_trees,
    check_memory,
    check_rewriting,
    check_rules,
    check_out,
    check_stays,
]  # in the simulator, where the others take a minute

if __name__ == "__main__":
    for check in QUICK if sys.argv[1:] == ["quick"] else CHECKS:
        check()
        print(check.__name__)
    sys.exit(0)
