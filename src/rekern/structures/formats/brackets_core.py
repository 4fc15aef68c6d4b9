"""The scanner of trees in brackets: compiled functions of bytes without recursion, for trees of any depth and width."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import hash_bytes


@compiled
def count_nodes(text):
    """Return an upper bound of the number of nodes: brackets and words."""
    found = 0
    inside = False
    for byte in text:
        if byte == 40:
            found += 1
        if byte == 40 or byte == 41 or byte <= 32:
            inside = False
        elif not inside:
            inside = True
            found += 1
    return found


@compiled
def scan_nodes(text, bounds, many, escapes, parents, starts, ends, offsets):
    """Find the nodes of trees in brackets and fill the four last arrays.

    ``bounds`` splits the bytes into items of one tree each; with ``many`` an item has any number of trees. With
    ``escapes`` a bracket after a backslash is part of a label. Returns the number of trees and of nodes, the kind of
    fault that ended the scan (0 for none), and the item and the position of the fault.
    """
    nodes = 0
    trees = 0
    for item in range(len(bounds) - 1):
        current = -1  # the open node
        wrappers = 0  # open brackets around the tree that have no label
        seen = False  # whether the item's tree has begun
        opened = 0
        place, stop = bounds[item], bounds[item + 1]
        while place < stop:
            byte = text[place]
            if byte <= 32:
                place += 1
                continue
            if byte == 41:
                if current >= 0:
                    current = parents[current]
                elif wrappers > 0:
                    wrappers -= 1
                else:
                    return trees, nodes, 1, item, place
                place += 1
                if many and current < 0 and wrappers == 0:
                    trees += 1
                    offsets[trees] = nodes
                    seen = False
                continue
            bracket = byte == 40
            if current < 0 and not bracket:
                return trees, nodes, 5 if seen else 3, item, place
            if current < 0 and seen:
                return trees, nodes, 5, item, place
            at = place
            if bracket:
                place += 1
                while place < stop and text[place] <= 32:
                    place += 1
            label = place
            while place < stop and text[place] > 32 and text[place] != 40 and text[place] != 41:
                if escapes and text[place] == 92 and place + 1 < stop and 40 <= text[place + 1] <= 41:
                    place += 1
                place += 1
            if place == label:  # a bracket without a label
                if current >= 0:
                    return trees, nodes, 4, item, at
                if wrappers == 0:
                    opened = at
                wrappers += 1
                if place < stop and text[place] == 41 and not many:
                    seen = True
                continue
            parents[nodes] = current
            starts[nodes] = label
            ends[nodes] = place
            if current < 0:
                seen = True
                if wrappers == 0:
                    opened = at
            if bracket:
                current = nodes
            nodes += 1
        if current >= 0 or wrappers > 0:
            return trees, nodes, 2, item, opened
        if not many:
            trees += 1
            offsets[trees] = nodes
    return trees, nodes, 0, 0, 0


@compiled
def number_labels(text, starts, ends):
    """Number labels in order of first occurrence; returns the number of each node, and the first node of each label."""
    size = 1024
    table = np.full(size, -1, np.int32)
    hashes = np.empty(size, np.uint64)
    first = np.empty(size, np.int64)
    numbers = np.empty(len(starts), np.int32)
    known = 0
    for node in range(len(starts)):
        code = hash_bytes(text, starts[node], ends[node])
        length = ends[node] - starts[node]
        slot = np.int64(code & np.uint64(size - 1))
        while True:
            number = table[slot]
            if number < 0:
                break
            if hashes[number] == code:
                other = first[number]
                equal = ends[other] - starts[other] == length
                if equal:
                    for place in range(length):
                        if text[starts[other] + place] != text[starts[node] + place]:
                            equal = False
                            break
                if equal:
                    break
            slot = (slot + 1) & (size - 1)
        if number < 0:
            number = known
            table[slot] = number
            hashes[number] = code
            first[number] = node
            known += 1
            if 2 * known > size:
                hashes = np.concatenate((hashes, np.empty(size, np.uint64)))
                first = np.concatenate((first, np.empty(size, np.int64)))
                size *= 2
                table = np.full(size, -1, np.int32)
                for old in range(known):
                    slot = np.int64(hashes[old] & np.uint64(size - 1))
                    while table[slot] >= 0:
                        slot = (slot + 1) & (size - 1)
                    table[slot] = old
        numbers[node] = number
    return numbers, first[:known]
