"""Rewriting rules with aligned wildcards in short windows, where a wildcard stands for one token: the common case.

A window of up to 6 tokens has at most 64 sets of wildcards. They are built up bit by bit, each from a smaller set. The
wildcards of a set are kept in the order of their tokens' keys. So two sides whose wildcards cover the same tokens are
aligned first with first, second with second, and only repeated tokens need a search. The keys of the rules are those of
`aligned_rules_core`.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from typing import NamedTuple

import numpy as np

from rekern.core.array_growth import grow
from rekern.core.arrays import Floats, Ints, Keys, SmallInts
from rekern.core.compiling import compiled
from rekern.core.hashing import mix, size_table
from rekern.core.key_rows import merge_equal
from rekern.kernels.strings.pattern_placement_core import find_distinct_windows

MOST_WAYS = 720  # alignments of six equal tokens
ROOM = 64  # for rules, times the number of tokens
BITS_PER_KEY = 64  # in a bit map of keys
EVERY_RULE: Keys = np.zeros(0, np.uint64)


class WildcardSets(NamedTuple):
    """The sets of wildcards of all windows of one side of a pair."""

    text: np.ndarray  # for each set, the key of the tokens that stay
    bag: np.ndarray  # the key of the multiset of tokens that are covered
    shape: np.ndarray  # which elements are wildcards, and the window: see `_list_wildcard_sets`
    listed: int  # how many sets there are
    tokens: np.ndarray  # the side of the pair
    starts: np.ndarray  # of its windows
    counts: np.ndarray  # how often each window occurs


class SetChains(NamedTuple):
    """A hash table from the key of covered tokens to the sets that cover them, as chains."""

    head: np.ndarray
    after: np.ndarray
    shift: np.uint64


class ShortRuleConstants(NamedTuple):
    """What the key and the value of a rule are made of."""

    size_key: np.uint64
    pair_keys: np.ndarray
    powers: np.ndarray  # of the decay


@compiled
def _list_wildcard_sets(tokens, finger, mark, stamp, starts, size, factors, text, bag, shape):
    """List the sets of wildcards of every window in ``text``, ``bag`` and ``shape``; return how many, and the arrays.

    A shape has, from its lowest bits on: 4 for the number of wildcards, 4 that are not 0 if a token is covered twice, 4
    for each of up to 6 elements that are wildcards, and 32 for the window.
    """
    number = 0
    position = np.empty(8, np.int64)
    prints = np.empty(8, np.uint64)
    for window in range(len(starts)):
        start = starts[window]
        whole = np.uint64(0)
        count = 0
        for element in range(size):
            token = tokens[start + element]
            whole += finger[token] * factors[element]
            if mark[token] == stamp:
                at = count
                while at > 0 and prints[at - 1] > finger[token]:
                    prints[at] = prints[at - 1]
                    position[at] = position[at - 1]
                    at -= 1
                prints[at] = finger[token]
                position[at] = element
                count += 1
        if count == 0:
            continue
        needed = number + (1 << count)
        if needed > len(text):
            text, bag, shape = grow(text, needed), grow(bag, needed), grow(shape, needed)
        first = number - 1  # the empty set would stand here: it is not listed
        for bit in range(count):
            covered = finger[tokens[start + position[bit]]]
            literal = covered * factors[position[bit]]
            spread = mix(covered)
            # Its twin may not be in the smaller set, but then the search merely finds the one alignment there is.
            repeated = 16 if bit > 0 and prints[bit - 1] == prints[bit] else 0
            for rest in range(1 << bit):
                if rest == 0:
                    text[number] = whole - literal
                    bag[number] = spread
                    shape[number] = (window << 32) | (position[bit] << 8) | 1
                else:
                    smaller = shape[first + rest]
                    text[number] = text[first + rest] - literal
                    bag[number] = bag[first + rest] + spread
                    shape[number] = (smaller | repeated | (position[bit] << (8 + 4 * (smaller & 15)))) + 1
                number += 1
    return number, text, bag, shape


@compiled
def _list_alignments(source, target, start, start2, elements, elements2, wildcards, begun, pair_keys, found):
    """Store the keys of all alignments of wildcards that cover some token twice; return how many."""
    aligned = np.empty(8, np.int64)
    total = np.empty(8, np.uint64)
    total[0] = begun
    aligned[0] = -1
    depth, count = 0, 0
    while depth >= 0:
        aligned[depth] += 1
        chosen = aligned[depth]
        if chosen == wildcards:
            depth -= 1
            continue
        element = (elements >> (4 * depth)) & 15
        element2 = (elements2 >> (4 * chosen)) & 15
        fits = source[start + element] == target[start2 + element2]
        for earlier in range(depth):
            fits = fits and aligned[earlier] != chosen
        if not fits:
            continue
        total[depth + 1] = total[depth] + pair_keys[element, element2]
        if depth + 1 < wildcards:
            depth += 1
            aligned[depth] = -1
        else:
            found[count] = mix(total[wildcards])
            count += 1
    return count


@compiled
def _join_sets(one, other, left, right, chains, rule, part, parts, keys, values, filled, found):
    """Append the rules of one pair, from set ``one`` of the source and set ``other`` of the target on.

    Of several parts, ``part`` has the rules whose source patterns fall into it. Returns where it stopped, for lack of
    room or because all is done (``one`` equals ``left.listed``), and how much is filled.
    """
    text, bag, shape, listed, source, starts, counts = left
    text2, bag2, shape2, _, target, starts2, counts2 = right
    head, after, shift = chains
    size_key, pair_keys, powers = rule
    room = len(keys) - MOST_WAYS
    while one < listed:
        if parts > 1 and np.int64(mix(text[one]) & np.uint64(parts - 1)) != part:
            one += 1
            continue
        covered = bag[one]
        wildcards = shape[one] & 15
        repeated = shape[one] & 16
        elements = shape[one] >> 8
        weight = counts[shape[one] >> 32] * powers[wildcards]
        begun = text[one] + size_key
        if other < 0:
            other = head[np.int64(covered >> shift)]
        while other >= 0:
            if filled > room:
                return one, other, filled
            if bag2[other] == covered and shape2[other] & 15 == wildcards:
                elements2 = shape2[other] >> 8
                value = weight * counts2[shape2[other] >> 32]
                key = begun + text2[other]
                if repeated == 0:
                    for index in range(wildcards):
                        key += pair_keys[(elements >> (4 * index)) & 15, (elements2 >> (4 * index)) & 15]
                    keys[filled] = mix(key)
                    values[filled] = value
                    filled += 1
                else:
                    ways = _list_alignments(
                        source, target, starts[shape[one] >> 32], starts2[shape2[other] >> 32], elements, elements2,
                        wildcards, key, pair_keys, found,
                    )  # fmt: skip
                    for way in range(ways):
                        keys[filled] = found[way]
                        values[filled] = value
                        filled += 1
            other = after[other]
        one += 1
    return one, -1, filled


@compiled
def _chain_sets(sets, head, after):
    """Put the sets of one side into a hash table by the tokens that they cover."""
    bits = size_table(sets.listed)
    shift = np.uint64(64 - bits)
    head = grow(head, 1 << bits)
    after = grow(after, sets.listed)
    head[: 1 << bits] = -1
    for one in range(sets.listed):
        slot = np.int64(sets.bag[one] >> shift)
        after[one] = head[slot]
        head[slot] = one
    return SetChains(head, after, shift)


def map_keys(keys: Keys) -> Keys:
    """Return a bit map over the low bits of keys, in which nearly all other keys are missing.

    >>> map_keys(np.array([0, 2, 64], np.uint64)).tolist()[:3]
    [5, 1, 0]
    """
    bits = np.zeros(1 << max(6, (BITS_PER_KEY * len(keys)).bit_length()), bool)
    bits[keys & np.uint64(len(bits) - 1)] = True
    return np.packbits(bits, bitorder="little").view(np.uint64)


@compiled
def _keep_sought(keys, values, sought):
    """Move the entries whose keys are in the bit map to the front; return how many they are."""
    mask = np.uint64(64 * len(sought) - 1)
    kept = 0
    for entry in range(len(keys)):
        place = keys[entry] & mask
        if (sought[np.int64(place >> np.uint64(6))] >> (place & np.uint64(63))) & np.uint64(1):
            keys[kept], values[kept] = keys[entry], values[entry]
            kept += 1
    return kept


def list_short_rules(
    ids: SmallInts,
    offsets: Ints,
    finger: Keys,
    window: tuple[int, int],
    decay: float,
    source_factors: Keys,
    target_factors: Keys,
    size_key: np.uint64,
    pair_keys: Keys,
    part: int,
    parts: int,
    limit: int,
    sought: Keys = EVERY_RULE,
) -> tuple[Ints, Keys, Floats, int]:
    """Return the rules with wildcards of every pair: row pointers, keys, values, and the row with too many, or -1.

    With a bit map of `map_keys` only the rules that are in it are listed.
    """
    room = ROOM * len(ids) + MOST_WAYS  # more than most texts need; NumPy's memory comes in larger pages than Numba's
    indptr, keys, values, overflow = _list_short_rules(
        ids, offsets, finger, window, decay, source_factors, target_factors, size_key, pair_keys, part, parts, limit,
        sought, np.empty(room, np.uint64), np.empty(room),
    )  # fmt: skip
    return indptr, keys[: indptr[-1]].copy(), values[: indptr[-1]].copy(), overflow


@compiled
def _list_short_rules(
    ids, offsets, finger, window, decay, source_factors, target_factors, size_key, pair_keys, part, parts, limit,
    sought, keys, values,
):  # fmt: skip
    number = (len(offsets) - 1) // 2
    indptr = np.zeros(number + 1, np.int64)
    scratch = np.empty(16, np.int32)
    mark = np.zeros(len(finger), np.int64)
    text, bag, shape = np.empty(256, np.uint64), np.empty(256, np.uint64), np.empty(256, np.int64)
    text2, bag2, shape2 = np.empty(256, np.uint64), np.empty(256, np.uint64), np.empty(256, np.int64)
    head = np.empty(1024, np.int64)
    after = np.empty(256, np.int64)
    found = np.empty(MOST_WAYS, np.uint64)
    rule = ShortRuleConstants(size_key, pair_keys, decay ** np.arange(8))
    stamp = 0
    filled = 0
    for row in range(number):
        source = ids[offsets[2 * row] : offsets[2 * row + 1]]
        target = ids[offsets[2 * row + 1] : offsets[2 * row + 2]]
        if len(source) >= window[0] and len(target) >= window[1]:
            begin = filled
            stamp += 1
            for token in target:
                mark[token] = stamp
            starts, counts = find_distinct_windows(source, finger, window[0], window[0], source_factors)
            listed, text, bag, shape = _list_wildcard_sets(
                source, finger, mark, stamp, starts, window[0], source_factors, text, bag, shape
            )
            stamp += 1
            for token in source:
                mark[token] = stamp
            starts2, counts2 = find_distinct_windows(target, finger, window[1], window[1], target_factors)
            listed2, text2, bag2, shape2 = _list_wildcard_sets(
                target, finger, mark, stamp, starts2, window[1], target_factors, text2, bag2, shape2
            )
            left = WildcardSets(text, bag, shape, listed, source, starts, counts)
            right = WildcardSets(text2, bag2, shape2, listed2, target, starts2, counts2)
            chains = _chain_sets(right, head, after)
            head, after = chains.head, chains.after
            one, other = 0, -1
            while True:
                one, other, filled = _join_sets(
                    one, other, left, right, chains, rule, part, parts, keys, values, filled, found
                )
                if one < listed and 2 * (filled - begin) <= limit:
                    keys, values = grow(keys, 2 * len(keys)), grow(values, 2 * len(values))
                    continue
                if one == listed and len(sought) > 0:
                    filled = begin + _keep_sought(keys[begin:filled], values[begin:filled], sought)
                kept, scratch = merge_equal(keys[begin:filled], values[begin:filled], filled - begin, scratch)
                filled = begin + kept
                if one == listed:
                    break
                if 2 * kept > limit:
                    return indptr, keys, values, row
        indptr[row + 1] = filled
    return indptr, keys, values, -1
