"""The one table of all tasks: what is collected from result files, and what the baselines write."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from experiments import embedding_baseline, runs
from experiments.published_results import TASKS
from experiments.result_table import collect_figures, format_markdown
from rekern.errors import InputError

ROW = {"corpus": "paws", "measure": "accuracy", "default": 84.24, "value": 84.84, "low": 84.1, "high": 85.58}
CHOSEN = {"chosen": "rules", "C": 3.0}
RESULTS = {
    "pairs": {"rows": [{**ROW, **CHOSEN}]},
    "auto": {"rows": [{**ROW, **CHOSEN, "value": 84.5}]},
    "trec-focus": {
        "rows": [
            {"task": "coarse", "method": "words", "C": 3.0, "accuracy": 91.4, "chosen": False},
            {"task": "coarse", "method": "kinds", "C": 3.0, "accuracy": 95.2, "chosen": True},
        ],
        "test_questions": 500,
    },
    "questions": {
        "rows": [{"data": "nf_cats/human", "method": method, "all": 80.0} for method in ("sb", "mss")],
        "details": {"nf_cats/human": {"test": 100}},
    },
    "structural-rte3": {
        "chosen_on_train": {"method": "trees", "C": 0.3, "accuracy": 69.0},
        "test_pairs": 800,
    },
    "geoquery": {"rows": [{"kernel": "ranked", "train": size, "f": 90.0 + size} for size in (1, 2)]},
    "clang": {
        "rows": [
            {"kernel": kernel, "train": 1, "f": f}
            for kernel, f in (("word", 69.0), ("default", 71.0), ("syntactic", 68.0), ("ranked-word", 70.0))
        ],
        "curves": [{"kernel": "ranked-word", "train": 1, "points": [[80.0, 62.0], [70.0, 70.0]]}],
        "questions": 100,
        "runs": 1,
    },
    "stsb": {"rows": []},  # in no row of the table
}


@pytest.fixture
def folder(tmp_path):
    for name, result in RESULTS.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"name": name, **result}))
    return tmp_path


def test_every_result_stands_in_its_row(folder):
    found = {(figure.task, figure.column): figure for figure in collect_figures(folder)}
    assert {key: figure.value for key, figure in found.items()} == {
        ("paws", "default"): 84.24,
        ("paws", "best"): 84.84,
        ("paws", "auto"): 84.5,
        ("trec-coarse", "best"): 95.2,
        ("nf-cats-human", "default"): 80.0,
        ("rte3-trees", "best"): 69.0,
        ("geoquery", "best"): 92.0,
        ("clang", "default"): 71.0,
        ("clang", "best"): 70.0,
    }
    assert found["paws", "best"].setting == "rules, C = 3" and found["paws", "best"].file == "pairs.json"
    low, high = found["trec-coarse", "best"][3:5]
    assert 92.5 < low < 95.2 < high < 97.0
    low, high = found["clang", "best"][3:5]
    assert 55.0 < low < 70.0 < high < 85.0 and found["clang", "default"].low is None  # it has no curve
    lines = format_markdown(list(found.values())).splitlines()
    assert len(lines) == 8 and len({line.count("|") for line in lines}) == 1
    assert "| PAWS, its dev part for training | accuracy | 84.24 | 84.50 | 84.84 | 84.10 to 85.58 |  |  |" in lines


def test_the_page_has_the_table_of_its_files():
    root = Path(__file__).parents[2]
    page = (root / "docs" / "results.md").read_text(encoding="utf-8")
    assert format_markdown(collect_figures(root / "experiments" / "results" / "files")) in page


def test_bad_folders(folder, tmp_path):
    (folder / "pairs-paws.json").write_text((folder / "pairs.json").read_text())
    with pytest.raises(InputError, match=r"pairs-paws.json and pairs.json both have paws, default: remove one"):
        collect_figures(folder)
    (folder / "a.json").write_text("{")
    with pytest.raises(InputError, match=r"a.json is not a result file"):
        collect_figures(folder)
    with pytest.raises(InputError, match="there are no result files in"):
        collect_figures(tmp_path / "nowhere")


def test_what_auto_chooses(small_corpora, tmp_path):
    result = runs.run("auto", data=small_corpora, out=tmp_path, only="stsb", minutes=0.02)
    (row,) = result["rows"]
    assert row["low"] <= row["value"] <= row["high"] and row["chosen"] in runs.render(result)
    assert row["best_on_train"] >= row["on_train"] and row["processor_seconds"] > 0
    assert [(figure.task, figure.column) for figure in collect_figures(tmp_path)] == [("stsb", "auto")]
    assert "value" not in json.loads((tmp_path / "auto-stsb-chosen.json").read_text())


def test_embeddings_of_a_folder(small_corpora, tmp_path, monkeypatch):
    def encode(texts):
        counts = np.array([[text.count(letter) for letter in "aeiou"] for text in texts], dtype=float) + 0.01
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)

    monkeypatch.setattr(embedding_baseline, "load_encoder", lambda folder: encode)
    for name in ("sick-entailment", "stsb", "wikiqa"):
        result = runs.run("embeddings", data=small_corpora, only=name, model=tmp_path)
        (row,) = result["rows"]
        assert row["low"] <= row["value"] <= row["high"] and name in runs.render(result)
    asked = ["how many are there ?", "who was it ?"] * 5
    parts = SimpleNamespace(load_train=lambda: (asked, ["n", "h"] * 5), load_test=lambda: (asked[:2], ["n", "h"]))
    monkeypatch.setattr(embedding_baseline, "list_data_sets", lambda data: {"trec/coarse": parts})
    (row,) = runs.run("embeddings", only="trec-coarse", model=tmp_path)["rows"]
    assert row["value"] == 100.0 and set(embedding_baseline.QUESTIONS) <= set(TASKS)


def test_embeddings_need_a_folder(tmp_path):
    with pytest.raises(InputError, match="needs the folder of a sentence-transformers model: --model DIR"):
        runs.run("embeddings")
    with pytest.raises(InputError, match="there is no model folder"):
        runs.run("embeddings", model=tmp_path)
    with pytest.raises(InputError, match="there is no corpus 'sick'"):
        runs.run("embeddings", only="sick")
    with pytest.raises(InputError, match="reads no model of sentences"):
        runs.run("pairs", model=tmp_path)
