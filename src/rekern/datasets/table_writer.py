"""Writing of columns as TSV, CSV, JSONL or Parquet files."""

import csv
import gzip
import io
import json
import math
import os
import sys
from collections.abc import Mapping, Sequence

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
    name = show_path(path)
    lengths = {column: len(values) for column, values in columns.items()}
    if len(set(lengths.values())) != 1:
        counts = ", ".join(f"{column} {length}" for column, length in lengths.items()) or "none"
        reason = f"cannot write {name}: the columns must be of one length, not {counts}"
        raise InputError(reason, file=name, names_file=True)
    to_screen = os.fspath(path) == STANDARD_INPUT
    chosen = choose_format(path, format, FORMATS[:-1] if to_screen else FORMATS)
    plain = {str(column): [to_plain(value) for value in values] for column, values in columns.items()}
    if chosen == "parquet":
        data = _format_parquet(plain, name)
    else:
        text = {"tsv": _format_tsv, "csv": _format_csv, "jsonl": _format_jsonl}[chosen](plain)
        if to_screen:
            sys.stdout.write(text)
            return
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            bad = f"U+{ord(text[error.start]):04X}"
            reason = f"cannot write {name}: half of a character ({bad}); correct the text"
            raise InputError(reason, file=name, names_file=True) from None
    if os.fspath(path).lower().endswith(".gz"):
        data = gzip.compress(data, mtime=0)  # no time of day, so that equal tables give equal files
    with write_atomically(path) as temporary:
        temporary.write_bytes(data)


def _format_tsv(columns: dict[str, list[object]]) -> str:
    blanks = str.maketrans("\t\n\r", "   ")
    clean = [["" if value is None else str(value).translate(blanks) for value in column] for column in columns.values()]
    header = "\t".join(name.translate(blanks) for name in columns)
    return "".join(line + "\n" for line in [header, *map("\t".join, zip(*clean))])


def _format_csv(columns: dict[str, list[object]]) -> str:
    buffer = io.StringIO(newline="")
    # csv.writer quotes a line feed, but not a carriage return, which readers take for a line end too
    returns = any("\r" in str(value) for values in (columns, *columns.values()) for value in values)
    writer = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))
    return buffer.getvalue()


def _format_jsonl(columns: dict[str, list[object]]) -> str:
    # JSON has neither NaN nor infinity
    finite = [[None if isinstance(v, float) and math.isinf(v) else v for v in column] for column in columns.values()]
    rows = (dict(zip(columns, values)) for values in zip(*finite))
    return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)


def _format_parquet(columns: dict[str, list[object]], name: str) -> bytes:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing_extra("pyarrow", "tables") from None
    buffer = io.BytesIO()
    try:
        pyarrow.parquet.write_table(pyarrow.table(columns), buffer)
    except (pyarrow.ArrowException, ValueError) as error:
        reason = str(error).splitlines()[0]
        problem = f"cannot write {name} as Parquet: {reason}; give each column values of one type"
        raise InputError(problem, file=name, names_file=True) from None
    return buffer.getvalue()
