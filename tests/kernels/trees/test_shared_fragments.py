"""What two trees share, as text: complete lists sum to the value of the kernel."""

import re

import pytest
from hypothesis import given, settings
from test_trees_oracle import FIGURE_4, FIGURE_5
from test_trees_reference import trees, vowels

from reference import tree_fragments
from reference.trees import read
from rekern.errors import InputError
from rekern.kernels.trees.dependency_paths import DependencyPaths
from rekern.kernels.trees.partial_tree import PartialTree, SmoothedPartialTree
from rekern.kernels.trees.subset_tree import SubsetTree
from rekern.kernels.trees.subtree import SubTree

KERNELS = [
    SubTree(0.4),
    SubsetTree(0.4),
    SubsetTree(0.7, words=True),
    PartialTree(0.4, 0.7, terminal_factor=0.5),
    PartialTree(0.4, 0.7, gaps="span", max_children=2),
    SmoothedPartialTree(0.4, 0.7, similarity=vowels),
    DependencyPaths(0.4),
    DependencyPaths(0.4, weights="printed"),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: re.sub(r" at 0x\w+", "", repr(kernel)))
@settings(deadline=None, max_examples=40)
@given(a=trees(max_leaves=5), b=trees(max_leaves=5))
def test_complete_lists_sum_to_the_kernel(kernel, a, b):
    for normalize in (False, True):
        kernel.set_params(normalize=normalize)
        explanation = kernel.explain(a, b, n=None, beam=1_000_000)
        found = explanation.parts
        assert explanation.complete and explanation.decision == kernel(a, b)
        assert sum(part.value for part in found) == pytest.approx(kernel(a, b), rel=1e-10, abs=1e-13)
        assert [part.value for part in found] == sorted((part.value for part in found), reverse=True)
        assert len({part.name for part in found}) == len(found)


@pytest.mark.parametrize(
    ("kernel", "list_fragments"),
    [
        (SubsetTree(0.4), lambda a, b: tree_fragments.subset_trees(a, b, 0.4)),
        (SubsetTree(0.7, words=True), lambda a, b: tree_fragments.subset_trees(a, b, 0.7, words=True)),
        (
            PartialTree(0.4, 0.7, terminal_factor=0.5),
            lambda a, b: tree_fragments.partial_trees(a, b, 0.4, 0.7, terminal_factor=0.5),
        ),
        (
            PartialTree(0.4, 0.7, gaps="span", max_children=2),
            lambda a, b: tree_fragments.partial_trees(a, b, 0.4, 0.7, "span", 2),
        ),
        (
            SmoothedPartialTree(0.4, 0.7, similarity=vowels, min_similarity=0.01),
            lambda a, b: tree_fragments.partial_trees(
                a, b, 0.4, 0.7, similarity=lambda x, y: vowels(x, y) * (vowels(x, y) >= 0.01)
            ),
        ),
    ],
    ids=["subset", "subset with words", "partial", "partial with spans", "smoothed"],
)
@settings(deadline=None)
@given(a=trees(max_leaves=5), b=trees(max_leaves=5))
def test_each_fragment_adds_what_the_reference_says(kernel, list_fragments, a, b):
    kernel.set_params(normalize=False)
    found = {part.name: part.value for part in kernel.explain(a, b, n=None, beam=1_000_000).parts}
    assert found == pytest.approx(list_fragments(read(a), read(b)), rel=1e-10, abs=1e-13)


def test_deep_trees_of_equal_labels():
    depth, decay = 60, 0.5
    tree = "(A " * depth + "b" + ")" * depth
    found = {part.name: part.value for part in SubsetTree(decay, normalize=False).explain(tree, tree, n=None).parts}
    # with k productions, of which the last has a leaf or not
    ending = {"(A " * k + "b" + ")" * k: decay**k for k in range(1, depth + 1)}
    inner = {"(A " * k + "A" + ")" * k: (depth - k) ** 2 * decay**k for k in range(1, depth)}
    assert found == pytest.approx({**ending, **inner})


def test_texts():
    a, b = "(NP (DT the) (JJ old) (NN dog))", "(NP (DT the) (NN dog))"
    assert [part.name for part in SubTree().explain(a, b).parts] == ["(DT the)", "(NN dog)"]
    assert [part.name for part in SubsetTree().explain(a, "(NP (DT a) (JJ old) (NN dog))", n=3).parts] == [
        "(JJ old)",
        "(NN dog)",
        "(NP DT JJ NN)",
    ]
    found = {part.name: part.value for part in PartialTree(1.0, 1.0, normalize=False).explain(a, b, n=None).parts}
    assert found["(NP (DT the) (NN dog))"] == 1.0
    assert found["(NP DT NN)"] == 1.0
    assert "(NP JJ)" not in found


def test_paths_of_the_figures():
    found = {
        part.name: part.value
        for part in DependencyPaths(1.0, normalize=False).explain(FIGURE_4, FIGURE_5, n=None).parts
    }
    assert sum(found.values()) == 33
    assert found["a → cat → was ← chased ← by ← dog ← a"] == 1.0
    assert found["chased → was"] == 1.0
    assert "a → cat ← fat" not in found


def test_a_narrow_beam_keeps_the_heavy_ones():
    a = "(S (A x) (A x) (A x) (A x) (A x) (A x))"
    kernel = PartialTree(normalize=False)
    narrow = kernel.explain(a, a, n=5, beam=20)
    assert not narrow.complete
    assert narrow.parts[0].name == kernel.explain(a, a, n=1).parts[0].name
    assert sum(part.value for part in kernel.explain(a, a, n=None, beam=20).parts) <= kernel(a, a) * (1 + 1e-12)


def test_too_many_pairs():
    wide = "(a" + " b" * 600 + ")"
    with pytest.raises(InputError, match="pairs of nodes to explain"):
        PartialTree().explain(wide, wide)
    assert PartialTree().explain("()", "(a)").parts == []
