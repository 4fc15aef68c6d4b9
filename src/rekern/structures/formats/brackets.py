"""Trees in brackets, as in the Penn Treebank, SVM-LIGHT-TK and KeLP: ``(S (NP (DT the) (NN dog)) (VP barks))``.

A label ends at a blank or a bracket and is used literally. A leaf is a bare word, ``(DT the)``, or a bracket of its
own, ``(DT (the))``. One more bracket without a label around a tree, as in the Treebank, is dropped.
"""

import re
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Bytes, Ints
from rekern.errors import InputError
from rekern.structures.formats.brackets_core import count_nodes, scan_nodes

_FAULTS = {
    1: "this bracket closes nothing; remove it, or open one before",
    2: "this bracket is never closed",
    3: "a tree begins with a bracket, as in (S (NP ...)); turn raw text into trees with rekern[parse]: rekern parse",
    4: "a bracket without a label inside a tree; give the node a label",
    5: "a second tree begins here; give one tree an item",
}


class Scan(NamedTuple):
    """Nodes in the order of the text: their parents, where their labels begin and end, and the offsets of the trees."""

    parents: Ints
    starts: Ints
    ends: Ints
    offsets: Ints


class Fault(NamedTuple):
    """Why a scan ended: the kind of fault (0 for none), the item, and the position in the bytes."""

    kind: int
    item: int
    position: int


def scan(text: Bytes, bounds: Ints, many: bool, escapes: bool = False) -> tuple[Scan, Fault]:
    """Find the nodes of trees in brackets; ``bounds`` splits the bytes into items.

    An item is one tree, or with ``many`` any number of trees. With ``escapes`` a bracket after a backslash is part of
    a label.
    """
    limit = count_nodes(text)
    parents, starts, ends = (np.empty(limit, np.int64) for _ in range(3))
    offsets = np.zeros((limit if many else len(bounds) - 1) + 1, np.int64)
    trees, nodes, kind, item, place = scan_nodes(text, bounds, many, escapes, parents, starts, ends, offsets)
    return Scan(parents[:nodes], starts[:nodes], ends[:nodes], offsets[: trees + 1]), Fault(kind, item, place)


class BracketError(InputError):
    """A tree in brackets that cannot be read; ``line`` and ``character`` are the place in its text, from 1.

    In a list of trees ``row`` is the number of the tree, in a text with several trees the line.

    >>> print(BracketError("this bracket is never closed", 1, 5, row=7))
    row 7, line 1, column 5: this bracket is never closed
    >>> print(BracketError("this bracket is never closed", 1, 5))
    line 1, column 5: this bracket is never closed
    """

    def __init__(self, reason: str, line: int = 1, character: int = 1, row: int | None = None):
        if row is None:
            super().__init__(reason, row=line, column=f"column {character}", unit="line")
        else:
            super().__init__(reason, row=row, column=f"line {line}, column {character}")
        self.line = line
        self.character = character


def locate_fault(text: bytes, kind: int, position: int, row: int | None = None) -> BracketError:
    """Make the error for a fault of this kind at a position in the bytes of a tree, or of a text with several trees.

    >>> locate_fault(b"(A\\n(b)", 2, 3).line
    2
    """
    before = text[:position].decode("utf-8", "replace")
    line = before.count("\n") + 1
    return BracketError(_FAULTS[kind], line, len(before) - (before.rfind("\n") + 1) + 1, row)


_UNSAFE = re.compile(r"[()\x00-\x20]")


def escape_label(label: str) -> str:
    """Return a label as it can be written in brackets: brackets as ``-LRB-`` and ``-RRB-``, blanks as underscores.

    >>> escape_label("a b"), escape_label("(")
    ('a_b', '-LRB-')
    """
    if label and not _UNSAFE.search(label):
        return label
    return _UNSAFE.sub("_", label.replace("(", "-LRB-").replace(")", "-RRB-")) or "_"


def format_tree(labels: list[str], first: list[int], count: list[int], style: str) -> str:
    """Write one tree in brackets, in the style ``"penn"``, ``"pretty"`` or ``"kelp"``; its nodes are breadth-first.

    >>> format_tree(["S", "NP", "he"], [1, 2, 3], [1, 1, 0], "kelp")
    '(S(NP(he)))'
    """
    pieces: list[str] = []
    todo: list[tuple[int, int] | str] = [(0, 0)]
    blank = "" if style == "kelp" else " "
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        node, depth = item
        below = range(first[node], first[node] + count[node])
        if not below:
            pieces.append(f"({labels[node]})")
        elif len(below) == 1 and not count[below[0]] and style != "kelp":
            pieces.append(f"({labels[node]} {labels[below[0]]})")
        else:
            pieces.append(f"({labels[node]}")
            todo.append(")")
            phrases = style == "pretty" and any(count[node] for node in _list_grandchildren(below, first, count))
            for child in reversed(below):
                todo.append((child, depth + 1))
                todo.append("\n" + "  " * (depth + 1) if phrases else blank)
    return "".join(pieces)


def _list_grandchildren(below: range, first: list[int], count: list[int]) -> range:
    """Return the children of neighboring nodes, which are neighbors too."""
    return range(first[below[0]], first[below[-1]] + count[below[-1]])
