"""Compiled functions of the arrays of trees."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

from rekern.core.compiling import compiled


@compiled
def sort_breadth_first(parents, offsets, order, first, count):
    """Sort the nodes of every tree breadth-first, siblings in the given order.

    ``order``, ``first`` and ``count`` are filled. Returns the first tree that is none, or -1.
    """
    child = np.full(len(parents), -1, np.int64)
    sibling = np.full(len(parents), -1, np.int64)
    for tree in range(len(offsets) - 1):
        begin, end = offsets[tree], offsets[tree + 1]
        if begin == end:
            continue
        roots = 0
        for node in range(end - 1, begin - 1, -1):
            parent = parents[node]
            if parent < 0:
                order[begin] = node
                roots += 1
            elif parent < begin or parent >= end:
                return tree
            else:
                sibling[node] = child[parent]
                child[parent] = node
        if roots != 1:
            return tree
        written = begin + 1
        read = begin
        while read < written:
            first[read] = written
            node = child[order[read]]
            while node >= 0:
                order[written] = node
                written += 1
                node = sibling[node]
            count[read] = written - first[read]
            read += 1
        if written != end:  # the nodes of a cycle are never reached
            return tree
    return -1


@compiled
def find_kept(parents, count, unwanted):
    """Return a mask of the nodes that remain without the unwanted ones, all below them, and phrases without a leaf."""
    under = unwanted.copy()
    for node in range(len(parents)):
        if parents[node] >= 0 and under[parents[node]]:
            under[node] = True
    kept = np.zeros(len(parents), np.bool_)
    for node in range(len(parents) - 1, -1, -1):
        if count[node] == 0 and not under[node]:
            kept[node] = True
        if kept[node] and parents[node] >= 0:
            kept[parents[node]] = True
    return kept
