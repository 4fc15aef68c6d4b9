"""Reports: their figures are those of the measures, their pages hold what they promise, within their size."""

import json
import re

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from rekern import InputError, PairClassifier, PairRanker, PairRegressor, TextClassifier
from rekern.datasets import load_rewrites, read_table
from rekern.drawing.decision_steps import list_steps
from rekern.drawing.figures import choose_figure
from rekern.learning import Report, make_report, report_training
from rekern.learning.kernel_choice import KernelChoice, Trial
from rekern.learning.measures import class_measures, correlations, ranking_measures
from rekern.learning.reports.held_out import choose_rows, choose_sizes, get_learned_pairs, make_report_folds
from rekern.learning.reports.intervals import find_share_interval
from rekern.learning.reports.roc_and_calibration import find_quality_curves
from rekern.learning.reports.slices import slice_values


@pytest.fixture(scope="module")
def model() -> PairClassifier:
    pairs, labels = load_rewrites("train")
    return PairClassifier("paper").fit(pairs[:240], labels[:240])


@pytest.fixture(scope="module")
def tested() -> tuple[list[tuple[str, str]], list[int]]:
    pairs, labels = load_rewrites("test")
    return pairs[:120], labels[:120]


@pytest.fixture(scope="module")
def report(model: PairClassifier, tested) -> Report:
    return make_report(model, *tested, names={"model": "<m>.rekern", "data": "test & more.tsv"}, n_mistakes=4)


def test_the_figures_are_those_of_the_measures(report: Report, model: PairClassifier, tested) -> None:
    pairs, labels = tested
    expected = class_measures(model.predict(pairs).tolist(), labels, [0, 1])
    found = report.figures["measures"]
    assert {name: found[name] for name in expected} == expected
    assert found["auc"] == roc_auc_score(labels, model.predict_proba(pairs)[:, 1])
    right = round(expected["accuracy"] * len(labels))
    interval = report.figures["intervals"]["accuracy"]
    assert (interval["low"], interval["high"]) == find_share_interval(right, len(labels))
    assert "Wilson" in interval["method"] and "samples" in report.figures["intervals"]["auc"]["method"]
    assert interval["level"] == 0.95
    for name in ("macro_f1", "auc", "average_precision"):
        interval = report.figures["intervals"][name]
        assert interval["low"] <= found[name] <= interval["high"]


def test_the_mistakes_are_mistakes_and_are_explained(report: Report, model: PairClassifier, tested) -> None:
    pairs, labels = tested
    assert len(report.mistakes) == len(report.explanations) == 4 <= report.figures["n_mistakes"]
    for row, why in zip(report.mistakes, report.explanations):
        assert row["label"] != row["prediction"] == why.prediction
        assert (why.source, why.target) == pairs[row["row"] - 1] and row["label"] == labels[row["row"] - 1]
    sizes = [row["error"] for row in report.rows]
    assert sizes == sorted(sizes, reverse=True) and len(report.rows) == len(pairs)
    assert sum(size > 0 for size in sizes) == report.figures["n_mistakes"]


def test_slices_cover_all_pairs(report: Report, tested) -> None:
    rows = report.figures["slices"]["rows"]
    accuracy = report.figures["measures"]["accuracy"]
    for by in {row["by"] for row in rows}:
        parts = [row for row in rows if row["by"] == by]
        assert sum(row["pairs"] for row in parts) == len(tested[0])
        assert sum(row["pairs"] * row["value"] for row in parts) == pytest.approx(accuracy * len(tested[0]))


def test_the_page(report: Report) -> None:
    page = report.to_html()
    assert page.startswith("<!DOCTYPE html>") and "&lt;m&gt;.rekern" in page and "test &amp; more.tsv" in page
    assert page.count("<details") == 4 and page.count("<script>") == 1
    rows = page.split('id="rows"')[1].split("</table>")[0]
    assert rows.count("<tr>") == 121
    assert not re.search(r"https?:|src=|<link|@import|url\(", page)
    figures = json.loads(json.dumps(report.to_dict()))
    assert figures["pairs"] == 120 and "explanation" not in figures
    assert "rk-section" in report._repr_html_() and "<script" not in report._repr_html_()


def test_how_the_kernel_was_chosen(model: PairClassifier, tested) -> None:
    trial = Trial("rules <1-4>", 1.0, 0.75, 0.01, 5, 2.0, "chosen")
    model.how_chosen_ = KernelChoice("accuracy", 240, 5, [trial, trial._replace(score=None, error=None)])
    try:
        page = make_report(model, *tested, n_mistakes=0).to_html()
    finally:
        model.how_chosen_ = None
    assert "How the kernel was chosen" in page and "rules &lt;1-4&gt;" in page and "The worst mistakes" not in page


def test_hostile_texts_stay_text(model: PairClassifier) -> None:
    pairs = [("<script>alert(1)</script>", "</td><img src=x>"), ("\x00\u202e", "x")]
    page = make_report(model, pairs, [1, 0], names={"model": "</title><script>"}).to_html()
    assert page.count("<script") == 1 and "<img" not in page
    assert not re.search("[\x00-\x08\u202a-\u202e]", page)


def test_two_thousand_pairs_fit_into_three_megabytes(model: PairClassifier) -> None:
    """With texts as long as those of news."""
    pairs, labels = load_rewrites("train")
    long = [(f"{one} {other} {one} {other}", f"{other} {one} {other} {one}") for one, other in pairs]
    many = (long * 2)[:2000], (labels * 2)[:2000]
    assert len(make_report(model, *many).to_html().encode()) <= 3_000_000


def test_cross_validated(model: PairClassifier) -> None:
    report = report_training(model, folds=3, n_mistakes=2, learning_curve=True)
    assert report.figures["pairs"] == 240 and "3 folds" in report.figures["how"]
    assert report.figures["measures"]["accuracy"] < 1.0  # that of the training pairs themselves
    learned = get_learned_pairs(model)
    for train, test in make_report_folds(model, learned, 3):
        texts = [{text for row in rows for text in learned.texts[row]} for rows in (train, test)]
        assert not texts[0] & texts[1]
    sizes, scores = zip(*report.figures["curves"]["learning"]["points"])
    assert list(sizes) == sorted(sizes) and all(0 <= score <= 1 for score in scores)
    assert "Learning curve" in report.to_html()
    for row, why in zip(report.mistakes, report.explanations):  # by the model that made the mistake
        assert row["label"] != row["prediction"] == why.prediction
        assert not any((near.source, near.target) == (why.source, why.target) for near in why.neighbors)


def test_a_model_without_training_pairs_says_how(model: PairClassifier, tmp_path) -> None:
    from rekern import load_model

    model.save(tmp_path / "m.rekern")
    loaded = load_model(tmp_path / "m.rekern")
    with pytest.raises(InputError, match="no training pairs to cross-validate on: save the model with keep_pairs=True"):
        report_training(loaded)
    with pytest.raises(InputError, match=r"for a learning curve: .*keep_pairs.*, or leave the learning curve out"):
        make_report(loaded, [("a", "b")], [1], learning_curve=True)
    with pytest.raises(InputError, match="1 pairs but 2 labels"):
        make_report(loaded, [("a", "b")], [1, 0])
    with pytest.raises(InputError, match="no pairs"):
        make_report(loaded, [], [])


def test_numbers() -> None:
    pairs, labels = load_rewrites("train")
    numbers = [label + 0.1 * (place % 3) for place, label in enumerate(labels[:90])]
    regressor = PairRegressor("paper").fit(pairs[:60], numbers[:60])
    report = make_report(regressor, pairs[60:90], numbers[60:])
    assert report.figures["measures"] == correlations(regressor.predict(pairs[60:90]), numbers[60:])
    assert set(report.figures["intervals"]) == {"pearson", "spearman", "mse"}
    assert len(report.figures["curves"]["predictions"]) == 30
    page = report.to_html()
    assert "Pearson" in page and "mean error" in page and "raises" in page
    assert report_training(regressor, folds=3).figures["pairs"] == 60


def test_orders() -> None:
    pairs, labels = load_rewrites("train")
    pairs, labels, groups = pairs[:80], labels[:80], [place // 4 for place in range(80)]
    ranker = PairRanker("paper").fit(pairs, labels, groups)
    report = make_report(ranker, pairs, labels, groups)
    assert report.figures["measures"] == ranking_measures(ranker.predict(pairs), labels, groups)
    assert set(report.figures["intervals"]) == {"map", "mrr"}
    assert {row["by"] for row in report.figures["slices"]["rows"]} == {"words", "candidates"}
    assert "mean average precision" in report.to_html()


def test_several_classes_and_single_texts() -> None:
    texts = ["good film", "bad film", "dull film", "good music", "bad music", "dull music"] * 3
    labels = ["good", "bad", "dull"] * 6
    classifier = TextClassifier(calibration=2).fit(texts, labels)
    report = make_report(classifier, texts, labels)
    assert report.figures["measures"]["accuracy"] == 1.0 and report.explanations == []
    assert {row["by"] for row in report.figures["slices"]["rows"]} == {"words"}
    assert report.figures["curves"] == {} and "<th>text</th>" in report.to_html()
    assert make_report(classifier, ["bad film"], ["good"]).explanations[0].text == "bad film"


def test_curves_of_one_class_or_without_probabilities() -> None:
    assert find_quality_curves(np.array([0.5, 0.6]), np.array([True, True])) is None
    assert find_quality_curves(np.array([-3.0, 2.0]), np.array([False, True]))["calibration"] == []


def test_learning_curves_have_all_classes_and_nested_parts(model: PairClassifier) -> None:
    learned, rows = get_learned_pairs(model), np.arange(240)
    before: set[int] = set()
    for size in choose_sizes(240):
        chosen = choose_rows(model, learned, rows, size)
        assert len(set(chosen.tolist())) == size and before <= set(chosen.tolist())
        assert len(np.unique(learned.labels[chosen])) == 2
        before = set(chosen.tolist())


def test_slices_of_equal_values_are_one() -> None:
    (only,) = slice_values({"words": np.full(5, 3.0)}, np.array([1.0, 0.0, 1.0, 1.0, 1.0]), are_shares=True)
    assert only.name == "3" and only.value == 0.8


def test_news_of_msrp(corpora) -> None:
    """Real sentences: the parts of every mistake add up, its rules are on its words, and the page is small."""
    train, test = (read_table(corpora / "msrp" / f"{part}.tsv", "s1", "s2", "quality") for part in ("train", "test"))
    model = PairClassifier("paper").fit(train.pairs[:500], train.labels[:500])
    report = make_report(model, test.pairs[:300], test.labels[:300], n_mistakes=10)
    for why in report.explanations:
        *steps, total = list_steps(why.to_dict())
        assert sum(step.height for step in steps) == pytest.approx(total.height, abs=1e-9)
        rules = [part for part in choose_figure(why.to_dict()).parts if part.kind == "rule"]
        assert [part.number for part in rules[:6]] == [1, 2, 3, 4, 5, 6]  # all are found in the texts
    assert len(report.to_html().encode()) < 1_000_000
