"""The columns of a file as they are, before their meaning is known, with the place of every row in the file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rekern.core.messages import list_names
from rekern.datasets.column_values import check_texts
from rekern.errors import InputError

ColumnName = str | int

# the names that two public corpora give to the three columns of a table of pairs
CORPUS_COLUMNS = {
    "msrp": (
        {"source": "s1", "target": "s2", "label": "quality"},
        {"source": "#1 String", "target": "#2 String", "label": "Quality"},
    ),
    "rte": ({"source": "text", "target": "hypothesis", "label": "entailment"},),
}


@dataclass(frozen=True)
class NamedColumns:
    """Named columns; ``column(i)`` returns the values of one, and ``lines[r]`` is the place of row r in the file.

    >>> columns = NamedColumns(["id", "text"], lambda index: [["7"], ["Who left?"]][index], [2], file="a.tsv")
    >>> columns.texts("text")
    ['Who left?']
    """

    names: Sequence[object]
    column: Callable[[int], list[Any]]
    lines: list[int]
    unit: str = "line"
    file: str | None = None
    types: Mapping[object, object] | None = None  # the Arrow types of the columns, if the file has them

    def locate(self, error: InputError) -> InputError:
        """Return an error, whose row is counted from 0, with the file and the line."""
        row = None if error.row is None else self.lines[error.row]
        return error.at(file=self.file, row=row, unit=self.unit)

    def select(self, rows: Sequence[int]) -> "NamedColumns":
        """Return the columns with these rows only.

        >>> NamedColumns(["id"], lambda index: ["7", "8"], [2, 3]).select([1]).column(0)
        ['8']
        """

        def column(index: int) -> list[object]:
            values = self.column(index)
            return [values[row] for row in rows]

        return replace(self, column=column, lines=[self.lines[row] for row in rows])

    def texts(self, column: ColumnName, option: str = "column=") -> list[str]:
        """Return the texts of one column, given by its name or its number; ``option`` is how the user chooses another.

        The columns of MSRP and RTE files are found as ``source``, ``target`` and ``label``.

        >>> NamedColumns(["s1", "s2"], lambda index: [["He left."], ["He went."]][index], [2]).texts("source")
        ['He left.']
        """
        index = self.find(str(column), column, by_number=True, option=option)
        try:
            return check_texts(self.column(index), str(column))
        except InputError as error:
            raise self.locate(error) from None

    def find(self, role: str, column: ColumnName, by_number: bool, option: str = "") -> int:
        """Return the place of the column with this name or number; ``role`` is ``source``, ``target``, ``label`` …"""
        file = self.file or "the table"
        same = [index for index, name in enumerate(self.names) if isinstance(name, ColumnName) and name == column]
        if len(same) == 1:
            return same[0]
        if same:
            remedy = f"rename one, or give its number with {option or role + '='}"
            reason = f"{file}: {len(same)} columns are called {column!r}; {remedy}"
            raise InputError(reason, file=self.file, names_file=True)
        if column == role:
            for own in (*CORPUS_COLUMNS["msrp"], *CORPUS_COLUMNS["rte"]):
                has_sides = own["source"] in self.names and own["target"] in self.names
                if has_sides and self.names.count(own.get(role)) == 1:
                    return self.names.index(own[role])
        if by_number and str(column).isdecimal() and 1 <= int(column) <= len(self.names):
            return int(column) - 1
        hint = "; label=None reads without labels" if role == "label" else ""
        remedy = _suggest_format(self.names) or f"name one with {option or f'{role}= (--{role})'}{hint}"
        reason = f"{file} has no column {column!r}; it has {list_names(self.names)}: {remedy}"
        raise InputError(reason, file=self.file, names_file=True)

    def has_corpus_columns(self, format: str) -> bool:
        """Whether the columns have the names of a public corpus, ``"msrp"`` or ``"rte"``.

        >>> NamedColumns(["s1", "s2"], list, []).has_corpus_columns("msrp")
        True
        """
        return any({own["source"], own["target"]} <= set(self.names) for own in CORPUS_COLUMNS[format])


def _suggest_format(names: Sequence[object]) -> str | None:
    """Say what to do about a header that was not split, if it was not."""
    if len(names) != 1:
        return None
    name = str(names[0])
    if ";" in name and "\t" not in name and "," not in name:
        return "are its fields separated by semicolons? Separate them by tabs, or by commas in a .csv file"
    guess = "tsv" if "\t" in name else "csv" if "," in name else None
    return guess and f"is it {guess}? Give format={guess!r} (--format)"
