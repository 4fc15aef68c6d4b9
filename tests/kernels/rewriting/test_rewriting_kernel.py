"""The re-writing kernels against the definition."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import close, corpora, pairs, reference_gram, windows
from reference import algorithms
from rekern.kernels import Rewriting
from rekern.structures import Pairs

KINDS = st.sampled_from(["aligned", "free", "none"])
DECAYS = st.sampled_from([1.0, 0.5, 0.75])
FIGURE_2 = (list("abbccbb"), list("cbcbbcb")), (list("abcccdd"), list("cbccdcd"))


@settings(max_examples=50, deadline=None)
@given(corpora("ab") | corpora("abc"), windows(), KINDS, DECAYS, st.booleans())
def test_every_verb_equals_the_definition(corpus, k, wildcards, decay, normalize):
    kernel = Rewriting(k[0], wildcards, decay, normalize)
    expected = reference_gram(corpus, corpus, k[1], wildcards, decay, 1, normalize)
    gram = kernel.gram(corpus)
    close(gram, expected)
    assert np.array_equal(gram, gram.T)
    close(kernel.gram(corpus, corpus), expected)
    close(kernel.diag(corpus), np.diag(expected))
    close(kernel(corpus[0], corpus[-1]), expected[0, -1])
    features = kernel.features(corpus)
    close((features @ features.T).toarray(), expected)
    assert kernel.has_features() == (wildcards != "free")


@settings(max_examples=80, deadline=None)
@given(corpora("ab", 5, max_pairs=2), windows(2), KINDS, DECAYS, st.integers(2, 3), st.booleans())
def test_wildcards_over_several_tokens(corpus, k, wildcards, decay, span, normalize):
    kernel = Rewriting(k[0], wildcards, decay, normalize, span)
    expected = reference_gram(corpus, corpus, k[1], wildcards, decay, span, normalize)
    close(kernel.gram(corpus), expected)
    close(kernel.gram(corpus, corpus), expected)
    close(kernel.diag(corpus), np.diag(expected))
    features = kernel.features(corpus)
    close((features @ features.T).toarray(), expected)


@settings(max_examples=25, deadline=None)
@given(corpora("abcd", 5, max_pairs=2), st.sampled_from(["aligned", "free"]))
def test_stretched_wildcards_in_windows_of_three(corpus, wildcards):
    expected = reference_gram(corpus, corpus, [(3, 2), (2, 3)], wildcards, 0.5, 2)
    close(Rewriting([(3, 2), (2, 3)], wildcards, 0.5, span=2).gram(corpus), expected)


@settings(max_examples=80, deadline=None)
@given(corpora("abc"), corpora("bcd", min_pairs=0), windows(), KINDS, st.booleans())
def test_gram_of_two_corpora(left, right, k, wildcards, normalize):
    kernel = Rewriting(k[0], wildcards, 0.5, normalize)
    expected = reference_gram(left, right, k[1], wildcards, 0.5, 1, normalize)
    found = kernel.gram(left, right)
    assert found.shape == (len(left), len(right))
    close(found, expected)


@settings(max_examples=40, deadline=None)
@given(pairs("abc", 9), pairs("abcd", 9), st.integers(4, 6), DECAYS)
def test_longer_windows_equal_the_papers_algorithm(one, other, k, decay):
    value, _ = algorithms.algorithm2(*one, *other, k, Fraction(decay))
    close(Rewriting(k, decay=decay, normalize=False)(one, other), float(value))


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(7, 9), DECAYS)
def test_windows_beyond_six_equal_the_papers_algorithm(data, k, decay):
    letters = st.permutations("aabbccddeefgh").map(lambda shuffled: shuffled[: k + 3])
    one, other = ((data.draw(letters), data.draw(letters)) for _ in range(2))
    value, _ = algorithms.algorithm2(*one, *other, k, Fraction(decay))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        close(Rewriting(k, decay=decay, normalize=False)(one, other), float(value))


@pytest.mark.parametrize("decay", [1.0, 0.5, 0.3])
def test_figure_2_of_the_paper(decay):
    expected = 12 * decay**12 + 24 * decay**10 + 14 * decay**8 + 2 * decay**6
    close(Rewriting(7, decay=decay, normalize=False)(*FIGURE_2), expected)


def test_figure_1_of_the_paper():
    a = ("Shakespeare wrote Hamlet", "Hamlet was written by Shakespeare")
    b = ("Orwell wrote 1984", "1984 was written by Orwell")
    assert Rewriting([(3, 5)], decay=0.5, normalize=False)(a, b) == 0.5**4
    assert Rewriting([(3, 5)], wildcards="none", normalize=False)(a, b) == 0


@given(corpora("ab", 8, min_pairs=2, max_pairs=3))
@settings(max_examples=30, deadline=None)
def test_a_range_is_the_sum_of_its_window_sizes(corpus):
    for normalize in (True, False):
        single = [Rewriting(k, normalize=normalize).gram(corpus) for k in (1, 2, 3, 4)]
        close(Rewriting((1, 4), normalize=normalize).gram(corpus), sum(single))
        close(Rewriting([1, 2, (3, 3), 4], normalize=normalize).gram(corpus), sum(single))


@pytest.mark.parametrize("wildcards", ["aligned", "free", "none"])
@pytest.mark.parametrize("normalize", [True, False])
def test_texts_too_short_are_like_nothing(wildcards, normalize):
    corpus = [("", ""), ("", "a b"), ("a", ""), ("a", "a"), ("a b c", "a b c")]
    kernel = Rewriting((2, 3), wildcards, normalize=normalize)
    gram = kernel.gram(corpus)
    assert np.isfinite(gram).all()
    assert not gram[:4].any()
    assert not kernel.diag(corpus)[:4].any()
    assert np.isfinite(kernel.features(corpus).data).all()
    assert kernel(("", ""), ("", "")) == 0


def test_no_pairs_at_all():
    kernel = Rewriting((1, 2))
    assert kernel.gram([]).shape == (0, 0)
    assert kernel.gram([], [("a", "b")]).shape == (0, 1)
    assert kernel.diag([]).shape == (0,)
    assert kernel.features([]).shape == (0, 0)


def test_only_empty_texts():
    corpus = [("", ""), ("", "")]
    assert not Rewriting((1, 2)).gram(corpus).any()
    assert Rewriting((1, 2)).features(corpus).shape == (2, 0)


def test_every_form_of_corpus_gives_the_same_gram():
    corpus = [("The cats sat.", "A cat sat."), ("Dogs bark!", "The dog barked.")]
    kernel = Rewriting((1, 2))
    expected = kernel.gram(corpus)
    assert np.array_equal(kernel.gram(Pairs.from_items(corpus)), expected)
    assert np.array_equal(kernel.gram(np.array(corpus)), expected)
    assert np.array_equal(kernel.gram({"source": [a for a, _ in corpus], "target": [b for _, b in corpus]}), expected)
    assert np.array_equal(kernel.gram(iter(corpus)), expected)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0}, "k=0"),
        ({"k": 33}, "k=33"),
        ({"k": True}, "k=True"),
        ({"k": 2.0}, "k=2.0"),
        ({"k": "4"}, "k='4'"),
        ({"k": None}, "k=None"),
        ({"k": (3, 1)}, "k=\\(3, 1\\)"),
        ({"k": (1, 2, 3)}, "k="),
        ({"k": []}, "k=\\[\\]"),
        ({"k": [(1, 2), (1, 2)]}, "give each window size once"),
        ({"k": [(1, 2, 3)]}, "k="),
        ({"wildcards": "some"}, "wildcards='some'"),
        ({"wildcards": None}, "wildcards=None"),
        ({"decay": 0}, "decay=0"),
        ({"decay": 1.5}, "decay=1.5"),
        ({"decay": float("nan")}, "decay=nan"),
        ({"decay": "1"}, "decay='1'"),
        ({"span": 0}, "span=0"),
        ({"span": 1.5}, "span=1.5"),
    ],
)
def test_impossible_parameters(parameters, message):
    for call in (lambda kernel: kernel.gram([("a", "b")]), lambda kernel: kernel.diag([("a", "b")])):
        with pytest.raises(ValueError, match=message) as caught:
            call(Rewriting(**parameters))
        assert "\n" not in str(caught.value)
