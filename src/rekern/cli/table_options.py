"""The options that say how to read a table of pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli.option_groups import OptionGroup
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.cli.model_argument import TrainedModel
    from rekern.datasets.tables import Table, TableBlock

Source = Annotated[str | None, typer.Option("--source", metavar="COLUMN", help="First text: a name or a number.")]
Target = Annotated[str | None, typer.Option("--target", metavar="COLUMN", help="Second text.")]
Text = Annotated[
    str | None, typer.Option("--text", metavar="COLUMN", help="Single texts or trees instead of pairs: their column.")
]
Label = Annotated[str | None, typer.Option("--label", metavar="COLUMN", help="Label.")]
Group = Annotated[
    str | None,
    typer.Option("--group", metavar="COLUMN", help="Group; candidates are ranked within their group."),
]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help="tsv, csv, jsonl, json, parquet, msrp or rte."),
]
Encoding = Annotated[str, typer.Option("--encoding", metavar="NAME", help="Encoding of a text file.")]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The file has no header: columns are 1 (source), 2 (target) and 3 (label).",
    ),
]


@dataclass(frozen=True)
class TableOptions(OptionGroup):
    """Which columns of a table are read, and how."""

    source: Source = None
    target: Target = None
    text: Text = None
    label: Label = None
    group: Group = None
    format: Format = None
    encoding: Encoding = "utf-8"
    no_header: NoHeader = False

    def read(self, path: str | Path, labelled: bool = True) -> Table:
        """Read the table in a file, or on standard input (``-``), with or without labels.

        >>> TableOptions(source="q1").read("no such file.tsv")
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: there is no file no such file.tsv: check the path
        """
        from rekern.datasets import tables

        columns = self._list_columns(labelled)
        return tables.read_table(
            path, *columns, encoding=self.encoding, header=not self.no_header, text=self.find_text()
        )

    def store(self, path: str | Path) -> Table:
        """Read a labelled table of any size; the texts are kept on disk, and other columns are left out."""
        from rekern.datasets import stored_tables

        if self.group is not None:
            raise InputError("--memory is for classes and numbers of pairs: leave it out for rankings")
        source, target, label, format, _ = self._list_columns(labelled=True)
        return stored_tables.store_table(
            path,
            source,
            target,
            label or "label",
            format,
            encoding=self.encoding,
            header=not self.no_header,
            text=self.find_text(),
        )

    def iterate(self, path: str | Path, whole: bool = False) -> Iterator[TableBlock]:
        """Read the table without labels, in blocks of rows; with ``whole`` in a single block."""
        from rekern.datasets import tables

        columns = self._list_columns(labelled=False)
        rows = None if whole else tables.ROWS
        return tables.iterate_table(
            path, *columns, encoding=self.encoding, header=not self.no_header, text=self.find_text(), rows=rows
        )

    def find_text(self) -> str | None:
        """Return the column of single texts, if the user named one."""
        if self.text is not None and (self.source is not None or self.target is not None):
            raise InputError("--text is for single texts: leave --source and --target out, or --text")
        return self.text

    def recall(self, model: TrainedModel) -> TableOptions:
        """Return the options with the columns that a model was trained on, where the user names none.

        A table without these columns is read as before.

        >>> from rekern import PairClassifier
        >>> model = PairClassifier()
        >>> model.columns_ = {"source": "asked", "target": "meant", "label": "same"}
        >>> TableOptions().recall(model).target, TableOptions(source="q", target="p").recall(model).target
        ('meant', 'p')
        """
        from rekern.datasets.named_columns import RememberedName

        if not model.columns_ or self.no_header:
            return self
        known = {role: RememberedName(name) for role, name in model.columns_.items()}
        named = replace(self, label=self.label or known.get("label"), group=self.group or known.get("group"))
        if self.source is not None or self.target is not None or self.text is not None:
            return named
        return replace(named, source=known.get("source"), target=known.get("target"), text=known.get("text"))

    def has_guessed(self, table: Table) -> bool:
        """Whether a column of this table was found by a name that is neither the usual one nor one of the options.

        >>> from rekern.datasets import from_frame
        >>> TableOptions().has_guessed(from_frame({"q1": ["a"], "q2": ["b"], "label": [1]}))
        True
        """
        named = {"source": self.source, "target": self.target, "text": self.text, "label": self.label}
        return not self.no_header and any(
            name != role and named.get(role, name) is None for role, name in table.roles.items()
        )

    def _list_columns(self, labelled: bool) -> tuple[str, str, str | None, str | None, str | None]:
        """Return source, target and label, the format, and the group, as the readers of tables take them."""
        source, target, label = ("1", "2", "3") if self.no_header else ("source", "target", "label")
        return (
            self.source or source,
            self.target or target,
            (self.label or label) if labelled else None,
            self.format,
            self.group,
        )
