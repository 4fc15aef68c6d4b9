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
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from rekern.errors import InputError
from rekern.structures.formats.brackets import BracketError
from rekern.structures.formats.format_detection import KELP, parse_file
from rekern.structures.trees import Trees

__all__ = ["KelpExample", "from_klp", "read_klp", "trees_named"]

_MARK = re.compile(r"\|(?:([<,>])|B([A-Z]+)(?::([^|\s]*))?)\|")
_FIELDS = {"S": "texts", "V": "vectors", "DV": "dense", "T": "trees"}


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

    >>> read_klp("no such file.klp")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no file no such file.klp: check the path
    """
    return parse_file(path, KELP, from_klp)


def from_klp(text: str | Iterable[str]) -> list[KelpExample]:
    """Read the examples of a text in KeLP's format, or of its lines; an unnamed representation is named by its number.

    >>> from_klp("A |BT:t| (S (NP he) |ET|")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: line 1, column 10: this bracket is never closed
    """
    lines = text.split("\n") if isinstance(text, str) else text
    trees: list[tuple[str, int, int]] = []
    examples = [_read_line(line.rstrip("\r\n"), number, trees) for number, line in enumerate(lines, 1) if line.strip()]
    check_trees(trees)
    return examples


def _read_line(line: str, number: int, trees: list[tuple[str, int, int]]) -> KelpExample:
    """Read the example of a line, and note its trees with their lines and columns."""
    place = 0
    example: KelpExample | None = None  # which further representations belong to
    open_pairs: list[tuple[tuple[str, ...], list[KelpExample]]] = []  # their labels and first sides

    def locate(message: str) -> InputError:
        column = place + len(line[place:]) - len(line[place:].lstrip()) + 1
        return InputError(message, row=number, column=f"column {column}", unit="line")

    while mark := _MARK.search(line, place):
        labels = tuple(line[place : mark.start()].split())
        if labels and (example is not None or mark[1] in (",", ">")):
            raise locate("this belongs to no representation, such as |BT:name| (S ...) |ET|")
        if any("|" in label for label in labels):
            raise locate("a label with |; representations begin with a mark such as |BT:name|")
        place = mark.start()
        if mark[1] is None:
            example = KelpExample(labels) if example is None else example
            place = _read_representation(line, mark, example, trees, number, locate)
            continue
        sides = open_pairs[-1][1] if open_pairs else []
        if mark[1] == "<" and example is None:
            open_pairs.append((labels, []))
        elif mark[1] == "," and example is not None and open_pairs and not sides:
            sides.append(example)
            example = None
        elif mark[1] == ">" and example is not None and len(sides) == 1:
            example = KelpExample(open_pairs.pop()[0], sides=(sides[0], example))
        else:
            raise locate(f"{mark[0]} is out of place; a pair is |<| example |,| example |>|")
        place = mark.end()
    if line[place:].strip() and example is not None:
        raise locate("nothing more belongs here; a line holds one example")
    if example is None or open_pairs:
        raise locate("no representation, such as |BT:name| (S ...) |ET|" if example is None else "a pair ends with |>|")
    return example


def _read_representation(
    line: str,
    mark: re.Match[str],
    example: KelpExample,
    trees: list[tuple[str, int, int]],
    number: int,
    locate: Callable[[str], InputError],
) -> int:
    """Put a representation into its example, and return where it ends."""
    known = [name for values in vars(example).values() if isinstance(values, dict) for name in values]
    kind, name, end = mark[2], mark[3] or str(len(known)), line.find(f"|E{mark[2]}|", mark.end())
    if end < 0:
        raise locate(f"{mark[0]} is never closed; end it with |E{kind}|")
    if name in known:
        raise locate(f"a second representation with the name {name!r}; names differ")
    inside = line[mark.end() : end]
    content = inside.strip()
    found: object = (kind, content) if kind not in _FIELDS else content
    if kind == "T":
        trees.append((content, number, mark.end() + len(inside) - len(inside.lstrip()) + 1))
    elif kind == "V":
        parts = [part.rpartition(":") for part in content.split()]
        if not all(feature for feature, _, _ in parts) or len({feature for feature, _, _ in parts}) < len(parts):
            raise locate("features are name:value, each once")
        found = {feature: read_number(value, locate) for feature, _, value in parts}
    elif kind == "DV":
        found = tuple(read_number(part, locate) for part in re.split(r"[ \t,;]+", content) if part)
    getattr(example, _FIELDS.get(kind, "others"))[name] = found
    return end + len(f"|E{kind}|")


def read_number(text: str, locate: Callable[[str], InputError]) -> float:
    """Return the finite number that a text states; another one is an error at the place that ``locate`` adds.

    >>> read_number("1_0", InputError)
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: '1_0' is not a number
    """
    try:
        value = float(text) if "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise locate(f"{text!r} is not a number")
    return value


def check_trees(trees: list[tuple[str, int, int]]) -> None:
    """Check all trees of a file at once, which come with their lines and columns; an error has its place."""
    try:
        Trees.from_items([tree for tree, _, _ in trees])
    except InputError as error:
        _, line, column = trees[error.row or 0]
        if isinstance(error, BracketError):
            column += error.character - 1
        raise InputError(error.reason, row=line, column=f"column {column}", unit="line") from None


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
