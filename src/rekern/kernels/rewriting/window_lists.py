"""The features of pairs as inverted lists, one window size after the other."""

from __future__ import annotations

from typing import NamedTuple

from rekern.core.arrays import Floats
from rekern.core.inverted_lists import FrequentKeys, InvertedLists


class WindowLists(NamedTuple):
    """The inverted lists of one window size, and the factors of rows and columns."""

    row_scale: Floats
    column_scale: Floats
    source: InvertedLists
    target: InvertedLists
    rules: InvertedLists
    frequent: tuple[FrequentKeys, FrequentKeys, FrequentKeys]  # of a Gram of pairs with themselves


class PairLists(NamedTuple):
    """What a Gram of pairs is computed from."""

    windows: list[WindowLists]
    diagonal: Floats | None  # of a symmetric Gram, whose lists meet only the rows below
    across: dict[int, Floats]  # the rows of heavy pairs, which are in no list
    down: dict[int, Floats]  # and their columns
