"""Kernels in JSON on the command line, over tables with trees."""

import json
from pathlib import Path

import numpy as np
import pytest

from cli.running import error_of, invoke, json_of
from rekern import load_model
from rekern.datasets import load_rewrites, read_table, write_table
from rekern.kernels import PartialTree, SoftPairing
from rekern.similarity import PrecisionRecall

KERNEL = {
    "type": "Sum",
    "kernels": [
        {"type": "SoftPairing", "kernel": {"type": "PartialTree", "on": "flat"}},
        {"type": "PrecisionRecall"},
    ],
}


def flat(text: str) -> str:
    return "(S " + " ".join(f"(W {word})" for word in text.replace("(", "").replace(")", "").split()) + ")"


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with train.tsv and test.tsv, whose texts are q1 and q2, with a tree of each."""
    folder = tmp_path_factory.mktemp("trees")
    for part, size in (("train", 60), ("test", 20)):
        pairs, labels = load_rewrites(part, size=size)
        q1, q2 = zip(*pairs)
        columns = {"q1": q1, "q2": q2, "q1.flat": [*map(flat, q1)], "q2.flat": [*map(flat, q2)], "same": labels}
        write_table(folder / f"{part}.tsv", columns)
    (folder / "kernel.json").write_text(json.dumps(KERNEL))
    return folder


COLUMNS = ("--source", "q1", "--target", "q2", "--label", "same")


def test_train_predict_explain_and_gram(trees: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.rekern"
    report = json_of("train", trees / "train.tsv", *COLUMNS, "--kernel", trees / "kernel.json", "--cv", 2, "-o", model)
    assert report["kernel"].startswith("Sum(left=SoftPairing(kernel=PartialTree(on='flat')), right=PrecisionRecall(")
    kernel = SoftPairing(PartialTree(on="flat")) + PrecisionRecall()
    table = read_table(trees / "test.tsv", "q1", "q2", "same")
    train = read_table(trees / "train.tsv", "q1", "q2", "same")
    rows = json_of("predict", model, trees / "test.tsv", "--source", "q1", "--target", "q2")["rows"]
    assert [row["prediction"] for row in rows] == load_model(model).predict(table.items).tolist()
    assert json_of("evaluate", model, trees / "test.tsv", *COLUMNS)["pairs"] == 20
    why = json_of("explain", model, "--row", 3, trees / "test.tsv", "--source", "q1", "--target", "q2")
    assert why["source"] == table.pairs[2][0]
    total = why["intercept"] + sum(part["contribution"] for part in why["parts"])
    assert abs(total - why["decision"]) < 1e-9
    gram = tmp_path / "gram.npy"
    paths = (trees / "test.tsv", trees / "train.tsv", "-o", gram, *COLUMNS)
    invoke("gram", *paths, "--kernel", json.dumps(KERNEL))
    assert np.array_equal(np.load(gram), kernel.gram(table.items, train.items))


def test_landmarks(trees: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.rekern"
    options = ("--kernel", trees / "kernel.json", "--landmarks", 20, "-o", model)
    report = json_of("train", trees / "train.tsv", *COLUMNS, *options)
    assert report["solver"] == "dual coordinate descent on 60 rows with 20 landmarks"
    rows = json_of("predict", model, trees / "test.tsv", "--source", "q1", "--target", "q2")["rows"]
    assert {row["prediction"] for row in rows} == {0, 1}
    assert "leave --landmarks or --auto out" in error_of(
        "train", trees / "train.tsv", *COLUMNS, "-o", model, "--auto", "--landmarks", 2
    )


def test_errors(trees: Path, tmp_path: Path) -> None:
    out = ("-o", tmp_path / "m.rekern")
    start = ("train", trees / "train.tsv", *COLUMNS, *out, "--kernel")
    assert "leave --decay out" in error_of(*start, json.dumps(KERNEL), "--decay", "0.5")
    assert "there is no kernel 'Tree'" in error_of(*start, '{"type": "Tree"}')
    assert "there is no file" in error_of(*start, "missing.json")
    assert "is not JSON" in error_of(*start, "{")
    assert "--kernel is [], not a kernel; write it as in {" in error_of(*start, "[]")
    vectors = {"type": "PairSum", "kernel": {"type": "SmoothedPartialTree", "similarity": {"type": "WordVectors"}}}
    assert "WordVectors need a file" in error_of(*start, json.dumps(vectors))
    wrong = json.dumps(vectors).replace("WordVectors", "Spectrum")
    assert "the similarity of SmoothedPartialTree is {'type': 'Spectrum'}" in error_of(*start, wrong)
    assert "the tokenizer of Rewriting is 'fine'" in error_of(*start, '{"type": "Rewriting", "tokenizer": "fine"}')
    other = json.dumps({"type": "PairSum", "kernel": {"type": "SubTree", "on": "deep"}})
    assert "no column 'source.deep' for the representation 'deep'; the sources have flat" in error_of(*start, other)
    alone = json.dumps({"type": "PartialTree"})
    assert "PartialTree compares texts, not pairs" in error_of(*start, alone)
    invoke(*start, json.dumps(KERNEL))
    assert "no column 'source.flat'" in error_of("explain", tmp_path / "m.rekern", "Ann left.", "Ann went.")
