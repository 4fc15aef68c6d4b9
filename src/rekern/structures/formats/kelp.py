"""KeLP's ``.klp`` files: an example a line, with labels, named representations, and pairs of examples.

``label … |BT:name| tree |ET| |BS:name| text |ES| |BV:name| feature:value … |EV| |BDV:name| numbers |EDV|``; a pair is
``label |<| example |,| example |>|``, and may be followed by representations of its own. Labels of nodes, such as
``LEX##word::n``, are used literally.

>>> example, = from_klp("NUM |BS:text| How far ? |ES| |BT:loct| (LEX##far::r(LEX##how::w)) |ET|")
>>> example.labels, example.texts, example.trees
(('NUM',), {'text': 'How far ?'}, {'loct': '(LEX##far::r(LEX##how::w))'})
"""

import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from rekern.core.messages import name_value
from rekern.core.text_files import write_lines
from rekern.errors import InputError
from rekern.structures.formats.brackets import BracketError
from rekern.structures.formats.format_detection import KELP, parse_file
from rekern.structures.trees import Trees

__all__ = ["KelpExample", "from_klp", "read_klp", "to_klp", "trees_named", "write_klp"]

_BEGIN = re.compile(r"\|B([A-Z]+)(?::([^|\s]*))?\|")
_MARK = re.compile(r"\|(?:[<,>]|[BE][A-Z]+(?::[^|\s]*)?)\|")
_NUMBERS_APART = re.compile(r"[ \t,;]+")


@dataclass(frozen=True)
class KelpExample:
    """One line of a ``.klp`` file: labels, and representations by name; ``sides`` are the two examples of a pair.

    ``others`` keeps representations of further kinds (sequences, graphs) as (kind, text).

    >>> left, right = KelpExample(texts={"t": "he runs"}), KelpExample(texts={"t": "he ran"})
    >>> KelpExample(labels=("1",), sides=(left, right)).sides[1].texts
    {'t': 'he ran'}
    """

    labels: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    vectors: dict[str, dict[str, float]] = field(default_factory=dict)
    dense: dict[str, tuple[float, ...]] = field(default_factory=dict)
    trees: dict[str, str] = field(default_factory=dict)
    others: dict[str, tuple[str, str]] = field(default_factory=dict)
    sides: tuple["KelpExample", ...] = ()


def read_klp(path: str | os.PathLike[str]) -> list[KelpExample]:
    """Read the examples of a ``.klp`` file, which may be gzip-compressed.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_klp(f"{folder}/one.klp", [KelpExample(labels=("NUM",), trees={"t": "(S (NP he))"})])
    ...     read_klp(f"{folder}/one.klp")[0].trees
    {'t': '(S(NP(he)))'}
    """
    return parse_file(path, KELP, from_klp)


def write_klp(path: str | os.PathLike[str], examples: Iterable[KelpExample]) -> None:
    """Write examples in KeLP's format; a name that ends in ``.gz`` is compressed.

    >>> write_klp("pairs.klp", [KelpExample(labels=("two words",), texts={"t": "he runs"})])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: example 0: the label 'two words' is empty or holds a blank or |; KeLP cannot read it
    """
    write_lines(path, to_klp(examples).split("\n")[:-1])


def from_klp(text: str | Iterable[str]) -> list[KelpExample]:
    """Read the examples of a text in KeLP's format, or of its lines; an unnamed representation is named by its number.

    >>> from_klp("A |BT:t| (S (NP he) |ET|")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: line 1, column 10: this bracket is never closed
    """
    lines = text.split("\n") if isinstance(text, str) else text
    examples = []
    trees: list[str] = []
    places: list[tuple[int, int]] = []
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r\n")
        if line.strip():
            reader = _Line(line, number)
            examples.append(reader.read_example())
            trees += reader.trees
            places += [(number, column) for column in reader.columns]
    check_trees(trees, places)
    return examples


def check_trees(trees: list[str], places: list[tuple[int, int]]) -> None:
    """Check all trees of a file at once; an error has the line and the column in the file."""
    try:
        Trees.from_items(trees)
    except InputError as error:
        line, column = places[error.row or 0]
        if isinstance(error, BracketError):
            column += error.character - 1
        raise InputError(error.reason, row=line, column=f"column {column}", unit="line") from None


class _Line:
    """A line and the place up to which it is read; its trees are collected with their columns and checked later."""

    def __init__(self, line: str, number: int):
        self.line = line
        self.number = number
        self.place = 0
        self.trees: list[str] = []
        self.columns: list[int] = []

    def locate(self, message: str) -> InputError:
        return InputError(message, row=self.number, column=f"column {self.place + 1}", unit="line")

    def skip_blanks(self) -> None:
        while self.line[self.place : self.place + 1].isspace():
            self.place += 1

    def skip(self, mark: str) -> bool:
        """Skip this mark if it comes next, and tell whether it does."""
        self.skip_blanks()
        found = self.line.startswith(mark, self.place)
        self.place += len(mark) if found else 0
        return found

    def read_example(self) -> KelpExample:
        """Read the line. The labels and sides of open pairs, which may be nested, are on a stack."""
        open_pairs: list[tuple[tuple[str, ...], list[KelpExample]]] = []
        while True:
            labels = self.read_labels()
            if self.skip("|<|"):
                open_pairs.append((labels, []))
                continue
            example = self.read_representations(KelpExample(labels))
            while open_pairs:
                labels, sides = open_pairs[-1]
                sides.append(example)
                if len(sides) == 1:
                    if not self.skip("|,|"):
                        raise self.locate("|,| and the second example of the pair are missing")
                    break
                if not self.skip("|>|"):
                    raise self.locate("the pair is never closed; end it with |>|")
                open_pairs.pop()
                example = self.read_representations(KelpExample(labels, sides=tuple(sides)))
            else:
                self.skip_blanks()
                if self.place < len(self.line):
                    raise self.locate("nothing more belongs here; a line holds one example")
                return example

    def read_labels(self) -> tuple[str, ...]:
        mark = _MARK.search(self.line, self.place)
        if not mark:
            raise self.locate("no representation, such as |BT:name| (S ...) |ET|")
        labels = tuple(self.line[self.place : mark.start()].split())
        if any("|" in label for label in labels):
            raise self.locate("a label with |; representations begin with a mark such as |BT:name|")
        self.place = mark.start()
        return labels

    def read_representations(self, example: KelpExample) -> KelpExample:
        """Read the representations that come next into the example."""
        count = 0
        while True:
            self.skip_blanks()
            begin = _BEGIN.match(self.line, self.place)
            if not begin:
                if not count and not example.sides:
                    raise self.locate("a representation is needed here, such as |BT:name| (S ...) |ET|")
                return example
            kind, name = begin[1], begin[2] or str(count)
            end = self.line.find(f"|E{kind}|", begin.end())
            if end < 0:
                raise self.locate(f"{begin[0]} is never closed; end it with |E{kind}|")
            if any(name in values for values in _list_representations(example)):
                raise self.locate(f"a second representation with the name {name!r}; names differ")
            self.place = begin.end()
            self.skip_blanks()
            content = self.line[self.place : end].strip()
            if kind == "T":
                self.trees.append(content)
                self.columns.append(self.place + 1)
                example.trees[name] = content
            elif kind == "S":
                example.texts[name] = content
            elif kind == "V":
                example.vectors[name] = self.read_features(content)
            elif kind == "DV":
                parts = filter(None, _NUMBERS_APART.split(content))
                example.dense[name] = tuple(self.read_value(part) for part in parts)
            else:
                example.others[name] = kind, content
            self.place = end + len(f"|E{kind}|")
            count += 1

    def read_features(self, content: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for part in content.split():
            name, colon, value = part.rpartition(":")
            if not colon or not name:
                raise self.locate(f"{part!r} is no feature; write name:value")
            if name in found:
                raise self.locate(f"the feature {name!r} comes twice")
            found[name] = self.read_value(value)
        return found

    def read_value(self, text: str) -> float:
        value = read_number(text)
        if value is None:
            raise self.locate(f"{text!r} is no number")
        return value


def _list_representations(example: KelpExample) -> tuple[Mapping[str, object], ...]:
    return example.texts, example.vectors, example.dense, example.trees, example.others


def read_number(text: str) -> float | None:
    """Return the finite number that a text states, or None.

    >>> read_number("0.5"), read_number("nan"), read_number("x"), read_number("1_0")
    (0.5, None, None, None)
    """
    try:
        value = float(text) if "_" not in text else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def to_klp(examples: Iterable[KelpExample]) -> str:
    """Return examples as text in KeLP's format: texts, vectors, dense vectors, trees and others, in this order.

    >>> left, right = KelpExample(trees={"t": "(S he)"}), KelpExample(vectors={"v": {"a": 1}})
    >>> to_klp([KelpExample(labels=("1",), sides=(left, right))])
    '1 |<| |BT:t| (S(he)) |ET| |,| |BV:v| a:1.0 |EV| |>|\\n'
    """
    if isinstance(examples, KelpExample):
        raise InputError("a list of examples is needed, got a KelpExample; for one write [example]")
    lines = []
    for number, example in enumerate(examples):
        if not isinstance(example, KelpExample):
            raise InputError(
                f"a list of examples is needed, and item {number} is {name_value(example)}; give a KelpExample"
            )
        try:
            lines.append(" ".join(_list_pieces(example)) + "\n")
        except InputError as error:
            raise InputError(error.reason, row=number, column=error.column, unit="example") from None
        except RecursionError:
            reason = "pairs in pairs, too deep to be written; nest them less"
            raise InputError(reason, row=number, unit="example") from None
    return "".join(lines)


def _list_pieces(example: KelpExample) -> list[str]:
    for label in example.labels:
        if not label or re.search(r"[\s|]", label):
            raise InputError(f"the label {label!r} is empty or holds a blank or |; KeLP cannot read it")
    if not any(_list_representations(example)) and not example.sides:
        raise InputError("no representation; give it a tree, a text or a vector")
    pieces = list(example.labels)
    if example.sides:
        if len(example.sides) != 2:
            raise InputError(f"a pair has two sides, got {len(example.sides)}")
        left, right = map(_list_pieces, example.sides)
        pieces += ["|<|", *left, "|,|", *right, "|>|"]
    for name, text in example.texts.items():
        pieces += _enclose("S", name, text)
    for name, vector in example.vectors.items():
        for feature in vector:
            if not feature or re.search(r"\s", feature):
                raise InputError(f"the feature {feature!r} is empty or holds a blank; KeLP cannot read it")
        pieces += _enclose("V", name, " ".join(f"{feature}:{_format_number(vector[feature])}" for feature in vector))
    for name, numbers in example.dense.items():
        pieces += _enclose("DV", name, " ".join(map(_format_number, numbers)))
    for name, tree in example.trees.items():
        pieces += _enclose("T", name, Trees.from_items([tree]).written(0, "kelp"))
    for name, (kind, text) in example.others.items():
        pieces += _enclose(kind, name, text)
    return pieces


def _enclose(kind: str, name: str, content: str) -> list[str]:
    if not name or re.search(r"[\s|]", name):
        raise InputError(f"the name {name!r} is empty or holds a blank or |; KeLP cannot read it")
    found = re.search(r"[\r\n]|\|E", content)
    if found:
        raise InputError(f"{name} holds {found[0]!r}, which KeLP would take for its end; remove it")
    return [f"|B{kind}:{name}|", *([content] if content else []), f"|E{kind}|"]


def _format_number(value: float) -> str:
    if not np.isfinite(value):
        raise InputError(f"a value is {value}; give finite numbers")
    return repr(float(value))


def trees_named(examples: Iterable[KelpExample], name: str, side: int | None = None) -> Trees:
    """Return the trees with this name of all examples, or of one side (0 or 1) of all pairs.

    >>> trees_named(from_klp("A |BT:t| (S(he)) |ET|"), "t")[0]
    '(S he)'
    >>> trees_named(from_klp("A |BT:t| (S(he)) |ET|"), "lct")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: example 0: no tree with the name 'lct'; it has t
    """
    found = []
    for number, example in enumerate(examples):
        if side is not None:
            if not example.sides:
                raise InputError("not a pair; leave side out", row=number, unit="example")
            example = example.sides[side]
        if name not in example.trees:
            known = ", ".join(example.trees) or "none"
            raise InputError(f"no tree with the name {name!r}; it has {known}", row=number, unit="example")
        found.append(example.trees[name])
    return Trees.from_items(found)
