"""Heads of phrases and the dependencies that they give."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import SOME_OR_ALL
from reference import heads as reference
from reference.trees import read, written
from rekern.structures.head_rules import head_child, to_dependencies
from rekern.structures.sentences import find_head_fault, sentence

LABELS = st.sampled_from(
    [*reference.RULES, "NP", "NX", "ROOT", "NN", "NNS", "VBZ", "TO", "IN", "CC", "POS", ",", ".", "-NONE-", "NP-SBJ-1"]
)
WORDS = st.sampled_from(["dog", "runs", "well-known", "-", "*"])
TREES = st.recursive(
    st.tuples(LABELS, st.tuples(WORDS, st.just([])).map(lambda leaf: [leaf])),
    lambda below: st.tuples(LABELS, st.lists(below, min_size=1, max_size=5)),
    max_leaves=12,
)


@given(LABELS, st.lists(LABELS, min_size=1, max_size=7))
def test_heads_follow_the_table(label, children):
    assert head_child(label, tuple(children)) == reference.head(label, children)


@settings(deadline=None)
@given(st.lists(TREES, max_size=4))
def test_dependencies_follow_the_table(trees):
    for found, tree in zip(to_dependencies([written(tree) for tree in trees]), trees):
        assert (list(found.words), list(found.heads)) == reference.dependencies(tree)
        assert sentence(*found[:1], found.heads, *found[1:3], found.relations) == found


@pytest.mark.parametrize(
    ("label", "children", "expected"),
    [
        ("NP", "DT NN POS", 2),
        ("NP", "NP PP", 0),
        ("NP", "NN , NN CC NN", 2),
        ("NP", "NP CC NP", 0),
        ("NP", "$ CD", 0),
        ("VP", "MD VP", 0),
        ("VP", "TO VP", 0),
        ("VP", "VBD NP PP", 0),
        ("VP", "VP CC VP", 0),
        ("PP", "IN NP", 0),
        ("S", "NP-SBJ VP .", 1),
        ("SBARQ", "WHNP SQ .", 1),
        ("SBAR", "WHNP S", 0),
        ("WHNP", "WDT NN", 0),
        ("ADVP", "RB RB", 1),
        ("ROOT", "S", 0),
        ("ROOT", "`` S S", 1),
        ("PRN", ", ,", 0),
    ],
)
def test_known_heads(label, children, expected):
    assert head_child(label, tuple(children.split())) == expected


def test_special_trees():
    found = to_dependencies(["()", "(the)", "(S (-NONE- *))", "(A x y (B z))", "(ROOT (S (VP go)) (S (VP stop)))"])
    assert [item.words for item in found] == [(), ("the",), (), ("x", "y", "z"), ("go", "stop")]
    assert found[1].tags == ("_",) and found[1].relations == ("root",)
    assert found[3].tags == ("_", "_", "B") and found[3].relations == ("root", "_:A", "B:A")
    assert found[4].heads == (-1, 0)
    assert to_dependencies([]) == []
    assert to_dependencies(["(NN Dogs)"], lemma=lambda word, tag: f"{word}/{tag}")[0].lemmas == ("Dogs/NN",)


def test_deep_and_wide():
    deep, wide = to_dependencies(["(S" * 5000 + " go" + ")" * 5000, "(NP" + " (NN x)" * 5000 + ")"])
    assert deep.words == ("go",)
    assert wide.heads.count(4999) == 4999 and wide.root == 4999
    (flight,) = to_dependencies(["(S (VB x) " * 3000 + "(VB y)" + ")" * 3000])
    assert find_head_fault(flight.heads) is None and len(flight.words) == 3001


@pytest.mark.parametrize("name", ["geoquery", "msrp", "rte"])
@SOME_OR_ALL
def test_corpora_give_trees(corpora, name, step):
    path = corpora / name / ("geo880.jsonl" if name == "geoquery" else "trees.tsv.gz")
    if not path.exists():
        pytest.skip(f"the trees of {name} are not here")
    if name == "geoquery":
        trees = [json.loads(line)["syntax"] for line in path.read_text(encoding="utf-8").splitlines()]
    else:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            trees = [line.rstrip("\n").split("\t")[1] for line in lines][1:]
    assert len(trees) > 800
    trees = trees[::step]
    found = to_dependencies(trees)
    assert len(found) == len(trees)
    for item in found:
        assert find_head_fault(item.heads) is None and len(item.words) > 1
    for item, tree in list(zip(found, trees))[:: 40 // step]:
        words, heads = reference.dependencies(read(tree.replace("\u00a0", "~")))  # a word may hold a fixed blank
        assert [word.replace("\u00a0", "~") for word in item.words] == words and list(item.heads) == heads
