"""REL marks and linked graphs against their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_trees_reference import trees

import reference.pairings as reference
from reference.trees import read, written
from rekern.errors import InputError
from rekern.kernels import Neighborhoods
from rekern.structures import Trees, linked_graphs, mark_related

SHAPES = st.lists(st.tuples(trees("ABxy") | st.just("()"), trees("ABxy")), min_size=1, max_size=4)


def plain(text):
    """The tree in brackets of one style."""
    tree = read(text)
    return "()" if tree is None else written(tree)


@settings(max_examples=60, deadline=None)
@given(SHAPES)
def test_marks(pairs):
    one, other = mark_related([a for a, _ in pairs], [b for _, b in pairs])
    assert one.vocabulary is other.vocabulary
    for (a, b), mine, theirs in zip(pairs, one, other):
        assert (plain(mine), plain(theirs)) == reference.mark_related(a, b)
    again = mark_related(*(Trees.from_items(list(side)) for side in (one, other)))
    assert [list(side) for side in again] == [list(one), list(other)]


@settings(max_examples=60, deadline=None)
@given(SHAPES, st.sampled_from(["words", "rel"]))
def test_graphs(pairs, link):
    graphs = linked_graphs([a for a, _ in pairs], [b for _, b in pairs], link)
    assert len(graphs) == len(pairs)
    for (a, b), (labels, edges) in zip(pairs, graphs):
        expected_labels, expected_edges = reference.linked_graph(a, b, link)
        assert labels == expected_labels
        assert set(edges) == {(min(x, y), max(x, y), label) for x, y, label in expected_edges}
    Neighborhoods(1, 1).gram(graphs)


TREES = ["(S (NP (DT The::d) (NN dog::n)) (VP (VBZ runs::v)) (. .::.))"], ["(S (NP (DT the::d) (NN run::n)) (. .::.))"]


def test_policies():
    assert mark_related(*TREES)[1][0] == "(S-REL (NP (DT the::d) (NN run::n)) (.-REL .::.))"
    assert mark_related(*TREES, stopwords="english")[1][0] == TREES[1][0]
    assert mark_related(*TREES, tags=["N", "V"])[1][0] == TREES[1][0]
    assert mark_related(*TREES, tags=["."])[1][0] == mark_related(*TREES)[1][0]
    same = (["(NP (DT the) (NN dog))"], ["(X (NN dog) (DT the))"])
    assert mark_related(*same, tags=["n"])[0][0] == "(NP-REL (DT the) (NN-REL dog))"
    assert mark_related(*same, stopwords=["Dogs"])[0][0] == "(NP-REL (DT-REL the) (NN dog))"
    lemma = ["(NN dog::n)"], ["(VB dog::v)"]
    assert mark_related(*lemma)[0][0] == "(NN dog::n)"
    assert mark_related(*lemma, match="lemma")[0][0] == "(NN-REL dog::n)"


def test_words_of_dependency_trees_need_not_be_leaves():
    one = ["(LEX##see::v (LEX##Chip::n (POS##NNP) (SYNT##nsubj)) (POS##VBD) (SYNT##root))"]
    marked = mark_related(one, ["(LEX##run::v (LEX##Chip::n (POS##NNP) (SYNT##dobj)) (POS##VBD) (SYNT##root))"])
    assert marked[0][0].startswith("(LEX##see::v-REL (LEX##Chip::n")
    grct = ["(SYNT##root (SYNT##nsubj (POS##NNP LEX##Chip::n)) (POS##VBD LEX##see::v))"]
    assert mark_related(grct, grct, tags=["v"])[0][0] == (
        "(SYNT##root-REL (SYNT##nsubj (POS##NNP LEX##Chip::n)) (POS##VBD-REL LEX##see::v))"
    )


def test_nothing_to_mark():
    assert [list(side) for side in mark_related(["()", "(a)"], ["(A a)", "(a)"])] == [["()", "(a)"], ["(A a)", "(a)"]]
    assert len(linked_graphs([], [])) == 0
    assert linked_graphs(["()"], ["()"])[0] == ([], [])
    assert linked_graphs(["(a)"], ["(a)"])[0] == (["a", "a"], [(0, 1, "same")])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mark_related(["(A b)"], []), "1 trees of one side and 0 of the other"),
        (lambda: mark_related(["(A b)"], ["(A b)"], stopwords="german"), "give 'english', a list of words"),
        (lambda: mark_related(["(A b)"], ["(A b)"], tags="N"), "give a list of the beginnings of tags"),
        (lambda: mark_related(["(A b)"], ["(A b)"], tags=3), "give a list of the beginnings of tags"),
        (lambda: mark_related(["(A b)"], ["(A b)"], stopwords=3), "give 'english', a list of words"),
        (lambda: mark_related(["(A b)"], ["(A b)"], match="word"), "give 'leaf' or 'lemma'"),
        (lambda: linked_graphs(["(A b)"], ["(A b)"], "all"), "give 'words' or 'rel'"),
        (lambda: mark_related(["(A b"], ["(A b)"]), "row 0, line 1, column 1"),
    ],
)
def test_errors(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_large_trees():
    deep = "(A " * 5000 + "x" + ")" * 5000
    wide = "(A" + " (B x)" * 5000 + ")"
    one, _ = mark_related([deep, wide], ["(A x)", "(A x)"])
    assert np.count_nonzero(np.array(one.vocabulary)[one.labels] == "A-REL") == 3
    assert len(linked_graphs([wide], ["(A x)"]).labels) == 10003
