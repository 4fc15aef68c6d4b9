"""Pairs of rooted balls as features: for every radius and every distance of the roots, rows of keys."""

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import constants, mix
from rekern.core.key_rows import KeyRows, merge_equal
from rekern.kernels.graphs.neighborhood_keys import ball_keys, reach, simple_links
from rekern.kernels.rewriting.pattern_placements import grown
from rekern.structures.graphs import Graphs

NEAR, FAR = (np.uint64(factor) for factor in constants(0x6270, 2))
EQUAL = np.uint64(1)  # the lowest bit of a key: whether the two balls are equal
ROOT_OF_TWO = np.sqrt(2.0)


@compiled
def _roots(smallest, largest, farthest, heads, others, links, own):
    """The keys of all balls of a graph, and the pairs of nodes not too far apart, each once, by their distance.

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
        reached = reach(root, limit, heads, others, order, place, ends)
        ball_keys(smallest, largest, order, place, ends, graph, keys[root], scratch)
        one, two, apart = grown(one, found + reached), grown(two, found + reached), grown(apart, found + reached)
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
def _pair_key(one, two, cell):
    """The key of two balls in either order, for one radius and distance; odd if the balls are equal."""
    key = mix(min(one, two) * NEAR + max(one, two) * FAR + cell)
    return (key | EQUAL) if one == two else (key & ~EQUAL)


@compiled
def _pair_features(first, last, offsets, heads, others, links, own, smallest, largest, farthest, cells):
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
        balls, pairs, starts = _roots(
            smallest, largest, farthest, near, others[entries], links[entries], own[begin:end]
        )
        for radius in range(radii):
            for distance in range(farthest + 1):
                count = starts[distance + 1] - starts[distance]
                keys = grown(keys, total + count)
                values = grown(values, total + count)
                for index in range(count):
                    pair = starts[distance] + index
                    one, two = balls[pairs[pair, 0], radius], balls[pairs[pair, 1], radius]
                    keys[total + index] = _pair_key(one, two, cells[radius, distance])
                    values[total + index] = 1.0
                kept, scratch = merge_equal(keys[total:], values[total:], count, scratch)
                if distance > 0:  # a pair counts in both orders: as one feature twice, or as two features
                    for index in range(total, total + kept):
                        values[index] *= 2.0 if keys[index] & EQUAL else ROOT_OF_TWO
                total += kept
                row += 1
                indptr[row] = total
    return indptr, keys[:total], values[:total]


def links_of(graphs: Graphs) -> tuple[np.ndarray, ...]:
    """The arrays of a corpus in the form that the functions here take."""
    arrays = (graphs.offsets, graphs.labels, graphs.indptr, graphs.neighbors, graphs.edge_labels)
    return simple_links(*arrays, graphs.label_keys())


def _cells(smallest: int, largest: int, farthest: int) -> np.ndarray:
    """A constant for every radius and distance, the same whatever the other radii and distances are."""
    return np.stack([constants(0x6300 + radius, farthest + 1) for radius in range(smallest, largest + 1)])


def pair_features(
    first: int,
    last: int,
    offsets: np.ndarray,
    links: tuple[np.ndarray, ...],
    smallest: int,
    largest: int,
    farthest: int,
) -> KeyRows:
    """The pairs of balls in graphs ``first`` … ``last``; each graph has a row for every radius and distance.

    Pairs of nodes are ordered: two different balls at a distance above 0 make two features, here one with √2 times
    their number, two equal balls one that counts twice. The inner products are those of the ordered pairs.
    """
    cells = _cells(smallest, largest, farthest)
    return KeyRows(*_pair_features(first, last, offsets, *links, smallest, largest, farthest, cells))


def list_pairs(graph: Graphs, radius: int, distance: int) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of nodes of a single graph at this distance, and the keys of their balls of this radius."""
    heads, others, links, own = links_of(graph)
    balls, pairs, starts = _roots(radius, radius, distance, heads, others, links, own)
    pairs = pairs[starts[distance] : starts[distance + 1]]
    cell = _cells(radius, radius, distance)[0, distance]
    return pairs, np.array([_pair_key(balls[one, 0], balls[two, 0], cell) for one, two in pairs], np.uint64)


def ball_keys_of(graph: Graphs, radius: int) -> np.ndarray:
    """The key of the ball of this radius around every node of a single graph.

    >>> graph = Graphs.from_items([(["a", "b", "a"], [(0, 1), (1, 2)])])
    >>> keys = ball_keys_of(graph, 1)
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    return _roots(radius, radius, 0, *links_of(graph))[0][:, 0]
