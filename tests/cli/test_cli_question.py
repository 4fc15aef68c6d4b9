"""`rekern question`: one question, a file of them, a taxonomy of one's own, and bad input."""

import gzip
import subprocess
import sys

import pytest

from cli.running import error_of, invoke, json_of
from rekern.datasets import write_table

TYPES = {"Fact", "List", "Reason", "Solution", "Definition", "Navigation"}


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    path = tmp_path_factory.mktemp("labelled") / "labelled.tsv"
    rows = [("why is it so", "because"), ("why not", "because"), ("how to go", "way"), ("how to swim", "way")] * 3
    write_table(path, {"question": [q for q, _ in rows], "type": [t for _, t in rows]})
    return path


def test_one_question_in_either_language():
    text = invoke("question", "how do I get a visa for japan?").stdout
    assert text.startswith("Solution") and "probability" in text and "pattern" in text
    row = json_of("question", "为什么天空是蓝色的？")["rows"][0]
    assert row["type"] == "Reason" and set(row["probabilities"]) == TYPES and row["patterns"]
    assert sum(row["probabilities"].values()) == pytest.approx(1.0)


def test_an_answer_needs_no_heavy_import():
    """scikit-learn takes longer to import than all the rest of an answer."""
    heavy = ("sklearn", "pandas", "scipy.stats", "matplotlib")
    code = "import sys; sys.argv[1:] = ['question', 'how do I get a visa for japan?']\nfrom rekern.cli import main\n"
    code += f"try: main()\nfinally: print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8")
    assert done.stdout.startswith("Solution") and done.stderr == "[]\n"


def test_a_file_line_by_line_with_mixed_languages(tmp_path):
    path = tmp_path / "asked.txt"
    path.write_text("\ufeffwho is lady gaga\n\n宫保鸡丁怎么做\n😀\nwhy\n", encoding="utf-8")
    rows = json_of("question", path)["rows"]
    assert [row["question"] for row in rows] == ["who is lady gaga", "宫保鸡丁怎么做", "😀", "why"]
    assert [row["type"] for row in rows[:2]] == ["Definition", "Solution"]
    assert all(set(row) == {"question", "type", "probabilities"} for row in rows)
    lines = invoke("question", path).stdout.splitlines()
    assert lines[0] == "type\tprobability\tquestion" and len(lines) == 5
    assert invoke("question", "-", input="why is it\n").stdout.splitlines()[1].startswith("Reason")
    (tmp_path / "asked.txt.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert json_of("question", tmp_path / "asked.txt.gz")["rows"] == rows


@pytest.mark.parametrize("name", ["t.tsv", "t.csv", "t.jsonl"])
def test_a_table_is_read_by_its_column(tmp_path, name):
    path = tmp_path / name
    write_table(path, {"type": ["x", "y"], "question": ["why is it", "how to swim"]})
    assert [row["question"] for row in json_of("question", path)["rows"]] == ["why is it", "how to swim"]
    write_table(path, {"type": ["x"], "asked": ["why is it"]})
    assert json_of("question", path, "--question", "asked")["rows"][0]["question"] == "why is it"


def test_lines_stay_lines_whatever_the_file_is_called(tmp_path):
    (tmp_path / "lines.csv").write_text("why, oh why\nhow to swim, and where\n", encoding="utf-8")
    assert len(json_of("question", tmp_path / "lines.csv")["rows"]) == 2


def test_a_taxonomy_of_ones_own(labelled, tmp_path):
    model = tmp_path / "own.rekern"
    patterns = tmp_path / "patterns.txt"
    patterns.write_text("why .*\n", encoding="utf-8")
    result = json_of("question", "--train", labelled, "-o", model, "--patterns", patterns, "--penalty", "0.1")
    assert result["types"] == {"because": 6, "way": 6} and result["formulas"] > 0
    assert json_of("question", "why me", "--model", model)["rows"][0]["type"] == "because"
    assert json_of("question", "--evaluate", labelled, "--model", model)[str(labelled)]["accuracy"] == 100.0
    for method in ("msb", "mb"):
        assert (
            "questions: because 6, way 6"
            in invoke("question", "--train", labelled, "-o", model, "--method", method).stdout
        )
        assert "way" in invoke("question", "how to be", "--model", model).stdout


def test_a_type_with_a_single_example_is_warned_of(tmp_path):
    path = tmp_path / "few.tsv"
    write_table(path, {"question": ["why not", "how to", "why me"], "type": ["R", "S", "R"]})
    result = invoke("question", "--train", path, "-o", tmp_path / "m.rekern")
    assert "the type S has a single example" in result.stderr


def test_the_held_out_questions():
    """The figures that the documentation names come from this command."""
    result = json_of("question", "--evaluate")
    assert result["held-out english"]["accuracy"] >= 85 and result["held-out chinese"]["accuracy"] >= 80
    assert all(row["f"] >= 0.7 for part in result.values() for row in part["types"].values())
    assert "held-out english" in invoke("question", "--evaluate").stdout


def test_commands_for_pairs_refuse_a_model_of_questions(labelled, tmp_path):
    model = tmp_path / "m.rekern"
    invoke("question", "--train", labelled, "-o", model)
    write_table(tmp_path / "pairs.tsv", {"source": ["why"], "target": ["why not"], "label": [1]})
    for command in (
        ("predict", model, tmp_path / "pairs.tsv"),
        ("evaluate", model, tmp_path / "pairs.tsv"),
        ("explain", model, "a", "b"),
        ("rules", model),
    ):
        assert "m.rekern is no model of pairs: use it with rekern question --model" in error_of(*command)


def test_bad_input(labelled, tmp_path):
    model = tmp_path / "m.rekern"
    assert "there is no question" in error_of("question")
    assert "there is no question" in error_of("question", "  ")
    assert "is a folder" in error_of("question", tmp_path)
    assert "there is no file asked.txt" in error_of("question", "asked.txt")
    (tmp_path / "empty.txt").write_text("\n \n", encoding="utf-8")
    assert "contains no question" in error_of("question", tmp_path / "empty.txt")
    (tmp_path / "none.txt").write_bytes(b"")
    assert "contains no question" in error_of("question", tmp_path / "none.txt")
    write_table(tmp_path / "pairs.tsv", {"source": ["why"], "target": ["why not"]})
    message = error_of("question", tmp_path / "pairs.tsv")
    assert "pairs.tsv has no column 'question'; it has source, target: name one with --question" in message
    (tmp_path / "latin.txt").write_bytes(b"why\ncaf\xe9\n")
    assert "latin.txt, line 2: byte 0xe9 at offset" in error_of("question", tmp_path / "latin.txt")
    assert "no such.rekern: there is no such file" in error_of("question", "why", "--model", "no such.rekern")
    assert "this is a folder, not a model file" in error_of("question", "why", "--model", tmp_path)
    assert "add -o MODEL" in error_of("question", "--train", labelled)
    assert "leave QUESTION" in error_of("question", "why", "--train", labelled, "-o", model)
    assert "--out belongs to --train" in error_of("question", "why", "-o", model)
    assert "--method belongs to --train" in error_of("question", "why", "--method", "mb")
    assert "leave --model out" in error_of("question", "--train", labelled, "-o", model, "--model", model)
    invoke("question", "--train", labelled, "-o", tmp_path / "other.rekern")
    assert "has other types" in error_of("question", "--evaluate", "--model", tmp_path / "other.rekern")
    assert "--method 'x' is unknown" in error_of("question", "--train", labelled, "-o", model, "--method", "x")
    (tmp_path / "bad.txt").write_text("fine\na(b\n", encoding="utf-8")
    message = error_of("question", "--train", labelled, "-o", model, "--patterns", tmp_path / "bad.txt")
    assert "bad.txt, line 2, position 2: missing )" in message
    assert not model.exists()
    write_table(tmp_path / "hole.tsv", {"question": ["a", "b"], "type": ["R", ""]})
    assert "line 3: the type is missing" in error_of("question", "--train", tmp_path / "hole.tsv", "-o", model)


@pytest.mark.parametrize("asked", ["why", "😀", "word " * 5000, "why 天空 λ", "???", "a\x00b"])
def test_whatever_is_asked_has_probabilities(asked):
    row = json_of("question", asked)["rows"][0]
    assert sum(row["probabilities"].values()) == pytest.approx(1.0) and row["type"] in TYPES
