"""What a Gram of pairs is computed from."""

from __future__ import annotations

from typing import NamedTuple

from rekern.core.arrays import Floats
from rekern.core.window_products import WindowLists


class PairLists(NamedTuple):
    """The features of pairs as inverted lists, and what the lists do not have."""

    windows: list[WindowLists]
    diagonal: Floats | None  # of a symmetric Gram, whose lists meet only the rows below
    across: dict[int, Floats]  # the rows of heavy pairs, which are in no list
    down: dict[int, Floats]  # and their columns
