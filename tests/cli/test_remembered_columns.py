"""A model knows the columns that it was trained on: the other commands need not be told again."""

import csv
import json
import zipfile
from pathlib import Path

import pytest

from cli.running import error_of, invoke, json_of
from rekern import PairClassifier, load_model
from rekern.cli.table_options import TableOptions
from rekern.datasets.named_columns import remember_columns

NAMED = ("--source", "Customer asks", "--target", "FAQ entry", "--label", "Same?")


@pytest.fixture(scope="module")
def folder(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with unusual names, one with the usual names, and a model of the first."""
    folder = tmp_path_factory.mktemp("remembered")
    lines = (tables / "train.tsv").read_text(encoding="utf-8").splitlines()[1:41]
    for name, header in (("odd.csv", ["Id", *NAMED[1::2]]), ("usual.csv", ["id", "source", "target", "label"])):
        with open(folder / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *([n, *line.split("\t")[:3]] for n, line in enumerate(lines))])
    invoke("train", folder / "odd.csv", *NAMED, "-o", folder / "m.rekern")
    return folder


def test_commands_find_the_columns_of_the_training_table(folder: Path, tmp_path: Path) -> None:
    model, table = folder / "m.rekern", folder / "odd.csv"
    assert json_of("evaluate", model, table)["accuracy"] > 0.9
    named = json_of("predict", model, table, *NAMED[:4])
    assert json_of("predict", model, table) == named
    assert list(named["rows"][0]) == ["Id", "prediction", "probabilities"]  # as where the label is named label
    assert json_of("explain", model, "--row", 2, table)["source"]
    assert json_of("report", model, table)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_bytes(table.read_bytes())
    invoke("predict", model, tmp_path / "in", "-o", tmp_path / "out")
    assert len((tmp_path / "out" / "a.csv").read_text().splitlines()) == 41
    assert (tmp_path / "out" / "a.csv").read_text().startswith("Id,prediction,probability_0,")


def test_other_tables_are_read_as_before(folder: Path, tmp_path: Path) -> None:
    model = folder / "m.rekern"
    assert json_of("evaluate", model, folder / "usual.csv")["accuracy"] > 0.9
    assert json_of("evaluate", model, folder / "odd.csv", "--source", 2, "--target", 3)["accuracy"] > 0.9
    (tmp_path / "half.csv").write_text("Customer asks,target,label\na,b,0\n")
    line = error_of("evaluate", model, tmp_path / "half.csv")
    assert "has no column 'source'; it has Customer asks, target, label" in line
    rows = (folder / "usual.csv").read_text().splitlines()[1:]
    (tmp_path / "bare.csv").write_text("\n".join(rows))
    assert json_of("predict", model, tmp_path / "bare.csv", "--no-header", "--source", 2, "--target", 3)["pairs"] == 40


def test_a_model_keeps_only_unusual_names(folder: Path, tmp_path: Path) -> None:
    invoke("train", folder / "usual.csv", "-o", tmp_path / "usual.rekern")
    assert load_model(tmp_path / "usual.rekern").columns_ is None
    model = load_model(folder / "m.rekern")
    assert model.columns_ == {"source": "Customer asks", "target": "FAQ entry", "label": "Same?"}
    model.save(tmp_path / "again.rekern")
    assert load_model(tmp_path / "again.rekern").columns_ == model.columns_
    assert TableOptions(no_header=True).recall(model).source is None
    assert model.fit([("a", "b"), ("c", "d")], [0, 1]).columns_ is None
    stream = PairClassifier().partial_fit([("a", "b"), ("c", "d")], [0, 1])
    stream.columns_ = {"source": "asked", "target": "meant"}
    assert stream.partial_fit([("a", "b"), ("c", "d")], [0, 1]).columns_ is None
    assert remember_columns({"source": "a" * 1001, "target": "b"}) is None  # more than a model file may have
    (tmp_path / "bare.tsv").write_text("who is it\tit is me\t1\nso what\twhat now\t0\n" * 15)
    invoke("train", tmp_path / "bare.tsv", "--no-header", "--kernel", "rules", "-o", tmp_path / "bare.rekern")
    assert load_model(tmp_path / "bare.rekern").columns_ is None
    with zipfile.ZipFile(tmp_path / "usual.rekern") as archive:
        assert "columns" not in json.loads(archive.read("model.json"))


def test_single_texts_and_groups(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Said,Kind\n" + "good day,hello\nbye now,end\n" * 20)
    invoke("train", tmp_path / "t.csv", "--text", "Said", "--label", "Kind", "-o", tmp_path / "t.rekern")
    assert json_of("evaluate", tmp_path / "t.rekern", tmp_path / "t.csv")["accuracy"] == 1
    (tmp_path / "r.csv").write_text("Asked,Found,Good,Case\n" + "who is it,it is me,1,7\nwho is it,so what,0,7\n" * 15)
    options = ("--source", "Asked", "--target", "Found", "--label", "Good", "--group", "Case")
    invoke("train", tmp_path / "r.csv", *options, "-o", tmp_path / "r.rekern")
    assert load_model(tmp_path / "r.rekern").columns_["group"] == "Case"
    assert json_of("evaluate", tmp_path / "r.rekern", tmp_path / "r.csv")["map"] == 1
    rows = json_of("predict", tmp_path / "r.rekern", tmp_path / "r.csv")["rows"]
    assert max(row["rank"] for row in rows) == 30
