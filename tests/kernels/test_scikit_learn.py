"""Kernels in scikit-learn's tools: as transformers, as kernels of support vector machines, in approximations."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline, make_union
from sklearn.svm import SVC, LinearSVC

from helpers import close
from rekern import PairClassifier, RewriteVectorizer
from rekern.kernels import (
    AllSum,
    BestPairing,
    Curves,
    Landmarks,
    Neighborhoods,
    PairSum,
    PartialTree,
    Rewriting,
    Spectrum,
    Subsequence,
    SubsetTree,
    SubTree,
    Symmetric,
    Wildcard,
)
from rekern.kernels.row_kernel import RowKernel
from rekern.similarity import PrecisionRecall, Similarities

TEXTS = ["the cat sat", "the dog sat", "a cat ran", "", "the the cat"]
OTHERS = ["the cat ran off", "no"]
TREES = ["(S (NP (DT the) (NN cat)) (VP (VB sat)))", "(S (NP (DT the) (NN dog)) (VP (VB sat)))", "(NN cat)"]
OTHER_TREES = ["(NP (DT the) (NN cat))", "(X y)"]
GRAPHS = [(["saw", "Chip", "Dale"], [(0, 1, "s"), (0, 2, "o")]), (["saw", "Chip"], [(0, 1, "s")]), ([], [])]
OTHER_GRAPHS = [(["Chip", "saw"], [(1, 0, "s")]), (["x"], [])]
PAIRS = [("the cat sat", "a cat sat"), ("a dog ran", "the dog ran"), ("", "x"), ("a a", "a a a")]
OTHER_PAIRS = [("the cat ran", "a cat ran"), ("x", "y")]

CASES = [
    (Spectrum(2), TEXTS, OTHERS),
    (Spectrum(1, normalize=False), TEXTS, OTHERS),
    (Wildcard(3, 2, 0.5, normalize=False), TEXTS, OTHERS),
    (Spectrum(1, normalize=False) + 2 * Wildcard(2, 1, normalize=False), TEXTS, OTHERS),
    (SubTree(0.4), TREES, OTHER_TREES),
    (SubTree(0.7, normalize=False), TREES, OTHER_TREES),
    (Neighborhoods(1, 2, 0), GRAPHS, OTHER_GRAPHS),
    (Neighborhoods(1, 1, 0, normalize=False), GRAPHS, OTHER_GRAPHS),
    (Rewriting((1, 2)), PAIRS, OTHER_PAIRS),
    (Rewriting(2, span=2, normalize=False), PAIRS, OTHER_PAIRS),
    (Rewriting(1) + PrecisionRecall(), PAIRS, OTHER_PAIRS),
    (Symmetric(Rewriting(1) + PrecisionRecall()), PAIRS, OTHER_PAIRS),
    (PairSum(Spectrum(1)), PAIRS, OTHER_PAIRS),
    (AllSum(Spectrum(1, normalize=False)), PAIRS, OTHER_PAIRS),
    (PairSum(SubTree(0.4)), [(a, b) for a, b in zip(TREES, reversed(TREES))], [tuple(OTHER_TREES)]),
]


@pytest.mark.parametrize(("kernel", "train", "test"), CASES, ids=lambda value: repr(value)[:40])
def test_kernels_with_features_are_transformers(kernel, train, test):
    kernel = clone(kernel)
    X = kernel.fit_transform(train)
    close((X @ X.T).toarray(), kernel.gram(train))
    assert sp.issparse(X) and X.format == "csr"
    close(kernel.transform(train).toarray(), X.toarray())
    Y = kernel.transform(test)
    assert Y.shape == (len(test), X.shape[1])
    close((Y @ X.T).toarray(), kernel.gram(test, train))
    names = kernel.get_feature_names_out()
    assert len(names) == X.shape[1] == len(set(names))
    again = clone(kernel).fit(train)
    close(again.transform(test).toarray(), Y.toarray())
    assert again.get_feature_names_out().tolist() == names.tolist()


@pytest.mark.parametrize(("kernel", "train", "test"), CASES, ids=lambda value: repr(value)[:40])
def test_features_have_32_bit_indices(kernel, train, test):
    for matrix in (
        kernel.features(train),
        clone(kernel).fit_transform(train),
        clone(kernel).fit(train).transform(test),
    ):
        assert matrix.indices.dtype == matrix.indptr.dtype == np.int32


def test_names_are_what_they_say():
    assert sorted(Spectrum(2).fit(["a rose is a rose"]).get_feature_names_out()) == ["a rose", "is a", "rose is"]
    assert sorted(SubTree().fit(TREES[2:]).get_feature_names_out()) == ["(NN cat)"]
    assert Rewriting(1).fit([("a", "b")]).get_feature_names_out().tolist() == ["a → b"]
    both = (Rewriting(1) + PrecisionRecall()).fit([("a", "b")])
    assert both.get_feature_names_out().tolist() == ["a → b", "precision", "recall"]
    sides = PairSum(Spectrum(1)).fit([("a", "b")]).get_feature_names_out()
    assert sorted(sides) == ["source: a", "source: b", "target: a", "target: b"]
    twice = (Spectrum(1) + Spectrum(1)).fit(["a"]).get_feature_names_out()
    assert twice.tolist() == ["a", "a (2)"]
    graph = Neighborhoods(1, 0).fit([(["a", "b"], [(0, 1, "x")])])
    assert sorted(graph.get_feature_names_out()) == ["a –x– b", "b –x– a"]


def test_the_vectorizer_and_the_kernel_agree():
    kernel, vectorizer = Rewriting((1, 3)), RewriteVectorizer((1, 3))
    close(kernel.fit_transform(PAIRS).toarray(), vectorizer.fit_transform(PAIRS).toarray())
    close(kernel.transform(OTHER_PAIRS).toarray(), vectorizer.transform(OTHER_PAIRS).toarray())
    assert kernel.get_feature_names_out().tolist() == vectorizer.get_feature_names_out().tolist()


def test_in_pipelines_and_unions():
    union = make_union(Spectrum(1), Wildcard(2, 1))
    X = union.fit_transform(TEXTS)
    assert X.shape[1] == len(union.get_feature_names_out())
    assert union.get_feature_names_out()[0].startswith("spectrum__")
    labels = [0, 1, 0, 1, 0]
    model = make_pipeline(FeatureUnion([("n-grams", Spectrum(1)), ("bigrams", Spectrum(2))]), LinearSVC())
    assert model.fit(TEXTS, labels).predict(TEXTS).tolist() == labels
    assert model.set_params(featureunion__bigrams__k=1).fit(TEXTS, labels).predict(["the cat sat"]).tolist() == [0]
    sparse = make_pipeline(Spectrum(1), LinearSVC()).set_output(transform="pandas")  # the matrix stays sparse
    assert sparse.fit(TEXTS, labels).predict(["the cat sat"]).tolist() == [0]
    assert make_pipeline(SubTree(), LinearSVC()).fit(TREES, [0, 0, 1]).predict(TREES).tolist() == [0, 0, 1]


def test_data_frames_of_scores_and_landmarks():
    pandas = pytest.importorskip("pandas")
    kernels = (PrecisionRecall(), Similarities(), Curves(PrecisionRecall()), Landmarks(Rewriting((1, 2)), n=3))
    for kernel in kernels:
        values = clone(kernel).fit_transform(PAIRS)
        assert isinstance(values, np.ndarray)
        framed = clone(clone(kernel).set_output(transform="pandas"))
        frame = framed.fit_transform(PAIRS)
        assert isinstance(frame, pandas.DataFrame) and np.array_equal(frame.to_numpy(), values)
        assert frame.columns.tolist() == framed.get_feature_names_out().tolist()
        rows = pandas.DataFrame(PAIRS, columns=["source", "target"], index=range(7, 7 + len(PAIRS)))
        assert framed.transform(rows).index.tolist() == rows.index.tolist()
        assert isinstance(framed.set_output(transform="default").transform(PAIRS), np.ndarray)
    with sklearn.config_context(transform_output="pandas"):  # models go on with arrays
        assert PairClassifier("scores", calibration=0).fit(PAIRS, [0, 1] * 2).predict(PAIRS[:1]).shape == (1,)


def test_kernels_without_features_are_no_transformers():
    for kernel in (Subsequence(), PartialTree(), SubsetTree(), Rewriting(2, "free"), BestPairing(Spectrum(1))):
        assert not hasattr(kernel, "transform")
        assert not hasattr(kernel, "fit_transform")
        assert not hasattr(kernel, "get_feature_names_out")
        assert kernel.fit(PAIRS if not kernel.on_texts else TREES) is kernel
    with pytest.raises(NotFittedError, match="this Spectrum has no columns yet"):
        Spectrum(1).transform(["a"])


def test_adapting_learns_no_columns():
    kernel = (Rewriting(1) + PrecisionRecall()).adapt(PAIRS)
    assert not hasattr(kernel.left, "keys_")


@pytest.mark.parametrize("kernel", [Spectrum(1), Subsequence(2)])
def test_as_the_kernel_of_a_support_vector_machine(kernel):
    labels = [0, 1, 0, 1, 0]
    expected = (
        SVC(kernel="precomputed", C=10).fit(kernel.gram(TEXTS), labels).decision_function(kernel.gram(OTHERS, TEXTS))
    )
    for form in (list, np.array, lambda X: np.array(X, dtype=object), lambda X: np.array(X).reshape(-1, 1)):
        model = SVC(kernel=kernel.gram, C=10).fit(form(TEXTS), labels)
        close(model.decision_function(form(OTHERS)), expected)
    texts, many = np.array(TEXTS * 4).reshape(-1, 1), labels * 4
    assert cross_val_score(SVC(kernel=kernel.gram, C=10), texts, many, cv=2).min() == 1.0


def test_trees_and_pairs_in_support_vector_machines():
    model = SVC(kernel=PartialTree().gram).fit(np.array(TREES, dtype=object), [0, 1, 0])
    assert model.predict(np.array(OTHER_TREES, dtype=object)).shape == (2,)
    kernel, labels = Rewriting((1, 2)), [0, 1, 0, 1]
    expected = (
        SVC(kernel="precomputed").fit(kernel.gram(PAIRS), labels).decision_function(kernel.gram(OTHER_PAIRS, PAIRS))
    )
    model = SVC(kernel=kernel.gram).fit(np.array(PAIRS), labels)
    close(model.decision_function(np.array(OTHER_PAIRS)), expected)
    assert clone(model).fit(PAIRS, labels).predict(PAIRS).shape == (4,)


@pytest.mark.parametrize(("kernel", "items"), [(Spectrum(1), TEXTS), (PartialTree(), TREES), (Rewriting(1), PAIRS)])
def test_in_the_nystroem_approximation(kernel, items):
    rows = np.arange(len(items)).reshape(-1, 1)
    by_row = RowKernel(kernel, items)
    model = Nystroem(kernel=by_row, n_components=len(items), random_state=0)
    approximation = clone(model).fit_transform(rows)
    np.testing.assert_allclose(approximation @ approximation.T, kernel.gram(items), atol=1e-6)
    assert Nystroem(kernel=by_row, n_components=2, random_state=0).fit(rows[:3]).transform(rows).shape == (
        len(items),
        2,
    )
    close(by_row(rows, rows[:2]), kernel.gram(items, items[:2]))
