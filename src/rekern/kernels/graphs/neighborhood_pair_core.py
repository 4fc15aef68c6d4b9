"""Pairs of rooted neighbourhoods as features: for every radius and every distance of the roots, rows of keys."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.array_growth import grow
from rekern.core.compiling import compiled
from rekern.core.hashing import constants, mix
from rekern.core.key_rows import merge_equal
from rekern.kernels.graphs.neighborhood_key_core import hash_neighborhoods, reach_nodes

NEAR, FAR = (np.uint64(factor) for factor in constants(0x6270, 2))
EQUAL = np.uint64(1)  # the lowest bit of a key: whether the two neighbourhoods are equal
ROOT_OF_TWO = np.sqrt(2.0)


@compiled
def list_roots(smallest, largest, farthest, heads, others, links, own):
    """Return the keys of all neighbourhoods of a graph, and the pairs of nodes up to a distance, each once.

    The pairs at distance d are ``pairs[starts[d]:starts[d + 1]]``.
    """
    nodes = len(own)
    limit = max(largest, farthest)
    keys = np.empty((nodes, largest - smallest + 1), np.uint64)
    order = np.empty(nodes, np.int32)
    place = np.full(nodes, -1, np.int32)
    ends = np.empty(limit + 1, np.int64)
    graph = (heads, others, links, own)
    colors = (np.empty(nodes, np.uint64), np.empty(nodes, np.uint64), np.empty(nodes, np.uint64))
    scratch = (*colors, np.empty(nodes, np.int32), np.empty(nodes, np.int32))
    one, two, apart = np.empty(8 * nodes, np.int32), np.empty(8 * nodes, np.int32), np.empty(8 * nodes, np.int32)
    starts = np.zeros(farthest + 2, np.int64)
    found = 0
    for root in range(nodes):
        reached = reach_nodes(root, limit, heads, others, order, place, ends)
        hash_neighborhoods(smallest, largest, order, place, ends, graph, keys[root], scratch)
        one, two, apart = grow(one, found + reached), grow(two, found + reached), grow(apart, found + reached)
        distance = 0
        for at in range(ends[farthest]):
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
    return keys, pairs, starts


@compiled
def hash_pair(one, two, cell):
    """Return the key of two neighbourhoods in either order, for one radius and distance; odd if they are equal."""
    key = mix(min(one, two) * NEAR + max(one, two) * FAR + cell)
    return (key | EQUAL) if one == two else (key & ~EQUAL)


@compiled
def extract_pairs(first, last, offsets, heads, others, links, own, smallest, largest, farthest, cells):
    """Return the pairs of neighbourhoods of some graphs: a row of keys and values for every radius and distance."""
    radii = largest - smallest + 1
    indptr = np.zeros((last - first) * radii * (farthest + 1) + 1, np.int64)
    keys = np.empty(1024, np.uint64)
    values = np.empty(1024, np.float64)
    scratch = np.empty(16, np.int32)
    total, row = 0, 0
    for graph in range(first, last):
        begin, end = offsets[graph], offsets[graph + 1]
        near = heads[begin : end + 1]
        entries = slice(near[0], near[-1])
        rooted, pairs, starts = list_roots(
            smallest, largest, farthest, near, others[entries], links[entries], own[begin:end]
        )
        for radius in range(radii):
            for distance in range(farthest + 1):
                count = starts[distance + 1] - starts[distance]
                keys = grow(keys, total + count)
                values = grow(values, total + count)
                for index in range(count):
                    pair = starts[distance] + index
                    one, two = rooted[pairs[pair, 0], radius], rooted[pairs[pair, 1], radius]
                    keys[total + index] = hash_pair(one, two, cells[radius, distance])
                    values[total + index] = 1.0
                kept, scratch = merge_equal(keys[total:], values[total:], count, scratch)
                if distance > 0:  # a pair counts in both orders: as one feature twice, or as two features
                    for index in range(total, total + kept):
                        values[index] *= 2.0 if keys[index] & EQUAL else ROOT_OF_TWO
                total += kept
                row += 1
                indptr[row] = total
    return indptr, keys[:total], values[:total]
