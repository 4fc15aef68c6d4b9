"""The file formats that tables come in: from the bytes of a file to named columns, with the line of every row.

Each reader takes the whole file, which keeps line and byte numbers for messages, and checks the shape only; what
the columns mean is the business of `rekern.datasets.tables`.
"""

import codecs
import csv
import io
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from rekern.core.text_files import STANDARD_INPUT, decode_text, read_bytes, show_source
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
ENTAILMENT = {"YES": "1", "TRUE": "1", "NO": "0", "FALSE": "0"}


@dataclass(frozen=True)
class Rows:
    """Named columns; ``column(i)`` gives the values of one, ``lines[r]`` the place of row r in the file."""

    columns: list[str]
    column: Callable[[int], list[Any]]
    lines: list[int]
    unit: str = "line"


def choose_format(path: str | os.PathLike[str], format: str | None, known: Sequence[str] = FORMATS) -> str:
    """The format asked for, or the one that the file's extension tells; standard input is TSV.

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
    problem = f"the extension {extension!r} tells no format" if extension else "no extension tells its format"
    raise InputError(f"{show_source(path)}: {problem}; choose {', '.join(known)} with format= (--format)")


def read_table_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read the bytes of a table from a file or from standard input (``-``); an empty file is an error."""
    data = read_bytes(path)
    if not data:
        raise empty(show_source(path))
    return data


def empty(name: str) -> InputError:
    """The error for a file with nothing in it."""
    return InputError(f"{name} is empty: it needs a header line and at least one row")


def read_tsv(text: str, name: str, header: bool = True) -> Rows:
    """Tab separated values; quotes are literal, only a line end ends a row.

    >>> rows = read_tsv('source\\ttarget\\n"A" b\\tc\\n', "a.tsv")
    >>> rows.columns, rows.column(0), rows.lines
    (['source', 'target'], ['"A" b'], [2])
    """
    grid = [line.split("\t") for line in _lines(text)]
    remedy = "fields are separated by tabs, and quotes do not join them"
    return _table_of(grid, list(range(1, len(grid) + 1)), name, header, remedy)


def read_csv(text: str, name: str, header: bool = True) -> Rows:
    """Comma separated values; a field in double quotes may hold commas, line ends and doubled quotes.

    >>> rows = read_csv('source,target\\n"A, b",c\\n', "a.csv")
    >>> rows.column(0)
    ['A, b']
    """
    grid: list[list[str]] = []
    lines: list[int] = []
    start = 1
    limit = csv.field_size_limit(2**31 - 1)  # the usual limit of 131,072 characters is too small for documents
    try:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        for row in reader:
            grid.append(row)
            lines.append(start)
            start = reader.line_num + 1
    except csv.Error as error:
        remedy = "close every quoted field, and double the quotes inside it"
        raise InputError(f"{name}, line {start}: {error}; {remedy}") from None
    finally:
        csv.field_size_limit(limit)
    while grid and not "".join(grid[-1]).strip() and len(grid[-1]) < 2:
        grid.pop()
    return _table_of(grid, lines[: len(grid)], name, header, "put double quotes round a field with a comma in it")


def read_jsonl(text: str, name: str) -> Rows:
    """One JSON object a line.

    >>> rows = read_jsonl('{"source": "a", "target": "b"}\\n', "a.jsonl")
    >>> rows.columns, rows.column(1)
    (['source', 'target'], ['b'])
    """
    records = []
    lines = _lines(text)
    for number, line in enumerate(lines, 1):
        place = f"{name}, line {number}"
        if not line.strip():
            raise InputError(f"{place} is blank: delete it")
        records.append(_object(_json(line, name, number), place))
    return _records(records, list(range(1, len(records) + 1)), name, "line")


def read_json(text: str, name: str) -> Rows:
    """A JSON array of objects; rows are counted from 1.

    >>> read_json('[{"source": "a", "target": "b"}]', "a.json").column(0)
    ['a']
    """
    if not text.strip():
        raise empty(name)
    values = _json(text, name, None)
    if not isinstance(values, list):
        raise InputError(
            f"{name}: {_kind(values)} where an array of objects is needed; for one object a line use .jsonl"
        )
    records = [_object(value, f"{name}, row {number}") for number, value in enumerate(values, 1)]
    return _records(records, list(range(1, len(records) + 1)), name, "row")


def read_parquet(data: bytes, name: str) -> Rows:
    """A Parquet file; rows are counted from 1. Only the columns that are asked for are unpacked."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing_extra("pyarrow", "tables") from None
    damage = (pyarrow.ArrowException, OSError, ValueError)

    def unusable(error: Exception) -> InputError:
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        return InputError(f"{name} is not a usable Parquet file ({reason}): fetch or write it again")

    try:
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data))
        columns = list(file.schema_arrow.names)
    except damage as error:
        raise unusable(error) from None

    def column(index: int) -> list[Any]:
        try:
            return file.read(columns=[columns[index]]).column(columns[index]).to_pylist()
        except damage as error:
            raise unusable(error) from None

    return Rows(columns, column, list(range(1, file.metadata.num_rows + 1)), "row")


def looks_like_xml(data: bytes) -> bool:
    """Whether the first character that is not white space is a ``<``, in UTF-8 or UTF-16.

    >>> looks_like_xml(b' <?xml version="1.0"?>'), looks_like_xml(b"id\\tentailment")
    (True, False)
    """
    return data[:100].lstrip(codecs.BOM_UTF8 + codecs.BOM_UTF16 + b"\0 \t\r\n").startswith(b"<")


def read_rte_xml(data: bytes, name: str, encoding: str = "utf-8") -> Rows:
    """The XML of the PASCAL challenges: ``<pair id= entailment= task=><t>…</t><h>…</h></pair>``.

    YES, NO, TRUE and FALSE become 1 and 0; white space is collapsed. Nothing outside the file is loaded, and a file
    that declares entities is refused, for they can blow up a few bytes to gigabytes.

    >>> rows = read_rte_xml(b'<c><pair id="1" value="TRUE"><t>A b.</t><h>B.</h></pair></c>', "rte.xml")
    >>> rows.columns, rows.column(1)
    (['id', 'entailment', 'text', 'hypothesis'], ['1'])
    """
    from xml.parsers import expat

    declared = encoding.lower() in ("utf-8", "utf8")  # the default: what the file itself declares holds
    parser = expat.ParserCreate(None if declared else "utf-8")
    parser.buffer_text = True
    records: list[dict[str, Any]] = []
    lines: list[int] = []
    pieces: list[str] = []
    open_pair: dict[str, Any] = {}

    def place() -> str:
        return f"{name}, line {parser.CurrentLineNumber}"

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag in ("t", "h"):
            pieces.clear()
        elif tag == "pair":
            if open_pair:
                raise InputError(f"{place()}: a <pair> inside a <pair>; close the first one before it")
            open_pair.update({key: attributes.get(key) for key in ("id", "entailment", "task", "length")})
            open_pair["entailment"] = attributes.get("entailment", attributes.get("value"))
            lines.append(parser.CurrentLineNumber)

    def end(tag: str) -> None:
        if tag in ("t", "h"):
            open_pair["text" if tag == "t" else "hypothesis"] = " ".join("".join(pieces).split())
        elif tag == "pair":
            if "text" not in open_pair or "hypothesis" not in open_pair:
                raise InputError(f"{place()}: a <pair> needs a text <t> and a hypothesis <h>")
            records.append(dict(open_pair))
            open_pair.clear()

    def doctype(_name: str, _system: str | None, _public: str | None, internal: int) -> None:
        if internal:
            raise InputError(f"{place()}: the document type declares things of its own; remove the [...] part")

    def entity(*_: Any) -> None:
        raise InputError(f"{place()}: the file declares entities, which are never expanded; remove them")

    def skipped(entity_name: str, _parameter: int) -> None:
        raise InputError(f"{place()}: the entity &{entity_name}; is unknown; write the character itself")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = pieces.append
    parser.StartDoctypeDeclHandler, parser.EntityDeclHandler, parser.SkippedEntityHandler = doctype, entity, skipped
    try:
        parser.Parse(data if declared else decode_text(data, name, encoding).encode(), True)
    except expat.ExpatError as error:
        where = f"{name}, line {error.lineno}, column {error.offset + 1}"
        remedy = "correct it, or name the file's encoding with --encoding"
        raise InputError(f"{where}: invalid XML ({expat.ErrorString(error.code)}); {remedy}") from None
    except InputError:
        raise
    except (LookupError, ValueError) as error:  # an encoding that the file declares and Python lacks
        raise InputError(f"{name}: unreadable encoding ({error}); name it with --encoding") from None
    if not records:
        raise InputError(f"{name} holds no <pair>: it is not in RTE's format")
    answers = {str(record["entailment"]).upper() for record in records if record["entailment"]}
    if answers <= ENTAILMENT.keys():
        for record in records:
            record["entailment"] = ENTAILMENT.get(str(record["entailment"]).upper())
    columns = ("id", "entailment", "task", "length", "text", "hypothesis")
    used = [key for key in columns if any(record[key] is not None for record in records)]
    return _records([{key: record[key] for key in used} for record in records], lines, name, "line")


def _lines(text: str) -> list[str]:
    """Lines without their ends and without the blank ones at the end; other Unicode line separators are text."""
    if "\n" not in text:
        text = text.replace("\r", "\n")
    lines = text.replace("\r\n", "\n").split("\n")
    while lines and not lines[-1].strip(" \r"):
        lines.pop()
    return lines


def _table_of(grid: list[list[str]], lines: list[int], name: str, header: bool, remedy: str) -> Rows:
    """Check that every row has as many fields as the first, and split off the header."""
    if not grid:
        raise empty(name)
    width = len(grid[0])
    for row, line in zip(grid, lines):
        if len(row) != width:
            if len(row) < 2 and not "".join(row).strip():
                raise InputError(f"{name}, line {line} is blank: delete it")
            first = "the header has" if header else "the first line has"
            raise InputError(f"{name}, line {line}: {len(row)} fields where {first} {width}; {remedy}")
    if not header:
        return Rows([str(i + 1) for i in range(width)], lambda index: [row[index] for row in grid], lines)
    columns = [column.strip() for column in grid[0]]
    body = grid[1:]
    return Rows(columns, lambda index: [row[index] for row in body], lines[1:])


def _records(records: list[dict[str, Any]], lines: list[int], name: str, unit: str) -> Rows:
    """Columns from objects: every key of any of them; a key that one lacks is None there."""
    if not records:
        raise empty(name)
    columns = list(dict.fromkeys(chain.from_iterable(records)))
    return Rows(columns, lambda index: [record.get(columns[index]) for record in records], lines, unit)


def _json(text: str, name: str, line: int | None) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{name}, line {line or error.lineno}, column {error.colno}"
        example = '{"source": "...", "target": "..."}'
        remedy = f"each line must be one object such as {example}" if line else "correct it there"
        raise InputError(f"{where}: invalid JSON ({error.msg}); {remedy}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or thousands of brackets
        where = f"{name}, line {line}" if line else name
        raise InputError(f"{where}: JSON that cannot be used ({str(error).split(';')[0]}); simplify it") from None


def _object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        example = '{"source": "...", "target": "..."}'
        raise InputError(f"{place}: {_kind(value)} where an object such as {example} is needed")
    return value


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "an array", str: "a string", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), "a number")
