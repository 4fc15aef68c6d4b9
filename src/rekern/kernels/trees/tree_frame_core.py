"""What the compiled cores of the tree kernels share.

A core goes over the trees of the rows. For one tree it visits the nodes from the leaves up. The values of a node with
all distinct subtrees of a forest are one row of numbers in a slot. A node's row needs only the rows of its children, so
their slots are released afterwards. What the values of all nodes add up to, subtree by subtree, is in ``sums``; at the
end a cell of the Gram is gathered from the subtrees of a column's tree.

The loops over pairs of children stay in each core: as functions of arrays they cost a tenth of the speed or more.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from rekern.core.compiling import compiled


@compiled
def find_longest(offsets):
    """Return the length of the longest part of a ragged array, at least 1."""
    longest = 1
    for part in range(len(offsets) - 1):
        longest = max(longest, offsets[part + 1] - offsets[part])
    return longest


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
