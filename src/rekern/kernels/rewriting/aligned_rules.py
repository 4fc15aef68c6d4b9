"""Rewriting rules with aligned wildcards as rows of keys."""

from __future__ import annotations

from typing import NamedTuple

from rekern.core.arrays import Ints, Keys, SmallInts
from rekern.core.key_rows import KeyRows
from rekern.kernels.rewriting.aligned_rules_core import ROW_LIMIT, list_long_rules
from rekern.kernels.rewriting.rule_keys import find_constants
from rekern.kernels.rewriting.short_aligned_rules_core import EVERY_RULE, list_short_rules
from rekern.kernels.strings.pattern_placement_core import ALWAYS_COMPLETE


class TokenArrays(NamedTuple):
    """Texts as arrays: token numbers, the offsets of the texts, and the key of every token of the vocabulary.

    Texts of pairs are interleaved: the source of pair i is text 2i, its target text 2i + 1.
    """

    ids: SmallInts
    offsets: Ints
    token_keys: Keys


def extract_aligned_rules(
    texts: TokenArrays,
    window: tuple[int, int],
    span: int,
    decay: float,
    part: int = 0,
    parts: int = 1,
    sought: Keys = EVERY_RULE,
) -> tuple[KeyRows | None, int]:
    """Return the rules with wildcards of every pair, and how many pairs met the cap on alignments.

    The rows are None if a pair has too many rules for one pass; then ask again for each of twice as many parts.
    With a bit map of keys (`map_keys`) other rules may be left out.
    """
    capped = 0
    if span == 1 and max(window) <= ALWAYS_COMPLETE:
        source_factors, target_factors, size_key, pair_keys = find_constants(window, span)
        indptr, keys, values, overflow = list_short_rules(
            *texts, window, decay, source_factors, target_factors, size_key, pair_keys, part, parts, ROW_LIMIT,
            sought,
        )  # fmt: skip
    else:
        found = list_long_rules(*texts, window, span, decay, *find_constants(window, span), part, parts)
        indptr, keys, values, overflow, capped = found
    return (None if overflow >= 0 else KeyRows(indptr, keys, values)), int(capped)
