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
from typing import NamedTuple

from rekern.core.messages import name_value
from rekern.core.text_files import write_lines
from rekern.errors import InputError
from rekern.structures.formats.format_detection import SVMLIGHTTK, parse_file
from rekern.structures.formats.kelp import check_trees, read_number
from rekern.structures.trees import Trees

__all__ = ["TKExample", "from_svmlighttk", "read_svmlighttk", "to_svmlighttk", "write_svmlighttk"]


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

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_svmlighttk(f"{folder}/train.dat", [TKExample("1", ("(S he)",), ({7: 1.0},))])
    ...     read_svmlighttk(f"{folder}/train.dat")
    [TKExample(label='1', trees=('(S he)',), vectors=({7: 1.0},))]
    """
    return parse_file(path, SVMLIGHTTK, from_svmlighttk)


def write_svmlighttk(path: str | os.PathLike[str], lines: Iterable[TKExample]) -> None:
    """Write lines in SVM-LIGHT-TK's format; a name that ends in ``.gz`` is compressed.

    >>> write_svmlighttk("train.dat", [TKExample("NUM", ("(S he)",))])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: line 0: the label is 'NUM'; SVM-LIGHT-TK needs a number
    """
    write_lines(path, to_svmlighttk(lines).split("\n")[:-1])


def from_svmlighttk(text: str | Iterable[str]) -> list[TKExample]:
    """Read the lines of a text in SVM-LIGHT-TK's format; empty lines and comments are skipped.

    >>> from_svmlighttk("1 |BT| (S (NP he) |ET|")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: line 1, column 8: this bracket is never closed
    """
    lines = text.split("\n") if isinstance(text, str) else text
    found: list[TKExample] = []
    trees: list[str] = []
    places: list[tuple[int, int]] = []
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r\n")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        label, begins, texts, vectors = _split_line(line, number)
        trees += texts
        places += [(number, begin + 1) for begin in begins]
        found.append(TKExample(label, tuple(text or "()" for text in texts), vectors))
    check_trees(trees, places)
    return found


def _split_line(line: str, number: int) -> tuple[str, list[int], list[str], tuple[dict[int, float], ...]]:
    """Return a line's label, where its trees begin, the trees, and the vectors."""
    mark = re.search(r"\|(?:B[TV]|E[TV])\|", line)
    head = line[: mark.start()] if mark else line
    label = head.split()[:1]
    if not label or read_number(label[0]) is None:
        reason = f"a line begins with a number, its label; found {(label or [''])[0]!r}"
        raise InputError(reason, row=number, unit="line")
    rest = head.split(None, 1)[1] if len(head.split()) > 1 else ""
    if not mark:
        plain = rest.partition("#")[0]
        return label[0], [], [], _read_vectors(plain, number) if plain.strip() else ()
    trees_first = mark[0] in ("|BT|", "|ET|")
    if rest and trees_first:
        raise InputError(f"{rest.strip()!r} stands between the label and {mark[0]}; remove it", row=number, unit="line")
    begins: list[int] = []
    trees: list[str] = []
    after = line.index(label[0]) + len(label[0])
    if trees_first:
        end = line.find("|ET|", mark.start())
        if end < 0:
            reason = "the trees are never closed; end them with |ET|"
            raise InputError(reason, row=number, column=f"column {mark.start() + 1}", unit="line")
        for piece in re.finditer(r"\|BT\|\s*((?:(?!\|BT\|).)*)", line[mark.start() : end]):
            begins.append(mark.start() + piece.start(1))
            trees.append(piece[1].strip())
        after = end + len("|ET|")
    inside, closed, _ = line[after:].partition("|EV|")
    if not closed:
        inside = inside.partition("#")[0]
    if not closed and "|BV|" in inside:
        raise InputError("the vectors are never closed; end them with |EV|", row=number, unit="line")
    if "|BT|" in inside or "|ET|" in inside:
        raise InputError("a tree behind |ET|; trees come before vectors", row=number, unit="line")
    return label[0], begins, trees, _read_vectors(inside, number) if closed or inside.strip() else ()


def _read_vectors(text: str, number: int) -> tuple[dict[int, float], ...]:
    vectors = []
    for piece in text.split("|BV|"):
        vector: dict[int, float] = {}
        for part in piece.split():
            name, _, value = part.partition(":")
            amount = read_number(value)
            if not re.match(r"\d{1,18}$", name, re.ASCII) or amount is None:
                raise InputError(f"{part!r} is no feature; write number:value, as in 3:0.5", row=number, unit="line")
            if int(name) in vector:
                raise InputError(f"the feature {name} comes twice in a vector", row=number, unit="line")
            vector[int(name)] = amount
        vectors.append(vector)
    return tuple(vectors)


def to_svmlighttk(lines: Iterable[TKExample]) -> str:
    """Return lines as text in SVM-LIGHT-TK's format; features are in ascending order, as it requires.

    >>> to_svmlighttk([TKExample("-1", ("(S (NP he))", "()"), ({3: 1, 1: 0.5}, {2: 1}))])
    '-1 |BT| (S (NP he)) |BT| |ET| 1:0.5 3:1.0 |BV| 2:1.0 |EV|\\n'
    """
    if isinstance(lines, TKExample):
        raise InputError("a list of TKExample is needed, got one; write [example]")
    written = []
    for number, line in enumerate(lines):
        if not isinstance(line, TKExample):
            raise InputError(f"a list of TKExample is needed, and item {number} is {name_value(line)}")
        label = str(line.label)
        if read_number(label) is None or re.search(r"\s", label):
            raise InputError(f"the label is {label!r}; SVM-LIGHT-TK needs a number", row=number, unit="line")
        try:
            trees = Trees.from_items(list(line.trees))
        except InputError as error:
            place = f"tree {error.row}" + (f", {error.column}" if error.column else "")
            raise InputError(error.reason, row=number, column=place, unit="line") from None
        pieces = [label]
        for tree in range(len(trees)):
            empty = trees.offsets[tree] == trees.offsets[tree + 1]
            pieces += ["|BT|"] if empty else ["|BT|", _check_marks(trees.written(tree), number)]
        if line.trees:
            pieces.append("|ET|")
        for index, vector in enumerate(line.vectors):
            pieces += [] if index == 0 else ["|BV|"]
            pieces += [_format_feature(feature, vector[feature], number) for feature in sorted(vector)]
        if line.vectors:
            pieces.append("|EV|")
        written.append(" ".join(pieces) + "\n")
    return "".join(written)


def _check_marks(tree: str, number: int) -> str:
    if re.search(r"\|[BE][TV]\|", tree):
        raise InputError("a label of the tree holds a mark such as |BT|; rename it", row=number, unit="line")
    return tree


def _format_feature(feature: int, value: float, number: int) -> str:
    if not isinstance(feature, int) or feature < 0 or read_number(repr(float(value))) is None:
        reason = f"{feature!r}:{value!r} is no feature; give whole numbers and finite values"
        raise InputError(reason, row=number, unit="line")
    return f"{feature}:{float(value)!r}"
