"""Tables of labelled pairs: TSV, CSV, JSONL, JSON, Parquet, MSRP's and RTE's own files, and data frames."""

import csv
import gzip
import io
import json
import math
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Number
from typing import TYPE_CHECKING, Any

from rekern.core.files import show_path, write_atomically
from rekern.core.text_files import STANDARD_INPUT, decode_text, show_source
from rekern.datasets import table_formats as formats
from rekern.errors import InputError, missing_extra

if TYPE_CHECKING:
    from rekern.structures.representations import Representations

Column = str | int
SIDES = ("source", "target")

# the names that two public corpora give to the three columns
OWN_COLUMNS = {
    "msrp": (
        {"source": "s1", "target": "s2", "label": "quality"},
        {"source": "#1 String", "target": "#2 String", "label": "Quality"},
    ),
    "rte": ({"source": "text", "target": "hypothesis", "label": "entailment"},),
}
WRITTEN = ("tsv", "csv", "jsonl", "parquet")
# A leading zero ("007") or a very long number is a name, not a quantity: it would not survive the conversion.
INTEGER = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})")
REAL = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]{0,17})(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
NOT_A_NUMBER = {"nan", "na", "n/a", "null", "none", "inf", "-inf", "+inf", "infinity", "-infinity"}


@dataclass(frozen=True)
class Table:
    """Pairs of texts with what is known about them; row i stands at ``lines[i]`` of the file ``path``.

    >>> table = from_frame({"source": ["a"], "target": ["b"], "label": ["1"]})
    >>> len(table), table.pairs, table.labels, table.place(0)
    (1, [('a', 'b')], [1], 'row 0')
    """

    pairs: list[tuple[str, str]]
    labels: list[Any] | None
    groups: list[Any] | None
    path: str | None
    lines: list[int]
    columns: list[str]
    unit: str = "line"
    others: dict[str, list[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def items(self) -> "Representations":
        """The pairs with everything else that the table knows of them, for kernels on trees and graphs.

        Trees of the sides stand in the columns ``source.NAME`` and ``target.NAME``, whatever source and target are
        called in the file.

        >>> from_frame({"q": ["a"], "p": ["b"], "q.tree": ["(A a)"]}, "q", "p", label=None).items.columns
        ['source', 'target', 'source.tree']
        """
        from rekern.structures.representations import Representations

        sources, targets = (list(side) for side in zip(*self.pairs)) if self.pairs else ([], [])
        return Representations({"source": sources, "target": targets, **self.others})

    def place(self, row: int) -> str:
        """Where a row came from, for messages: ``pairs.tsv, line 7``."""
        return _place(self.path, self.unit, self.lines[row])

    def select(self, rows: Sequence[int]) -> "Table":
        """The table with these rows only.

        >>> from_frame({"source": ["a", "b"], "target": ["c", "d"]}, label=None).select([1]).pairs
        [('b', 'd')]
        """
        return Table(
            pairs=[self.pairs[row] for row in rows],
            labels=self.labels and [self.labels[row] for row in rows],
            groups=self.groups and [self.groups[row] for row in rows],
            path=self.path,
            lines=[self.lines[row] for row in rows],
            columns=self.columns,
            unit=self.unit,
            others={name: [column[row] for row in rows] for name, column in self.others.items()},
        )


def read_table(
    path: str | os.PathLike[str],
    source: Column = "source",
    target: Column = "target",
    label: Column | None = "label",
    format: str | None = None,
    group: Column | None = None,
    *,
    encoding: str = "utf-8",
    header: bool = True,
) -> Table:
    """Read pairs from a file, or from standard input (``-``, as TSV).

    The extension tells the format, with or without ``.gz``: ``.tsv`` ``.tab`` ``.txt`` (tabs, quotes are literal),
    ``.csv``, ``.jsonl`` ``.ndjson``, ``.json`` (an array of objects), ``.parquet`` ``.pq``, ``.xml`` (RTE's own);
    ``format`` names it otherwise. The files of MSRP and RTE are known by their header. Columns are given by name, or
    by number counting from 1; ``label=None`` reads no labels. Labels are integers if all of them are, else real
    numbers if all of them are, else strings. With ``header=False`` the first line of a TSV or CSV file is a row, and
    its columns are called 1, 2, 3 and so on.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "pairs.tsv")
    ...     write_table(path, {"source": ["He left."], "target": ["He went away."], "label": [1]})
    ...     table = read_table(path)
    >>> table.pairs, table.labels
    ([('He left.', 'He went away.')], [1])
    """
    name = show_source(path)
    rows = read_rows(path, format, encoding=encoding, header=header)
    chosen = formats.choose_format(path, format)
    if chosen in OWN_COLUMNS and not _own_columns(rows.columns, chosen):
        expected = ", ".join(OWN_COLUMNS[chosen][0].values())
        have = _listed(rows.columns)
        raise InputError(f"{name} is not in the format {chosen!r}: it has {have}, not {expected}; leave the format out")
    return _table(rows, name, {"source": source, "target": target, "label": label, "group": group}, by_number=True)


def read_rows(
    path: str | os.PathLike[str], format: str | None = None, *, encoding: str = "utf-8", header: bool = True
) -> formats.Rows:
    """Read a file (or standard input, ``-``) as named columns, whatever they mean; see ``read_table`` for the formats.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "questions.tsv")
    ...     write_table(path, {"id": [7], "question": ["Who left?"]})
    ...     rows = read_rows(path)
    >>> rows.columns, rows.column(1)
    (['id', 'question'], ['Who left?'])
    """
    name = show_source(path)
    data = formats.read_table_bytes(path)
    rows = _read(data, name, formats.choose_format(path, format), encoding, header)
    if not rows.lines:
        raise InputError(f"{name} has a header but no rows: add at least one pair")
    return rows


def text_column(rows: formats.Rows, column: Column, path: str | os.PathLike[str], option: str = "column=") -> list[str]:
    """The texts in one column, given by its name or number; ``source`` and ``target`` are found as in ``read_table``.

    ``option`` is how the user names another, for messages.

    >>> text_column(formats.read_tsv("id\\tquestion\\n7\\tWho left?", "a.tsv"), "question", "a.tsv")
    ['Who left?']
    """
    name = show_source(path)
    index = _find(rows.columns, str(column), column, name, by_number=True, option=option)
    assert index is not None
    return _texts(rows.column(index), str(column), lambda row: _place(name, rows.unit, rows.lines[row]))


def from_frame(
    frame: Any,
    source: Column = "source",
    target: Column = "target",
    label: Column | None = "label",
    group: Column | None = None,
) -> Table:
    """Take pairs from a pandas or polars DataFrame, a pyarrow table, a Hugging Face dataset or a dict of columns.

    Rows are counted from 0 in messages, as these libraries do.

    >>> from_frame({"q1": ["a"], "q2": ["b"], "same": [True]}, source="q1", target="q2", label="same").labels
    [1]
    """
    columns, column = _frame_columns(frame)
    wanted = {"source": source, "target": target, "label": label, "group": group}
    length = len(frame) if not isinstance(frame, Mapping) else len(column(0)) if columns else 0
    if not length:
        raise InputError("the table has no rows: add at least one pair")
    return _table(formats.Rows(columns, column, list(range(length)), "row"), None, wanted, by_number=False)


def write_table(path: str | os.PathLike[str], columns: Mapping[str, Sequence[Any]], format: str | None = None) -> None:
    """Write columns as TSV, CSV, JSONL or Parquet (``.gz`` packs it); the file appears whole or not at all.

    In TSV a tab or a line end inside a text becomes a blank. A missing value (None, NaN) is an empty field, or null.
    ``-`` writes to standard output, as TSV unless ``format`` says otherwise.

    >>> write_table("-", {"source": ["He left."], "score": [0.5]}, format="jsonl")
    {"source": "He left.", "score": 0.5}
    """
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) != 1:
        counts = ", ".join(f"{name} {length}" for name, length in lengths.items()) or "none"
        raise InputError(f"cannot write {show_path(path)}: the columns must be of one length, not {counts}")
    to_screen = os.fspath(path) == STANDARD_INPUT
    chosen = formats.choose_format(path, format, WRITTEN[:-1] if to_screen else WRITTEN)
    plain = {str(name): [_plain(value) for value in values] for name, values in columns.items()}
    if chosen == "parquet":
        data = _parquet_bytes(plain, show_path(path))
    else:
        text = {"tsv": _tsv_text, "csv": _csv_text, "jsonl": _jsonl_text}[chosen](plain)
        if to_screen:
            sys.stdout.write(text)
            return
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            bad = f"U+{ord(text[error.start]):04X}"
            raise InputError(f"cannot write {show_path(path)}: half of a character ({bad}); mend the text") from None
    if os.fspath(path).lower().endswith(".gz"):
        data = gzip.compress(data, mtime=0)  # no time of day, so that equal tables give equal files
    with write_atomically(path) as temporary:
        temporary.write_bytes(data)


def _read(data: bytes, name: str, chosen: str, encoding: str, header: bool) -> formats.Rows:
    if chosen == "parquet":
        return formats.read_parquet(data, name)
    if chosen == "rte" and formats.looks_like_xml(data):
        return formats.read_rte_xml(data, name, encoding)
    text = decode_text(data, name, encoding)
    if chosen == "jsonl":
        return formats.read_jsonl(text, name)
    if chosen == "json":
        return formats.read_json(text, name)
    if chosen == "csv":
        return formats.read_csv(text, name, header)
    return formats.read_tsv(text, name, header)


def _table(rows: formats.Rows, path: str | None, wanted: dict[str, Column | None], by_number: bool) -> Table:
    """Find the columns that are asked for, check their values, and put the table together."""
    found = {role: _find(rows.columns, role, column, path, by_number) for role, column in wanted.items()}
    taken = {role: rows.column(index) for role, index in found.items() if index is not None}
    if any(len(values) != len(rows.lines) for values in taken.values()):
        counts = ", ".join(f"{role} {len(values)}" for role, values in taken.items())
        raise InputError(f"{path or 'the table'}: the columns must be of one length, not {counts}")

    def place(row: int) -> str:
        return _place(path, rows.unit, rows.lines[row])

    for role in ("source", "target"):
        taken[role] = _texts(taken[role], role, place)
    pairs = list(zip(taken["source"], taken["target"]))
    labels = _labels(taken["label"], place) if "label" in taken else None
    groups = _present(taken["group"], "group", place) if "group" in taken else None
    columns = [str(column) for column in rows.columns]
    return Table(pairs, labels, groups, path, rows.lines, columns, rows.unit, _others(rows, found))


def _others(rows: formats.Rows, found: dict[str, int | None]) -> dict[str, list[Any]]:
    """The columns that are neither texts nor labels; those named after a text's column get its role for a name."""
    names = {str(rows.columns[index]): role for role, index in found.items() if index is not None and role in SIDES}
    columns: dict[str, list[Any]] = {}
    for index, column in enumerate(rows.columns):
        start, dot, end = str(column).partition(".")
        name = f"{names.get(start, start)}{dot}{end}"
        if index not in found.values() and name not in (*SIDES, *columns):
            columns[name] = rows.column(index)
    return columns


def _place(path: str | None, unit: str, line: int) -> str:
    return f"{path}, {unit} {line}" if path else f"{unit} {line}"


def _find(
    columns: list[Any], role: str, column: Column | None, path: str | None, by_number: bool, option: str = ""
) -> int | None:
    """The index of the column with this name or number; ``option`` is how the user names another."""
    if column is None:
        return None
    name = path or "the table"
    same = [index for index, have in enumerate(columns) if isinstance(have, Column) and have == column]
    if len(same) == 1:
        return same[0]
    if same:
        remedy = f"rename one, or give its number with {option or role + '='}"
        raise InputError(f"{name}: {len(same)} columns are called {column!r}; {remedy}")
    if column == role:
        for names in (*OWN_COLUMNS["msrp"], *OWN_COLUMNS["rte"]):
            if names["source"] in columns and names["target"] in columns and columns.count(names.get(role)) == 1:
                return columns.index(names[role])
    if by_number and str(column).isdecimal() and 1 <= int(column) <= len(columns):
        return int(column) - 1
    hint = "; label=None reads without labels" if role == "label" else ""
    guess = _other_separator(columns)
    remedy = (
        f"name one with {option or f'{role}= (--{role})'}{hint}"
        if not guess
        else f"is it {guess}? Give format={guess!r} (--format)"
    )
    raise InputError(f"{name} has no column {column!r}; it has {_listed(columns)}: {remedy}")


def _own_columns(columns: list[str], format: str) -> bool:
    return any({names["source"], names["target"]} <= set(columns) for names in OWN_COLUMNS[format])


def _other_separator(columns: list[Any]) -> str | None:
    """The format that a header in one piece seems to be in."""
    if len(columns) != 1:
        return None
    return "tsv" if "\t" in str(columns[0]) else "csv" if "," in str(columns[0]) else None


def _listed(names: Sequence[Any]) -> str:
    """Column names for a message, on one line and of bounded length."""
    shown = [str(name) if str(name).isprintable() and str(name) else repr(str(name)) for name in names[:20]]
    shown = [name if len(name) <= 60 else name[:57] + "..." for name in shown]
    return ", ".join(shown) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def _texts(values: list[Any], role: str, place: Callable[[int], str]) -> list[str]:
    """The values, all of them strings that can be written as UTF-8."""
    if set(map(type, values)) != {str}:
        for row, value in enumerate(values):
            if _is_missing(value):
                raise InputError(f"{place(row)}: the {role} is missing; drop the row or give it a text")
            if not isinstance(value, str):
                raise InputError(f"{place(row)}: the {role} is {_type_name(value)}, not a text; write it as a string")
        values = [str(value) for value in values]
    try:
        "".join(values).encode()
    except UnicodeEncodeError:
        for row, value in enumerate(values):
            if any("\ud800" <= character <= "\udfff" for character in value):
                raise InputError(f"{place(row)}: the {role} holds half of a character; mend the text") from None
    return values


def _labels(values: list[Any], place: Callable[[int], str]) -> list[Any]:
    """Integers if all of them are, else real numbers if all of them are, else strings."""
    values = [_plain(value) for value in _present(values, "label", place)]
    for row, value in enumerate(values):
        if not isinstance(value, str | Number):
            raise InputError(f"{place(row)}: the label is {_type_name(value)}; give a string or a number")
    strings = [value if isinstance(value, str) else _number_text(value) for value in values]
    numbers = {string: REAL.fullmatch(string) is not None for string in set(strings)}
    if all(INTEGER.fullmatch(string) for string in numbers):
        return [int(string) for string in strings]
    if all(numbers.values()):
        return [_finite(float(string), row, place) for row, string in enumerate(strings)]
    if all(real or string.lower() in NOT_A_NUMBER for string, real in numbers.items()) and any(numbers.values()):
        row = next(row for row, string in enumerate(strings) if not numbers[string])
        raise InputError(f"{place(row)}: the label is {strings[row]!r} where the others are numbers; drop the row")
    return strings


def _number_text(value: Any) -> str:
    """A number as the text it would have in a TSV file; truth values are 1 and 0."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def _finite(value: float, row: int, place: Callable[[int], str]) -> float:
    if not math.isfinite(value):
        raise InputError(f"{place(row)}: the label is too large for a number; give it a smaller one")
    return value


def _present(values: list[Any], role: str, place: Callable[[int], str]) -> list[Any]:
    """The values, stripped of outer blanks; none may be missing."""
    values = [value.strip() if isinstance(value, str) else value for value in values]
    for row, value in enumerate(values):
        if value == "" if isinstance(value, str) else _is_missing(value):
            raise InputError(f"{place(row)}: the {role} is missing; drop the row or give it a {role}")
    return values


def _is_missing(value: Any) -> bool:
    """None, NaN, and what pandas calls NA and NaT (which are known by name, since pandas is not imported here)."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


def _type_name(value: Any) -> str:
    name = type(value).__name__
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _plain(value: Any) -> Any:
    """A NumPy scalar as a Python one, and every missing value as None."""
    if hasattr(value, "item") and not isinstance(value, str) and getattr(value, "ndim", None) == 0:
        value = value.item()
    return None if _is_missing(value) else value


def _frame_columns(frame: Any) -> tuple[list[Any], Callable[[int], list[Any]]]:
    """The column names of a frame of any kind, and a function that lists the values of one."""
    if isinstance(frame, Mapping) and not hasattr(frame, "column_names"):
        names: Any = list(frame)
    else:
        names = getattr(frame, "column_names", None)  # pyarrow, Hugging Face
        lazy = hasattr(frame, "collect")  # polars, Spark
        if names is None and not lazy:
            names = getattr(frame, "columns", None)  # pandas, polars
        if isinstance(names, Mapping):
            raise InputError(
                f"the dataset has several parts ({_listed(list(names))}): choose one, as in dataset['train']"
            )
        if names is None or callable(names) or not hasattr(frame, "__getitem__"):
            kinds = "a pandas or polars DataFrame, a pyarrow table, a Hugging Face dataset or a dict of columns"
            raise InputError(f"{_type_name(frame)} is not a table: give {kinds} that is in memory")
        names = list(names)

    def column(index: int) -> list[Any]:
        values = frame[names[index]]
        for method in ("to_pylist", "to_list", "tolist"):  # pyarrow, polars and pandas, NumPy
            if hasattr(values, method):
                return getattr(values, method)()
        return list(values)

    return names, column


def _tsv_text(columns: dict[str, list[Any]]) -> str:
    blanks = str.maketrans("\t\n\r", "   ")
    clean = [["" if value is None else str(value).translate(blanks) for value in column] for column in columns.values()]
    header = "\t".join(name.translate(blanks) for name in columns)
    return "".join(line + "\n" for line in [header, *map("\t".join, zip(*clean))])


def _csv_text(columns: dict[str, list[Any]]) -> str:
    buffer = io.StringIO(newline="")
    # csv.writer quotes a line feed by itself, but not a carriage return, which readers take for a line end too
    returns = any("\r" in str(value) for values in (columns, *columns.values()) for value in values)
    writer = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))
    return buffer.getvalue()


def _jsonl_text(columns: dict[str, list[Any]]) -> str:
    # JSON knows neither NaN nor infinity
    finite = [[None if isinstance(v, float) and math.isinf(v) else v for v in column] for column in columns.values()]
    rows = (dict(zip(columns, values)) for values in zip(*finite))
    return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)


def _parquet_bytes(columns: dict[str, list[Any]], name: str) -> bytes:
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
        raise InputError(f"cannot write {name} as Parquet: {reason}; give each column values of one type") from None
    return buffer.getvalue()
