"""The constants of which the keys of rewriting rules are made."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Keys
from rekern.core.hashing import constants


class RuleConstants(NamedTuple):
    """Factors for the elements of the source and of the target, a constant for the window, one for every alignment."""

    source_factors: Keys
    target_factors: Keys
    size_key: np.uint64
    pair_keys: Keys


@lru_cache(maxsize=256)
def find_constants(window: tuple[int, int], span: int) -> RuleConstants:
    """Return the constants of one window size.

    >>> find_constants((1, 2), 1).pair_keys.shape
    (1, 2)
    """
    source_size, target_size = window
    longest = max(source_size, target_size) * span
    return RuleConstants(
        constants(1, longest),
        constants(2, longest),
        constants(3, source_size * 64 + target_size)[-1],
        # The constant of an alignment depends on its two elements alone, so its place in the table must not depend on
        # the size of the window.
        constants(4, 64 * 64).reshape(64, 64)[:source_size, :target_size].copy(),
    )
