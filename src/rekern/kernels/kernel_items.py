"""What a kernel accepts as a corpus of items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, cast

import numpy as np

from rekern.core.arrays import Ints
from rekern.structures.column_selection import select_pairs
from rekern.structures.data_frames import SIDES, column_to_list, find_columns
from rekern.structures.graphs import Graphs
from rekern.structures.pairs import Pairs, as_pairs
from rekern.structures.representation_columns import name_side
from rekern.structures.representations import Representations
from rekern.structures.tokens import Tokens
from rekern.structures.trees import Trees

Item: TypeAlias = object  # a text, tree or graph, a pair of them, a row of a table, or one pair as `Pairs`
Items: TypeAlias = object  # a list of items, a column, an array, a table, interned tokens, trees or pairs, an iterator
ReadItems = Pairs | Tokens | Trees | Graphs | Representations


def materialize_items(X: Items) -> Items:
    """Return the items in a form that can be read more than once.

    An iterator becomes a list. An array of objects or strings with one column becomes a list of its values, an array
    with two columns a list of pairs. Anything else is returned as it is.

    >>> materialize_items(iter("ab")), materialize_items(("a", "b"))
    (['a', 'b'], ('a', 'b'))
    >>> materialize_items(np.array([["a", "b"], ["c", "d"]]))
    [('a', 'b'), ('c', 'd')]
    """
    if isinstance(X, Iterator):
        return list(X)
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "OUT":
        if X.shape[1] == 1:
            return X[:, 0].tolist()
        if X.shape[1] == 2:
            return [(source, target) for source, target in X.tolist()]
    return X


def wrap_item(item: Item) -> Items:
    """Return a corpus of one item; a pair that is read already, a `Pairs` of length 1, is one.

    >>> wrap_item(("a b", "c")), wrap_item(Pairs.from_items([("a b", "c")]))
    ([('a b', 'c')], Pairs(1 pairs, 3 tokens, 3 distinct))
    """
    return item if isinstance(item, Pairs) else [item]


def cut_pairs(
    X: Items, on: str | None, cut: Callable[[int], list[tuple[int, int]]]
) -> list[tuple[Pairs | list[tuple[object, object]], int]]:
    """Return pairs of texts in blocks, each with the number that messages give to its first row.

    ``cut`` returns the ranges of the blocks of so many pairs. Pairs that are read already are not read again.

    >>> cut_pairs([("a", "b"), ("c", "d")], None, lambda n: [(0, 1), (1, n)])
    [([('a', 'b')], 0), ([('c', 'd')], 1)]
    """
    if isinstance(X, Pairs):
        spans = cut(len(X))
        return [(X if len(spans) == 1 else X[first:last], 0) for first, last in spans]
    whole = list(zip(*as_pairs(select_pairs(materialize_items(X), on))))
    return [(whole[first:last], first) for first, last in cut(len(whole))]


def make_sequence(X: Items) -> Sequence[Item]:
    """Return the items in a form whose length is their number and whose slices are items too.

    >>> make_sequence({"text": ["a", "b"]})[1:]["text"]
    ['b']
    """
    X = materialize_items(X)
    if find_columns(X) is not None:
        return cast(Sequence[Item], Representations.from_items(X))
    # A text is no list of items: it is left to the kernel, which refuses it.
    return cast(Sequence[Item], X if isinstance(X, ReadItems | list | tuple | str | bytes) else column_to_list(X))


def take_items(items: Sequence[Item] | ReadItems, rows: Ints) -> Sequence[Item]:
    """Return the items with these numbers, of a result of `make_sequence`.

    >>> take_items(["a", "b"], np.array([1, 1]))
    ['b', 'b']
    """
    if isinstance(items, ReadItems):
        return cast(Sequence[Item], items.take(rows))
    return [items[row] for row in rows.tolist()]


def add_sides(names: set[str]) -> set[str]:
    """Return the columns that hold these representations of the source and of the target.

    >>> sorted(add_sides({"text", "tree"}))
    ['source', 'source.tree', 'target', 'target.tree']
    """
    return {name_side(side, name) for side in SIDES for name in names}
