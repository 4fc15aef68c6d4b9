"""What must not matter: the number of jobs, the order and the company of the pairs, the thread that asks."""

import threading

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import corpora
from rekern.core import key_index, parallel_jobs
from rekern.kernels import Rewriting, Spectrum, Subsequence
from rekern.kernels import gram_plan as base
from rekern.similarity import PrecisionRecall
from rekern.structures import Pairs

# Windows of 7 tokens leave out some rules of the pairs that repeat a word most: always the same ones.
pytestmark = pytest.mark.filterwarnings("ignore:.* repeat tokens so often")

KERNELS = [
    Rewriting((1, 4)),
    Rewriting((1, 3), "free", 0.5),
    Rewriting([(2, 3), (4, 4)], "none", normalize=False),
    Rewriting(2, span=2, decay=0.5),
    Rewriting(7) + 0.5 * PrecisionRecall(),
    (Rewriting(1) * Rewriting(2)).normalized(),
]


@pytest.fixture(scope="module")
def corpus():
    """600 pairs, more than one block of every kind, drawn so that some words are common and most are rare."""
    rng = np.random.default_rng(5)
    sides = [list(map(str, rng.zipf(1.6, rng.integers(0, 14)) % 300)) for _ in range(1200)]
    return Pairs.from_items(list(zip(sides[::2], sides[1::2])))


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(base, "BLOCK_BYTES", 1 << 16)


@pytest.mark.parametrize("kernel", KERNELS, ids=range(len(KERNELS)))
def test_same_bits_for_any_number_of_jobs(kernel, corpus, small_blocks):
    one = kernel.gram(corpus, n_jobs=1)
    rectangle = kernel.gram(corpus[:300], corpus[200:], n_jobs=1)
    for n_jobs in (2, 4, -1, None):
        assert np.array_equal(kernel.gram(corpus, n_jobs=n_jobs), one)
        assert np.array_equal(kernel.gram(corpus[:300], corpus[200:], n_jobs=n_jobs), rectangle)


def test_same_bits_for_any_size_of_block(corpus, monkeypatch):
    kernel = Rewriting((1, 4)) + PrecisionRecall()
    expected = kernel.gram(corpus)
    monkeypatch.setattr(base, "BLOCK_BYTES", 1)
    assert np.array_equal(kernel.gram(corpus), expected)


@pytest.fixture
def small_shares(monkeypatch):
    """Little work is divided among threads, too."""
    monkeypatch.setattr(parallel_jobs, "FEWEST", 16)
    monkeypatch.setattr(key_index, "PARTS_OF_CALL", 1)


@pytest.mark.parametrize("kernel", KERNELS[:3], ids=range(3))
def test_same_bits_when_threads_share_all_work(kernel, corpus, small_shares):
    one = kernel.gram(corpus, n_jobs=1)
    features = kernel.features(corpus, n_jobs=1)
    for n_jobs in (2, 5):
        assert np.array_equal(kernel.gram(corpus, n_jobs=n_jobs), one)
        other = kernel.features(corpus, n_jobs=n_jobs)
        for name in ("data", "indices", "indptr"):
            assert np.array_equal(getattr(other, name), getattr(features, name))


def test_same_features_for_any_number_of_jobs(corpus):
    kernel = Rewriting((1, 4))
    one = kernel.features(corpus, n_jobs=1)
    for n_jobs in (2, 4):
        other = kernel.features(corpus, n_jobs=n_jobs)
        assert other.shape == one.shape
        for name in ("data", "indices", "indptr"):
            assert np.array_equal(getattr(other, name), getattr(one, name))


@pytest.mark.parametrize("settings", [{"n_jobs": 1}, {"n_jobs": 2}, {"backend": "threading", "n_jobs": 2}], ids=str)
def test_joblib_configuration_is_respected(corpus, settings):
    expected = Rewriting((1, 2)).gram(corpus, n_jobs=1)
    with joblib.parallel_config(**settings):
        assert np.array_equal(Rewriting((1, 2)).gram(corpus), expected)


def test_processes_give_the_same_bits(corpus, small_blocks):
    expected = Rewriting(2).gram(corpus[:400], n_jobs=1)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert np.array_equal(Rewriting(2).gram(corpus[:400]), expected)


@settings(max_examples=40, deadline=None)
@given(corpora("abc", 8, min_pairs=2, max_pairs=8), st.randoms(use_true_random=False))
def test_order_of_the_pairs_changes_nothing(pairs, random):
    order = list(range(len(pairs)))
    random.shuffle(order)
    shuffled = [pairs[i] for i in order]
    for kernel in (Rewriting((1, 3)), Rewriting((1, 2), "free"), Rewriting(2, normalize=False) + PrecisionRecall()):
        expected = kernel.gram(pairs)[np.ix_(order, order)]
        assert np.abs(kernel.gram(shuffled) - expected).max() <= 1e-12


def test_order_of_many_pairs_changes_nothing(corpus):
    order = np.random.default_rng(1).permutation(len(corpus))
    kernel = Rewriting((1, 4))
    gram = kernel.gram(corpus)
    assert np.abs(kernel.gram(corpus.take(order)) - gram[np.ix_(order, order)]).max() <= 1e-12
    assert np.array_equal(np.diag(gram), kernel.diag(corpus))


def test_company_changes_nothing(corpus):
    for kernel in KERNELS:
        gram = kernel.gram(corpus[:60], corpus)
        for index in (0, 17, 59):
            alone = kernel.gram(corpus[index : index + 1], corpus[30:40])
            assert np.abs(alone - gram[index, 30:40]).max() <= 1e-12
            assert kernel(corpus[index], corpus[31]) == pytest.approx(gram[index, 31], abs=1e-12)


def test_symmetric_gram_equals_the_rectangle(corpus):
    for kernel in KERNELS:
        np.testing.assert_allclose(kernel.gram(corpus[:200]), kernel.gram(corpus[:200], corpus[:200]), atol=1e-12)


def test_duplicates_have_equal_rows(corpus):
    doubled = corpus.take(np.repeat(np.arange(100), 2))
    for kernel in KERNELS:
        gram = kernel.gram(doubled)
        np.testing.assert_allclose(gram[::2], gram[1::2], atol=1e-12)
        np.testing.assert_allclose(gram[::2, ::2], kernel.gram(corpus[:100]), atol=1e-12)


def test_a_normalised_kernel_is_at_most_one(corpus):
    gram = Rewriting(2).gram(corpus)
    assert gram.min() >= 0
    assert gram.max() <= 1 + 1e-12
    assert set(np.diag(gram)) == {0.0, 1.0}


def test_vocabulary_of_the_corpus_does_not_matter(corpus):
    texts = [tuple(pair) for pair in corpus[:50]]
    assert np.array_equal(Rewriting((1, 3)).gram(texts), Rewriting((1, 3)).gram(corpus[:50]))


@pytest.mark.parametrize("kernel", [Rewriting((1, 3)), Rewriting((1, 2)) + PrecisionRecall()], ids=["rules", "sum"])
def test_eight_threads_at_once(kernel, corpus):
    part = [tuple(pair) for pair in corpus[:150]]
    expected = kernel.gram(part)
    found, errors = [], []

    def work():
        try:
            found.append(kernel.gram(part, n_jobs=2))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(found) == 8
    assert all(np.array_equal(gram, expected) for gram in found)


# Any Unicode

STRANGE = st.text(max_size=12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(STRANGE, STRANGE), min_size=1, max_size=4))
def test_any_text_gives_finite_values(pairs):
    for kernel in (Rewriting((1, 2)), Rewriting(1, "free"), PrecisionRecall()):
        gram = kernel.gram(pairs)
        assert np.isfinite(gram).all()
        np.testing.assert_allclose(kernel.diag(pairs), np.diag(gram), atol=1e-12)
        assert kernel.features(pairs).shape[0] == len(pairs)
    texts = [text for pair in pairs for text in pair]
    for kernel in (Spectrum(1), Subsequence(2, 0.5)):
        assert np.isfinite(kernel.gram(texts)).all()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.text(max_size=3), max_size=4), min_size=2, max_size=2))
def test_any_tokens_are_taken_as_they_are(sides):
    expected = len(set(sides[0])) * len(set(sides[1])) + bool(set(sides[0]) & set(sides[1]))
    assert Rewriting(1).features([sides]).nnz == expected


def test_tokens_that_differ_in_normal_form_are_different():
    assert Rewriting(1, "none")((["é"], ["a"]), (["e\u0301"], ["a"])) == 0
    assert Rewriting(1, "none")((["\ud800"], ["a"]), (["\ud800"], ["a"])) == 1
    assert Rewriting(1, "none")(([""], ["a"]), ([""], ["a"])) == 1
