"""Kernels on substrings agree with their definitions, for all substrings at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import close
from reference import krisp as reference
from reference import trees as tree_reference
from rekern.core.object_descriptions import build, describe
from rekern.errors import InputError
from rekern.kernels import PartialTree, Spectrum
from rekern.krisp import (
    Constituents,
    OnSubstrings,
    SemanticParser,
    SubstringPaths,
    WordSubsequences,
    read_grammar,
)
from rekern.krisp.sentence_corpus import AnnotatedSentence, SentenceCorpus
from rekern.krisp.substring_gram import SubstringGram, compute_gram, split_sum
from rekern.krisp.substring_kernels import list_substring_kernels, make_substring_kernel
from rekern.krisp.substrings import Substring, Substrings, list_spans
from rekern.structures.sentences import Sentence

word = st.sampled_from("abc")


@st.composite
def items(draw):
    """A short sentence with a random dependency tree (not always projective) and a random constituent tree."""
    words = draw(st.lists(word, min_size=1, max_size=6))
    order = draw(st.permutations(range(len(words))))
    heads = [-1] * len(words)
    for place in range(1, len(words)):
        heads[order[place]] = order[draw(st.integers(0, place - 1))]

    def tree(part, is_whole=False):
        if len(part) == 1:
            is_bare = not is_whole and draw(st.integers(0, 4)) == 0  # a word without a tag, beside others
            return part[0] if is_bare else (draw(st.sampled_from("XY")), part[0])
        cut = draw(st.integers(1, len(part) - 1))
        return (draw(st.sampled_from("ST")), tree(part[:cut]), tree(part[cut:]))

    return AnnotatedSentence(tuple(words), tuple(heads), tree(words, is_whole=True))


def pairs(a, b):
    corpus = SentenceCorpus([a, b])
    return corpus, list_spans(len(a.words), 0), list_spans(len(b.words), 1)


@settings(max_examples=25, deadline=None)
@given(items(), items(), st.sampled_from([0.25, 0.75, 1.0]), st.integers(1, 4))
def test_word_subsequences(a, b, decay, longest):
    corpus, rows, columns = pairs(a, b)
    found = WordSubsequences(decay, longest, normalize=False).gram(
        Substrings(corpus, rows), Substrings(corpus, columns)
    )
    expected = [
        [reference.word_subsequences(a.words[i:j], b.words[k:m], decay, longest) for _, k, m in columns]
        for _, i, j in rows
    ]
    close(found, expected)


@settings(max_examples=25, deadline=None)
@given(items(), items(), st.sampled_from([0.25, 1.0]))
def test_dependency_paths(a, b, decay):
    corpus, rows, columns = pairs(a, b)
    found = SubstringPaths(decay, normalize=False).gram(Substrings(corpus, rows), Substrings(corpus, columns))
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
    corpus = SentenceCorpus([a, b])
    left, right = Substrings(corpus, [(0, 0, len(a.words))]), Substrings(corpus, [(1, 0, len(b.words))])
    found = SubstringPaths(0.25, normalize=False).gram(left, right)
    trees = [bracket(item.heads, item.words, item.heads.index(-1)) for item in (a, b)]
    close(found[0, 0], tree_reference.dependency_paths(*trees, 0.25))


def as_pairs(tree):
    return (tree, []) if isinstance(tree, str) else (tree[0], [as_pairs(child) for child in tree[1:]])


@settings(max_examples=100, deadline=None)
@given(items(), items(), st.sampled_from([0.4, 1.0]), st.booleans())
def test_constituents(a, b, decay, pruned):
    corpus, rows, columns = pairs(a, b)
    found = Constituents(decay, pruned, normalize=False).gram(Substrings(corpus, rows), Substrings(corpus, columns))
    trees = [as_pairs(reference.covering(a.tree, i, j, pruned)) for _, i, j in rows]
    others = [as_pairs(reference.covering(b.tree, k, m, pruned)) for _, k, m in columns]
    close(found, [[tree_reference.subset_tree(one, other, decay) for other in others] for one in trees])


@settings(max_examples=15, deadline=None)
@given(
    st.lists(items(), min_size=1, max_size=3), st.sampled_from(["word", "dependency", "syntactic", "word+dependency"])
)
def test_normalised_grams_in_any_order_and_of_new_sentences(found, name):
    kernel = make_substring_kernel(name)
    corpus = SentenceCorpus(found)
    substrings = [s for place, item in enumerate(found) for s in list_spans(len(item.words), place)]
    gram = kernel.gram(Substrings(corpus, substrings), Substrings(corpus, substrings))
    close(np.diag(gram), 1.0)
    close(gram, gram.T)
    shuffled = list(reversed(substrings))
    close(kernel.gram(Substrings(corpus, shuffled), Substrings(corpus, substrings)), gram[::-1])
    new = SentenceCorpus(found[:1]).extend(found)
    moved = [(s + 1, i, j) for s, i, j in substrings]
    part = [s for s in substrings if s[0] == 0]
    close(kernel.gram(Substrings(new, part), Substrings(new, moved)), gram[: len(part)])
    close(kernel.gram(Substrings(new, moved), Substrings(new, moved)), gram)  # also where no number is known


@settings(max_examples=15, deadline=None)
@given(items(), items(), st.sampled_from(["word", "dependency", "syntactic"]))
def test_equal_keys_have_equal_values(a, b, name):
    kernel = make_substring_kernel(name)
    corpus, rows, columns = pairs(a, b)
    everything = rows + columns
    gram = kernel.gram(Substrings(corpus, everything), Substrings(corpus, everything))
    keys = {}
    for place, (s, i, j) in enumerate(everything):
        first = keys.setdefault(kernel.identify(corpus.sentences[s], i, j), place)
        close(gram[place], gram[first])


def test_other_kernels_plug_in():
    tree = ("S", ("NP", ("DT", "the"), ("NN", "dog")), ("VP", ("VBZ", "runs")))
    corpus = SentenceCorpus([AnnotatedSentence(("the", "dog", "runs"), None, tree)])
    assert make_substring_kernel(Spectrum(1)).on == "words"
    kernel = make_substring_kernel(PartialTree())
    assert kernel.on == "tree"
    close(kernel.gram(Substrings(corpus, [(0, 0, 2)]), Substrings(corpus, [(0, 0, 2)])), [[1.0]])
    close(OnSubstrings(Spectrum(1)).gram(Substrings(corpus, [(0, 0, 2)]), Substrings(corpus, [(0, 1, 3)])), [[0.5]])


def test_a_missing_tree_is_named():
    corpus = SentenceCorpus([AnnotatedSentence(("a",), (-1,)), AnnotatedSentence(("b",))])
    with pytest.raises(InputError, match="sentence 1 has no dependency tree"):
        make_substring_kernel("dependency").gram(Substrings(corpus, [(0, 0, 1)]), Substrings(corpus, [(1, 0, 1)]))
    with pytest.raises(InputError, match="has 1 leaves for 2 words"):
        SentenceCorpus([AnnotatedSentence(("a", "b"), None, ("X", "a"))])


def every_substring(sentences):
    return [Substring(one, i, j) for one in sentences for _, i, j in list_spans(len(one.words))]


@settings(max_examples=10, deadline=None)
@given(st.lists(items(), min_size=1, max_size=3), st.lists(items(), min_size=1, max_size=2))
def test_they_are_ordinary_kernels(left, right):
    """Sums, products, weights, normalisation and single pairs, on lists of items with corpora of their own."""
    X, Y = every_substring(left), every_substring(right)
    word, paths = WordSubsequences(normalize=False), SubstringPaths()
    kernel = 2.0 * word + paths * Constituents()
    expected = 2 * word.gram(X, Y) + paths.gram(X, Y) * Constituents().gram(X, Y)
    close(kernel.gram(X, Y), expected)
    close(kernel(X[0], Y[-1]), expected[0, -1])
    close(np.diag(kernel.gram(X)), kernel.diag(X))
    close(kernel.gram(X), kernel.gram(X, X))
    close(word.normalized().gram(X), WordSubsequences().gram(X))


@settings(max_examples=10, deadline=None)
@given(st.lists(items(), min_size=1, max_size=3))
def test_the_gram_of_training_has_the_values_of_the_kernel(sentences):
    kernel = (
        0.25 * WordSubsequences() + WordSubsequences(normalize=False) * SubstringPaths() + OnSubstrings(Spectrum(1))
    )
    assert [part.weight for part in split_sum(kernel)] == [0.25, 1.0, 1.0]
    gram = SubstringGram(kernel, SentenceCorpus(sentences), n_jobs=1)
    np.testing.assert_allclose(gram.square(np.arange(len(gram))), kernel.gram(gram.substrings), rtol=1e-5)
    close(compute_gram(kernel, gram.substrings, gram.substrings, gram.norms, gram.norms), kernel.gram(gram.substrings))


def test_sums_of_names_are_averages_and_other_kernels_are_wrapped_inside_sums():
    kernel = make_substring_kernel("word+dependency+syntactic")
    assert [type(part).__name__ for part in list_substring_kernels(kernel)] == [
        "WordSubsequences", "SubstringPaths", "Constituents"
    ]  # fmt: skip
    close([part.weight for part in split_sum(kernel)], [1 / 3] * 3)
    assert kernel.reads() == {"words", "heads", "tree"}
    mixed = make_substring_kernel(WordSubsequences() + 0.5 * PartialTree())
    assert mixed.reads() == {"words", "tree"}
    assert repr(make_substring_kernel(WordSubsequences() * SubstringPaths())) == repr(
        WordSubsequences() * SubstringPaths()
    )


def test_they_are_described_and_built_like_all_kernels():
    kernel = 0.5 * WordSubsequences(decay=0.5) + OnSubstrings(Spectrum(2), on="words") * Constituents(pruned=False)
    assert repr(build(describe(kernel))) == repr(kernel)
    assert kernel.get_params()["left__kernel__decay"] == 0.5
    assert kernel.set_params(left__kernel__decay=0.25).left.kernel.decay == 0.25


def test_items_that_are_no_substrings_are_named():
    with pytest.raises(InputError, match="row 1: this is str, not a Substring"):
        WordSubsequences().gram([Substring(AnnotatedSentence(("a",)), 0, 1), "a"])


@pytest.mark.parametrize(
    "heads", [(-1, -1, 0), (1, 0, 0), (-1, -(10**8), 0), (-1, 5, 0), (-1, 0), (0, 1, -1), (-1, -1, -1)]
)
def test_heads_that_are_no_tree(heads):
    sentence = AnnotatedSentence(("chip", "saw", "dale"), heads)
    with pytest.raises(InputError, match="the heads of 'chip saw dale' are no tree"):
        SubstringPaths()(Substring(sentence, 0, 3), Substring(sentence, 0, 3))
    grammar = read_grammar(["Query -> answer({State})", "State -> state(all)"])
    words = sentence.words
    tagged = Sentence(words, words, words, heads, words)
    with pytest.raises(InputError, match="are no tree"):
        SemanticParser(grammar, kernel="dependency").fit([tagged], ["answer(state(all))"])
