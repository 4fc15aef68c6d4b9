"""`python -m experiments questions` from files to tables, on small corpora; the targets on real ones are slow."""

import json
import os

import pytest

from experiments import runs
from rekern.errors import InputError
from rekern.questions.question_corpus import load_questions

COLUMNS = {"data", "method", "formulas", "easy", "all", "published"}


def write(path, header, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join("\t".join(row) + "\n" for row in [header, *rows]), encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The corpora's formats, filled with a few questions of our own."""
    made = tmp_path_factory.mktemp("corpora")
    questions, kinds = load_questions("train", "english")
    rows = [row for row in zip(questions, kinds) if row[1] in ("Reason", "Solution", "Navigation")][::6]
    for part, found in (("train", rows[::2]), ("test", rows[1::2])):
        marked = [(kind, "authors" if row % 3 else "unsupervised", q) for row, (q, kind) in enumerate(found)]
        write(made / "nf_cats" / f"{part}.tsv", ("category", "annotated_by", "question"), marked)
        listed = [(kind, kind[:2], q) for q, kind in found]
        write(made / "trec_qc" / f"{part}.tsv", ("coarse", "fine", "question"), listed)
    labels = {"Navigation": "Navigational", "Reason": "Abstain", "Solution": "Factual"}
    queries = [(str(row), q, "D", "http://x", labels[kind]) for row, (q, kind) in enumerate(rows)]
    write(made / "orcas_i_gold" / "orcas_i_gold.tsv", ("qid", "query", "did", "url", "label_manual"), queries)
    return made


@pytest.mark.parametrize(
    "name", ["nf_cats/human", *(pytest.param(name, marks=pytest.mark.slow) for name in ("trec/fine", "orcas"))]
)
def test_one_data_set(folder, tmp_path, name, monkeypatch):
    monkeypatch.setattr("experiments.question_experiments.ORCAS_FOLDS", 3)
    result = runs.run("questions", folder, tmp_path, only=name)
    assert [row["method"] for row in result["rows"]] == ["sb", "mb", "msb", "mss"]
    assert all(set(row) >= COLUMNS and row["data"] == name and 0 <= row["all"] <= 100 for row in result["rows"])
    stem = f"questions-{name.replace('/', '-')}"
    written = json.loads((tmp_path / f"{stem}.json").read_text())
    assert json.loads(json.dumps(result, allow_nan=False)) == written | {"files": result["files"]}
    assert all(os.path.isfile(path) for path in result["files"])
    assert name == "orcas" or (tmp_path / f"{stem}-chosen.json").is_file()
    text = runs.render(result)
    assert name in text and "private" in text and "None" not in text


def test_bad_names(folder, tmp_path):
    with pytest.raises(InputError, match="there is no data set 'x': choose nf_cats/human"):
        runs.run("questions", folder, only="x")
    with pytest.raises(InputError, match="leave --only"):
        runs.run("msrp", folder, only="x")
    with pytest.raises(InputError, match="put the corpus there"):
        runs.run("questions", tmp_path, only="orcas")


@pytest.mark.slow
def test_targets_on_nf_cats(corpora):
    result = runs.run("questions", corpora, only="nf_cats/human")
    found = {row["method"]: row["all"] for row in result["rows"]}
    assert found["mss"] >= found["sb"] + 3.2 and found["mb"] >= found["sb"]
    assert found["mss"] >= result["details"]["nf_cats/human"]["linear_svm"]["all"]


@pytest.mark.slow
def test_targets_on_trec(corpora):
    result = runs.run("questions", corpora, only="trec/coarse")
    assert max(row["all"] for row in result["rows"] if row["method"] in ("msb", "mss")) >= 90


@pytest.mark.slow
def test_our_own_questions():
    result = runs.run("questions", only="six-types")
    languages = result["details"]["six-types"]["languages"]
    assert languages["english"]["accuracy"] >= 85 and languages["chinese"]["accuracy"] >= 80
