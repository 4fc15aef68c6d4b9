"""Neighbourhoods of a graph as 64-bit keys: equal for isomorphic neighbourhoods, however their nodes are numbered.

A neighbourhood is the part of a graph within a radius of its root. Its key is made in three steps. Each is exact: two
neighbourhoods with equal keys are isomorphic, up to a chance of 2**-64 that two hashes are equal.

1. Branches that are trees are folded, from their leaves on, into the node they hang from. If a neighbourhood has no
   cycles, only the root is left, and its hash is the key.
2. What is left is coloured by label, distance from the root and folded branches. The colours are refined by those of
   the neighbours until nothing changes (Weisfeiler and Leman). If every two classes of equal colour are joined by all
   possible edges or by none, the colours and edges determine the neighbourhood. This is so if all colours differ.
3. Otherwise each node of the smallest class that is joined by some of the possible edges gets a colour of its own in
   turn, and the colours are refined again, to any depth. The key is the sum over the leaves of this search, each of
   which determines the neighbourhood.

The size of the search depends on the neighbourhood alone, not on the numbers of its nodes. A neighbourhood that would
take too much work (large, unlabelled and very regular) is described by the sum over single nodes with a colour of
their own; a very large one by its colours. Only among these can two that are not isomorphic have equal keys.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import constants, mix

OWN, NEIGHBOR, FOLDED, APART, AWAY, LINK, LOOP = (np.uint64(factor) for factor in constants(0x6261, 7))

SEARCH_WORK = 1 << 18  # visits of edges in the search, before it is given up
SEARCH_DEPTH = 12
SINGLE_WORK = 1 << 22  # nodes times edges, up to which every single node is set apart instead
FEW = 24  # nodes, up to which sorting by insertion is fastest


@compiled
def merge_links(offsets, labels, indptr, neighbors, edge_labels, label_keys):
    """Return each neighbour once, with a hash of the labels of all edges to it, and a hash of each node.

    The hash of a node is that of its label and of the labels of its loops.
    """
    heads = np.zeros(len(indptr), np.int64)
    others = np.empty(len(neighbors), np.int32)
    links = np.empty(len(neighbors), np.uint64)
    own = np.empty(len(labels), np.uint64)
    filled = 0
    for graph in range(len(offsets) - 1):
        for node in range(offsets[graph], offsets[graph + 1]):
            loops = np.uint64(0)
            first = filled
            for entry in range(indptr[node], indptr[node + 1]):
                label = mix(label_keys[edge_labels[entry]] * LINK)
                if neighbors[entry] == node - offsets[graph]:
                    loops += label
                elif filled > first and others[filled - 1] == neighbors[entry]:
                    links[filled - 1] += label
                else:
                    others[filled] = neighbors[entry]
                    links[filled] = label
                    filled += 1
            own[node] = mix(label_keys[labels[node]] * OWN + mix(loops * LOOP))
            heads[node + 1] = filled
    return heads, others[:filled], links[:filled], own


@compiled
def reach_nodes(root, limit, heads, others, order, place, ends):
    """Store the nodes up to a distance from the root in ``order``, nearest first; ``ends[d]`` counts those up to d.

    ``place`` gives each of them its position in the order and must be -1 everywhere before.
    """
    order[0] = root
    place[root] = 0
    begin, count = 0, 1
    ends[0] = 1
    base = heads[0]
    for distance in range(1, limit + 1):
        end = count
        for at in range(begin, end):
            node = order[at]
            for entry in range(heads[node] - base, heads[node + 1] - base):
                other = others[entry]
                if place[other] < 0:
                    place[other] = count
                    order[count] = other
                    count += 1
        begin = end
        ends[distance] = count
    return count


@compiled
def _sort(values, count):
    if count > FEW:
        values[:count] = np.sort(values[:count])
        return
    for at in range(1, count):
        value = values[at]
        to = at
        while to > 0 and values[to - 1] > value:
            values[to] = values[to - 1]
            to -= 1
        values[to] = value


@compiled
def _count_distinct(colors, count, scratch):
    scratch[:count] = colors[:count]
    _sort(scratch, count)
    distinct = 1
    for at in range(1, count):
        distinct += scratch[at] != scratch[at - 1]
    return distinct


@compiled
def _find_next_color(node, heads, others, links, colors):
    total = np.uint64(0)
    for entry in range(heads[node], heads[node + 1]):
        total += mix(colors[others[entry]] * NEIGHBOR + links[entry])
    return mix(colors[node] * OWN + total)


@compiled
def _refine(count, heads, others, links, colors, scratch):
    """Refine the colours, in place, until the number of classes stays; returns it and the visits of edges."""
    following = np.empty(count, np.uint64)
    classes = _count_distinct(colors, count, scratch)
    work = 0
    while classes < count:
        for node in range(count):
            following[node] = _find_next_color(node, heads, others, links, colors)
        colors[:count] = following
        work += heads[count] + count
        before = classes
        classes = _count_distinct(colors, count, scratch)
        if classes == before:
            break
    return classes, work


@compiled
def _digest(count, heads, others, links, colors):
    """Return a hash of all colours and of the edges between them."""
    total = np.uint64(0)
    for node in range(count):
        total += _find_next_color(node, heads, others, links, colors)
    return mix(total)


@compiled
def _find_undecided(count, heads, others, links, colors, members):
    """Find the smallest class that is joined to another, or within itself, by some of the possible edges only.

    Its nodes are stored in ``members``; their number is returned, 0 if there is no such class. The colours are refined,
    so one node of a class represents all.
    """
    by_color = np.argsort(colors[:count])
    class_of = np.empty(count, np.int32)
    first = np.empty(count + 1, np.int32)
    classes = 0
    for at in range(count):
        if at == 0 or colors[by_color[at]] != colors[by_color[at - 1]]:
            first[classes] = at
            classes += 1
        class_of[by_color[at]] = classes - 1
    first[classes] = count
    joined = np.zeros(classes, np.int32)
    kind = np.empty(classes, np.uint64)
    best, smallest = -1, count + 1
    for one in range(classes):
        size = first[one + 1] - first[one]
        if size == 1 or size >= smallest:
            continue
        node = by_color[first[one]]
        uneven = False
        for entry in range(heads[node], heads[node + 1]):
            other = class_of[others[entry]]
            if joined[other] == 0:
                kind[other] = links[entry]
            elif kind[other] != links[entry]:
                uneven = True
            joined[other] += 1
        for entry in range(heads[node], heads[node + 1]):
            other = class_of[others[entry]]
            possible = first[other + 1] - first[other] - (other == one)
            if joined[other] > 0 and joined[other] != possible:
                uneven = True
            joined[other] = 0
        if uneven:
            best, smallest = one, size
    if best < 0:
        return 0
    members[:smallest] = by_color[first[best] : first[best + 1]]
    return smallest


@compiled
def _search(count, heads, others, links, colors, scratch, members, size):
    """Return the sum over all leaves of the search, and whether the search was complete."""
    saved = np.empty((SEARCH_DEPTH, count), np.uint64)
    chosen = np.empty((SEARCH_DEPTH, count), np.int64)
    sizes = np.zeros(SEARCH_DEPTH, np.int64)
    tried = np.zeros(SEARCH_DEPTH, np.int64)
    trial = np.empty(count, np.uint64)
    saved[0] = colors[:count]
    chosen[0, :size] = members[:size]
    sizes[0] = size
    level, work, total = 0, 0, np.uint64(0)
    while level >= 0:
        if tried[level] == sizes[level]:
            level -= 1
            continue
        trial[:] = saved[level]
        node = chosen[level, tried[level]]
        tried[level] += 1
        trial[node] = mix(trial[node] * APART)
        classes, visits = _refine(count, heads, others, links, trial, scratch)
        work += visits + count
        if work > SEARCH_WORK:
            return total, False
        size = 0
        if classes < count:
            size = _find_undecided(count, heads, others, links, trial, members)
        if size == 0:
            total += mix(_digest(count, heads, others, links, trial))
        elif level + 1 == SEARCH_DEPTH:
            return total, False
        else:
            level += 1
            saved[level] = trial
            chosen[level, :size] = members[:size]
            sizes[level] = size
            tried[level] = 0
    return total, True


@compiled
def _hash_core(count, heads, others, links, colors, scratch):
    """Return the key of a neighbourhood whose tree branches are folded."""
    classes, _ = _refine(count, heads, others, links, colors, scratch)
    digest = _digest(count, heads, others, links, colors)
    if classes == count:
        return digest
    members = np.empty(count, np.int64)
    size = _find_undecided(count, heads, others, links, colors, members)
    if size == 0:
        return digest
    total, complete = _search(count, heads, others, links, colors, scratch, members, size)
    if complete:
        return mix(digest + mix(total))
    if count * heads[count] > SINGLE_WORK:
        return digest
    total = np.uint64(0)
    trial = np.empty(count, np.uint64)
    for node in range(count):
        trial[:] = colors[:count]
        trial[node] = mix(trial[node] * APART)
        _refine(count, heads, others, links, trial, scratch)
        total += mix(_digest(count, heads, others, links, trial))
    return mix(digest + mix(total))


@compiled
def _fold_trees(size, order, place, heads, others, links, colors, folded, degree, queue):
    """Fold branches that are trees into the nodes they hang from; what is folded gets degree 0.

    Works on positions in the order; the first ``size`` are in the neighbourhood. Returns how many nodes are left.
    """
    base = heads[0]
    waiting = 0
    for at in range(size):
        node = order[at]
        count = 0
        for entry in range(heads[node] - base, heads[node + 1] - base):
            count += 0 <= place[others[entry]] < size
        degree[at] = count
        folded[at] = np.uint64(0)
        if count == 1 and at > 0:
            queue[waiting] = at
            waiting += 1
    left = size
    while waiting > 0:
        waiting -= 1
        at = queue[waiting]
        node = order[at]
        for entry in range(heads[node] - base, heads[node + 1] - base):
            to = place[others[entry]]
            if 0 <= to < size and degree[to] > 0:
                folded[to] += mix(mix(colors[at] + folded[at] * FOLDED) * NEIGHBOR + links[entry])
                degree[to] -= 1
                if degree[to] == 1 and to > 0:
                    queue[waiting] = to
                    waiting += 1
                break
        degree[at] = 0
        left -= 1
    return left


@compiled
def hash_neighborhoods(smallest, largest, order, place, ends, graph, keys, scratch):
    """Store the keys of the neighbourhoods of radius ``smallest`` to ``largest`` around the first node of the order.

    ``graph`` holds the arrays of `merge_links`, ``scratch`` five arrays as long as it has nodes.
    """
    heads, others, links, own = graph
    colors, base_colors, folded, degree, queue = scratch
    base = heads[0]
    distance = 0
    for at in range(ends[largest]):
        while at >= ends[distance]:
            distance += 1
        base_colors[at] = mix(own[order[at]] + np.uint64(distance) * AWAY)
    for radius in range(smallest, largest + 1):
        size = ends[radius]
        if radius > smallest and size == ends[radius - 1]:  # the whole component is inside already
            keys[radius - smallest] = keys[radius - smallest - 1]
            continue
        left = _fold_trees(size, order, place, heads, others, links, base_colors, folded, degree, queue)
        if left == 1:
            keys[radius - smallest] = mix(base_colors[0] + folded[0] * FOLDED)
            continue
        entries, number = 0, 0
        for at in range(size):
            if degree[at] > 0:  # the root too has neighbours here, or nothing else would be left
                colors[number] = mix(base_colors[at] + folded[at] * FOLDED)
                queue[at] = number
                entries += degree[at]
                number += 1
        core_heads = np.zeros(left + 1, np.int64)
        core_others = np.empty(entries, np.int32)
        core_links = np.empty(entries, np.uint64)
        filled = 0
        for at in range(size):
            if degree[at] == 0:
                continue
            node = order[at]
            for entry in range(heads[node] - base, heads[node + 1] - base):
                to = place[others[entry]]
                if 0 <= to < size and degree[to] > 0:
                    core_others[filled] = queue[to]
                    core_links[filled] = links[entry]
                    filled += 1
            core_heads[queue[at] + 1] = filled
        keys[radius - smallest] = _hash_core(left, core_heads, core_others, core_links, colors, folded)
