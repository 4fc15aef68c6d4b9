"""Kernels on substrings agree with their definitions, for all substrings at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import close
from reference import krisp as reference
from reference import trees as tree_reference
from rekern.errors import InputError
from rekern.kernels import PartialTree, Spectrum
from rekern.krisp.substring_kernels import (
    Constituents,
    Corpus,
    Item,
    OnSubstrings,
    SubstringPaths,
    WordSubsequences,
    all_substrings,
    substring_kernel,
)

word = st.sampled_from("abc")


@st.composite
def items(draw):
    """A short sentence with a random dependency tree (not always projective) and a random constituent tree."""
    words = draw(st.lists(word, min_size=1, max_size=6))
    order = draw(st.permutations(range(len(words))))
    heads = [-1] * len(words)
    for place in range(1, len(words)):
        heads[order[place]] = order[draw(st.integers(0, place - 1))]

    def tree(part):
        if len(part) == 1:
            return (draw(st.sampled_from("XY")), part[0])
        cut = draw(st.integers(1, len(part) - 1))
        return (draw(st.sampled_from("ST")), tree(part[:cut]), tree(part[cut:]))

    return Item(tuple(words), tuple(heads), tree(words))


def pairs(a, b):
    corpus = Corpus([a, b])
    return corpus, all_substrings(len(a.words), 0), all_substrings(len(b.words), 1)


@settings(max_examples=25, deadline=None)
@given(items(), items(), st.sampled_from([0.25, 0.75, 1.0]), st.integers(1, 4))
def test_word_subsequences(a, b, decay, longest):
    corpus, rows, columns = pairs(a, b)
    found = WordSubsequences(decay, longest, normalize=False).gram(corpus, rows, columns)
    expected = [
        [reference.word_subsequences(a.words[i:j], b.words[k:m], decay, longest) for _, k, m in columns]
        for _, i, j in rows
    ]
    close(found, expected)


@settings(max_examples=25, deadline=None)
@given(items(), items(), st.sampled_from([0.25, 1.0]))
def test_dependency_paths(a, b, decay):
    corpus, rows, columns = pairs(a, b)
    found = SubstringPaths(decay, normalize=False).gram(corpus, rows, columns)
    expected = [
        [reference.dependency_paths((a.words, a.heads, i, j), (b.words, b.heads, k, m), decay) for _, k, m in columns]
        for _, i, j in rows
    ]
    close(found, expected)


def bracket(heads, words, root):
    return (words[root], [bracket(heads, words, c) for c, head in enumerate(heads) if head == root])


@settings(max_examples=20, deadline=None)
@given(items(), items())
def test_whole_sentences_have_the_dependency_paths_of_their_trees(a, b):
    corpus = Corpus([a, b])
    found = SubstringPaths(0.25, normalize=False).gram(corpus, [(0, 0, len(a.words))], [(1, 0, len(b.words))])
    trees = [bracket(item.heads, item.words, item.heads.index(-1)) for item in (a, b)]
    close(found[0, 0], tree_reference.dependency_paths(*trees, 0.25))


def as_pairs(tree):
    return (tree, []) if isinstance(tree, str) else (tree[0], [as_pairs(child) for child in tree[1:]])


@settings(max_examples=25, deadline=None)
@given(items(), items(), st.sampled_from([0.4, 1.0]), st.booleans())
def test_constituents(a, b, decay, pruned):
    corpus, rows, columns = pairs(a, b)
    found = Constituents(decay, pruned, normalize=False).gram(corpus, rows, columns)
    trees = [as_pairs(reference.covering(a.tree, i, j, pruned)) for _, i, j in rows]
    others = [as_pairs(reference.covering(b.tree, k, m, pruned)) for _, k, m in columns]
    close(found, [[tree_reference.subset_tree(one, other, decay) for other in others] for one in trees])


@settings(max_examples=15, deadline=None)
@given(
    st.lists(items(), min_size=1, max_size=3), st.sampled_from(["word", "dependency", "syntactic", "word+dependency"])
)
def test_normalised_grams_in_any_order_and_of_new_sentences(found, name):
    kernel = substring_kernel(name)
    corpus = Corpus(found)
    substrings = [s for place, item in enumerate(found) for s in all_substrings(len(item.words), place)]
    gram = kernel.gram(corpus, substrings, substrings)
    close(np.diag(gram), 1.0)
    close(gram, gram.T)
    shuffled = list(reversed(substrings))
    close(kernel.gram(corpus, shuffled, substrings), gram[::-1])
    new = Corpus(found[:1]).extended(found)
    moved = [(s + 1, i, j) for s, i, j in substrings]
    part = [s for s in substrings if s[0] == 0]
    close(kernel.gram(new, part, moved), gram[: len(part)])


@settings(max_examples=15, deadline=None)
@given(items(), items(), st.sampled_from(["word", "dependency", "syntactic"]))
def test_equal_keys_have_equal_values(a, b, name):
    kernel = substring_kernel(name)
    corpus, rows, columns = pairs(a, b)
    everything = rows + columns
    gram = kernel.gram(corpus, everything, everything)
    keys = {}
    for place, (s, i, j) in enumerate(everything):
        first = keys.setdefault(kernel.key(corpus.items[s], i, j), place)
        close(gram[place], gram[first])


def test_other_kernels_plug_in():
    tree = ("S", ("NP", ("DT", "the"), ("NN", "dog")), ("VP", ("VBZ", "runs")))
    corpus = Corpus([Item(("the", "dog", "runs"), None, tree)])
    assert substring_kernel(Spectrum(1)).on == "words"
    kernel = substring_kernel(PartialTree())
    assert kernel.on == "tree"
    close(kernel.gram(corpus, [(0, 0, 2)], [(0, 0, 2)]), [[1.0]])
    close(OnSubstrings(Spectrum(1)).gram(corpus, [(0, 0, 2)], [(0, 1, 3)]), [[0.5]])


def test_a_missing_tree_is_named():
    corpus = Corpus([Item(("a",), (-1,)), Item(("b",))])
    with pytest.raises(InputError, match="sentence 1 has no dependency tree"):
        substring_kernel("dependency").gram(corpus, [(0, 0, 1)], [(1, 0, 1)])
    with pytest.raises(InputError, match="has 1 leaves for 2 words"):
        Corpus([Item(("a", "b"), None, ("X", "a"))])
