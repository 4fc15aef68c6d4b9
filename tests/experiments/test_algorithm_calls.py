"""The counts of Figure 6 equal those of the compiled Algorithm 2 and of the plain one."""

import sys
from pathlib import Path

import numpy as np
import pytest

from experiments.algorithm_calls import compute_call_ratios, count_algorithm_calls
from reference.algorithms import algorithm2
from rekern.datasets.rewrite_corpus import load_rewrites
from rekern.structures.pairs import Pairs

# benchmarks/ is a folder of scripts, not a package
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import paper_algorithms


@pytest.fixture(scope="module")
def corpus():
    draw = np.random.default_rng(0)
    random = [tuple(list(draw.choice(list("abc"), draw.integers(0, 9))) for _ in range(2)) for _ in range(60)]
    return Pairs.from_items(load_rewrites("train", size=60)[0] + random)


@pytest.mark.parametrize("k", range(1, 9))
def test_equals_the_compiled_algorithm(corpus, k):
    cells = np.random.default_rng(k).integers(0, len(corpus), (400, 2))
    cells[:20, 1] = cells[:20, 0]
    tokens = corpus.tokens
    expected = paper_algorithms.count_calls_over_length(tokens.ids, tokens.offsets, cells, k)
    assert np.array_equal(compute_call_ratios(corpus, cells, k), expected)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_equals_the_plain_algorithm(corpus, k):
    cells = np.random.default_rng(k).integers(60, 120, (60, 2))
    for cell, ratio in zip(cells, compute_call_ratios(corpus, cells, k)):
        four = [text for number in cell for text in corpus[number]]
        mean = sum(map(len, four)) / 4
        calls = algorithm2(*four, k)[1]
        assert ratio == pytest.approx(calls / mean**2 if mean else 0.0)


def test_falls_with_the_window(corpus):
    rows = count_algorithm_calls(load_rewrites("train", size=100)[0], sample=200)
    assert [row["k"] for row in rows] == list(range(1, 9))
    averages = [row["average"] for row in rows]
    assert averages == sorted(averages, reverse=True)
    assert all(row["worst"] >= row["average"] for row in rows)


def test_same_for_any_number_of_threads():
    pairs = load_rewrites("train", size=40)[0]
    assert count_algorithm_calls(pairs, sample=700, n_jobs=1) == count_algorithm_calls(pairs, sample=700, n_jobs=2)


def test_one_pair_and_empty_texts():
    assert count_algorithm_calls([("", "")], sample=2, windows=(1,)) == [{"k": 1, "average": 0.0, "worst": 0.0}]
