"""Every kernel on trees and graphs that are very deep, very wide, empty or a single node: finite values, no crash."""

import inspect

import numpy as np
import pytest

import rekern.kernels
from rekern.kernels import Neighborhoods
from rekern.kernels.trees.tree_kernel import TreeKernel
from rekern.structures.trees import Trees

DEEP = "(a" * 5000 + ")" * 5000
MIXED = "".join(f"(a{i % 7} (b w{i % 200})" for i in range(1000)) + ")" * 1000
WIDE = "(a" + " b" * 5000 + ")"
PHRASES = "(a" + "".join(f" (b (c w{i % 50}))" for i in range(1000)) + ")"
ITEMS = [DEEP, MIXED, WIDE, PHRASES, "()", "(a)", "(a b)", "(a (b (c w1)))"]


def tree_kernels():
    found = {getattr(rekern.kernels, name) for name in rekern.kernels.__all__}
    return sorted(
        (kind for kind in found if inspect.isclass(kind) and issubclass(kind, TreeKernel)),
        key=lambda kind: kind.__name__,
    )


@pytest.mark.parametrize("kind", tree_kernels())
def test_tree_kernels(kind):
    required = "similarity" in inspect.signature(kind).parameters
    kernel = kind(similarity=lambda a, b: 0.5 if a[:1] == b[:1] else 0.0) if required else kind()
    trees = Trees.from_items(ITEMS)
    gram = kernel.gram(trees, n_jobs=1)
    assert np.isfinite(gram).all() and (gram >= 0).all() and (gram <= 1 + 1e-9).all()
    np.testing.assert_allclose(gram, gram.T, rtol=1e-12)
    assert not gram[4].any()
    for row in (0, 1, 3, 6, 7):
        assert gram[row, row] == 1
    assert np.isfinite(kernel.diag(trees)).all()
    np.testing.assert_allclose(kernel.gram(trees[:2], trees[5:]), gram[:2, 5:], rtol=1e-9, atol=1e-300)


def test_graph_kernel():
    size = 5000
    path = (["a"] * size, [(i, i + 1) for i in range(size - 1)])
    star = (["a"] * size, [(0, i) for i in range(1, size)])
    gram = Neighborhoods(radius=1, distance=1).gram([path, star, ([], []), (["a"], [])])
    assert np.isfinite(gram).all() and gram[0, 0] == 1 and not gram[2].any()
