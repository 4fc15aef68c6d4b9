"""``rekern train``: tasks, options, what is printed and written."""

from pathlib import Path

import pytest

from cli.running import error_of, invoke, json_of
from rekern import load_model


def test_it_says_what_it_read_did_and_wrote(tables: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.rekern"
    lines = invoke("train", tables / "train.tsv", "-o", path, "--jobs", 1).stdout.splitlines()
    assert lines[0].startswith("read      240 pairs from ") and lines[0].endswith(": 2 classes, 0 (120), 1 (120)")
    assert lines[1] == "kernel    rules with aligned wildcards, k 1-4, + curves of 48 scores and products of every two"
    assert lines[2] == "tokens    case folded, english stems"
    assert lines[3].startswith("solver    LIBSVM on a 240 × 240 Gram matrix, in ")
    assert lines[4].startswith(f"model     {path} (")
    assert type(load_model(path)).__name__ == "PairClassifier"
    assert [file.name for file in tmp_path.iterdir()] == ["m.rekern"]


def test_it_says_which_columns_it_found(tables: Path, tmp_path: Path) -> None:
    lines = (tables / "train.tsv").read_text().splitlines()
    names = {"source": "Text_A", "target": "Text_B", "label": "LABEL"}
    own = tmp_path / "own.tsv"
    own.write_text("\n".join(["\t".join(names.get(name, name) for name in lines[0].split("\t")), *lines[1:]]))
    start = ("train", own, "-o", tmp_path / "m.rekern", "--kernel", "scores")
    told = "columns   source Text_A, target Text_B, label LABEL"
    assert invoke(*start).stdout.splitlines()[1] == told
    assert told in invoke(*start, "--memory", "1GB").stdout
    assert json_of(*start)["columns"] == names
    named = ("--source", "Text_A", "--target", "Text_B", "--label", "LABEL")
    assert "columns " not in invoke(*start, *named).stdout


def test_options_of_the_kernel_reach_it(tables: Path, tmp_path: Path) -> None:
    options = ("--k", "3x5,4x4", "--wildcards", "free", "--decay", 0.5, "--span", 2, "--no-pr", "--C", 2.5)
    words = ("--language", "none", "--keep-case", "--balanced")
    report = json_of("train", tables / "train.tsv", "-o", tmp_path / "m.rekern", *options, *words)
    assert report["kernel"] == "rules with wildcards for any word, k 3x5,4x4, decay 0.5, span 2"
    assert report["tokens"] == "case kept, no stems"
    assert report["classes"] == {"0": 120, "1": 120} and report["pairs"] == 240 and report["bytes"] > 0
    model = load_model(tmp_path / "m.rekern")
    kernel = model.kernel_
    assert (kernel.k, kernel.wildcards, kernel.decay, kernel.span) == ([(3, 5), (4, 4)], "free", 0.5, 2)
    assert (kernel.tokenizer.language, kernel.tokenizer.lowercase) == (None, False)
    assert (model.C, model.class_weight) == (2.5, "balanced")


def test_kernels_with_a_name(tables: Path, tmp_path: Path) -> None:
    start = ("train", tables / "three.tsv", "-o", tmp_path / "m.rekern")
    report = json_of(*start, "--kernel", "paper", "--k", "1-2", "--language", "none")
    assert report["kernel"] == "rules with aligned wildcards, k 1-2, + precision and recall"
    assert report["tokens"] == "case folded, no stems"
    report = json_of(*start, "--kernel", "scores", "--keep-case")
    assert (report["kernel"], report["tokens"]) == ("48 scores", "case kept, english stems")
    assert load_model(tmp_path / "m.rekern").kernel_.tokenizer.lowercase is False
    assert "no kernel named 'rules+curve'; did you mean 'rules+curves'?" in error_of(*start, "--kernel", "rules+curve")
    assert "the names are rules+curves, rules+scores" in error_of(*start, "--kernel", "xyz")
    assert "--kernel curves has no rules: leave --k out" in error_of(*start, "--kernel", "curves", "--k", "2")
    assert "leave one of --no-pr and --kernel scores out" in error_of(*start, "--kernel", "scores", "--no-pr")
    assert "describes the whole kernel: leave --k out" in error_of(
        *start, "--kernel", '{"type": "Rewriting"}', "--k", 2
    )


def test_window_sizes_in_json(tables: Path, tmp_path: Path) -> None:
    start = ("train", tables / "three.tsv", "-o", tmp_path / "m.rekern", "--kernel")
    for k, expected in (('"1-3"', (1, 3)), ('{"from": 1, "to": 3}', (1, 3)), ('"1,3"', [1, 3]), ("[1, 2]", [1, 2])):
        result = invoke(*start, f'{{"type": "Rewriting", "k": {k}}}')
        assert load_model(tmp_path / "m.rekern").kernel_.k == expected
        assert "window sizes" not in result.stderr
    result = invoke(*start, '{"type": "Rewriting", "k": [1, 3]}')
    assert '[1, 3] means the two window sizes 1 and 3; write "1-3" for all sizes from 1 to 3' in result.stderr
    assert "Rewriting(k=[1, 3])" in result.stdout  # (1, 3) would be the range
    assert "'3-1' is no list of window sizes" in error_of(*start, '{"type": "Rewriting", "k": "3-1"}')


def test_the_labels_decide_the_task(models: Path) -> None:
    kinds = {name: type(load_model(models / f"{name}.rekern")).__name__ for name in ("two", "three", "real", "rank")}
    classifier = "PairClassifier"
    assert kinds == {"two": classifier, "three": classifier, "real": "PairRegressor", "rank": "PairRanker"}


def test_tasks_on_request(tables: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.rekern"
    assert json_of("train", tables / "train.tsv", "--task", "regress", "-o", path)["task"] == "regress"
    assert json_of("train", tables / "train.tsv", "--ordinal", "-o", path)["task"] == "regress"
    assert load_model(path).response == "ordinal"
    ranked = ("--source", "question", "--target", "answer", "--label", "good", "--task", "rank")
    report = json_of("train", tables / "rank.tsv", *ranked, "-o", path)  # groups: pairs of one question
    assert (report["task"], report["groups"]) == ("rank", 4)


def test_options_that_do_not_go_together(tables: Path, tmp_path: Path) -> None:
    start = ("train", tables / "train.tsv", "-o", tmp_path / "m.rekern")
    assert "--ordinal goes with --task regress" in error_of(*start, "--ordinal", "--task", "classify")
    assert "--group goes with --task rank" in error_of(*start, "--group", "label", "--task", "classify")
    assert "--balanced goes with --task classify" in error_of(*start, "--balanced", "--task", "regress")
    line = error_of("train", tables / "three.tsv", "-o", tmp_path / "m.rekern", "--task", "regress")
    assert "three.tsv, line 2: the label 'maybe' is not a number; --task classify takes it" in line
    assert list(tmp_path.iterdir()) == []


def test_many_whole_numbers_are_remarked_upon(tmp_path: Path) -> None:
    rows = "".join(f"word{n} a b\tword{n} c\t{n // 2}\n" for n in range(44))
    (tmp_path / "t.tsv").write_text("source\ttarget\tlabel\n" + rows)
    result = invoke("train", tmp_path / "t.tsv", "-o", tmp_path / "m.rekern")
    assert "22 different numbers are used as classes; --task regress" in result.stderr
    assert "22 classes, 0 (2), 1 (2)" in result.stdout and "15 more" in result.stdout


def test_whole_numbers_with_a_point_are_classes(tables: Path, tmp_path: Path) -> None:
    path = tmp_path / "pandas.tsv"
    path.write_text((tables / "train.tsv").read_text().replace("\t0\n", "\t0.0\n").replace("\t1\n", "\t1.0\n"))
    result = invoke("train", path, "-o", tmp_path / "m.rekern")
    assert "the classes are 0, 1; --task regress uses them as quantities" in result.stderr
    assert "2 classes, 0 (120), 1 (120)" in result.stdout
    assert load_model(tmp_path / "m.rekern").classes_.tolist() == [0, 1]
    assert json_of("evaluate", tmp_path / "m.rekern", path)["accuracy"] > 0.9
    assert json_of("train", path, "--task", "regress", "-o", tmp_path / "m.rekern")["task"] == "regress"


def test_a_regression_is_remarked_upon(tables: Path, tmp_path: Path) -> None:
    result = invoke("train", tables / "real.tsv", "-o", tmp_path / "m.rekern")
    assert "the labels are decimal numbers: this is a regression; --task classify" in result.stderr


def test_few_pairs_are_remarked_upon(tables: Path, tmp_path: Path) -> None:
    lines = (tables / "train.tsv").read_text().splitlines()
    (tmp_path / "few.tsv").write_text("\n".join(lines[:8]))
    result = invoke("train", tmp_path / "few.tsv", "-o", tmp_path / "m.rekern")
    assert "warning: 7 pairs are very few to learn from" in result.stderr
    (tmp_path / "rare.tsv").write_text("\n".join([*lines[:30], "a b\tc d\tother"]))
    result = invoke("train", tmp_path / "rare.tsv", "-o", tmp_path / "m.rekern")
    assert "warning: class other has a single example" in result.stderr


def test_empty_texts_are_remarked_upon(tables: Path, tmp_path: Path) -> None:
    lines = (tables / "train.tsv").read_text().splitlines()
    (tmp_path / "empty.tsv").write_text("\n".join([*lines[:30], "\tc d\t1", "a b\t \t0"]))
    result = invoke("train", tmp_path / "empty.tsv", "-o", tmp_path / "m.rekern")
    assert "warning: 2 of 31 pairs have an empty text, the first in" in result.stderr
    assert "empty.tsv, line 31; drop the rows if the texts are missing" in result.stderr


def test_strange_classes_are_remarked_upon(tables: Path, tmp_path: Path) -> None:
    _, *rows = (line.split("\t")[:2] for line in (tables / "train.tsv").read_text().splitlines()[:41])
    pairs = tmp_path / "pairs.csv"

    def train(labels: list[str], *options: str) -> str:
        lines = [f'"{source}";"{target}";{label}' for (source, target), label in zip(rows, labels)]
        pairs.write_text("\n".join(["source;target;label", *lines]))
        return invoke("train", pairs, "-o", tmp_path / "m.rekern", "--kernel", "scores", *options).stderr

    assert "the column label has 40 classes in 40 rows; if another one is" in train([f"id{i}" for i in range(40)])
    assert "numbers with decimal commas are used as classes; write 0.5" in train(["0,5", "1", "1,5", "2"] * 10)
    assert "warning: nan is a class (4 of 40 rows, the first in " in train([*["yes", "no"] * 4, "nan", "no"] * 4)
    assert not train(["yes", "no"] * 20)
    message = error_of("train", pairs, "-o", tmp_path / "m.rekern", "--label", "target")
    assert "'target' is the column of a text and of the label; name another with label= (--label)" in message
    assert message == error_of("train", pairs, "-o", tmp_path / "m.rekern", "--label", "target", "--memory", "1GB")


@pytest.mark.parametrize(
    ("table", "options", "measures"),
    [
        ("train.tsv", (), {"accuracy", "deviation", "accuracies"}),
        ("real.tsv", (), {"pearson", "spearman", "mse"}),
        (
            "rank.tsv",
            ("--source", "question", "--target", "answer", "--label", "good", "--group", "id"),
            {"map", "mrr"},
        ),
    ],
)
def test_cross_validation(tables: Path, tmp_path: Path, table: str, options: tuple, measures: set) -> None:
    command = ("train", tables / table, *options, "--cv", 3, "-o", tmp_path / "m.rekern")
    found = json_of(*command)["cross_validation"]
    assert measures <= set(found) and found["folds"] == 3
    assert json_of(*command)["cross_validation"] == found
    assert "3-fold CV " in invoke(*command).stdout


def test_cross_validation_is_what_scikit_learn_finds(tables: Path, tmp_path: Path) -> None:
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    from rekern import PairClassifier
    from rekern.datasets import read_table

    found = json_of("train", tables / "train.tsv", "--cv", 3, "-o", tmp_path / "m.rekern")["cross_validation"]
    table = read_table(tables / "train.tsv")
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    scores = cross_val_score(PairClassifier(calibration=0), table.pairs, table.labels, cv=folds)
    assert found["accuracies"] == pytest.approx(scores.tolist())


def test_a_model_is_not_printed(tables: Path) -> None:
    assert "name a file" in error_of("train", tables / "train.tsv", "-o", "-")


def test_too_many_folds(tables: Path, tmp_path: Path) -> None:
    start = ("train", tables / "train.tsv", "-o", tmp_path / "m.rekern", "--cv")
    assert "has only 120 of class 0, too few for --cv 121: ask for fewer folds" in error_of(*start, 121)
    assert "'--cv'" in error_of(*start, 1)
    assert list(tmp_path.iterdir()) == []


def test_standard_input_no_header_and_other_encodings(tables: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.rekern"
    text = (tables / "train.tsv").read_text()
    assert json_of("train", "-", "-o", path, input=text)["pairs"] == 240
    rows = text.split("\n", 1)[1].replace("Leila", "Léila")
    (tmp_path / "t.tsv").write_bytes(rows.encode("latin-1"))
    options = ("--no-header", "--encoding", "latin-1", "--keep-pairs")
    assert json_of("train", tmp_path / "t.tsv", *options, "-o", path)["pairs"] == 240
    assert any("Léila" in source + target for source, target in load_model(path).pairs_)
    swapped = (*options, "--source", "2", "--target", "1")
    json_of("train", tmp_path / "t.tsv", *swapped, "-o", path)
    assert load_model(path).pairs_[0] == tuple(reversed(rows.split("\n")[0].split("\t")[:2]))


def test_an_old_model_stays_when_training_fails(models: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.rekern"
    path.write_bytes((models / "two.rekern").read_bytes())
    error_of("train", "missing.tsv", "-o", path)
    assert path.read_bytes() == (models / "two.rekern").read_bytes()
