"""Tables that are read block by block, so that a file of any size needs little memory.

TSV, CSV and JSONL files are read line by line, Parquet files in batches. The other formats are read whole and cut.
"""

import io
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from typing import Any, TypeVar

from rekern.core.files import explain_read_errors
from rekern.core.text_files import (
    STANDARD_INPUT,
    can_iterate,
    decode_line,
    iterate_lines,
    open_binary,
    refuse_nul,
    show_source,
)
from rekern.datasets.csv_rows import choose_separator, iterate_csv
from rekern.datasets.named_columns import NamedColumns
from rekern.datasets.table_formats import (
    CSV_REMEDIES,
    TSV_REMEDY,
    choose_format,
    collect_records,
    collect_rows,
    explain_parquet_errors,
    is_blank_row,
    read_columns,
    read_record,
    refuse_empty,
)
from rekern.errors import InputError, missing_extra

ROWS = 2_000  # of a block
CHARACTERS = 4_000_000  # after which a block ends earlier

T = TypeVar("T")
Fields = tuple[int, list[str]]  # the line of a row, and the row


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
    elif chosen == "csv" and can_iterate(encoding):
        lines = _read_lines(path, file, encoding)
        first = next(lines, "")
        separator = choose_separator(first, file) if header else ","
        fields = iterate_csv(chain([first] if first else [], lines), file, separator)
        yield from _collect_blocks(_drop_last(fields, is_blank_row), file, header, CSV_REMEDIES[separator], rows)
    elif chosen in ("tsv", "msrp") and can_iterate(encoding):
        fields = _split_tsv(path, encoding)
        yield from _collect_blocks(_drop_last(fields, _is_blank_line), file, header, TSV_REMEDY, rows)
    elif chosen == "jsonl" and can_iterate(encoding):
        numbered = ((number, [line]) for number, line in enumerate(_check_lines(path, encoding), 1))
        blocks = _cut(_drop_last(numbered, _is_blank_line, are_refused=True), rows, _count_characters)
        is_empty = True
        for block in blocks:
            is_empty = False
            records = [read_record(row[0], file, number) for number, row in block]
            yield collect_records(records, [number for number, _ in block], file, "line")
        if is_empty:
            raise refuse_empty(file)
    else:
        yield from _cut_columns(read_columns(path, format, encoding=encoding, header=header), rows)


def _collect_blocks(lines: Iterator[Fields], file: str, header: bool, remedy: str, rows: int) -> Iterator[NamedColumns]:
    """Make columns from rows of fields, of which the first may be the header."""
    first = next(lines, None)
    if first is None:
        raise refuse_empty(file)
    names = [name.strip() for name in first[1]] if header else [str(i + 1) for i in range(len(first[1]))]
    body = lines if header else chain([first], lines)
    is_empty = True
    for block in _cut(body, rows, _count_characters):
        is_empty = False
        yield collect_rows([row for _, row in block], [line for line, _ in block], names, file, header, remedy)
    if is_empty:
        reason = f"{file} has a header but no rows: add at least one pair"
        raise InputError(reason, file=file, names_file=True)


def _split_tsv(path: str | os.PathLike[str], encoding: str) -> Iterator[Fields]:
    """Yield the number and the fields of each line."""
    for number, line in enumerate(_check_lines(path, encoding), 1):
        yield number, line.split("\t")


def _check_lines(path: str | os.PathLike[str], encoding: str) -> Iterator[str]:
    """Yield the lines of a file without their ends, none with a NUL character.

    A file whose lines end in carriage returns alone is one line for the system.
    """
    lines = iterate_lines(path, encoding)
    first = next(lines, None)
    if first is None:
        return
    second = next(lines, None)
    start = first.split("\r") if second is None else [first, second]
    for number, line in enumerate(chain(start, lines), 1):
        if "\0" in line:
            raise refuse_nul(show_source(path), number, encoding)
        yield line


def _read_lines(path: str | os.PathLike[str], file: str, encoding: str) -> Iterator[str]:
    """Yield the lines of a file with their ends, for CSV: a line feed, a carriage return, or both."""
    with explain_read_errors(file), open_binary(path) as stream:
        for number, data in enumerate(stream, 1):
            line = decode_line(data, file, number, encoding)
            if number == 1:
                line = line.removeprefix("\ufeff")
            if "\0" in line:
                raise refuse_nul(file, number, encoding)
            yield from io.StringIO(line, newline="") if "\r" in line else (line,)


def _is_blank_line(row: list[str]) -> bool:
    return len(row) == 1 and not row[0].strip(" \r")


def _drop_last(
    rows: Iterator[Fields], is_blank: Callable[[list[str]], bool], are_refused: bool | None = None
) -> Iterator[Fields]:
    """Yield rows without the blank ones at the end.

    A blank one among others is for the caller to refuse, so that of several one is enough, except in a table of one
    column: there they are empty texts.
    """
    waiting: list[tuple[int, list[str], int]] = []  # the first line, the row, and how many equal lines there are
    for line, row in rows:
        if are_refused is None:
            are_refused = len(row) > 1
        if not is_blank(row):
            for first, blank, count in waiting:
                yield from ((first + place, blank) for place in range(count))
            waiting.clear()
            yield line, row
        elif not waiting or (not are_refused and (row != waiting[-1][1] or line != waiting[-1][0] + waiting[-1][2])):
            waiting.append((line, row, 1))
        elif not are_refused:  # millions of blank lines need not be kept
            waiting[-1] = (*waiting[-1][:2], waiting[-1][2] + 1)


def _count_characters(row: Fields) -> int:
    return sum(map(len, row[1]))


def _cut(rows: Iterable[T], most: int, measure: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield lists of at most ``most`` rows, or of fewer with ``CHARACTERS`` characters."""
    block: list[T] = []
    size = 0
    for row in rows:
        block.append(row)
        size += measure(row)
        if len(block) >= most or size >= CHARACTERS:
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


def _iterate_parquet(path: str | os.PathLike[str], file: str, rows: int) -> Iterator[NamedColumns]:
    try:
        import pyarrow.parquet
    except ImportError:
        raise missing_extra("pyarrow", "tables") from None
    with explain_read_errors(file), open(path, "rb") as stream:
        if not stream.peek(1):
            raise refuse_empty(file)
        with explain_parquet_errors(file):
            table = pyarrow.parquet.ParquetFile(stream)
            names = list(table.schema_arrow.names)
        if not table.metadata.num_rows:
            reason = f"{file} has a header but no rows: add at least one pair"
            raise InputError(reason, file=file, names_file=True)
        start = 1
        types = dict(zip(names, table.schema_arrow.types))
        with explain_parquet_errors(file):
            for batch in table.iter_batches(batch_size=rows):
                lines = list(range(start, start + batch.num_rows))
                yield NamedColumns(names, partial(_read_batch, batch), lines, "row", file, types)
                start += batch.num_rows


def _read_batch(batch: Any, index: int) -> list[object]:
    values: list[object] = batch.column(index).to_pylist()
    return values
