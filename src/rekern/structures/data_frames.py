"""Columns of tables of any library: pandas, polars, Arrow, Hugging Face ``datasets``, or a dict of columns.

None of these libraries is imported here: a table is recognized by its column names.
"""

from collections.abc import Mapping
from typing import Any

from rekern.core.messages import list_names, name_value
from rekern.errors import InputError

__all__ = ["SIDES", "column_to_list", "find_columns", "read_column"]

SIDES = ("source", "target")  # the columns of a table of pairs


def find_columns(table: object) -> list[object] | None:
    """Return the names of the columns of a table, or None for an object that is no table.

    >>> find_columns({"source": ["a"], "target": ["b"]}), find_columns(["a", "b"])
    (['source', 'target'], None)
    """
    if not hasattr(table, "__len__") and hasattr(table, "collect"):  # polars' LazyFrame, Spark
        raise InputError(f"{name_value(table)} holds no rows yet; give X.collect()")
    names: object = getattr(table, "column_names", None)  # Arrow (whose `columns` are the data), Hugging Face
    if names is None:
        names = getattr(table, "columns", None)  # pandas, polars
    if isinstance(names, Mapping):
        raise InputError(f"this dataset has the parts {list_names(names)}; give one of them, as in dataset['train']")
    if names is None or callable(names) or not hasattr(table, "__getitem__"):
        return list(table) if isinstance(table, Mapping) else None
    return list(names)  # type: ignore[call-overload, no-any-return]


def read_column(table: Any, position: int, name: object) -> list[Any]:
    """Return the values of a column as a list; ``position`` counts where two columns have the same name.

    >>> read_column({"source": ("a", "b")}, 0, "source")
    ['a', 'b']
    """
    return column_to_list(table.iloc[:, position] if hasattr(table, "iloc") else table[name])


def column_to_list(column: Any) -> list[Any]:
    """Return the values of a column of any library as a list of plain Python values.

    >>> import numpy as np
    >>> column_to_list(np.array([1, 2]))
    [1, 2]
    """
    for method in ("to_pylist", "tolist", "to_list"):  # Arrow; NumPy and pandas; polars
        if hasattr(column, method):
            column = getattr(column, method)()
            break
    return column if isinstance(column, list) else list(column)
