"""``rekern train --auto``, ``explain --how-chosen``, thresholds, and the mistakes that ``evaluate`` writes."""

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from cli.running import error_of, invoke, json_of
from rekern import load_model
from rekern.cli.trial_table import make_trial_table, show_trials
from rekern.datasets import read_table
from rekern.datasets.tables import read_columns
from rekern.learning.kernel_choice import NO_TIME, Trial


@pytest.fixture(scope="module")
def chosen(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A model that was chosen on 90 pairs, and what the command printed."""
    path = tmp_path_factory.mktemp("auto") / "m.rekern"
    lines = invoke("train", tables / "three.tsv", "--auto", "--minutes", 60, "-o", path, "--jobs", 1).stdout
    return path, lines.splitlines()


def test_it_says_what_was_tried_and_chosen(chosen: tuple[Path, list[str]]) -> None:
    path, lines = chosen
    tried = [line for line in lines if line.startswith(("tried ", "dropped "))]
    assert lines[0].startswith("read ") and tried[0].startswith("tried     rules 1-4, C 1: ")
    (choice,) = [line for line in lines if line.startswith("chosen ")]
    kernel = choice.removeprefix("chosen    ").split(", C ")[0]
    assert any(line.removeprefix("tried     ").startswith(kernel) for line in tried)
    assert lines[-1].startswith(f"model     {path}")


def test_the_model_keeps_how_it_was_chosen(chosen: tuple[Path, list[str]]) -> None:
    path, lines = chosen
    report = json_of("explain", path, "--how-chosen")
    assert report["measure"] == "accuracy" and report["pairs"] == 90 and report["folds"] == 5
    trials = report["trials"]
    assert set(trials[0]) == {"kernel", "C", "score", "error", "folds", "seconds", "outcome"}
    assert len(trials) == sum(line.startswith(("tried ", "dropped ", "skipped ")) for line in lines)
    assert report == json.loads(json.dumps(load_model(path).how_chosen_.to_dict()))
    shown = invoke("explain", path, "--how-chosen").stdout
    assert shown.startswith("The kernel was chosen by accuracy in 5 folds of 90 pairs.") and "chosen" in shown
    choice = load_model(path).how_chosen_
    assert make_trial_table(choice.trials, choice.measure).row_count == len(trials)


def test_trials_that_the_time_is_too_short_for_share_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    late, later = NO_TIME + ", on 6,000 of the pairs", NO_TIME
    outcomes = ["tried, on 6,000 of the pairs", late, late, "not tried: too many pairs for a Gram", "tried", later]
    with show_trials("accuracy", quiet=False) as show:
        for outcome in outcomes:
            score = 0.75 if outcome.startswith("tried") else None
            show(Trial("rules", 1.0, score, None if score is None else 0.01, 5, 2.0, outcome))
    assert capsys.readouterr().out.splitlines() == [
        "tried     rules, C 1: 75.00 ± 1.00 in 5 folds, 2.0 s, on 6,000 of the pairs",
        "skipped   2 kernels: not tried: no time left, on 6,000 of the pairs",
        "skipped   rules, C 1: not tried: too many pairs for a Gram",
        "tried     rules, C 1: 75.00 ± 1.00 in 5 folds, 2.0 s",
        "skipped   rules, C 1: not tried: no time left",
    ]


def test_a_terminal_shows_a_live_table(chosen: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setattr(shown, "isatty", lambda: True, raising=False)
    trials = load_model(chosen[0]).how_chosen_.trials
    with show_trials("accuracy", quiet=False) as show:
        for trial in trials:
            show(trial)
    assert all(part in shown.getvalue() for trial in trials for part in trial.kernel.split())
    assert "accuracy" in shown.getvalue()


def test_numbers_and_orders_are_searched_too(tables: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.rekern"
    report = json_of("train", tables / "real.tsv", "--auto", "-o", path)
    assert (report["task"], report["how_chosen"]["measure"]) == ("regress", "pearson")
    ranked = ("--source", "question", "--target", "answer", "--label", "good", "--group", "id")
    report = json_of("train", tables / "rank.tsv", *ranked, "--auto", "-o", path)
    assert (report["task"], report["how_chosen"]["measure"]) == ("rank", "map")


def test_options_that_contradict_the_search(tables: Path, tmp_path: Path, models: Path) -> None:
    start = ("train", tables / "train.tsv", "-o", tmp_path / "m.rekern")
    assert "--auto chooses the kernel: leave --k" in error_of(*start, "--auto", "--k", "1-2")
    assert "leave --kernel or --auto out" in error_of(*start, "--auto", "--kernel", "{}")
    assert "leave --C or --auto out" in error_of(*start, "--auto", "--C", 3)
    assert "leave --cv or --auto out" in error_of(*start, "--auto", "--cv", 3)
    assert "--metric, not with --threshold" in error_of(*start, "--auto", "--threshold", 0.3)
    assert "--minutes goes with --auto" in error_of(*start, "--minutes", 3)
    assert "--minutes 0 is out of range" in error_of(*start, "--auto", "--minutes", 0)
    assert "--vectors" in error_of(*start, "--vectors", "no.txt")
    assert "no.txt" in error_of(*start, "--auto", "--vectors", "no.txt")
    assert list(tmp_path.iterdir()) == []
    assert "was given, not chosen" in error_of("explain", models / "two.rekern", "--how-chosen")
    assert "leave the texts out" in error_of("explain", models / "two.rekern", "a", "b", "--how-chosen")


def test_thresholds_of_training_and_of_prediction(tables: Path, models: Path, tmp_path: Path) -> None:
    table = read_table(models / "test.tsv")
    plain = load_model(models / "two.rekern")
    for options, threshold in ((("--threshold", 0.9), 0.9), (("--metric", "f1"), plain.thresholds_["f1"])):
        expected = np.where(plain.predict_proba(table.pairs)[:, 1] > threshold, 1, 0).tolist()
        rows = json_of("predict", models / "two.rekern", models / "test.tsv", *options)["rows"]
        assert [row["prediction"] for row in rows] == expected
        invoke("train", tables / "train.tsv", *options, "-o", tmp_path / "m.rekern")
        assert load_model(tmp_path / "m.rekern").threshold_ == pytest.approx(threshold)
        shown = invoke("explain", tmp_path / "m.rekern", *table.pairs[0], "--neighbors", 0).stdout
        told = f"1 is predicted above the probability {threshold:.3f}." in shown
        assert told == (abs(threshold - 0.5) > 1e-9)  # one half goes without saying
        found = json_of("evaluate", tmp_path / "m.rekern", models / "test.tsv")
        assert found["accuracy"] == pytest.approx(np.mean(np.array(expected) == table.labels))
        assert found == json_of("evaluate", models / "two.rekern", models / "test.tsv", *options) | {
            "seconds": found["seconds"]
        }


def test_thresholds_that_cannot_be_used(models: Path, tmp_path: Path) -> None:
    test, out = models / "test.tsv", ("-o", tmp_path / "m.rekern")
    assert "out of range" in error_of("predict", models / "two.rekern", test, "--threshold", 1)
    assert "leave --threshold or --metric out" in error_of("train", test, *out, "--threshold", 0.5, "--metric", "f1")
    assert "this model predicts numbers" in error_of("predict", models / "real.rekern", test, "--metric", "f1")
    assert "two classes" in error_of("predict", models / "three.rekern", test, "--threshold", 0.3)
    assert "--task regress predicts numbers" in error_of(
        "train", models / "real.tsv", *out, "--threshold", 0.3, "--task", "regress"
    )


def test_more_measures_of_two_classes(models: Path) -> None:
    found = json_of("evaluate", models / "two.rekern", models / "test.tsv")
    assert 0.5 < found["auc"] <= 1 and 0.5 < found["average_precision"] <= 1
    best = found["best_threshold"]["accuracy"]
    again = json_of("evaluate", models / "two.rekern", models / "test.tsv", "--threshold", best)
    assert again["accuracy"] == pytest.approx(found["best"]["accuracy"])
    shown = invoke("evaluate", models / "two.rekern", models / "test.tsv").stdout
    assert "AUC" in shown and "average precision of 1" in shown and "best thresholds" in shown
    assert "auc" not in json_of("evaluate", models / "three.rekern", models / "three.tsv")


RANKED = ("--source", "question", "--target", "answer", "--label", "good", "--group", "id")


def test_the_worst_mistakes_are_written_with_their_reasons(models: Path, tmp_path: Path) -> None:
    path = tmp_path / "errors.jsonl"
    invoke("evaluate", models / "real.rekern", models / "real.tsv", "--errors", path, "--top", 3)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(rows) == 3 and rows[0]["error"] >= rows[1]["error"] >= rows[2]["error"]
    table = read_table(models / "real.tsv")
    place = table.lines.index(rows[0]["line"])
    assert (rows[0]["source"], rows[0]["target"]) == table.pairs[place]
    assert rows[0]["error"] == pytest.approx(abs(rows[0]["prediction"] - rows[0]["label"]))
    assert {"name", "contribution"} <= set(rows[0]["why"][0])
    wrong = tmp_path / "wrong.tsv"
    swapped = tmp_path / "swapped.tsv"
    lines = (models / "test.tsv").read_text().splitlines()
    turned = [line[:-1] + str(1 - int(line[-1])) for line in lines[1:]]
    swapped.write_text("\n".join([lines[0], *turned]) + "\n")
    invoke("evaluate", models / "two.rekern", swapped, "--errors", wrong)
    columns = read_columns(wrong)
    assert [str(name) for name in columns.names][-1] == "why" and 0 < len(columns.lines) <= 50
    invoke("evaluate", models / "rank.rekern", models / "rank.tsv", *RANKED, "--errors", path)
    assert "errors.txt2" in error_of("evaluate", models / "two.rekern", models / "test.tsv", "--errors", "errors.txt2")
