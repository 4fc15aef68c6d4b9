"""What a folded corpus of trees is beside its forest when a GPU compares it: facts about subtrees, runs of nodes."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import size_table


@compiled
def measure_heights(first, count, start, nodes, subtrees):
    """Return the height of every subtree, 0 for leaves; ``nodes`` has the subtree of each node from ``start`` on."""
    heights = np.zeros(subtrees, np.int32)
    for place in range(len(nodes) - 1, -1, -1):  # children have higher numbers than their parents
        node = start + place
        height = 0
        for child in range(first[node], first[node] + count[node]):
            height = max(height, heights[nodes[child - start]] + 1)
        heights[nodes[place]] = height
    return heights


@compiled
def number_productions(codes, widths, labels, sequences, classes):
    """Return numbers of productions, equal ones for equal ones: a label, and the labels of the children."""
    slots = 1 << size_table(len(codes))
    table = np.full(slots, -1, np.int64)
    numbers = np.empty(len(codes), np.int32)
    known = 0
    for group in range(len(codes)):
        slot = np.int64(codes[group] & np.uint64(slots - 1))
        while True:
            other = table[slot]
            if other < 0:
                break
            equal = codes[other] == codes[group] and widths[other] == widths[group] and labels[other] == labels[group]
            if equal:
                for place in range(widths[group]):
                    if classes[sequences[other] + place] != classes[sequences[group] + place]:
                        equal = False
                        break
            if equal:
                break
            slot = (slot + 1) & (slots - 1)
        if other < 0:
            table[slot] = group
            numbers[group] = known
            known += 1
        else:
            numbers[group] = numbers[other]
    return numbers, known


@compiled
def describe_subtrees(numbers, groups, widths, sequences, columns, labels, class_count):
    """Return the facts about every subtree, and of each class: its first subtree, its size, its inner ones.

    ``numbers`` has the class of each group; the groups of a class follow each other, leaves first.
    """
    facts = np.empty((len(labels), 8), np.int32)
    starts = np.full(class_count, -1, np.int64)
    sizes = np.zeros(class_count, np.int64)
    inner = np.zeros(class_count, np.int64)
    for group in range(len(widths)):
        number = numbers[group]
        if starts[number] < 0:
            starts[number] = groups[group]
        members = groups[group + 1] - groups[group]
        for member in range(members):
            subtree = groups[group] + member
            facts[subtree, 0] = number
            facts[subtree, 1] = -1
            if widths[group] > 0:
                facts[subtree, 1] = inner[number]
                inner[number] += 1
            facts[subtree, 2] = widths[group]
            facts[subtree, 3] = sequences[group]
            facts[subtree, 4] = columns[group] + member
            facts[subtree, 5] = members
            facts[subtree, 6] = labels[subtree]
            facts[subtree, 7] = sizes[number]
            sizes[number] += 1
    return facts, starts, sizes, inner


@compiled
def describe_kids(kids, facts):
    """Return the labels, ranks and classes of all children."""
    found = np.empty((3, len(kids)), np.int32)
    for place in range(len(kids)):
        found[0, place] = facts[kids[place], 6]
        found[1, place] = facts[kids[place], 1]
        found[2, place] = facts[kids[place], 0]
    return found


@compiled
def _sort_occurrences(nodes, offsets, ranks, with_leaves):
    """Return the nodes of all trees sorted by subtree, each a subtree and its rank, and where those of a tree begin.

    Nodes are counted into the trees of each subtree, and from there, subtree by subtree, into their trees.
    """
    trees = len(offsets) - 1
    ends = np.zeros(len(ranks) + 1, np.int32)
    begins = np.zeros(trees + 1, np.int32)
    for tree in range(trees):
        kept = 0
        for place in range(offsets[tree], offsets[tree + 1]):
            subtree = nodes[place]
            if with_leaves or ranks[subtree] >= 0:
                ends[subtree + 1] += 1
                kept += 1
        begins[tree + 1] = begins[tree] + kept
    for subtree in range(len(ranks)):
        ends[subtree + 1] += ends[subtree]
    owners = np.empty(begins[trees], np.int32)
    for tree in range(trees):
        for place in range(offsets[tree], offsets[tree + 1]):
            subtree = nodes[place]
            if with_leaves or ranks[subtree] >= 0:
                owners[ends[subtree]] = tree
                ends[subtree] += 1
    occurrences = np.empty((len(owners), 2), np.int32)
    filled = begins[:-1].copy()
    first = 0
    for subtree in range(len(ranks)):
        for place in range(first, ends[subtree]):
            tree = owners[place]
            occurrences[filled[tree], 0] = subtree
            occurrences[filled[tree], 1] = ranks[subtree]
            filled[tree] += 1
        first = ends[subtree]
    return occurrences, begins


@compiled
def list_runs(nodes, offsets, facts, class_count, with_leaves):
    """Return the nodes of all trees sorted by subtree, their runs of one class, and the same runs class by class.

    A node is a subtree and its rank; a run is a class, its begin and its end, or, class by class, a tree instead of the
    class.
    """
    trees = len(offsets) - 1
    numbers, ranks = facts[:, 0].copy(), facts[:, 1].copy()  # read at random: they stay in the cache
    occurrences, begins = _sort_occurrences(nodes, offsets, ranks, with_leaves)
    runs = np.empty((len(occurrences), 3), np.int32)
    tree_runs = np.zeros(trees + 1, np.int32)
    entries = np.zeros(class_count + 1, np.int64)
    found = 0
    for tree in range(trees):
        before = -1
        for place in range(begins[tree], begins[tree + 1]):
            number = numbers[occurrences[place, 0]]
            if number != before:
                runs[found, 0] = number
                runs[found, 1] = place
                entries[number + 1] += 1
                found += 1
                before = number
            runs[found - 1, 2] = place + 1
        tree_runs[tree + 1] = found
    for number in range(class_count):
        entries[number + 1] += entries[number]
    places = entries[:-1].copy()
    entry_runs = np.empty((found, 3), np.int32)
    for tree in range(trees):
        for run in range(tree_runs[tree], tree_runs[tree + 1]):
            place = places[runs[run, 0]]
            places[runs[run, 0]] += 1
            entry_runs[place, 0] = tree
            entry_runs[place, 1] = runs[run, 1]
            entry_runs[place, 2] = runs[run, 2]
    return occurrences, runs[:found], tree_runs, entries, entry_runs


@compiled
def sort_by_height(heights, facts):
    """Return the inner subtrees by height, and their segments of one height and class: height, class, begin, rows."""
    highest = 0
    for height in heights:
        highest = max(highest, height)
    begins = np.zeros(highest + 2, np.int64)
    for height in heights:
        begins[height + 1] += 1
    for height in range(highest + 1):
        begins[height + 1] += begins[height]
    order = np.empty(len(heights), np.int32)
    places = begins[:-1].copy()
    for subtree in range(len(heights)):
        order[places[heights[subtree]]] = subtree
        places[heights[subtree]] += 1
    segments = np.empty((len(heights), 4), np.int64)
    found = 0
    for place in range(begins[1], len(order)):  # leaves have no values of their own
        subtree = order[place]
        height, number = heights[subtree], facts[subtree, 0]
        if found == 0 or segments[found - 1, 0] != height or segments[found - 1, 1] != number:
            segments[found, 0] = height
            segments[found, 1] = number
            segments[found, 2] = place
            segments[found, 3] = 0
            found += 1
        segments[found - 1, 3] += 1
    return order, segments[:found].copy()


@compiled
def lay_out_classes(inner, sizes, inner2, entries2):
    """Return of each class of two sides where its values and its sums begin, and the entries of the columns.

    The columns are those of `tree_sums_cuda_core`. Also returned: how many values and sums there are, and how many
    classes have sums.
    """
    classes = np.empty((len(inner), 5), np.int64)
    values = sums = shared = 0
    for number in range(len(inner)):
        entries = entries2[number + 1] - entries2[number]
        classes[number, 0] = values
        classes[number, 1] = inner2[number]
        classes[number, 2] = sums
        classes[number, 3] = entries2[number]
        classes[number, 4] = entries
        values += inner[number] * inner2[number]
        sums += sizes[number] * entries
        shared += 1 if sizes[number] * entries > 0 else 0
    return classes, values, sums, shared


@compiled
def list_sum_segments(starts, sizes, classes, shared, rows_of_tile, threads):
    """Return the segments of the classes that have sums, and the number of their tiles."""
    segments = np.empty((shared, 7), np.int64)
    found = tiles = 0
    for number in range(len(sizes)):
        entries = classes[number, 4]
        if sizes[number] * entries > 0:
            segments[found, 0] = tiles
            segments[found, 1] = starts[number]
            segments[found, 2] = sizes[number]
            segments[found, 3] = entries
            segments[found, 4] = classes[number, 2]
            segments[found, 5] = classes[number, 3]
            segments[found, 6] = number
            tiles += -(-sizes[number] // rows_of_tile) * -(-entries // threads)
            found += 1
    return segments, tiles


@compiled
def list_level_segments(segments, classes, inner2, starts2, sizes2, rows_of_tile, threads):
    """Return the segments of the levels as tiles are numbered in them, and how many tiles each level has.

    The given ``segments`` are those of the rows: height, class, begin, rows. Levels are the heights that are left.
    """
    found = np.empty((len(segments), 7), np.int64)
    level_tiles = np.zeros(len(segments), np.int64)
    filled = tiles = 0
    level = before = -1
    for place in range(len(segments)):
        number, rows = segments[place, 1], segments[place, 3]
        columns = inner2[number]
        if columns == 0:
            continue
        if segments[place, 0] != before:
            before = segments[place, 0]
            level += 1
        found[filled, 0] = tiles
        found[filled, 1] = segments[place, 2]
        found[filled, 2] = rows
        found[filled, 3] = columns
        found[filled, 4] = classes[number, 0]
        found[filled, 5] = starts2[number] + sizes2[number] - columns
        found[filled, 6] = level
        added = -(-rows // rows_of_tile) * -(-columns // threads)
        level_tiles[level] += added
        tiles += added
        filled += 1
    return found[:filled], level_tiles[: level + 1], tiles
