"""Rewriting rules with aligned wildcards as rows of keys, and the constants of which the keys are made."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Ints, Keys, SmallInts
from rekern.core.hashing import constants
from rekern.core.key_rows import KeyRows
from rekern.kernels.rewriting.aligned_rules_core import list_long_rules
from rekern.kernels.rewriting.short_aligned_rules_core import list_short_rules
from rekern.kernels.strings.pattern_placement_core import ALWAYS_COMPLETE


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


class TokenArrays(NamedTuple):
    """Texts as arrays: token numbers, the offsets of the texts, and the key of every token of the vocabulary.

    Texts of pairs are interleaved: the source of pair i is text 2i, its target text 2i + 1.
    """

    ids: SmallInts
    offsets: Ints
    token_keys: Keys


def extract_aligned_rules(
    texts: TokenArrays, window: tuple[int, int], span: int, decay: float, limit: int
) -> tuple[KeyRows, int, int]:
    """Return the rules with wildcards of every pair, the first pair with more than ``limit`` or -1, and how many met
    the cap on alignments.
    """
    fixed, limit, capped = find_constants(window, span), 2 * limit, 0  # rules may be equal until they are merged
    if span == 1 and max(window) <= ALWAYS_COMPLETE:
        indptr, keys, values, overflow = list_short_rules(*texts, window, decay, *fixed, limit)
    else:
        indptr, keys, values, overflow, capped = list_long_rules(*texts, window, span, decay, *fixed, limit)
    return KeyRows(indptr, keys, values), int(overflow), int(capped)
