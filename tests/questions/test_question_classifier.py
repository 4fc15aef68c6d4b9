"""The classifier: every method, explanations, files, and whatever may come as a question."""

import json
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import rekern
from experiments.pair_corpora import mcnemar
from rekern.errors import InputError, ModelFileError
from rekern.questions import PatternSettings, QuestionClassifier, embedded_model, load_questions
from rekern.questions.pattern_collection import PATTERN_METHODS as METHODS
from rekern.questions.question_archive import load_question_model
from rekern.questions.six_type_model import load_embedded_model
from rekern.questions.taggers import load_jieba_tagger
from train_six_types import train_embedded_model

LONG = "word " * 5000
ODD = ["", "?", "why", "😀", LONG, "Почему небо синее", "why 天空是蓝色 λ 空", "\0\t\n", "a" * 3000, "怎"]


@pytest.fixture(scope="module")
def some():
    """A tenth of the training questions, all types and both languages among them."""
    questions, kinds = load_questions("train")
    return questions[::9], kinds[::9]


@pytest.fixture(scope="module")
def models(some):
    return {method: QuestionClassifier(method).fit(*some) for method in METHODS}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_and_answers_anything(models, some, method):
    model = models[method]
    questions, kinds = some
    assert np.mean(model.predict(questions) == np.array(kinds)) > 0.6
    chances = model.predict_proba(ODD)
    assert chances.shape == (len(ODD), 6) and np.isfinite(chances).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert (model.classes_[chances.argmax(axis=1)] == model.predict(ODD)).all()
    assert model.predict([]).shape == (0,) and model.predict_proba([]).shape == (0, 6)


@pytest.mark.parametrize("method", METHODS)
def test_saved_models_answer_the_same(models, some, method, tmp_path):
    path = tmp_path / "model.rekern"
    models[method].save(path)
    loaded = rekern.load_model(path)
    assert isinstance(loaded, QuestionClassifier) and loaded.method == method
    asked = [*some[0][:20], *ODD[:4]]
    for found in (loaded, load_question_model(path)):
        np.testing.assert_allclose(found.predict_proba(asked), models[method].predict_proba(asked))
    assert str(loaded.explain(some[0][0])) == str(models[method].explain(some[0][0]))


def test_own_expressions_are_saved(tmp_path, some):
    settings = PatternSettings(top=0)
    model = QuestionClassifier(patterns=settings, expressions=[".*(website|网站).*"], penalty=0.1).fit(*some)
    matched = model.explain("is there a website for it").patterns
    assert any(pattern.kind == "expression" and "Navigation" in pattern.weights for pattern in matched)
    model.save(tmp_path / "m.rekern")
    loaded = rekern.load_model(tmp_path / "m.rekern")
    assert loaded.explain("a website").patterns == model.explain("a website").patterns
    assert loaded.patterns == settings


@pytest.mark.parametrize("method", METHODS)
def test_an_explanation_adds_up(models, some, method):
    model = models[method]
    for question in some[0][:20]:
        found = model.explain(question)
        scores = dict.fromkeys(model.classes_.tolist(), 0.0) | found.prior
        for matched in found.patterns:
            assert 0 < matched.value <= 1
            for kind, weight in matched.weights.items():
                scores[kind] += matched.value * weight
        np.testing.assert_allclose(list(scores.values()), model.scores([question])[0])
        assert found.type == model.predict([question])[0]
        assert sum(found.probabilities.values()) == pytest.approx(1.0)
        assert found.decision == pytest.approx(scores[found.type])
        parts = found.intercept + sum(part.contribution for part in found.parts)
        assert found.decision == pytest.approx(parts) and found.complete
        json.dumps(found.to_dict())
        short = model.explain(question, 1)
        assert len(short.patterns) <= 1 and short.decision == pytest.approx(found.decision)
        assert len(repr(found).splitlines()) <= 15
        assert found.to_frame()["contribution"].sum() == pytest.approx(found.decision)


def test_no_formula_of_weight_zero_is_kept(models):
    for method in METHODS:
        model = models[method]
        assert model.weights_.any(axis=1).all()
        assert model.formulas_ == np.count_nonzero(model.weights_) + np.count_nonzero(model.prior_)


@pytest.mark.parametrize("worlds", ["all", "one"])
@pytest.mark.parametrize("prior", [True, False])
def test_worlds_and_prior(some, worlds, prior):
    model = QuestionClassifier(worlds=worlds, prior=prior).fit(*some)
    unmatched = model.predict_proba(["😀"])[0]
    assert prior or (unmatched == unmatched[0]).all()  # without a prior an unmatched question is a tie


def test_any_labels_and_a_type_with_a_single_example():
    asked = ["why is it", "why not", "how to go", "how to swim", "define love"]
    model = QuestionClassifier(penalty=0.1).fit(asked, [3, 3, 7, 7, 9])
    assert model.classes_.tolist() == [3, 7, 9]
    assert model.predict(["why so"]).tolist() == [3]
    assert np.isfinite(model.predict_proba(ODD)).all()


def test_it_is_an_estimator(some):
    model = QuestionClassifier(penalty=0.5)
    assert clone(model).get_params() == model.get_params()
    assert clone(model).fit(*some).score(*some) > 0.6
    search = GridSearchCV(QuestionClassifier("mb"), {"penalty": [0.5, 1e6]}, cv=2, error_score="raise").fit(*some)
    assert search.best_params_ == {"penalty": 0.5}


def test_settings_of_patterns_are_searched(some):
    model = QuestionClassifier("mb")
    assert model.get_params()["patterns__top"] == 3000 and "patterns__top" not in model.get_params(deep=False)
    assert clone(model).set_params(patterns__min_count=4).patterns == PatternSettings(min_count=4)
    assert model.patterns == PatternSettings()
    with pytest.raises(InputError, match="patterns has no setting tpo: choose among"):
        model.set_params(patterns__tpo=4)
    grid = {"patterns__min_count": [2, 1000]}
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(*some)
    assert search.best_params_ == {"patterns__min_count": 2}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "knn"}, "method='knn': give one of mss"),
        ({"worlds": "none"}, "worlds='none'"),
        ({"patterns": PatternSettings(longest=0)}, "longest=0: give a whole number of at least 1"),
        ({"patterns": PatternSettings(shortest=3, longest=2)}, "shortest=3 exceeds longest=2"),
        ({"patterns": {"top": 5}}, "patterns=.*: give PatternSettings"),
        ({"penalty": -1.0}, "penalty=-1.0: give a number from 0"),
        ({"share": 2.0}, "share=2.0: give a number from 0 to 1"),
        ({"patterns": PatternSettings(orders=())}, "orders="),
        ({"patterns": PatternSettings(near=2.0)}, "near=2.0: give a number from 0 to 1"),
        ({"tagger": "brill"}, "tagger='brill'"),
        ({"expressions": ["a("]}, "expression 1, position 2"),
        ({"expressions": [1]}, "expression 1 is 1: give a str"),
        ({"expressions": 5}, "expressions=5: give a list"),
        ({"patterns": PatternSettings(orders=5)}, "orders=5: give lengths"),
        ({"tagger": str.split}, "a tagger returns a list of pairs"),
        ({"tagger": lambda text: None}, "a tagger returns a list of pairs"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(InputError, match=message):
        QuestionClassifier(**parameters).fit(["why is it", "how to go"] * 3, ["R", "S"] * 3)


@pytest.mark.parametrize(
    ("questions", "kinds", "message"),
    [
        ([], [], "there are no questions"),
        (["a"], ["R", "S"], "there are 1 questions but 2 types"),
        (["a", "b"], ["R", "R"], "all types are R"),
        (["a", None], ["R", "S"], "row 1: the question is None"),
        (["a", "b"], ["R", None], "row 1: the type is missing"),
        ("why", ["R"], "a list of questions is needed"),
        (None, ["R"], "a list of questions is needed, got None"),
        (["a", "b"], None, "types are needed"),
        (["a", "b"], "RS", "but 0 types"),
        (["a", "b"], [["R"], ["S"]], "types are needed"),
        (["a", "b"], ["R", 1], "all text or all numbers"),
        (["a", "b"], np.array([1, 2**63], np.uint64), "row 1: the type 9223372036854775808 is too large"),
        (["a", "b"], ["R\nS", "R\nS"], "all types are R S;"),
    ],
)
def test_bad_training_data(questions, kinds, message):
    with pytest.raises(InputError, match=message):
        QuestionClassifier().fit(questions, kinds)


def test_questions_without_any_word_can_be_trained_on():
    model = QuestionClassifier().fit(["", "😀", "?", "!"], ["A", "A", "A", "B"])
    assert model.predict(["", "why"]).tolist() == ["A", "A"]


def test_one_by_one_in_bulk_and_in_threads_the_answers_are_the_same(models, some):
    for method in METHODS:
        together = models[method].predict_proba(some[0])
        assert (np.vstack([models[method].predict_proba([question]) for question in some[0]]) == together).all()
        with ThreadPoolExecutor(4) as pool:
            assert all((found == together).all() for found in pool.map(models[method].predict_proba, [some[0]] * 8))


def test_the_embedded_model_is_what_the_questions_teach():
    """If it is not: python tools/train_six_types.py"""
    learned, embedded = train_embedded_model(), embedded_model()
    asked, _ = load_questions("train")
    assert learned.get_params() | {"expressions": None} == embedded.get_params()
    assert abs(learned.formulas_ - embedded.formulas_) <= 0.05 * learned.formulas_  # the last digits vary by machine
    np.testing.assert_allclose(learned.predict_proba(asked), embedded.predict_proba(asked), atol=0.02)
    (model, short) = load_embedded_model(), asked[::50]
    assert (model.predict_proba(short) == embedded.predict_proba(short)).all()
    assert (model.predict(short) == embedded.predict(short)).all()
    assert model.explain(short[0]) == embedded.explain(short[0])


def test_small_collections_are_told_by_their_interrogatives():
    model = QuestionClassifier().fit(["why is it", "how to go"] * 6, ["R", "S"] * 6)
    assert model.predict(["why", "how"]).tolist() == ["R", "S"]


def test_a_fit_that_fails_leaves_no_half_of_a_model(some):
    model = QuestionClassifier(expressions=["a("])
    with pytest.raises(InputError):
        model.fit(*some)
    with pytest.raises(ValueError, match="not trained yet"):
        model.predict(["why"])
    model = QuestionClassifier("mb").fit(*some)
    with pytest.raises(ValueError, match="trained with method='mb': call fit again"):
        model.set_params(method="msb").predict(["why"])


def test_what_cannot_be_explained_or_saved(models, some, tmp_path):
    with pytest.raises(InputError, match="number=-1"):
        models["mss"].explain("why", -1)
    with pytest.raises(ValueError, match="not trained yet"):
        QuestionClassifier().predict(["why"])
    own = QuestionClassifier(tagger=lambda text: [(word, True) for word in text.split()]).fit(*some)
    with pytest.raises(InputError, match="tagger of your own cannot be saved"):
        own.save(tmp_path / "m.rekern")


def unpacked(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_damaged_model_files(models, tmp_path):
    path = tmp_path / "m.rekern"
    models["mss"].save(path)
    members = unpacked(path)
    header = json.loads(members["model.json"])
    endless = {"kind": "n-gram", "terms": [], "orders": [-(10**9)], "stems": False, "of": "words"}
    changes = [
        {"model.json": b"{}"},
        {"model.json": json.dumps(header | {"classes": ["a"]}).encode()},
        {"model.json": json.dumps(header | {"parts": header["parts"][:1]}).encode()},
        {"model.json": json.dumps(header | {"version": 99}).encode()},
        {"weights.npy": members["weights.npy"][:-8]},
        {"weights.npy": members["prior.npy"]},
        {"prior.npy": members["prior.npy"][:-8] + np.array([1e300]).tobytes()},  # finite, but no sum of such is
        {"model.json": json.dumps(header | {"parts": [*header["parts"], endless]}).encode()},
    ]
    for change in changes:
        pack(path, members | change)
        for reader in (load_question_model, rekern.load_model):
            with pytest.raises(ModelFileError, match=r"m\.rekern: "):
                reader(path)
    path.write_bytes(b"no zip")
    with pytest.raises(ModelFileError, match="not a model file"):
        load_question_model(path)
    pack(path, members | {"zeros": bytes((1 << 26) + 1)})
    for reader in (load_question_model, rekern.load_model):
        with pytest.raises(ModelFileError, match="would unpack to"):
            reader(path)


def test_a_model_whose_tagger_is_not_installed(models, tmp_path, monkeypatch):
    path = tmp_path / "m.rekern"
    models["mss"].save(path)
    members = unpacked(path)
    header = json.loads(members["model.json"])
    header["parameters"]["tagger"] = "jieba"
    pack(path, members | {"model.json": json.dumps(header).encode()})
    monkeypatch.setitem(sys.modules, "jieba", None)
    load_jieba_tagger.cache_clear()
    for reader in (load_question_model, rekern.load_model):
        with pytest.raises(
            ModelFileError, match=r"m\.rekern: it needs the tagger 'jieba': give it to load_model\(path, tag"
        ):
            reader(path)
        with pytest.raises(ModelFileError, match=r'm\.rekern: jieba is not installed: pip install "rekern\[chinese\]"'):
            reader(path, tagger="jieba")


def test_measures():
    assert mcnemar([1, 1], [1, 1], [1, 1]) == 1.0
    assert mcnemar([1] * 10, [1] * 10, [0] * 10) == pytest.approx(2 / 2**10)
