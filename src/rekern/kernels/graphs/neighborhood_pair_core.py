"""Pairs of rooted neighbourhoods as features: for every radius and every distance of the roots, rows of keys."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.array_core import grow
from rekern.core.compiling import compiled
from rekern.core.hashing import constants, mix
from rekern.core.key_rows import merge_equal
from rekern.kernels.graphs.neighborhood_key_core import hash_neighborhoods, reach_nodes

NEAR, FAR = (np.uint64(factor) for factor in constants(0x6270, 2))
EQUAL = np.uint64(1)  # the lowest bit of a key: whether the two neighbourhoods are equal
ROOT_OF_TWO = np.sqrt(2.0)
PAIRS_AT_ONCE = 1 << 20  # of roots and nodes


@compiled
def hash_roots(smallest, largest, heads, others, links, own):
    """Return the keys of all neighbourhoods of a graph: a row for every root, a column for every radius."""
    nodes = len(own)
    keys = np.empty((nodes, largest - smallest + 1), np.uint64)
    order = np.empty(nodes, np.int32)
    place = np.full(nodes, -1, np.int32)
    ends = np.empty(largest + 1, np.int64)
    graph = (heads, others, links, own)
    colors = (np.empty(nodes, np.uint64), np.empty(nodes, np.uint64), np.empty(nodes, np.uint64))
    scratch = (*colors, np.empty(nodes, np.int32), np.empty(nodes, np.int32))
    for root in range(nodes):
        reached = reach_nodes(root, largest, heads, others, order, place, ends)
        hash_neighborhoods(smallest, largest, order, place, ends, graph, keys[root], scratch)
        for at in range(reached):
            place[order[at]] = -1
    return keys


@compiled
def list_pairs(begin, end, farthest, heads, others):
    """Return the pairs of a root from ``begin`` to ``end`` and a node up to a distance, each once.

    The pairs at distance d are ``pairs[starts[d]:starts[d + 1]]``.
    """
    nodes = len(heads) - 1
    order = np.empty(nodes, np.int32)
    place = np.full(nodes, -1, np.int32)
    ends = np.empty(farthest + 1, np.int64)
    size = 8 * (end - begin)
    one, two, apart = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
    starts = np.zeros(farthest + 2, np.int64)
    found = 0
    for root in range(begin, end):
        reached = reach_nodes(root, farthest, heads, others, order, place, ends)
        one, two, apart = grow(one, found + reached), grow(two, found + reached), grow(apart, found + reached)
        distance = 0
        for at in range(reached):
            while at >= ends[distance]:
                distance += 1
            if order[at] >= root:
                one[found] = root
                two[found] = order[at]
                apart[found] = distance
                starts[distance + 1] += 1
                found += 1
        for at in range(reached):
            place[order[at]] = -1
    for distance in range(farthest + 1):
        starts[distance + 1] += starts[distance]
    pairs = np.empty((found, 2), np.int32)
    fill = starts[:-1].copy()
    for pair in range(found):
        at = fill[apart[pair]]
        fill[apart[pair]] += 1
        pairs[at, 0] = one[pair]
        pairs[at, 1] = two[pair]
    return pairs, starts


@compiled
def hash_pair(one, two, cell):
    """Return the key of two neighbourhoods in either order, for one radius and distance; odd if they are equal."""
    key = mix(min(one, two) * NEAR + max(one, two) * FAR + cell)
    return (key | EQUAL) if one == two else (key & ~EQUAL)


@compiled
def hash_pairs(pairs, rooted, cell):
    """Return the keys of pairs of neighbourhoods of one radius."""
    keys = np.empty(len(pairs), np.uint64)
    for pair in range(len(pairs)):
        keys[pair] = hash_pair(rooted[pairs[pair, 0]], rooted[pairs[pair, 1]], cell)
    return keys


@compiled
def extract_pairs(smallest, largest, farthest, cells, heads, others, links, own):
    """Return the pairs of neighbourhoods of a graph: a row of keys and values for every radius and distance.

    Pairs are listed for some roots at a time and equal ones are counted, so that the memory is that of different ones.
    """
    nodes, radii = len(own), largest - smallest + 1
    rooted = hash_roots(smallest, largest, heads, others, links, own)
    number = radii * (farthest + 1)
    indptr = np.zeros(number + 1, np.int64)
    keys, values = np.empty(0, np.uint64), np.empty(0, np.float64)
    table = np.empty(16, np.int32)
    step = max(1, PAIRS_AT_ONCE // max(nodes, 1))
    for begin in range(0, nodes, step):
        pairs, starts = list_pairs(begin, min(begin + step, nodes), farthest, heads, others)
        known = indptr.copy()
        room = len(keys) + radii * len(pairs)
        merged, counts = np.empty(room, np.uint64), np.empty(room, np.float64)
        total = 0
        for cell in range(number):
            radius, distance = cell // (farthest + 1), cell % (farthest + 1)
            count = total
            for entry in range(known[cell], known[cell + 1]):
                merged[count] = keys[entry]
                counts[count] = values[entry]
                count += 1
            for pair in range(starts[distance], starts[distance + 1]):
                one, two = rooted[pairs[pair, 0], radius], rooted[pairs[pair, 1], radius]
                merged[count] = hash_pair(one, two, cells[radius, distance])
                counts[count] = 1.0
                count += 1
            kept, table = merge_equal(merged[total:], counts[total:], count - total, table)
            total += kept
            indptr[cell + 1] = total
        keys, values = merged[:total].copy(), counts[:total].copy()
    for cell in range(number):
        if cell % (farthest + 1) > 0:  # a pair counts in both orders: as one feature twice, or as two features
            for entry in range(indptr[cell], indptr[cell + 1]):
                values[entry] *= 2.0 if keys[entry] & EQUAL else ROOT_OF_TWO
    return indptr, keys, values


@compiled
def extract_graphs(first, last, offsets, heads, others, links, own, smallest, largest, farthest, cells):
    """Return the pairs of neighbourhoods of some graphs: a row of keys and values for every radius and distance."""
    number = (largest - smallest + 1) * (farthest + 1)
    indptr = np.zeros((last - first) * number + 1, np.int64)
    keys = np.empty(1024, np.uint64)
    values = np.empty(1024, np.float64)
    total, row = 0, 0
    for graph in range(first, last):
        begin, end = offsets[graph], offsets[graph + 1]
        near = heads[begin : end + 1]
        entries = slice(near[0], near[-1])
        ends, found, weights = extract_pairs(
            smallest, largest, farthest, cells, near, others[entries], links[entries], own[begin:end]
        )
        keys = grow(keys, total + len(found))
        values = grow(values, total + len(found))
        keys[total : total + len(found)] = found
        values[total : total + len(found)] = weights
        indptr[row + 1 : row + number + 1] = ends[1:] + total
        total += len(found)
        row += number
    return indptr, keys[:total], values[:total]
