"""Tables in blocks are the tables that are read whole, and are refused for the same reasons."""

import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rekern.datasets.table_formats import iterate_columns
from rekern.datasets.tables import open_table, read_columns, write_table
from rekern.errors import InputError

BODIES = [f"{row}\tsource {row}\ttarget {row}" for row in range(7)]
FILES = {
    "plain.tsv": "\n".join(["id\tsource\ttarget", *BODIES]),
    "ends.tsv": "\n".join(["id\tsource\ttarget", *BODIES, "", " ", ""]),
    "bom.tsv": "\ufeffid\tsource\n1\ta\n2\tb\n",
    "returns.tsv": "id\tsource\r1\ta\r2\tb\r",
    "dos.tsv": "id\tsource\r\n1\ta\r\n2\tb\r\n\r\n",
    "one.tsv": "id\tsource\n1\ta",
    "blank.tsv": "id\tsource\n1\ta\n\n2\tb\n",
    "short.tsv": "id\tsource\n1\ta\n2\tb\n3\n",
    "nul.tsv": "id\tsource\n1\ta\n2\tb\0\n",
    "empty.tsv": "",
    "header.tsv": "id\tsource\n",
    "quoted.csv": 'id,source\n1,"two\nlines, ""quoted"""\n2,b\n3,"c"\n\n\n',
    "returns.csv": "id,source\r1,a\r2,b\r",
    "dos.csv": 'id,source\r\n1,"a\r\nb"\r\n2,b\r\n',
    "open.csv": 'id,source\n1,a\n2,"b\n3,c\n',
    "blank.csv": "id,source\n1,a\n\n2,b\n",
    "some.jsonl": '{"id": 1, "source": "a"}\n{"id": null, "source": "b"}\n{"id": 3, "source": "c"}\n\n',
    "bad.jsonl": '{"id": 1}\n{"id": 2}\n{"id": \n',
    "blank.jsonl": '{"id": 1}\n\n{"id": 2}\n',
    "returns.jsonl": '{"id": 1}\r{"id": 2}\r',
    "empty.jsonl": "\n",
    "texts.tsv": "text\na\n\n\n \nb\n\n\n",
    "blank texts.tsv": "text\na\n\n\n \n \n\nb\n",
    "texts.csv": "text\na\n \n  \nb\n\n\n",
    "blank texts.csv": "text\na\n \n\nb\n",
    "all.json": '[{"id": 1}, {"id": 2}, {"id": 3}]',
    "letters.txt": "id\tsource\n1\tcaf\u00e9\n",
}


def read_all(path, rows, **options):
    """The names, columns and lines of all blocks together, or the error."""
    try:
        if rows is None:
            blocks = [read_columns(path, **options)]
        else:
            blocks = list(iterate_columns(path, rows=rows, **options))
            assert all(0 < len(block.lines) <= rows for block in blocks)
    except InputError as error:
        return str(error), error.file, error.row
    names = [list(block.names) for block in blocks]
    assert all(other == names[0] for other in names)
    columns = [[value for block in blocks for value in block.column(i)] for i in range(len(names[0]))]
    return names[0], columns, [line for block in blocks for line in block.lines]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_blocks_are_the_whole_table(tmp_path, name, rows):
    path = tmp_path / name
    path.write_bytes(FILES[name].encode())
    assert read_all(path, rows) == read_all(path, None)
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(FILES[name].encode()))
    assert read_all(packed, rows) == read_all(packed, None)
    if name.endswith("sv"):
        assert read_all(path, rows, header=False) == read_all(path, None, header=False)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16", "utf-1000"])
def test_encodings(tmp_path, encoding):
    path = tmp_path / "a.tsv"
    path.write_bytes("id\tsource\n1\tcaf\u00e9\n".encode("utf-16" if encoding == "utf-16" else "latin-1"))
    found, expected = (read_all(path, rows, encoding=encoding) for rows in (1, None))
    if encoding == "utf-8":  # the place in the file is known only to the one that reads it whole
        assert (
            found[0].endswith(
                "a.tsv, line 2: byte 0xe9 is not utf-8; name the file's encoding, for example "
                "--encoding latin-1 (encoding='latin-1')"
            )
            and found[2] == expected[2]
        )
    else:
        assert found == expected


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.text(max_size=6), st.text(alphabet='ab",\r\n\t', max_size=6)), min_size=1, max_size=9),
    st.integers(1, 4),
)
def test_any_csv(tmp_path, rows, most):
    rows = [(one.replace("\0", "").encode("utf-8", "ignore").decode(), other) for one, other in rows]
    path = tmp_path / "a.csv"
    write_table(path, {"source": [one for one, _ in rows], "target": [other for _, other in rows]})
    assert read_all(path, most) == read_all(path, None)


def test_parquet_in_batches(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    write_table(path, {"id": [1, 2, 3], "source": ["a", None, "c"]})
    assert read_all(path, 2) == read_all(path, None)
    for content in (b"", b"PAR1 no"):
        path.write_bytes(content)
        assert read_all(path, 2) == read_all(path, None)
    assert read_all(tmp_path / "missing.parquet", 2) == read_all(tmp_path / "missing.parquet", None)


def test_a_large_text_ends_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr("rekern.datasets.table_formats.CHARACTERS", 10)
    (tmp_path / "a.tsv").write_text("id\tsource\n1\ta\n2\tlong enough\n3\tb\n")
    assert [block.lines for block in iterate_columns(tmp_path / "a.tsv")] == [[2, 3], [4]]


def test_later_columns(tmp_path):
    with open_table(tmp_path / "a.jsonl") as table:
        table.write({"id": [1]})
        table.write({"id": [2], "note": ["x"]})
    assert (tmp_path / "a.jsonl").read_text() == '{"id": 1}\n{"id": 2, "note": "x"}\n'
    with open_table(tmp_path / "a.tsv") as table:
        table.write({"id": [1], "note": ["x"]})
        table.write({"note": ["y"]})
    assert (tmp_path / "a.tsv").read_text() == "id\tnote\n1\tx\n\ty\n"
    with pytest.raises(InputError, match="'note' appears after the first rows") as caught:  # noqa: SIM117
        with open_table(tmp_path / "b.tsv") as table:
            table.write({"id": [1]})
            table.write({"id": [2], "note": ["x"]})
    assert caught.value.file == str(tmp_path / "b.tsv") and not (tmp_path / "b.tsv").exists()
