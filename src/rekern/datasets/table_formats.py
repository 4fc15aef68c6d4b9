"""The file formats of tables: from a file to named columns, in blocks of rows or whole, with the line of every row.

TSV, CSV and JSONL files are read line by line and Parquet files in batches, for files of any size; the others are read
whole. `rekern.datasets.tables` decides what the columns mean.
"""

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from itertools import chain, islice
from threading import Lock
from typing import Any

from rekern.core.files import explain_read_errors
from rekern.core.text_files import (
    STANDARD_INPUT,
    can_iterate,
    decode_line,
    decode_text,
    open_binary,
    read_bytes,
    refuse_nul,
    show_source,
)
from rekern.datasets.named_columns import NamedColumns
from rekern.datasets.rte_xml import is_xml, read_pairs
from rekern.errors import InputError, missing_extra

_CSV_LOCK = Lock()

ROWS = 2_000  # of a block
CHARACTERS = 4_000_000  # after which a block ends earlier

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
TABS = "its fields are separated by tabs; name it .tsv, or give format='tsv' (--format)"
TSV_REMEDY = "fields are separated by tabs, and quotes do not join them"
CSV_REMEDIES = {
    ",": "put double quotes round a field with a comma in it",
    ";": "put double quotes round a field with a semicolon in it",
}
CSV_REMEDY = "close every quoted field, and double the quotes inside it"
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


Fields = tuple[int, list[str]]  # the line of a row, and the row


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
    if format == "parquet":
        return _read_parquet(data, file)
    if format == "rte" and is_xml(data):
        records, places = read_pairs(data, file, encoding or "utf-8")
        return collect_records(records, places, file, "line")
    text = decode_text(data, file, encoding)
    if format == "json":
        return _read_json(text, file)
    (columns,) = _parse_lines(io.StringIO(text, newline="\n"), file, format, header, None)
    return columns


def iterate_columns(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    encoding: str = "utf-8",
    header: bool = True,
    rows: int | None = ROWS,
) -> Iterator[NamedColumns]:
    """Read a file (or standard input, ``-``) as named columns, in blocks of at most ``rows`` rows; None for one block.

    The blocks together are what `read_columns` returns. In a JSONL file each block has the keys of its own objects.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.tsv").write_text("id\\ttext\\n1\\tone\\n2\\ttwo\\n3\\tthree\\n")
    ...     [(block.column(1), block.lines) for block in iterate_columns(Path(folder, "a.tsv"), rows=2)]
    [(['one', 'two'], [2, 3]), (['three'], [4])]
    """
    chosen = choose_format(path, format)
    file = show_source(path)
    if rows is None:
        yield read_columns(path, format, encoding=encoding, header=header)
    elif chosen == "parquet" and os.fspath(path) != STANDARD_INPUT and not os.fspath(path).lower().endswith(".gz"):
        yield from _iterate_parquet(path, file, rows)
    elif chosen in ("tsv", "msrp", "csv", "jsonl") and can_iterate(encoding):
        with explain_read_errors(file), open_binary(path) as stream:
            yield from _parse_lines(_decode_lines(stream, file, encoding), file, chosen, header, rows)
    else:
        yield from _cut_columns(read_columns(path, format, encoding=encoding, header=header), rows)


def refuse_empty(file: str) -> InputError:
    """Return the error for a file without rows.

    >>> refuse_empty("a.tsv").file
    'a.tsv'
    """
    return InputError(f"{file} is empty: it needs a header line and at least one row", file=file, names_file=True)


def _decode_lines(stream: Iterable[bytes], file: str, encoding: str) -> Iterator[str]:
    """Yield the lines of a file with their ends, none with a NUL character."""
    for number, data in enumerate(stream, 1):
        line = decode_line(data, file, number, encoding)
        if "\0" in line:
            raise refuse_nul(file, number, encoding)
        yield line.removeprefix("\ufeff") if number == 1 else line


def _parse_lines(
    lines: Iterable[str], file: str, format: str, header: bool, rows: int | None
) -> Iterator[NamedColumns]:
    """Yield the columns of lines of TSV, CSV or JSONL, which have their ends, in blocks of at most ``rows`` rows."""
    if format == "csv":
        remedy, fields = _split_csv(lines, file, header)
    else:
        remedy, fields = TSV_REMEDY, _split_tsv(lines, "\t" if format != "jsonl" else None)
    first = next(fields, None)
    if first is None:
        raise refuse_empty(file)
    if format == "jsonl":
        for block in _cut(chain([first], fields), rows):
            records = [read_record(row[0], file, number) for number, row in block]
            yield collect_records(records, [number for number, _ in block], file, "line")
        return
    names = [name.strip() for name in first[1]] if header else [str(i + 1) for i in range(len(first[1]))]
    is_empty = True
    for block in _cut(fields if header else chain([first], fields), rows):
        is_empty = False
        yield _collect_rows([row for _, row in block], [line for line, _ in block], names, file, header, remedy)
    if is_empty:
        reason = f"{file} has a header but no rows: add at least one pair"
        raise InputError(reason, file=file, names_file=True)


def _split_tsv(lines: Iterable[str], separator: str | None) -> Iterator[Fields]:
    """Yield the number and the fields of each line; quotes are literal, and only a line end ends a row.

    Lines that end in carriage returns alone are one line for the system.
    """
    numbered: Iterator[tuple[int, str]] = enumerate(lines, 1)
    _, start = next(numbered, (1, ""))
    if start and not start.endswith("\n"):
        numbered = enumerate(start.split("\r"), 1)
    elif start:
        numbered = chain([(1, start)], numbered)
    plain = ((number, line.removesuffix("\n").removesuffix("\r")) for number, line in numbered)
    fields = ((number, line.split(separator) if separator else [line]) for number, line in plain)
    return _drop_last(fields, lambda row: len(row) == 1 and not row[0].strip(" \r"), separator is None)


def _split_csv(lines: Iterable[str], file: str, header: bool) -> tuple[str, Iterator[Fields]]:
    """Return the remedy for a row with too many fields, and the first line and the fields of each row.

    A field in double quotes may hold commas, line ends and doubled quotes. Semicolons separate fields, too, as
    spreadsheets write them in many countries, if a header has them and no comma.
    """
    ends = chain.from_iterable(io.StringIO(line, newline="") if "\r" in line else (line,) for line in lines)
    first = next(ends, "")
    separator = _choose_separator(first, file) if header else ","
    reader = csv.reader(chain([first] if first else [], ends), delimiter=separator, strict=True)

    def read() -> Iterator[Fields]:
        start = 1
        try:
            while row := _read_row(reader):
                yield start, row[0]
                start = reader.line_num + 1
        except csv.Error as error:
            raise InputError(f"{error}; {CSV_REMEDY}", file=file, row=start, unit="line") from None

    return CSV_REMEDIES[separator], _drop_last(read(), lambda row: len(row) < 2 and not "".join(row).strip())


def _read_row(reader: Iterator[list[str]]) -> list[list[str]]:
    """Return the next row in a list, or nothing; a field may be longer than the process allows."""
    with _CSV_LOCK:
        limit = csv.field_size_limit((1 << 31) - 1)
        try:
            return list(islice(reader, 1))
        finally:
            csv.field_size_limit(limit)


def _choose_separator(header: str, file: str) -> str:
    """Return what separates the names of a header, where what is in quotes does not count.

    >>> _choose_separator("source;target;label", "a.csv"), _choose_separator("source,target", "a.csv")
    (';', ',')
    """
    header = re.sub('"[^"]*"?', "", header)
    if "\t" in header and "," not in header:
        raise InputError(TABS, file=file, row=1, unit="line")
    return ";" if ";" in header and "," not in header else ","


def _drop_last(
    rows: Iterable[Fields], is_blank: Callable[[list[str]], bool], are_refused: bool | None = None
) -> Iterator[Fields]:
    """Yield rows without the blank ones at the end.

    A blank one among others is for the caller to refuse, so that of several one is enough, except in a table of one
    column: there they are empty texts.
    """
    waiting: list[Fields] = []
    for line, row in rows:
        if are_refused is None:
            are_refused = len(row) > 1
        if not is_blank(row):
            yield from waiting
            waiting.clear()
            yield line, row
        elif not are_refused or not waiting:
            waiting.append((line, row))


def _cut(rows: Iterable[Fields], most: int | None) -> Iterator[list[Fields]]:
    """Yield lists of at most ``most`` rows, or of fewer with ``CHARACTERS`` characters; None for one list of all."""
    block: list[Fields] = []
    size = 0
    for row in rows:
        block.append(row)
        size += 0 if most is None else sum(map(len, row[1]))
        if most is not None and (len(block) >= most or size >= CHARACTERS):
            yield block
            block, size = [], 0
    if block:
        yield block


def _cut_columns(columns: NamedColumns, rows: int) -> Iterator[NamedColumns]:
    """Cut columns that are in memory into blocks."""
    read = cache(columns.column)

    def read_part(part: slice, index: int) -> list[object]:
        return read(index)[part]

    for start in range(0, len(columns.lines), rows):
        part = slice(start, start + rows)
        yield replace(columns, column=partial(read_part, part), lines=columns.lines[part])


def read_record(line: str, file: str, number: int) -> dict[str, object]:
    """Read the JSON object of one line.

    >>> read_record('{"source": "a"}', "a.jsonl", 1)
    {'source': 'a'}
    """
    if not line.strip():
        raise InputError("the line is blank; delete it", file=file, row=number, unit="line")
    return _check_object(_load_json(line, file, number), file, number, "line")


def _read_json(text: str, file: str) -> NamedColumns:
    """Read a JSON array of objects; rows are counted from 1."""
    if not text.strip():
        raise refuse_empty(file)
    values = _load_json(text, file, None)
    if not isinstance(values, list):
        reason = f"{_name_kind(values)} where an array of objects is needed; for one object a line use .jsonl"
        raise InputError(reason, file=file)
    records = [_check_object(value, file, number, "row") for number, value in enumerate(values, 1)]
    return collect_records(records, list(range(1, len(records) + 1)), file, "row")


def _open_parquet(source: Any, file: str) -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise missing_extra("pyarrow", "tables") from None
    with explain_parquet_errors(file):
        table = pyarrow.parquet.ParquetFile(source if hasattr(source, "read") else pyarrow.BufferReader(source))
    if not table.metadata.num_rows:
        reason = f"{file} has a header but no rows: add at least one pair"
        raise InputError(reason, file=file, names_file=True)
    return table


def _read_parquet(data: bytes, file: str) -> NamedColumns:
    """Read a Parquet file; rows are counted from 1. Only the columns that are used are decompressed."""
    table = _open_parquet(data, file)
    names = list(table.schema_arrow.names)

    def column(index: int) -> list[object]:
        with explain_parquet_errors(file):
            values: list[object] = table.read(columns=[names[index]]).column(names[index]).to_pylist()
        return values

    return NamedColumns(names, column, list(range(1, table.metadata.num_rows + 1)), "row", file)


def _iterate_parquet(path: str | os.PathLike[str], file: str, rows: int) -> Iterator[NamedColumns]:
    with explain_read_errors(file), open(path, "rb") as stream:
        if not stream.peek(1):
            raise refuse_empty(file)
        table = _open_parquet(stream, file)
        names = list(table.schema_arrow.names)
        types = dict(zip(names, table.schema_arrow.types))
        start = 1
        with explain_parquet_errors(file):
            for batch in table.iter_batches(batch_size=rows):
                lines = list(range(start, start + batch.num_rows))
                yield NamedColumns(names, partial(_read_batch, batch), lines, "row", file, types)
                start += batch.num_rows


def _read_batch(batch: Any, index: int) -> list[object]:
    values: list[object] = batch.column(index).to_pylist()
    return values


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


def _collect_rows(
    rows: list[list[str]], lines: list[int], names: list[str], file: str, header: bool, remedy: str
) -> NamedColumns:
    """Make columns from the fields of rows, which are these lines of a file; each row has a field for each name."""
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
