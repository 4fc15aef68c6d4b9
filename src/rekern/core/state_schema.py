"""Schemas: what the values in a model file must satisfy, declared beside the class that is made of them.

A registered class has an attribute ``schema``. The loader checks what a file says with it before the class sees
anything, and the fuzzer of the tests makes values at its borders. A *size* is a number that has a name, such as the
number of words: the first value that names it sets it, and all others must agree.

>>> schema = Record(words=Texts("words"), idf=Array("f8", "words", least=0.0))
>>> schema.check({"words": ["a", "b"], "idf": np.ones(2)}, "space")
>>> schema.check({"words": ["a", "b"], "idf": np.ones(3)}, "space")
Traceback (most recent call last):
...
rekern.errors.ModelFileError: its idf is damaged: an array of 2 numbers is needed
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from rekern.core.model_limits import LARGEST_NUMBER
from rekern.errors import ModelFileError

LONGEST_TEXT = 1 << 20  # characters of a name, a label or a parameter

FEW_CHARACTERS, MOST_PADDING = 1 << 24, 100  # of all labels as an array, or for each character of theirs
LARGEST_WHOLE = 1 << 62
MOST_WHOLE = 1 << 53

Sizes = dict[str, int]
Dimension = int | str  # a number, a size, a size and "+1", or "*" for any number


class Constraint(Protocol):
    """What a value must satisfy."""

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value does not satisfy it; ``name`` is that of the value."""
        ...


def refuse(name: str, reason: str) -> ModelFileError:
    """Make the error for a value of this name."""
    error = ModelFileError(f"its {name} is damaged: {reason}")
    error.needed = reason
    return error


def require(name: str, needed: str, verb: str = "is") -> ModelFileError:
    """Make the error for a value of this name that is not what is needed."""
    error = refuse(name, f"{needed} {verb} needed")
    error.needed = needed
    return error


def _bind(dimension: Dimension, found: int, sizes: Sizes) -> int:
    """Return what a dimension must be; a size that is not known yet becomes what was found."""
    if isinstance(dimension, int):
        return dimension
    if dimension == "*":
        return found
    size, plus, _ = dimension.partition("+1")
    return sizes.setdefault(size, found - len(plus[:1])) + len(plus[:1])


def _check_size(dimension: Dimension, found: int, name: str, sizes: Sizes | None) -> None:
    """Raise ModelFileError if the length or number that was found is not what its dimension must be."""
    if _bind(dimension, found, {} if sizes is None else sizes) != found:
        raise refuse(name, "it does not fit the other parts")


@dataclass(frozen=True)
class Whole:
    """A whole number; with ``size`` it sets the size of this name."""

    least: int = 0
    most: int = MOST_WHOLE
    size: str = "*"

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is no such number."""
        if isinstance(value, bool) or not isinstance(value, int) or not self.least <= value <= self.most:
            limits = f"of at least {self.least}" if self.most == MOST_WHOLE else f"from {self.least} to {self.most}"
            raise require(name, f"a whole number {limits}")
        _check_size(self.size, value, name, sizes)


@dataclass(frozen=True)
class Number:
    """A finite number from ``least`` to ``most``; with ``above`` it must be more than ``least``."""

    least: float = -LARGEST_NUMBER
    most: float = LARGEST_NUMBER
    above: bool = False

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is no such number."""
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
        if not self.least <= number <= self.most or (self.above and number == self.least):
            kind = "a finite number" if self.most == LARGEST_NUMBER else "a number"
            low = f"above {self.least:g}" if self.above else f"of at least {self.least:g}"
            high = "" if self.most == LARGEST_NUMBER else f" and at most {self.most:g}"
            raise require(name, f"{kind} {low}{high}")


@dataclass(frozen=True)
class Flag:
    """True or False; 0 and 1 are allowed."""

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is something else."""
        if not isinstance(value, bool | int) or value not in (0, 1):
            raise require(name, "True or False")


@dataclass(frozen=True)
class Text:
    """A text of limited length."""

    longest: int = LONGEST_TEXT

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is no such text."""
        if not isinstance(value, str) or len(value) > self.longest:
            raise require(name, f"a text of at most {self.longest:,} characters")


class Choice:
    """One of some plain values."""

    def __init__(self, *values: str | int | float | None):
        self.values = values

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is another one."""
        if not any(type(value) is type(known) and value == known for known in self.values):
            *first, last = map(repr, self.values)
            raise require(name, f"{', '.join(first)} or {last}" if first else last)


class Either:
    """What satisfies one of several constraints; ``Either(None, …)`` allows None."""

    def __init__(self, *choices: Constraint | None):
        self.choices = tuple(Choice(None) if choice is None else choice for choice in choices)

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value satisfies none."""
        needed: list[str] = []
        for choice in self.choices:
            try:
                return choice.check(value, name, sizes)
            except ModelFileError as error:
                needed.append(error.needed)
        raise require(name, ", or ".join(needed))


@dataclass(frozen=True)
class Texts:
    """A list of texts, or of ``kind`` tuple; ``length`` is a size."""

    length: Dimension = "*"
    kind: type | tuple[type, ...] = list

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is no such list."""
        if (
            not isinstance(value, self.kind)
            or not isinstance(value, list | tuple)
            or not set(map(type, value)) <= {str}
        ):
            raise require(name, "a list of texts")
        _check_size(self.length, len(value), name, sizes)


@dataclass(frozen=True)
class ListOf:
    """A list whose items satisfy a constraint; ``length`` is a size, ``kind`` may be tuple."""

    item: Constraint
    length: Dimension = "*"
    kind: type | tuple[type, ...] = list
    most: int = 1 << 31

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is no such list."""
        if not isinstance(value, self.kind) or not isinstance(value, list | tuple) or len(value) > self.most:
            raise require(name, "a list" if self.most == 1 << 31 else f"a list of up to {self.most}")
        _check_size(self.length, len(value), name, sizes)
        for part in value:
            self.item.check(part, name, sizes)


class Row:
    """A list with a constraint for each of its places."""

    def __init__(self, *places: Constraint):
        self.places = places

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is no such list."""
        if not isinstance(value, list) or len(value) != len(self.places):
            raise require(name, f"a list of {len(self.places)}")
        for place, part in zip(self.places, value):
            place.check(part, name, sizes)


@dataclass(frozen=True)
class MapOf:
    """A mapping from texts to values that satisfy a constraint."""

    item: Constraint

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is no such mapping."""
        if not isinstance(value, Mapping) or not set(map(type, value)) <= {str}:
            raise require(name, "named values", "are")
        for part in value.values():
            self.item.check(part, name, sizes)


@dataclass(frozen=True)
class Weights:
    """A mapping from texts to finite numbers of at least ``least``, checked quickly."""

    least: float = 0.0

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is no such mapping."""
        if not isinstance(value, dict) or not set(map(type, value)) <= {str}:
            raise require(name, "words with numbers", "are")
        if not set(map(type, value.values())) <= {float} or not all(
            self.least <= number <= LARGEST_NUMBER for number in value.values()
        ):
            raise require(name, f"finite numbers of at least {self.least:g}", "are")


@dataclass(frozen=True)
class Labels:
    """A list of labels: texts, or numbers. As an array they take as much memory for each as the longest text."""

    length: Dimension = "*"
    least: int = 0

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is no such list."""
        kinds = set(map(type, value)) if isinstance(value, list) else {type(None)}
        if (
            not isinstance(value, list)
            or len(value) < self.least
            or not (kinds <= {str} or kinds <= {int, float, bool})
        ):
            raise require(name, "a list of texts or of numbers")
        _check_size(self.length, len(value), name, sizes)
        if kinds == {str}:
            lengths = [len(label) for label in value]
            if max(lengths) * len(value) > max(FEW_CHARACTERS, MOST_PADDING * sum(lengths)):
                raise refuse(name, f"a label has {max(lengths):,} characters")
        elif not all(-LARGEST_WHOLE <= label <= LARGEST_WHOLE for label in value):
            raise require(name, "finite numbers", "are")


class Array:
    """An array of a type such as "f8" (or of one of several, "i4 i8") with these dimensions.

    ``below`` is a size that all numbers are below, ``offsets`` one that the last of ascending offsets from 0 is,
    ``lengths`` one that all numbers, which are not negative, add up to.
    """

    def __init__(
        self,
        types: str,
        *shape: Dimension,
        least: float | None = None,
        most: float | None = None,
        below: str | None = None,
        offsets: str | None = None,
        lengths: str | None = None,
    ):
        self.types, self.shape = types.split(), shape
        self.least, self.most, self.below = least, most, below
        self.offsets, self.lengths = offsets, lengths

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is no such array."""
        sizes = {} if sizes is None else sizes
        if not isinstance(value, np.ndarray) or value.dtype.str[1:] not in self.types:
            raise require(name, "an array of another type")
        wanted = None
        if value.ndim == len(self.shape):
            wanted = tuple(_bind(dimension, found, sizes) for dimension, found in zip(self.shape, value.shape))
        if wanted != value.shape:
            sides = " × ".join(str(_bind(dimension, -1, dict(sizes))).replace("-1", "some") for dimension in self.shape)
            raise require(name, f"an array of {sides} numbers")
        self._check_numbers(value, name, sizes)

    def _check_numbers(self, value: np.ndarray[tuple[int, ...], np.dtype[np.number]], name: str, sizes: Sizes) -> None:
        if self.offsets is not None:
            last = int(value[-1]) if len(value) else -1
            if not len(value) or value[0] != 0 or (value[1:] < value[:-1]).any() or last < 0:
                raise refuse(name, "its offsets do not ascend from 0")
            if _bind(self.offsets, last, sizes) != last:
                raise refuse(name, "its offsets do not fit the other parts")
        if self.lengths is not None:
            # Each is compared with the sum first: the sum of huge numbers might overflow.
            total = sizes[self.lengths]
            if ((value < 0) | (value > total)).any() or value.sum() != total:
                raise refuse(name, "its lengths do not fit the other parts")
        if not value.size or (self.least is None and self.most is None and self.below is None):
            return
        low, high = value.min(), value.max()
        if self.least is not None and not low >= self.least:
            raise require(name, f"numbers of at least {self.least:g}", "are")
        if self.most is not None and not high <= self.most:
            raise require(name, f"numbers of at most {self.most:g}", "are")
        if self.below is not None and not high < sizes[self.below]:
            raise require(name, f"numbers below {sizes[self.below]}", "are")


@dataclass(frozen=True)
class Spreads:
    """An array of standard deviations: 0, or so large that nothing overflows that is divided by them."""

    length: Dimension
    smallest: float = 1e-9

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is no such array."""
        Array("f8", self.length, least=0.0).check(value, name, sizes)
        if isinstance(value, np.ndarray) and ((value > 0) & (value < self.smallest)).any():
            raise require(name, f"0 or numbers of at least {self.smallest:g}", "are")


class ObjectOf:
    """An object of a registered class that is, or is derived from, one of these classes, given by their names."""

    def __init__(self, *names: str):
        self.names = names

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is another object."""
        if not {kind.__name__ for kind in type(value).__mro__} & set(self.names):
            raise require(name, f"a {' or '.join(self.names)}")


class InstanceOf:
    """An object of one of these classes or protocols."""

    def __init__(self, *kinds: type):
        self.kinds = kinds

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is another object."""
        if not isinstance(value, self.kinds):
            raise require(name, f"a {' or '.join(kind.__name__ for kind in self.kinds)}")


@dataclass(frozen=True)
class Tokenizes:
    """An object that makes tokens of a text: a tokenizer, of another package too."""

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value is another object."""
        if not callable(value) or "Kernel" in {kind.__name__ for kind in type(value).__mro__}:
            raise require(name, "a tokenizer")


@dataclass(frozen=True)
class Anything:
    """Any value: it is checked elsewhere, by the schema of what it belongs to."""

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Accept the value."""


@dataclass(frozen=True)
class Optional:
    """A part that a record may lack."""

    inner: Constraint

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the value does not satisfy the inner constraint."""
        self.inner.check(value, name, sizes)


class Record:
    """Named parts, each with a constraint, and no others; sizes of an inner record are its own."""

    def __init__(self, **parts: Constraint):
        self.parts = parts

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if a part is missing, unknown, or does not satisfy its constraint."""
        if not isinstance(value, Mapping):
            raise require(name, "named parts", "are")
        for part in value:
            if part not in self.parts:
                raise ModelFileError(f"its {name} has no part named {str(part)[:40]!r}")
        known = {} if sizes is None else dict(sizes)
        for part, constraint in self.parts.items():
            if part in value:
                constraint.check(value[part], part, known)
            elif not isinstance(constraint, Optional):
                raise ModelFileError(f"its {name} lacks {part}")


def parameters(**parts: Constraint) -> Record:
    """Return the record of the parameters of a class; each has a default value, so that a file may lack it."""
    return Record(**{name: Optional(constraint) for name, constraint in parts.items()})


@dataclass(frozen=True)
class Schema:
    """What a model file may say about an object of a class.

    ``parts`` are its parameters, or what its ``to_dict`` gives; ``learned`` is what a kernel has learned in training;
    ``header`` is what the file of a model says about it. ``resources`` are the parts that name something outside the
    file, such as a folder: what a file says there is never opened, the one who loads it gives it.
    """

    parts: Record = field(default_factory=Record)
    learned: Record = field(default_factory=Record)
    header: Record | None = None
    resources: tuple[str, ...] = ()


def find_schema(kind: type) -> Schema | None:
    """Return the schema of a class, its own one; None for a class of another package that has none."""
    found = vars(kind).get("schema")
    return found if isinstance(found, Schema) else None


DECAY = Number(0.0, 1.0, above=True)
POSITIVE = Number(0.0, above=True)
COLUMN = Either(None, Text(1000))  # the name of a representation
TOKENIZER = Either(None, Tokenizes())
KERNEL = ObjectOf("Kernel")
