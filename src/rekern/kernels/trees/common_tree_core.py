"""What the compiled cores of the tree kernels share.

A core goes over the trees of the rows. For one tree it visits the nodes from the leaves up. The values of a node with
all distinct subtrees of a forest are one row of numbers in a slot. A node's row needs only the rows of its children, so
their slots are released afterwards. What the values of all nodes add up to, subtree by subtree, is in ``sums``; at the
end a cell of the Gram is gathered from the subtrees of a column's tree.

What stands in inner loops is inlined, since a call of a function of arrays costs time there. The search for matching
children stays in each core: shared, even inlined, it costs a seventh of the speed.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.compiling import compiled, inlined
from rekern.core.hashing import extend_hash


@compiled
def find_largest(counts):
    """Return the largest of some counts, at least 1."""
    largest = 1
    for place in range(len(counts)):
        largest = max(largest, counts[place])
    return largest


@compiled
def begin_tree(sums, free):
    """Forget the tree before: clear the sums and free all slots; return how many slots are free."""
    sums[:] = 0.0
    for slot in range(len(free)):
        free[slot] = slot
    return len(free)


@inlined
def point_to_row(slot, largest, bucket, constant):
    """Return where the values of a child are: the value with subtree ``kid`` lies at base + step · ``kid``.

    A child without a slot has the same value with every subtree, which lies at ``constant``.
    """
    return (np.int64(slot) * largest - bucket, 1) if slot >= 0 else (constant, 0)


@inlined
def find_slot(keys, key):
    """Return the slot of the hash table of a forest that has a key, or is empty."""
    mask = np.uint64(len(keys) - 1)
    slot = extend_hash(np.uint64(0), key) & mask
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@compiled
def release_children(first, count, slot_of, free, free_count):
    """Free the slots of the children of a node; return how many slots are free."""
    for child in range(first, first + count):
        if slot_of[child] >= 0:
            free[free_count] = slot_of[child]
            free_count += 1
    return free_count


@compiled
def gather_cells(cells, begin, nodes, offsets, sums):
    """Fill the cells of one row of the Gram, from tree ``begin`` of a forest on, with the sums over its subtrees.

    ``cells[i]`` belongs to tree ``begin + i``.
    """
    for other in range(begin, len(offsets) - 1):
        total = 0.0
        for place in range(offsets[other], offsets[other + 1]):
            total += sums[nodes[place]]
        cells[other - begin] = total
