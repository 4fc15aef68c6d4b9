"""Every experiment runs from files to tables, figures and JSON."""

import json
import os

import pytest

from experiments import runs
from experiments.published_results import OTHERS, OWN, TITLES
from experiments.rewriting_experiments import find_best_row
from rekern.errors import InputError

OF_PAIRS = ["msrp", "rte3", "rte3-ablation", "qqp", "sick", "stsb", "wikiqa", "paws"]
KEYS = {"name", "rows", "chosen_on_train", "candidates", "train_pairs", "test_pairs", "files", "seconds"}
MEASURES = {
    "qqp": {"accuracy"},
    "paws": {"accuracy"},
    "stsb": {"pearson", "spearman"},
    "wikiqa": {"map", "mrr"},
}


@pytest.fixture(scope="session")
def results(small_corpora, tmp_path_factory):
    """The result and the folder of each experiment, run when first asked for."""
    found = {}

    def result_of(name):
        if name not in found:
            out = tmp_path_factory.mktemp("out") / "figures"
            found[name] = (runs.run(name, data=small_corpora, out=out), out)
        return found[name]

    return result_of


@pytest.mark.parametrize("name", OF_PAIRS)
def test_results_are_json_and_written(results, name):
    result, out = results(name)
    assert set(result) - {"tables", "figure6"} == KEYS
    written = (out / f"{name}.json").read_text()
    assert json.loads(json.dumps(result, allow_nan=False)) == result == json.loads(written) | {"files": result["files"]}
    assert str(out) not in written  # such files are handed on
    assert result["name"] == name and result["seconds"] >= 0  # of a small corpus, 0.0 when rounded
    assert all(os.path.isfile(path) for path in result["files"])
    assert all("published" in row and "method" in row and "kmax" in row for row in result["rows"])


@pytest.mark.parametrize("name", OF_PAIRS)
def test_results_as_text(results, name):
    result, _ = results(name)
    text = runs.render(result)
    assert TITLES[name] in text
    assert all(row["method"] in text for row in result["rows"])
    assert "Chosen on the training part: method " in text and "None" not in text.replace("language=None", "")


@pytest.mark.parametrize("name", ["msrp", "rte3"])
def test_rows_of_the_paper(results, name):
    result, _ = results(name)
    rows = {(row["method"], row["kmax"]): row for row in result["rows"]}
    kernels = [f"{kernel}{scores}" for kernel in ("ps-srk", "pw-srk", "kb-srk") for scores in ("", "+pr")]
    assert set(rows) == {("pr", None)} | {(kernel, kmax) for kernel in kernels for kmax in (1, 2, 3, 4)}
    assert all(0 <= row["accuracy"] <= 100 for row in rows.values())
    assert sorted(row["published"] for row in rows.values() if row["published"]) == sorted(OWN[name].values())
    systems = {row["system"]: row for row in result["tables"]}
    assert {*OTHERS[name], *OWN[name], "chosen on train"} == set(systems)
    assert systems["kb-srk"]["ours"] == find_best_row(result["rows"], "kb-srk")["accuracy"]


def test_published_values_stand_where_the_paper_says(results):
    for name, kmax, value in (("msrp", 4, 76.3), ("rte3", 2, 65.1)):
        rows = results(name)[0]["rows"]
        assert [row["published"] for row in rows if (row["method"], row["kmax"]) == ("kb-srk+pr", kmax)] == [value]


def test_figures_are_drawn(results):
    result, out = results("msrp")
    assert [row["k"] for row in result["figure6"]] == list(range(1, 9))
    for name in ("figure6-msrp.png", "figure7-msrp.png"):
        assert (out / name).read_bytes().startswith(b"\x89PNG")
    assert (results("rte3")[1] / "figure8-rte3.png").is_file()


def test_the_choice_is_the_best_in_the_folds_and_is_recorded(results):
    result, out = results("msrp")
    chosen = result["chosen_on_train"]
    assert chosen["cv_accuracy"] == max(row["cv_accuracy"] for row in result["candidates"])
    recorded = json.loads((out / "msrp-chosen.json").read_text())
    assert recorded == {key: value for key, value in chosen.items() if key != "accuracy"}


def test_the_choice_is_recorded_before_the_test_part_is_read(small_corpora, tmp_path):
    data = tmp_path / "data" / "msrp"
    data.mkdir(parents=True)
    (data / "train.tsv").write_bytes((small_corpora / "msrp" / "train.tsv").read_bytes())
    with pytest.raises(InputError, match=r"there is no .*test\.tsv"):
        runs.run("msrp", data=tmp_path / "data", out=tmp_path / "out")
    assert os.listdir(tmp_path / "out") == ["msrp-chosen.json"]


def test_results_do_not_depend_on_threads_or_on_out(results, small_corpora):
    first, _ = results("rte3")
    again = runs.run("rte3", data=small_corpora, n_jobs=1)
    for key in ("rows", "chosen_on_train", "candidates", "tables"):
        assert again[key] == first[key]
    assert "files" not in again


@pytest.mark.parametrize("name", MEASURES)
def test_comparisons_stand_beside_the_baseline(results, name):
    result, _ = results(name)
    assert "tfidf" in {row["method"] for row in result["rows"]}
    assert all(MEASURES[name] <= set(row) for row in [*result["rows"], result["chosen_on_train"]])


def test_sick_has_two_responses(results):
    result, _ = results("sick")
    tasks = {task: [row for row in result["rows"] if row["task"] == task] for task in ("entailment", "relatedness")}
    assert all("accuracy" in row for row in tasks["entailment"])
    assert all("pearson" in row and "spearman" in row for row in tasks["relatedness"])
    assert all("tfidf" in {row["method"] for row in rows} for rows in tasks.values())
    assert "accuracy" in result["chosen_on_train"] and "pearson" in result["chosen_on_train"]["relatedness"]


def test_bad_input(tmp_path):
    with pytest.raises(InputError, match="there is no experiment 'trek': choose msrp, rte3"):
        runs.run("trek")
    with pytest.raises(InputError, match="which is no folder"):
        runs.run("msrp", data=tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file: give a folder for the figures"):
        runs.run("msrp", data=tmp_path, out=tmp_path / "file")


def test_a_training_part_with_one_label(small_corpora, tmp_path):
    lines = (small_corpora / "msrp" / "train.tsv").read_text().splitlines()
    folder = tmp_path / "msrp"
    folder.mkdir()
    (folder / "train.tsv").write_text("\n".join(line for line in lines if not line.startswith("0")) + "\n")
    with pytest.raises(InputError, match="must have two labels, but it has 1"):
        runs.run("msrp", data=tmp_path)
    rare = [line for line in lines if line.startswith("0")][:3]
    (folder / "train.tsv").write_text("\n".join([*(line for line in lines if not line.startswith("0")), *rare]) + "\n")
    with pytest.raises(InputError, match="needs 5 pairs of each"):
        runs.run("msrp", data=tmp_path)


SETTING = ["method", "kmax", "C", "note", "kernel"]
FIELDS = {  # of a row, of the last row, of the choice, and of a candidate, in this order: other programs read them
    ("msrp", "rte3", "rte3-ablation"): (
        ["method", "kmax", "accuracy", "published", "cv_accuracy", "note"],
        ["method", "kmax", "accuracy", "published", "cv_accuracy", "note"],
        [*SETTING, "cv_accuracy", "folds", "accuracy"],
        [*SETTING, "cv_accuracy"],
    ),
    ("paws",): (
        ["method", "kmax", "accuracy", "published", "cv_accuracy", "note"],
        ["method", "kmax", "accuracy", "published"],
        [*SETTING, "cv_accuracy", "folds", "accuracy"],
        [*SETTING, "cv_accuracy"],
    ),
    ("qqp",): (
        ["method", "kmax", "published", "note", "accuracy", "dev_accuracy"],
        ["method", "kmax", "published", "accuracy"],
        [*SETTING, "dev_accuracy", "accuracy"],
        [*SETTING, "dev_accuracy"],
    ),
    ("stsb",): (
        ["method", "kmax", "published", "note", "pearson", "spearman", "dev_pearson"],
        ["method", "kmax", "published", "pearson", "spearman"],
        [*SETTING, "dev_pearson", "dev_spearman", "pearson", "spearman"],
        [*SETTING, "dev_pearson"],
    ),
    ("wikiqa",): (
        ["method", "kmax", "published", "note", "map", "mrr", "dev_map"],
        ["method", "kmax", "published", "map", "mrr"],
        [*SETTING, "dev_map", "dev_mrr", "map", "mrr"],
        [*SETTING, "dev_map"],
    ),
    ("sick",): (
        ["method", "kmax", "published", "note", "accuracy", "dev_accuracy", "task"],
        ["method", "kmax", "published", "pearson", "spearman", "task"],
        [*SETTING, "dev_accuracy", "accuracy", "task", "relatedness"],
        [*SETTING, "dev_accuracy", "task"],
    ),
}


@pytest.mark.parametrize(("name", "names"), [(name, names) for names in FIELDS for name in names])
def test_the_fields_stay(results, name, names):
    result, _ = results(name)
    parts = [result["rows"][0], result["rows"][-1], result["chosen_on_train"], result["candidates"][0]]
    assert tuple(map(list, parts)) == FIELDS[names]
    more = {"msrp": ["tables", "figure6"], "rte3": ["tables"]}.get(name, [])
    head = ["name", "rows", "chosen_on_train", "candidates", "train_pairs", "test_pairs"]
    assert list(result) == [*head, *more, "seconds", "files"]
    assert all(list(row)[:3] == ["system", "published", "ours"] for row in result.get("tables", []))
    assert all(list(row) == ["k", "average", "worst"] for row in result.get("figure6", []))
