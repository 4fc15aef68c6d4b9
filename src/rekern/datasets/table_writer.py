"""Writing of columns as TSV, CSV, JSONL or Parquet files."""

import csv
import gzip
import io
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NoReturn

from rekern.core.files import show_path, write_atomically
from rekern.core.text_files import STANDARD_INPUT
from rekern.datasets.column_values import to_plain
from rekern.datasets.table_formats import choose_format
from rekern.errors import InputError, missing_extra

FORMATS = ("tsv", "csv", "jsonl", "parquet")


def write_table(
    path: str | os.PathLike[str], columns: Mapping[str, Sequence[object]], format: str | None = None
) -> None:
    """Write columns as TSV, CSV, JSONL or Parquet (``.gz`` compresses it), completely or not at all.

    In TSV a tab or a line end inside a text becomes a blank. A missing value (None, NaN) is an empty field, or null.
    ``-`` writes to standard output, as TSV unless ``format`` says otherwise.

    >>> write_table("-", {"source": ["He left."], "score": [0.5]}, format="jsonl")
    {"source": "He left.", "score": 0.5}
    """
    with open_table(path, format) as table:
        table.write(columns)


class TableWriter:
    """A table that is being written, block by block; see `open_table`."""

    def __init__(self, stream: Any, name: str, format: str, to_screen: bool):
        self._stream, self._name, self._format, self._to_screen = stream, name, format, to_screen
        self._columns: list[str] | None = None  # of the first block
        self._parquet: Any = None

    def write(self, columns: Mapping[str, Sequence[object]], types: Mapping[object, object] | None = None) -> None:
        """Write some rows. All blocks of a table have the same columns, except in JSONL.

        ``types`` are the Arrow types of columns of a Parquet file, where they are known.
        """
        lengths = {column: len(values) for column, values in columns.items()}
        if len(set(lengths.values())) != 1:
            counts = ", ".join(f"{column} {length}" for column, length in lengths.items()) or "none"
            self._refuse(f"the columns must be of one length, not {counts}")
        plain = {str(column): [to_plain(value) for value in values] for column, values in columns.items()}
        is_first = self._columns is None
        if self._columns is None:
            self._columns = list(plain)
        elif self._format != "jsonl" and list(plain) != self._columns:
            plain = self._match_columns(plain)
        if self._format == "parquet":
            self._write_parquet(plain, types or {})
            return
        text = {"tsv": _format_tsv, "csv": _format_csv, "jsonl": _format_jsonl}[self._format](plain, is_first)
        if self._to_screen:
            self._stream.write(text)
            self._stream.flush()
            return
        try:
            self._stream.write(text.encode())
        except UnicodeEncodeError as error:
            self._refuse(f"half of a character (U+{ord(text[error.start]):04X}); correct the text")

    def close(self) -> None:
        """Finish the table."""
        if self._parquet is not None:
            self._parquet.close()

    def _match_columns(self, columns: dict[str, list[object]]) -> dict[str, list[object]]:
        """Put the columns of a later block in the order of the first; a column that is missing is empty."""
        assert self._columns is not None
        new = [name for name in columns if name not in self._columns]
        if new:
            self._refuse(f"the column {new[0]!r} appears after the first rows; write a .jsonl file")
        length = len(next(iter(columns.values())))
        return {name: columns.get(name, [None] * length) for name in self._columns}

    def _write_parquet(self, columns: dict[str, list[object]], types: Mapping[object, object]) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise missing_extra("pyarrow", "tables") from None
        try:
            if self._parquet is None:
                arrays = [pyarrow.array(values, types.get(name)) for name, values in columns.items()]
                # a column without a value in the first rows may have texts in later ones
                arrays = [
                    array.cast(pyarrow.string()) if pyarrow.types.is_null(array.type) else array for array in arrays
                ]
                table = pyarrow.table(dict(zip(columns, arrays)))
                self._parquet = pyarrow.parquet.ParquetWriter(self._stream, table.schema)
            else:
                table = pyarrow.table(columns, schema=self._parquet.schema)
            self._parquet.write_table(table)
        except (pyarrow.ArrowException, ValueError, TypeError) as error:
            problem = f"cannot write {self._name} as Parquet: {str(error).splitlines()[0]}"
            remedy = "give each column values of one type"
            raise InputError(f"{problem}; {remedy}", file=self._name, names_file=True) from None

    def _refuse(self, reason: str) -> NoReturn:
        raise InputError(f"cannot write {self._name}: {reason}", file=self._name, names_file=True) from None


@contextmanager
def open_table(path: str | os.PathLike[str], format: str | None = None) -> Iterator[TableWriter]:
    """Open a table for writing in blocks; the file appears when the block ends without an error.

    See `write_table` for the formats.

    >>> with open_table("-", "csv") as table:
    ...     table.write({"text": ["a"], "score": [0.5]})
    ...     table.write({"text": ["b"], "score": [0.25]})
    text,score
    a,0.5
    b,0.25
    """
    to_screen = os.fspath(path) == STANDARD_INPUT
    chosen = choose_format(path, format, FORMATS[:-1] if to_screen else FORMATS)
    name = show_path(path)
    if to_screen:
        # A command prints control characters as escapes. They are kept if the table does not go to a terminal.
        plain = sys.stdout if sys.stdout.isatty() else getattr(sys.stdout, "rich_proxied_file", sys.stdout)
        yield TableWriter(plain, name, chosen, to_screen)
        return
    with write_atomically(path) as temporary, open(temporary, "wb") as plain:
        # no name and no time of day, so that equal tables give equal files
        compressed = os.fspath(path).lower().endswith(".gz")
        with gzip.GzipFile("", "wb", fileobj=plain, mtime=0) if compressed else nullcontext(plain) as stream:
            table = TableWriter(stream, name, chosen, to_screen)
            try:
                yield table
            finally:
                table.close()


def _format_tsv(columns: dict[str, list[object]], with_header: bool) -> str:
    blanks = str.maketrans("\t\n\r", "   ")
    clean = [["" if value is None else str(value).translate(blanks) for value in column] for column in columns.values()]
    header = ["\t".join(name.translate(blanks) for name in columns)] if with_header else []
    return "".join(line + "\n" for line in [*header, *map("\t".join, zip(*clean))])


def _format_csv(columns: dict[str, list[object]], with_header: bool) -> str:
    buffer = io.StringIO(newline="")
    # csv.writer quotes a line feed, but not a carriage return, which readers take for a line end too
    returns = any("\r" in str(value) for values in (columns, *columns.values()) for value in values)
    writer = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL)
    if with_header:
        writer.writerow(columns)
    writer.writerows(zip(*columns.values()))
    return buffer.getvalue()


def _format_jsonl(columns: dict[str, list[object]], with_header: bool) -> str:
    # JSON has neither NaN nor infinity
    finite = [[None if isinstance(v, float) and math.isinf(v) else v for v in column] for column in columns.values()]
    rows = (dict(zip(columns, values)) for values in zip(*finite))
    return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)
