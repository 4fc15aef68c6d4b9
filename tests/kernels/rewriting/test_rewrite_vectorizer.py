"""Rules as columns: the kernel's features, in every scikit-learn setting."""

import pickle
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted

from helpers import close, corpora, rewritings, windows
from rekern import RewriteVectorizer
from rekern.errors import InputError
from rekern.kernels import Rewriting
from rekern.kernels.rewriting import rule_extraction as rewriting
from rekern.structures import Pairs, Tokenizer

PAIRS = [
    ("Shakespeare wrote Hamlet", "Hamlet was written by Shakespeare"),
    ("Orwell wrote 1984", "1984 was written by Orwell"),
    ("Orwell wrote", "written by Orwell"),
]


@settings(max_examples=60, deadline=None)
@given(
    corpora("abc", 6),
    corpora("abcd", 6),
    windows(),
    st.sampled_from(["aligned", "free", "none"]),
    st.sampled_from([1.0, 0.5]),
    st.booleans(),
    st.integers(1, 2),
)
def test_products_are_the_grams(train, test, k, wildcards, decay, normalize, span):
    k = k[0] if span == 1 else 2
    vectorizer = RewriteVectorizer(k, wildcards, decay, normalize, span)
    kernel = Rewriting(k, wildcards, decay, normalize, span)
    X = vectorizer.fit_transform(train)
    close((X @ X.T).toarray(), kernel.gram(train))
    assert X.shape == (len(train), len(vectorizer.keys_))
    close(abs(vectorizer.transform(train) - X).sum(), 0)
    Y = vectorizer.transform(test)
    close((Y @ X.T).toarray(), kernel.gram(test, train))
    names = vectorizer.get_feature_names_out()
    assert len(set(names)) == X.shape[1]
    assert not any(name.startswith("rule #") for name in names)


def test_names_stand_in_their_columns():
    vectorizer = RewriteVectorizer(k=1, normalize=False)
    X = vectorizer.fit_transform([("a b", "b"), ("b b", "b c")]).toarray()
    found = {name: column.tolist() for name, column in zip(vectorizer.get_feature_names_out(), X.T)}
    assert found == {"a → b": [1, 0], "b → b": [1, 2], "b → c": [0, 2], "⟨1⟩ → ⟨1⟩": [1, 2]}


def test_the_rule_of_the_paper_has_its_name():
    vectorizer = RewriteVectorizer(k=[(3, 5)], min_df=2)
    X = vectorizer.fit_transform(PAIRS)
    assert vectorizer.get_feature_names_out().tolist() == ["⟨1⟩ wrote ⟨2⟩ → ⟨2⟩ was written by ⟨1⟩"]
    assert X.toarray().tolist() == [[0.5], [0.5], [0]]


def test_names_of_a_few_columns():
    vectorizer = RewriteVectorizer(k=(1, 3)).fit(PAIRS)
    names = vectorizer.get_feature_names_out()
    chosen = [5, 0, 5, len(names) - 1]
    assert vectorizer.rule_names(chosen) == names[chosen].tolist()
    assert vectorizer.rule_names([]) == []


def test_free_wildcards_are_stars():
    names = RewriteVectorizer(k=1, wildcards="free").fit([("a", "b")]).get_feature_names_out()
    assert sorted(names) == ["a → b", "a → ∗", "∗ → b", "∗ → ∗"]


def test_tokens_with_blanks_still_have_names_of_their_own():
    train = [(["New York", "is"], ["big"]), (["New", "York is"], ["big"]), (["→"], ["⟨1⟩"]), (["∗"], ["a b"])]
    for wildcards in ("aligned", "free"):
        vectorizer = RewriteVectorizer(k=[(2, 1), (1, 1)], wildcards=wildcards)
        X = vectorizer.fit_transform(train)
        assert len(set(vectorizer.get_feature_names_out())) == X.shape[1]


@pytest.mark.parametrize("min_df", [2, 0.5, 1.0, 0.0, 3, np.int64(2)])
def test_rare_rules_are_left_out(min_df):
    whole = RewriteVectorizer(k=(1, 2)).fit(PAIRS)
    X = whole.transform(PAIRS)
    count = (X.toarray() > 0).sum(axis=0)
    least = min_df if isinstance(min_df, int | np.integer) else min_df * 3
    kept = count >= least
    vectorizer = RewriteVectorizer(k=(1, 2), min_df=min_df)
    found = vectorizer.fit_transform(PAIRS)
    assert set(vectorizer.get_feature_names_out()) == set(whole.get_feature_names_out()[kept])
    close(np.sort(found.toarray().sum(axis=0)), np.sort(X.toarray()[:, kept].sum(axis=0)))
    close(vectorizer.transform(PAIRS).toarray(), found.toarray())


def test_nothing_left_is_an_error():
    with pytest.raises(InputError, match="min_df=9"):
        RewriteVectorizer(min_df=9).fit(PAIRS)


# The stateless mode


def test_hashing_needs_no_fit_and_keeps_nothing():
    vectorizer = RewriteVectorizer(k=(1, 3), hashing=2**18)
    X = vectorizer.transform(PAIRS)
    assert X.shape == (3, 2**18)
    assert vectorizer.fit(PAIRS) is vectorizer
    assert vars(vectorizer) == vars(RewriteVectorizer(k=(1, 3), hashing=2**18))
    assert abs(vectorizer.fit_transform(PAIRS) - X).nnz == 0
    check_is_fitted(vectorizer)
    close((X @ X.T).toarray(), Rewriting((1, 3)).gram(PAIRS))  # so few rules do not meet


@pytest.mark.parametrize("columns", [1, 7, 64, 1000, 2**20, 2**31 - 1])
def test_a_rule_falls_into_key_modulo_columns(columns):
    kernel = Rewriting((1, 3))
    pairs = Pairs.from_items(PAIRS)
    listed = kernel.make_extractor().list_rules(pairs)
    X = RewriteVectorizer(k=(1, 3), hashing=columns).transform(pairs)
    for row in range(3):
        entries = slice(listed.indptr[row], listed.indptr[row + 1])
        expected = {}
        for key, value in zip(listed.keys[entries].tolist(), listed.values[entries].tolist()):
            expected[key % columns] = expected.get(key % columns, 0) + value
        begin, end = X.indptr[row], X.indptr[row + 1]
        assert end - begin == len(expected)  # each column once
        found = dict(zip(X.indices[begin:end].tolist(), X.data[begin:end].tolist()))
        assert found == pytest.approx(expected, abs=1e-12)


def test_hashing_is_the_same_for_any_jobs_and_in_any_company():
    pairs, _ = rewritings(1200)
    vectorizer = RewriteVectorizer(k=(1, 3), hashing=4096, n_jobs=1)
    X = vectorizer.transform(pairs)
    for n_jobs in (2, 4, None):
        other = vectorizer.set_params(n_jobs=n_jobs).transform(pairs)
        assert np.array_equal(other.data, X.data)
        assert np.array_equal(other.indices, X.indices)
        assert np.array_equal(other.indptr, X.indptr)
    assert abs(vectorizer.transform([pairs[700]]) - X[[700]]).sum() < 1e-12


def test_hashed_columns_have_no_names():
    with pytest.raises(InputError, match="has no name; use hashing=None"):
        RewriteVectorizer(hashing=8).fit(PAIRS).get_feature_names_out()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"hashing": 0}, "hashing=0"),
        ({"hashing": 2**31}, "hashing=2147483648"),
        ({"hashing": True}, "hashing=True"),
        ({"hashing": 2.5}, "hashing=2.5"),
        ({"hashing": "1000"}, "hashing='1000'"),
        ({"min_df": -1}, "min_df=-1"),
        ({"min_df": 1.5}, "min_df=1.5"),
        ({"min_df": "2"}, "min_df='2'"),
        ({"min_df": float("nan")}, "min_df=nan"),
        ({"min_df": 2, "hashing": 8}, "hashing keeps no counts"),
        ({"k": 0}, "k=0"),
        ({"wildcards": "x"}, "wildcards='x'"),
    ],
)
def test_impossible_parameters(parameters, message):
    for call in ("fit", "fit_transform"):
        with pytest.raises(ValueError, match=message):
            getattr(RewriteVectorizer(**parameters), call)(PAIRS)


# In scikit-learn


def test_not_fitted():
    for call in (lambda v: v.transform(PAIRS), lambda v: v.get_feature_names_out(), check_is_fitted):
        with pytest.raises(NotFittedError):
            call(RewriteVectorizer())


def test_clone_and_parameters():
    vectorizer = RewriteVectorizer((1, 2), "free", 0.5, False, 2, Tokenizer("german"), None, 3, 2)
    twin = clone(vectorizer)
    assert repr(twin) == repr(vectorizer)
    assert twin.get_params()["tokenizer__language"] == "german"
    assert clone(vectorizer.fit(PAIRS * 3)).get_params().keys() == vectorizer.get_params().keys()
    assert not hasattr(clone(vectorizer), "keys_")


@pytest.mark.parametrize("hashing", [None, 2**14])
@pytest.mark.parametrize("machine", [LinearSVC(C=10), LogisticRegression(C=100)], ids=["svm", "logistic"])
def test_pipeline(machine, hashing):
    pairs, labels = rewritings(90)
    test, expected = rewritings(60, seed=1)
    model = make_pipeline(RewriteVectorizer(k=[(1, 1), (3, 5)], hashing=hashing), machine).fit(pairs, labels)
    assert model.score(test, expected) > 0.75


def test_grid_search():
    pairs, labels = rewritings(60)
    model = make_pipeline(RewriteVectorizer(), LinearSVC())
    grid = {"rewritevectorizer__k": [1, (1, 3)], "rewritevectorizer__wildcards": ["none", "aligned"]}
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(pairs, labels)
    assert search.best_params_["rewritevectorizer__k"] == (1, 3)


def test_columns_of_a_data_frame():
    pandas = pytest.importorskip("pandas")
    pairs, labels = rewritings(60)
    frame = pandas.DataFrame(pairs, columns=["source", "target"]).assign(size=1.0, note="a text")
    columns = ColumnTransformer(
        [
            ("rules", RewriteVectorizer(k=(1, 3)), ["source", "target"]),
            ("words", CountVectorizer(), "note"),
            ("rest", "passthrough", ["size"]),
        ]
    )
    X = columns.fit_transform(frame)
    assert X.shape[0] == 60
    names = columns.get_feature_names_out()
    assert len(names) == X.shape[1]
    assert "rules__⟨1⟩ → ⟨1⟩" in names
    model = make_pipeline(columns, LinearSVC(C=10)).fit(frame, labels)
    assert model.score(frame, labels) > 0.9


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_as_they_are(library):
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"source": [a for a, _ in PAIRS], "target": [b for _, b in PAIRS], "id": [1, 2, 3]})
    assert abs(RewriteVectorizer(k=2).fit_transform(frame) - RewriteVectorizer(k=2).fit_transform(PAIRS)).sum() == 0


def test_beside_other_features():
    sides = FeatureUnion([("short", RewriteVectorizer(k=1)), ("long", RewriteVectorizer(k=2, hashing=64))])
    assert sides.fit_transform(PAIRS).shape[1] > 64


def test_output_stays_sparse_where_frames_are_asked_for():
    pairs, labels = rewritings(30)
    model = make_pipeline(RewriteVectorizer(k=(1, 2)), LinearSVC()).set_output(transform="pandas")
    assert model.fit(pairs, labels).predict(pairs).shape == (30,)
    with config_context(transform_output="pandas"):
        assert RewriteVectorizer(k=1).fit_transform(PAIRS).format == "csr"


def test_pickled_vectorizer():
    vectorizer = RewriteVectorizer(k=(1, 2)).fit(PAIRS)
    twin = pickle.loads(pickle.dumps(vectorizer))  # noqa: S301 - joblib sends it to other processes so
    assert abs(twin.transform(PAIRS) - vectorizer.transform(PAIRS)).sum() == 0
    assert twin.get_feature_names_out().tolist() == vectorizer.get_feature_names_out().tolist()


# At the edges


def test_empty_texts_and_no_pairs():
    vectorizer = RewriteVectorizer(k=2).fit([("", ""), ("a b", "b a")])
    assert vectorizer.transform([("", ""), ("x", "y")]).sum() == 0
    assert vectorizer.transform([]).shape == (0, len(vectorizer.keys_))
    assert RewriteVectorizer(k=2).fit_transform([("", "")]).shape == (1, 0)
    assert RewriteVectorizer(k=2, hashing=8).transform([]).shape == (0, 8)
    assert RewriteVectorizer(k=2, hashing=8).transform([("", "")]).nnz == 0


def test_a_missing_text_is_named():
    for vectorizer in (RewriteVectorizer(), RewriteVectorizer(hashing=8)):
        with pytest.raises(InputError, match="row 1, target: the text is None"):
            vectorizer.fit_transform([("a", "b"), ("a", None)])


def test_a_pair_with_too_many_rules_is_refused(monkeypatch):
    monkeypatch.setattr(rewriting, "MOST_RULES", 2000)
    rng = np.random.default_rng(0)
    long = tuple(list(map(str, rng.integers(0, 12, 60))) for _ in "st")
    for vectorizer in (RewriteVectorizer(k=(1, 2)), RewriteVectorizer(k=(1, 2), hashing=64)):
        with pytest.raises(InputError, match=r"^row 1: the pair has more than 2,000 rewriting rules"):
            vectorizer.fit_transform([PAIRS[0], long])


def test_ten_thousand_words_in_bounded_columns():
    vectorizer = RewriteVectorizer(k=(1, 4), hashing=2**16)
    assert vectorizer.transform([("a " * 10_000, "a " * 10_000)]).nnz == 2 + 7 + 34 + 209
    assert sys.getsizeof(vectorizer) < 10_000
