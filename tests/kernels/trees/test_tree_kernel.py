"""Tree kernels on what is extreme or wrong, from several threads, and as parts of larger kernels."""

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone

from rekern.errors import InputError
from rekern.kernels.trees.dependency_paths import DependencyPaths
from rekern.kernels.trees.partial_tree import PartialTree, SmoothedPartialTree
from rekern.kernels.trees.subset_tree import SubsetTree
from rekern.kernels.trees.subtree import SubTree
from rekern.structures.trees import Trees

KERNELS = [
    SubTree(),
    SubsetTree(),
    SubsetTree(words=True),
    PartialTree(),
    PartialTree(max_children=3),
    SmoothedPartialTree(similarity=lambda a, b: 0.5),
    DependencyPaths(),
]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: re.sub(r" at 0x\w+", "", repr(kernel)))


@every_kernel
def test_empty_and_one_node(kernel):
    gram = kernel.gram(["()", "", "(a)", "(a b)"])
    assert np.isfinite(gram).all()
    assert not gram[:2].any()
    assert gram[3, 3] == 1
    assert kernel.gram(["()"], ["(a b)"]).tolist() == [[0.0]]
    assert kernel.gram([]).shape == (0, 0)
    assert kernel.gram(["(a)"], []).shape == (1, 0)
    assert kernel.gram([], ["(a)"]).shape == (0, 1)


@every_kernel
def test_deep_and_wide(kernel):
    items = [
        "(a" * 5000 + ")" * 5000,
        "(a" + " b" * 5000 + ")",
        "(a" + "".join(f" (b w{i % 100})" for i in range(1500)) + ")",
        "(a (b c))",
    ]
    gram = kernel.gram(items)
    assert np.isfinite(gram).all()
    np.testing.assert_array_equal(np.diag(gram), 1)
    assert (gram >= 0).all() and (gram <= 1 + 1e-12).all()


@pytest.mark.parametrize("kernel", [SubsetTree(1.0), PartialTree(1.0, 1.0)], ids=repr)
def test_overflow_is_one_clear_line(kernel):
    wide = "(a" + " (b c)" * 5000 + ")"
    with pytest.raises(ValueError, match="row 1: a kernel value exceeds the range of numbers"):
        kernel.gram(["(a b)", wide])


@every_kernel
def test_threads_agree(kernel):
    rng = np.random.default_rng(1)
    items = [f"(S (A {'xyz'[i]}) (B (C {'xyz'[j]}) (A x)))" for i, j in rng.integers(0, 3, (60, 2))]
    expected = kernel.gram(items, n_jobs=1)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: kernel.gram(items, n_jobs=1), range(8)):
            np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(kernel.gram(Trees.from_items(items), n_jobs=2), expected)
    np.testing.assert_allclose(kernel.gram(items[:7], Trees.from_items(items)[3:]), expected[:7, 3:], rtol=1e-12)


@every_kernel
@pytest.mark.parametrize("jobs", [1, 3])
def test_a_gram_as_a_whole_has_the_bits_of_its_blocks(kernel, jobs):
    """As a whole it is normalised by its diagonal; a block, as workers compute it, by values found before."""
    rng = np.random.default_rng(2)
    items = ["(b)", *(f"(S (A {'xyz'[i]}) (B (C {'xyz'[j]}) (A x)))" for i, j in rng.integers(0, 3, (600, 2)))]
    whole = kernel.gram(items, n_jobs=jobs)
    plan = kernel.plan_gram(items, None, jobs)
    blocks = np.zeros(whole.shape)
    for first, last in plan.spans():
        blocks[first:last, first:] = plan.compute(first, last)
    assert len(plan.spans()) > 1
    assert np.array_equal(np.triu(whole), np.triu(blocks))
    assert np.array_equal(whole, whole.T)


def test_a_value_that_is_too_small_is_named_by_its_row():
    with pytest.raises(ValueError, match=r"^row 700: a kernel value is too small to be normalised"):
        SubsetTree(1e-320).gram(["(a)"] * 700 + ["(a b)"] * 2, n_jobs=2)


def test_nothing_is_compared_with_itself_without_normalisation():
    wide = "(S " + "(A b) " * 2000 + ")"  # out of range with itself
    assert PartialTree(1.0, 1.0, normalize=False).gram([wide], ["(S (A b))"]).tolist() == [[10001.0]]


def test_the_tree_that_is_out_of_range_with_itself_is_named(tmp_path):
    middle, wide = ("(S " + "(A b) " * number + ")" for number in (300, 2000))
    kernel = PartialTree(1.0, 1.0)
    assert np.isfinite(kernel.gram([middle, "(x)"])).all()
    for combined in (kernel, kernel + SubTree()):
        with pytest.raises(ValueError, match=r"^row 2: a kernel value exceeds the range"):
            combined.gram([middle, "(x)", wide])
    with pytest.raises(ValueError, match=r"^row 2: a kernel value exceeds the range"):
        kernel.gram([middle, "(x)", wide], out=tmp_path / "gram.npy")
    with pytest.raises(ValueError, match=r"^row 1: a kernel value exceeds the range"):
        kernel.gram(["(x)", wide], [wide])


@every_kernel
def test_kernels_are_estimators(kernel):
    copy = clone(kernel)
    assert repr(copy) == repr(kernel)
    assert copy.set_params(decay=0.3).get_params()["decay"] == 0.3
    both = 0.5 * kernel + kernel * SubsetTree(0.9)
    assert both("(a b)", "(a b)") == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("kernel", "remedy"),
    [
        (SubTree(0), "decay=0"),
        (SubsetTree(1.5), "decay=1.5"),
        (PartialTree(mu=0), "mu=0"),
        (PartialTree(gaps="all"), "gaps='all': give 'skipped' or 'span'"),
        (PartialTree(max_children=0), "max_children=0"),
        (PartialTree(terminal_factor=-1), "terminal_factor=-1"),
        (PartialTree(mu=10**400), "give a finite number above 0"),
        (PartialTree(decay=np.complex128(0.5)), f"decay={np.complex128(0.5)!r}"),
        (PartialTree(mu=1e-320), "row 0: a kernel value is too small to be normalised"),
        (SubsetTree(1e-320, words=True), "row 0: a kernel value is too small to be normalised"),
        (SmoothedPartialTree(similarity=3), "similarity=3: give a function"),
        (SmoothedPartialTree(min_similarity=2), "min_similarity=2"),
        (SmoothedPartialTree(similarity=lambda a, b: float("nan")), "the similarity of 'a' and 'b' is nan"),
        (
            SmoothedPartialTree(similarity=lambda a, b: 5.0),
            "the similarity of 'a' and 'b' is 5.0; give numbers up to 1",
        ),
        (SmoothedPartialTree(similarity={"a": [1.0], "b": [1.0, 2.0]}), "the vector of 'b' has 2 numbers"),
        (SmoothedPartialTree(similarity={"a": [np.inf], "b": [1.0]}), "the vector of 'a' holds a number"),
        (SmoothedPartialTree(similarity={"a::n": [1.0], "b": [1.0, 2.0]}), "the vector of 'a::n' has 1 numbers"),
        (DependencyPaths(weights="short"), "weights='short': give 'length' or 'printed'"),
    ],
)
def test_wrong_parameters(kernel, remedy):
    item = "(a::n b::n)" if isinstance(getattr(kernel, "similarity", None), dict) else "(a b)"
    with pytest.raises(ValueError) as error:
        kernel.gram([item])
    assert remedy in str(error.value) and "\n" not in str(error.value)


def test_values_without_a_use_are_values_all_the_same():
    trees = ["(a (b) (c) (b))", "(a (b) (b))"]
    assert np.array_equal(PartialTree(max_children=10**30).gram(trees), PartialTree().gram(trees))


@pytest.mark.parametrize("kernel", [SubTree(), SubsetTree(), PartialTree(), DependencyPaths()])
def test_explanations_of_a_wrong_length(kernel):
    assert kernel.explain("(a (b c))", "(a (b c))", n=0).parts == []
    for options in ({"n": -1}, {"n": "all"}, {"n": True}, {"beam": 0}, {"beam": -1}):
        with pytest.raises(ValueError, match="give a whole number"):
            kernel.explain("(a (b c))", "(a (b c))", **options)


def test_values_of_items_one_by_one():
    trees, others = ["(a b)", "(a c)"] * 10, ["(a b)"] * 20
    expected = np.diagonal(PartialTree().gram(trees, others))
    assert np.array_equal(PartialTree().paired(trees, others), expected)
    assert np.array_equal(PartialTree().paired({"text": trees}, {"text": others}), expected)
    with pytest.raises(InputError, match="there are 1 items to pair with 20"):
        PartialTree().paired(trees[:1], others)
    with pytest.raises(ValueError, match="got a str"):  # not its characters
        PartialTree().paired(trees[0], others[0])


@pytest.mark.parametrize("n_jobs", [0, "two", 1.5, True])
def test_wrong_numbers_of_jobs(n_jobs):
    with pytest.raises(ValueError, match=r"n_jobs=.*: give a whole number of threads"):
        PartialTree().gram(["(a b)"], n_jobs=n_jobs)


def test_more_jobs_than_work():
    trees = [f"(a b{number})" for number in range(1500)]
    assert np.array_equal(SubTree().gram(trees, n_jobs=100_000), SubTree().gram(trees, n_jobs=1))


def test_wrong_trees():
    with pytest.raises(InputError, match=r"row 0: a label is a tree in brackets .for pairs of trees there are PairSum"):
        PartialTree().gram([("(a b)", "(a c)")])
    with pytest.raises(InputError, match=r"rekern\[parse\]"):
        PartialTree().gram(["the dog"])
    with pytest.raises(InputError, match="row 1, line 1, column 1"):
        PartialTree().gram(["(a b)", "(a (b)"])
    with pytest.raises(InputError, match="row 0, line 1, column 1: a tree begins with a bracket"):
        PartialTree()("the dog", "(a)")


KNOWN = {"dog": [1.0, 0.0], "cat": [0.6, 0.8], "dog::v": [0.0, 1.0], "ant": [-1.0, 0.0]}


class Space:
    """A word space as an object."""

    def vectors(self, words):
        return np.array([KNOWN.get(word, [0.0, 0.0]) for word in words])


def test_word_vectors():
    for space in (Space(), KNOWN):
        kernel = SmoothedPartialTree(1.0, 1.0, similarity=space, normalize=False)
        labels = ["dog::n", "cat::n", "dog::v", "cat::v", "ant::n", "emu::n", "LEX##dog::n", "LEX##cat::n", "dog"]
        expected = np.eye(len(labels))
        expected[0, 1] = expected[1, 0] = 0.6
        expected[6, 7] = expected[7, 6] = 0.6
        expected[2, 3] = expected[3, 2] = 0.8  # dog as a verb has a vector of its own
        np.testing.assert_allclose(kernel.gram([f"({label})" for label in labels]), expected, atol=1e-15)


class OneArray(Space):
    """A space that uses its array again for every answer."""

    array = np.empty((100, 2))

    def vectors(self, words):
        self.array[: len(words)] = super().vectors(words)
        return self.array[: len(words)]


class OwnTable(Space):
    """A space whose answer is its own table."""

    table = np.array([[1.0, 0.0], [0.6, 0.8]])

    def vectors(self, words):
        return self.table if words == ["dog", "cat"] else super().vectors(words)


class FewWords(Space):
    """A space with fewer words than it has vectors."""

    def __contains__(self, word):
        return not word.startswith("cat")


def test_arrays_of_word_spaces_are_read_only():
    labels = ["(dog::v)", "(cat::v)"]
    for space in (OneArray(), OwnTable()):
        kernel = SmoothedPartialTree(1.0, 1.0, similarity=space, normalize=False)
        assert kernel(*labels) == pytest.approx(0.8)
    assert OwnTable.table.tolist() == [[1.0, 0.0], [0.6, 0.8]]


def test_a_space_says_by_in_which_words_have_vectors():
    kernel = SmoothedPartialTree(1.0, 1.0, similarity=FewWords(), normalize=False)
    assert kernel("(dog::n)", "(cat::n)") == 0.0
    assert kernel("(dog::v)", "(dog::v)") == 1.0


class Table:
    """Similarities as a matrix."""

    def similarities(self, labels, labels2):
        return np.array([[1.0 if a.lower() == b.lower() else 0.0 for b in labels2] for a in labels])


def test_a_matrix_of_similarities():
    kernel = SmoothedPartialTree(1.0, 1.0, similarity=Table(), normalize=False)
    assert kernel("(NN (dog))", "(nn (Dog))") == 3.0
    assert kernel("(NN (dog))", "(nn (cat))") == 1.0
    with pytest.raises(InputError, match="returned the shape"):
        bad = type("Bad", (), {"similarities": lambda self, a, b: np.ones((1, 1))})()
        SmoothedPartialTree(similarity=bad).gram(["(a b)"])


def test_similarities_are_asked_once_for_each_pair_of_labels():
    asked = []

    def similarity(a, b):
        asked.append(frozenset((a, b)))
        return 0.0

    SmoothedPartialTree(similarity=similarity).gram(["(a (b) (c))"] * 5 + ["(c (b))"], ["(a (b) (d))"])
    assert len(asked) == len(set(asked)) == 6
