"""Every kind of bad input, through every command that reads it: one line, exit code 2, nothing written."""

import zipfile
from pathlib import Path

import pytest

from cli.running import error_of, invoke, json_of

HEADER = b"source\ttarget\tlabel\n"
BAD_TABLES = {
    "a missing file": ("t.tsv", None, "there is no file", "check the path"),
    "an empty file": ("t.tsv", b"", "t.tsv is empty", "it needs a header line and at least one row"),
    "no rows": ("t.tsv", HEADER, "has a header but no rows", "add at least one pair"),
    "a missing column": ("t.tsv", b"source\tlabel\na\t1\n", "has no column 'target'", "name one with"),
    "too few fields": ("t.tsv", HEADER + b"a\tb\t1\nc\td\n", "t.tsv, line 3: 2 fields where the header has 3", "tabs"),
    "too many fields": ("t.csv", b"source,target,label\na,b,1,2\n", "t.csv, line 2: 4 fields", "3"),
    "no text (None)": (
        "t.jsonl",
        b'{"source": null, "target": "b", "label": 1}\n',
        "line 1, source: the text is missing",
        "drop",
    ),
    "no text (NaN)": (
        "t.jsonl",
        b'{"source": "a", "target": NaN, "label": 1}\n',
        "line 1, target: the text is missing",
        "drop",
    ),
    "no text (a number)": (
        "t.jsonl",
        b'{"source": "a", "target": 7, "label": 1}\n',
        "line 1, target: the value is an int",
        "string",
    ),
    "an encoding": ("t.tsv", HEADER + b"caf\xe9\tb\t1\n", "t.tsv, line 2: byte 0xe9", "--encoding latin-1"),
    "a picture": ("t.tsv", b"\x89PNG\0\0\n", "t.tsv, line 1: ", " NUL "),
    "broken JSON": ("t.jsonl", b'{"source": "a"\n', "t.jsonl, line 1", "invalid JSON"),
    "a broken archive": ("t.tsv.gz", b"\x1f\x8b broken", "not a whole gzip file", "fetch it again"),
    "an unknown extension": ("t.xyz", HEADER + b"a\tb\t1\n", "'.xyz' tells no format", "--format"),
}
BAD_LABELS = {
    "a missing label": (HEADER + b"a\tb\t1\nc\td\t\n", "line 3, label: the value is missing", "drop the row"),
    "not a number": (
        HEADER + b"a\tb\t1\nc\td\tnan\n",
        "line 3, label: the value is 'nan' where the others",
        "drop",
    ),
    "one class": (HEADER + b"a\tb\t1\nc\td\t1\n", "t.tsv: all labels are 1", "two classes or more"),
}


@pytest.mark.parametrize("kind", BAD_TABLES)
@pytest.mark.parametrize("command", ("train", "predict", "evaluate", "explain", "gram"))
def test_tables(kind: str, command: str, models: Path, tmp_path: Path) -> None:
    name, content, *expected = BAD_TABLES[kind]
    table = tmp_path / name
    if content is not None:
        table.write_bytes(content)
    out = ("-o", tmp_path / {"train": "m.rekern", "predict": "p.tsv", "gram": "g.npy"}.get(command, ""))
    arguments = {
        "train": (table, *out),
        "predict": (models / "two.rekern", table, *out),
        "evaluate": (models / "two.rekern", table),
        "explain": (models / "two.rekern", "--row", 1, table),
        "gram": (table, *out),
    }[command]
    line = error_of(command, *arguments)
    assert all(words in line for words in expected)
    assert [file.name for file in tmp_path.iterdir()] == ([name] if content is not None else [])


@pytest.mark.parametrize("kind", BAD_LABELS)
def test_labels(kind: str, tmp_path: Path) -> None:
    content, *expected = BAD_LABELS[kind]
    (tmp_path / "t.tsv").write_bytes(content)
    line = error_of("train", tmp_path / "t.tsv", "-o", tmp_path / "m.rekern")
    assert all(words in line for words in expected)
    assert [file.name for file in tmp_path.iterdir()] == ["t.tsv"]


def test_all_missing_labels_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_bytes(HEADER + b"a\tb\t1\nc\td\t\ne\tf\t0\ng\th\t \n")
    line = error_of("train", tmp_path / "t.tsv", "-o", tmp_path / "m.rekern")
    assert line.endswith(
        "t.tsv, line 3, label: the value is missing, here and in 1 more; drop the rows or give each a label"
    )


def test_one_column_is_not_both_texts(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_bytes(HEADER + b"a\tb\t1\nc\td\t0\n")
    for source, target in (("source", "source"), ("1", "source"), ("1", "1"), ("SOURCE", "source")):
        columns = ("--source", source, "--target", target)
        assert error_of("train", tmp_path / "t.tsv", *columns, "-o", tmp_path / "m.rekern").endswith(
            "t.tsv: 'source' is named as the first text and as the second; name two columns (--source, --target)"
        )


@pytest.mark.parametrize(("option", "words"), [("--wordnet", "there is no synsets.tsv"), ("--thesaurus", "no file")])
def test_what_a_search_may_use_must_be_there(option: str, words: str, models: Path, tmp_path: Path) -> None:
    line = error_of("train", models / "test.tsv", "--auto", option, tmp_path / "nothing", "-o", tmp_path / "m.rekern")
    assert words in line


def test_a_folder_of_texts(models: Path, tmp_path: Path) -> None:
    line = error_of("match", tmp_path, "--model", models / "two.rekern")
    assert line.endswith("it is a folder: give a file in it")


def test_a_gram_is_of_two_tables_of_one_kind(models: Path, tmp_path: Path) -> None:
    (tmp_path / "texts.tsv").write_text("text\na b\n")
    line = error_of("gram", models / "test.tsv", tmp_path / "texts.tsv", "-o", tmp_path / "g.npy")
    assert "texts.tsv has single texts, but" in line and line.endswith("has pairs: give two tables of one kind")


def test_groups_without_an_order(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_bytes(HEADER + b"a\tb\t1\nc\td\t0\n")
    line = error_of("train", tmp_path / "t.tsv", "--group", "source", "-o", tmp_path / "m.rekern")
    assert "no group has two candidates with different labels" in line


@pytest.mark.parametrize("command", ("predict", "evaluate", "explain", "rules"))
@pytest.mark.parametrize("damage", ("missing", "folder", "truncated", "text", "other zip", "newer"))
def test_models(command: str, damage: str, models: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.rekern"
    whole = (models / "two.rekern").read_bytes()
    if damage == "folder":
        path.mkdir()
    elif damage == "truncated":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "text":
        path.write_text("hello")
    elif damage in ("other zip", "newer"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("model.json", '{"format": "rekern model", "version": 99}' if damage == "newer" else "{}")
    arguments = {
        "predict": (models / "test.tsv",),
        "evaluate": (models / "test.tsv",),
        "explain": ("a", "b"),
        "rules": (),
    }[command]
    line = error_of(command, path, *arguments)
    words = {"missing": "no such file", "folder": "folder", "newer": "upgrade", "other zip": "not a Rekern model"}
    assert "m.rekern" in line and words.get(damage, "train and save it again") in line


@pytest.mark.parametrize(
    "text", ("", "word", "a " * 10_000, "🦊 ж\u0301 \u202e", "same same same same", "[x] {y} \\ %s")
)
def test_unusual_texts_are_fine(text: str, models: Path, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text(f"source\ttarget\tlabel\n{text}\tb a\t1\na b\t{text}\t0\n", encoding="utf-8")
    report = json_of("predict", models / "two.rekern", tmp_path / "t.tsv")
    assert all(0 <= chance <= 1 for row in report["rows"] for chance in row["probabilities"].values())
    invoke("train", tmp_path / "t.tsv", "-o", tmp_path / "m.rekern")
    invoke("explain", tmp_path / "m.rekern", "--row", 1, tmp_path / "t.tsv")


REPLACED = [
    ("train", "t.tsv", "-o", "t.tsv"),
    ("train", "t.tsv", "-o", "link.tsv"),
    ("predict", "m.rekern", "t.tsv", "-o", "t.tsv"),
    ("evaluate", "m.rekern", "t.tsv", "--errors", "t.tsv"),
    ("evaluate", "m.png", "t.tsv", "--plot", "m.png"),
    ("report", "m.rekern", "t.tsv", "-o", "m.rekern"),
    ("report", "m.rekern", "t.tsv", "-o", "t.tsv"),
    ("explain", "m.rekern", "a", "b", "--svg", "m.rekern"),
    ("explain", "m.rekern", "t.tsv", "--row", "1", "--html", "t.tsv"),
    ("match", "t.tsv", "--text", "source", "--model", "none", "-o", "t.tsv"),
    ("match", "t.tsv", "--text", "source", "--model", "none", "--index", "i.tsv", "-o", "i.tsv"),
    ("rules", "m.tsv", "-o", "m.tsv"),
    ("gram", "t.npy", "--format", "tsv", "-o", "t.npy"),
    ("expressions", "t.tsv", "-o", "t.tsv"),
    ("question", "--train", "t.tsv", "-o", "t.tsv"),
]


@pytest.mark.parametrize("arguments", REPLACED, ids=" ".join)
def test_no_command_replaces_what_it_reads(
    arguments: tuple[str, ...], models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table, model = (models / "test.tsv").read_bytes(), (models / "two.rekern").read_bytes()
    Path("t.tsv").write_bytes(table)
    for copy in ("i.tsv", "t.npy"):
        Path(copy).write_bytes(table)
    for copy in ("m.rekern", "m.tsv", "m.png"):
        Path(copy).write_bytes(model)
    Path("link.tsv").symlink_to("t.tsv")
    assert "is read by this command, and would be replaced: write to another file" in error_of(*arguments)
    assert (Path("t.tsv").read_bytes(), Path("m.rekern").read_bytes()) == (table, model)
