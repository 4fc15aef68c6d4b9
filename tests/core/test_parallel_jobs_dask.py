"""The same blocks on a real cluster: two worker processes, the same bits as threads."""

import importlib.util
import signal

import joblib
import numpy as np
import pytest

from rekern import PairClassifier, RewriteVectorizer
from rekern.core.parallel_jobs import run
from rekern.kernels import Rewriting, Spectrum, gram_plan
from rekern.similarity import PrecisionRecall
from rekern.structures import Pairs

pytestmark = [
    pytest.mark.slow,  # test_clusters.py has a smaller case of each
    # Looked up, not imported: that takes seconds, also when other tests are run.
    pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason='pip install "rekern[dask]"'),
]

KERNEL = Rewriting((1, 3)) + 0.5 * PrecisionRecall()


@pytest.fixture(scope="module")
def client():
    import distributed

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def patience():
    """A task that never comes back is a failure after a minute, not a test run without end."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def ring(*_):
        raise TimeoutError("the cluster did not answer within a minute")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(0)
    sides = [list(map(str, rng.zipf(1.5, rng.integers(0, 12)) % 200)) for _ in range(1200)]
    return Pairs.from_items(list(zip(sides[::2], sides[1::2])))


def executed(client):
    """How many tasks each worker has done."""
    return list(client.run(lambda dask_worker: dask_worker.state.executed_count).values())


def test_gram_has_the_same_bits_as_with_threads(client, corpus, monkeypatch):
    monkeypatch.setattr(gram_plan, "BLOCK_BYTES", 1 << 17)
    threads = KERNEL.gram(corpus)
    rectangle = KERNEL.gram(corpus[:300], corpus)
    before = executed(client)
    assert len(before) == 2
    with joblib.parallel_config(backend="dask"):
        assert np.array_equal(KERNEL.gram(corpus), threads)
        assert np.array_equal(KERNEL.gram(corpus[:300], corpus), rectangle)
    assert all(after > count for count, after in zip(before, executed(client)))


def test_gram_in_a_file(client, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(gram_plan, "BLOCK_BYTES", 1 << 17)
    with joblib.parallel_config(backend="dask"):
        found = KERNEL.gram(corpus, out=tmp_path / "gram.npy")
    assert np.array_equal(found, KERNEL.gram(corpus))


def test_kernel_on_texts(client, corpus):
    texts = [source for source, _ in corpus] * 2
    expected = Spectrum(2).gram(texts)
    with joblib.parallel_config(backend="dask"):
        assert np.array_equal(Spectrum(2).gram(texts), expected)


def test_features(client, corpus):
    expected = RewriteVectorizer(k=(1, 2)).fit_transform(corpus)
    hashed = RewriteVectorizer(k=(1, 2), hashing=2**14).transform(corpus)
    with joblib.parallel_config(backend="dask"):
        found = RewriteVectorizer(k=(1, 2)).fit_transform(corpus)
        assert np.array_equal(found.data, expected.data)
        assert np.array_equal(found.indices, expected.indices)
        assert abs(RewriteVectorizer(k=(1, 2), hashing=2**14).transform(corpus) - hashed).nnz == 0


def test_training_and_prediction(client, corpus):
    labels = np.arange(400) % 3
    model = PairClassifier(Rewriting((1, 2))).fit(corpus[:400], labels)
    with joblib.parallel_config(backend="dask"):
        twin = PairClassifier(Rewriting((1, 2))).fit(corpus[:400], labels)
        assert np.array_equal(twin.coefficients_, model.coefficients_)
        assert np.array_equal(twin.predict_proba(corpus), model.predict_proba(corpus))


def test_an_error_on_a_worker_reaches_the_caller(client):
    with joblib.parallel_config(backend="dask"), pytest.raises(ZeroDivisionError):
        list(run(divmod, [(1, 1), (1, 0), (2, 1)]))
