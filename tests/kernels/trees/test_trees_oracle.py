"""Exact values of the tree kernels: an independent enumeration, cases worked out by hand, the figures of papers."""

import csv
import os
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from rekern.kernels.trees.dependency_paths import DependencyPaths
from rekern.kernels.trees.partial_tree import PartialTree, SmoothedPartialTree
from rekern.kernels.trees.subset_tree import SubsetTree
from rekern.kernels.trees.subtree import SubTree

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def oracle():
    """The folder with the enumerated values: REKERN_ORACLE, else the folder oracle beside the corpora, else a skip."""
    data = os.environ.get("REKERN_DATA") or REPOSITORY.parent / "shared" / "data"
    folder = Path(os.environ.get("REKERN_ORACLE") or Path(data).parent / "oracle")
    if not (folder / "tree_kernels.tsv").is_file():
        pytest.skip(f"no enumerated values of tree kernels: set REKERN_ORACLE ({folder.name} is absent)")
    return folder


def word_space(folder):
    """The word vectors as a dict."""
    lines = (folder / "wordspace_lexsyn.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return {line.split("\t")[0]: [float(x) for x in line.split("\t")[-1].split(",")] for line in lines if line.strip()}


def kernel_for(name, decay, mu, space):
    return {
        "sst": lambda: SubsetTree(decay, normalize=False),
        "sstbow": lambda: SubsetTree(decay, words=True, normalize=False),
        "ptk": lambda: PartialTree(decay, mu, normalize=False),
        "ptk_max5": lambda: PartialTree(decay, mu, max_children=5, normalize=False),
        "sptk": lambda: SmoothedPartialTree(decay, mu, similarity=space, normalize=False),
    }[name]()


def test_all_enumerated_values(oracle):
    space = word_space(oracle)
    with (oracle / "tree_kernels.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    assert len(rows) > 500
    cases = defaultdict(list)
    for row in rows:
        cases[row["set"], row["kernel"], row["lambda"], row["mu"]].append(row)
    for (name, kind, decay, mu), found in cases.items():
        trees = (oracle / f"trees_{name}.txt").read_text(encoding="utf-8").splitlines()
        kernel = kernel_for(kind, float(decay), float(mu or 1), space)
        gram = kernel.gram(trees)
        for row in found:
            i, j = int(row["i"]), int(row["j"])
            np.testing.assert_allclose(gram[i, j], float(row["bruteforce"]), rtol=1e-9, atol=1e-12, err_msg=str(row))
            np.testing.assert_allclose(gram[j, i], float(row["bruteforce"]), rtol=1e-9, atol=1e-12, err_msg=str(row))
        one = found[0]
        single = kernel(trees[int(one["i"])], trees[int(one["j"])])
        np.testing.assert_allclose(single, float(one["bruteforce"]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "subtrees"),
    [
        ("(S (A x) (B y))", "(S (A z) (B y))", [1]),  # (B y); S differs below A
        ("(A (b) (c (d)))", "(A (b) (c (d (e))))", []),  # (c d) goes on below d in the other tree
        ("(S (A (x) (y)) (B y))", "(S (A x) (B y))", [1]),  # (B y); A has another production
        ("(A (b) (c (d)))", "(A (b) (c (d)))", [1, 2]),  # (c d), and the whole: A and c have children
        ("(S (A x) (B y))", "(S (A x) (B y))", [1, 1, 3]),
        ("(B y)", "(B y)", [1]),
        ("(y)", "(y)", []),  # a bare leaf
    ],
)
def test_complete_subtrees_by_hand(a, b, subtrees):
    """``subtrees`` are the shared complete subtrees, each by the number of its nodes that have children."""
    for decay in (1.0, 0.4):
        assert SubTree(decay, normalize=False)(a, b) == pytest.approx(sum(decay**size for size in subtrees), rel=1e-12)


FIGURE_4 = "(was (cat (a) (fat)) (chased (by (dog a))))"
FIGURE_5 = "(was (cat (a) (with (collar (a) (red)))) (chased (by (dog (a) (fat))) (ago (days two))))"


def test_dependency_figures():
    """The sentences of figures 4 and 5 in Kate (2008)."""
    kernel = DependencyPaths(decay=1.0, normalize=False)
    assert kernel(FIGURE_4, FIGURE_5) == 33
    assert kernel.diag([FIGURE_4, FIGURE_5]).tolist() == [38, 126]
    assert DependencyPaths(decay=0.25, normalize=False)(FIGURE_4, FIGURE_5) == 13.888916015625
    assert DependencyPaths(decay=1.0)(FIGURE_4, FIGURE_5) == pytest.approx(33 / np.sqrt(38 * 126), rel=1e-12)
    assert DependencyPaths(decay=1.0, weights="printed", normalize=False)(FIGURE_4, FIGURE_5) == 33


def test_partial_trees_by_hand():
    """(A b c) and (A b d c), λ = 1/2, μ = 1: b and c weigh 1/4 each, b…c together 1/16, once skipped."""
    a, b = "(A (b) (c))", "(A (b) (d) (c))"
    leaf = 1 / 4
    root = 1 / 4 + 2 * leaf + leaf * leaf / 2
    assert PartialTree(0.5, 1.0, normalize=False)(a, b) == 2 * leaf + root
    spanned = 1 / 4 + 2 * leaf / 4 + leaf * leaf / 2**5
    assert PartialTree(0.5, 1.0, gaps="span", normalize=False)(a, b) == 2 * leaf + spanned
