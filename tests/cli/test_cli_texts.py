"""Single texts and trees on the command line."""

from pathlib import Path

import pytest

from cli.running import error_of, invoke, json_of
from rekern import TextClassifier, load_model

WORDS = ("good", "fine", "great", "bad", "poor", "awful")
NOUNS = ("film", "book", "play", "song")


@pytest.fixture(scope="module")
def reviews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with reviews.tsv, trees.tsv and a model of each."""
    folder = tmp_path_factory.mktemp("texts")
    rows = [
        (n, f"a {word} {noun}", int(word in WORDS[:3]))
        for n, (word, noun) in enumerate((word, noun) for word in WORDS for noun in NOUNS)
    ]
    lines = ["id\ttext\tlabel", *(f"{n}\t{text}\t{label}" for n, text, label in rows)]
    (folder / "reviews.tsv").write_text("\n".join(lines) + "\n")
    trees = [
        "id\ttree\tlabel",
        *(f"{n}\t(NP (DT a) (JJ {text.split()[1]}) (NN x))\t{label}" for n, text, label in rows),
    ]
    (folder / "trees.tsv").write_text("\n".join(trees) + "\n")
    invoke("train", folder / "reviews.tsv", "-o", folder / "reviews.rekern", "--keep-pairs")
    invoke(
        "train",
        folder / "trees.tsv",
        "--text",
        "tree",
        "--kernel",
        '{"type": "PartialTree"}',
        "-o",
        folder / "trees.rekern",
    )
    return folder


def test_a_column_of_texts_makes_a_model_of_texts(reviews: Path, tmp_path: Path) -> None:
    assert isinstance(load_model(reviews / "reviews.rekern"), TextClassifier)
    assert isinstance(load_model(reviews / "trees.rekern"), TextClassifier)
    command = ("train", reviews / "reviews.tsv", "-o", tmp_path / "m.rekern")
    lines = invoke(*command, "--cv", 3, "--keep-case").stdout.splitlines()
    assert lines[0].startswith("read      24 texts from ") and lines[0].endswith("2 classes, 0 (12), 1 (12)")
    assert "3-fold CV accuracy 100.00%" in "\n".join(lines)
    assert json_of(*command, "--balanced", "--C", 2)["task"] == "classify"
    assert load_model(tmp_path / "m.rekern").C == 2.0


def test_predictions_and_measures(reviews: Path) -> None:
    rows = invoke("predict", reviews / "reviews.rekern", reviews / "reviews.tsv").stdout.splitlines()
    assert rows[0] == "id\tprediction\tprobability_0\tprobability_1" and rows[1].startswith("0\t1\t")
    texts = invoke("predict", reviews / "reviews.rekern", reviews / "reviews.tsv", "--texts").stdout
    assert texts.startswith("text\tid\tprediction")
    alone = json_of("predict", reviews / "reviews.rekern", "--source-text", "an awful song")
    assert alone["rows"][0]["prediction"] == 0
    assert json_of("evaluate", reviews / "reviews.rekern", reviews / "reviews.tsv")["accuracy"] == 1.0
    assert json_of("evaluate", reviews / "trees.rekern", reviews / "trees.tsv", "--text", "tree")["accuracy"] == 1.0


def test_explanations(reviews: Path) -> None:
    shown = invoke("explain", reviews / "reviews.rekern", "a great song", "--neighbors", 1).stdout
    assert "text      a great song" in shown and "great" in shown and "The most similar training texts:" in shown
    found = json_of("explain", reviews / "reviews.rekern", reviews / "reviews.tsv", "--row", 2)
    assert found["text"] == "a good book" and found["neighbors"][0]["text"] == "a good book"
    tree = json_of("explain", reviews / "trees.rekern", reviews / "trees.tsv", "--text", "tree", "--row", 1)
    assert tree["text"] == "(NP (DT a) (JJ good) (NN x))"


def test_pairs_and_texts_are_not_mixed_up(reviews: Path, models: Path, tmp_path: Path) -> None:
    line = error_of("evaluate", reviews / "reviews.rekern", models / "test.tsv")
    assert "has pairs, but the model classifies single texts: name their column with --text" in line
    line = error_of("predict", models / "two.rekern", reviews / "reviews.tsv")
    assert "has single texts, but the model compares pairs" in line
    assert "give one text, in quotes" in error_of("explain", reviews / "reviews.rekern", "a", "b")
    assert "no re-writing rules" in error_of("rules", reviews / "reviews.rekern")
    start = ("train", reviews / "reviews.tsv", "-o", tmp_path / "m.rekern")
    assert "--k describes rules of pairs" in error_of(*start, "--k", "1-2")
    assert "--auto is for pairs" in error_of(*start, "--auto")
    assert "can be classified only, not regressed" in error_of(*start, "--task", "regress")
    assert "Rewriting compares pairs of texts" in error_of(*start, "--kernel", '{"type": "Rewriting"}')
    assert "leave --source and --target out" in error_of(*start, "--text", "text", "--source", "id")
    assert list(tmp_path.iterdir()) == []
