"""The tree kernels against their definitions, on random trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference.trees as reference
from rekern.kernels.trees.dependency_paths import DependencyPaths
from rekern.kernels.trees.partial_tree import PartialTree, SmoothedPartialTree
from rekern.kernels.trees.subset_tree import SubsetTree
from rekern.kernels.trees.subtree import SubTree
from rekern.structures.trees import Trees


def trees(labels="ABx", max_leaves=8, max_children=4):
    """Bracket strings over a few labels: equal subtrees and productions are common."""
    label = st.sampled_from(labels)
    leaf = label.map(lambda name: (name, []))
    shapes = st.recursive(
        leaf, lambda below: st.tuples(label, st.lists(below, max_size=max_children)), max_leaves=max_leaves
    )
    return shapes.map(reference.written)


def corpora(**shape):
    return st.lists(trees(**shape) | st.just("()"), min_size=1, max_size=4)


DECAYS = st.sampled_from([0.25, 0.4, 0.7, 1.0])


def vowels(a, b):
    """A similarity of labels: capital letters are half like each other, small ones a third; what is low counts as 0."""
    if a == b:
        return 1.0
    if a.isupper() != b.isupper():
        return 0.005
    return 0.5 if a.isupper() else 1 / 3


def check(kernel, function, left, right):
    """Gram, symmetric Gram, diagonal and single values against a function of two trees; and all of it normalised."""
    rows, columns = [reference.read(text) for text in left], [reference.read(text) for text in right]
    expected = np.array([[float(function(x, y)) for y in columns] for x in rows])
    squares = np.array([float(function(x, x)) for x in rows])
    squares2 = np.array([float(function(y, y)) for y in columns])
    symmetric = np.array([[float(function(x, y)) for y in rows] for x in rows])
    kernel.set_params(normalize=False)
    close(kernel.gram(left, right), expected)
    close(kernel.gram(left), symmetric)
    close(kernel.diag(left), squares)
    close(kernel(left[0], right[0]), expected[0, 0])
    kernel.set_params(normalize=True)
    norms = np.sqrt(np.outer(squares, squares2))
    close(kernel.gram(left, right), np.divide(expected, norms, out=np.zeros_like(norms), where=norms > 0))
    close(kernel.diag(left), squares > 0)
    close(np.diag(kernel.gram(left)), squares > 0)


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)


@settings(deadline=None)
@given(corpora(), corpora(), DECAYS)
def test_subtree(left, right, decay):
    check(SubTree(decay), lambda x, y: reference.subtree(x, y, decay), left, right)


@settings(deadline=None)
@given(corpora(), DECAYS)
def test_subtree_features(items, decay):
    for normalize in (False, True):
        kernel = SubTree(decay, normalize=normalize)
        rows = kernel.features(items)
        close((rows @ rows.T).toarray(), kernel.gram(items))


@settings(deadline=None)
@given(corpora(), corpora(), DECAYS, st.booleans())
def test_subset_tree(left, right, decay, words):
    check(SubsetTree(decay, words), lambda x, y: reference.subset_tree(x, y, decay, words), left, right)


@settings(deadline=None)
@given(
    corpora(), corpora(), DECAYS, DECAYS, st.sampled_from(["skipped", "span"]),
    st.sampled_from([None, 1, 2, 3]), st.sampled_from([1.0, 0.5, 2.0]),
)  # fmt: skip
def test_partial_tree(left, right, decay, mu, gaps, longest, terminal):
    check(
        PartialTree(decay, mu, gaps, longest, terminal),
        lambda x, y: reference.partial_tree(x, y, decay, mu, gaps, longest, terminal),
        left,
        right,
    )


@settings(deadline=None)
@given(corpora(labels="ABxyz"), corpora(labels="ABCwxy"), DECAYS, DECAYS, st.sampled_from([None, 2]))
def test_smoothed_partial_tree(left, right, decay, mu, longest):
    def similarity(a, b):
        return vowels(a, b) if vowels(a, b) >= 0.01 else 0

    check(
        SmoothedPartialTree(decay, mu, max_children=longest, terminal_factor=0.5, similarity=vowels),
        lambda x, y: reference.partial_tree(x, y, decay, mu, "skipped", longest, 0.5, similarity),
        left,
        right,
    )


@settings(deadline=None)
@given(corpora(), corpora(), DECAYS)
def test_smoothing_without_a_similarity_is_no_smoothing(left, right, decay):
    close(SmoothedPartialTree(decay).gram(left, right), PartialTree(decay).gram(left, right))


@settings(deadline=None)
@given(corpora(labels="abcd"), corpora(labels="abcd"), DECAYS)
def test_dependency_paths(left, right, decay):
    check(DependencyPaths(decay), lambda x, y: reference.dependency_paths(x, y, decay), left, right)


@settings(deadline=None)
@given(corpora(labels="abcd"), corpora(labels="abcd"), DECAYS)
def test_dependency_paths_as_printed(left, right, decay):
    check(
        DependencyPaths(decay, "printed"),
        lambda x, y: reference.dependency_paths_recursive(x, y, decay, printed=True),
        left,
        right,
    )


@settings(deadline=None)
@given(trees(labels="abc"), trees(labels="abc"), DECAYS)
def test_listed_paths_and_the_recursion_agree(a, b, decay):
    x, y, exact = reference.read(a), reference.read(b), reference.exact(decay)
    assert reference.dependency_paths(x, y, exact) == reference.dependency_paths_recursive(x, y, exact)


@pytest.mark.parametrize("width", [4, 7, 9])
def test_many_children_of_one_label(width):
    """More matching pairs of children than are listed one by one."""
    a, b = "(A" + " x" * width + ")", "(A" + " x (B x)" * (width // 2) + " x x)"
    x, y = reference.read(a), reference.read(b)
    for longest in (None, 2, 5):
        expected = reference.partial_tree(x, y, 0.4, 0.7, "skipped", longest)
        close(PartialTree(0.4, 0.7, max_children=longest, normalize=False)(a, b), expected)
    close(DependencyPaths(0.3, normalize=False)(a, b), reference.dependency_paths_recursive(x, y, 0.3))
    printed = DependencyPaths(0.3, "printed", normalize=False)(a, b)
    close(printed, reference.dependency_paths_recursive(x, y, 0.3, printed=True))


def test_a_gram_of_several_forests(monkeypatch):
    """Cutting the columns otherwise changes no bit."""
    import rekern.kernels.trees.forests as forests

    rng = np.random.default_rng(0)

    def grow(depth):
        label = "ABC"[rng.integers(3)]
        if depth == 0 or rng.random() < 0.2:
            return f"({label} {'xyz'[rng.integers(3)]})"
        return f"({label} {' '.join(grow(depth - 1) for _ in range(rng.integers(1, 4)))})"

    items = [grow(3) for _ in range(40)]
    for kernel in (PartialTree(), SubsetTree(), DependencyPaths(), SmoothedPartialTree(similarity=vowels)):
        whole = kernel.gram(items, n_jobs=1)
        with monkeypatch.context() as patch:
            patch.setattr(forests, "MOST_TREES", 7)
            assert len(forests.plant_forests(Trees.from_items(items).arrays, np.arange(6, dtype=np.int32))) == 6
            np.testing.assert_array_equal(kernel.gram(items, n_jobs=2), whole)
            np.testing.assert_array_equal(kernel.gram(items[:9], items), kernel.gram(items[:9], items, n_jobs=1))
        close(whole, kernel.gram(items, items))
        np.testing.assert_array_equal(whole, whole.T)
