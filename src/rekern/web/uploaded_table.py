"""From the bytes of an uploaded file to a table, within the limits. No file is written."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from rekern.datasets.named_columns import NamedColumns
from rekern.datasets.table_formats import explain_parquet_errors, parse_columns
from rekern.datasets.tables import Roles, TableBlock, make_block
from rekern.errors import InputError, missing_extra
from rekern.learning.pair_classifier import PairClassifier
from rekern.structures.known_columns import is_sure_label
from rekern.web.problems import Problem
from rekern.web.served_models import ServedModel
from rekern.web.site import Site

FORMATS = {"tsv": "TSV", "csv": "CSV", "jsonl": "JSONL", "json": "JSON", "parquet": "Parquet"}
FILE = "the file"  # its name in messages
BATCH = 16  # rows of a Parquet file that are unpacked before they are checked: few bytes may hold long texts


class ColumnNames(NamedTuple):
    """The columns that the user names; those that are empty have their usual names."""

    source: str = ""
    target: str = ""
    label: str = ""
    group: str = ""

    def fill(self, model: ServedModel) -> ColumnNames:
        """Return the names with those of the training table of a model where the user gives none."""
        known = {} if model.model.columns_ is None else dict(model.model.columns_)
        if "text" in known:
            known["source"] = known["text"]
        roles = self._fields if not (self.source or self.target) else ("label", "group")
        return self._replace(**{role: getattr(self, role) or known.get(role, "") for role in roles})

    def recall(self, model: ServedModel, columns: NamedColumns) -> ColumnNames:
        """Return the names, those of the training table included if this table has them."""
        filled, known = self.fill(model), set((model.model.columns_ or {}).values())
        lost = {role for role, name in filled._asdict().items() if name in known and name not in columns.names}
        if lost & {"source", "target"}:
            lost |= {role for role in ("source", "target") if getattr(filled, role) in known}
        return filled._replace(**dict.fromkeys(lost, ""))


def read_upload(site: Site, model: ServedModel, data: bytes, format: str, names: ColumnNames) -> TableBlock:
    """Return the pairs or texts of a file; with labels, if it has a column of labels."""
    if format not in FORMATS:
        raise Problem("invalid-input", f"the format is unknown: choose {', '.join(FORMATS)}", column="format")
    columns = read_parquet_rows(site, data) if format == "parquet" else parse_columns(data, FILE, format, encoding=None)
    site.check_rows(len(columns.lines))
    for place, name in enumerate(columns.names):
        for line, value in zip(columns.lines, columns.column(place)):
            if isinstance(value, str) and len(value) > site.limits.characters:
                reason = f"the text has {len(value):,} characters; give at most {site.limits.characters:,}"
                raise InputError(reason, file=FILE, row=line, column=str(name), unit=columns.unit)
    columns = replace(columns, remedy="name them under Names of the columns")
    names = names.recall(model, columns)
    label = names.label or ("label" if has_labels(columns, isinstance(model.model, PairClassifier)) else None)
    text = (names.source or "text") if model.is_for_texts else None
    sides: Roles = {"source": names.source or "source", "target": names.target or "target"}
    block = make_block(columns, {**sides, "label": label, "group": names.group or None}, text)
    if block.table.is_single != model.is_for_texts:
        wanted = "columns source and target"
        raise InputError(f"the model {model.name} needs a file with {wanted}", file=FILE)
    return block


def has_labels(columns: NamedColumns, for_classes: bool) -> bool:
    """Whether a table has labels; for classes, a column that may be something else, such as a score, is none.

    >>> columns = NamedColumns(["query", "passage", "score"], list, [])
    >>> has_labels(columns, for_classes=True), has_labels(columns, for_classes=False)
    (False, True)
    """
    try:
        place = columns.find("label", "label", by_number=False)
    except InputError:
        return False
    return not for_classes or is_sure_label(columns.names[place])


def read_parquet_rows(site: Site, data: bytes) -> NamedColumns:
    """Return the columns of a Parquet file, unpacked in small steps that are checked."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing_extra("pyarrow", "tables") from None
    with explain_parquet_errors(FILE):
        table = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data))
        site.check_rows(table.metadata.num_rows)
        names = list(table.schema_arrow.names)
        values: dict[str, list[object]] = {name: [] for name in names}
        room = 20 * site.limits.body
        for batch in table.iter_batches(batch_size=BATCH):
            room -= batch.nbytes
            if room < 0:
                raise InputError("the file is too large when it is unpacked; send fewer rows", file=FILE)
            for name, column in zip(names, batch.columns):
                values[name] += column.to_pylist()
    count = len(values[names[0]]) if names else 0
    if not count:
        raise InputError("the file has no rows; add at least one", file=FILE)
    return NamedColumns(names, lambda place: values[names[place]], list(range(1, count + 1)), "row", FILE)
