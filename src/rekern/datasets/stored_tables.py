"""Tables of labelled pairs that are larger than memory: the texts are kept on disk."""

import os
from array import array

from rekern.datasets.column_values import convert_labels, write_labels
from rekern.datasets.named_columns import ColumnName
from rekern.datasets.tables import Table, iterate_table, refuse_text_as_label
from rekern.errors import InputError
from rekern.structures.stored_pairs import StoredPairs

__all__ = ["store_table"]


def store_table(
    path: str | os.PathLike[str],
    source: ColumnName = "source",
    target: ColumnName = "target",
    label: ColumnName = "label",
    format: str | None = None,
    *,
    encoding: str = "utf-8",
    header: bool = True,
    text: ColumnName | None = None,
) -> Table:
    """Read labelled pairs from a file of any size, for `PairClassifier.fit_in_blocks`.

    As `read_table`, but the file is read in blocks of rows, and the texts go to a temporary file, from which they are
    read when they are needed. Columns other than texts and labels are left out.

    >>> from tempfile import TemporaryDirectory
    >>> from rekern.datasets import write_table
    >>> with TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "pairs.tsv")
    ...     write_table(path, {"source": ["He left.", "a"], "target": ["He went away.", "b"], "label": [1, 0]})
    ...     table = store_table(path)
    >>> len(table), table.pairs[0], table.labels
    (2, ('He left.', 'He went away.'), [1, 0])
    """
    pairs, lines = StoredPairs(), array("q")
    codes, first_rows, numbers = array("i"), array("q"), dict[str, int]()  # labels, and the first row of each
    file: str | None = None
    unit, is_single, roles = "line", False, dict[str, str]()
    for block in iterate_table(path, source, target, None, format, encoding=encoding, header=header, text=text):
        columns, is_single = block.columns, block.table.is_single
        file, unit = columns.file, columns.unit
        place = columns.find("label", label, by_number=True)
        refuse_text_as_label(columns, place, block.texts)
        roles = {**block.table.roles, "label": str(columns.names[place])}
        try:
            labels = write_labels(columns.column(place))
        except InputError as error:
            raise columns.locate(error) from None
        for row, written in enumerate(labels, len(lines)):
            if written not in numbers:
                numbers[written] = len(numbers)
                first_rows.append(row)
            codes.append(numbers[written])
        lines.extend(columns.lines)
        pairs.extend(block.table.pairs)
    try:
        kinds = convert_labels(list(numbers))
    except InputError as error:
        line = None if error.row is None else lines[first_rows[error.row]]
        raise error.at(file=file, row=line, unit=unit) from None
    return Table(pairs, [kinds[code] for code in codes], None, file, lines, [], unit, is_single=is_single, roles=roles)
