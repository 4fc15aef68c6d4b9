"""The compiled core of the subset tree kernel.

Only nodes of equal production count. For one tree of the rows, node by node from the leaves up, Δ against all distinct
subtrees of the same production in a forest is one row of numbers, made from the rows of the node's children.
"""

import numpy as np

from rekern.core.compiling import compiled


@compiled
def subset_trees(block, row_begin, column_begin, symmetric, rows_of, forest, column, decay, words):
    """Fills the cells of a block whose columns are in a forest, whose first tree is column ``column``.

    Of a symmetric Gram only the cells from the diagonal on are filled. With ``words`` equal leaves add the decay.
    """
    labels, first, count, offsets = rows_of.labels, rows_of.first, rows_of.counts, rows_of.offsets
    order, waiting, codes = rows_of.order, rows_of.waiting, rows_of.codes
    buckets, leaves, groups, widths = forest.buckets, forest.leaves, forest.groups, forest.widths
    sequences, classes, columns, kids = forest.sequences, forest.classes, forest.columns, forest.kids
    table, group_codes = forest.table, forest.codes
    nodes, ends, subtree_labels = forest.nodes, forest.offsets, forest.labels
    mask = np.uint64(len(table) - 1)
    largest = 1
    for group in range(len(widths)):
        largest = max(largest, groups[group + 1] - groups[group])
    values = np.empty((waiting + 1) * largest)
    free = np.empty(waiting + 1, np.int64)
    slot_of = np.empty(len(count), np.int32)
    group_of = np.empty(len(count), np.int32)
    sums = np.empty(len(subtree_labels))
    for index in range(block.shape[0]):
        tree = row_begin + index
        if symmetric and column + len(ends) - 1 <= tree:
            continue
        sums[:] = 0.0
        free_count = waiting + 1
        for slot in range(free_count):
            free[slot] = slot
        for at in range(offsets[tree], offsets[tree + 1]):
            node = order[at]
            own = labels[node]
            width = count[node]
            slot_of[node] = -1
            if width == 0:
                if words:
                    for place in range(buckets[own], buckets[own] + leaves[own]):
                        sums[place] += decay
                continue
            code = codes[node]
            probe = code & mask
            while True:
                group = table[probe]
                if group < 0:
                    break
                if group_codes[group] == code and widths[group] == width and subtree_labels[groups[group]] == own:
                    equal = True
                    for child in range(width):
                        if classes[sequences[group] + child] != labels[first[node] + child]:
                            equal = False
                            break
                    if equal:
                        break
                probe = (probe + np.uint64(1)) & mask
            if group >= 0:
                begin = groups[group]
                members = groups[group + 1] - begin
                free_count -= 1
                slot_of[node] = free[free_count]
                group_of[node] = group
                start = np.int64(slot_of[node]) * largest
                for member in range(members):
                    values[start + member] = decay
                for child in range(width):
                    below = first[node] + child
                    if slot_of[below] >= 0:
                        from_column = columns[group] + np.int64(child) * members
                        low = groups[group_of[below]]
                        high = groups[group_of[below] + 1]
                        base = np.int64(slot_of[below]) * largest - low
                        for member in range(members):
                            kid = kids[from_column + member]
                            if low <= kid < high:
                                values[start + member] *= 1.0 + values[base + kid]
                for member in range(members):
                    sums[begin + member] += values[start + member]
            for child in range(first[node], first[node] + width):
                if slot_of[child] >= 0:
                    free[free_count] = slot_of[child]
                    free_count += 1
        for other in range(max(0, (tree if symmetric else column_begin) - column), len(ends) - 1):
            total = 0.0
            for place in range(ends[other], ends[other + 1]):
                total += sums[nodes[place]]
            block[index, column - column_begin + other] = total
