"""Learning curves: folds that are kept, pooled measures, tables and figures."""

import json

import pytest

from experiments import parser_learning_curves as curves
from experiments import runs
from experiments.learning_curve_report import draw_curves
from experiments.parser_learning_curves import (
    ParsingCorpus,
    Prediction,
    compute_curve,
    find_best_point,
    measure_learning_curves,
    measure_predictions,
)
from rekern.errors import InputError


@pytest.fixture
def small(grammar, questions):
    sentences, meanings = questions
    numbers = range(len(sentences))
    trees = {n: "(S " + " ".join(f"(X {word})" for word in sentences[n].split()) + ")" for n in numbers}
    productions = {n: [str(p) for p in grammar.parse(meanings[n]).productions()] for n in numbers}
    folds = {
        f"fold-{f}": {
            "test": [n for n in numbers if n % 3 == f],
            "train-N5": [n for n in numbers if n % 3 != f][:5],
            "train-N10": [n for n in numbers if n % 3 != f],
        }
        for f in range(3)
    }
    return ParsingCorpus(
        "small",
        grammar,
        dict(enumerate(sentences)),
        dict(enumerate(meanings)),
        trees,
        productions,
        {"run-0": folds},
        lambda number, meaning: meaning.count("(") == meanings[number].count("("),
    )


def test_finished_folds_are_kept(small, tmp_path, monkeypatch):
    def run(kernels=("word",), settings=None):
        chosen = settings or {"rounds": 1}
        return measure_learning_curves(small, kernels, [5, 10], 1, 3, chosen, {("word", 10): 50.0}, tmp_path, 1)

    first = run(("word", "syntactic"))
    assert [(row["kernel"], row["train"]) for row in first["rows"]] == [
        ("word", 5), ("word", 10), ("syntactic", 5), ("syntactic", 10)
    ]  # fmt: skip
    assert first["rows"][1]["published"] == 50.0
    assert len(list(tmp_path.glob("*.json"))) == 12
    assert {test["train"] for test in first["tests"]} == {5, 10}

    trained = []
    original = curves.train_and_parse
    monkeypatch.setattr(curves, "train_and_parse", lambda *a, **k: trained.append(a) or original(*a, **k))
    sorted(tmp_path.glob("small-word-5-*"))[0].unlink()  # as if the run had been stopped
    assert run(("word", "syntactic"))["rows"] == first["rows"]
    assert len(trained) == 1
    run(("word",), {"rounds": 0})  # other settings are another experiment
    assert len(trained) == 7


def test_tables_and_figures(small, tmp_path):
    settings = {"rounds": 1}
    result = measure_learning_curves(small, ["word"], [10], 1, 2, settings, {}, tmp_path / "work", 1)
    result |= {"name": "geoquery", "seconds": 1.0}
    text = runs.render(result)
    assert "f_exact" in text and "runs 1, folds 2" in text
    assert result["questions"] == sum(len(small.splits["run-0"][fold]["test"]) for fold in ("fold-0", "fold-1"))
    assert json.loads(json.dumps(result))["rows"][0]["kernel"] == "word"
    for path in draw_curves(result, tmp_path):
        assert path.read_bytes().startswith(b"\x89PNG")


def test_a_kernel_is_chosen_by_the_training_part(small, tmp_path, monkeypatch):
    seen = []

    def judged(corpus, kernel, train, test, settings, n_jobs=None):
        seen.append((kernel, list(train), list(test)))
        return [Prediction(n, corpus.meanings[n] if kernel == "word+syntactic" else None, -1.0) for n in test]

    monkeypatch.setattr(curves, "train_and_parse", judged)
    result = measure_learning_curves(small, [curves.CHOSEN], [10], 1, 1, {}, {}, tmp_path, 1)
    assert result["choices"] == [{"train": 10, "run": 0, "fold": 0, "kernel": "word+syntactic"}]
    assert (result["rows"][0]["kernel"], result["rows"][0]["f"]) == ("chosen", 100.0)
    fold = small.splits["run-0"]["fold-0"]
    assert [(kernel, train, test) for kernel, train, test in seen if set(test) & set(fold["test"])] == [
        ("word+syntactic", fold["train-N10"], fold["test"])
    ]
    assert all(not set(train) & set(test) for _, train, test in seen)
    again = measure_learning_curves(small, [curves.CHOSEN], [10], 1, 1, {}, {}, tmp_path, 1)
    assert again["choices"] == result["choices"]
    text = runs.render(result | {"name": "geoquery", "seconds": 1.0})
    assert "choices" in text and "word+syntactic" in text


def test_measures_by_hand(small):
    gold = small.meanings
    rows = [(0, gold[0], -0.1), (1, "wrong", -0.2), (2, gold[2], -0.3), (3, None, 0.0)]
    predicted = [Prediction(*row) for row in rows]
    assert compute_curve(small, predicted, exact=True) == [(100.0, 25.0), (50.0, 25.0), (66.67, 50.0)]
    found = measure_predictions(small, predicted)
    assert found["f_exact"] == pytest.approx(57.15, abs=0.01)
    ties = [Prediction(0, "wrong", -0.1), Prediction(1, gold[1], -0.1)]
    assert compute_curve(small, ties, exact=True) == [(50.0, 50.0)]
    assert find_best_point([]) == (0.0, 0.0, 0.0)


def test_options_are_checked(corpora):
    for options, message in [
        ({"kernel": "wrod"}, "there is no kernel 'wrod'"),
        ({"train": "41"}, "--train 41: choose among 10, 20, 40"),
        ({"runs": 11}, "--runs 11: the data has 10"),
        ({"folds": 0}, "--folds 0: the data has 10"),
    ]:
        with pytest.raises(InputError, match=message):
            runs.run("geoquery", data=corpora, **options)
    with pytest.raises(InputError, match="has no learning curve"):
        runs.run("msrp", data=corpora, kernel="word")
    with pytest.raises(InputError, match=r"geo880\.jsonl is missing"):
        runs.run("geoquery", data=corpora / "geoquery")


def test_the_default_kernel_is_the_sum_with_trees(small, tmp_path):
    names = ["default", "dependency+word+syntactic", "word"]
    result = measure_learning_curves(small, names, [10], 1, 3, {"rounds": 1}, {}, tmp_path, 1)
    assert [row["kernel"] for row in result["rows"]] == names
    default, whole = ({**row, "kernel": ""} for row in result["rows"][:2])
    assert default == whole
    points = {curve["kernel"]: curve["points"] for curve in result["curves"]}
    assert points["default"] == points[names[1]] != points["word"]


@pytest.mark.slow
def test_a_fold_of_geoquery(corpora, tmp_path):
    result = runs.run("geoquery", data=corpora, out=tmp_path, kernel="word", train=80, folds=1)
    row = result["rows"][0]
    assert (row["kernel"], row["train"], row["published"]) == ("word", 80, 42.77)
    assert row["f"] > 25
    assert row["f"] >= row["f_exact"]


def test_a_ranked_parser_is_measured_by_its_confidences(small, tmp_path):
    result = measure_learning_curves(small, [curves.RANKED], [10], 1, 1, {"rounds": 1}, {}, tmp_path, 1)
    assert result["rows"][0]["kernel"] == "ranked"
    (file,) = tmp_path.glob("*.json")
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert kept["kernel"] == "dependency+word+syntactic"
    assert all(0 <= score <= 1 for _, _, score in kept["predicted"])
