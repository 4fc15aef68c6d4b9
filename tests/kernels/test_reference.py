"""The slow references against each other, against values worked out by hand, and against the paper's algorithms."""

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import algorithms
from reference.rewriting import (
    normalized,
    precision_recall,
    rewriting_features,
    rewriting_kernel,
    rewriting_kernel_over_all_rules,
    rewriting_sum_kernel,
    spectrum_kernel,
    subsequence_kernel,
    wildcard_kernel,
)

# benchmarks/ is a folder of scripts, not a package
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import paper_algorithms

HALF = Fraction(1, 2)
DECAYS = [Fraction(1), HALF, Fraction(1, 3), Fraction(3, 4)]
FIGURE_2 = ("abbccbb", "cbcbbcb"), ("abcccdd", "cbccdcd")


def texts(alphabet="abc", max_size=7):
    return st.text(alphabet=alphabet, max_size=max_size)


def pairs(alphabet="abc", max_size=7):
    return st.tuples(texts(alphabet, max_size), texts(alphabet, max_size))


def numbers(text):
    return [ord(c) for c in text]


# Figure 2 of the paper


@pytest.mark.parametrize("decay", DECAYS)
def test_figure_2(decay):
    (s1, t1), (s2, t2) = FIGURE_2
    expected = 12 * decay**12 + 24 * decay**10 + 14 * decay**8 + 2 * decay**6
    assert rewriting_kernel((s1, t1), (s2, t2), (7, 7), decay=decay) == expected
    assert algorithms.kbar(s1, t1, s2, t2, decay) == expected
    assert algorithms.algorithm2(s1, t1, s2, t2, 7, decay) == (expected, 1)
    four = [numbers(text) for text in (s1, t1, s2, t2)]
    assert paper_algorithms.kbar(*four, float(decay)) == pytest.approx(float(expected), rel=1e-14)
    value, calls = paper_algorithms.algorithm2(*four, 7, float(decay))
    assert value == pytest.approx(float(expected), rel=1e-14)
    assert calls == 1


def test_figure_1_rule_matches():
    features = rewriting_features(
        ("Shakespeare", "wrote", "Hamlet"), ("Hamlet", "was", "written", "by", "Shakespeare"), (3, 5), decay=HALF
    )
    rule = ((None, "wrote", None), (None, "was", "written", "by", None), ((0, 4), (2, 0)))
    assert features[rule] == HALF**2
    assert len(features) == 4  # neither name, one of them, or both behind a wildcard


# Two statements of the definition


@pytest.mark.parametrize("wildcards", ["aligned", "free", "none"])
@settings(max_examples=25, deadline=None)
@given(pairs(max_size=5), pairs(max_size=5), st.tuples(st.integers(1, 2), st.integers(1, 2)), st.integers(1, 2))
def test_features_against_all_rules(wildcards, pair1, pair2, window, span):
    expected = rewriting_kernel_over_all_rules(pair1, pair2, window, wildcards, HALF, span)
    assert rewriting_kernel(pair1, pair2, window, wildcards, HALF, span) == expected


@given(pairs(), pairs(), st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_unaligned_kernels_are_products(pair1, pair2, ks, kt):
    (s1, t1), (s2, t2) = pair1, pair2
    none = spectrum_kernel(s1, s2, ks) * spectrum_kernel(t1, t2, kt)
    free = wildcard_kernel(s1, s2, ks, ks, HALF) * wildcard_kernel(t1, t2, kt, kt, HALF)
    assert rewriting_kernel(pair1, pair2, (ks, kt), "none", HALF) == none
    assert rewriting_kernel(pair1, pair2, (ks, kt), "free", HALF) == free


def test_a_substring_pair_counts_once_however_often_a_rule_matches_it():
    # "* *" reads "aaa" as a|aa and as aa|a; the rule is still one rule on one substring pair
    features = rewriting_features("aaa", "b", (2, 1), "free", 1, span=2)
    assert features[(None, None), ("b",), ()] == 3  # aaa, and aa in two places


def test_aligned_wildcards_stand_for_the_same_sequence():
    features = rewriting_features("xyc", "cxy", (2, 2), "aligned", HALF, span=2)
    assert features[(None, "c"), ("c", None), ((0, 1),)] == HALF  # xy c → c xy alone: y c → c x does not match
    assert rewriting_features("yc", "cx", (2, 2), "aligned", HALF, span=2).keys() == {
        (("y", "c"), ("c", "x"), ()),
        (("y", None), (None, "x"), ((1, 0),)),
    }


# The paper's algorithms compute the aligned kernel


@given(pairs(), pairs(), st.integers(1, 4), st.sampled_from(DECAYS))
@settings(max_examples=60, deadline=None)
def test_algorithm_2_equals_reference(pair1, pair2, k, decay):
    expected = rewriting_kernel(pair1, pair2, (k, k), decay=decay)
    value, calls = algorithms.algorithm2(*pair1, *pair2, k, decay)
    assert value == expected
    four = [numbers(text) for text in (*pair1, *pair2)]
    compiled_value, compiled_calls = paper_algorithms.algorithm2(*four, k, float(decay))
    assert compiled_value == pytest.approx(float(expected), rel=1e-12)
    assert compiled_calls == calls


@given(st.integers(1, 4).flatmap(lambda k: st.lists(st.text("abc", min_size=k, max_size=k), min_size=4, max_size=4)))
@settings(max_examples=50, deadline=None)
def test_algorithm_1_equals_reference(grams):
    s1, t1, s2, t2 = grams
    k = len(s1)
    expected = rewriting_kernel((s1, t1), (s2, t2), (k, k), decay=HALF)
    assert algorithms.kbar(s1, t1, s2, t2, HALF) == expected
    assert paper_algorithms.kbar(*map(numbers, grams), 0.5) == pytest.approx(float(expected), rel=1e-12)


@given(st.lists(texts("ab", 12), min_size=4, max_size=4), st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_compiled_algorithm_2_with_much_repetition(four, k):
    value, calls = algorithms.algorithm2(*four, k, 1)
    assert paper_algorithms.algorithm2(*map(numbers, four), k) == (value, calls)


def test_algorithm_1_refuses_unequal_lengths():
    with pytest.raises(ValueError, match="same length"):
        paper_algorithms.kbar([1], [1, 2], [1], [1, 2])


def test_gram_and_figure_6_counts_of_a_corpus():
    rng = np.random.default_rng(7)
    words = [rng.integers(0, 6, size=rng.integers(0, 9)) for _ in range(2 * 7)]
    ids, offsets = paper_algorithms.flatten_texts(words)
    for k in (1, 2, 3):
        gram = paper_algorithms.gram_algorithm2(ids, offsets, 7, k, 0.5)
        assert np.array_equal(gram, paper_algorithms.gram_algorithm2(ids, offsets, 7, k, 0.5, n_jobs=2))
        cells = [(p, q) for p in range(7) for q in range(7)]
        ratios = paper_algorithms.count_calls_over_length(ids, offsets, cells, k)
        for (p, q), ratio in zip(cells, ratios):
            four = [words[2 * p], words[2 * p + 1], words[2 * q], words[2 * q + 1]]
            value, calls = algorithms.algorithm2(*(text.tolist() for text in four), k, HALF)
            assert gram[p, q] == pytest.approx(float(value), rel=1e-12)
            mean = sum(map(len, four)) / 4
            assert ratio == (calls / mean**2 if mean else 0)


# Single texts


@pytest.mark.parametrize("weight", ["span", "gaps"])
@given(texts("ab"), texts("ab"), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_subsequences_against_a_recursion(weight, s, t, max_length):
    assert subsequence_kernel(s, t, max_length, HALF, weight) == sum(
        subsequences_by_recursion(s, t, length, HALF, weight) for length in range(1, max_length + 1)
    )


def subsequences_by_recursion(s, t, length, decay, weight):
    """Lodhi's dynamic programme over prefixes, for one length, counting the span; gaps take the tokens back out."""

    def prime(n, i, j):  # subsequences of length n of the prefixes, weighed from their first token to the prefix's end
        if n == 0:
            return Fraction(1)
        if min(i, j) < n:
            return Fraction(0)
        total = decay * prime(n, i - 1, j)
        for m in range(j):
            if t[m] == s[i - 1]:
                total += prime(n - 1, i - 1, m) * decay ** (j - m + 1)
        return total

    total = sum(prime(length - 1, i, j) * decay**2 for i in range(len(s)) for j in range(len(t)) if s[i] == t[j])
    return total if weight == "span" else total / decay ** (2 * length)


def test_wildcard_kernel_by_hand():
    # abc against abd: "ab*", "a**", "*b*" (and "***"): one, two, two and three wildcards
    by_hand = {0: 0, 1: HALF**2, 2: HALF**2 + 2 * HALF**4, 3: HALF**2 + 2 * HALF**4 + HALF**6}
    for m, expected in by_hand.items():
        assert wildcard_kernel("abc", "abd", 3, m, HALF) == expected


def test_normalisation_of_texts_too_short_is_zero():
    assert normalized(spectrum_kernel, "", "", k=1) == 0
    assert normalized(rewriting_kernel, ("a", "b"), ("a", "b"), window=(2, 2)) == 0
    assert normalized(rewriting_kernel, ("ab", "ab"), ("ab", "ab"), window=(2, 2)) == 1
    assert rewriting_sum_kernel(("ab", "ab"), ("ab", "ab"), [(1, 1), (2, 2), (3, 3)]) == pytest.approx(2)
    assert rewriting_sum_kernel(("a", "a"), ("a", "a"), [(1, 1), (2, 2)], normalize=False) == 2


def test_precision_recall_clips_and_allows_empty_texts():
    assert precision_recall("aaab", "aacc") == (0.5, 0.5)
    assert precision_recall("", "a") == precision_recall("a", "") == precision_recall("", "") == (0, 0)


# Real sentences


def test_paper_algorithms_equal_reference_on_msrp(corpora):
    lines = (corpora / "msrp" / "train.tsv").read_text(encoding="utf-8").split("\n")[1:13]
    sentences = [text.lower().split() for line in lines for text in line.split("\t")[3:5]]
    numbering = {word: n for n, word in enumerate(sorted({word for sentence in sentences for word in sentence}))}
    ids, offsets = paper_algorithms.flatten_texts([[numbering[word] for word in sentence] for sentence in sentences])
    for k in (1, 2, 3, 4):
        features = [rewriting_features(*sentences[i : i + 2], (k, k), decay=0.5) for i in range(0, 24, 2)]
        expected = [[sum(v * y.get(r, 0) for r, v in x.items()) for y in features] for x in features]
        gram = paper_algorithms.gram_algorithm2(ids, offsets, 12, k, 0.5)
        np.testing.assert_allclose(gram, expected, rtol=1e-12)
