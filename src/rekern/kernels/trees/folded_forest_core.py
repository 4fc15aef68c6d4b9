"""The trees of a block of columns, folded: every distinct subtree is there once, sorted so that loops run straight on.

Subtrees lie in *buckets* of equal label and, inside a bucket, in *groups* of equal label sequence of the children
(a production). Which children of a node match which children of a subtree depends on the group alone, so that it is
worked out once for all members. For smoothed kernels, a class of similar labels takes the place of the label.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from typing import NamedTuple

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import extend_hash, size_table
from rekern.kernels.trees.common_tree_core import find_slot


class Forest(NamedTuple):
    """Distinct subtrees, numbered by bucket and group."""

    nodes: np.ndarray  # the subtree at every node of the trees
    offsets: np.ndarray  # the nodes of each tree
    labels: np.ndarray  # of each subtree
    buckets: np.ndarray  # where the bucket of each class begins
    leaves: np.ndarray  # how many members of each bucket are leaves; they come first
    groups: np.ndarray  # where each group begins
    widths: np.ndarray  # how many children the members of each group have
    sequences: np.ndarray  # where the classes of a group's children begin
    classes: np.ndarray
    columns: np.ndarray  # where the children of a group's members begin: all first children, then all second ones …
    kids: np.ndarray
    table: np.ndarray  # hash table of the groups
    codes: np.ndarray  # hash of each group
    keys: np.ndarray  # hash table of (class of a node, class of a child)
    posted: np.ndarray  # where the list of each key begins and ends
    posted_ends: np.ndarray
    postings: np.ndarray  # the groups with that class that have a child of that class


@compiled
def fold_trees(labels, first, count, offsets, begin, end):
    """Equal subtrees of the trees ``begin`` … ``end`` get equal numbers; returns these and a node for each number."""
    start = offsets[begin]
    size = offsets[end] - start
    numbers = np.empty(size, np.int32)
    examples = np.empty(size, np.int64)
    codes = np.empty(size, np.uint64)
    slots = 1 << size_table(size)
    table = np.full(slots, -1, np.int32)
    highest = -1
    for node in range(start, start + size):
        highest = max(highest, labels[node])
    leaves = np.full(highest + 1, -1, np.int32)  # the number of the leaf of each label: no need to look for it
    known = 0
    for tree in range(begin, end):
        for node in range(offsets[tree + 1] - 1, offsets[tree] - 1, -1):
            if count[node] == 0:
                if leaves[labels[node]] < 0:
                    leaves[labels[node]] = known
                    examples[known] = node
                    known += 1
                numbers[node - start] = leaves[labels[node]]
                continue
            children = first[node] - start
            code = extend_hash(np.uint64(count[node]), labels[node])
            for child in range(count[node]):
                code = extend_hash(code, numbers[children + child])
            slot = np.int64(code & np.uint64(slots - 1))
            while True:
                number = table[slot]
                if number < 0:
                    break
                if codes[number] == code:
                    other = examples[number]
                    equal = labels[other] == labels[node] and count[other] == count[node]
                    if equal:
                        others = first[other] - start
                        for child in range(count[node]):
                            if numbers[others + child] != numbers[children + child]:
                                equal = False
                                break
                    if equal:
                        break
                slot = (slot + 1) & (slots - 1)
            if number < 0:
                number = known
                table[slot] = number
                codes[number] = code
                examples[number] = node
                known += 1
            numbers[node - start] = number
    return numbers, examples[:known]


@compiled
def _group_subtrees(labels, first, count, examples, class_of):
    """Subtrees of equal class and equal classes of the children get equal numbers; returns also examples and hashes."""
    number_of = np.empty(len(examples), np.int32)
    found = np.empty(len(examples), np.int64)
    codes = np.empty(len(examples), np.uint64)
    slots = 1 << size_table(len(examples))
    table = np.full(slots, -1, np.int32)
    known = 0
    for index in range(len(examples)):
        node = examples[index]
        code = extend_hash(np.uint64(count[node]), class_of[labels[node]])
        for child in range(first[node], first[node] + count[node]):
            code = extend_hash(code, class_of[labels[child]])
        slot = np.int64(code & np.uint64(slots - 1))
        while True:
            number = table[slot]
            if number < 0:
                break
            if codes[number] == code:
                other = found[number]
                equal = class_of[labels[other]] == class_of[labels[node]] and count[other] == count[node]
                if equal:
                    for child in range(count[node]):
                        if class_of[labels[first[other] + child]] != class_of[labels[first[node] + child]]:
                            equal = False
                            break
                if equal:
                    break
            slot = (slot + 1) & (slots - 1)
        if number < 0:
            number = known
            table[slot] = number
            codes[number] = code
            found[number] = node
            known += 1
        number_of[index] = number
    return number_of, found[:known], codes[:known], table


@compiled
def _list_groups(group_class, sequences, classes, class_count):
    """For every (class of a node, class of a child) the groups where both occur."""
    entries = len(classes)
    slots = 1 << size_table(entries)
    keys = np.full(slots, -1, np.int64)
    sizes = np.zeros(slots + 1, np.int64)
    places = np.empty(entries, np.int64)
    for group in range(len(group_class)):
        for place in range(sequences[group], sequences[group + 1]):
            places[place] = -1
            repeated = False
            for before in range(sequences[group], place):
                if classes[before] == classes[place]:
                    repeated = True
                    break
            if repeated:
                continue
            key = np.int64(group_class[group]) * class_count + classes[place]
            slot = np.int64(find_slot(keys, key))
            keys[slot] = key
            sizes[slot] += 1
            places[place] = slot
    posted = np.empty(slots, np.int32)
    total = 0
    for slot in range(slots):
        posted[slot] = total
        total += sizes[slot]
    ends = posted.copy()
    postings = np.empty(total, np.int32)
    for group in range(len(group_class)):
        for place in range(sequences[group], sequences[group + 1]):
            slot = places[place]
            if slot >= 0:
                postings[ends[slot]] = group
                ends[slot] += 1
    return keys, posted, ends, postings


@compiled
def build_forest(labels, first, count, offsets, begin, end, class_of, class_count):
    """The forest of the trees ``begin`` … ``end``."""
    start = offsets[begin]
    numbers, examples = fold_trees(labels, first, count, offsets, begin, end)
    number_of, found, codes, table = _group_subtrees(labels, first, count, examples, class_of)
    groups = len(found)
    # The groups by class, those of leaves first: counted, because a sort takes longer.
    places = np.zeros(2 * class_count + 1, np.int32)
    for group in range(groups):
        node = found[group]
        places[2 * class_of[labels[node]] + (1 if count[node] else 0) + 1] += 1
    for key in range(2 * class_count):
        places[key + 1] += places[key]
    order = np.empty(groups, np.int32)
    place_of = np.empty(groups, np.int32)
    for group in range(groups):
        node = found[group]
        key = 2 * class_of[labels[node]] + (1 if count[node] else 0)
        place_of[group] = places[key]
        order[places[key]] = group
        places[key] += 1
    for slot in range(len(table)):
        if table[slot] >= 0:
            table[slot] = place_of[table[slot]]
    begins = np.zeros(groups + 1, np.int32)
    for index in range(len(examples)):
        begins[place_of[number_of[index]] + 1] += 1
    for group in range(groups):
        begins[group + 1] += begins[group]
    widths = np.empty(groups, np.int32)
    sequences = np.zeros(groups + 1, np.int32)
    columns = np.zeros(groups + 1, np.int64)
    group_class = np.empty(groups, np.int32)
    sorted_codes = np.empty(groups, np.uint64)
    for group in range(groups):
        node = found[order[group]]
        group_class[group] = class_of[labels[node]]
        sorted_codes[group] = codes[order[group]]
        widths[group] = count[node]
        sequences[group + 1] = sequences[group] + count[node]
        columns[group + 1] = columns[group] + np.int64(count[node]) * (begins[group + 1] - begins[group])
    classes = np.empty(sequences[groups], np.int32)
    for group in range(groups):
        node = found[order[group]]
        for child in range(count[node]):
            classes[sequences[group] + child] = class_of[labels[first[node] + child]]
    filled = begins[:groups].copy()
    subtree = np.empty(len(examples), np.int32)
    for index in range(len(examples)):
        group = place_of[number_of[index]]
        subtree[index] = filled[group]
        filled[group] += 1
    buckets = np.zeros(class_count + 1, np.int32)
    leaves = np.zeros(class_count, np.int32)
    own = np.empty(len(examples), np.int32)
    kids = np.empty(columns[groups], np.int32)
    for index in range(len(examples)):
        node = examples[index]
        group = place_of[number_of[index]]
        own[subtree[index]] = labels[node]
        buckets[class_of[labels[node]] + 1] += 1
        if count[node] == 0:
            leaves[class_of[labels[node]]] += 1
        members = begins[group + 1] - begins[group]
        place = columns[group] + subtree[index] - begins[group]
        for child in range(count[node]):
            kids[place] = subtree[numbers[first[node] + child - start]]
            place += members
    for number in range(class_count):
        buckets[number + 1] += buckets[number]
    nodes = np.empty(len(numbers), np.int32)
    for node in range(len(numbers)):
        nodes[node] = subtree[numbers[node]]
    keys, posted, posted_ends, postings = _list_groups(group_class, sequences, classes, class_count)
    return Forest(
        nodes,
        offsets[begin : end + 1] - start,
        own,
        buckets,
        leaves,
        begins,
        widths,
        sequences,
        classes,
        columns,
        kids,
        table,
        sorted_codes,
        keys,
        posted,
        posted_ends,
        postings,
    )


@compiled
def order_nodes(begin_tree, end_tree, labels, first, count, offsets, order, codes):
    """Order the nodes of some trees, children before parents, and hash the production of each: its labels.

    Returns the most nodes that wait for their parent at once, with children and in all.
    """
    origin = offsets[begin_tree]
    sizes = np.ones(offsets[end_tree] - origin, np.int64)
    ends = np.empty(offsets[end_tree] - origin, np.int64)
    most_inner = most = 1
    for tree in range(begin_tree, end_tree):
        begin, end = offsets[tree], offsets[tree + 1]
        if begin == end:
            continue
        for node in range(end - 1, begin - 1, -1):
            code = extend_hash(np.uint64(count[node]), labels[node])
            for child in range(first[node], first[node] + count[node]):
                sizes[node - origin] += sizes[child - origin]
                code = extend_hash(code, labels[child])
            codes[node] = code
        ends[begin - origin] = end
        for node in range(begin, end):
            place = ends[node - origin] - 1
            order[place] = node
            for child in range(first[node] + count[node] - 1, first[node] - 1, -1):
                ends[child - origin] = place
                place -= sizes[child - origin]
        waiting = inner = 0
        for place in range(begin, end):
            node = order[place]
            waiting += 1
            inner += 1 if count[node] else 0
            most = max(most, waiting)
            most_inner = max(most_inner, inner)
            waiting -= count[node]
            for child in range(first[node], first[node] + count[node]):
                inner -= 1 if count[child] else 0
    return most_inner, most


@compiled
def mark_labels(is_used, labels):
    """Mark the labels that occur."""
    for label in labels:
        is_used[label] = True
