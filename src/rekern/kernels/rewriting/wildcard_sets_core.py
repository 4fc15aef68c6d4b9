"""The windows of both sides of a pair, and their sets of wildcards: what `short_aligned_rules_core` joins to rules.

A window of up to 6 tokens has at most 64 sets of wildcards. They are built up bit by bit, each from a smaller set. The
wildcards of a set are kept in the order of their tokens' keys.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import mix, size_table

STAMP = 1 << 32  # more than a text has tokens
# Of a shape: the number of wildcards, marks, and where the elements and the window begin. Indices without a sign cost
# less, and a number without a sign is combined with others of its kind only.
WILDCARDS, REPEATED, TWIN = np.uint64(15), np.uint64(16), np.uint64(32)
ELEMENTS, WINDOW, NEXT_TWO, TWO_ELEMENTS = np.uint64(8), np.uint64(32), np.uint64(8), np.uint64(63)
NONE, ONE, TWO_BITS = np.uint64(0), np.uint64(1), np.uint64(6)


@compiled
def make_side(offsets, side):
    """Return scratch space for the longest text of one side: see `read_side` and `list_windows`."""
    length = 0
    for text in range(side, len(offsets) - 1, 2):
        length = max(length, offsets[text + 1] - offsets[text])
    return (
        np.empty(length, np.uint64),
        np.empty(length, np.bool_),
        np.empty(length, np.bool_),
        np.empty(length, np.int64),
        np.empty(length),
        np.empty(length, np.uint64),
        np.empty(1 << size_table(length), np.int32),
    )


@compiled
def make_sets(n):
    """Return scratch space for ``n`` sets of wildcards: see `list_wildcard_sets`."""
    return np.empty(n, np.uint64), np.empty(n, np.uint64), np.empty(n, np.uint64)


@compiled
def make_chains(n):
    """Return scratch space for the chains of ``n`` sets: see `chain_sets`."""
    return np.empty(1 << size_table(n), np.int32), np.empty(n, np.int32)


@compiled
def bound_sets(is_shared, length, size):
    """Return a number of sets of wildcards that the windows of a text do not exceed."""
    sets = count = 0
    for place in range(length):
        count += is_shared[place]
        if place >= size:
            count -= is_shared[place - size]
        if place >= size - 1:
            sets += (1 << count) - 1
    return sets


@compiled
def mark_pair(
    ids, first, middle, last, finger, mark, stamp, prints, is_shared, is_single, prints2, is_shared2, is_single2
):  # fmt: skip
    """Read both sides of a pair; return the stamp that was used last in ``mark``, which has a number for each token.

    ``mark`` counts the tokens of one side, from the stamp on.
    """
    _count_tokens(ids, middle, last, mark, stamp + STAMP, is_single2)
    read_side(ids, first, middle, finger, mark, stamp + STAMP, prints, is_shared)
    _count_tokens(ids, first, middle, mark, stamp + 2 * STAMP, is_single)
    read_side(ids, middle, last, finger, mark, stamp + 2 * STAMP, prints2, is_shared2)
    return stamp + 2 * STAMP


@compiled
def _count_tokens(ids, begin, end, mark, stamp, is_single):
    """Count the tokens of one side, and store whether each occurs once."""
    for place in range(begin, end):
        mark[ids[place]] = max(mark[ids[place]], stamp) + 1
    for place in range(begin, end):
        is_single[place - begin] = mark[ids[place]] == stamp + 1


@compiled
def read_side(ids, begin, end, finger, mark, stamp, prints, is_shared):
    """Store the key of each token of one side of a pair, and whether the other side, which is marked, has it too."""
    for place in range(end - begin):
        token = ids[begin + place]
        prints[place] = finger[token]
        is_shared[place] = mark[token] > stamp


@compiled
def list_windows(prints, length, size, factors, starts, counts, keys, table):
    """Store where each distinct window begins, how often it occurs, and the key of its n-gram; return how many.

    ``table`` is scratch space of ``1 << size_table(length)`` numbers.
    """
    number = max(length - size + 1, 0)
    bits = size_table(number)
    last = (1 << bits) - 1
    shift = np.uint64(64 - bits)
    table[: last + 1] = -1
    kept = 0
    for start in range(number):
        key = np.uint64(0)
        for element in range(size):
            key += prints[start + element] * factors[element]
        slot = np.int64(mix(key) >> shift)
        while table[slot] >= 0 and keys[table[slot]] != key:
            slot = (slot + 1) & last
        if table[slot] < 0:
            table[slot] = kept
            starts[kept] = start
            counts[kept] = 1.0
            keys[kept] = key
            kept += 1
        else:
            counts[table[slot]] += 1.0
    return kept


@compiled
def find_bit(wildcard):
    """Return where the element of a wildcard begins in a shape, after its first 8 bits."""
    return 8 * (wildcard >> 1) + 3 * (wildcard & 1)


@compiled
def list_wildcard_sets(prints, is_shared, is_single, starts, keys, windows, size, factors, text, bag, shape):
    """List the sets of wildcards of every window in ``text``, ``bag`` and ``shape``; return how many.

    ``text`` gets the key of the tokens that stay, ``bag`` that of the multiset of tokens that are covered. A shape has,
    from its lowest bits on: 4 for the number of wildcards, 1 that is set if a token is covered twice, 1 that is set if
    no token that stays is single in the text, so that another window may look the same, 2 that are 0, 3 times 8 for two
    elements each that are wildcards, counted from 1, and 32 for the window.
    """
    number = NONE
    position = np.empty(8, np.uint64)
    covered = np.empty(8, np.uint64)
    for window in range(windows):
        start = np.uint64(starts[window])
        whole = keys[window]
        count = single = NONE  # `single` marks what is covered of the tokens that are single in the text
        is_unique = False
        for step in range(size):
            element = np.uint64(step)
            if is_shared[start + element]:
                token = prints[start + element]
                at = count
                while at > NONE and covered[at - ONE] > token:
                    covered[at] = covered[at - ONE]
                    position[at] = position[at - ONE]
                    at -= ONE
                covered[at] = token
                position[at] = element
                count += ONE
            elif is_single[start + element]:
                is_unique = True
        if not is_unique:
            for bit in range(count):
                single |= np.uint64(is_single[start + position[bit]]) << bit
        first = number - ONE  # the empty set would stand here: it is not listed
        for bit in range(count):
            element = position[bit]
            own = ONE << bit
            literal = covered[bit] * factors[element]
            spread = mix(covered[bit])
            # Its twin may not be in the smaller set, but then the search merely finds the one alignment there is.
            repeated = REPEATED if bit > NONE and covered[bit - ONE] == covered[bit] else NONE
            twin = TWIN if not is_unique and single & own == single else NONE
            text[number] = whole - literal
            bag[number] = spread
            shape[number] = (np.uint64(window) << WINDOW) | ((element + ONE) << ELEMENTS) | twin | ONE
            number += ONE
            for rest in range(ONE, own):
                smaller = shape[first + rest]
                twin = TWIN if not is_unique and single & (own | rest) == single else NONE
                place = ELEMENTS + np.uint64(find_bit(np.int64(smaller & WILDCARDS)))
                text[number] = text[first + rest] - literal
                bag[number] = bag[first + rest] + spread
                shape[number] = (smaller | repeated | twin | ((element + ONE) << place)) + ONE
                number += ONE
    return np.int64(number)


@compiled
def chain_sets(bag, listed, head, after):
    """Put the sets of one side into a hash table by the tokens that they cover, as chains; return the shift of a key.

    ``head`` has room for ``1 << size_table(listed)`` numbers, ``after`` for ``listed``.
    """
    bits = size_table(listed)
    shift = np.uint64(64 - bits)
    head[: 1 << bits] = -1
    for one in range(listed):
        slot = bag[one] >> shift
        after[one] = head[slot]
        head[slot] = one
    return shift
