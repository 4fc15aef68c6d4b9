"""TREC questions: the experiment from files to tables, its machines, and the published figures on KeLP's trees."""

import gzip
import json
import os

import numpy as np
import pytest
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from experiments import runs
from experiments.published_results import TREC
from experiments.trec import PUBLISHED_COST, TREES, load_trec_trees, train_classifiers
from rekern.errors import InputError
from rekern.kernels import PartialTree, SubsetTree
from rekern.structures import trees_named

COSTS = (3.0, PUBLISHED_COST)  # fewer than in earnest
WORDS = {
    "NUM": ("how", "many", "much", "far"),
    "LOC": ("where", "city", "country", "river"),
    "HUM": ("who", "wrote", "president", "actor"),
}


def questions(seed, size):
    draw = np.random.default_rng(seed)
    lines = []
    for number in range(size):
        kind = list(WORDS)[number % 3]
        first, second = draw.choice(WORDS[kind], 2)
        third = draw.choice(["dog", "cat", "tree", "house"])
        grct = f"(SYNT##root(POS##W(LEX##{first}::w))(SYNT##obj(POS##N(LEX##{second}::n))(POS##N(LEX##{third}::n))))"
        loct = f"(LEX##{first}::w(LEX##{second}::n(LEX##{third}::n)))"
        trees = " ".join(f"|BT:{name}| {tree} |ET|" for name, tree in (("grct", grct), ("lct", loct), ("loct", loct)))
        lines.append(f"{kind} |BS:quest| {first} {second} {third} {number} |ES| {trees}\n")
    return "".join(lines)


@pytest.fixture(autouse=True)
def costs(monkeypatch):
    monkeypatch.setattr("experiments.trec.COSTS", COSTS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    data = tmp_path_factory.mktemp("data")
    trees = data / "trec_qc" / "kelp_trees"
    trees.mkdir(parents=True)
    (trees / "train_5500.coarse.klp").write_text(questions(0, 45))
    (trees / "TREC_10.coarse.klp.gz").write_bytes(gzip.compress(questions(1, 15).encode()))
    vectors = data / "glove_twitter_25d_12k"
    vectors.mkdir()
    (vectors / "vectors.txt").write_text("who 1 0 0.1\nwhere 0 1 0.1\nhow 0 0.1 1\ndog 1 1 0\ncat 1 0.9 0\n")
    return data


def test_from_files_to_tables(folder, tmp_path):
    result = runs.run("trec", data=folder, out=tmp_path)
    written = json.loads((tmp_path / "trec.json").read_text())
    assert written | {"files": result["files"]} == json.loads(json.dumps(result, allow_nan=False)) == result
    assert (tmp_path / "trec.png").read_bytes().startswith(b"\x89PNG")
    assert (result["train_questions"], result["test_questions"]) == (45, 15)
    protocol = [row for row in result["rows"] if row["C"] == PUBLISHED_COST]
    methods = ("sst", "ptk", "sptk-lsa", "sptk-glove")
    assert [(row["method"], row["tree"]) for row in protocol] == [(m, tree) for tree in TREES for m in methods]
    assert {(row["method"], row["tree"]): row["published"] for row in protocol if row["published"]} == TREC
    assert len(result["candidates"]) == len(protocol) * len(COSTS)
    chosen = result["chosen_on_train"]
    assert chosen["cv_accuracy"] == max(row["cv_accuracy"] for row in result["candidates"])
    assert [row["accuracy"] for row in result["rows"] if row["chosen"]] == [chosen["accuracy"]]
    recorded = json.loads((tmp_path / "trec-chosen.json").read_text())
    assert recorded == {key: value for key, value in chosen.items() if key != "accuracy"}
    text = runs.render(result)
    assert "sptk-glove" in text and "Chosen on the training part" in text and "None" not in text
    assert result["rows"] == runs.run("trec", data=folder, n_jobs=1)["rows"]


def test_the_choice_is_recorded_before_the_test_part_is_read(folder, tmp_path):
    data, out = tmp_path / "data", tmp_path / "out"
    (data / "trec_qc" / "kelp_trees").mkdir(parents=True)
    (data / "trec_qc" / "kelp_trees" / "train_5500.coarse.klp").write_text(questions(0, 15))
    os.symlink(folder / "glove_twitter_25d_12k", data / "glove_twitter_25d_12k")
    with pytest.raises(InputError, match=r"there is no .*TREC_10\.coarse\.klp"):
        runs.run("trec", data=data, out=out)
    assert os.listdir(out) == ["trec-chosen.json"]


def test_machines_are_those_of_train_classifiers():
    draw = np.random.default_rng(0)
    points, new = draw.normal(size=(60, 3)), draw.normal(size=(20, 3))
    labels = np.array(["a", "b", "c"])[np.argmax(points, axis=1)]
    expected = OneVsRestClassifier(SVC(C=3.0, kernel="precomputed")).fit(points @ points.T, labels)
    found = train_classifiers(points @ points.T, labels, [0.1, 3.0])[1]
    assert found.predict(new @ points.T).tolist() == expected.predict(new @ points.T).tolist()


@pytest.mark.slow
def test_published_figures(corpora):
    if not (corpora / "trec_qc" / "kelp_trees").is_dir():
        pytest.skip("no folder trec_qc/kelp_trees among the public corpora")
    parts = [load_trec_trees(part, corpora) for part in ("train", "test")]
    train, test = (np.array([example.labels[0] for example in part]) for part in parts)
    for (method, tree), value in TREC.items():
        old, new = (trees_named(part, tree) for part in parts)
        kernel = {"sst": SubsetTree(), "ptk": PartialTree()}[method]
        (classifier,) = train_classifiers(kernel.gram(old), train, [PUBLISHED_COST])
        assert 100 * np.mean(classifier.predict(kernel.gram(new, old)) == test) >= value - 1e-9
