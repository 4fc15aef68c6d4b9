"""Classes of single texts, trees and graphs."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from helpers import close
from rekern import InputError, TextClassifier, load_model
from rekern.kernels import Neighborhoods, PartialTree, Rewriting, SoftPairing, Spectrum, SubsetTree, Wildcard
from rekern.questions import load_questions
from rekern.structures import Representations, Trees

TEXTS = [f"{word} {noun}" for word in ("a good", "a really good", "a bad", "a really bad") for noun in ("film", "book")]
LABELS = ["yes"] * 4 + ["no"] * 4
TREES = ["(S (NP he) (VP runs))", "(S (NP she) (VP sat))", "(NP (DT the) (NN dog))", "(NP (DT a) (NN cat))"] * 2
GRAPHS = [(["a", "b"], [(0, 1)]), (["a", "c"], [(0, 1)]), (["x", "y"], [(0, 1)]), (["x", "z"], [(0, 1)])] * 2
KINDS = ["one", "one", "two", "two"] * 2


@pytest.fixture(scope="module")
def questions():
    texts, kinds = load_questions("train", "english")
    chosen = [row for row, kind in enumerate(kinds) if kind in ("Fact", "Reason", "List")][::6]
    return [texts[row] for row in chosen], [kinds[row] for row in chosen]


@pytest.fixture(scope="module")
def model(questions):
    return TextClassifier().fit(*questions)


def test_it_learns(model, questions):
    texts, kinds = questions
    majority = max(kinds.count(kind) for kind in set(kinds)) / len(kinds)
    scores = cross_val_score(TextClassifier(calibration=0), texts, kinds, cv=3)
    assert scores.mean() > majority + 0.05
    chances = model.predict_proba(texts)
    assert chances.shape == (len(texts), 3) and np.allclose(chances.sum(axis=1), 1)
    close(model.decision_function(texts), model.kernel_.gram(texts) @ model.coefficients_ + model.intercept_)


@pytest.mark.parametrize(
    ("kernel", "items"),
    [
        (None, TEXTS),
        (Wildcard(2, 1), TEXTS),
        (Spectrum(1), [text.split() for text in TEXTS]),
        (PartialTree(), TREES),
        (0.5 * SubsetTree() + PartialTree(), Trees.from_items(TREES)),
        (Neighborhoods(), GRAPHS),
        (Spectrum(1) + SubsetTree(on="tree"), {"id": range(8), "text": TEXTS, "tree": TREES}),
        (SubsetTree(on="tree"), Representations({"text.tree": TREES})),
    ],
)
def test_items_of_every_kind(kernel, items, tmp_path):
    labels = LABELS if items is TEXTS or kernel == Spectrum(1) else KINDS
    model = TextClassifier(kernel, calibration=2).fit(items, labels)
    assert model.predict(items).tolist() == list(labels)
    table = items if isinstance(items, Representations | dict) else None
    one = Representations.from_items(table)[0] if table is not None else items[0]
    why = model.explain(one, neighbors=2)
    assert why.decision == pytest.approx(why.intercept + sum(part.contribution for part in why.parts), abs=1e-9)
    assert why.decision == pytest.approx(model.decision_function([one] if table is None else table)[0])
    assert len(why.neighbors) == 2 and why.neighbors[0].similarity == pytest.approx(1.0)
    for keep in (False, True):
        model.save(tmp_path / "m.rekern", keep_pairs=keep)
        loaded = load_model(tmp_path / "m.rekern")
        assert isinstance(loaded, TextClassifier)
        assert np.array_equal(loaded.decision_function(items), model.decision_function(items))
        assert np.array_equal(loaded.predict_proba(items), model.predict_proba(items))
        assert loaded.has_pairs() is keep
        if keep:
            assert loaded.texts_ == model.texts_ and len(loaded.texts_) == 8
            assert loaded.explain(one).to_dict() == model.explain(one).to_dict()


def test_explanations_name_words(tmp_path):
    model = TextClassifier(calibration=0).fit(TEXTS, LABELS)
    why = model.explain("really bad music", label="no")
    assert why.text == "really bad music" and why.prediction == "no"
    assert {part.name for part in why.parts} >= {"bad", "realli bad"}
    assert why.parts[0].kind == "pattern" and why.to_frame()["name"].tolist()[0] == why.parts[0].name
    found = why.to_dict(1)
    assert found["text"] == "really bad music" and "source" not in found and "text" in found["neighbors"][0]
    assert str(why).startswith("text        really bad music\nprediction  no\n")
    assert "most similar training texts:" in str(why) and len(repr(why).splitlines()) <= 15
    model.save(tmp_path / "m.rekern")
    assert load_model(tmp_path / "m.rekern").explain("bad").neighbors == []


def test_scikit_learn_knows_it():
    search = GridSearchCV(TextClassifier(calibration=0), {"kernel__left__k": [1, 2], "C": [1.0]}, cv=2)
    assert search.fit(TEXTS, LABELS).best_estimator_.predict(["a good film"]).tolist() == ["yes"]
    model = TextClassifier(PartialTree(), C=2.0)
    assert clone(model).get_params()["C"] == 2.0 and not hasattr(TextClassifier(calibration=0), "predict_proba")


def test_what_is_refused():
    for kernel in (Rewriting(), SoftPairing(Spectrum(1)), Spectrum(1) + Rewriting()):
        with pytest.raises(InputError, match="compares pairs of texts, not texts; use a kernel such as Spectrum"):
            TextClassifier(kernel).fit(TEXTS, LABELS)
    with pytest.raises(InputError, match="row 1: the text is None"):
        TextClassifier().fit(["a", None], [1, 0])
    model = TextClassifier(calibration=0).fit(TEXTS, LABELS)
    with pytest.raises(InputError, match="has no re-writing rules"):
        model.rules()
    with pytest.raises(InputError, match="a list of texts is needed"):
        model.predict("one text")


def test_pairs_are_not_taken_for_tokens():
    pairs = [("a good film", "a bad film"), ("bad fun", "good fun")]
    for given in (pairs, np.array(pairs), [list(pair) for pair in pairs]):
        with pytest.raises(InputError, match="got pairs of texts; a PairClassifier takes them"):
            TextClassifier().fit(given, [0, 1])
    model = TextClassifier(calibration=0).fit([("New York", "is"), ("is", "it")], [0, 1])  # a token may hold a blank
    alone, beside = (
        model.predict([("New York", "San Marino")]),
        model.predict([("New York", "San Marino"), ("is", "it")]),
    )
    assert alone[0] == beside[0]


def test_a_table_of_one_column():
    texts = ["a good film", "good fun", "a bad film", "bad fun"]
    labels = [1, 1, 0, 0]
    plain = TextClassifier(calibration=0).fit(texts, labels).decision_function(texts)
    for table in ({"body": texts}, {"text": texts}, {"source": texts}, np.array(texts)[:, None]):
        found = TextClassifier(calibration=0).fit(table, labels)
        assert np.array_equal(found.decision_function(table), plain)
    tree = TextClassifier(PartialTree(on="tree"), calibration=0).fit({"tree": ["(A a)", "(B b)"]}, [0, 1])
    assert tree.predict({"tree": ["(B b)"]}).tolist() == [1]
    with pytest.raises(InputError, match="no representation 'text'; the columns are body, id"):
        TextClassifier().fit({"body": texts, "id": texts}, labels)


def test_several_texts_are_not_taken_for_the_tokens_of_one():
    model = TextClassifier(calibration=0).fit(["good film", "bad film", "good music", "bad music"], [1, 0, 1, 0])
    for texts in (["good film", "bad film"], ("good film", "bad film"), np.array(["good film", "bad film"])):
        with pytest.raises(InputError, match=r"^one text is needed, got a list of 2 texts"):
            model.explain(texts)
    assert model.explain(["good", "film"]).decision == model.explain("good film").decision
