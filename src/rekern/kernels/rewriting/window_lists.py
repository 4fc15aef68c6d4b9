"""The features of one window size, as inverted lists."""

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
