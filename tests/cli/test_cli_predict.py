"""``rekern predict`` and ``rekern evaluate``."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

from cli.running import error_of, invoke, json_of
from rekern import load_model
from rekern.datasets import read_table
from rekern.datasets.tables import read_columns
from rekern.learning import ranking_measures


def rows_of(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines()]


def test_a_row_for_each_pair(models: Path) -> None:
    rows = rows_of(invoke("predict", models / "two.rekern", models / "test.tsv").stdout)
    assert rows[0] == ["prediction", "probability_0", "probability_1"] and len(rows) == 61
    model, pairs = load_model(models / "two.rekern"), read_table(models / "test.tsv").pairs
    assert [int(row[0]) for row in rows[1:]] == model.predict(pairs).tolist()
    chances = np.array([[float(value) for value in row[1:]] for row in rows[1:]])
    assert np.array_equal(chances, model.predict_proba(pairs))


def test_one_pair_alone_has_the_same_answer(models: Path) -> None:
    model = models / "two.rekern"
    whole = json_of("predict", model, models / "test.tsv")
    assert whole["pairs"] == 60
    source, target = read_table(models / "test.tsv").pairs[7]
    alone = json_of("predict", model, "--source-text", source, "--target-text", target)
    assert alone == {"pairs": 1, "rows": [whole["rows"][7]]}
    assert set(alone["rows"][0]) == {"prediction", "probabilities"}
    shown = rows_of(invoke("predict", model, "--source-text", "", "--target-text", "ein Wort", "--texts").stdout)
    assert shown[0][:3] == ["source", "target", "prediction"] and shown[1][:2] == ["", "ein Wort"]


@pytest.mark.parametrize("extension", ("tsv", "csv", "jsonl", "parquet", "tsv.gz"))
def test_answers_in_a_file(models: Path, tmp_path: Path, extension: str) -> None:
    path = tmp_path / f"out.{extension}"
    command = ("predict", models / "two.rekern", models / "test.tsv", "--texts", "-o", path)
    result = invoke(*command)
    assert result.stdout == "" and "60 predictions are in" in result.stderr
    table = read_table(path, label="prediction")
    assert table.pairs == read_table(models / "test.tsv").pairs
    assert table.labels == load_model(models / "two.rekern").predict(table.pairs).tolist()
    assert json_of(*command)["written"] == str(path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_standard_input_without_labels(models: Path) -> None:
    rows = rows_of(invoke("predict", models / "three.rekern", "-", input="source\ttarget\na b\tb a\n").stdout)
    assert rows[0] == ["prediction", "probability_maybe", "probability_no", "probability_yes"]
    assert sum(map(float, rows[1][1:])) == pytest.approx(1)


def test_a_regressor_and_a_ranker(models: Path) -> None:
    rows = rows_of(invoke("predict", models / "real.rekern", models / "real.tsv").stdout)
    assert rows[0] == ["prediction"] and len(rows) == 91
    columns = ("--source", "question", "--target", "answer")
    whole = rows_of(invoke("predict", models / "rank.rekern", models / "rank.tsv", *columns).stdout)
    assert whole[0] == ["id", "score", "rank"]
    columns = (*columns, "--columns", "none")
    rows = rows_of(invoke("predict", models / "rank.rekern", models / "rank.tsv", *columns).stdout)
    assert rows[0] == ["score", "rank"] and rows == [row[1:] for row in whole]
    assert [sorted(int(row[1]) for row in rows[first : first + 3]) for first in (1, 4, 7, 10)] == [[1, 2, 3]] * 4
    best = [max(rows[first : first + 3], key=lambda row: float(row[0]))[1] for first in (1, 4, 7, 10)]
    assert best == ["1"] * 4
    grouped = invoke("predict", models / "rank.rekern", models / "rank.tsv", *columns, "--group", "id")
    assert rows_of(grouped.stdout) == rows


def test_other_columns_are_copied(models: Path, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text('id,q1,prediction,q2,label,note\n007,a b,old,b a,1,"x, y"\n8,c,old,d,0,\n')
    command = ("predict", models / "two.rekern", table, "--source", "q1", "--target", "q2")
    result = invoke(*command, "-o", tmp_path / "out.csv")
    assert "the column prediction of the file is called input_prediction in the result" in result.stderr
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "id,input_prediction,note,prediction,probability_0,probability_1"
    assert lines[1].startswith('007,old,"x, y",') and lines[2].startswith("8,old,,")
    row = json_of(*command, "--columns", "id,label")["rows"][0]
    assert list(row) == ["id", "label", "prediction", "probabilities"] and row["id"] == "007"
    everything = rows_of(invoke(*command, "--columns", "all").stdout)[0]
    assert everything[:6] == ["id", "q1", "input_prediction", "q2", "label", "note"]
    texts = rows_of(invoke(*command, "--texts").stdout)[0]
    assert texts[:5] == ["source", "target", "id", "input_prediction", "note"]
    assert "has no column 'nothing'" in error_of(*command, "--columns", "nothing")
    assert "has an empty name" in error_of(*command, "--columns", "id,")


def test_columns_that_may_be_no_label_are_copied(models: Path, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("source,query,passage,score\nweb,a b,b a,7.5\n")
    command = ("predict", models / "two.rekern", table)
    rows = rows_of(invoke(*command).stdout)
    assert rows[0][:3] == ["source", "score", "prediction"] and rows[1][:2] == ["web", "7.5"]
    texts = rows_of(invoke(*command, "--texts").stdout)
    assert texts[1][:4] == ["a b", "b a", "web", "7.5"] and texts[0][2] == "input_source"
    table.write_text("id,query,passage,is_duplicate\n7,a b,b a,1\n")
    assert rows_of(invoke(*command).stdout)[0][:2] == ["id", "prediction"]


def test_columns_of_parquet_keep_their_types(models: Path, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"source": ["a b", "c", "d"], "target": ["b a", "d", "e"]}
    more = {"when": pyarrow.array([None, None, 3], pyarrow.int32()), "tags": [["x"], [], None]}
    parquet.write_table(pyarrow.table({**columns, **more}), tmp_path / "t.parquet")
    invoke("predict", models / "two.rekern", tmp_path / "t.parquet", "-o", tmp_path / "out.parquet")
    written = parquet.read_table(tmp_path / "out.parquet")
    assert written.column_names == ["when", "tags", "prediction", "probability_0", "probability_1"]
    assert written.schema.field("when").type == pyarrow.int32()
    assert written["when"].to_pylist() == [None, None, 3] and written["tags"].to_pylist() == [["x"], [], None]


def write_many(path: Path, n: int) -> None:
    """A table of pairs of short texts."""
    with open(path, "w") as file:
        file.write("id\tsource\ttarget\n")
        for row in range(n):
            file.write(f"{row}\tword{row % 97} saw word{row % 89}\tword{row % 83} was seen\n")


@pytest.mark.parametrize("out", ["out.tsv", "out.jsonl", "out.parquet"])
def test_blocks_are_one_table(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str) -> None:
    write_many(tmp_path / "t.tsv", 25)
    command = ("predict", models / "two.rekern", tmp_path / "t.tsv", "-o")
    invoke(*command, tmp_path / f"whole.{out}")
    monkeypatch.setattr("rekern.datasets.tables.ROWS", 10)
    assert "25 predictions" in invoke(*command, tmp_path / out).stderr
    found, expected = (read_columns(tmp_path / name) for name in (out, f"whole.{out}"))
    assert found.names == expected.names
    assert [found.column(i) for i in range(4)] == [expected.column(i) for i in range(4)]


def test_an_error_names_its_row_and_leaves_no_file(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rekern.datasets.tables.ROWS", 10)
    write_many(tmp_path / "t.tsv", 25)
    with open(tmp_path / "t.tsv", "a") as file:
        file.write("26\tonly one text\n")
    line = error_of("predict", models / "two.rekern", tmp_path / "t.tsv", "-o", tmp_path / "out.tsv")
    assert "t.tsv, line 27: 2 fields where the header has 3" in line
    assert [file.name for file in tmp_path.iterdir()] == ["t.tsv"]


def measure_memory(model: Path, table: Path, out: Path) -> int:
    """The most memory that a prediction takes, in bytes, counted after a first small one."""
    small = table.with_name("small.tsv")
    write_many(small, 10)
    invoke("predict", model, small, "-o", out)
    tracemalloc.start()
    try:
        invoke("predict", model, table, "-o", out)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_file(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rekern.datasets.tables.ROWS", 200)
    peaks = []
    for n in (400, 4_000):
        write_many(tmp_path / "t.tsv", n)
        # the least of three: threads that other tests have left in this process take memory now and then
        peaks.append(
            min(measure_memory(models / "two.rekern", tmp_path / "t.tsv", tmp_path / "out.tsv") for _ in range(3))
        )
    assert peaks[1] < 1.25 * peaks[0]


@pytest.mark.slow
def test_a_large_file_needs_little_memory(models: Path, tmp_path: Path) -> None:
    write_many(tmp_path / "t.tsv", 200_000)
    assert measure_memory(models / "two.rekern", tmp_path / "t.tsv", tmp_path / "out.tsv") < 100e6
    with open(tmp_path / "out.tsv") as file:
        assert sum(1 for _ in file) == 200_001


def test_a_model_without_probabilities(models: Path, tmp_path: Path) -> None:
    from rekern import PairClassifier

    for name, heads in (("train", ["decision_1"]), ("three", ["decision_maybe", "decision_no", "decision_yes"])):
        table = read_table(models / f"{name}.tsv")
        PairClassifier(calibration=0).fit(table.pairs, table.labels).save(tmp_path / "m.rekern")
        rows = rows_of(invoke("predict", tmp_path / "m.rekern", models / "test.tsv").stdout)
        assert rows[0] == ["prediction", *heads]
        assert set(json_of("predict", tmp_path / "m.rekern", models / "test.tsv")["rows"][0]) == {
            "prediction",
            "decisions",
        }


def test_what_to_predict_must_be_clear(models: Path, tmp_path: Path) -> None:
    model = models / "two.rekern"
    assert "nothing to predict" in error_of("predict", model)
    assert "go together" in error_of("predict", model, "--source-text", "a")
    assert "not both" in error_of("predict", model, models / "test.tsv", "--source-text", "a", "--target-text", "b")
    assert "name it .tsv, .csv" in error_of("predict", model, models / "test.tsv", "-o", tmp_path / "x.doc")
    assert "there is no folder" in error_of("predict", model, models / "test.tsv", "-o", tmp_path / "no" / "x.tsv")
    assert "the source text is not" in error_of("predict", model, "--source-text", "\udcff", "--target-text", "b")


def test_measures_of_a_classifier(models: Path) -> None:
    table = read_table(models / "three.tsv")
    guesses = load_model(models / "three.rekern").predict(table.pairs).tolist()
    guesses[:5] = ["no"] * 5
    from rekern.learning.measures import class_measures

    found = class_measures(guesses, table.labels, ["maybe", "no", "yes"])
    assert found["accuracy"] == accuracy_score(table.labels, guesses)
    assert found["confusion"] == confusion_matrix(table.labels, guesses).tolist()
    expected = precision_recall_fscore_support(table.labels, guesses)
    for index, row in enumerate(found["classes"].values()):
        assert [*row.values()] == pytest.approx([column[index] for column in expected])


def test_evaluation_of_each_kind(models: Path) -> None:
    found = json_of("evaluate", models / "two.rekern", models / "test.tsv")
    table = read_table(models / "test.tsv")
    guesses = load_model(models / "two.rekern").predict(table.pairs)
    assert found["accuracy"] == accuracy_score(table.labels, guesses) and found["pairs"] == 60
    text = invoke("evaluate", models / "two.rekern", models / "test.tsv").stdout
    assert f"accuracy  {found['accuracy']:.2%}" in text and "precision" in text and "is \\ predicted" in text
    assert "NEUTRAL" not in text and max(map(len, text.splitlines())) <= 80

    table = read_table(models / "real.tsv")
    guesses = load_model(models / "real.rekern").predict(table.pairs)
    found = json_of("evaluate", models / "real.rekern", models / "real.tsv")
    assert found["pearson"] == pytest.approx(pearsonr(guesses, table.labels).statistic)
    assert found["spearman"] == pytest.approx(spearmanr(guesses, table.labels).statistic)
    assert found["mse"] == pytest.approx(np.mean((guesses - table.labels) ** 2))
    assert "Spearman" in invoke("evaluate", models / "real.rekern", models / "real.tsv").stdout

    columns = ("--source", "question", "--target", "answer", "--label", "good")
    table = read_table(models / "rank.tsv", "question", "answer", "good", group="id")
    scores = load_model(models / "rank.rekern").predict(table.pairs)
    found = json_of("evaluate", models / "rank.rekern", models / "rank.tsv", *columns)
    found.pop("seconds")
    assert found == {"pairs": 12, **ranking_measures(scores, table.labels, table.groups)}
    assert "reciprocal rank" in invoke("evaluate", models / "rank.rekern", models / "rank.tsv", *columns).stdout


def test_a_correlation_with_a_constant_is_null(models: Path) -> None:
    text = "source\ttarget\tlabel\na b\tb\t1.5\nc\td e\t1.5\n"
    found = json_of("evaluate", models / "real.rekern", "-", input=text)
    assert found["pearson"] is None and found["spearman"] is None and found["mse"] > 0
    assert "undefined" in invoke("evaluate", models / "real.rekern", "-", input=text).stdout


def test_numbers_of_other_kinds_are_the_same_classes(models: Path) -> None:
    text = (models / "test.tsv").read_text()
    floats = text.replace("\t1\n", "\t1.0\n").replace("\t0\n", "\t0.0\n")
    found = json_of("evaluate", models / "two.rekern", "-", input=floats)
    assert found["confusion"] == json_of("evaluate", models / "two.rekern", models / "test.tsv")["confusion"]


def test_unknown_labels_name_the_line(models: Path) -> None:
    text = "source\ttarget\tlabel\na\tb\t1\nc\td\tmaybe\n"
    line = error_of("evaluate", models / "two.rekern", "-", input=text)
    assert line == ("standard input, line 3: the model knows no label maybe, only 0, 1; correct it or drop the row")
    assert "line 3: the label 'maybe' is not a number" in error_of("evaluate", models / "real.rekern", "-", input=text)
    none = "source\ttarget\tlabel\na\tb\t0\n"
    assert "nothing to measure" in error_of("evaluate", models / "rank.rekern", "-", input=none)


def test_a_picture_of_an_evaluation(models: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name, table in (("two", "test.tsv"), ("three", "three.tsv")):
        result = invoke("evaluate", models / f"{name}.rekern", models / table, "--plot", tmp_path / f"{name}.svg")
        assert "the picture is in" in result.stderr
    two, three = ((tmp_path / f"{name}.svg").read_text() for name in ("two", "three"))
    assert two.count('<g id="axes_') == 4 and three.count('<g id="axes_') == 1
    assert "--plot is for classifiers" in error_of(
        "evaluate", models / "real.rekern", models / "real.tsv", "--plot", tmp_path / "no.png"
    )
    assert "name it .png, .svg or .pdf" in error_of(
        "evaluate", models / "two.rekern", models / "test.tsv", "--plot", tmp_path / "no.doc"
    )
