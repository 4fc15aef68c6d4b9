"""The embedded corpus: sentence pairs written for this package, in which only the way of re-writing tells what holds.

Every pair that holds has a twin that does not, made of (nearly) the same words: roles exchanged, a number or a negation changed,
cause and effect turned round. The held-out part speaks of other people, things and deeds than the training part, and
partly in sentences of other shapes.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from string import Formatter
from typing import Any, Literal, NamedTuple, TypeVar, overload

from rekern.datasets.rewrites_templates import REWRITINGS, Template
from rekern.datasets.rewrites_words import TEST, TRAIN, Person, Verb, Words
from rekern.errors import InputError

SIZES = {"train": 1800, "test": 700}
UNSEEN_SHARE = 0.15  # of the held-out pairs, those from templates that training never uses

_Item = TypeVar("_Item")
_Pairs = list[tuple[str, str]]
# The versions (source, target) of two rows made from one filling; in turn, so that each sentence of a template is as often in a
# pair that holds as in one that does not.
_TWINS = (((1, 1), (1, 2)), ((2, 2), (1, 2)), ((2, 2), (2, 1)), ((1, 1), (2, 1)))


class PairDetail(NamedTuple):
    """Where a pair of the embedded corpus comes from: the re-writing, the template, and whether training has it too."""

    rewriting: str
    template: str
    unseen: bool


@dataclass(frozen=True)
class _Clause:
    subject: str
    verb: Verb

    @property
    def then(self) -> str:
        return f"{self.subject} {self.verb.past}"

    @property
    def s(self) -> str:
        return f"{self.subject} {self.verb.s}"

    @property
    def will(self) -> str:
        return f"{self.subject} will {self.verb.base}"

    @property
    def does_not(self) -> str:
        return f"{self.subject} does not {self.verb.base}"


@overload
def load_rewrites(
    part: str = "train", seed: int = 0, size: int | None = None, *, details: Literal[False] = False
) -> tuple[_Pairs, list[int]]: ...


@overload
def load_rewrites(
    part: str = "train", seed: int = 0, size: int | None = None, *, details: Literal[True]
) -> tuple[_Pairs, list[int], list[PairDetail]]: ...


def load_rewrites(part: str = "train", seed: int = 0, size: int | None = None, *, details: bool = False) -> Any:
    """Sentence pairs of the embedded corpus and their labels: 1 if the second sentence follows from the first, 0 if not.

    ``part`` is ``"train"`` (1,800 pairs) or ``"test"`` (700 held-out pairs: other names, other content words, and one pair in
    seven from a template that training lacks); ``size`` asks for another number of pairs. The same arguments give the same
    pairs in every process. With ``details=True`` a third list names the re-writing of each pair.

    >>> pairs, labels = load_rewrites("train")
    >>> len(pairs), sum(labels)
    (1800, 900)
    >>> pairs, labels, details = load_rewrites("test", size=2, details=True)
    >>> len(pairs), sorted(labels), details[0].rewriting in REWRITINGS
    (2, [0, 1], True)
    """
    if part not in SIZES:
        raise InputError(f"part is {part!r}; the embedded corpus has the parts 'train' and 'test'")
    size = SIZES[part] if size is None else size
    rows = _Writer(Random(2 * seed + (part == "test")), TRAIN if part == "train" else TEST).rows(size, part == "test")
    pairs = [(source, target) for source, target, _, _ in rows]
    labels = [label for _, _, label, _ in rows]
    return (pairs, labels, [detail for *_, detail in rows]) if details else (pairs, labels)
