"""Columns of named representations: lists, ``Tokens``, ``Trees`` or ``Graphs``, and what a table does with them."""

import json
from collections.abc import Hashable, Mapping
from itertools import pairwise
from typing import Any

from rekern.core.arrays import Ints
from rekern.core.messages import name_value
from rekern.errors import InputError
from rekern.structures.data_frames import column_to_list
from rekern.structures.graphs import Graphs
from rekern.structures.nltk_and_spacy_items import is_tree, write_tree
from rekern.structures.tokens import Tokens
from rekern.structures.trees import Trees

__all__ = [
    "WORDS",
    "Column",
    "check_column",
    "identify_values",
    "name_side",
    "parse_graphs",
    "stack_columns",
    "take_rows",
]

WORDS = "text"  # the name of the words in a table of single texts

Column = list[Any] | Tokens | Trees | Graphs


def name_side(side: str, name: str) -> str:
    """Return the column that has a representation of one side of the pairs.

    >>> name_side("source", "text"), name_side("target", "constituents")
    ('source', 'target.constituents')
    """
    return side if name == WORDS else f"{side}.{name}"


def check_column(column: object) -> Column:
    """Return a column as a table stores it: ``Tokens``, ``Trees``, ``Graphs`` and lists unchanged, others as lists.

    >>> check_column(("a", "b"))
    ['a', 'b']
    """
    if isinstance(column, Tokens | Trees | Graphs | list):
        return column
    if isinstance(column, str | bytes | Mapping | set):
        raise InputError(f"a column of a table is {name_value(column)}; give a list")
    return column_to_list(column)


def take_rows(column: Column, rows: Ints) -> Column:
    """Return the values of a column in these rows, in this order.

    >>> import numpy as np
    >>> take_rows(["a", "b"], np.array([1, 1]))
    ['b', 'b']
    """
    return [column[row] for row in rows.tolist()] if isinstance(column, list) else column.take(rows)


def stack_columns(first: Column, second: Column) -> Column:
    """Return the values of two columns in one.

    >>> stack_columns(["a"], ["b"])
    ['a', 'b']
    """
    if isinstance(first, Trees) and isinstance(second, Trees):
        return Trees.concatenated([first, second])
    return [*first, *second]


def identify_values(column: Column) -> list[Hashable]:
    """Return something hashable for each value; it is equal only for equal values.

    >>> identify_values(["a", ["a", "b"], ["a", "b"], 7, 7])
    ['a', ('a', 'b'), ('a', 'b'), 3, 4]
    """
    if isinstance(column, Trees):
        # the labels in breadth-first order and the numbers of children determine the tree
        bounds = column.offsets.tolist()
        return [(column.labels[a:b].tobytes(), column.count[a:b].tobytes()) for a, b in pairwise(bounds)]
    return [_identify(value, place) for place, value in enumerate(column)]


def _identify(value: object, place: int) -> Hashable:
    if isinstance(value, str):
        return value
    if is_tree(value):
        return write_tree(value)
    if isinstance(value, list | tuple) and all(isinstance(token, str) for token in value):
        return tuple(value)
    return place  # not known to be equal to anything


def parse_graphs(column: Column) -> list[object]:
    """Return the graphs of a column; those that are given as text are parsed from JSON.

    >>> parse_graphs(['{"nodes": ["a"], "edges": []}'])
    [{'nodes': ['a'], 'edges': []}]
    """
    items = []
    for row, value in enumerate(column):
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                reason = 'the text is not JSON; write {"nodes": ["a", "b"], "edges": [[0, 1]]}'
                raise InputError(reason, row=row, unit="graph") from None
        items.append(value)
    return items
