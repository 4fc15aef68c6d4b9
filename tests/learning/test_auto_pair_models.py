"""Models that choose their kernel: scikit-learn's conventions, the face of the chosen model, files."""

import json
import zipfile

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from helpers import rewritings
from rekern import AutoPairClassifier, AutoPairRanker, AutoPairRegressor, InputError, ModelFileError, load_model
from rekern.kernels.kernel import walk_kernels
from rekern.learning import PairClassifier, PairRanker, PairRegressor, auto_search
from rekern.learning.kernel_choice import ON_SAMPLE, Trial
from rekern.learning.search_tasks import OrderTask
from rekern.structures import Tokenizer

MODELS = {AutoPairClassifier: PairClassifier, AutoPairRegressor: PairRegressor, AutoPairRanker: PairRanker}
PAIRS, LABELS = rewritings(36)
GROUPS = np.arange(36) // 4
TEST, _ = rewritings(8, seed=3)


def train(kind, on_trial=None, **parameters):
    more = [GROUPS] if kind is AutoPairRanker else []
    model = kind(minutes=60, folds=2, **parameters)  # enough for a busy machine, too
    model.on_trial = on_trial
    return model.fit(PAIRS, LABELS, *more)


@pytest.fixture(scope="module")
def models():
    return {kind: train(kind) for kind in MODELS}


@pytest.mark.parametrize("kind", MODELS)
def test_untrained_models_say_so(kind):
    for name in ("predict", "decision_function", "predict_proba", "rank", "decide", "explain", "rules"):
        method = getattr(kind(), name, None)
        if method is not None:
            with pytest.raises(NotFittedError, match="not trained yet"):
                method(*([] if name == "rules" else [[("a", "b")]]))
    with pytest.raises(NotFittedError):
        kind().save("nowhere.rekern")


@pytest.mark.parametrize("kind", MODELS)
def test_it_has_the_face_of_the_chosen_model(models, kind, tmp_path):
    model = models[kind]
    chosen = model.best_estimator_
    assert type(chosen) is MODELS[kind] and chosen.kernel is model.best_kernel_
    assert np.array_equal(model.predict(TEST), chosen.predict(TEST))
    assert model.explain(TEST[0]) == chosen.explain(TEST[0])
    again = clone(model.best_estimator_).fit(PAIRS, LABELS, *([GROUPS] if kind is AutoPairRanker else []))
    assert np.array_equal(again.coefficients_, chosen.coefficients_) and again.how_chosen_ is None
    model.save(tmp_path / "m.rekern")
    loaded = load_model(tmp_path / "m.rekern")
    assert type(loaded) is MODELS[kind]
    assert np.array_equal(loaded.predict(TEST), model.predict(TEST))
    assert loaded.how_chosen_ == chosen.how_chosen_ and loaded.how_chosen_.trials == model.results_


@pytest.mark.parametrize("kind", MODELS)
def test_the_results_say_what_was_tried(models, kind):
    results = models[kind].results_
    assert all(isinstance(trial, Trial) for trial in results)
    (chosen,) = [trial for trial in results if trial.outcome == "chosen"]
    best = max(trial.score for trial in results if trial.folds == 2)
    assert chosen.folds == 2 and best - chosen.score <= 0.002
    assert models[kind].best_estimator_.C == chosen.C
    assert len({(trial.kernel, trial.C) for trial in results}) == len(results)
    choice = models[kind].best_estimator_.how_chosen_
    assert (choice.pairs, choice.folds) == (36, 2)
    measure = {AutoPairClassifier: "accuracy", AutoPairRegressor: "pearson", AutoPairRanker: "map"}
    assert choice.measure == measure[kind]


@pytest.mark.parametrize("gram_limit", [10_000, 10], ids=["gram", "features"])
def test_the_choice_does_not_depend_on_the_threads(gram_limit):
    told = []
    one = train(AutoPairClassifier, n_jobs=1, gram_limit=gram_limit, on_trial=told.append)
    many = train(AutoPairClassifier, n_jobs=3, gram_limit=gram_limit)
    assert [trial._replace(seconds=0) for trial in one.results_] == [
        trial._replace(seconds=0) for trial in many.results_
    ]
    assert len(told) == len(one.results_)
    assert np.array_equal(one.decision_function(TEST), many.decision_function(TEST))


def test_probabilities_and_decisions(models):
    model = models[AutoPairClassifier]
    assert np.array_equal(model.classes_, [0, 1, 2])
    assert np.array_equal(model.predict_proba(TEST).argmax(axis=1), model.predict(TEST))
    assert np.array_equal(model.decide(TEST).labels, model.predict(TEST))
    assert not hasattr(AutoPairClassifier(calibration=0), "predict_proba")
    assert models[AutoPairRanker].rank(TEST).shape == (8,)


@pytest.mark.parametrize("kind", MODELS)
def test_many_pairs_are_searched_on_features(kind):
    model = train(kind, gram_limit=10)
    outcomes = {
        word: [one.outcome for one in model.results_ if word in one.kernel] for word in ("products", "Gaussian")
    }
    assert set(outcomes["products"]) == {"not tried: too many pairs for a Gram"}
    assert "tried" in outcomes["Gaussian"]
    assert all("1,000 landmarks" in trial.kernel for trial in model.results_ if "Gaussian" in trial.kernel)
    fitted = model.best_estimator_
    if kind is not AutoPairRegressor:
        assert fitted.solver_.startswith("dual coordinate descent")


@pytest.mark.parametrize("kind", MODELS)
def test_of_very_many_pairs_a_sample_is_searched_first(kind, monkeypatch):
    monkeypatch.setattr(auto_search, "SAMPLE", 40)
    more = [np.arange(180) // 4] if kind is AutoPairRanker else []
    pairs, labels = rewritings(180)
    models = [kind(minutes=60, folds=2, gram_limit=10, n_jobs=n).fit(pairs, labels, *more) for n in (1, 2)]
    sampled = [trial for trial in models[0].results_ if trial.outcome.endswith(ON_SAMPLE)]
    whole = [trial for trial in models[0].results_ if not trial.outcome.endswith(ON_SAMPLE)]
    assert 0 < len(whole) <= 7 < len(sampled)
    assert all(trial.outcome == "chosen" or trial.outcome.startswith(("tried", "dropped")) for trial in whole)
    assert (whole[0].kernel, whole[0].C) in {(trial.kernel, trial.C) for trial in sampled}
    assert kind is AutoPairRanker or any(trial.kernel.startswith("both orders: ") for trial in whole)
    one, other = ([trial._replace(seconds=0) for trial in model.results_] for model in models)
    assert one == other


def test_without_a_group_that_fits_all_pairs_are_searched(monkeypatch):
    monkeypatch.setattr(auto_search, "SAMPLE", 4)
    groups = np.arange(36) // 18
    model = AutoPairRanker(minutes=60, folds=2, gram_limit=10).fit(PAIRS, np.arange(36) % 2, groups)
    assert not any(trial.outcome.endswith(ON_SAMPLE) for trial in model.results_)


def test_a_gram_of_differences_is_limited_by_their_number():
    labels = np.arange(36) % 9  # 4 groups of 9 candidates, 36 differences in each
    groups = np.repeat(np.arange(4), 9)
    task = OrderTask(labels.astype(float), groups, np.ones(36))
    assert task.size == 4 * 36
    model = AutoPairRanker(minutes=60, folds=2, gram_limit=100).fit(PAIRS, labels, groups)
    assert any("1,000 landmarks" in trial.kernel for trial in model.results_)


def test_f1_moves_the_threshold_too():
    model = AutoPairClassifier(minutes=60, folds=2, metric="f1").fit(PAIRS, LABELS == 2)
    assert model.best_estimator_.threshold == "f1" and model.best_estimator_.how_chosen_.measure == "f1"


def test_too_few_pairs_get_the_default_kernel():
    model = AutoPairClassifier().fit([("a b", "b a"), ("c", "d")], [1, 0])
    assert [trial.outcome for trial in model.results_] == ["chosen without folds: too few pairs"]


def test_the_tokenizer_is_that_of_all_parts():
    tokenizer = Tokenizer("german", lowercase=False)
    kernel = train(AutoPairClassifier, tokenizer=tokenizer).best_kernel_
    leaves = [part for part in walk_kernels(kernel) if not part.list_children()]
    assert {leaf.tokenizer.language for leaf in leaves} == {"german"}


def test_trees_of_a_table_are_used():
    words = ["dog", "cat", "cow", "hen"] * 4
    trees = [f"(S (NP {word}) (VP sleeps))" for word in words]
    table = {"source": [f"{word} sleeps {n}" for n, word in enumerate(words)], "target": [f"it {n}" for n in range(16)]}
    table |= {"source.tree": trees, "target.tree": trees[::-1]}
    model = AutoPairClassifier(minutes=60, folds=2).fit(table, [0, 1] * 8)
    assert any("trees (tree, sums)" in trial.kernel and trial.score is not None for trial in model.results_)
    table["source.tree"] = ["(S)", "broken)", *trees[2:]]
    table["source.tree"][1] = "(S (NP"
    again = AutoPairClassifier(minutes=60, folds=2).fit(table, [0, 1] * 8)
    assert any(trial.outcome.startswith("not tried: ") and "row 1" in trial.outcome for trial in again.results_)


def test_what_cannot_be_searched():
    for wrong in ({"minutes": 0}, {"folds": 1}, {"metric": "recall"}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))}="):
            AutoPairClassifier(**wrong).fit(PAIRS, LABELS)
    with pytest.raises(InputError, match="one class"):
        AutoPairClassifier().fit(PAIRS, [1] * 36)
    with pytest.raises(InputError, match="two classes, not 3"):
        AutoPairClassifier(metric="f1").fit(PAIRS, LABELS)
    with pytest.raises(InputError, match="needs numbers"):
        AutoPairRegressor().fit(PAIRS, ["a"] * 36)


@pytest.mark.parametrize(
    "change",
    [
        lambda choice: choice.update(measure="luck"),
        lambda choice: choice.update(trials="none"),
        lambda choice: choice.update(pairs=-1),
        lambda choice: choice["trials"].append(7),
        lambda choice: choice["trials"][0].pop("C"),
        lambda choice: choice["trials"][0].update(score="high"),
        lambda choice: choice["trials"][0].update(kernel="\x1b[2J"),
        lambda choice: choice["trials"][0].update(folds=True),
    ],
)
def test_a_file_with_a_damaged_choice_is_refused(models, tmp_path, change):
    models[AutoPairRegressor].save(tmp_path / "m.rekern")
    with zipfile.ZipFile(tmp_path / "m.rekern") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members["model.json"])
    change(header["how_chosen"])
    with zipfile.ZipFile(tmp_path / "bad.rekern", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, json.dumps(header) if name == "model.json" else content)
    with pytest.raises(ModelFileError):
        load_model(tmp_path / "bad.rekern")
