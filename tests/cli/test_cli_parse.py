"""``rekern parse``: tables in, tables with trees out."""

import functools
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.running import error_of, invoke, json_of
from forking import CAN_FORK, fork
from rekern.cli.commands import app
from rekern.datasets import write_table
from rekern.datasets.table_formats import read_columns
from rekern.errors import InputError
from rekern.structures.parsers import parser, spacy_parser

LEFT = "(SYNT##root (SYNT##nsubj (POS##PRP LEX##he::p)) (POS##VBD LEX##leave::v))"


@pytest.fixture(scope="module", autouse=True)
def model() -> Iterator[None]:
    """The model of spaCy, which all tests load only once; they are skipped if there is none."""
    pytest.importorskip("spacy", reason='spaCy is not installed: pip install "rekern[parse]"')
    try:
        assert parser("spacy").identity
    except InputError as error:
        pytest.skip(str(error))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spacy_parser, "load_pipeline", functools.cache(spacy_parser.load_pipeline))
        yield


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REKERN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    write_table(path, {"source": ["He left.", "He left."], "target": ["", "He left. She stayed."], "label": [1, 0]})
    return path


def columns(path: Path) -> dict[str, list]:
    rows = read_columns(path)
    return {name: rows.column(place) for place, name in enumerate(rows.names)}


def test_the_table_is_written_with_trees(pairs: Path, tmp_path: Path, cache: Path) -> None:
    out = tmp_path / "parsed.tsv"
    text = invoke("parse", pairs, "--output", out).stdout
    assert "texts     4, 3 of them distinct, 0 from the cache\ncolumns   source.grct, target.grct\n" in text
    found = columns(out)
    assert list(found) == ["source", "target", "label", "source.grct", "target.grct"]
    assert found["label"] == ["1", "0"] and found["source.grct"] == [LEFT, LEFT]
    stayed = LEFT.replace("he", "she").replace("leave", "stay")
    assert found["target.grct"] == ["()", f"(ROOT {LEFT} {stayed})"]
    assert os.listdir(cache) == ["parses.sqlite"]


def test_a_second_run_parses_nothing(pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = json_of("parse", pairs, "-o", tmp_path / "a.jsonl", "--trees", "dependencies,lct")
    assert (first["rows"], first["texts"], first["distinct"], first["from_cache"], first["parsed"]) == (2, 4, 3, 0, 3)
    assert first["columns"] == ["source.dependencies", "source.lct", "target.dependencies", "target.lct"]
    assert first["parser"]["parser"] == "spacy" and first["without_tree"] == []
    monkeypatch.setattr("rekern.structures.parsers.spacy_parser.SpacyParser._parses", lambda *_: pytest.fail("parsed"))
    again = json_of("parse", pairs, "-o", tmp_path / "b.jsonl", "--trees", "loct")
    assert (again["from_cache"], again["parsed"]) == (3, 0)
    row = json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])
    assert row["source.dependencies"] == "(left (He) (.))" and row["label"] == "1"


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz", ".parquet"])
def test_other_formats_and_columns(tmp_path: Path, ending: str) -> None:
    given, out = tmp_path / f"asked{ending}", tmp_path / f"parsed{ending}"
    write_table(given, {"id": [7], "question": ['Who, "then", left?'], "n": [0.5]})
    json_of("parse", given, "--columns", "2", "--trees", "loct", "-o", out)
    found = columns(out)
    assert list(found) == ["id", "question", "n", "question.loct"]
    assert found["question"] == ['Who, "then", left?'] and found["question.loct"][0].startswith("(LEX##leave::v")
    json_of("parse", out, "--columns", "question", "--trees", "loct,grct", "-o", out)  # over itself, one kind again
    assert list(columns(out)) == ["id", "question", "n", "question.loct", "question.grct"]


def test_the_columns_of_public_corpora_are_known(tmp_path: Path) -> None:
    write_table(tmp_path / "msrp.tsv", {"quality": [1], "s1": ["He left."], "s2": ["She left."]})
    found = json_of("parse", tmp_path / "msrp.tsv", "-o", tmp_path / "out.tsv")
    assert found["columns"] == ["source.grct", "target.grct"]


def test_standard_streams(pairs: Path) -> None:
    text = invoke("parse", "-", "--columns", "source", "--output", "-", input=pairs.read_text()).stdout
    assert text.splitlines()[0] == "source\ttarget\tlabel\tsource.grct"
    assert "both want standard output" in error_of("parse", pairs, "--output", "-", "--json")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--parser", "spaci"], "unknown parser 'spaci': choose corenlp, spacy, stanford, stanza"),
        (["--trees", "gcrt"], "unknown trees 'gcrt': choose grct, lct, loct, dependencies, constituents, conllu"),
        (["--trees", "conllu"], "CoNLL-U has tabs, which a .tsv file cannot hold"),
        (["--trees", "constituents"], "the parser spacy gives no constituents: choose stanford, corenlp or stanza"),
        (["--trees", "grct,"], "--trees 'grct,' has an empty name"),
        (["--columns", "text"], "has no column 'text'; it has source, target, label: name one with --columns"),
        (["--columns", "9"], "has no column '9'"),
        (["--option", "modle=x"], "the parser spacy has no option 'modle': it has batch_size, model, tokenized"),
        (["--option", "model"], "--option 'model' is not of the form NAME=VALUE"),
        (["--option", "model=xx_none"], "the spaCy model xx_none is not installed: python -m spacy download xx_none"),
        (["--parser", "corenlp", "--option", "url=http://127.0.0.1:9"], "no CoreNLP server answers at"),
        (["--parser", "stanford"], "the Stanford parser needs its jar: give jar= or set REKERN_STANFORD_JAR"),
        (["--parser", "stanza"], 'stanza is not installed: pip install "rekern[stanza]"'),
    ],
)
def test_errors_are_one_line_and_leave_no_file(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.delenv("REKERN_STANFORD_JAR", raising=False)
    monkeypatch.setitem(sys.modules, "stanza", None)
    assert message in error_of("parse", pairs, "-o", tmp_path / "out.tsv", *arguments)
    assert sorted(set(os.listdir(tmp_path)) - {"cache"}) == ["pairs.tsv"]


def test_bad_tables(tmp_path: Path) -> None:
    (tmp_path / "twice.tsv").write_text("source\ttarget\tid\tid\na\tb\t1\t2\n")
    assert "two columns are called 'id'" in error_of("parse", tmp_path / "twice.tsv", "-o", tmp_path / "o.tsv")
    (tmp_path / "missing.jsonl").write_text('{"source": "a", "target": null}\n')
    found = error_of("parse", tmp_path / "missing.jsonl", "-o", tmp_path / "o.tsv")
    assert "missing.jsonl, line 1, target: the text is missing; drop the row or give it a text" in found
    assert "does not tell the format" in error_of("parse", tmp_path / "missing.jsonl", "-o", tmp_path / "o.docx")
    assert "there is no folder" in error_of("parse", tmp_path / "missing.jsonl", "-o", tmp_path / "no" / "o.tsv")


@pytest.mark.skipif(not CAN_FORK, reason="processes are forked")
def test_ctrl_c_keeps_what_is_parsed(tmp_path: Path, cache: Path) -> None:
    texts = [f"The dog number {number} chased a cat." for number in range(20_000)]
    write_table(tmp_path / "long.tsv", {"source": texts})
    command = ["parse", str(tmp_path / "long.tsv"), "--columns", "source", "-o", str(tmp_path / "out.tsv")]
    process = fork(lambda: app(command))  # which has loaded the model already
    base = cache / "parses.sqlite"
    until = time.monotonic() + 60
    while time.monotonic() < until and not (base.exists() and base.stat().st_size > 20_000):
        time.sleep(0.1)
    process.interrupt()
    assert process.end(30) == (130, "rekern: stopped\n")
    assert not (tmp_path / "out.tsv").exists()
    write_table(tmp_path / "short.tsv", {"source": texts[:20]})
    again = json_of("parse", tmp_path / "short.tsv", "--columns", "source", "-o", tmp_path / "out.tsv")
    assert again["from_cache"] == 20
