"""What a kernel accepts as a corpus of items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from rekern.structures.pairs import Pairs

Item: TypeAlias = object  # a text, tree or graph, a pair of them, a row of a table, or one pair as `Pairs`
Items: TypeAlias = object  # a list of items, a column, an array, a table, interned tokens, trees or pairs, an iterator


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


def add_sides(names: set[str]) -> set[str]:
    """Return the columns that hold these representations of the source and of the target.

    >>> sorted(add_sides({"text", "tree"}))
    ['source', 'source.tree', 'target', 'target.tree']
    """
    return {f"{side}.{name}".removesuffix(".text") for side in ("source", "target") for name in names}
