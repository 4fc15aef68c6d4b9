"""``rekern explain`` and ``rekern rules``."""

from pathlib import Path

import pytest

from cli.running import error_of, invoke, json_of
from rekern import load_model
from rekern.datasets import read_table

PAIR = ("Olga is less patient than Bo.", "Bo is more patient than Olga.")


def test_the_parts_add_up(models: Path) -> None:
    found = json_of("explain", models / "two.rekern", *PAIR)
    total = found["intercept"] + sum(part["contribution"] for part in found["parts"])
    assert total == pytest.approx(found["decision"], abs=1e-9)
    assert found["decision"] == load_model(models / "two.rekern").decision_function([PAIR])[0]
    assert len(found["neighbors"]) == 3 and found["other_parts"]["count"] == 0
    top = json_of("explain", models / "two.rekern", *PAIR, "--top", 2, "--neighbors", 0)
    assert len(top["parts"]) == 2 and top["neighbors"] == []
    assert top["other_parts"]["count"] == len(found["parts"]) - 2


def test_it_is_readable_at_80_columns(models: Path) -> None:
    text = invoke("explain", models / "two.rekern", *PAIR, "--top", 5).stdout
    assert max(map(len, text.splitlines())) <= 80
    for words in (
        "source    Olga",
        "with probability",
        "which is the sum of",
        "other parts",
        "intercept",
        "most similar",
    ):
        assert words in text


def test_a_row_of_a_file(models: Path) -> None:
    pair = read_table(models / "test.tsv").pairs[6]
    by_row = json_of("explain", models / "two.rekern", "--row", 7, models / "test.tsv")
    assert by_row == json_of("explain", models / "two.rekern", *pair)


def test_classes_numbers_and_ranks(models: Path) -> None:
    assert json_of("explain", models / "three.rekern", *PAIR, "--label", "yes")["explained"] == "yes"
    assert "for maybe" in invoke("explain", models / "three.rekern", *PAIR, "--label", "maybe").stdout
    for model in ("real", "rank"):
        assert json_of("explain", models / f"{model}.rekern", *PAIR)["explained"] is None
        assert "intercept" in invoke("explain", models / f"{model}.rekern", *PAIR).stdout
    assert "--label is for classifiers" in error_of("explain", models / "real.rekern", *PAIR, "--label", "1")
    assert "the model knows no class 9" in error_of("explain", models / "two.rekern", *PAIR, "--label", "9")


def test_square_brackets_are_text_and_nothing_is_too_short(models: Path) -> None:
    text = invoke("explain", models / "two.rekern", "[bold]a[/bold] [x]", "").stdout
    assert "[bold]a[/bold] [x]" in text


def test_what_to_explain_must_be_clear(models: Path) -> None:
    model = models / "two.rekern"
    assert "give two texts, each in quotes" in error_of("explain", model, "a")
    assert "give two texts, each in quotes" in error_of("explain", model, "a", "b", "c")
    assert "has no pair 61: it has 60" in error_of("explain", model, "--row", 61, models / "test.tsv")
    assert "'--row'" in error_of("explain", model, "--row", 0, models / "test.tsv")
    assert "--row 1 goes with one file" in error_of("explain", model, "--row", 1, "a", "b")


def test_rules_for_and_against(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = json_of("rules", models / "two.rekern", "--top", 4)["outputs"]
    assert [output["label"] for output in found] == [1]
    for side, sign in (("for", 1), ("against", -1)):
        rules = found[0][side]
        assert len(rules) == 4 and all(sign * rule["weight"] > 0 and rule["support"] >= 1 for rule in rules)
        assert [abs(rule["weight"]) for rule in rules] == sorted((abs(rule["weight"]) for rule in rules), reverse=True)
    text = invoke("rules", models / "two.rekern", "--top", 4).stdout
    assert "Rules for 1" in text and "Rules against 1" in text
    assert max(map(len, text.splitlines())) <= 80
    monkeypatch.setenv("COLUMNS", "200")  # so that no rule is wrapped
    wide = invoke("rules", models / "two.rekern", "--top", 4).stdout
    assert all(rule["rule"] in wide for side in ("for", "against") for rule in found[0][side])


def test_rules_of_each_class(models: Path) -> None:
    found = json_of("rules", models / "three.rekern", "--top", 2)["outputs"]
    assert [output["label"] for output in found] == ["maybe", "no", "yes"]
    assert json_of("rules", models / "three.rekern", "--top", 2, "--label", "no")["outputs"] == found[1:2]
    assert "the model knows no class 7" in error_of("rules", models / "three.rekern", "--label", "7")
    assert "--label is for classifiers" in error_of("rules", models / "real.rekern", "--label", "7")
    assert "Rules that raise the number" in invoke("rules", models / "real.rekern", "--top", 2).stdout


def test_rules_in_a_file(models: Path, tmp_path: Path) -> None:
    result = invoke("rules", models / "two.rekern", "--top", 3, "-o", tmp_path / "rules.tsv")
    assert result.stdout == "" and "6 rules are in" in result.stderr
    lines = (tmp_path / "rules.tsv").read_text().splitlines()
    assert lines == invoke("rules", models / "two.rekern", "--top", 3, "-o", "-").stdout.splitlines()
    assert lines[0].split("\t")[:5] == ["label", "side", "rule", "weight", "support"] and len(lines) == 7
    report = json_of("rules", models / "real.rekern", "-o", tmp_path / "rules.jsonl")
    assert report["written"].endswith("rules.jsonl") and "label" not in (tmp_path / "rules.jsonl").read_text()
    assert "name it .tsv" in error_of("rules", models / "two.rekern", "-o", tmp_path / "rules")


def test_a_model_without_rules(models: Path, tmp_path: Path) -> None:
    from rekern import PairClassifier
    from rekern.kernels import Gaussian, Rewriting
    from rekern.similarity import PrecisionRecall

    table = read_table(models / "train.tsv")
    PairClassifier(PrecisionRecall()).fit(table.pairs, table.labels).save(tmp_path / "m.rekern")
    report = json_of("rules", tmp_path / "m.rekern")["outputs"][0]
    assert (report["for"], report["against"]) == ([], [])
    assert {score["name"] for score in report["scores"]} == {"precision", "recall"}
    PairClassifier(Gaussian(Rewriting(1)), calibration=0).fit(table.pairs, table.labels).save(tmp_path / "m.rekern")
    assert "has no re-writing rules" in error_of("rules", tmp_path / "m.rekern")


def test_neighbors_are_shortened(models: Path, tmp_path: Path) -> None:
    lines = (models / "train.tsv").read_text().splitlines()
    source, target, label = lines[1].split("\t")
    (tmp_path / "t.tsv").write_text("\n".join([*lines, f"{source} {'and so on ' * 50}\t{target}\t{label}"]))
    invoke("train", tmp_path / "t.tsv", "-o", tmp_path / "m.rekern", "--k", "1", "--keep-pairs")
    shown = load_model(tmp_path / "m.rekern").explain((source, target), neighbors=241).to_text()
    assert "and so on" in shown and "…" in shown
    assert max(map(len, shown.splitlines())) < 260


def test_scores_are_listed_and_drawn(models: Path) -> None:
    report = json_of("rules", models / "two.rekern", "--top", 3)["outputs"][0]
    assert len(report["for"]) == len(report["against"]) == 3
    first, *_ = curves = [score for score in report["scores"] if score["kind"] == "curve"]
    assert set(first) == {"name", "kind", "description", "spread", "points"} and len(first["points"]) == 6
    pairs = [score for score in report["scores"] if score["kind"] == "pair"]
    assert len(curves) == 48 and len(pairs) == 50 and len(report["scores"]) == 98
    assert all(len(score["points"]) == len(score["partner"]["points"]) == 2 for score in pairs)
    text = invoke("rules", models / "two.rekern", "--top", 3, "--curves").stdout
    assert "Scores for 1, by how much they move decisions" in text and text.count("└──") == 3
    pair = ("Anna met Ben.", "Ben was met by Anna.")
    parts = json_of("explain", models / "two.rekern", *pair)["parts"]
    recall = next(part for part in parts if part["name"] == "recall")
    assert recall["description"] == "words of the target that the source has too" and 0 < recall["score"] < 1
    shown = invoke("explain", models / "two.rekern", *pair, "--top", 2000, "--curves").stdout
    assert f"words of the target that the source has too: {recall['score']:.2f}" in " ".join(shown.split())
    assert shown.count("◆") == sum(score["spread"] > 0 for score in report["scores"])


def test_drawings(models: Path, tmp_path: Path) -> None:
    page, picture = tmp_path / "why.html", tmp_path / "why.svg"
    result = invoke("explain", models / "two.rekern", *PAIR, "--html", page, "--svg", picture, "--json")
    assert result.stderr.count("the drawing is in") == 2
    assert result.stdout == invoke("explain", models / "two.rekern", *PAIR, "--json").stdout
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "patient" in picture.read_text(encoding="utf-8")
    assert "there is no folder" in error_of("explain", models / "two.rekern", *PAIR, "--svg", tmp_path / "no" / "x.svg")
