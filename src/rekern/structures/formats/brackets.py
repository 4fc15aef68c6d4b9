"""Reading trees in brackets, as in the Penn Treebank, SVM-LIGHT-TK and KeLP: ``(S (NP (DT the) (NN dog)) (VP barks))``.

A label ends at a blank or a bracket and is taken literally. A leaf is a bare word, ``(DT the)``, or a bracket of its
own, ``(DT (the))``. One more bracket without a label around a tree, as the Treebank has it, is dropped. The scanner
works on bytes and never recurses: neither depth nor width has a limit.
"""

from typing import NamedTuple

import numpy as np

from rekern.core.compiling import compiled
from rekern.errors import InputError

_FAULTS = {
    1: "this bracket closes nothing; remove it, or open one before",
    2: "this bracket is never closed",
    3: "a tree begins with a bracket, as in (S (NP ...)); turn raw text into trees with rekern[parse]: rekern parse",
    4: "a bracket without a label inside a tree; give the node a label",
    5: "a second tree begins here; give one tree an item",
}


class Scan(NamedTuple):
    """Nodes in the order of the text: where each label stands in the bytes, its parent, and where each tree begins."""

    parents: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    offsets: np.ndarray


@compiled
def _count(text):
    """An upper bound of the number of nodes: brackets and words."""
    found = 0
    inside = False
    for byte in text:
        if byte == 40:
            found += 1
        if byte == 40 or byte == 41 or byte <= 32:
            inside = False
        elif not inside:
            inside = True
            found += 1
    return found


@compiled
def _scan(text, bounds, many, escapes, parents, starts, ends, offsets):
    """Nodes of the trees; returns (trees, nodes, fault, item, position of the fault).

    ``bounds`` cuts the bytes into items of one tree each; with ``many`` there may be any number of trees in an item.
    With ``escapes`` a bracket after a backslash is part of a label.
    """
    nodes = 0
    trees = 0
    for item in range(len(bounds) - 1):
        current = -1  # the open node
        wrappers = 0  # open brackets around the tree that have no label
        seen = False  # whether the item's tree has begun
        opened = 0
        place, stop = bounds[item], bounds[item + 1]
        while place < stop:
            byte = text[place]
            if byte <= 32:
                place += 1
                continue
            if byte == 41:
                if current >= 0:
                    current = parents[current]
                elif wrappers > 0:
                    wrappers -= 1
                else:
                    return trees, nodes, 1, item, place
                place += 1
                if many and current < 0 and wrappers == 0:
                    trees += 1
                    offsets[trees] = nodes
                    seen = False
                continue
            bracket = byte == 40
            if current < 0 and not bracket:
                return trees, nodes, 5 if seen else 3, item, place
            if current < 0 and seen:
                return trees, nodes, 5, item, place
            at = place
            if bracket:
                place += 1
                while place < stop and text[place] <= 32:
                    place += 1
            label = place
            while place < stop and text[place] > 32 and text[place] != 40 and text[place] != 41:
                if escapes and text[place] == 92 and place + 1 < stop and 40 <= text[place + 1] <= 41:
                    place += 1
                place += 1
            if place == label:  # a bracket without a label
                if current >= 0:
                    return trees, nodes, 4, item, at
                if wrappers == 0:
                    opened = at
                wrappers += 1
                if place < stop and text[place] == 41 and not many:
                    seen = True
                continue
            parents[nodes] = current
            starts[nodes] = label
            ends[nodes] = place
            if current < 0:
                seen = True
                if wrappers == 0:
                    opened = at
            if bracket:
                current = nodes
            nodes += 1
        if current >= 0 or wrappers > 0:
            return trees, nodes, 2, item, opened
        if not many:
            trees += 1
            offsets[trees] = nodes
    return trees, nodes, 0, 0, 0


@compiled
def intern(text, starts, ends):
    """Equal labels get equal numbers, in order of first occurrence; returns them and the first place of each."""
    size = 1024
    table = np.full(size, -1, np.int32)
    hashes = np.empty(size, np.uint64)
    first = np.empty(size, np.int64)
    numbers = np.empty(len(starts), np.int32)
    known = 0
    for node in range(len(starts)):
        code = np.uint64(14695981039346656037)
        for place in range(starts[node], ends[node]):
            code = (code ^ np.uint64(text[place])) * np.uint64(1099511628211)
        code ^= code >> np.uint64(29)
        length = ends[node] - starts[node]
        slot = np.int64(code & np.uint64(size - 1))
        while True:
            number = table[slot]
            if number < 0:
                break
            if hashes[number] == code:
                other = first[number]
                equal = ends[other] - starts[other] == length
                if equal:
                    for place in range(length):
                        if text[starts[other] + place] != text[starts[node] + place]:
                            equal = False
                            break
                if equal:
                    break
            slot = (slot + 1) & (size - 1)
        if number < 0:
            number = known
            table[slot] = number
            hashes[number] = code
            first[number] = node
            known += 1
            if 2 * known > size:
                hashes = np.concatenate((hashes, np.empty(size, np.uint64)))
                first = np.concatenate((first, np.empty(size, np.int64)))
                size *= 2
                table = np.full(size, -1, np.int32)
                for old in range(known):
                    slot = np.int64(hashes[old] & np.uint64(size - 1))
                    while table[slot] >= 0:
                        slot = (slot + 1) & (size - 1)
                    table[slot] = old
        numbers[node] = number
    return numbers, first[:known]


def scan(text: np.ndarray, bounds: np.ndarray, many: bool, escapes: bool = False) -> tuple[Scan, tuple[int, int, int]]:
    """The nodes of trees in brackets, and the fault that ended the scan: (0, 0, 0), or (kind, item, position)."""
    most = _count(text)
    parents = np.empty(most, np.int64)
    starts = np.empty(most, np.int64)
    ends = np.empty(most, np.int64)
    offsets = np.zeros((most if many else len(bounds) - 1) + 1, np.int64)
    trees, nodes, *fault = _scan(text, bounds, many, escapes, parents, starts, ends, offsets)
    kind, item, place = fault
    return Scan(parents[:nodes], starts[:nodes], ends[:nodes], offsets[: trees + 1]), (kind, item, place)


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


def locate_fault(text: bytes, kind: int, place: int, row: int | None = None) -> BracketError:
    """Make the error for a fault of this kind at a place in the bytes of a tree, or of a text with several trees.

    >>> locate_fault(b"(A\\n(b)", 2, 3).line
    2
    """
    before = text[:place].decode("utf-8", "replace")
    line = before.count("\n") + 1
    return BracketError(_FAULTS[kind], line, len(before) - (before.rfind("\n") + 1) + 1, row)
