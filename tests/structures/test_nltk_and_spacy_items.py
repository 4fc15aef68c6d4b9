"""Trees of NLTK and documents of spaCy are items of kernels and models."""

from itertools import pairwise

import numpy as np
import pytest

from rekern import InputError, PairClassifier, load_model
from rekern.kernels import DependencyPaths, Neighborhoods, PartialTree, Rewriting, SoftPairing, Spectrum, SubsetTree
from rekern.structures import Graphs, Tokens, Trees

BRACKETS = [
    "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))",
    "(S (NP (PRP he)) (VP (VBZ runs) (NP (NN home))))",
    "(NP (DT a) (NN cat))",
    "(NN cat)",
]


@pytest.fixture(scope="module")
def trees():
    nltk = pytest.importorskip("nltk.tree")
    return [nltk.Tree.fromstring(brackets) for brackets in BRACKETS]


@pytest.fixture(scope="module")
def parse():
    """A function from words, heads and relations to a document of spaCy, without a model."""
    tokens = pytest.importorskip("spacy.tokens")
    vocab = pytest.importorskip("spacy.vocab").Vocab()

    def make(words, heads=None, relations=None):
        return tokens.Doc(vocab, words=words.split("|"), heads=heads, deps=relations)

    return make


@pytest.fixture(scope="module")
def documents(parse):
    return [
        parse("Chip|saw|Dale", [1, 1, 1], ["nsubj", "ROOT", "dobj"]),
        parse("Dale|saw|Chip", [1, 1, 1], ["nsubj", "ROOT", "dobj"]),
        parse("He|ran|.", [1, 1, 1], ["nsubj", "ROOT", "punct"]),
    ]


def test_trees_of_nltk_are_trees_in_brackets(trees):
    assert list(Trees.from_items(trees)) == list(Trees.from_items(BRACKETS))
    for kernel in (PartialTree(), SubsetTree(), DependencyPaths()):
        assert np.array_equal(kernel.gram(trees), kernel.gram(BRACKETS))
        assert kernel(trees[0], BRACKETS[1]) == kernel(BRACKETS[0], BRACKETS[1])
    assert SubsetTree().explain(trees[0], trees[2]).decision == SubsetTree().explain(BRACKETS[0], BRACKETS[2]).decision
    pairs = [(trees[0], trees[1]), (trees[2], trees[3]), (trees[3], trees[2])]
    plain = [(BRACKETS[0], BRACKETS[1]), (BRACKETS[2], BRACKETS[3]), (BRACKETS[3], BRACKETS[2])]
    kernel = SoftPairing(PartialTree())
    assert np.array_equal(kernel.gram(pairs), kernel.gram(plain))
    assert kernel(pairs[0], pairs[1]) == kernel(plain[0], plain[1])


def test_odd_trees_of_nltk(trees):
    nltk = pytest.importorskip("nltk.tree")
    deep = nltk.Tree("a", [])
    for _ in range(5000):
        deep = nltk.Tree("a", [deep])
    assert len(Trees.from_items([deep]).labels) == 5001
    chunks = nltk.Tree("S", [nltk.Tree("NP", [("the", "DT"), ("dog", "NN")]), ("(", "-LRB-")])
    assert Trees.from_items([chunks, "(A b)"])[0] == "(S (NP (DT the) (NN dog)) (-LRB- -LRB-))"
    assert Tokens.from_texts([trees[0], chunks])[0:2][1] == ["the", "dog", "("]
    with pytest.raises(InputError, match="a pair needs two sides, got a tree"):
        Rewriting().gram(trees)


def test_words_of_documents_are_tokens(documents):
    words = [["Chip", "saw", "Dale"], ["Dale", "saw", "Chip"], ["He", "ran", "."]]
    assert list(Tokens.from_texts(documents)) == words
    assert np.array_equal(Spectrum(2).gram(documents), Spectrum(2).gram(words))
    pairs, plain = list(pairwise(documents)), list(pairwise(words))
    assert np.array_equal(Rewriting(2).gram(pairs), Rewriting(2).gram(plain))


def test_dependencies_of_documents_are_trees_and_graphs(documents, parse):
    assert list(Trees.from_items(documents)) == ["(saw (Chip) (Dale))", "(saw (Dale) (Chip))", "(ran (He) (.))"]
    assert Graphs.from_items(documents)[0] == (["Chip", "saw", "Dale"], [(0, 1, "nsubj"), (1, 2, "dobj")])
    assert DependencyPaths()(documents[0], documents[1]) == DependencyPaths()(
        "(saw (Chip) (Dale))", "(saw (Dale) (Chip))"
    )
    assert Neighborhoods()(documents[0], documents[0]) == pytest.approx(1.0)
    two = parse("Go|home|Stay", [0, 0, 2], ["ROOT", "advmod", "ROOT"])
    assert Trees.from_items([two])[0] == "(ROOT (Go home) (Stay))"
    assert Trees.from_items([parse("a| |b", [2, 2, 2], ["det", "dep", "ROOT"])])[0] == "(b a)"
    assert Trees.from_items([documents[0][0:2]])[0] == "(saw Chip)"
    with pytest.raises(InputError, match="row 1: the spaCy document has no dependencies; run a pipeline with a parser"):
        Trees.from_items([documents[0], parse("no|heads")])


def test_models_with_nltk_and_spacy_items_can_be_saved(trees, documents, tmp_path):
    labels = [1, 0, 1, 0, 1, 0]
    cases = [
        (SoftPairing(PartialTree()), [(trees[0], trees[1]), (trees[2], trees[3])] * 3),
        (SoftPairing(Spectrum(1)), [(documents[0], documents[1]), (documents[1], documents[2])] * 3),
        (SoftPairing(DependencyPaths()), [(documents[0], documents[1]), (documents[1], documents[2])] * 3),
        (SoftPairing(Neighborhoods()), [(documents[0], documents[1]), (documents[1], documents[2])] * 3),
        (Rewriting(2), [(documents[0], documents[1]), (documents[1], documents[2])] * 3),
    ]
    for kernel, pairs in cases:
        model = PairClassifier(kernel, calibration=0).fit(pairs, labels)
        assert model.predict(pairs[:2]).tolist() == [1, 0]
        model.save(tmp_path / "m.rekern")
        loaded = load_model(tmp_path / "m.rekern")
        assert np.array_equal(loaded.decision_function(pairs), model.decision_function(pairs))
        why = loaded.explain(pairs[0], neighbors=1)
        assert why.decision == pytest.approx(loaded.decision_function(pairs[:1])[0])


def test_trees_and_words_need_columns_of_their_own(trees):
    one, other, *_ = trees
    kernel = SoftPairing(PartialTree()) + Rewriting()
    with pytest.raises(
        InputError, match=r"trees and words of one column, source: give source as texts and source\.tree"
    ):
        PairClassifier(kernel).fit([(one, other), (other, one)], [0, 1])
    table = {
        "source": ["a b", "c d"],
        "target": ["b a", "c d"],
        "source.tree": [one, other],
        "target.tree": [other, one],
    }
    model = PairClassifier(SoftPairing(PartialTree(on="tree")) + Rewriting(), calibration=0).fit(table, [0, 1])
    assert model.decision_function(table).shape == (2,)
