"""The file formats of tables: from the bytes of a file to named columns, with the line of every row.

Each reader takes the whole file, which keeps line and byte numbers for messages, and checks the shape only.
`rekern.datasets.tables` decides what the columns mean.
"""

import io
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain

from rekern.core.text_files import STANDARD_INPUT, decode_text, read_bytes, show_source
from rekern.datasets.csv_rows import choose_separator, iterate_csv
from rekern.datasets.named_columns import NamedColumns
from rekern.datasets.rte_xml import is_xml, read_pairs
from rekern.errors import InputError, missing_extra

FORMATS = ("tsv", "csv", "jsonl", "json", "parquet", "msrp", "rte")
EXTENSIONS = {
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xml": "rte",
}
SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
TSV_REMEDY = "fields are separated by tabs, and quotes do not join them"
CSV_REMEDIES = {
    ",": "put double quotes round a field with a comma in it",
    ";": "put double quotes round a field with a semicolon in it",
}
EXAMPLE = '{"source": "...", "target": "..."}'


def choose_format(path: str | os.PathLike[str], format: str | None, known: Sequence[str] = FORMATS) -> str:
    """Return the given format, or the one of the file's extension; standard input is TSV.

    >>> choose_format("pairs.jsonl.gz", None), choose_format("pairs.dat", "csv"), choose_format("-", None)
    ('jsonl', 'csv', 'tsv')
    """
    if format is not None:
        if format.lower() in known:
            return format.lower()
        raise InputError(f"unknown format {format!r}: choose {', '.join(known)}")
    if os.fspath(path) == STANDARD_INPUT:
        return "tsv"
    _, extension = os.path.splitext(os.fspath(path).lower().removesuffix(".gz"))
    found = EXTENSIONS.get(extension, "")
    if found in known:
        return found
    if extension in SPREADSHEETS and known is FORMATS:  # a file to read
        raise InputError("a spreadsheet cannot be read; save it as CSV, in UTF-8", file=show_source(path))
    if known is FORMATS and os.path.isdir(path):
        raise InputError("it is a folder: give a file in it", file=show_source(path))
    problem = f"the extension {extension!r} tells no format" if extension else "no extension tells its format"
    raise InputError(f"{problem}; choose {', '.join(known)} with format= (--format)", file=show_source(path))


def read_columns(
    path: str | os.PathLike[str], format: str | None = None, *, encoding: str = "utf-8", header: bool = True
) -> NamedColumns:
    """Read a file (or standard input, ``-``) as named columns; see `rekern.datasets.read_table` for the formats.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "questions.tsv").write_text("id\\tquestion\\n7\\tWho left?\\n")
    ...     columns = read_columns(Path(folder, "questions.tsv"))
    >>> columns.names, columns.column(1)
    (['id', 'question'], ['Who left?'])
    """
    return parse_columns(read_bytes(path), show_source(path), choose_format(path, format), encoding, header)


def parse_columns(
    data: bytes, file: str, format: str, encoding: str | None = "utf-8", header: bool = True
) -> NamedColumns:
    """Return the named columns of the bytes of a file; ``file`` is its name in messages.

    ``encoding=None`` is UTF-8 where the user cannot name another.

    >>> parse_columns(b"id,question\\n7,Who left?\\n", "questions.csv", "csv").column(1)
    ['Who left?']
    """
    if not data:
        raise refuse_empty(file)
    columns = _parse(data, file, format, encoding, header)
    if not columns.lines:
        raise InputError(f"{file} has a header but no rows: add at least one pair", file=file, names_file=True)
    return columns


def _parse(data: bytes, file: str, format: str, encoding: str | None, header: bool) -> NamedColumns:
    if format == "parquet":
        return read_parquet(data, file)
    if format == "rte" and is_xml(data):
        records, lines = read_pairs(data, file, encoding or "utf-8")
        return collect_records(records, lines, file, "line")
    text = decode_text(data, file, encoding)
    if format == "jsonl":
        return read_jsonl(text, file)
    if format == "json":
        return read_json(text, file)
    if format == "csv":
        return read_csv(text, file, header)
    return read_tsv(text, file, header)


def refuse_empty(file: str) -> InputError:
    """Return the error for a file without rows.

    >>> refuse_empty("a.tsv").file
    'a.tsv'
    """
    return InputError(f"{file} is empty: it needs a header line and at least one row", file=file, names_file=True)


def read_tsv(text: str, file: str, header: bool = True) -> NamedColumns:
    """Read tab separated values; quotes are literal, and only a line end ends a row.

    >>> columns = read_tsv('source\\ttarget\\n"A" b\\tc\\n', "a.tsv")
    >>> columns.names, columns.column(0), columns.lines
    (['source', 'target'], ['"A" b'], [2])
    """
    grid = [line.split("\t") for line in _split_lines(text)]
    return _collect_grid(grid, list(range(1, len(grid) + 1)), file, header, TSV_REMEDY)


def read_csv(text: str, file: str, header: bool = True) -> NamedColumns:
    """Read comma separated values; a field in double quotes may hold commas, line ends and doubled quotes.

    Semicolons are read, too, if a header has them and no comma.

    >>> read_csv('source,target\\n"A, b",c\\n', "a.csv").column(0), read_csv("id;text\\n1;A, b\\n", "a.csv").column(1)
    (['A, b'], ['A, b'])
    """
    separator = choose_separator(next(io.StringIO(text, newline=""), ""), file) if header else ","
    rows = list(iterate_csv(io.StringIO(text, newline=""), file, separator))
    while rows and is_blank_row(rows[-1][1]):
        rows.pop()
    return _collect_grid([row for _, row in rows], [line for line, _ in rows], file, header, CSV_REMEDIES[separator])


def is_blank_row(row: list[str]) -> bool:
    """Whether a row of comma separated values is a blank line, such as those at the end of a file.

    >>> is_blank_row([]), is_blank_row([" "]), is_blank_row(["", ""])
    (True, True, False)
    """
    return len(row) < 2 and not "".join(row).strip()


def read_jsonl(text: str, file: str) -> NamedColumns:
    """Read one JSON object a line.

    >>> columns = read_jsonl('{"source": "a", "target": "b"}\\n', "a.jsonl")
    >>> columns.names, columns.column(1)
    (['source', 'target'], ['b'])
    """
    records = [read_record(line, file, number) for number, line in enumerate(_split_lines(text), 1)]
    return collect_records(records, list(range(1, len(records) + 1)), file, "line")


def read_record(line: str, file: str, number: int) -> dict[str, object]:
    """Read the JSON object of one line.

    >>> read_record('{"source": "a"}', "a.jsonl", 1)
    {'source': 'a'}
    """
    if not line.strip():
        raise InputError("the line is blank; delete it", file=file, row=number, unit="line")
    return _check_object(_load_json(line, file, number), file, number, "line")


def read_json(text: str, file: str) -> NamedColumns:
    """Read a JSON array of objects; rows are counted from 1.

    >>> read_json('[{"source": "a", "target": "b"}]', "a.json").column(0)
    ['a']
    """
    if not text.strip():
        raise refuse_empty(file)
    values = _load_json(text, file, None)
    if not isinstance(values, list):
        reason = f"{_name_kind(values)} where an array of objects is needed; for one object a line use .jsonl"
        raise InputError(reason, file=file)
    records = [_check_object(value, file, number, "row") for number, value in enumerate(values, 1)]
    return collect_records(records, list(range(1, len(records) + 1)), file, "row")


def read_parquet(data: bytes, file: str) -> NamedColumns:
    """Read a Parquet file; rows are counted from 1. Only the columns that are used are decompressed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing_extra("pyarrow", "tables") from None
    with explain_parquet_errors(file):
        table = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data))
        names = list(table.schema_arrow.names)

    def column(index: int) -> list[object]:
        with explain_parquet_errors(file):
            values: list[object] = table.read(columns=[names[index]]).column(names[index]).to_pylist()
        return values

    return NamedColumns(names, column, list(range(1, table.metadata.num_rows + 1)), "row", file)


@contextmanager
def explain_parquet_errors(file: str) -> Iterator[None]:
    """Turn the errors of reading a Parquet file in this block into one `InputError`."""
    import pyarrow

    try:
        yield
    except InputError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        problem = f"{file} is not a usable Parquet file ({reason}): fetch or write it again"
        raise InputError(problem, file=file, names_file=True) from None


def _split_lines(text: str) -> list[str]:
    """Split a text into lines, without blank ones at the end; other Unicode line separators are part of the text."""
    if "\n" not in text:
        text = text.replace("\r", "\n")
    lines = text.replace("\r\n", "\n").split("\n")
    while lines and not lines[-1].strip(" \r"):
        lines.pop()
    return lines


def _collect_grid(grid: list[list[str]], lines: list[int], file: str, header: bool, remedy: str) -> NamedColumns:
    """Split off the header, and check that every row has as many fields as the first."""
    if not grid:
        raise refuse_empty(file)
    if header:
        return collect_rows(grid[1:], lines[1:], [name.strip() for name in grid[0]], file, header, remedy)
    return collect_rows(grid, lines, [str(i + 1) for i in range(len(grid[0]))], file, header, remedy)


def collect_rows(
    rows: list[list[str]], lines: list[int], names: list[str], file: str, header: bool, remedy: str
) -> NamedColumns:
    """Make columns from the fields of rows, which are these lines of a file; each row has a field for each name.

    >>> collect_rows([["a"]], [2], ["source", "target"], "a.tsv", True, "separate fields by tabs")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: a.tsv, line 2: 1 fields where the header has 2; separate fields by tabs
    """
    width = len(names)
    for row, line in zip(rows, lines):
        if len(row) != width:
            if len(row) < 2 and not "".join(row).strip():
                raise InputError("the line is blank; delete it", file=file, row=line, unit="line")
            first = "the header has" if header else "the first line has"
            reason = f"{len(row)} fields where {first} {width}; {remedy}"
            raise InputError(reason, file=file, row=line, unit="line")
    return NamedColumns(names, lambda index: [row[index] for row in rows], lines, file=file)


def collect_records(records: list[dict[str, object]], lines: list[int], file: str | None, unit: str) -> NamedColumns:
    """Make columns from objects: every key of any of them; a key that one lacks is None there.

    >>> collect_records([{"text": "a"}, {"id": 7}], [1, 2], "a.jsonl", "line").column(1)
    [None, 7]
    """
    if not records:
        raise refuse_empty(file or "the table")
    names = list(dict.fromkeys(chain.from_iterable(records)))
    return NamedColumns(names, lambda index: [record.get(names[index]) for record in records], lines, unit, file)


def _load_json(text: str, file: str, line: int | None) -> object:
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        remedy = f"each line must be one object such as {EXAMPLE}" if line else "correct it there"
        reason = f"invalid JSON ({error.msg}); {remedy}"
        column = f"column {error.colno}"
        raise InputError(reason, file=file, row=line or error.lineno, column=column, unit="line") from None
    except (ValueError, RecursionError):
        reason = "JSON with a number of thousands of digits, or with thousands of brackets; simplify it"
        raise InputError(reason, file=file, row=line, unit="line") from None
    return value


def _check_object(value: object, file: str, row: int, unit: str) -> dict[str, object]:
    if not isinstance(value, dict):
        reason = f"{_name_kind(value)} where an object such as {EXAMPLE} is needed"
        raise InputError(reason, file=file, row=row, unit=unit)
    return value


def _name_kind(value: object) -> str:
    kinds = {dict: "an object", list: "an array", str: "a string", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), "a number")
