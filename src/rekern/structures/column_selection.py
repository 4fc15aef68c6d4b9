"""What a kernel reads from its items: trees, graphs, texts or pairs, or a named representation of them."""

from collections.abc import Mapping
from typing import Any

from rekern.errors import InputError, MissingColumnError
from rekern.structures.data_frames import SIDES, find_columns
from rekern.structures.graphs import Graphs
from rekern.structures.pairs import Pairs, as_texts
from rekern.structures.representation_columns import WORDS
from rekern.structures.representations import Representations, Row
from rekern.structures.tokens import Tokens
from rekern.structures.trees import Trees

__all__ = ["select_graphs", "select_pairs", "select_texts", "select_trees"]


def select_trees(X: object, on: str | None) -> Trees:
    """Return the trees of ``X``, or those in its representation ``on``.

    >>> select_trees([{"text": "a b", "constituents": "(S a b)"}], "constituents")[0]
    '(S (a) (b))'
    """
    if isinstance(X, Trees):
        return X
    table = _find_table(X, on)
    return Trees.from_items(X) if table is None else table.trees(table.find_column(on))


def select_graphs(X: object, on: str | None) -> Graphs:
    """Return the graphs of ``X``, or those in its representation ``on``.

    >>> select_graphs([{"source": "a", "target": "b", "graph": (["a", "b"], [])}], "graph")[0]
    (['a', 'b'], [])
    """
    if isinstance(X, Graphs):
        return X
    table = _find_table(X, on)
    return Graphs.from_items(X) if table is None else table.graphs(table.find_column(on))


def select_texts(X: object, on: str | None) -> Any:
    """Return the texts of ``X``, or those in its representation ``on``; ``Tokens`` are returned unchanged.

    >>> select_texts([{"text": "dogs bark", "lemmas": ["dog", "bark"]}], "lemmas")
    [['dog', 'bark']]
    """
    if isinstance(X, Tokens):
        return X
    table = _find_table(X, on)
    return as_texts(X) if table is None else table[table.find_column(on)]


def select_pairs(X: object, on: str | None) -> Any:
    """Return the pairs of ``X`` as ``as_pairs`` reads them; with ``on`` those of this representation of both sides.

    >>> select_pairs({"source.lemmas": [["dog"]], "target.lemmas": [["cat"]]}, "lemmas")
    {'source': [['dog']], 'target': [['cat']]}
    """
    if isinstance(X, Pairs):
        return X
    if on is None:
        rows_of_a_table = isinstance(X, list) and bool(X) and all(isinstance(row, Row) for row in X)
        return Representations.from_items(X) if rows_of_a_table else X
    table = _find_table(X, on)
    assert table is not None
    return {side: table[table.find_side(side, on)] for side in SIDES}


def _find_table(X: object, on: str | None) -> Representations | None:
    """Return ``X`` as a table with named columns, or None if it has none and none is requested."""
    if isinstance(X, Representations):
        return X
    if on is not None and not isinstance(on, str):
        raise InputError(f"on={on!r}: give the name of a representation, or None for the words")
    if on is None:
        if isinstance(X, list | tuple):
            is_table = bool(X) and isinstance(X[0], Mapping) and "nodes" not in X[0]
        else:
            is_table = WORDS in (find_columns(X) or ())
        return Representations.from_items(X) if is_table else None
    table = Representations.from_items(X)
    if not table.has_column(on) and set(table.columns) <= {WORDS, *SIDES}:
        raise MissingColumnError(
            f"on={on!r}: the items have words only; give a table, or rows that are dicts, with the representation"
        )
    return table
