"""In how many pairs rules are, and in which pair first."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Booleans, Ints, Keys, SmallInts, offsets_of
from rekern.core.key_index import KeyIndex, index_keys, look_up
from rekern.core.key_rows import KeyRows
from rekern.kernels.rewriting.plain_rule_core import count_shared_rows
from rekern.kernels.rewriting.rule_extraction import RuleExtractor
from rekern.kernels.rewriting.window_rows import WindowRows
from rekern.structures.pairs import Pairs


class SoughtRules(NamedTuple):
    """Rules of one window size; those without wildcards also have the keys of their two n-grams, the others 0."""

    keys: Keys
    sources: Keys
    targets: Keys

    def index_keys(self) -> tuple[KeyIndex, KeyIndex, KeyIndex]:
        """Return what finds the distinct n-grams of the sources, those of the targets, and the rules with wildcards."""
        plain = self.find_plain()
        sides = [index_keys(np.unique(keys[plain])) for keys in (self.sources, self.targets)]
        return sides[0], sides[1], index_keys(self.keys[~plain])

    def find_plain(self) -> Booleans:
        """Return where the rules without wildcards are."""
        plain: Booleans = (self.sources != 0) | (self.targets != 0)
        return plain


class RuleMatches(NamedTuple):
    """How many pairs each rule matches, and the first of them, -1 if there is none."""

    support: Ints
    first: Ints


class _Found(NamedTuple):
    """Sought keys that were found: their numbers, and the pairs that have them, in ascending order."""

    numbers: SmallInts
    rows: SmallInts


def count_matches(extractor: RuleExtractor, pairs: Pairs, sought: list[SoughtRules]) -> list[RuleMatches]:
    """Return in how many pairs the rules of each window size are.

    >>> extractor = RuleExtractor([(1, 1)], "aligned", 1.0, 1, False)
    >>> pairs = Pairs.from_items([("a", "b"), ("c b", "b"), ("b", "b")])
    >>> rule = extractor.list_rules(pairs[2:]).keys[-1:]  # ⟨1⟩ → ⟨1⟩
    >>> count_matches(extractor, pairs, [SoughtRules(rule, np.zeros(1, np.uint64), np.zeros(1, np.uint64))])
    [RuleMatches(support=array([2]), first=array([1]))]
    """
    indices = [rules.index_keys() for rules in sought]
    blocks = extractor.look_through(pairs, partial(_find_block, indices))
    found = []
    for rules, index, parts in zip(sought, indices, zip(*blocks)):
        source, target, wild = (_join_found(list(part)) for part in zip(*parts))
        plain = rules.find_plain()
        matches = RuleMatches(np.zeros(len(plain), np.int64), np.full(len(plain), -1))
        places = np.flatnonzero(~plain)
        matches.support[places] = np.bincount(wild.numbers, minlength=len(places))
        matches.first[places[wild.numbers[::-1]]] = wild.rows[::-1]
        if plain.any():
            grams = [look_up(keys[plain], own) for keys, own in zip((rules.sources, rules.targets), index)]
            lists = [_list_rows(side, own.size) for side, own in zip((source, target), index)]
            matches.support[plain], matches.first[plain] = count_shared_rows(*grams, *lists, len(pairs))
        found.append(matches)
    return found


def _find_block(
    indices: list[tuple[KeyIndex, KeyIndex, KeyIndex]], block: list[WindowRows], first: int
) -> list[list[_Found]]:
    """Return the sought keys in a block of pairs, whose first pair is ``first``, for every window size."""
    return [
        [_find_keys(part, own, first) for part, own in zip(rows.list_parts(), index)]
        for rows, index in zip(block, indices)
    ]


def _find_keys(rows: KeyRows, index: KeyIndex, first: int) -> _Found:
    if not index.size:
        return _Found(np.empty(0, np.int32), np.empty(0, np.int32))
    numbers = look_up(rows.keys, index, 1)
    entries = np.flatnonzero(numbers >= 0)
    of = first + np.searchsorted(rows.indptr, entries, side="right") - 1
    return _Found(numbers[entries], of.astype(np.int32))


def _join_found(blocks: list[_Found]) -> _Found:
    return _Found(*(np.concatenate(column) for column in zip(*blocks)))


def _list_rows(found: _Found, size: int) -> tuple[Ints, SmallInts]:
    """Return the pairs that have each of ``size`` keys, as offsets and rows."""
    order = np.argsort(found.numbers, kind="stable")
    return offsets_of(np.bincount(found.numbers, minlength=size)), found.rows[order]
