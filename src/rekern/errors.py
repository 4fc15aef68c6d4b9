"""The errors that Rekern raises on purpose. Each is one line that names the place and the remedy."""

from __future__ import annotations

import copy
from typing import Self


class InputError(ValueError):
    """A text, a label, a parameter or a file that cannot be used.

    The message names the place and says what to do. The place is also there as data, for programs: ``file``, ``row``
    and ``column``, each None where it is not known. ``unit`` says what ``row`` counts: rows of a table from 0, or
    lines of a file from 1. With ``names_file`` the reason names the file itself, and the message does not repeat it.

    >>> error = InputError("the text is empty; drop the row", file="pairs.tsv", row=4, column="target", unit="line")
    >>> print(error)
    pairs.tsv, line 4, target: the text is empty; drop the row
    >>> error.row, error.column
    (4, 'target')
    >>> error = InputError("there is no file pairs.tsv: check the path", file="pairs.tsv", names_file=True)
    >>> print(error)
    there is no file pairs.tsv: check the path
    >>> error.file
    'pairs.tsv'
    """

    def __init__(
        self,
        reason: str,
        *,
        file: str | None = None,
        row: int | None = None,
        column: str | None = None,
        unit: str = "row",
        names_file: bool = False,
    ):
        super().__init__(reason)
        self.reason = reason
        self.file = file
        self.row = row
        self.column = column
        self.unit = unit
        self.names_file = names_file

    def at(
        self,
        *,
        file: str | None = None,
        row: int | None = None,
        column: str | None = None,
        unit: str | None = None,
    ) -> Self:
        """A copy of the error in a place that its caller knows better; what is not given stays as it is.

        >>> print(InputError("the text is None", row=0).at(row=17, column="source"))
        row 17, source: the text is None
        """
        moved = copy.copy(self)
        moved.file = self.file if file is None else file
        moved.row = self.row if row is None else row
        moved.column = self.column if column is None else column
        moved.unit = self.unit if unit is None else unit
        return moved

    def __str__(self) -> str:
        row = None if self.row is None else f"{self.unit} {self.row}"
        file = None if self.names_file else self.file
        place = ", ".join(part for part in (file, row, self.column) if part is not None)
        return f"{place}: {self.reason}" if place else self.reason


class MissingDataError(InputError):
    """A resource that is not part of the package, such as a WordNet, is not where it was looked for.

    >>> issubclass(MissingDataError, InputError)
    True
    """


class MissingColumnError(InputError):
    """A table or a row has no column, or no representation, of the name that a kernel or a model reads.

    >>> from rekern.structures import Representations
    >>> try:
    ...     Representations({"text": ["a b"]})["tree"]
    ... except MissingColumnError as error:
    ...     print(error)
    there is no representation 'tree'; the columns are text
    """


class ModelFileError(ValueError):
    """A model file that is damaged, truncated, of another kind, or written by a newer Rekern.

    >>> issubclass(ModelFileError, ValueError)
    True
    """

    needed: str = ""  # what a value must be, or what is wrong with it, if it is a single value


class MissingExtraError(ImportError):
    """An optional library is not installed; the message names the extra that brings it.

    >>> issubclass(MissingExtraError, ImportError)
    True
    """


def missing_extra(library: str, extra: str) -> MissingExtraError:
    """Make the error to raise when an optional library is absent.

    >>> missing_extra("pyarrow", "tables").args[0]
    'pyarrow is not installed: pip install "rekern[tables]"'
    """
    return MissingExtraError(f'{library} is not installed: pip install "rekern[{extra}]"')
