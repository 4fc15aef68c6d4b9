"""TREC questions by what they ask for: from files to tables, and the choice before the test part is read."""

import json

import numpy as np
import pytest

from experiments import runs
from experiments.trec import METHODS, TASKS, load_questions_with_trees
from rekern.errors import InputError

KINDS = {"LOC": ("city", "country"), "HUM": ("composer", "actor"), "ENTY": ("bird", "fish")}


def write_part(folder, part, seed, size):
    draw = np.random.default_rng(seed)
    rows, trees = ["coarse\tfine\tquestion"], []
    for number in range(size):
        kind = list(KINDS)[number % 3]
        noun = KINDS[kind][draw.integers(2)]
        verb = str(draw.choice(["sees", "likes", "knows", "has"]))
        rows.append(f"{kind}\t{noun}\tWhat {noun} {verb} it number {number} ?")
        tree = f"(LEX##{verb}::v(LEX##{noun}::n(LEX##what::w))(LEX##it::p))"
        trees.append(f"{kind} |BS:quest| What {noun} |ES| " + " ".join(f"|BT:{name}| {tree} |ET|" for name in TREES))
    (folder / f"{part}.tsv").write_text("\n".join(rows) + "\n")
    name = {"train": "train_5500.coarse.klp", "test": "TREC_10.coarse.klp"}[part]
    (folder / "kelp_trees" / name).write_text("\n".join(trees) + "\n")


TREES = ("grct", "lct", "loct")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    data = tmp_path_factory.mktemp("data")
    (data / "trec_qc" / "kelp_trees").mkdir(parents=True)
    write_part(data / "trec_qc", "train", 0, 30)
    write_part(data / "trec_qc", "test", 1, 12)
    (data / "oewn").mkdir()
    synsets = [f"{noun}\tn\t{noun}\t{kind}\t\t" for kind, nouns in KINDS.items() for noun in nouns]
    synsets += [f"{kind}\tn\t{kind.lower()}\t\t\t" for kind in KINDS]
    header = "synset\tpos\tmembers\thypernym\tinstance_hypernym\tdefinition"
    (data / "oewn" / "synsets.tsv").write_text("\n".join([header, *synsets]) + "\n")
    (data / "glove_6b_100d").mkdir()
    (data / "glove_6b_100d" / "vectors.bin").write_text("3 2\ncity 1 0\ncountry 1 0.1\ncomposer 0 1\n")
    return data


def test_from_files_to_tables(folder, tmp_path):
    result = runs.run("trec-focus", data=folder, out=tmp_path)
    written = json.loads((tmp_path / "trec-focus.json").read_text())
    assert written | {"files": result["files"]} == json.loads(json.dumps(result, allow_nan=False))
    assert [(row["task"], row["method"]) for row in result["rows"]] == [(t, m) for t in TASKS for m in METHODS]
    recorded = json.loads((tmp_path / "trec-focus-chosen.json").read_text())
    for task in TASKS:
        rows = [row for row in result["rows"] if row["task"] == task]
        (chosen,) = [row for row in rows if row["chosen"]]
        assert chosen["cv_accuracy"] == max(row["cv_accuracy"] for row in rows) == recorded[task]["cv_accuracy"]
        assert chosen["accuracy"] == 100
    text = runs.render(result)
    assert "kinds+ptk+sptk" in text and "None" not in text


def test_the_choice_is_recorded_before_the_test_part_is_read(folder, tmp_path, monkeypatch):
    import experiments.trec as module

    def load(part, data=None):
        if part == "test":
            assert (tmp_path / "trec-focus-chosen.json").exists()
            raise KeyboardInterrupt
        return load_questions_with_trees(part, data)

    monkeypatch.setattr(module, "load_questions_with_trees", load)
    with pytest.raises(KeyboardInterrupt):
        runs.run("trec-focus", data=folder, out=tmp_path)


def test_trees_of_other_questions_are_refused(folder, tmp_path):
    (tmp_path / "trec_qc" / "kelp_trees").mkdir(parents=True)
    write_part(tmp_path / "trec_qc", "train", 0, 6)
    path = tmp_path / "trec_qc" / "kelp_trees" / "train_5500.coarse.klp"
    path.write_text("\n".join(path.read_text().splitlines()[1:]) + "\n")
    with pytest.raises(InputError, match="are not those of its questions"):
        load_questions_with_trees("train", tmp_path)
