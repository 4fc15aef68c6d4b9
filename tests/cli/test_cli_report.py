"""``rekern report``."""

from pathlib import Path

from cli.running import error_of, invoke, json_of


def test_a_page_and_its_figures(models: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    found = json_of("report", models / "two.rekern", models / "test.tsv", "-o", page, "--top", 2)
    evaluated = json_of("evaluate", models / "two.rekern", models / "test.tsv")
    assert found["measures"]["accuracy"] == evaluated["accuracy"] and found["measures"]["auc"] == evaluated["auc"]
    assert found["pairs"] == evaluated["pairs"] and len(found["mistakes"]) <= 2
    text = page.read_text(encoding="utf-8")
    assert "test.tsv" in text and "rules with aligned wildcards" in text
    other = json_of("report", models / "two.rekern", models / "test.tsv", "--threshold", 0.99)
    assert other["measures"]["confusion"] != found["measures"]["confusion"]


def test_without_a_file_it_cross_validates(models: Path, tmp_path: Path) -> None:
    result = invoke("report", models / "two.rekern", "--folds", 2, "-o", tmp_path / "training.html", "--top", 1)
    assert result.stdout == "" and "the report is in" in result.stderr
    assert "cross-validation in 2 folds" in (tmp_path / "training.html").read_text(encoding="utf-8")


def test_numbers_and_orders(models: Path, tmp_path: Path) -> None:
    assert "pearson" in json_of("report", models / "real.rekern", models / "test.tsv", "--top", 1)["measures"]
    assert "map" in json_of("report", models / "rank.rekern", models / "test.tsv", "--top", 1)["measures"]
    assert "--metric is for classifiers" in error_of(
        "report", models / "real.rekern", models / "test.tsv", "--metric", "f1", "--json"
    )


def test_errors_come_before_the_work(models: Path, tmp_path: Path) -> None:
    assert "add -o report.html" in error_of("report", models / "two.rekern", models / "test.tsv")
    assert "go with FILE" in error_of("report", models / "two.rekern", "--metric", "f1", "--json")
    assert "no training pairs to cross-validate on" in error_of("report", models / "real.rekern", "--json")
    for arguments in (("report", "-o"), ("explain", "--html"), ("explain", "--svg")):
        rest = ("a", "b") if arguments[0] == "explain" else (models / "test.tsv",)
        line = error_of(arguments[0], models / "two.rekern", *rest, arguments[1], tmp_path / "drawn.pdf")
        assert "drawn.pdf: this is written as ." in line and not (tmp_path / "drawn.pdf").exists()
    missing = tmp_path / "no" / "report.html"
    assert "there is no folder" in error_of("report", models / "two.rekern", models / "test.tsv", "-o", missing)
