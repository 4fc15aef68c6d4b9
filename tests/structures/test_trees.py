"""Trees as flat arrays, and reading them from brackets."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.trees import nodes, read, written
from rekern.errors import InputError
from rekern.structures.trees import Trees

LABELS = st.sampled_from(["S", "NP", "a", "b", "-LRB-", "NP-SBJ-1", "LEX##dog::n", "é", "日本", "``", "$"])
TREES = st.recursive(
    LABELS.map(lambda label: (label, [])), lambda below: st.tuples(LABELS, st.lists(below, max_size=4)), max_leaves=12
)


def rebuilt(trees, index=0):
    """A tree of the arrays as nested (label, children)."""
    made = {}
    for node in range(trees.offsets[index + 1] - 1, trees.offsets[index] - 1, -1):
        first, count = trees.first[node], trees.count[node]
        made[node] = (trees.vocabulary[trees.labels[node]], [made[child] for child in range(first, first + count)])
    return made.get(trees.offsets[index])


@settings(deadline=None)
@given(st.lists(TREES, min_size=1, max_size=5))
def test_trees_keep_labels_and_order(found):
    trees = Trees.from_items([written(tree) for tree in found])
    assert [rebuilt(trees, index) for index in range(len(trees))] == found
    assert trees.offsets[-1] == sum(len(nodes(tree)) for tree in found)
    assert [read(text) for text in trees] == found  # written and read again
    again = Trees.from_brackets(list(trees))
    for name in ("labels", "first", "count", "offsets", "vocabulary"):
        np.testing.assert_array_equal(getattr(again, name), getattr(trees, name))


@settings(deadline=None)
@given(st.lists(TREES, min_size=1, max_size=5), st.data())
def test_parts_are_trees(found, data):
    trees = Trees.from_items([written(tree) for tree in found])
    chosen = data.draw(st.lists(st.integers(-len(found), len(found) - 1), max_size=6))
    taken = trees.take(chosen)
    assert [rebuilt(taken, index) for index in range(len(taken))] == [found[index] for index in chosen]
    begin, end = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 5))
    for part in (slice(begin, end), slice(None, None, -2)):
        sliced = trees[part]
        assert [rebuilt(sliced, index) for index in range(len(sliced))] == found[part]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(DT the)", "(DT the)"),
        ("(DT (the))", "(DT the)"),
        ("(the)", "(the)"),
        ("( (S (NP x)))", "(S (NP x))"),
        ("((S x))", "(S x)"),
        ("  (S\n    (NP (DT the)\r\n\t(NN dog)) )  ", "(S (NP (DT the) (NN dog)))"),
        ("(NOUN##n(LEX##dog::n))", "(NOUN##n LEX##dog::n)"),
        ("(PRN (-LRB- -LRB-) (X x) (-RRB- -RRB-))", "(PRN (-LRB- -LRB-) (X x) (-RRB- -RRB-))"),
        ("(A x y (B z))", "(A (x) (y) (B z))"),
        ("", "()"),
        ("  ", "()"),
        ("()", "()"),
    ],
)
def test_forms(text, expected):
    assert Trees.from_items([text])[0] == expected


def test_many_trees_in_a_text():
    text = "(A b)\n\n( (S (NP x)\n     (VP y)) )\n(C\n(d))(E)\n"
    assert list(Trees.from_brackets(text)) == ["(A b)", "(S (NP x) (VP y))", "(C d)", "(E)"]
    assert list(Trees.from_brackets(text.splitlines(keepends=True))) == list(Trees.from_brackets(text))
    assert len(Trees.from_brackets("")) == 0


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("(A (b)", "row 1, line 1, column 1: this bracket is never closed"),
        ("(A b))", "row 1, line 1, column 6: this bracket closes nothing"),
        ("(A\n  (b)\n  ()\n)", "row 1, line 3, column 3: a bracket without a label inside a tree"),
        ("(é) (b)", "row 1, line 1, column 5: a second tree begins here"),
        ("(a) b", "row 1, line 1, column 5: a second tree begins here"),
        ("((A b) (C d))", "row 1, line 1, column 8: a second tree begins here"),
        ("() (A)", "row 1, line 1, column 4: a second tree begins here"),
        ("the dog", "row 1, line 1, column 1: a tree begins with a bracket"),
        (")", "row 1, line 1, column 1: this bracket closes nothing"),
        ("(", "row 1, line 1, column 1: this bracket is never closed"),
        (" ((A b)", "row 1, line 1, column 2: this bracket is never closed"),
        (None, "row 1: the tree is None"),
        (float("nan"), "row 1: the tree is NaN"),
        (["S", "NP"], "row 1: the tree is a list"),
        ("(a\0)", "row 1: a tree holds the character NUL"),
    ],
)
def test_faults_have_a_place(text, place):
    with pytest.raises(InputError) as error:
        Trees.from_items(["(fine)", text])
    assert str(error.value).startswith(place)
    assert "\n" not in str(error.value)


def test_faults_in_a_text_of_many_lines():
    with pytest.raises(InputError, match=r"^line 3, column 1: this bracket is never closed"):
        Trees.from_brackets("(A b)\n(A c)\n(A (d)\n(A e)\n")


def test_one_string_is_not_a_corpus():
    with pytest.raises(InputError, match="a list"):
        Trees.from_items("(A b)")


def test_deep_and_wide():
    deep = Trees.from_items(["(a" * 5000 + ")" * 5000])
    assert len(deep.labels) == 5000 and deep.count.sum() == 4999
    assert Trees.from_items([deep[0]])[0] == deep[0]
    wide = Trees.from_items(["(a" + " b" * 5000 + ")"])
    assert wide.count[0] == 5000 and wide.first[0] == 1
    assert Trees.from_items([wide[0]]).count[0] == 5000


def test_from_parents_refuses_what_is_no_tree():
    def make(parents, offsets=None):
        size = len(parents)
        return Trees.from_parents(np.array(parents), np.arange(size), np.array(offsets or [0, size]), list("abcdef"))

    assert make([2, 0, -1])[0] == "(c (a b))"
    for parents in ([-1, -1], [1, 0], [-1, 2, 1], [5, -1]):
        with pytest.raises(InputError, match="row 0: not a tree"):
            make(parents)
    with pytest.raises(InputError, match="row 1: not a tree"):
        make([-1, 0, -1, 0], [0, 2, 4])


def test_renumber_like_another_corpus():
    one, other = Trees.from_items(["(A b)"]), Trees.from_items(["(C b)", "(A b)"])
    same = other.renumber_like(one)
    assert list(same) == list(other)
    assert same.vocabulary == ["A", "b", "C"]
    assert one[:0].renumber_like(other).vocabulary == ["C", "b", "A"]
    with pytest.raises(IndexError):
        one[1]


def test_real_trees(corpora):
    path = corpora / "msrp" / "trees.tsv.gz"
    if not path.exists():
        pytest.skip("the trees of MSRP are not here")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        texts = [line.rstrip("\n").split("\t")[1] for line in lines][1:501]
    assert list(Trees.from_items(texts)) == texts
