"""A file that cannot be read gets one line that names the place and the remedy."""

import gzip
import io
import sys

import pytest

from rekern.datasets import read_table, write_table
from rekern.errors import InputError, MissingExtraError

TSV = "source\ttarget\tlabel\nHe left.\tHe went.\t1\nA b\tC d\t0\n"


def put(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def message(path, **options):
    """The error's text, which must be one line; the file's folder is cut off."""
    with pytest.raises(InputError) as caught:
        read_table(path, **options)
    text = str(caught.value)
    assert "\n" not in text and "\r" not in text
    assert caught.value.__cause__ is None and (caught.value.__suppress_context__ or not caught.value.__context__)
    return text.replace(f"{path.parent}/", "") if hasattr(path, "parent") else text


HEADER = "source\ttarget\tlabel\n"
BAD = {
    "empty.tsv": ("", "empty.tsv is empty: it needs a header line and at least one row"),
    "blank.tsv": ("\n\n", "blank.tsv is empty: it needs a header line and at least one row"),
    "empty.csv": ("\n", "empty.csv is empty: it needs a header line and at least one row"),
    "empty.jsonl": ("\n", "empty.jsonl is empty: it needs a header line and at least one row"),
    "empty.json": ("[]", "empty.json is empty: it needs a header line and at least one row"),
    "blank.json": (" ", "blank.json is empty: it needs a header line and at least one row"),
    "empty.parquet": ("", "empty.parquet is empty: it needs a header line and at least one row"),
    "head.tsv": (HEADER, "head.tsv has a header but no rows: add at least one pair"),
    "head.csv": ("source,target,label", "head.csv has a header but no rows: add at least one pair"),
    "column.tsv": (
        "source\tb\tlabel\nx\ty\t1\n",
        "column.tsv has no column 'target'; it has source, b, label: name one with target= (--target)",
    ),
    "columns.tsv": (
        "Frage\tAntwort\tgut\nx\ty\t1\n",
        "columns.tsv has no columns 'source', 'target' and 'label'; it has Frage, Antwort, gut: "
        "name them with source=, target= and label= (--source, --target, --label)",
    ),
    "guess.csv": (
        "Id,Customer asks,FAQ entry,Same?\n" + "1,who is it,what is this,yes\n2,why not me,why me,no\n" * 4,
        "guess.csv has no columns 'source', 'target' and 'label'; it has Id, Customer asks, FAQ entry, Same?: "
        "name them with source=, target= and label= (--source, --target, --label), "
        "perhaps --source 'Customer asks' --target 'FAQ entry'",
    ),
    "guess.tsv": (
        "Asked\tMeant\tSame?\n" + "who is it\twhat is this\tyes\nwhy not me\twhy me then\tno\n" * 4,
        "guess.tsv has no columns 'source', 'target' and 'label'; it has Asked, Meant, Same?: "
        "name them with source=, target= and label= (--source, --target, --label), "
        "perhaps --source Asked --target Meant --label 'Same?'",
    ),
    "guess_two.tsv": (
        "id\tText\tText\n" + "1\twho is it\twhat is this\n2\twhy not me\twhy me then\n" * 4,
        "guess_two.tsv has no columns 'source', 'target' and 'label'; it has id, Text, Text: "
        "name them with source=, target= and label= (--source, --target, --label)",
    ),
    "guess_lines.csv": (
        '"As\nked",Meant,ok\n' + "who is it,what is this,yes\nwhy not me,why me then,no\n" * 4,
        "guess_lines.csv has no columns 'source', 'target' and 'label'; it has 'As\\nked', Meant, ok: "
        "name them with source=, target= and label= (--source, --target, --label)",
    ),
    "several.tsv": (
        "question\tanswer\tpassage\tlabel\nx\ty\tz\t1\n",
        "several.tsv has no columns 'source' and 'target'; it has question, answer, passage, label: "
        "name them with source= and target= (--source, --target)",
    ),
    "label.tsv": (
        "source\ttarget\nx\ty\n",
        "label.tsv has no column 'label'; it has source, target: "
        "name one with label= (--label); label=None reads without labels",
    ),
    "commas.tsv": (
        "source,target,label\nx,y,1\n",
        "commas.tsv has no column 'source'; it has source,target,label: is it csv? Give format='csv' (--format)",
    ),
    "tabs.csv": (
        HEADER + "a, b\ty\t1\n",
        "tabs.csv, line 1: its fields are separated by tabs; name it .tsv, or give format='tsv' (--format)",
    ),
    "semicolons.csv": (
        '"source";"target";"label"\n"a; b";c;1\na; b;c;1\n',
        "semicolons.csv, line 3: 4 fields where the header has 3; "
        "put double quotes round a field with a semicolon in it",
    ),
    "inner_semicolons.csv": (
        'source;target;label\n"a"b;c;1\n',
        "inner_semicolons.csv, line 2: ';' expected after '\"'; "
        "close every quoted field, and double the quotes inside it",
    ),
    "semicolons.tsv": (
        "source;target;label\na;b;1\n",
        "semicolons.tsv has no column 'source'; it has source;target;label: "
        "are its fields separated by semicolons? Name it .csv, or give format='csv' (--format)",
    ),
    "spreadsheet.xlsx": ("PK", "spreadsheet.xlsx: a spreadsheet cannot be read; save it as CSV, in UTF-8"),
    "twice.tsv": (
        "source\tsource\ttarget\tlabel\na\tb\tc\t1\n",
        "twice.tsv: 2 columns are called 'source'; rename one, or give its number with source=",
    ),
    "few.tsv": (
        HEADER + "a\tb\t1\nc\td\n",
        "few.tsv, line 3: 2 fields where the header has 3; fields are separated by tabs, and quotes do not join them",
    ),
    "many.csv": (
        "source,target,label\na,b,c,1\n",
        "many.csv, line 2: 4 fields where the header has 3; put double quotes round a field with a comma in it",
    ),
    "middle.tsv": (HEADER + "\na\tb\t1\n", "middle.tsv, line 2: the line is blank; delete it"),
    "middle.csv": ("source,target,label\n\na,b,1\n", "middle.csv, line 2: the line is blank; delete it"),
    "middle.jsonl": ('{"source":"a"}\n\n{"source":"a"}', "middle.jsonl, line 2: the line is blank; delete it"),
    "quote.csv": (
        'source,target,label\na,b,1\n"a,b,1\nc,d,0\n',
        "quote.csv, line 3: unexpected end of data; close every quoted field, and double the quotes inside it",
    ),
    "inner.csv": (
        'source,target,label\n"a"b,c,1\n',
        "inner.csv, line 2: ',' expected after '\"'; close every quoted field, and double the quotes inside it",
    ),
    "latin.tsv": (
        HEADER.encode() + b"a\tb\t1\ncaf\xe9\tb\t1\n",
        "latin.tsv, line 3: byte 0xe9 at offset 29 is not utf-8; "
        "name the file's encoding, for example --encoding latin-1 (encoding='latin-1')",
    ),
    "bom_latin.csv": (
        b"\xef\xbb\xbfsource,target\n\xff,b\n",
        "bom_latin.csv, line 2: byte 0xff at offset 17 is not utf-8; "
        "name the file's encoding, for example --encoding latin-1 (encoding='latin-1')",
    ),
    "wide.tsv": (
        TSV.encode("utf-16"),
        "wide.tsv, line 1: byte 0xff at offset 0 is not utf-8; "
        "name the file's encoding, for example --encoding utf-16 (encoding='utf-16')",
    ),
    "nul.tsv": (
        HEADER + "a\0b\tc\t1\n",
        "nul.tsv, line 2: a NUL character; the file is damaged, or its encoding is another, such as --encoding utf-16",
    ),
    "missing.tsv": (
        HEADER + "a\tb\t1\nc\td\t \n",
        "missing.tsv, line 3, label: the value is missing; drop the row or give it a label",
    ),
    "nan.tsv": (
        HEADER + "a\tb\t1\nc\td\tnan\n",
        "nan.tsv, line 3, label: the value is 'nan' where the others are numbers; drop the row",
    ),
    "large.tsv": (
        HEADER + "a\tb\t1\nc\td\t1e999\n",
        "large.tsv, line 3, label: the value is too large for a number; give it a smaller one",
    ),
    "null.jsonl": (
        '{"source": "a", "target": "b", "label": 1}\n{"source": "a", "target": null, "label": 1}\n',
        "null.jsonl, line 2, target: the text is missing; drop the row or give it a text",
    ),
    "lacks.jsonl": (
        '{"source": "a", "target": "b", "label": 1}\n{"target": "b", "label": 1}\n',
        "lacks.jsonl, line 2, source: the text is missing; drop the row or give it a text",
    ),
    "nan.jsonl": (
        '{"source": NaN, "target": "b", "label": 1}',
        "nan.jsonl, line 1, source: the text is missing; drop the row or give it a text",
    ),
    "number.jsonl": (
        '{"source": 5, "target": "b", "label": 1}',
        "number.jsonl, line 1, source: the value is an int, not a text; write it as a string",
    ),
    "list.jsonl": (
        '{"source": "a", "target": "b", "label": [1]}',
        "list.jsonl, line 1, label: the value is a list; give a string or a number",
    ),
    "nolabel.jsonl": (
        '{"source": "a", "target": "b", "label": NaN}',
        "nolabel.jsonl, line 1, label: the value is missing; drop the row or give it a label",
    ),
    "half.jsonl": (
        '{"source": "a\\ud800", "target": "b", "label": 1}',
        "half.jsonl, line 1, source: the text holds half of a character; correct it",
    ),
    "invalid.jsonl": (
        '{"source": "a", "target": "b", "label": 1}\n{"source": "a" "target"}\n',
        "invalid.jsonl, line 2, column 16: invalid JSON (Expecting ',' delimiter); "
        'each line must be one object such as {"source": "...", "target": "..."}',
    ),
    "array.jsonl": (
        '["a", "b"]\n',
        'array.jsonl, line 1: an array where an object such as {"source": "...", "target": "..."} is needed',
    ),
    "invalid.json": (
        '[{"source": "a"},\n {"source": }]',
        "invalid.json, line 2, column 13: invalid JSON (Expecting value); correct it there",
    ),
    "object.json": (
        '{"source": ["a"]}',
        "object.json: an object where an array of objects is needed; for one object a line use .jsonl",
    ),
    "items.json": (
        '[{"source": "a"}, 3]',
        'items.json, row 2: a number where an object such as {"source": "...", "target": "..."} is needed',
    ),
    "unknown.dat": (
        TSV,
        "unknown.dat: the extension '.dat' tells no format; "
        "choose tsv, csv, jsonl, json, parquet, msrp, rte with format= (--format)",
    ),
    "none": (
        TSV,
        "none: no extension tells its format; choose tsv, csv, jsonl, json, parquet, msrp, rte with format= (--format)",
    ),
    "notgzip.tsv.gz": (
        TSV,
        "notgzip.tsv.gz is not a whole gzip file: fetch it again, or rename it if it is not compressed",
    ),
    "cut.tsv.gz": (
        gzip.compress(TSV.encode() * 50)[:-20],
        "cut.tsv.gz is not a whole gzip file: fetch it again, or rename it if it is not compressed",
    ),
    "broken.xml": (
        "<c>\n<pair></c>",
        "broken.xml, line 2, column 9: invalid XML (mismatched tag); "
        "correct it, or name the file's encoding with --encoding",
    ),
    "nested.xml": (
        '<c><pair id="1"><t>a</t><h>b</h>\n<pair id="2"><t>a</t><h>b</h></pair></pair></c>',
        "nested.xml, line 2: a <pair> inside a <pair>; close the first one before it",
    ),
    "declared.xml": (
        '<?xml version="1.0" encoding="klingon"?><c></c>',
        "declared.xml: unreadable encoding (unknown encoding: klingon); name it with --encoding",
    ),
    "nopair.xml": ("<c></c>", "nopair.xml holds no <pair>: it is not in RTE's format"),
    "noh.xml": (
        '<c>\n<pair id="1"><t>a</t></pair></c>',
        "noh.xml, line 2: a <pair> needs a text <t> and a hypothesis <h>",
    ),
    "nolabel.xml": (
        '<c><pair id="1"><t>a</t><h>b</h></pair></c>',
        "nolabel.xml has no column 'label'; it has id, text, hypothesis: "
        "name one with label= (--label); label=None reads without labels",
    ),
    "unknown.xml": (
        '<!DOCTYPE c SYSTEM "rte.dtd">\n<c><pair id="1"><t>&foo;</t><h>b</h></pair></c>',
        "unknown.xml, line 2: the entity &foo; is unknown; write the character itself",
    ),
    "text.xml": (
        "no XML at all",
        "text.xml has a header but no rows: add at least one pair",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(tmp_path, name):
    content, expected = BAD[name]
    assert message(put(tmp_path, name, content)) == expected


BOMB = (
    '<!DOCTYPE c [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>'
    '<c><pair id="1" value="TRUE"><t>&c;</t><h>b</h></pair></c>'
)
OUTSIDE = (
    '<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><c><pair id="1" value="TRUE"><t>&x;</t><h>b</h></pair></c>'
)


@pytest.mark.parametrize("content", [BOMB, OUTSIDE], ids=["bomb", "outside"])
def test_hostile_xml_is_refused(tmp_path, content):
    expected = "a.xml, line 1: the document type declares things of its own; remove the [...] part"
    assert message(put(tmp_path, "a.xml", content)) == expected


@pytest.mark.parametrize("content", ["[" * 100_000, '{"label": ' + "9" * 5000 + "}"], ids=["deep", "digits"])
def test_hostile_json_is_refused(tmp_path, content):
    assert message(put(tmp_path, "a.jsonl", content)).startswith("a.jsonl, line 1")


def test_missing_file_and_folder(tmp_path):
    assert message(tmp_path / "no.tsv") == "there is no file no.tsv: check the path"
    (tmp_path / "data.tsv").mkdir()
    assert message(tmp_path / "data.tsv") == "data.tsv is a folder: give a file in it"
    assert message("a\0b").startswith("cannot read 'a\\x00b': ")
    assert message(tmp_path / "two\nlines.tsv").startswith("there is no file '")


def test_empty_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert message("-") == "standard input is empty: it needs a header line and at least one row"


def test_unknown_format_encoding_and_number(tmp_path):
    path = put(tmp_path, "a.tsv", TSV)
    assert message(path, format="xls") == "unknown format 'xls': choose tsv, csv, jsonl, json, parquet, msrp, rte"
    for name in ("klingon", "hex"):
        assert message(path, encoding=name) == f"unknown encoding {name!r}: name one such as utf-8, latin-1 or utf-16"
    for number in (0, 4, "4", -1):
        assert message(path, source=number).startswith(f"a.tsv has no column {number!r}; it has source, target, label")


@pytest.mark.parametrize("format, names", [("msrp", "s1, s2, quality"), ("rte", "text, hypothesis, entailment")])
def test_not_the_named_format(tmp_path, format, names):
    expected = f"a.tsv is not in the format {format!r}: it has source, target, label, not {names}; leave the format out"
    assert message(put(tmp_path, "a.tsv", TSV), format=format) == expected


def test_long_lists_of_columns_are_cut(tmp_path):
    header = "\t".join(["x" * 500] + [f"c{i}" for i in range(99)])
    text = message(put(tmp_path, "a.tsv", header + "\n" + "\t" * 99 + "\n"))
    assert "xxx..., c0" in text and "and 80 more" in text and len(text) < 400


@pytest.mark.parametrize("cut", [4, 100, -30])
def test_damaged_parquet(tmp_path, cut):
    path = tmp_path / "a.parquet"
    write_table(path, {"source": ["a"] * 50, "target": ["b"] * 50, "label": [1] * 50})
    path.write_bytes(path.read_bytes()[:cut])
    text = message(path)
    assert text.startswith("a.parquet is not a usable Parquet file (") and text.endswith("): fetch or write it again")


def test_parquet_with_a_damaged_page(tmp_path):
    path = tmp_path / "a.parquet"
    write_table(path, {"source": [f"{i} words" for i in range(500)], "target": ["b"] * 500, "label": [1] * 500})
    data = bytearray(path.read_bytes())
    data[20:400] = b"\xff" * 380
    path.write_bytes(data)
    assert message(path).startswith("a.parquet")


def test_missing_text_in_parquet(tmp_path):
    write_table(tmp_path / "a.parquet", {"source": ["a", None], "target": ["b", "c"]})
    expected = "a.parquet, row 2, source: the text is missing; drop the row or give it a text"
    assert message(tmp_path / "a.parquet", label=None) == expected


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r'pyarrow is not installed: pip install "rekern\[tables\]"'):
        read_table(put(tmp_path, "a.parquet", b"PAR1"))
    with pytest.raises(MissingExtraError):
        write_table(tmp_path / "b.parquet", {"a": [1]})


def test_fields_of_any_length(tmp_path):
    text = "word " * 100_000
    table = read_table(put(tmp_path, "a.csv", f'source,target,label\n"{text}",b,1\n'))
    assert table.pairs == [(text, "b")]
