"""Sums, products, weights and normalisation of kernels, and kernels as scikit-learn objects."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, LinearSVC

from helpers import close, rewritings
from rekern import PairClassifier
from rekern.kernels import Gaussian, Normalized, Product, Rewriting, Scaled, Spectrum, Subsequence, Sum, Wildcard
from rekern.similarity import PrecisionRecall

PAIRS = [("a b c", "a c"), ("b c", "c b a"), ("", "a"), ("a a", "a a"), ("d", "e")]
A, B = Rewriting((1, 2), normalize=False), Rewriting([(2, 1)], "none", normalize=False)
P = PrecisionRecall()
KERNELS = [
    Rewriting((1, 3)),
    Rewriting(2, "free", 0.5),
    P,
    A + B,
    A * B,
    0.5 * A,
    Normalized(A + P),
    (A + 2 * B).normalized() * P + A,
    Gaussian(A + P, 0.1) + Gaussian(P),
]
EVERY = [*KERNELS, Spectrum(3), Wildcard(3, 1, 0.5), Subsequence(2, 0.5)]


def test_sum_product_and_weight():
    a, b, p = A.gram(PAIRS), B.gram(PAIRS), P.gram(PAIRS)
    close((A + B).gram(PAIRS), a + b)
    close((A * B).gram(PAIRS), a * b)
    close((0.5 * A).gram(PAIRS), 0.5 * a)
    close((A * 0.5).gram(PAIRS), 0.5 * a)
    close((A + 2 * P * B).gram(PAIRS), a + 2 * p * b)
    close(sum([A, B, P]).gram(PAIRS), a + b + p)
    close((0 * A).gram(PAIRS), 0 * a)
    close((np.float64(2) * A).gram(PAIRS), 2 * a)


def test_normalisation():
    gram = (A + P).gram(PAIRS)
    roots = np.sqrt(np.diag(gram))
    norms = np.outer(roots, roots)
    expected = np.divide(gram, norms, out=np.zeros_like(gram), where=norms > 0)
    kernel = (A + P).normalized()
    close(kernel.gram(PAIRS), expected)
    close(kernel.gram(PAIRS, PAIRS[:3]), expected[:, :3])
    close(kernel.diag(PAIRS), np.diag(expected))
    assert not expected[2].any()  # the pair with an empty side is like nothing, and not NaN


def test_gaussian():
    gram = (A + P).gram(PAIRS)
    squares = np.diag(gram)[:, None] + np.diag(gram) - 2 * gram
    close(Gaussian(A + P, 0.1).gram(PAIRS), np.exp(-0.1 * squares))
    close(Gaussian(A + P, 0.1).gram(PAIRS, PAIRS[:3]), np.exp(-0.1 * squares)[:, :3])
    assert Gaussian(A).diag(PAIRS).tolist() == [1] * 5
    for gamma in (0, -1, float("inf"), "1"):
        with pytest.raises(ValueError, match="gamma="):
            Gaussian(A, gamma).gram(PAIRS)


@pytest.mark.parametrize("kernel", KERNELS, ids=range(len(KERNELS)))
def test_items_that_can_be_read_only_once(kernel):
    gram = kernel.gram(PAIRS)
    close(kernel.gram(iter(PAIRS)), gram)
    close(kernel.gram(iter(PAIRS), iter(PAIRS)), gram)
    close(kernel.diag(iter(PAIRS)), np.diag(gram))
    if kernel.has_features():
        assert kernel.features(iter(PAIRS)).shape[0] == 5
    scorer = kernel.decision_function(PAIRS, np.ones((5, 1)))
    close(scorer.score(iter(PAIRS)), scorer.score(PAIRS))


@pytest.mark.parametrize("kernel", KERNELS, ids=range(len(KERNELS)))
def test_all_verbs_agree(kernel):
    gram = kernel.gram(PAIRS)
    assert np.isfinite(gram).all()
    close(gram, gram.T)
    close(kernel.gram(PAIRS, PAIRS), gram)
    close(kernel.gram(PAIRS, PAIRS[1:3]), gram[:, 1:3])
    close(kernel.diag(PAIRS), np.diag(gram))
    close(kernel(PAIRS[0], PAIRS[1]), gram[0, 1])
    assert np.linalg.eigvalsh(gram).min() > -1e-9
    if kernel.has_features():
        features = kernel.features(PAIRS)
        close((features @ features.T).toarray(), gram)
    for n_jobs in (1, 2, 4):
        assert np.array_equal(kernel.gram(PAIRS, n_jobs=n_jobs), gram)
    scorer = kernel.decision_function(PAIRS, np.arange(10.0).reshape(5, 2) - 4)
    close(scorer.score(PAIRS), gram @ (np.arange(10.0).reshape(5, 2) - 4))


@pytest.mark.parametrize("wrong", ["2", None, [1]])
def test_what_is_no_kernel_cannot_be_added(wrong):
    with pytest.raises(TypeError):
        A + wrong
    with pytest.raises(TypeError):
        A * wrong
    with pytest.raises(TypeError):
        A + 1


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf")])
def test_a_weight_is_finite_and_not_negative(weight):
    with pytest.raises(ValueError, match="weight"):
        (weight * A).gram(PAIRS)


@pytest.mark.parametrize("kernel", EVERY, ids=range(len(EVERY)))
def test_clone_keeps_all_parameters(kernel):
    twin = clone(kernel)
    assert twin is not kernel
    assert repr(twin) == repr(kernel)
    assert repr(twin.set_params(**kernel.get_params(deep=False))) == repr(kernel)


def test_parameters_inside_combinations():
    kernel = Rewriting(2) + 0.5 * Rewriting(1, "none") * P
    assert isinstance(kernel, Sum)
    assert isinstance(kernel.right, Product)
    assert isinstance(kernel.right.left, Scaled)
    names = kernel.get_params()
    assert names["left__k"] == 2
    assert names["right__left__kernel__wildcards"] == "none"
    kernel.set_params(left__k=(1, 4), left__decay=0.5, right__left__weight=2.0)
    assert kernel.left.k == (1, 4)
    assert kernel.left.decay == 0.5
    assert kernel.right.left.weight == 2.0


def test_grid_search_over_a_kernels_parameters():
    pairs, labels = rewritings(36)
    search = GridSearchCV(
        PairClassifier(Rewriting(1) + P, calibration=0),
        {"kernel__left__k": [1, (1, 3)], "kernel__left__decay": [0.5, 1.0], "C": [1, 10]},
        cv=3,
        error_score="raise",
    )
    search.fit(pairs, labels)
    assert len(search.cv_results_["params"]) == 8
    assert search.best_params_["kernel__left__k"] == (1, 3)  # single words cannot tell who did what
    assert search.best_estimator_.kernel_.left.k == (1, 3)
    assert search.predict(pairs).shape == (36,)


def test_grid_search_over_whole_kernels():
    pairs, labels = rewritings(24)
    search = GridSearchCV(
        PairClassifier(calibration=0), {"kernel": [P, Rewriting(2)], "n_jobs": [1]}, cv=2, error_score="raise"
    )
    assert search.fit(pairs, labels).best_params_["kernel"].k == 2


def test_grid_search_over_the_parameters_of_the_only_kernel():
    pairs, labels = rewritings(24)
    grid = {"kernel__k": [1, (1, 2)], "kernel__wildcards": ["none", "aligned"]}
    search = GridSearchCV(PairClassifier(Rewriting(), calibration=0), grid, cv=2, error_score="raise").fit(
        pairs, labels
    )
    assert search.best_params_ == {"kernel__k": (1, 2), "kernel__wildcards": "aligned"}


def test_explicit_features_go_straight_into_scikit_learn():
    pairs, labels = rewritings(30)
    for kernel in (Rewriting((1, 3)), Rewriting(2) + P, 0.5 * Rewriting(1)):
        assert LinearSVC().fit(kernel.features(pairs), labels).coef_.shape[0] == 3
    assert LinearSVC().fit(Spectrum(1).features([source for source, _ in pairs]), labels).coef_.shape[0] == 3


def test_a_gram_goes_straight_into_scikit_learn():
    pairs, labels = rewritings(30)
    kernel = Rewriting((1, 3))
    svm = SVC(kernel="precomputed", C=10).fit(kernel.gram(pairs), labels)
    assert svm.score(kernel.gram(pairs, pairs), labels) == 1


HUGE = 1e300


@pytest.mark.parametrize(
    "kernel",
    [
        Gaussian(HUGE * (HUGE * (HUGE * Spectrum(1, normalize=False))), 1.0),
        HUGE * (HUGE * (HUGE * (HUGE * Spectrum(1)))),
        HUGE * (HUGE * (1e99 * Spectrum(1))) * HUGE + Spectrum(1),
        (HUGE * (HUGE * Spectrum(1))) * (HUGE * (HUGE * Spectrum(1))),
        Normalized((HUGE * (HUGE * Spectrum(1))) * (HUGE * (HUGE * Spectrum(1)))),
    ],
    ids=range(5),
)
def test_huge_weights_are_an_error_and_never_nan(kernel, tmp_path, recwarn):
    texts = ["a b", "a", "c"]
    for call in (lambda: kernel.gram(texts), lambda: kernel.gram(texts, texts), lambda: kernel("a", "a")):
        with pytest.raises(ValueError, match="a kernel value exceeds the range of numbers; use smaller weights"):
            call()
    with pytest.raises(ValueError, match="exceeds the range"):
        kernel.gram(texts, out=tmp_path / "gram.npy")
    assert not list(tmp_path.iterdir()) and not recwarn.list
