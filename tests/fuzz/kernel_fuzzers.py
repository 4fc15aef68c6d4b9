"""Fuzzers of kernels and scores: each takes a source of random numbers and returns how many items it tried.

The items of one run are one or a few, or a batch: a call costs the same for one item as for many. A Gram of them is
symmetric, positive semi-definite where that is promised, normalised to 1, the same for any order of items and any
number of threads, and some of its cells are computed again by the slow reference.
"""

from fractions import Fraction

import numpy as np

from reference import graphs as graph_reference
from reference import pairings as pair_reference
from reference import rewriting as string_reference
from reference import similarity_groups as score_reference
from reference import trees as tree_reference
from rekern.kernels import (
    AllProduct,
    AllSum,
    BestPairing,
    DependencyPaths,
    Neighborhoods,
    PairProduct,
    PairSum,
    PartialTree,
    Rewriting,
    SoftPairing,
    Spectrum,
    Subsequence,
    SubsetTree,
    SubTree,
    Symmetric,
    Wildcard,
)
from rekern.similarity import PrecisionRecall, Similarities

LETTERS = ["a", "b", "c", "A", "é", "\u4e2d", "\U0001f600", "\u200d", "0", "-", "'"]
ODD = ["\ud800", "\x00", "\x1b", "\t", "\n", "\r", "\u2028", "\\", "\ufeff", *'", ()|{}#']
SIZES = (1, 2, 3, 4, 32, 64)
CELLS = 2  # of a Gram that the reference computes again


def draw_size(rng):
    return rng.choice(SIZES)


def draw_tokens(rng, most=7):
    return rng.choices(LETTERS, k=rng.randrange(most))


def draw_text(rng, most=30):
    return "".join(rng.choices(LETTERS + ODD + [" "] * 8, k=rng.randrange(most)))


def draw_pairs(rng, size, most):
    return [(draw_tokens(rng, most), draw_tokens(rng, most)) for _ in range(size)]


def draw_tree(rng, depth=3):
    label = rng.choice("AB")
    if depth == 0 or rng.random() < 0.3:
        return f"({label} {rng.choice('xyz')})"
    return f"({label} {' '.join(draw_tree(rng, depth - 1) for _ in range(rng.randrange(1, 4)))})"


def draw_graph(rng):
    size = rng.randrange(5)
    edges = {tuple(sorted(rng.sample(range(size), 2))) for _ in range(rng.randrange(size + 1))} if size > 1 else set()
    return [rng.choice("ab") for _ in range(size)], [(*edge, rng.choice("st")) for edge in sorted(edges)]


def check_close(found, expected):
    assert np.shape(found) == np.shape(expected)
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-12), (found, expected)


def check_gram(kernel, items, rng, positive=True):
    """Check what holds for every Gram, and return it."""
    gram = kernel.gram(items, n_jobs=1)
    assert np.isfinite(gram).all()
    assert np.array_equal(gram, gram.T), "not symmetric"
    check_close(kernel.diag(items), np.diag(gram))
    if getattr(kernel, "normalize", False):
        assert set(np.diag(gram).round(9).tolist()) <= {0.0, 1.0}, "not normalised"
    if positive and len(gram):
        scale = max(1.0, float(np.abs(gram).max()))
        assert np.linalg.eigvalsh(gram).min() > -1e-8 * scale * len(gram), "not positive semi-definite"
    order = rng.sample(range(len(items)), len(items))
    check_close(kernel.gram([items[row] for row in order], n_jobs=1), gram[np.ix_(order, order)])
    if rng.random() < 0.1:
        assert np.array_equal(kernel.gram(items, n_jobs=2), gram), "threads matter"
    check_close(kernel.gram(items, items[:1], n_jobs=1), gram[:, :1])
    return gram


def check_cells(gram, items, slow, rng):
    """Check some cells of a Gram against the slow definition."""
    for _ in range(CELLS):
        row, column = rng.randrange(len(items)), rng.randrange(len(items))
        check_close(gram[row, column], float(slow(items[row], items[column])))


def fuzz_string_kernels(rng):
    """Kernels on texts, against their definitions."""
    items = [draw_tokens(rng) for _ in range(draw_size(rng))]
    kind, decay = rng.randrange(3), rng.choice([0.3, 0.5, 1.0])
    if kind == 0:
        k = rng.randrange(1, 4)
        kernel, slow = Spectrum(k, normalize=False), lambda s, t: string_reference.spectrum_kernel(s, t, k)
    elif kind == 1:
        k = rng.randrange(1, 4)
        m = rng.randrange(k + 1)
        kernel = Wildcard(k, m, decay, normalize=False)
        slow = lambda s, t: string_reference.wildcard_kernel(s, t, k, m, Fraction(decay))  # noqa: E731
    else:
        longest, weight = rng.randrange(1, 5), rng.choice(["gaps", "span"])
        kernel = Subsequence(longest, decay, weight, normalize=False)
        slow = lambda s, t: string_reference.subsequence_kernel(s, t, longest, Fraction(decay), weight)  # noqa: E731
    check_cells(check_gram(kernel, items, rng), items, slow, rng)
    check_gram(kernel.set_params(normalize=True), items, rng)
    return len(items)


def fuzz_rewriting(rng):
    """The re-writing kernel, alone, with scores, and over both orders of pairs."""
    items = draw_pairs(rng, draw_size(rng), 6)
    window = rng.randrange(1, 4)
    wildcards, decay = rng.choice(["aligned", "free", "none"]), rng.choice([0.5, 1.0])
    kernel = Rewriting(window, wildcards, decay, normalize=False)

    def slow(x, y):
        features = (
            string_reference.rewriting_features(*pair, (window, window), wildcards, Fraction(decay), 1)
            for pair in (x, y)
        )
        return string_reference.dot(*features)

    check_cells(check_gram(kernel, items, rng), items, slow, rng)
    if rng.random() < 0.3:
        check_gram(Rewriting((1, 3)) + PrecisionRecall(), items, rng)
    if rng.random() < 0.3:
        both = Symmetric(kernel)
        reverse = [(target, source) for source, target in items]
        check_close(both.gram(items, reverse), check_gram(both, items, rng))
    return len(items)


def fuzz_tree_kernels(rng):
    """Kernels on trees, against their definitions."""
    items = [draw_tree(rng) for _ in range(draw_size(rng))]
    decay, mu = rng.choice([0.3, 0.4, 1.0]), rng.choice([0.4, 1.0])
    exact, weight = Fraction(decay), Fraction(mu)
    kernel, slow = rng.choice(
        [
            (SubTree(decay, normalize=False), lambda a, b: tree_reference.subtree(a, b, exact)),
            (SubsetTree(decay, normalize=False), lambda a, b: tree_reference.subset_tree(a, b, exact)),
            (PartialTree(decay, mu, normalize=False), lambda a, b: tree_reference.partial_tree(a, b, exact, weight)),
            (DependencyPaths(decay, normalize=False), lambda a, b: tree_reference.dependency_paths(a, b, exact)),
        ]
    )
    gram = check_gram(kernel, items, rng)
    check_cells(gram, items, lambda a, b: slow(tree_reference.read(a), tree_reference.read(b)), rng)
    check_gram(kernel.set_params(normalize=True), items, rng)
    why = kernel.explain(rng.choice(items), items[0], n=5)
    assert all(np.isfinite(part.value) and part.value > 0 for part in why.parts)
    return len(items)


def fuzz_graph_kernel(rng):
    """The kernel on graphs, against its definition."""
    items = [draw_graph(rng) for _ in range(draw_size(rng))]
    radius, distance = rng.randrange(1, 3), rng.randrange(3)
    gram = check_gram(Neighborhoods(radius, distance, 0, normalize=False), items, rng)
    slow = graph_reference.neighborhoods
    check_cells(gram, items, lambda a, b: slow(a, b, radius, distance, 0, normalize=False), rng)
    check_gram(Neighborhoods(radius, distance), items, rng)
    return len(items)


def fuzz_pair_kernels(rng):
    """Kernels on pairs from a kernel on texts, against their definitions."""
    items = draw_pairs(rng, draw_size(rng), 5)
    kind = rng.choice([PairSum, PairProduct, AllSum, AllProduct, BestPairing, SoftPairing])
    gram = check_gram(kind(Spectrum(1)), items, rng, positive=kind not in (BestPairing, SoftPairing))
    check_cells(gram, items, lambda a, b: pair_reference.pair_value(kind.__name__, Spectrum(1), a, b), rng)
    return len(items)


def fuzz_scores(rng):
    """Scores inside pairs: finite, and string tiling as it is defined."""
    size = draw_size(rng)
    items = [(draw_text(rng).replace("\ud800", ""), draw_text(rng).replace("\ud800", "")) for _ in range(size)]
    found = Similarities(groups=("basic", "sequences", "ngrams", "differences")).fit(items).scores(items)
    assert np.isfinite(found).all()
    pairs = draw_pairs(rng, size, 12)
    kernel = Similarities(only=("string tiling",), standardize=False, min_match=2).fit(pairs)
    check_close(kernel.scores(pairs)[:, 0], [_tile(source, target) for source, target in pairs])
    return 2 * size


def _tile(source, target):
    total = len(source) + len(target)
    covered = sum(length for *_, length in score_reference.tiles(source, target, 2))
    return 2 * covered / total if total else 1.0
