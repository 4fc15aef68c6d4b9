"""``rekern match``."""

import os
from pathlib import Path
from threading import Thread

import pytest

from cli.running import error_of, invoke, json_of
from rekern import PairFinder, load_model
from rekern.datasets import write_table
from rekern.datasets.table_formats import iterate_columns
from rekern.datasets.tables import read_columns
from rekern.search import pair_finder
from rekern.search.match_log import MatchLog

QUESTIONS = [
    "Who wrote Hamlet?",
    "How high is K2, a mountain?",
    "Who is the author of Hamlet?",
    "Height of K2?",
    "Who wrote Hamlet, the play?",
    "",
]
HEADER = ["source", "target", "source_row", "target_row", "score"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write_table(tmp_path / "faq.tsv", {"id": range(len(QUESTIONS)), "text": QUESTIONS})
    write_table(tmp_path / "new.tsv", {"text": ["who has written hamlet", "the height of K2", "nothing"]})
    return tmp_path


def rows_of(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines()]


def test_without_a_model(corpus: Path) -> None:
    result = invoke("match", corpus / "faq.tsv", corpus / "new.tsv", "--model", "none", "--top", 1)
    header, *rows = rows_of(result.stdout)
    assert header == HEADER and "without a model" in result.stderr
    assert [row[:4] for row in rows] == [
        ["who has written hamlet", QUESTIONS[0], "1", "1"],
        ["the height of K2", QUESTIONS[3], "2", "4"],
    ]
    _, *rows = rows_of(invoke("match", corpus / "faq.tsv", "--model", "none", "--top", 1).stdout)
    assert ["1", "5"] in [row[2:4] for row in rows]
    found = json_of("match", corpus / "faq.tsv", "--model", "none", "--clusters", "--top", 1)
    assert found["texts"] == 6 and [[one["row"] for one in group] for group in found["clusters"]] == [[1, 3, 5], [2, 4]]


def test_word_vectors_find_related_words(corpus: Path) -> None:
    (corpus / "vectors.txt").write_text("author 1 0\nwriter 0.9 0.1\nmountain 0 1\n")
    write_table(corpus / "other.tsv", {"text": ["writers"]})
    call = ("match", corpus / "faq.tsv", corpus / "other.tsv", "--model", "none")
    assert len(rows_of(invoke(*call).stdout)) == 1
    vectors = ("--vectors", corpus / "vectors.txt")
    _, row = rows_of(invoke(*call, *vectors, "--explain").stdout)
    assert row[:2] == ["writers", QUESTIONS[2]] and row[-1].endswith("author (related)")
    assert "nowhere.txt" in error_of(*call, "--vectors", corpus / "nowhere.txt")
    assert "is read by this command" in error_of(*call, *vectors, "-o", vectors[1])
    assert "warning" not in invoke(*call, *vectors).stderr
    vectors[1].write_text("chien 1 0\n")
    assert "warning: no word of" in invoke(*call, *vectors).stderr


def test_explanations_of_duplicates_are_those_of_their_scores(tmp_path: Path) -> None:
    texts = ["the hub", "spoke1 x", "spoke2 y", "spoke3 z", "spoke4 w", "a spoke4"]
    write_table(tmp_path / "texts.tsv", {"text": texts})
    (tmp_path / "vectors.txt").write_text("hub 1 0\nspoke1 1 0.01\nspoke2 1 0.02\nspoke3 1 0.03\nspoke4 0.9 0.5\n")
    call = ("match", tmp_path / "texts.tsv", "--model", "none", "--vectors", tmp_path / "vectors.txt", "--explain")
    rows = json_of(*call)["rows"]
    assert len(rows) > 8
    for row in rows:  # spoke4 is related to spoke1, but three others are more so to spoke1
        parts = row["explanation"]["parts"]
        assert parts and sum(part["contribution"] for part in parts) == pytest.approx(row["score"]), row


def test_columns_with_common_names(corpus: Path) -> None:
    write_table(corpus / "asked.csv", {"ID": range(len(QUESTIONS)), "Question": QUESTIONS})
    said = [invoke("match", corpus / name, "--model", "none").stdout for name in ("asked.csv", "faq.tsv")]
    assert said[0] == said[1] != ""
    lines = corpus / "lines.tsv"
    lines.write_text("\n".join(QUESTIONS[:3]))
    message = error_of("match", lines, "--model", "none")
    assert f"it has {QUESTIONS[0]}: name one with --text, or give --no-header if this is a text" in message
    assert QUESTIONS[0] in invoke("match", lines, "--model", "none", "--no-header").stdout


def test_queries_have_a_column_of_their_own(corpus: Path) -> None:
    write_table(corpus / "log.csv", {"day": [1, 2], "asked": ["who has written hamlet", "nothing"]})
    arguments = ("match", corpus / "faq.tsv", corpus / "log.csv", "--model", "none", "--top", 1)
    assert "it has day, asked: name one with --query-text" in error_of(*arguments)
    (corpus / "line.txt").write_text("who has written hamlet\nnothing\n")
    line = error_of("match", corpus / "faq.tsv", corpus / "line.txt", "--model", "none")
    assert "name one with --query-text, or give --no-header" in line
    found = json_of(*arguments, "--query-text", "asked")
    assert found["rows"][0]["source"] == "who has written hamlet"
    assert json_of(*arguments, "--text", "2", "--query-text", "asked") == found
    assert "--query-text names a column of QUERIES" in error_of(
        "match", corpus / "faq.tsv", "--query-text", "asked", "--model", "none"
    )


def test_a_large_cluster_is_told(corpus: Path, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = ("match", corpus / "faq.tsv", "--clusters", "--model")
    assert "chains" not in invoke(*start, "none").stderr
    monkeypatch.setattr("rekern.cli.match.LARGE", 2)
    assert "chains of matches connect 5 texts to one cluster: a lower --top keeps more" in invoke(*start, "none").stderr
    by_model = invoke(*start, models / "two.rekern", "--min-probability", 0)
    assert "to one cluster: a higher --min-probability keeps more" in by_model.stderr
    assert by_model.stdout.startswith("cluster\trow\ttext\n")


def test_with_a_model(models: Path, tmp_path: Path) -> None:
    table, out = models / "test.tsv", tmp_path / "found.csv"
    whole = json_of("match", table, "--text", "source", "--model", models / "two.rekern", "--min-probability", 0.3)
    assert whole["matches"] == len(whole["rows"]) > 0
    assert [*HEADER, "probability"] == list(whole["rows"][0])
    assert min(row["probability"] for row in whole["rows"]) >= 0.3
    texts = read_columns(table).texts("source")
    finder = PairFinder(load_model(models / "two.rekern")).fit(texts)
    expected = finder.find_duplicates(min_probability=0.3).to_columns(first_row=1)
    assert [list(column) for column in zip(*(row.values() for row in whole["rows"]))] == list(expected.values())
    arguments = ("match", table, table, "--text", "source", "--model", models / "two.rekern", "--top", 2)
    said = json_of(*arguments, "--explain", "-o", out)
    columns = read_columns(out)
    assert list(columns.names) == [*HEADER, "probability", "explanation"] and said["written"] == str(out)
    assert len(columns.lines) == said["matches"] and columns.column(6)[0].startswith(("+", "-"))
    streamed = json_of(*arguments, "--explain")
    assert [row["target"] for row in streamed["rows"]] == columns.column(1)
    assert streamed["rows"][0]["explanation"]["parts"] and list(tmp_path.iterdir()) == [out]


def test_an_index_is_kept_and_grows(corpus: Path) -> None:
    faq, index = corpus / "faq.tsv", corpus / "faq.index"
    arguments = ("match", faq, corpus / "new.tsv", "--model", "none")
    plain = invoke(*arguments).stdout
    assert invoke(*arguments, "--index", index).stdout == plain == invoke(*arguments, "--index", index).stdout
    assert invoke("match", index, corpus / "new.tsv", "--model", "none").stdout == plain
    before = index.read_bytes()
    write_table(faq, {"text": [*QUESTIONS, "Hamlet"]})
    grown = invoke(*arguments).stdout
    assert invoke(*arguments, "--index", index).stdout == grown != plain and index.read_bytes() != before
    write_table(faq, {"text": QUESTIONS[:3]})
    assert "has 7 texts, but" in error_of(*arguments, "--index", index)
    write_table(faq, {"text": ["other", *QUESTIONS]})
    assert "is of another corpus: row 1" in error_of(*arguments, "--index", index)
    assert "made with --language english" in error_of(*arguments, "--index", index, "--language", "none")
    line = error_of("match", index, "--model", "none", "--language", "none")
    assert line.endswith("was made with --language english: give the same, or leave it out")
    assert "is an index already" in error_of("match", index, "--model", "none", "--index", index)


def test_an_interrupted_search_goes_on(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_finder, "PAIRS", 20)
    out = tmp_path / "found.tsv"
    (models / "vectors.txt").write_text("anna 1 0\n")
    arguments = ("match", models / "test.tsv", "--text", "source", "--model", models / "two.rekern", "-o", out)
    arguments = (*arguments, "--vectors", models / "vectors.txt")
    invoke(*arguments)
    whole = out.read_bytes()
    out.unlink()
    compare, calls = PairFinder._compare, []

    def stop_later(self, *given):
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return compare(self, *given)

    monkeypatch.setattr(PairFinder, "_compare", stop_later)
    invoke(*arguments, code=130)
    assert not out.exists() and Path(f"{out}.part").exists()
    words, vectors = models / "words.tsv", models / "others.txt"
    words.write_text("greet\tmeet\n")
    vectors.write_text("anna 0 1\n")
    for other in (("--thesaurus", words), ("--vectors", vectors)):  # another search
        assert "continues" not in invoke(*arguments, *other).stderr and out.read_bytes() == whole
        out.unlink()
        calls.clear()
        invoke(*arguments, code=130)
    invoked = invoke(*arguments)
    assert "an interrupted search continues" in invoked.stderr and out.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [out]


def test_interrupted_queries_go_on(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iterate_columns, "__kwdefaults__", {"encoding": "utf-8", "header": True, "rows": 4})
    table, out = models / "test.tsv", tmp_path / "found.tsv"
    arguments = ("match", table, table, "--text", "source", "--model", models / "two.rekern", "-o", out)
    invoke(*arguments)
    whole = out.read_bytes()
    out.unlink()
    score, calls = PairFinder.score_queries, []

    def stop_later(self, *given):
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return score(self, *given)

    monkeypatch.setattr(PairFinder, "score_queries", stop_later)
    invoke(*arguments, code=130)
    first = calls.copy()
    calls[:] = [()] * 3
    assert "an interrupted search continues" in invoke(*arguments).stderr and out.read_bytes() == whole
    assert calls[3] == first[2]  # what was done is not done again


def test_pipes_are_read_once(corpus: Path, tmp_path: Path) -> None:
    faq, new = corpus / "faq.tsv", corpus / "new.tsv"
    plain = invoke("match", faq, new, "--model", "none").stdout
    for place in (0, 1):
        pipe, out = tmp_path / "pipe.tsv", tmp_path / f"{place}.tsv"
        os.mkfifo(pipe)
        files = [faq, new]
        writer = Thread(target=pipe.write_bytes, args=[files[place].read_bytes()], daemon=True)
        files[place] = pipe
        writer.start()
        invoke("match", *files, "--model", "none", "-o", out)
        writer.join()
        pipe.unlink()
        assert out.read_text() == plain


def test_a_log_is_read_in_blocks(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, out = models / "test.tsv", tmp_path / "found.tsv"
    arguments = ("match", table, table, "--text", "source", "--model", models / "two.rekern", "--min-probability", 0.3)
    streamed = invoke(*arguments).stdout
    monkeypatch.setattr(MatchLog.read_blocks, "__defaults__", (3,))
    monkeypatch.setattr(iterate_columns, "__kwdefaults__", {"encoding": "utf-8", "header": True, "rows": 4})
    invoke(*arguments, "-o", out)
    assert out.read_text() == streamed


def test_nothing_is_found(corpus: Path) -> None:
    write_table(corpus / "other.tsv", {"text": ["zzz"]})
    result = invoke("match", corpus / "faq.tsv", corpus / "other.tsv", "--model", "none")
    assert rows_of(result.stdout) == [HEADER]
    for name in ("none.jsonl", "none.parquet", "none.tsv.gz"):
        out = corpus / name
        invoke("match", corpus / "faq.tsv", corpus / "other.tsv", "--model", "none", "-o", out)
        assert out.exists()


def test_errors_are_one_line(corpus: Path, models: Path) -> None:
    faq, new = corpus / "faq.tsv", corpus / "new.tsv"
    assert "missing option '--model': give a model file, or --model none to rank" in error_of("match", faq)
    assert "has no column 'question'; it has id, text" in error_of(
        "match", faq, "--text", "question", "--model", "none"
    )
    assert "predicts numbers" in error_of("match", faq, "--model", models / "real.rekern")
    assert "--label" in error_of("match", faq, "--model", models / "three.rekern")
    assert "needs a model" in error_of("match", faq, "--model", "none", "--min-probability", 0.5)
    assert "--label needs a model" in error_of("match", faq, "--model", "none", "--label", "yes")
    assert "leave QUERIES out" in error_of("match", faq, new, "--model", "none", "--clusters")
    assert "only one of" in error_of("match", "-", "-", "--model", "none")
    assert "there is no file" in error_of("match", corpus / "gone.tsv", "--model", "none")
    for gone in ("gone.tsv", "gone"):  # told before the corpus is read
        said = error_of("match", corpus / "broken.tsv", corpus / gone, "--model", "none")
        assert ("there is no file" if "." in gone else "no extension tells") in said and "broken" not in said
    assert "no such file" in error_of("match", faq, "--model", corpus / "gone.rekern")
    assert "klingon" in error_of("match", faq, "--model", "none", "--language", "klingon")
    assert "the extension does not tell" in error_of("match", faq, "--model", "none", "-o", corpus / "a.docx")
    piped = invoke("match", faq, "-", "--model", "none", "--top", 1, input="text\nhamlet author\n").stdout
    assert rows_of(piped)[1][3] == "3"
