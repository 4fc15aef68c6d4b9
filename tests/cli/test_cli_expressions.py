"""``rekern expressions``: lines and tables, JSON and files, and input that cannot be used."""

import gzip
import json
import math
from pathlib import Path

import pytest

from cli.running import error_of, invoke, json_of
from rekern.datasets.table_formats import read_columns
from rekern.structures import Expressions

LINES = ["He came in spite of rain", "in spite of it all", "rain of spite in it", "all came", "", "he came"]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(LINES) + "\n")
    return path


def test_lists_the_nearest_first(texts: Path) -> None:
    found = json_of("expressions", texts, "--min-documents", 2, "--max-distance", 1)
    assert (found["documents"], found["min_documents"], found["found"]) == (5, 2, len(found["rows"]))
    assert found["rows"][0] == {"expression": "he came", "phi": 2, "mu": 2, "med": 0, "normalized": 0}
    row = next(row for row in found["rows"] if row["expression"] == "in spite of")
    assert (row["phi"], row["mu"]) == (2, 3)
    assert row["med"] == pytest.approx(math.log(3 / 2)) and row["normalized"] == pytest.approx(
        math.log(3 / 2) / math.log(5 / 2)
    )
    near = json_of("expressions", texts, "--min-documents", 2)
    assert [row["expression"] for row in near["rows"]] == ["he came"]
    short = json_of("expressions", texts, "--min-documents", 2, "--max-distance", 1, "--sizes", "2", "--top", 1)
    assert len(short["rows"]) == 1 and short["found"] == 3


def test_both_texts_of_pairs_are_read(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("source,question1,question2\nweb,in spite of,rain\nweb,in spite of,all\n")
    found = json_of("expressions", path, "--min-documents", 2, "--max-distance", 1)
    assert found["documents"] == 4 and "in spite of" in [row["expression"] for row in found["rows"]]


def test_a_table_for_people(texts: Path) -> None:
    text = invoke("expressions", texts, "--min-documents", 2, "--max-distance", 1, "--top", 2).stdout
    assert text.startswith("4 expressions in 5 texts, the first 2\n")
    assert "normalised" in text and "he came" in text and max(map(len, text.splitlines())) <= 80


def test_every_way_to_give_texts(texts: Path, tmp_path: Path) -> None:
    wanted = json_of("expressions", texts, "--min-documents", 1)
    kept = [line for line in LINES if line]
    (tmp_path / "packed.txt.gz").write_bytes(gzip.compress(texts.read_bytes()))
    (tmp_path / "bom.txt").write_bytes(b"\xef\xbb\xbf" + texts.read_bytes().replace(b"\n", b"\r\n"))
    (tmp_path / "wide.txt").write_text("\n".join(LINES), encoding="utf-16")
    (tmp_path / "one.jsonl").write_text("".join(json.dumps({"text": line}) + "\n" for line in kept))
    (tmp_path / "two.csv").write_text("a,b\n" + "\n".join(f"{x},{y}" for x, y in zip(kept[:3], [*kept[3:], ""])))
    assert json_of("expressions", tmp_path / "packed.txt.gz", "--min-documents", 1) == wanted
    (tmp_path / "texts.log").write_bytes(texts.read_bytes())
    assert json_of("expressions", tmp_path / "texts.log", "--min-documents", 1) == wanted
    assert json_of("expressions", tmp_path / "bom.txt", "--min-documents", 1) == wanted
    assert json_of("expressions", tmp_path / "wide.txt", "--encoding", "utf-16", "--min-documents", 1) == wanted
    assert json_of("expressions", "-", "--min-documents", 1, input="\n".join(LINES)) == wanted
    assert json_of("expressions", tmp_path / "one.jsonl", "--min-documents", 1) == wanted
    both = json_of("expressions", tmp_path / "two.csv", "--column", "a", "--column", 2, "--min-documents", 1)
    assert both["documents"] == 6 and {r["expression"]: r["phi"] for r in both["rows"]} == {
        r["expression"]: r["phi"] for r in wanted["rows"]
    }


def test_writes_files(texts: Path, tmp_path: Path) -> None:
    saved, table = tmp_path / "found.json", tmp_path / "found.tsv"
    found = json_of("expressions", texts, "--min-documents", 2, "--max-distance", 1, "-o", saved)
    assert found["written"] == str(saved)
    assert Expressions.load(saved).texts_ == [row["expression"] for row in found["rows"]]
    result = invoke("expressions", texts, "--min-documents", 2, "--max-distance", 1, "-o", table)
    assert result.stdout == "" and "4 expressions are in" in result.stderr
    rows = read_columns(table)
    assert rows.names == ["expression", "phi", "mu", "med", "normalized"] and rows.column(0)[0] == "he came"


def test_bad_input_is_one_line(texts: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n \n")
    (tmp_path / "latin.txt").write_bytes(b"fine\ncaf\xe9\n")
    (tmp_path / "broken.txt.gz").write_bytes(gzip.compress(b"some text\n" * 99)[:20])
    (tmp_path / "table.tsv").write_text("id\twords\n1\tso far\n")
    (tmp_path / "null.jsonl").write_text('{"text": "a"}\n{"text": null}\n')
    assert "has no text" in error_of("expressions", tmp_path / "empty.txt")
    assert "latin.txt, line 2: byte 0xe9 is not utf-8" in error_of("expressions", tmp_path / "latin.txt")
    assert "is not a whole gzip file" in error_of("expressions", tmp_path / "broken.txt.gz")
    assert "there is no file" in error_of("expressions", tmp_path / "absent.txt")
    assert "is a folder" in error_of("expressions", tmp_path)
    assert "unknown encoding" in error_of("expressions", texts, "--encoding", "klingon")
    assert "--column" in error_of("expressions", tmp_path / "table.tsv")
    assert "no column 'x'" in error_of("expressions", tmp_path / "table.tsv", "--column", "x")
    assert "line 2" in error_of("expressions", tmp_path / "null.jsonl")
    assert "no range of whole numbers" in error_of("expressions", texts, "--sizes", "a-b")
    assert "out of range" in error_of("expressions", texts, "--sizes", "1-3")
    assert "--max-distance" in error_of("expressions", texts, "--max-distance", 2)
    assert "does not tell the format" in error_of("expressions", texts, "-o", tmp_path / "found.docx")


def test_emoji_and_other_scripts_are_text(tmp_path: Path) -> None:
    path = tmp_path / "mixed.txt"
    path.write_text("".join(f"доброе утро 🙂 {n} [bold]x[/bold]\n" for n in range(6)), encoding="utf-8")
    assert "доброе утро" in invoke("expressions", path).stdout
