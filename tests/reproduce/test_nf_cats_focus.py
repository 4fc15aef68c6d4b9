"""NF-CATS questions by sums of kernels: from files to a table, and the choice before the test part is read."""

import json

import pytest

from rekern import reproduce
from rekern.errors import InputError
from rekern.reproduce.nf_cats_focus import METHODS
from rekern.reproduce.result_table import list_figures
from rekern.similarity.lexicons.wordnet import WordNet


def write_part(path, size):
    asked = [("INSTRUCTION", "How do I cook rice number"), ("REASON", "Why is the sky blue number")]
    rows = [f"{kind}\tmturk\t{text} {n}?" for n in range(size) for kind, text in asked]
    path.write_text("\n".join(["category\tannotated_by\tquestion", "DEBATE\tunsupervised\tIs it?", *rows]) + "\n")


def test_from_files_to_a_table(tmp_path):
    (tmp_path / "nf_cats").mkdir()
    write_part(tmp_path / "nf_cats" / "train.tsv", 6)
    (tmp_path / "oewn").mkdir()
    WordNet.from_synsets([("1", "n", ["rice"], [], ""), ("2", "n", ["sky"], [], "")]).save(tmp_path / "oewn")
    (tmp_path / "glove_6b_100d").mkdir()
    (tmp_path / "glove_6b_100d" / "vectors.bin").write_text("rice 1 0\nsky 0.5 1\nblue 0.4 1\n")
    with pytest.raises(InputError, match=r"there is no .*test\.tsv"):
        reproduce.run("nf-cats-focus", data=tmp_path, out=tmp_path / "out")
    recorded = json.loads((tmp_path / "out" / "nf-cats-focus-chosen.json").read_text())
    assert recorded["cv_accuracy"] == 100 and "accuracy" not in recorded

    write_part(tmp_path / "nf_cats" / "test.tsv", 2)
    result = reproduce.run("nf-cats-focus", data=tmp_path)
    assert [row["method"] for row in result["rows"]] == list(METHODS)
    assert [row["chosen"] for row in result["rows"]] == [True, False, False, False, False]  # the first of equal ones
    (figure,) = list_figures(result)
    assert (figure.task, figure.column, figure.value) == ("nf-cats-human", "best", 100.0)
    assert "Chosen on the training part" in reproduce.render(result)
