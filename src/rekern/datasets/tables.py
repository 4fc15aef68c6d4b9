"""Tables of labelled pairs, from files and from data frames."""

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from rekern import structures
from rekern.core.messages import list_names, name_value
from rekern.datasets.column_values import check_present, check_texts, convert_labels
from rekern.datasets.named_columns import CORPUS_COLUMNS, ColumnName, NamedColumns, recall_columns
from rekern.datasets.table_formats import ROWS, choose_format, iterate_columns, read_columns
from rekern.datasets.table_writer import open_table, write_table
from rekern.errors import InputError
from rekern.structures.data_frames import SIDES, find_columns, read_column
from rekern.structures.known_columns import find_name, find_sides

__all__ = [
    "ROWS",
    "Table",
    "TableBlock",
    "from_frame",
    "iterate_table",
    "open_table",
    "read_columns",
    "read_table",
    "write_table",
]


@dataclass(frozen=True)
class Table:
    """Pairs of texts with labels, groups and other columns; row i is line ``lines[i]`` of the file ``path``.

    >>> table = from_frame({"source": ["a"], "target": ["b"], "label": ["1"]})
    >>> table
    Table(1 pairs, with labels)
    >>> len(table), table.pairs, table.labels, table.place(0)
    (1, [('a', 'b')], [1], 'row 0')
    """

    pairs: Sequence[tuple[str, str]]
    labels: list[Any] | None
    groups: list[Any] | None
    path: str | None
    lines: Sequence[int]
    columns: list[str]
    unit: str = "line"
    others: dict[str, list[object]] = field(default_factory=dict)
    is_single: bool = False  # whether a row is a single text, with nothing as the second side of its pair
    roles: dict[str, str] = field(default_factory=dict)  # the name of the column for source, target, label …

    def __repr__(self) -> str:
        parts = {"labels": self.labels, "groups": self.groups}
        known = " and ".join(name for name, values in parts.items() if values is not None)
        kind = "texts" if self.is_single else "pairs"
        file = f" from {self.path}" if self.path else ""
        return f"Table({len(self):,} {kind}{file}{f', with {known}' if known else ''})"

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def items(self) -> "structures.Representations":
        """The pairs with all other columns of the table, for kernels on trees and graphs.

        Representations of the sides are the columns ``source.NAME`` and ``target.NAME``, also if the file has other
        names for source and target.

        >>> from_frame({"q": ["a"], "p": ["b"], "q.tree": ["(A a)"]}, "q", "p", label=None).items.columns
        ['source', 'target', 'source.tree']
        """
        if self.is_single:
            return structures.Representations({"text": [text for text, _ in self.pairs], **self.others})
        sources, targets = (list(side) for side in zip(*self.pairs)) if self.pairs else ([], [])
        return structures.Representations({"source": sources, "target": targets, **self.others})

    def list_groups(self) -> list[Hashable]:
        """Return the group of each pair: its group where the table has groups, or else the source text itself.

        >>> from_frame({"source": ["who", "who"], "target": ["me", "you"]}, label=None).list_groups()
        ['who', 'who']
        """
        return list(self.groups) if self.groups is not None else [source for source, _ in self.pairs]

    def place(self, row: int) -> str:
        """Return where a row comes from, for messages: ``pairs.tsv, line 7``."""
        return f"{self.path}, {self.unit} {self.lines[row]}" if self.path else f"{self.unit} {self.lines[row]}"

    def locate(self, error: InputError) -> InputError:
        """Return an error, whose row is counted from 0, with the file and the line of the row.

        >>> print(from_frame({"source": ["a"], "target": ["b"]}, label=None).locate(InputError("no tree", row=0)))
        row 0: no tree
        """
        row = None if error.row is None else self.lines[error.row]
        return error.at(file=self.path, row=row, unit=self.unit)

    def select(self, rows: Sequence[int]) -> "Table":
        """Return the table with these rows only.

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
            is_single=self.is_single,
            roles=self.roles,
        )


def read_table(
    path: str | os.PathLike[str],
    source: ColumnName = "source",
    target: ColumnName = "target",
    label: ColumnName | None = "label",
    format: str | None = None,
    group: ColumnName | None = None,
    *,
    encoding: str = "utf-8",
    header: bool = True,
    text: ColumnName | None = None,
) -> Table:
    """Read pairs from a file, or from standard input (``-``, as TSV).

    The extension determines the format, with or without ``.gz``: ``.tsv`` ``.tab`` ``.txt`` (tabs, quotes are literal),
    ``.csv``, ``.jsonl`` ``.ndjson``, ``.json`` (an array of objects), ``.parquet`` ``.pq``, ``.xml`` (RTE's format).
    ``format`` overrides it. The files of MSRP and RTE are recognized by their header. Columns are given by name, or by
    number counting from 1; common names, such as ``Question1`` and ``text_a``, are found without. ``label=None`` reads
    no labels. Labels are integers if all of them are, else real numbers if all of them are, else strings. With
    ``header=False`` the first line of a TSV or CSV file is a row, and its columns are called 1, 2, 3 and so on.
    ``text`` names the column of single texts, instead of pairs; a table that has
    a column ``text``, but neither ``source`` nor ``target``, is one of single texts, too.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "pairs.tsv")
    ...     write_table(path, {"source": ["He left."], "target": ["He went away."], "label": [1]})
    ...     table = read_table(path)
    >>> table.pairs, table.labels
    ([('He left.', 'He went away.')], [1])
    """
    columns = read_columns(path, format, encoding=encoding, header=header)
    _check_corpus(columns, choose_format(path, format))
    roles: Roles = {"source": source, "target": target, "label": label, "group": group}
    return make_block(columns, roles, text).table


Roles = dict[str, ColumnName | None]


class TableBlock(NamedTuple):
    """Some rows of a table: the pairs, and all columns as they are in the file."""

    table: Table
    columns: NamedColumns
    texts: tuple[int, ...] = ()  # which columns are the source and the target, or the text


def make_block(columns: NamedColumns, roles: Roles, text: ColumnName | None = None) -> TableBlock:
    """Return the pairs in the columns that have these roles, or the single texts in the column ``text``.

    >>> columns = NamedColumns(["q", "p"], lambda index: [["a"], ["b"]][index], [2])
    >>> make_block(columns, {"source": "q", "target": "p", "label": None, "group": None}).table.pairs
    [('a', 'b')]
    """
    used = _choose_roles(columns, *recall_columns(columns.names, roles, text))
    table = _make_table(columns, used, by_number=True)
    named = {role: name for role, name in used.items() if role in (*SIDES, "text") and name is not None}
    return TableBlock(table, columns, tuple(columns.find_all(named, by_number=True).values()))


def iterate_table(
    path: str | os.PathLike[str],
    source: ColumnName = "source",
    target: ColumnName = "target",
    label: ColumnName | None = "label",
    format: str | None = None,
    group: ColumnName | None = None,
    *,
    encoding: str = "utf-8",
    header: bool = True,
    text: ColumnName | None = None,
    rows: int | None = ROWS,
) -> Iterator[TableBlock]:
    """Read pairs from a file in blocks of at most ``rows`` rows (None for one block), to save memory.

    TSV, CSV and JSONL files are read line by line, and Parquet files in batches. See `read_table` for the arguments.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "pairs.tsv")
    ...     write_table(path, {"id": [7], "source": ["He left."], "target": ["He went away."]})
    ...     [(block.table.pairs, block.columns.column(0)) for block in iterate_table(path, label=None)]
    [([('He left.', 'He went away.')], ['7'])]
    """
    chosen = choose_format(path, format)
    roles: Roles = {"source": source, "target": target, "label": label, "group": group}
    for columns in iterate_columns(path, format, encoding=encoding, header=header, rows=rows):
        _check_corpus(columns, chosen)
        yield make_block(columns, roles, text)


def from_frame(
    frame: Any,
    source: ColumnName = "source",
    target: ColumnName = "target",
    label: ColumnName | None = "label",
    group: ColumnName | None = None,
) -> Table:
    """Take pairs from a pandas or polars DataFrame, a pyarrow table, a Hugging Face dataset or a dict of columns.

    Rows are counted from 0 in messages, as in these libraries.

    >>> from_frame({"q1": ["a"], "q2": ["b"], "same": [True]}, source="q1", target="q2", label="same").labels
    [1]
    """
    names = find_columns(frame)
    if names is None:
        kinds = "a pandas or polars DataFrame, a pyarrow table, a Hugging Face dataset or a dict of columns"
        raise InputError(f"{name_value(frame)} is not a table: give {kinds} that is in memory")

    def column(index: int) -> list[object]:
        return read_column(frame, index, names[index])

    length = len(frame) if not isinstance(frame, Mapping) else len(column(0)) if names else 0
    if not length:
        raise InputError("the table has no rows: add at least one pair")
    roles = {"source": source, "target": target, "label": label, "group": group}
    return _make_table(NamedColumns(names, column, list(range(length)), "row"), roles, by_number=False)


def _check_corpus(columns: NamedColumns, format: str) -> None:
    """Refuse a file in the format of a public corpus that has other columns."""
    if format in CORPUS_COLUMNS and not columns.has_corpus_columns(format):
        expected = ", ".join(CORPUS_COLUMNS[format][0].values())
        have, name = list_names(columns.names), columns.file
        reason = f"{name} is not in the format {format!r}: it has {have}, not {expected}; leave the format out"
        raise InputError(reason, file=name, names_file=True)


def _choose_roles(columns: NamedColumns, roles: Roles, text: ColumnName | None) -> Roles:
    """Return the roles of columns: those of pairs, or those of single texts."""
    has_pairs = set(SIDES) & set(columns.names) or find_sides(columns.names) is not None
    is_default = (roles["source"], roles["target"]) == SIDES
    if text is None and (not is_default or has_pairs or find_name(columns.names, "text") is None):
        return roles
    return {"text": "text" if text is None else text, "label": roles["label"], "group": roles["group"]}


def _make_table(columns: NamedColumns, roles: Mapping[str, ColumnName | None], by_number: bool) -> Table:
    """Find the columns that have these roles, check their values, and make the table."""
    found = columns.find_all({role: name for role, name in roles.items() if name is not None}, by_number)
    if "label" in found:
        refuse_text_as_label(columns, found["label"], [found[role] for role in (*SIDES, "text") if role in found])
    values = {role: columns.column(index) for role, index in found.items()}
    if any(len(column) != len(columns.lines) for column in values.values()):
        counts = ", ".join(f"{role} {len(column)}" for role, column in values.items())
        reason = f"{columns.file or 'the table'}: the columns must be of one length, not {counts}"
        raise InputError(reason, file=columns.file, names_file=True)
    try:
        if "text" in values:
            pairs = [(text, "") for text in check_texts(values["text"], "text")]
        else:
            pairs = list(zip(*(check_texts(values[role], role) for role in SIDES)))
        labels = convert_labels(values["label"]) if "label" in values else None
        groups = check_present(values["group"], "group") if "group" in values else None
    except InputError as error:
        raise columns.locate(error) from None
    names = [str(name) for name in columns.names]
    others = _read_others(columns, found)
    is_single = "text" in values
    used = {role: names[index] for role, index in found.items()}
    return Table(pairs, labels, groups, columns.file, columns.lines, names, columns.unit, others, is_single, used)


def refuse_text_as_label(columns: NamedColumns, label: int, texts: Sequence[int]) -> None:
    """Refuse a column as the label that has the texts.

    >>> refuse_text_as_label(NamedColumns(["q1", "q2", "label"], list, []), 2, [0, 1])
    """
    if label in texts:
        reason = f"{columns.file or 'the table'}: {columns.names[label]!r} is the column of a text and of the label"
        raise InputError(f"{reason}; name another with label= (--label)", file=columns.file, names_file=True)


def _read_others(columns: NamedColumns, found: Mapping[str, int]) -> dict[str, list[object]]:
    """Read all other columns; one that is named after a text's column is named after the role of the text."""
    texts = (*SIDES, "text")
    roles = {str(columns.names[index]): role for role, index in found.items() if role in texts}
    taken = [role for role in texts if role in found or role in SIDES]
    others: dict[str, list[object]] = {}
    for index, column in enumerate(columns.names):
        start, dot, end = str(column).partition(".")
        name = f"{roles.get(start, start)}{dot}{end}"
        if index not in found.values() and name not in (*taken, *others):
            others[name] = list(columns.column(index))
    return others
