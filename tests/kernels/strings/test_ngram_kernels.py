"""Spectrum, wildcard and subsequence kernels against their definitions."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import close, texts
from reference.rewriting import normalized, spectrum_kernel, subsequence_kernel, wildcard_kernel
from rekern.kernels import Spectrum, Subsequence, Wildcard
from rekern.structures import Tokens

CORPORA = st.lists(texts("ab", 8) | texts("abcd", 8), min_size=1, max_size=4)


def matrix(function, left, right, normalize):
    value = partial(normalized, function) if normalize else function
    return np.array([[float(value(x, y)) for y in right] for x in left]).reshape(len(left), len(right))


def check(kernel, function, corpus, other):
    for normalize in (False, True):
        kernel.set_params(normalize=normalize)
        expected = matrix(function, corpus, corpus, normalize)
        gram = kernel.gram(corpus)
        close(gram, expected)
        assert np.array_equal(gram, gram.T)
        close(kernel.gram(corpus, other), matrix(function, corpus, other, normalize))
        close(kernel.diag(corpus), np.diag(expected))
        close(kernel(corpus[0], corpus[-1]), expected[0, -1])
        assert np.isfinite(gram).all()
        if kernel.has_features():
            features = kernel.features(corpus)
            close((features @ features.T).toarray(), expected)


@settings(max_examples=40, deadline=None)
@given(CORPORA, CORPORA, st.integers(1, 4))
def test_spectrum(corpus, other, k):
    check(Spectrum(k), lambda s, t: spectrum_kernel(s, t, k), corpus, other)


@settings(max_examples=40, deadline=None)
@given(CORPORA, CORPORA, st.integers(1, 4), st.data(), st.sampled_from([1.0, 0.5]))
def test_wildcard(corpus, other, k, data, decay):
    m = data.draw(st.integers(0, k))
    check(Wildcard(k, m, decay), lambda s, t: wildcard_kernel(s, t, k, m, decay), corpus, other)


@settings(max_examples=40, deadline=None)
@given(CORPORA, CORPORA, st.integers(1, 5), st.sampled_from([1.0, 0.5, 0.75]), st.sampled_from(["gaps", "span"]))
def test_subsequence(corpus, other, length, decay, weight):
    kernel = Subsequence(length, decay, weight)
    check(kernel, lambda s, t: subsequence_kernel(s, t, length, decay, weight), corpus, other)
    assert not kernel.has_features()
    with pytest.raises(TypeError, match=r"use gram\(\)"):
        kernel.features(corpus)


def test_subsequences_by_matches_equal_those_by_cells():
    # Few matches are joined one with another, many by the recursion over cells: both on texts of one length.
    rng = np.random.default_rng(1)
    corpus = [list(map(str, rng.integers(0, size, 14))) for size in (2, 3, 5, 20, 40)]
    for weight in ("gaps", "span"):
        expected = matrix(partial(subsequence_kernel, max_length=3, decay=0.5, weight=weight), corpus, corpus, False)
        close(Subsequence(3, 0.5, weight, normalize=False).gram(corpus), expected)


def test_subsequences_without_end_are_refused_in_one_line():
    many = ["a"] * 600
    with pytest.raises(ValueError, match="exceeds the range of numbers"):
        Subsequence(300, 1.0, normalize=False).gram([many])


@pytest.mark.parametrize("kernel", [Spectrum(2), Wildcard(2, 1), Subsequence(3, 0.5)], ids=lambda k: type(k).__name__)
def test_text_kernels_on_anything(kernel):
    corpus = ["", "a", "the cat sat on the mat", "The cat.", "à la carte — naïve 日本語 🙂"]
    gram = kernel.gram(corpus)
    assert np.isfinite(gram).all()
    assert (np.diag(gram)[2:] == 1).all()
    assert not gram[0].any()
    assert np.array_equal(kernel.gram(Tokens.from_texts(corpus)), gram)
    assert np.array_equal(kernel.gram({"text": corpus}), gram)
    assert kernel.gram([]).shape == (0, 0)
    assert kernel.gram(corpus, []).shape == (5, 0)
    for n_jobs in (1, 2, 4):
        assert np.array_equal(kernel.gram(corpus, n_jobs=n_jobs), gram)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (Spectrum(0), "k=0"),
        (Spectrum("2"), "k='2'"),
        (Wildcard(2, 3), "m=3"),
        (Wildcard(2, -1), "m=-1"),
        (Wildcard(2, 1, decay=2), "decay=2"),
        (Subsequence(0), "max_length=0"),
        (Subsequence(2, 0.0), "decay=0.0"),
        (Subsequence(2, 0.5, "length"), "weight='length'"),
    ],
)
def test_impossible_parameters(kernel, message):
    with pytest.raises(ValueError, match=message):
        kernel.gram(["a b c"])
