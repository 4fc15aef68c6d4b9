"""Groups of rows that belong together: the candidates of one question, the pairs that share a text."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from rekern.core.arrays import Ints, SmallInts
from rekern.errors import InputError


def number_groups(groups: Iterable[Hashable], n: int | None = None) -> Ints:
    """Number groups in the order in which they first appear; ``n`` is how many rows there must be.

    >>> number_groups(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    numbers: dict[Hashable, int] = {}
    to_list = getattr(groups, "to_list", None)
    listed = list(groups) if to_list is None else to_list()
    if n is not None and len(listed) != n:
        raise InputError(f"there are {n} pairs but {len(listed)} groups; give the group of every pair")
    return np.array([numbers.setdefault(group, len(numbers)) for group in listed], dtype=np.int64)


def rows_of_groups(groups: Ints) -> list[Ints]:
    """The rows of each group, from the groups' numbers.

    >>> [rows.tolist() for rows in rows_of_groups(np.array([0, 1, 0]))]
    [[0, 2], [1]]
    """
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(groups[order])) + 1) if len(order) else []


def group_shared_texts(pairs: Iterable[tuple[str, str]]) -> SmallInts:
    """A group number for every pair; pairs that share a text, directly or through others, are in one group.

    >>> group_shared_texts([("a", "b"), ("c", "d"), ("e", "a")]).tolist()
    [0, 1, 0]
    """
    import scipy.sparse as sp
    from scipy.sparse.csgraph import connected_components

    numbers: dict[str, int] = {}
    sides = np.array([[numbers.setdefault(text, len(numbers)) for text in pair] for pair in pairs])
    links = sp.coo_array((np.ones(len(sides)), (sides[:, 0], sides[:, 1])), shape=(len(numbers), len(numbers)))
    found: SmallInts = connected_components(links, directed=False)[1][sides[:, 0]]
    return found
