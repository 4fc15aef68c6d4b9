"""The rows of predictions: columns of the table, and predictions beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rekern.datasets.named_columns import RememberedName
from rekern.errors import InputError
from rekern.structures.known_columns import is_sure_label

if TYPE_CHECKING:
    from rekern.datasets.named_columns import NamedColumns
    from rekern.datasets.tables import TableBlock

Columns = dict[str, list[object]]

PLURALS = {"probability": "probabilities", "decision": "decisions"}


@dataclass(frozen=True)
class PredictedRows:
    """Some rows of the result: the columns that are copied from the file, and those that are predicted.

    >>> rows = PredictedRows({"id": ["7"]}, {"prediction": [1], "probability_0": [0.25], "probability_1": [0.75]})
    >>> rows.list_rows()
    [{'id': '7', 'prediction': 1, 'probabilities': {'0': 0.25, '1': 0.75}}]
    """

    copied: Columns
    predicted: Columns
    types: Mapping[object, object] | None = None  # the Arrow types of copied columns, if the file has them

    def __len__(self) -> int:
        return len(next(iter(self.predicted.values())))

    def list_rows(self) -> list[dict[str, object]]:
        """Return one object for each row, with its probabilities or decision values in an object of their own."""
        columns: Columns = dict(self.copied)
        inner: Columns = {}
        for name, values in self.predicted.items():
            kind, separator, label = name.partition("_")
            if separator:
                inner[label] = values
                columns[PLURALS[kind]] = []  # its place among the fields
            else:
                columns[name] = values
        if inner:
            together = [dict(zip(inner, row)) for row in zip(*inner.values())]
            columns = {name: values or list(together) for name, values in columns.items()}
        return [dict(zip(columns, row)) for row in zip(*columns.values())]


@dataclass
class ColumnChoice:
    """Which columns of the file are copied: names, "all" or "none", by default all but the texts and the label.

    A score or a class that is a label only by its name is copied, too.

    A copied column that has the name of a predicted one is called ``input_NAME``.
    """

    names: str | None
    texts: bool
    label: str
    tell: Callable[[str], None] = lambda text: None  # how the user is told that a column has a new name
    told: set[str] = field(default_factory=set)  # columns whose new name the user was told

    def copy(self, block: TableBlock, predicted: Columns) -> PredictedRows:
        """Return the rows of a block of the file with their predictions."""
        columns = block.columns
        copied: Columns = {}
        if self.texts:
            copied["text" if block.table.is_single else "source"] = [source for source, _ in block.table.pairs]
            if not block.table.is_single:
                copied["target"] = [target for _, target in block.table.pairs]
        taken = {*copied, *predicted, *(PLURALS.get(name.partition("_")[0], name) for name in predicted)}
        types: dict[object, object] = {}
        for place in self._find_places(block):
            own = str(columns.names[place])
            name = self._rename(own, taken)
            taken.add(name)
            copied[name] = columns.column(place)
            if columns.types is not None:
                types[name] = columns.types[columns.names[place]]
        return PredictedRows(copied, predicted, types)

    def _find_places(self, block: TableBlock) -> list[int]:
        """Return the numbers of the columns to copy."""
        columns = block.columns
        everything = range(len(columns.names))
        if self.names == "all":
            return [place for place in everything if not self.texts or place not in block.texts]
        if self.names == "none" or not columns.names:
            return []
        if self.names is not None:
            wanted = [name.strip() for name in self.names.split(",")]
            if "" in wanted:
                raise InputError(f"--columns {self.names!r} has an empty name: give names such as id,date, all or none")
            return [columns.find(name, name, by_number=True, option="--columns") for name in wanted]
        return [place for place in everything if place not in (*block.texts, self._find_label(columns))]

    def _find_label(self, columns: NamedColumns) -> int:
        """Return the number of the column of labels; -1 if there is none for sure."""
        name = self.label
        if isinstance(name, RememberedName):  # the model was trained on it
            if name in columns.names:
                return columns.names.index(name)
            name = "label"
        label = -1
        with suppress(InputError):  # there is none
            label = columns.find("label", name, by_number=True)
        return label if label >= 0 and is_sure_label(columns.names[label]) else -1

    def _rename(self, name: str, taken: set[str]) -> str:
        new = name
        while new in taken:
            new = f"input_{new}"
        if new != name and name not in self.told:
            self.told.add(name)
            self.tell(f"the column {name} of the file is called {new} in the result")
        return new
