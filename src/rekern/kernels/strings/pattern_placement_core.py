"""How a pattern of k elements can lie on a text: each element is a token, or a wildcard over 1 to `span` tokens.

One way to lie on it is a *placement*. Both kinds of wildcard kernels are made of placements: a free wildcard covers any
tokens, an aligned one only tokens that the other side of the pair has too. The enumeration is a loop with its own
stack, because compiled functions that call themselves cannot be cached.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from typing import NamedTuple

import numpy as np

from rekern.core.array_core import grow
from rekern.core.compiling import compiled
from rekern.core.hashing import mix, size_table

# A window of up to 6 tokens has at most 13,327 rules against any other, so nothing is left out there. In longer
# windows repeated tokens can align in factorially many ways; past this many, rules with more wildcards are left out.
MAX_ALIGNMENTS = 20_000
ALWAYS_COMPLETE = 6


class Placements(NamedTuple):
    """The placements of patterns on the windows of a text, and the wildcards of all of them in flat arrays."""

    literals: np.ndarray  # for each placement, the key of the tokens that stay
    covered: np.ndarray  # the key of the multiset of sequences under its wildcards
    shapes: np.ndarray  # four columns: number of the window, end, number of wildcards, where its wildcards are listed
    elements: np.ndarray  # for each wildcard, its index in the pattern
    under: np.ndarray  # the key of the tokens that it covers
    starts: np.ndarray  # the position of its first token


@compiled
def hash_sequences(tokens, token_keys, span):
    """Return the key of every sequence: ``[x, m - 1]`` is that of the m tokens from position x, 0 past the end."""
    prints = np.zeros((len(tokens), span), np.uint64)
    for start in range(len(tokens)):
        total = np.uint64(0)
        for length in range(1, min(span, len(tokens) - start) + 1):
            total = mix(total + token_keys[tokens[start + length - 1]] + np.uint64(length))
            prints[start, length - 1] = total
    return prints


@compiled
def mark_shared(prints, other):
    """Mark the sequences that occur in the other text as well."""
    bits = size_table(other.size)
    mask = (1 << bits) - 1
    shift = np.uint64(64 - bits)
    table = np.zeros(1 << bits, np.uint64)
    for key in other.ravel():
        if key != 0:
            slot = np.int64(key >> shift)
            while table[slot] != 0 and table[slot] != key:
                slot = (slot + 1) & mask
            table[slot] = key
    found = np.zeros(prints.shape, np.bool_)
    for start in range(prints.shape[0]):
        for length in range(prints.shape[1]):
            key = prints[start, length]
            if key != 0:
                slot = np.int64(key >> shift)
                while table[slot] != 0 and table[slot] != key:
                    slot = (slot + 1) & mask
                found[start, length] = table[slot] == key
    return found


@compiled
def find_distinct_windows(tokens, token_keys, size, reach, factors):
    """Return where each distinct window begins and how often it occurs.

    A window has ``size`` tokens and, for wildcards that can stretch, sees up to ``reach`` tokens; two windows are
    equal if all tokens that they see are equal. Repetitive texts have few distinct windows however long they are.
    """
    number = max(len(tokens) - size + 1, 0)
    starts = np.empty(number, np.int64)
    counts = np.empty(number, np.float64)
    seen = np.empty(number, np.uint64)
    bits = size_table(number)
    mask = (1 << bits) - 1
    shift = np.uint64(64 - bits)
    table = np.full(1 << bits, -1, np.int64)
    kept = 0
    for start in range(number):
        key = np.uint64(min(reach, len(tokens) - start))
        for offset in range(min(reach, len(tokens) - start)):
            key += token_keys[tokens[start + offset]] * factors[offset]
        key = mix(key)
        slot = np.int64(key >> shift)
        while table[slot] >= 0 and seen[table[slot]] != key:
            slot = (slot + 1) & mask
        if table[slot] < 0:
            table[slot] = kept
            starts[kept] = start
            counts[kept] = 1.0
            seen[kept] = key
            kept += 1
        else:
            counts[table[slot]] += 1.0
    return starts[:kept], counts[:kept]


@compiled
def cap_wildcards(prints, allowed, start, size, span):
    """Return the most wildcards of a window for which it has at most MAX_ALIGNMENTS rules against itself.

    The number of rules with i wildcards is the coefficient of x^i in the product, over the distinct tokens that occur
    a times, of sum_i C(a, i)^2 i! (span x)^i.
    """
    reach = min(size * span, prints.shape[0] - start)
    polynomial = np.zeros(reach + 1)
    polynomial[0] = 1.0
    for first in range(start, start + reach):
        if not allowed[first, 0]:
            continue
        count, before = 0, False
        for other in range(start, start + reach):
            if prints[other, 0] == prints[first, 0]:
                before = before or other < first
                count += 1
        if before:
            continue
        product = np.zeros(reach + 1)
        ways = 1.0
        for chosen in range(count + 1):
            for power in range(reach + 1 - chosen):
                product[power + chosen] += polynomial[power] * ways
            ways *= (count - chosen) ** 2 / (chosen + 1.0) * span
        polynomial = product
    total = 0.0
    for wildcards in range(size + 1):
        total += polynomial[min(wildcards, reach)] if wildcards <= reach else 0.0
        if total > MAX_ALIGNMENTS:
            return wildcards - 1
    return size


@compiled
def list_placements(tokens, token_keys, prints, allowed, starts, caps, size, factors, at_least):
    """Return all placements on the windows that begin at ``starts``, with at least ``at_least`` wildcards.

    ``caps`` has the most wildcards for each window, ``allowed`` the sequences that a wildcard may cover.
    """
    span = prints.shape[1]
    text = np.empty(64, np.uint64)
    bag = np.empty(64, np.uint64)
    shape = np.empty(4 * 64, np.int64)
    element = np.empty(64, np.int64)
    under = np.empty(64, np.uint64)
    place = np.empty(64, np.int64)
    number, listed = 0, 0
    position = np.empty(size + 1, np.int64)
    choice = np.empty(size + 1, np.int64)
    literal = np.zeros(size + 1, np.uint64)
    under_sum = np.zeros(size + 1, np.uint64)
    wildcards = np.zeros(size + 1, np.int64)
    chosen = np.empty(size + 1, np.int64)
    for window in range(len(starts)):
        depth = 0
        position[0] = starts[window]
        choice[0] = -1
        while depth >= 0:
            choice[depth] += 1
            length = max(choice[depth], 1)
            here = position[depth]
            if choice[depth] > span or here + length > len(tokens):
                depth -= 1
                continue
            below = depth + 1
            if choice[depth] == 0:
                literal[below] = literal[depth] + token_keys[tokens[here]] * factors[depth]
                under_sum[below] = under_sum[depth]
                wildcards[below] = wildcards[depth]
            else:
                if wildcards[depth] >= caps[window] or not allowed[here, length - 1]:
                    continue
                literal[below] = literal[depth]
                under_sum[below] = under_sum[depth] + mix(prints[here, length - 1])
                chosen[wildcards[depth]] = depth
                wildcards[below] = wildcards[depth] + 1
            position[below] = here + length
            if below < size:
                depth = below
                choice[depth] = -1
                continue
            count = wildcards[below]
            if count < at_least:
                continue
            if number == len(text):
                text = grow(text, 2 * number)
                bag = grow(bag, 2 * number)
                shape = grow(shape, 8 * number)
            if listed + count > len(element):
                element = grow(element, listed + count)
                under = grow(under, listed + count)
                place = grow(place, listed + count)
            text[number] = literal[below]
            bag[number] = mix(under_sum[below] + np.uint64(count))
            shape[4 * number] = window
            shape[4 * number + 1] = position[below]
            shape[4 * number + 2] = count
            shape[4 * number + 3] = listed
            for index in range(count):
                at = chosen[index]
                element[listed] = at
                under[listed] = prints[position[at], choice[at] - 1]
                place[listed] = position[at]
                listed += 1
            number += 1
    return Placements(text[:number], bag[:number], shape[: 4 * number].reshape((number, 4)), element, under, place)
