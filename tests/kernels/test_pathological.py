"""Long and repetitive texts: right values, bounded time and memory, a warning where something is left out."""

import os
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

from helpers import close
from rekern import InputError
from rekern.kernels import (
    DependencyPaths,
    PartialTree,
    Rewriting,
    Spectrum,
    Subsequence,
    SubsetTree,
    SubTree,
    Wildcard,
)
from rekern.kernels.rewriting import rule_extraction as rewriting
from rekern.similarity import PrecisionRecall
from rekern.structures import Pairs

SMALL = ("a b a c", "b a a c")


def numbers(size, length, seed=0):
    return list(map(str, np.random.default_rng(seed).integers(0, size, length)))


def test_ten_thousand_equal_words():
    long = ("a " * 10_000, "a " * 10_000)
    kernel = Rewriting((1, 4), normalize=False)
    started = time.monotonic()
    gram = kernel.gram([long, SMALL])
    assert time.monotonic() - started < 20
    # Windows of equal words are one window that occurs n times: count by hand. A window of k words against itself has
    # Σ C(k, i)² i! rules, each with the value n².
    ways = {1: 2, 2: 7, 3: 34, 4: 209}
    counts = {k: 10_000 - k + 1 for k in ways}
    close(gram[0, 0], sum(ways[k] * counts[k] ** 4 for k in ways))
    close(kernel.diag([long])[0], gram[0, 0])
    assert Rewriting((1, 4)).gram([long, SMALL])[0, 0] == 4
    # Against the short pair: a → a in both, 10⁸ · 4 times, and ⟨1⟩ → ⟨1⟩, 10⁸ · (4 + 1 + 1) times; no aa → aa there.
    assert Rewriting(1, normalize=False)(long, SMALL) == 10_000**2 * (2 * 2 + (2 * 2 + 1 + 1))
    features = Rewriting((1, 4)).features([long])
    assert features.nnz == sum(ways.values())
    assert not np.isnan(features.data).any()


@pytest.mark.parametrize("wildcards", ["aligned", "free", "none"])
def test_ten_thousand_distinct_words(wildcards):
    words = list(map(str, range(10_000)))
    kernel = Rewriting((1, 4), wildcards)
    started = time.monotonic()
    gram = kernel.gram([(words, words), (words, words[::-1]), (words[:3], words[:3])])
    assert time.monotonic() - started < 30
    assert np.diag(gram).tolist() == [4, 4, 3]
    assert np.isfinite(gram).all()
    close(gram, gram.T)


def test_ten_thousand_words_in_the_other_kernels():
    long = numbers(50, 10_000)
    for kernel in (Spectrum(3), Wildcard(3, 1, 0.5)):
        gram = kernel.gram([long, long, long[:5]])
        close(gram[0, 1], 1)
    close(Subsequence(3, 0.5).gram([long[:2000], long[:2000], long[:5]])[0, 1], 1)
    assert PrecisionRecall().scores([(long, long)]).tolist() == [[1, 1]]


def test_a_long_pair_of_few_words():
    pair = (numbers(50, 1500), numbers(50, 1500, seed=1))
    gram = Rewriting((1, 4)).gram([pair, SMALL, pair])
    close(gram[0, 2], 4)
    assert np.isfinite(gram).all()


@pytest.mark.slow
def test_ten_thousand_words_of_fifty_stay_in_memory():
    program = """
import resource, sys
import numpy as np
from rekern.kernels import Rewriting
rng = np.random.default_rng(0)
pair = tuple(list(map(str, rng.integers(0, 50, 10_000))) for _ in "st")
gram = Rewriting((1, 4)).gram([pair, ("1 2 1 3", "3 1 2")])
assert gram[0, 0] == 4 and np.isfinite(gram).all()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) / 1e6 < 4  # GB


@pytest.mark.parametrize(
    ("source", "target"), [("a " * 12, "a " * 12), ("a b " * 8, "b a " * 8), ("a " * 40, "a " * 40)]
)
def test_wide_windows_of_repetitions_are_cut_with_a_warning(source, target):
    kernel = Rewriting(12)
    started = time.monotonic()
    with pytest.warns(UserWarning, match="repeat tokens so often") as caught:
        gram = kernel.gram([(source, target), ("a b c d e f g h i j k l", "a b c d e f g h i j k l")])
    assert time.monotonic() - started < 30
    assert "\n" not in str(caught[0].message)
    assert np.diag(gram).tolist() == [1, 1]
    close(gram, gram.T)
    with pytest.warns(UserWarning, match="repeat tokens so often"):
        assert kernel.features([(source, target)]).nnz < 10_000_000


def test_windows_of_up_to_six_are_never_cut():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Rewriting(6, normalize=False).features([("a " * 30, "a " * 30)]).nnz == 13_327
        assert Rewriting(12).gram([(" ".join("abcdefghijklm"), " ".join("mlkjihgfedcba"))])[0, 0] == 1


def test_pairs_with_too_many_rules_are_refused_in_one_line(monkeypatch):
    repetitive = Pairs.from_items([SMALL] + [(numbers(12, 250, seed), numbers(12, 250, seed + 1)) for seed in range(3)])
    kernel = Rewriting((1, 3), decay=0.5)
    gram = kernel.gram(repetitive)
    weights = np.random.default_rng(0).normal(size=(4, 1))
    scorer = kernel.decision_function(repetitive, weights)
    scores = scorer.score(repetitive)
    monkeypatch.setattr(rewriting, "MOST_RULES", 60_000)  # of a window size, without those that have no wildcard
    np.testing.assert_allclose(kernel.gram(repetitive), gram, rtol=1e-12)
    np.testing.assert_allclose(scorer.score(repetitive), scores, rtol=1e-10)
    with pytest.raises(InputError, match=r"^row 1: the pair has more than 60,000 rewriting rules; use shorter texts, "):
        kernel.features(repetitive)
    monkeypatch.setattr("rekern.kernels.rewriting.rule_decision.MOST_RULES", 60_000)
    (part,) = scorer.parts(repetitive[1])  # too many rules to list
    assert part.kind == "kernel" and part.contribution == pytest.approx(scores[1, 0], rel=1e-9)
    monkeypatch.setattr(rewriting, "MOST_RULES", 10_000)
    for verb in (kernel.gram, kernel.diag, kernel.features, scorer.score):
        with pytest.raises(InputError, match=r"^row [123]: the pair has more than 10,000 rewriting rules; use"):
            verb(repetitive)


def sum_subsequences_slowly(one, two, longest, decay, factor):
    """Σ over lengths of the sums over common subsequences, cell by cell."""
    ends = {(i, j): factor for i in range(len(one)) for j in range(len(two)) if one[i] == two[j]}
    total, level = sum(ends.values()), ends
    for _ in range(1, longest):
        level = {
            (i, j): factor * sum(w * decay ** (i - a + j - b - 2) for (a, b), w in level.items() if a < i and b < j)
            for i, j in ends
        }
        total += sum(level.values())
    return total


@pytest.mark.parametrize("weight", ["gaps", "span"])
def test_subsequences_of_texts_that_repeat_their_tokens(weight):
    rng = np.random.default_rng(0)
    one, two = ("".join(rng.choice(list("ab"), size)) for size in (9, 12))
    for longest in (1, 2, 3, 7, 50):
        kernel = Subsequence(longest, 0.6, weight, normalize=False)
        expected = sum_subsequences_slowly(one, two, longest, 0.6, 1.0 if weight == "gaps" else 0.36)
        assert kernel(list(one), list(two)) == pytest.approx(expected, rel=1e-12)
    # All lengths at once, of texts with more than 64 tokens, and the same one length after the other.
    one, two = list("ab" * 40), list("abb" * 25)
    whole, parts = (Subsequence(longest, 0.05, weight, normalize=False)(one, two) for longest in (1000, 74))
    assert whole == pytest.approx(parts, rel=1e-12)


MEMORY = """
import resource
from rekern.kernels import Neighborhoods, Subsequence

def measure(kernel, small, large):
    kernel(small, small)  # compiled before the memory is measured
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kernel(large, large)
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)

measure(Subsequence(3), ["a"], ["a"] * 5000)  # 25,000,000 matches
star = ["hub", *["leaf"] * 3000], [(0, leaf) for leaf in range(1, 3001)]  # 4,500,000 pairs of nodes
measure(Neighborhoods(), (["a"], []), star)
"""


def test_equal_tokens_and_stars_need_memory_for_what_differs_only():
    pytest.importorskip("resource")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, env=environment, check=True)
    assert all(int(megabytes) < 80 for megabytes in done.stdout.split()), done.stdout
    assert len(done.stdout.split()) == 2


@pytest.mark.parametrize("kernel", [PartialTree(), DependencyPaths(), SubsetTree(), SubTree()], ids=repr)
@pytest.mark.parametrize("tree", ["(S" + " (A b)" * 40 + ")", "(A " * 60 + "b" + ")" * 60], ids=["wide", "deep"])
def test_explanations_of_large_regular_trees_are_bounded(kernel, tree):
    steps = 0

    def count(frame, event, arg):
        nonlocal steps
        steps += 1
        assert steps < 20_000_000, "too much work"

    kernel.explain("(S (A b))", "(S (A b))")  # to compile takes many steps, too
    sys.setprofile(count)
    try:
        why = kernel.explain(tree, tree, n=5)
    finally:
        sys.setprofile(None)
    assert len(why.parts) == 5 or kernel.__class__ is SubTree
    assert why.parts[0].value >= why.parts[-1].value > 0
