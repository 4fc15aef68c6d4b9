"""``rekern gram``: the matrix as .npy and in LIBSVM's precomputed format."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.svm import SVC

from cli.running import error_of, invoke, json_of
from rekern.cli import gram as command
from rekern.datasets import read_table
from rekern.kernels import Rewriting
from rekern.similarity import PrecisionRecall

LINE = re.compile(r"-?[0-9.]+ 0:[0-9]+(?: [0-9]+:-?[0-9.]+(?:e-?[0-9]+)?)+")
KERNEL = Rewriting((1, 4)) + PrecisionRecall()


def read_libsvm(path: Path, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels and matrix of a file for svm-train -t 4, which finds a value by its place: all must be there, in order."""
    labels, rows = [], []
    for number, line in enumerate(path.read_text(encoding="ascii").splitlines(), 1):
        assert LINE.fullmatch(line)
        label, *cells = line.split(" ")
        indices, values = zip(*(cell.split(":") for cell in cells))
        assert list(map(int, indices)) == list(range(columns + 1)) and int(values[0]) == number
        labels.append(float(label))
        rows.append([float(value) for value in values[1:]])
    return np.array(labels), np.array(rows)


def test_npy(tables: Path, tmp_path: Path) -> None:
    path = tmp_path / "gram.npy"
    report = json_of("gram", tables / "test.tsv", "-o", path, "--kernel", "paper")
    expected = KERNEL.gram(read_table(tables / "test.tsv").pairs)
    assert np.array_equal(np.load(path, allow_pickle=False), expected)
    assert (report["rows"], report["columns"], report["bytes"]) == (60, 60, path.stat().st_size)
    assert [file.name for file in tmp_path.iterdir()] == ["gram.npy"]


def test_npy_of_two_tables_needs_no_labels(tables: Path, tmp_path: Path) -> None:
    (tmp_path / "new.tsv").write_text("source\ttarget\nHe left.\tHe went.\n")
    path = tmp_path / "gram.npy"
    text = invoke("gram", tmp_path / "new.tsv", tables / "test.tsv", "-o", path, "--k", 2, "--no-pr").stdout
    assert "1 × 60" in text and "rules with aligned wildcards, k 2\n" in text
    expected = Rewriting(2).gram([("He left.", "He went.")], read_table(tables / "test.tsv").pairs)
    assert np.array_equal(np.load(path), expected)


def test_libsvm_trains_and_predicts(tables: Path, tmp_path: Path) -> None:
    invoke("gram", tables / "train.tsv", "-o", tmp_path / "train.libsvm", "--kernel", "paper")
    invoke("gram", tables / "test.tsv", tables / "train.tsv", "-o", tmp_path / "test.libsvm", "--kernel", "paper")
    labels, matrix = read_libsvm(tmp_path / "train.libsvm", 240)
    truth, held_out = read_libsvm(tmp_path / "test.libsvm", 240)
    train, test = read_table(tables / "train.tsv"), read_table(tables / "test.tsv")
    assert np.array_equal(matrix, KERNEL.gram(train.pairs)) and labels.tolist() == train.labels
    assert np.array_equal(held_out, KERNEL.gram(test.pairs, train.pairs)) and truth.tolist() == test.labels
    from rekern import load_model

    invoke("train", tables / "train.tsv", "-o", tmp_path / "m.rekern", "--kernel", "paper")
    ours = load_model(tmp_path / "m.rekern").predict(test.pairs)
    assert SVC(kernel="precomputed").fit(matrix, labels).predict(held_out).tolist() == ours.tolist()


def test_names_become_numbers(tables: Path, tmp_path: Path) -> None:
    report = json_of("gram", tables / "three.tsv", "-o", tmp_path / "g.libsvm")
    assert report["labels"] == {"maybe": 0, "no": 1, "yes": 2}
    labels, _ = read_libsvm(tmp_path / "g.libsvm", 90)
    names = read_table(tables / "three.tsv").labels or []
    assert [["maybe", "no", "yes"][int(number)] for number in labels] == names
    assert "0 = maybe, 1 = no, 2 = yes" in invoke("gram", tables / "three.tsv", "-o", tmp_path / "g.libsvm").stdout
    (tmp_path / "new.tsv").write_text("source\ttarget\tlabel\na\tb\tno\nc\td\tperhaps\n")
    line = error_of("gram", tmp_path / "new.tsv", tables / "three.tsv", "-o", tmp_path / "x.libsvm")
    assert "new.tsv, line 3: the label perhaps is not in" in line and not (tmp_path / "x.libsvm").exists()


def test_without_labels(tmp_path: Path) -> None:
    (tmp_path / "new.tsv").write_text("source\ttarget\na b\tb\nc\td\n")
    start = ("gram", tmp_path / "new.tsv", "-o", tmp_path / "g.libsvm")
    assert "no column 'label'" in error_of(*start)
    invoke(*start, "--unlabelled")
    labels, matrix = read_libsvm(tmp_path / "g.libsvm", 2)
    assert labels.tolist() == [0, 0] and matrix[0, 0] > 0


def test_a_large_matrix_goes_by_way_of_a_file(tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    invoke("gram", tables / "test.tsv", "-o", tmp_path / "a.libsvm")
    monkeypatch.setattr(command, "IN_MEMORY", 100)
    invoke("gram", tables / "test.tsv", "-o", tmp_path / "b.libsvm")
    assert (tmp_path / "a.libsvm").read_bytes() == (tmp_path / "b.libsvm").read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.libsvm", "b.libsvm"]


def test_places_that_cannot_be_written(tables: Path, tmp_path: Path) -> None:
    assert "does not tell the format" in error_of("gram", tables / "test.tsv", "-o", tmp_path / "g.txt")
    for name in ("g.npy", "g.libsvm"):
        assert "there is no folder" in error_of("gram", tables / "test.tsv", "-o", tmp_path / "no" / name)
    assert list(tmp_path.iterdir()) == []


def test_device(tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "gram.npy"
    json_of("gram", tables / "test.tsv", "-o", path, "--kernel", "rules", "--device", "cpu")
    assert np.array_equal(np.load(path), Rewriting((1, 4)).gram(read_table(tables / "test.tsv").pairs))
    for command_name, out in (("gram", "new.npy"), ("train", "model.rekern")):
        message = error_of(command_name, tables / "test.tsv", "-o", tmp_path / out, "--device", "gpu")
        assert "device='gpu': give 'cpu' or 'cuda'" in message
    monkeypatch.setenv("REKERN_DEVICE", "gpu")
    for command_name, out in (("gram", "new.npy"), ("train", "model.rekern")):  # the table is not to blame
        message = error_of(command_name, tables / "test.tsv", "-o", tmp_path / out)
        assert message.strip() == "REKERN_DEVICE='gpu': give 'cpu' or 'cuda'"
        assert not (tmp_path / out).exists()
