"""Tables are read as they stand, from files and from frames, and written whole or not at all."""

import gzip
import io
import json
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rekern.datasets import from_frame, iterate_table, read_table, store_table, write_table
from rekern.errors import InputError

TSV = "source\ttarget\tlabel\nHe left.\tHe went.\t1\nA b\tC d\t0\n"
PAIRS = [("He left.", "He went."), ("A b", "C d")]


def put(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# ---- what can be read

CONTENTS = {
    "a.tsv": TSV,
    "a.tab": TSV,
    "a.txt": TSV.replace("\n", "\r\n"),
    "old_mac.tsv": TSV.replace("\n", "\r"),
    "bom.tsv": "\ufeff" + TSV,
    "blank_end.tsv": TSV + "\n  \n\r\n",
    "no_end.tsv": TSV.rstrip("\n"),
    "a.csv": 'source,target,label\n"He left.",He went.,1\nA b,C d,0\n\n',
    "a.jsonl": '{"source": "He left.", "target": "He went.", "label": 1}\n'
    '{"source":"A b","target":"C d","label":"0"}\n\n',
    "a.ndjson": '{"label":1,"source":"He left.","target":"He went."}\n{"label":0,"source":"A b","target":"C d","x":[]}',
    "a.json": '[{"source":"He left.","target":"He went.","label":true},\n'
    '{"source":"A b","target":"C d","label":false}]',
    "msrp.tsv": "quality\tid1\tid2\ts1\ts2\n1\t7\t8\tHe left.\tHe went.\n0\t9\t10\tA b\tC d\n",
    "msr_paraphrase_train.txt": "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"
    "1\t7\t8\tHe left.\tHe went.\r\n0\t9\t10\tA b\tC d\r\n",
    "rte.tsv": "id\tentailment\ttask\tlength\ttext\thypothesis\n1\t1\tIE\t\tHe left.\tHe went.\n2\t0\tIR\t\tA b\tC d\n",
    "rte_short.tsv": "id\tentailment\ttask\ttext\thypothesis\n1\t1\tIE\tHe left.\tHe went.\n2\t0\tIR\tA b\tC d\n",
    "quora.tsv": "id\tquestion1\tquestion2\tis_duplicate\n1\tHe left.\tHe went.\t1\n2\tA b\tC d\t0\n",
    "glue.tsv": "index\tsentence1\tsentence2\tlabel\n1\tHe left.\tHe went.\t1\n2\tA b\tC d\t0\n",
    "inference.csv": "premise,hypothesis,label\nHe left.,He went.,1\nA b,C d,0\n",
    "capitals.csv": "ID,Question1,Question2,LABEL\n1,He left.,He went.,1\n2,A b,C d,0\n",
    "letters.tsv": "text_a\ttext_b\tlabel\nHe left.\tHe went.\t1\nA b\tC d\t0\n",
    "passages.jsonl": '{"query": "He left.", "passage": "He went.", "class": 1}\n'
    '{"query": "A b", "passage": "C d", "class": 0}\n',
    "scores.tsv": "score\ts1\ts2\n1\tHe left.\tHe went.\n0\tA b\tC d\n",
    "spreadsheet.csv": '\ufeffSatz;"Text 1";"Text 2";Label\r\n7;He left.;"He went.";1\r\n8;A b;C d;0\r\n',
    "rte1.xml": '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE entailment-corpus SYSTEM "rte.dtd">\n'
    "<entailment-corpus>\n"
    '<pair id="1" value="TRUE" task="IE"><t>He\n left.</t><h> He went. </h></pair>\n'
    '<pair id="2" value="FALSE" task="IR"><t>A b</t><h>C d</h></pair></entailment-corpus>',
    "rte3.xml": "<entailment-corpus>"
    '<pair id="1" entailment="YES" task="IE" length="short"><t>He left.</t><h>He went.</h>'
    '</pair><pair id="2" entailment="no" task="IR" length="long"><t>A b</t><h>C d</h></pair></entailment-corpus>',
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", CONTENTS)
def test_every_text_format(tmp_path, name, packed):
    content = CONTENTS[name].encode()
    path = put(tmp_path, name + ".gz" * packed, gzip.compress(content) if packed else content)
    table = read_table(path)
    assert table.pairs == PAIRS
    assert table.labels == [1, 0]
    assert all(type(label) is int for label in table.labels)
    assert table.groups is None
    assert table.path == str(path)


@pytest.mark.parametrize("packed", [False, True])
def test_parquet(tmp_path, packed):
    path = tmp_path / ("a.parquet" + ".gz" * packed)
    columns = {"x": [[1], [2]], "source": ["He left.", "A b"], "target": ["He went.", "C d"], "label": [1, 0]}
    write_table(path, columns)
    table = read_table(path)
    assert (table.pairs, table.labels, table.columns) == (PAIRS, [1, 0], ["x", "source", "target", "label"])
    assert table.place(1) == f"{path}, row 2"


def test_formats_by_name(tmp_path):
    assert read_table(put(tmp_path, "a.dat", TSV), format="tsv").pairs == PAIRS
    assert read_table(put(tmp_path, "b.dat", CONTENTS["a.csv"]), format="CSV").pairs == PAIRS
    assert read_table(put(tmp_path, "c.dat", CONTENTS["msrp.tsv"]), format="msrp").pairs == PAIRS
    assert read_table(put(tmp_path, "d.dat", CONTENTS["rte.tsv"]), format="rte").pairs == PAIRS
    assert read_table(put(tmp_path, "e.dat", CONTENTS["rte1.xml"]), format="rte").pairs == PAIRS


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TSV.encode())))
    table = read_table("-")
    assert (table.pairs, table.path, table.place(0)) == (PAIRS, "standard input", "standard input, line 2")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(CONTENTS["a.csv"].encode()))))
    assert read_table("-", format="csv").pairs == PAIRS


def test_columns_by_name_and_by_number(tmp_path):
    path = put(tmp_path, "a.tsv", "id\tq1\tq2\ttopic\n1\ta\tb\tx\n2\tc\td\ty\n")
    table = read_table(path, source="q1", target=3, label=None, group="4")
    assert (table.pairs, table.labels, table.groups) == ([("a", "b"), ("c", "d")], None, ["x", "y"])
    assert table.columns == ["id", "q1", "q2", "topic"]
    assert table.lines == [2, 3]


def test_names_that_are_given_are_found_in_upper_or_lower_case(tmp_path):
    path = put(tmp_path, "a.tsv", "Left\tRight\tRIGHT\na\tb\tc\n")
    assert read_table(path, source="left", target="RIGHT", label=None).pairs == [("a", "c")]
    with pytest.raises(InputError, match="has no column 'right'; it has Left, Right, RIGHT"):
        read_table(path, source="left", target="right", label=None)


def test_the_columns_that_were_found_are_told(tmp_path):
    table = read_table(put(tmp_path, "a.csv", CONTENTS["capitals.csv"]))
    assert table.roles == {"source": "Question1", "target": "Question2", "label": "LABEL"}
    assert store_table(table.path).roles == table.roles


@pytest.mark.parametrize("other", ["source", "Source", "target"])
def test_the_two_sides_belong_together(tmp_path, other):
    path = put(tmp_path, "a.tsv", f"{other}\tquestion1\tquestion2\tlabel\nweb\ta\tb\t1\n")
    assert read_table(path).pairs == [("a", "b")]
    assert [block.table.pairs for block in iterate_table(path, label=None)] == [[("a", "b")]]
    assert read_table(path, source=other, target="question2").pairs == [("web", "b")]


@pytest.mark.parametrize(("side", "name", "other"), [("source", "passage", "target"), ("target", "1", "source")])
def test_no_column_is_both_sides_by_a_guess(tmp_path, side, name, other):
    path = put(tmp_path, "a.tsv", "query\tpassage\tlabel\na\tb\t1\n")
    with pytest.raises(InputError, match=f"has no column '{other}'; it has query, passage, label"):
        read_table(path, **{side: name})


def test_separators_in_quoted_names_do_not_count(tmp_path):
    path = put(tmp_path, "a.csv", '"Text, 1";"Text, 2";label\n"a, b";c;1\n')
    assert read_table(path).pairs == [("a, b", "c")]
    path = put(tmp_path, "b.csv", '"text;\tall"\na; b\nc\n')
    assert read_table(path, text=1, label=None).pairs == [("a; b", ""), ("c", "")]
    assert [block.table.pairs for block in iterate_table(path, text="1", label=None)] == [[("a; b", ""), ("c", "")]]


def test_semicolons_in_blocks_of_rows(tmp_path):
    path = put(tmp_path, "a.csv", 'text1;text2;label\n"a; b";"c\nd";1\n"e"; f, g;0\n')
    blocks = list(iterate_table(path, rows=1))
    assert [block.table.pairs for block in blocks] == [[("a; b", "c\nd")], [("e", " f, g")]]
    assert read_table(path).pairs == [pair for block in blocks for pair in block.table.pairs]
    assert [block.table.lines for block in blocks] == [[2], [4]]


def test_a_name_goes_before_a_number(tmp_path):
    assert read_table(put(tmp_path, "a.tsv", "2\t1\na\tb\n"), source="1", target="2", label=None).pairs == [("b", "a")]


@pytest.mark.parametrize("name, separator", [("a.tsv", "\t"), ("a.csv", ",")])
def test_without_a_header(tmp_path, name, separator):
    path = put(tmp_path, name, f"1{separator}a{separator}b\n0{separator}c{separator}d\n")
    table = read_table(path, source=2, target="3", label=1, header=False)
    assert (table.pairs, table.labels, table.lines) == ([("a", "b"), ("c", "d")], [1, 0], [1, 2])


def test_tsv_is_literal(tmp_path):
    text = '"a\tb"\u2028c\u0085d\x0be\t1'
    table = read_table(put(tmp_path, "a.tsv", f"source\ttarget\tlabel\n{text}\n"))
    assert table.pairs == [('"a', 'b"\u2028c\u0085d\x0be')]


def test_csv_lines_are_counted_over_quoted_line_ends(tmp_path):
    table = read_table(put(tmp_path, "a.csv", 'source,target,label\n"a\n""b""\n",c,1\nd,e,0\n'))
    assert table.pairs == [('a\n"b"\n', "c"), ("d", "e")]
    assert table.lines == [2, 5]


def test_empty_texts_and_duplicates_are_legal(tmp_path):
    table = read_table(put(tmp_path, "a.tsv", "source\ttarget\n\t\nx\t\nx\t\n"), label=None)
    assert table.pairs == [("", ""), ("x", ""), ("x", "")]


@pytest.mark.parametrize("name", ["a.tsv", "a.csv"])
def test_huge_fields(tmp_path, name):
    import csv

    limit = csv.field_size_limit()
    big = "word " * 100_000
    write_table(tmp_path / name, {"source": [big], "target": ["b"]})
    assert read_table(tmp_path / name, label=None).pairs == [(big, "b")]
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize(
    "given, expected",
    [
        (["1", "0"], [1, 0]),
        (["+1", "-1"], [1, -1]),
        ([" 1", "0 "], [1, 0]),
        (["1", "0.5"], [1.0, 0.5]),
        (["1e-3", ".5", "2."], [0.001, 0.5, 2.0]),
        (["yes", "1"], ["yes", "1"]),
        (["007", "7"], ["007", "7"]),
        (["1_000", "2"], ["1_000", "2"]),
        (["NaN", "none"], ["NaN", "none"]),
        (["1" * 30, "2"], ["1" * 30, "2"]),
    ],
)
def test_labels(tmp_path, given, expected):
    rows = "".join(f"a\tb\t{label}\n" for label in given)
    labels = read_table(put(tmp_path, "a.tsv", "source\ttarget\tlabel\n" + rows)).labels
    assert labels == expected
    assert [type(label) for label in labels] == [type(label) for label in expected]


def test_three_way_entailment_keeps_its_names(tmp_path):
    pairs = "".join(f'<pair id="1" entailment="{x}"><t>a</t><h>b</h></pair>' for x in ("YES", "NO", "UNKNOWN"))
    assert read_table(put(tmp_path, "a.xml", f"<c>{pairs}</c>")).labels == ["YES", "NO", "UNKNOWN"]


def test_xml_entities_markup_and_encodings(tmp_path):
    body = '<c><pair id="1" value="TRUE"><t>caf\xe9 &amp; <b>tea</b> &#233;</t><h>"x"</h></pair></c>'
    expected = [("caf\xe9 & tea \xe9", '"x"')]
    declared = '<?xml version="1.0" encoding="ISO-8859-1"?>' + body
    latin = put(tmp_path, "a.xml", declared.replace("<b>tea</b>", "tea").encode("latin-1"))
    assert read_table(latin).pairs == expected
    undeclared = put(tmp_path, "b.xml", body.replace("<b>tea</b>", "tea").encode("latin-1"))
    assert read_table(undeclared, encoding="latin-1").pairs == expected
    utf16 = put(tmp_path, "c.xml", body.replace("<b>tea</b>", "tea").encode("utf-16"))
    assert read_table(utf16).pairs == expected
    marked = put(tmp_path, "d.xml", body)
    assert read_table(marked).pairs == expected


def test_other_encodings(tmp_path):
    content = "source\ttarget\ncaf\xe9\tb\n"
    assert (
        read_table(put(tmp_path, "a.tsv", content.encode("latin-1")), label=None, encoding="latin-1").pairs[0][0]
        == "caf\xe9"
    )
    assert (
        read_table(put(tmp_path, "b.tsv", content.encode("utf-16")), label=None, encoding="utf-16").pairs[0][0]
        == "caf\xe9"
    )


def test_select_and_place(tmp_path):
    path = put(tmp_path, "a.tsv", TSV)
    part = read_table(path, group="label").select([1])
    assert (part.pairs, part.labels, part.groups, part.lines, len(part)) == (PAIRS[1:], [0], ["0"], [3], 1)
    assert part.place(0) == f"{path}, line 3"


# ---- frames

DATA = {"source": ["He left.", "A b"], "target": ["He went.", "C d"], "label": [1, 0], "q": ["x", "y"]}


# Each is made when its test runs: importing these libraries takes seconds.
FRAMES = {
    "dict": lambda: DATA,
    "pandas": lambda: pytest.importorskip("pandas").DataFrame(DATA, index=[7, 7]),
    "pandas objects": lambda: pytest.importorskip("pandas").DataFrame(DATA).astype(object),
    "pandas categories": lambda: pytest.importorskip("pandas").DataFrame(DATA).astype("category"),
    "polars": lambda: pytest.importorskip("polars").DataFrame(DATA),
    "pyarrow": lambda: pytest.importorskip("pyarrow").table(DATA),
    "hugging face": lambda: pytest.importorskip("datasets").Dataset.from_dict(DATA),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames(kind):
    table = from_frame(FRAMES[kind](), group="q")
    assert (table.pairs, table.labels, table.groups) == (PAIRS, [1, 0], ["x", "y"])
    assert all(type(text) is str for pair in table.pairs for text in pair)
    assert all(type(label) is int for label in table.labels)
    assert (table.columns, table.lines, table.path, table.place(1)) == (list(DATA), [0, 1], None, "row 1")


def frame_message(frame, **options):
    with pytest.raises(InputError) as caught:
        from_frame(frame, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_missing_values_in_frames():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    text = "row 1, target: the text is missing; drop the row or give it a text"
    for missing in (None, math.nan, pandas.NA, pandas.NaT):
        assert frame_message(pandas.DataFrame({**DATA, "target": ["a", missing]}, dtype=object)) == text
    assert frame_message(pandas.DataFrame({**DATA, "target": ["a", None]})) == text
    assert frame_message(polars.DataFrame({**DATA, "target": ["a", None]})) == text
    label = "row 0, label: the value is missing; drop the row or give it a label"
    assert frame_message(pandas.DataFrame({**DATA, "label": [math.nan, 1.0]})) == label
    assert frame_message(polars.DataFrame({**DATA, "label": [None, 1]})) == label


def test_bad_frames():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    datasets = pytest.importorskip("datasets")
    assert frame_message(pandas.DataFrame(DATA), source="s").startswith(
        "the table has no column 's'; it has source, target, label, q: name one with source="
    )
    twice = pandas.DataFrame([["a", "b", "c", 1]], columns=["source", "source", "target", "label"])
    assert frame_message(twice).startswith("the table: 2 columns are called 'source'")
    assert frame_message(pandas.DataFrame(DATA).head(0)) == "the table has no rows: add at least one pair"
    assert frame_message({}) == "the table has no rows: add at least one pair"
    assert frame_message({**DATA, "label": [1]}).startswith("the table: the columns must be of one length, not ")
    parts = datasets.DatasetDict({"train": datasets.Dataset.from_dict(DATA)})
    assert frame_message(parts) == "this dataset has the parts train; give one of them, as in dataset['train']"
    assert frame_message(polars.DataFrame(DATA).lazy()) == "a LazyFrame holds no rows yet; give X.collect()"
    for other in ([("a", "b")], None, 3):
        assert "is not a table: give a pandas or polars DataFrame" in frame_message(other)
    tokens = {**DATA, "source": [["a"], ["b"]]}
    assert frame_message(tokens) == "row 0, source: the value is a list, not a text; write it as a string"


def test_numbered_columns_of_a_frame_are_names():
    pandas = pytest.importorskip("pandas")
    table = from_frame(pandas.DataFrame([["a", "b", 1]]), source=0, target=1, label=2)
    assert (table.pairs, table.labels) == ([("a", "b")], [1])


# ---- writing

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.csv.gz"])
@given(rows=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
def test_what_is_written_is_read_back(tmp_path_factory, name, rows):
    path = tmp_path_factory.mktemp("round") / name
    write_table(path, {"source": [a for a, _ in rows], "target": [b for _, b in rows], "label": [0.5] * len(rows)})
    table = read_table(path)
    assert (table.pairs, table.labels) == (rows, [0.5] * len(rows))


@given(rows=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
def test_tsv_is_read_back_with_blanks_for_tabs_and_line_ends(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("round") / "a.tsv"
    write_table(path, {"source": [a for a, _ in rows], "target": [b for _, b in rows]})
    blanks = str.maketrans("\t\n\r", "   ")
    assert read_table(path, label=None).pairs == [(a.translate(blanks), b.translate(blanks)) for a, b in rows]


def test_written_values(tmp_path):
    numpy = pytest.importorskip("numpy")
    columns = {
        "text": ["a\tb\nc", None],
        "n": numpy.array([1, 2]),
        "p": numpy.array([0.1, math.nan]),
        "inf": [math.inf, 1],
    }
    write_table(tmp_path / "a.tsv", columns)
    assert (tmp_path / "a.tsv").read_text() == "text\tn\tp\tinf\na b c\t1\t0.1\tinf\n\t2\t\t1\n"
    write_table(tmp_path / "a.jsonl", columns)
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert lines[0] == {"text": "a\tb\nc", "n": 1, "p": 0.1, "inf": None}
    assert lines[1] == {"text": None, "n": 2, "p": None, "inf": 1}


def test_packed_files_are_the_same_bytes_each_time(tmp_path):
    write_table(tmp_path / "a.tsv.gz", {"a": ["x"]})
    write_table(tmp_path / "b.tsv.gz", {"a": ["x"]})
    assert (tmp_path / "a.tsv.gz").read_bytes() == (tmp_path / "b.tsv.gz").read_bytes()


def test_writing_to_standard_output(capsys):
    write_table("-", {"a": ["x"], "b": [1]})
    assert capsys.readouterr().out == "a\tb\nx\t1\n"
    with pytest.raises(InputError, match=r"^unknown format 'parquet': choose tsv, csv, jsonl$"):
        write_table("-", {"a": [1]}, format="parquet")


@pytest.mark.parametrize(
    "name, columns, expected",
    [
        ("a.tsv", {"a": [1], "b": []}, "the columns must be of one length, not a 1, b 0"),
        ("a.xlsx", {"a": [1]}, "the extension '.xlsx' tells no format; choose tsv, csv, jsonl, parquet with format="),
        ("a.jsonl", {"a": ["\ud800"]}, "half of a character (U+D800); correct the text"),
        ("a.parquet", {"a": [1, "x"]}, "as Parquet: "),
        ("no/a.tsv", {"a": [1]}, "there is no folder "),
    ],
)
def test_nothing_is_written_when_it_cannot_be(tmp_path, name, columns, expected):
    with pytest.raises(InputError) as caught:
        write_table(tmp_path / name, columns)
    assert expected in str(caught.value) and "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_old_file_stays_when_writing_is_interrupted(tmp_path, monkeypatch):
    path = put(tmp_path, "a.tsv", "old")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("rekern.datasets.table_writer.TableWriter.close", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_table(path, {"a": [1]})
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


# ---- speed and imports


def test_many_compressed_rows_come_back_in_order(tmp_path):
    rows = 65_000
    table = {
        "source": [f"Is {n} odd?" for n in range(rows)],
        "target": ["Is it?"] * rows,
        "label": [0, 1] * (rows // 2),
    }
    write_table(tmp_path / "a.tsv.gz", table)
    found = read_table(tmp_path / "a.tsv.gz")
    assert len(found) == rows
    assert list(found.pairs) == list(zip(table["source"], table["target"]))


def test_importing_brings_no_heavy_library():
    heavy = ["numpy", "scipy", "sklearn", "numba", "pandas", "pyarrow", "polars", "matplotlib", "datasets"]
    imports = "import sys, rekern.datasets.tables"
    code = f"{imports}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
