"""The embedded corpus: sentence pairs whose label depends only on the re-writing, not on the words.

The label says whether the second sentence follows from the first. Every positive pair has a negative twin with (nearly)
the same words, in which for example roles, numbers, negations, or cause and effect are exchanged. The held-out part has
other names and content words than the training part, and some other forms of sentences.
"""

import bz2
from importlib import resources
from typing import Literal, NamedTuple, overload

from rekern.errors import InputError

_Pairs = list[tuple[str, str]]


class PairDetail(NamedTuple):
    """The origin of a pair of the embedded corpus: the re-writing, the template, and whether training lacks it.

    >>> load_rewrites("train", size=2, details=True)[2][0].unseen
    False
    """

    rewriting: str
    template: str
    unseen: bool


@overload
def load_rewrites(
    part: str = "train", size: int | None = None, *, details: Literal[False] = False
) -> tuple[_Pairs, list[int]]: ...


@overload
def load_rewrites(
    part: str = "train", size: int | None = None, *, details: Literal[True]
) -> tuple[_Pairs, list[int], list[PairDetail]]: ...


def load_rewrites(part: str = "train", size: int | None = None, *, details: bool = False) -> object:
    """Load sentence pairs of the embedded corpus; label 1 if the second sentence follows from the first, else 0.

    ``part`` is ``"train"`` (1,800 pairs) or ``"test"`` (700 held-out pairs: other names, other content words, and one
    pair in seven from a template that training lacks); ``size`` is a smaller number of pairs, as many of each kind and
    label as possible. With ``details=True`` a third list has the origin of each pair.

    >>> pairs, labels = load_rewrites("train")
    >>> len(pairs), sum(labels)
    (1800, 900)
    >>> pairs, labels, details = load_rewrites("test", size=2, details=True)
    >>> len(pairs), sorted(labels), details[0].rewriting
    (2, [0, 1], 'buy/sell, lend/borrow')
    """
    if part not in ("train", "test"):
        raise InputError(f"part is {part!r}; the embedded corpus has the parts 'train' and 'test'")
    file = resources.files("rekern.datasets").joinpath("data", f"rewrites-{part}.tsv.bz2")
    lines = [line.split("\t") for line in bz2.decompress(file.read_bytes()).decode().splitlines()]
    if size is not None and not 1 <= size <= len(lines):
        raise InputError(f"size is {size}; ask for 1 to {len(lines)} pairs")
    rows = [row for number, *row in lines if size is None or int(number) < size]  # twins have successive numbers
    pairs = [(row[0], row[1]) for row in rows]
    labels = [int(row[2]) for row in rows]
    return (pairs, labels, [PairDetail(row[3], row[4], row[5] == "1") for row in rows]) if details else (pairs, labels)
