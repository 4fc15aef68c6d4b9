"""The parts of an explanation, and lists of many parts of which each is written down when it is looked at.

A pair of sentences has thousands of rules, and a reader sees a dozen of them. What a rule adds is known at once; its
text and the words that it lies on are found when somebody looks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import repeat
from operator import itemgetter
from typing import NamedTuple, overload

import numpy as np

from rekern.core.arrays import Floats, Ints, Objects, offsets_of
from rekern.core.json_values import JsonObject


class Part(NamedTuple):
    """One summand: a rule, a score, a tree fragment, a pattern or a whole kernel, and what it adds.

    >>> Part("score", "precision", value=0.5, weight=2.0).contribution
    1.0
    """

    # what it is: "rule", "score", "score pair", "fragment", "path", "neighbourhoods", "pattern", "pair", "landmark",
    # "kernel" or "baseline"
    kind: str
    name: str  # the part as text
    value: float  # how much of it there is in the item, normalised as the kernel does
    weight: float = 1.0  # what was learned about it; 1 in the explanation of a kernel's value
    source: str = ""  # the words of the source that it lies on
    target: str = ""  # the words of the target
    description: str = ""  # a score in words
    score: float | None = None  # the value of a score, before it is standardised or goes through a curve
    other: float | None = None  # the value of the second score of a pair

    @property
    def contribution(self) -> float:
        """What it adds to the decision value."""
        return self.value * self.weight

    def to_dict(self) -> JsonObject:
        """The fields and the contribution, for JSON; only a pair of scores has the value of another score."""
        kind, name, value, weight, source, target, description, score, other = self
        found: JsonObject = {
            "kind": kind,
            "name": name,
            "value": value,
            "weight": weight,
            "contribution": value * weight,
            "source": source,
            "target": target,
            "description": description,
            "score": score,
        }
        if other is not None:
            found["other"] = other
        return found

    def to_words(self) -> str:
        """The part in words: a rule, or the description of a score or of a pair of scores, with the values.

        >>> Part("score", "recall", 0.4, 2.0, description="words of the target in the source", score=0.75).to_words()
        'words of the target in the source: 0.75'
        >>> Part("score pair", "recall × length", 0.4, score=0.75, other=12.0).to_words()
        'recall × length: 0.75 × 12.00'
        """
        return write_words(self.description or self.name, self.score, self.other)

    def to_text(self) -> str:
        """One line: the contribution, the part, and the words that a rule lies on."""
        words = f"    on: {self.source} | {self.target}" if self.source or self.target else ""
        return f"{self.contribution:+.4f}  {self.to_words()}{words}"


def write_words(words: str, score: float | None, other: float | None = None) -> str:
    """Return a score, or a pair of scores, in words with the values.

    >>> write_words("length", 12.0), write_words("→ a", None)
    ('length: 12.00', '→ a')
    """
    if score is None:
        return words
    return f"{words}: {score:.2f}" if other is None else f"{words}: {score:.2f} × {other:.2f}"


def make_parts(
    kind: str,
    names: Iterable[str],
    values: Iterable[float],
    weights: Iterable[float],
    sources: Iterable[str],
    targets: Iterable[str],
) -> list[Part]:
    """Return parts of one kind from the columns of their fields, faster than one after the other.

    >>> make_parts("rule", ["a → b"], [0.5], [2.0], ["a"], ["b"]) == [Part("rule", "a → b", 0.5, 2.0, "a", "b")]
    True
    """
    columns = repeat(kind), names, values, weights, sources, targets, repeat(""), repeat(None), repeat(None)
    return list(map(partial(tuple.__new__, Part), zip(*columns)))


class PartBlock(NamedTuple):
    """Parts that are not written down yet: what each adds, and a function from some of their numbers to the parts."""

    contributions: Floats
    write: Callable[[Ints], Sequence[Part]]


class PartList(Sequence[Part]):
    """A list of parts that are written down when they are looked at; a slice is such a list, too.

    >>> block = PartBlock(np.array([0.5, 2.0]), lambda numbers: [Part("rule", f"rule {n}", 1.0) for n in numbers])
    >>> parts = PartList.from_blocks([block])
    >>> len(parts), parts.contributions.tolist(), parts[1].name
    (2, [0.5, 2.0], 'rule 1')
    """

    def __init__(self, register: _Register, places: range, blocks: Sequence[PartBlock] = ()):
        self._register = register
        self._places = places
        self._blocks = blocks  # of a whole list that has no order yet

    @classmethod
    def from_blocks(cls, blocks: Sequence[PartBlock]) -> PartList:
        """Return the parts of several blocks, one after the other."""
        contributions = np.concatenate([np.zeros(0), *(block.contributions for block in blocks)])
        offsets = offsets_of([len(block.contributions) for block in blocks])

        def write(numbers: Ints) -> list[Part]:
            owners = np.searchsorted(offsets, numbers, side="right") - 1
            written = np.empty(len(numbers), object)
            for owner in np.unique(owners).tolist():
                places = np.flatnonzero(owners == owner)
                written[places] = _to_array(blocks[owner].write(numbers[places] - offsets[owner]))
            return written.tolist()

        everything = np.arange(len(contributions))
        return cls(_Register(contributions, everything, everything, write), range(len(contributions)), blocks)

    @property
    def contributions(self) -> Floats:
        """What each part adds. Those with equal contributions are written down: their names decide the order."""
        return self._register.list_contributions(self._list_places())

    def sum_up(self) -> float:
        """Return the exact sum of the contributions. Only parts with contributions equal to the last are written."""
        return math.fsum(self._register.list_contributions(self._list_places(), is_sum=True).tolist())

    def list_blocks(self) -> Sequence[PartBlock]:
        """Return the same as blocks of a longer list."""
        return self._blocks or [PartBlock(self.contributions, self.pick)]

    def pick(self, numbers: Ints) -> list[Part]:
        """Return the parts with some numbers, written down together."""
        return self._register.read(self._list_places()[numbers])

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Part: ...
    @overload
    def __getitem__(self, index: slice) -> PartList: ...
    def __getitem__(self, index: int | slice) -> Part | PartList:
        if isinstance(index, slice):
            return PartList(self._register, self._places[index])
        return self._register.read(np.array([self._places[index]]))[0]

    def __iter__(self) -> Iterator[Part]:
        return iter(self._register.read(self._list_places()))

    def _list_places(self) -> Ints:
        return np.arange(self._places.start, self._places.stop, self._places.step)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, list | PartList) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as a list

    def __add__(self, other: Sequence[Part]) -> list[Part]:
        return [*self, *other]

    def __radd__(self, other: Sequence[Part]) -> list[Part]:
        return [*other, *self]

    def __repr__(self) -> str:
        return repr(list(self))

    def __reduce__(self) -> tuple[type[list[Part]], tuple[list[Part]]]:
        return list, (list(self),)  # copied and pickled as what it stands for


class _Register:
    """Parts in an order, of which those that were read are written down.

    Parts of one group, which are neighbours, are written together and stand in the order of their names.
    """

    def __init__(
        self, contributions: Floats, numbers: Ints, groups: Ints, write: Callable[[Ints], Sequence[Part]]
    ) -> None:
        self._contributions = contributions
        self._numbers = numbers
        self._groups = groups  # the place at which the group of each part begins
        self._write = write
        self._parts: Objects = np.empty(len(numbers), object)
        self._is_written = np.zeros(len(numbers), np.bool_)

    def read(self, places: Ints) -> list[Part]:
        """Return the parts at some places."""
        missing = places[~self._is_written[places]]
        if len(missing):
            chosen = np.flatnonzero(np.isin(self._groups, self._groups[missing]))
            parts = list(self._write(self._numbers[chosen]))
            starts = np.append(np.flatnonzero(np.diff(self._groups[chosen], prepend=-1)), len(parts))
            ties = np.flatnonzero(np.diff(starts) > 1)
            for start, end in zip(starts[ties].tolist(), starts[ties + 1].tolist()):
                parts[start:end] = sorted(parts[start:end], key=itemgetter(1))  # by name
            if len(ties):
                self._contributions[chosen] = [part[2] * part[3] for part in parts]  # value and weight
            self._parts[chosen], self._is_written[chosen] = _to_array(parts), True
        found: list[Part] = self._parts[places].tolist()
        return found

    def list_contributions(self, places: Ints, is_sum: bool = False) -> Floats:
        """Return what the parts at some places add; only a sum may have parts of a group in another order."""
        groups, sizes = np.unique(self._groups[places], return_counts=True)
        ends = np.searchsorted(self._groups, groups, side="right")
        # The members of a group differ in sign. A sum of some of them needs to know which, that of all does not.
        unclear = (ends - groups > 1) & ((sizes < ends - groups) | (not is_sum))
        if unclear.any():
            self.read(groups[unclear])
        return self._contributions[places]

    def sort(self, sign: int) -> _Register:
        """Return the parts in the order of the size of their contributions, times 1 or -1."""
        contributions = sign * self._contributions
        order = np.argsort(-np.abs(contributions), kind="stable")
        contributions = contributions[order]
        is_first = np.diff(np.abs(contributions), prepend=-1.0) != 0
        groups = np.maximum.accumulate(np.where(is_first, np.arange(len(order)), 0))
        return _Register(
            contributions, self._numbers[order], groups, lambda numbers: _apply_sign(self._write(numbers), sign)
        )


def join_parts(lists: Sequence[Sequence[Part]]) -> Sequence[Part]:
    """Return the parts of several lists in one; they are written down later if those of one list are.

    >>> len(join_parts([[Part("rule", "a → b", 1.0)], [Part("rule", "c → d", 1.0)]]))
    2
    """
    if not any(isinstance(parts, PartList) for parts in lists):
        return [part for parts in lists for part in parts]
    return PartList.from_blocks([block for parts in lists for block in list_blocks(parts)])


def list_blocks(parts: Sequence[Part]) -> Sequence[PartBlock]:
    """Return parts as blocks of a longer list.

    >>> [block.contributions.tolist() for block in list_blocks([Part("rule", "a → b", 0.5)])]
    [[0.5]]
    """
    return parts.list_blocks() if isinstance(parts, PartList) else [make_block(parts)]


def order_parts(parts: Sequence[Part], sign: int = 1) -> Sequence[Part]:
    """Return the parts in the order of the size of their contributions, equal ones in that of their names.

    With the sign -1 the weights are those of the opposite decision.

    >>> parts = [Part("score", "a", 0.5), Part("score", "c", 2.0), Part("score", "b", -2.0)]
    >>> [part.name for part in order_parts(parts)]
    ['b', 'c', 'a']
    """
    if not isinstance(parts, PartList):
        return sorted(_apply_sign(parts, sign), key=lambda part: (-abs(part.contribution), part.name))
    whole = PartList.from_blocks(parts.list_blocks())
    return PartList(whole._register.sort(sign), range(len(parts)))


def sum_contributions(parts: Sequence[Part]) -> float:
    """Return the exact sum of what parts add, which does not depend on their order; no part is written down for it.

    >>> sum_contributions([Part("score", "a", 0.5), Part("score", "b", 2.0)])
    2.5
    """
    if isinstance(parts, PartList):
        return parts.sum_up()
    return math.fsum(part.contribution for part in parts)


def make_block(parts: Sequence[Part]) -> PartBlock:
    """Return parts that are written down as a block of a longer list.

    >>> make_block([Part("rule", "a → b", 0.5)]).write(np.array([0]))[0].name
    'a → b'
    """
    contributions = np.array([part.contribution for part in parts], dtype=float)
    return PartBlock(contributions, lambda numbers: [parts[number] for number in numbers.tolist()])


def _to_array(parts: Sequence[Part]) -> Objects:
    return np.fromiter(parts, object, len(parts))


def _apply_sign(parts: Sequence[Part], sign: int) -> list[Part]:
    return list(parts) if sign > 0 else [part._replace(weight=-part.weight) for part in parts]
