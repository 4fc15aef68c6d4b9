"""SVM-LIGHT-TK lines: a label, any number of trees, any number of vectors.

``-1 |BT| (S ...) |BT| (NP ...) |ET| 1:0.5 3:1 |BV| 2:1 |EV|``: every ``|BT|`` begins a tree, ``|ET|`` ends the last;
the first vector begins there, every ``|BV|`` begins another one, and ``|EV|`` ends the last. Text after ``#`` behind
the structures is a comment.

>>> line, = from_svmlighttk("-1 |BT| (S (NP he)) |BT| |ET| 1:0.5 3:1 |BV| 2:1 |EV| # first")
>>> line
TKExample(label='-1', trees=('(S (NP he))', '()'), vectors=({1: 0.5, 3: 1.0}, {2: 1.0}))
"""

import os
import re
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from rekern.errors import InputError
from rekern.structures.formats.format_detection import SVMLIGHTTK, parse_file
from rekern.structures.formats.kelp import check_trees, read_number

__all__ = ["TKExample", "from_svmlighttk", "read_svmlighttk"]

_TREES = re.compile(r"\s*((?:\|BT\|.*?)?)\|ET\|")
_TREE = re.compile(r"\|BT\|\s*((?:(?!\|BT\|).)*)")


class TKExample(NamedTuple):
    """A label, trees in brackets, and sparse vectors (feature number -> value).

    >>> TKExample("1", ("(S he)",)).vectors
    ()
    """

    label: str
    trees: tuple[str, ...] = ()
    vectors: tuple[dict[int, float], ...] = ()


def read_svmlighttk(path: str | os.PathLike[str]) -> list[TKExample]:
    """Read the lines of an SVM-LIGHT-TK file, which may be gzip-compressed.

    >>> read_svmlighttk("no such file.dat")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no file no such file.dat: check the path
    """
    return parse_file(path, SVMLIGHTTK, from_svmlighttk)


def from_svmlighttk(text: str | Iterable[str]) -> list[TKExample]:
    """Read the lines of a text in SVM-LIGHT-TK's format; empty lines and comments are skipped.

    >>> from_svmlighttk("1 |BT| (S (NP he) |ET|")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: line 1, column 8: this bracket is never closed
    """
    lines = text.split("\n") if isinstance(text, str) else text
    trees: list[tuple[str, int, int]] = []
    found = [
        _read_line(line, number, trees)
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    check_trees(trees)
    return found


def _read_line(line: str, number: int, trees: list[tuple[str, int, int]]) -> TKExample:
    """Read a line, and note its trees with their lines and columns."""
    locate = partial(InputError, row=number, unit="line")
    label, _, _ = line.partition("|")[0].strip().partition(" ")
    label = label.split()[0] if label else ""
    read_number(label, lambda message: locate(f"a line begins with a number, its label; {message}"))
    place = line.index(label) + len(label)
    inside = _TREES.match(line, place)
    pieces = [] if inside is None else list(_TREE.finditer(line, inside.start(1), inside.end(1)))
    trees += [(piece[1].strip(), number, piece.start(1) + 1) for piece in pieces]
    behind = line[place if inside is None else inside.end() :]
    vectors, closed, _ = behind.partition("|EV|")
    vectors = vectors if closed else vectors.partition("#")[0]
    if "|BT|" in vectors or "|ET|" in vectors:
        raise locate("trees come right behind the label, and end with |ET|")
    if "|BV|" in vectors and not closed:
        raise locate("the vectors are never closed; end them with |EV|")
    read = [_read_vector(vector, locate) for vector in vectors.split("|BV|")] if closed or vectors.strip() else []
    return TKExample(label, tuple(piece[1].strip() or "()" for piece in pieces), tuple(read))


def _read_vector(text: str, locate: partial[InputError]) -> dict[int, float]:
    vector: dict[int, float] = {}
    for part in text.split():
        name, _, value = part.partition(":")
        if not re.fullmatch(r"\d{1,18}", name, re.ASCII) or int(name) in vector:
            raise locate(f"{part!r} is not a feature; write number:value, as in 3:0.5, each number once")
        vector[int(name)] = read_number(value, locate)
    return vector
