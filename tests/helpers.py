"""Helpers of several test files: small random corpora, the Gram of the reference, and short sentences to learn from."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st

from reference.rewriting import dot, rewriting_features

# For a test over a whole corpus: every tenth item in each run of the tests, all of them in the slow ones.
SOME_OR_ALL = pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"])


def texts(alphabet="abc", max_size=6):
    """Strategy for token lists over a few letters, in which repetitions and empty texts are common."""
    return st.lists(st.sampled_from(alphabet), max_size=max_size)


def pairs(alphabet="abc", max_size=6):
    return st.tuples(texts(alphabet, max_size), texts(alphabet, max_size))


def corpora(alphabet="abc", max_size=6, min_pairs=1, max_pairs=4):
    return st.lists(pairs(alphabet, max_size), min_size=min_pairs, max_size=max_pairs)


def windows(largest=3):
    """Strategy for every form of ``k``, with the window sizes that it stands for."""
    size = st.integers(1, largest)
    single = size.map(lambda k: (k, [(k, k)]))
    ranges = st.tuples(size, size).filter(lambda r: r[0] <= r[1])
    ranged = ranges.map(lambda r: (r, [(k, k) for k in range(r[0], r[1] + 1)]))
    listed = st.lists(st.tuples(size, size), min_size=1, max_size=2, unique=True).map(lambda ws: (ws, ws))
    return single | ranged | listed


def reference_features(corpus, window, wildcards, decay, span):
    return [rewriting_features(*pair, window, wildcards, Fraction(decay), span) for pair in corpus]


def reference_gram(left, right, window_sizes, wildcards="aligned", decay=1.0, span=1, normalize=True):
    """Return the Gram by definition: the sum over window sizes, each normalised separately (0 where a norm is 0)."""
    total = np.zeros((len(left), len(right)))
    for window in window_sizes:
        rows = reference_features(left, window, wildcards, decay, span)
        columns = reference_features(right, window, wildcards, decay, span)
        gram = np.array([[float(dot(x, y)) for y in columns] for x in rows]).reshape(len(left), len(right))
        if normalize:
            roots = [np.sqrt([float(dot(x, x)) for x in side]) for side in (rows, columns)]
            norms = np.outer(*roots)
            gram = np.divide(gram, norms, out=np.zeros_like(gram), where=norms > 0)
        total += gram
    return total


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


NAMES = ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Lee"]
VERBS = [("beat", "beaten"), ("saw", "seen"), ("met", "met"), ("knew", "known"), ("took", "taken"), ("chose", "chosen")]


def rewritings(number, seed=0):
    """Return pairs of an active and a passive sentence, and labels.

    In turn, the roles are swapped (label 0), the roles are kept (1), or the verb is another one (2).
    """
    rng = np.random.default_rng(seed)
    found, labels = [], []
    for index in range(number):
        one, other = (NAMES[i] for i in rng.choice(len(NAMES), 2, replace=False))
        first, second = (VERBS[i] for i in rng.choice(len(VERBS), 2, replace=False))
        label = index % 3
        tail = " yesterday" if rng.random() < 0.5 else ""
        passive = {
            0: f"{one} was {first[1]} by {other}",
            1: f"{other} was {first[1]} by {one}",
            2: f"{other} was {second[1]} by {one}",
        }[label]
        found.append((f"{one} {first[0]} {other}{tail}", passive + tail))
        labels.append(label)
    return found, np.array(labels)
