"""Kernel values of all substrings of two sentences at once: one dynamic program for each pair of sentences.

A set of substrings is a `rekern.krisp.substrings.SubstringGroups`: arrays of starts and ends (the end is not included),
sorted by sentence and start.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

from rekern.core.compiling import compiled


@compiled
def mark_common(left, right, first, last):
    """Mark the words of the right sentence that the left one has from ``first`` to ``last``."""
    common = np.zeros(len(right), np.bool_)
    for k in range(len(right)):
        for i in range(first, last):
            if left[i] == right[k]:
                common[k] = True
                break
    return common


@compiled
def word_table(left, right, left_starts, left_ends, right_starts, right_ends, decay, longest, out):
    """Common subsequences of up to ``longest`` words; one with g words in its gaps weighs decay ** g.

    For every pair of starts (i, k) that some substring has, tables over pairs of last words hold the weight of the
    common subsequences that begin inside: of those that end at these words, and of those that end there or before. If
    the left substrings do not have the word at k, the tables are those of the start k + 1.
    """
    n, m = len(left), len(right)
    sums = np.zeros((n + 1, m + 1, longest))  # weighted by the distance to the words that come next
    total = np.zeros((n + 1, m + 1))
    far = 0
    for column in range(len(right_ends)):
        far = max(far, right_ends[column])
    row_first = 0
    while row_first < len(left_starts):
        i = left_starts[row_first]
        row_last, row_end = row_first, i
        while row_last < len(left_starts) and left_starts[row_last] == i:
            row_end = max(row_end, left_ends[row_last])
            row_last += 1
        common = mark_common(left, right, i, row_end)
        total[i : row_end + 1] = 0.0
        k = far
        column_last = len(right_starts)
        while column_last > 0:
            column_first = column_last - 1
            while column_first > 0 and right_starts[column_first - 1] == right_starts[column_last - 1]:
                column_first -= 1
            start = right_starts[column_first]
            is_changed = False
            while k > start:
                k -= 1
                is_changed = is_changed or common[k]
            if is_changed:
                k = start
                while not common[k]:
                    k += 1
                for b in range(i, row_end + 1):
                    total[b, k] = 0.0
                    for length in range(longest):
                        sums[b, k, length] = 0.0
                for d in range(k, far + 1):
                    for length in range(longest):
                        sums[i, d, length] = 0.0
                for b in range(i + 1, row_end + 1):
                    for d in range(k + 1, far + 1):
                        equal = left[b - 1] == right[d - 1]
                        ending = 0.0
                        value = 1.0 if equal else 0.0
                        for length in range(longest):
                            ending += value
                            before = sums[b - 1, d - 1, length]
                            sums[b, d, length] = (
                                value
                                + decay * (sums[b - 1, d, length] + sums[b, d - 1, length])
                                - decay * decay * before
                            )
                            value = before if equal else 0.0
                        total[b, d] = ending + total[b - 1, d] + total[b, d - 1] - total[b - 1, d - 1]
                k = start
            for row in range(row_first, row_last):
                for column in range(column_first, column_last):
                    out[row, column] = total[left_ends[row], right_ends[column]]
            column_last = column_first
        row_first = row_last


@compiled
def word_gram(words, offsets, left, right, decay, longest, out):
    """The Gram of two sets of substrings under `word_table`."""
    for g in range(len(left.sentences)):
        a = words[offsets[left.sentences[g]] : offsets[left.sentences[g] + 1]]
        rows = slice(left.offsets[g], left.offsets[g + 1])
        for h in range(len(right.sentences)):
            b = words[offsets[right.sentences[h]] : offsets[right.sentences[h] + 1]]
            columns = slice(right.offsets[h], right.offsets[h + 1])
            word_table(
                a, b, left.starts[rows], left.ends[rows], right.starts[columns], right.ends[columns], decay, longest,
                out[rows, columns],
            )  # fmt: skip


@compiled
def count_climbs(heads):
    """For every ordered pair of words: how many links the path from the first climbs until it turns down."""
    n = len(heads)
    up = np.zeros((n, n), dtype=np.int32)
    mark = np.full(n, -1, dtype=np.int32)
    for a in range(n):
        node, steps = a, 0
        for other in range(n):
            mark[other] = -1
        while node >= 0:
            mark[node] = steps
            node, steps = heads[node], steps + 1
        for b in range(n):
            node = b
            while mark[node] < 0:
                node = heads[node]
            up[a, b] = mark[node]
    return up


@compiled
def count_common_chains(left, left_heads, right, right_heads):
    """For every pair of words: how many words are equal one by one on the ways up from them, themselves included."""
    n, m = len(left), len(right)
    chain = np.zeros((n, m), dtype=np.int32)
    for a in range(n):
        for c in range(m):
            x, y, count = a, c, 0
            while x >= 0 and y >= 0 and left[x] == right[y]:
                x, y, count = left_heads[x], right_heads[y], count + 1
            chain[a, c] = count
    return chain


@compiled
def add_box(table, row, column, weight):
    """Add a weight to all places of a table from a row and a column on."""
    for b in range(row, len(table)):
        for d in range(column, table.shape[1]):
            table[b, d] += weight


@compiled
def path_table(
    left,
    left_heads,
    left_up,
    right,
    right_heads,
    right_up,
    left_starts,
    left_ends,
    right_starts,
    right_ends,
    powers,
    out,
):
    """Common dependency paths that begin and end inside the substrings; one of n links weighs powers[n].

    A path is the pair of its ends. While the start i of the left substring falls, ``inside[k]`` holds for every pair
    of last words the weight of the common paths that lie between: from i in the left sentence and from k in the right
    one. ``added`` are those of them that begin or end at i.
    """
    m = len(right)
    row_last = len(left_starts)
    n = 0
    for row in range(row_last):
        n = max(n, left_ends[row])  # the words after the last substring do not count
    chain = count_common_chains(left, left_heads, right, right_heads)
    inside = np.zeros((m, n, m))
    added = np.zeros((n, m))
    for i in range(n - 1, left_starts[0] - 1, -1):
        is_changed = False
        added[:] = 0.0
        for k in range(m - 1, -1, -1):
            if chain[i, k] > 0:
                add_box(added, i, k, 1.0)
                is_changed = True
            for b in range(i + 1, n):
                if chain[i, k] == 0 and chain[b, k] == 0:
                    continue
                up, down = left_up[i, b], left_up[b, i]
                for d in range(k + 1, m):
                    if chain[i, k] > up and chain[b, d] > down and right_up[k, d] == up and right_up[d, k] == down:
                        add_box(added, b, d, powers[up + down])
                        is_changed = True
                    if chain[i, d] > up and chain[b, k] > down and right_up[d, k] == up and right_up[k, d] == down:
                        add_box(added, b, d, powers[up + down])
                        is_changed = True
            if is_changed:
                for b in range(i, n):
                    for d in range(k, m):
                        inside[k, b, d] += added[b, d]
        row_first = row_last
        while row_first > 0 and left_starts[row_first - 1] == i:
            row_first -= 1
        for row in range(row_first, row_last):
            for column in range(len(right_starts)):
                out[row, column] = inside[right_starts[column], left_ends[row] - 1, right_ends[column] - 1]
        row_last = row_first


@compiled
def path_gram(words, heads, offsets, left, right, decay, out):
    """The Gram of two sets of substrings under `path_table`."""
    longest = 0
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    powers = decay ** np.arange(2 * longest + 1)
    climbs = [count_climbs(heads[offsets[s] : offsets[s + 1]]) for s in right.sentences]
    for g in range(len(left.sentences)):
        here = slice(offsets[left.sentences[g]], offsets[left.sentences[g] + 1])
        left_up = count_climbs(heads[here])
        rows = slice(left.offsets[g], left.offsets[g + 1])
        for h in range(len(right.sentences)):
            there = slice(offsets[right.sentences[h]], offsets[right.sentences[h] + 1])
            columns = slice(right.offsets[h], right.offsets[h + 1])
            path_table(
                words[here], heads[here], left_up, words[there], heads[there], climbs[h],
                left.starts[rows], left.ends[rows], right.starts[columns], right.ends[columns], powers,
                out[rows, columns],
            )  # fmt: skip


@compiled
def number_inner_nodes(firsts, children, first, last, roots):
    """Number the nodes with children in the trees with these roots, from 1 on, children first; all others have 0.

    ``first`` and ``last`` are the nodes of their sentence.
    """
    n = last - first
    numbers = np.zeros(n, np.int64)
    for root in roots:
        numbers[root] = 1
    for x in range(n - 1, -1, -1):
        if numbers[x] > 0:
            for c in range(firsts[first + x], firsts[first + x + 1]):
                numbers[children[c]] = 1
    count = 0
    for x in range(n):
        if numbers[x] > 0:
            is_inner = firsts[first + x] < firsts[first + x + 1]
            count += is_inner
            numbers[x] = count if is_inner else 0
    return numbers


@compiled
def list_inner_nodes(shapes, firsts, children, here, numbers):
    """The shapes and the children of the nodes that `number_inner_nodes` has numbered, by their numbers."""
    n, size = 1, 0
    for place in range(len(numbers)):
        if numbers[place] > 0:
            n += 1
            size += firsts[here + place + 1] - firsts[here + place]
    own, offsets, below = np.zeros(n, np.int64), np.zeros(n + 1, np.int64), np.zeros(size, np.int64)
    count = 0
    for place in range(len(numbers)):
        if numbers[place] > 0:
            own[numbers[place]] = shapes[here + place]
            for c in range(firsts[here + place], firsts[here + place + 1]):
                below[count] = numbers[children[c]]
                count += 1
            offsets[numbers[place] + 1] = count
    return own, offsets, below


@compiled
def tree_table(
    shapes, firsts, children, here, own, other_shapes, other_offsets, others, plain, decay, tables, roots, owners
):
    """Fill tables over the nodes of two sentences, which `number_inner_nodes` has numbered.

    The right nodes are those of `list_inner_nodes`. The ``tables`` are: the fragments that two nodes have in common,
    those that a left node has in common with a right node and all nodes below it, and those that both nodes and all
    nodes below them have in common. Row 0 and column 0 are for words, which are in no fragment of their own.

    Most left nodes have a shape that no right node has: ``plain`` is 0, and only the nodes below them count. The
    others have a row of their own, but nodes over words alone share the row ``plain`` of their shape. ``roots`` is the
    row of a node in the first table, or 0. ``owners`` is that in the last one, or that of the only node below it that
    has one, or 0.
    """
    rooted, beside, total = tables
    columns = len(other_shapes)
    for node in range(len(own)):
        x = own[node]
        if x == 0:
            continue
        first, last = firsts[here + node], firsts[here + node + 1]
        shape = shapes[here + node]
        roots[x] = owners[x] = 0
        if plain[shape] > 0:
            is_plain = True
            for c in range(first, last):
                is_plain = is_plain and own[children[c]] == 0
            row = plain[shape] if is_plain else x
            roots[x] = owners[x] = row
            if is_plain and rooted[row, 0] > 0.0:  # it is filled: no value belongs into this column
                continue
            rooted[row, 0] = 1.0 if is_plain else 0.0
            for y in range(1, columns):
                value = 0.0
                if shape == other_shapes[y]:
                    value = decay
                    for c in range(last - first):
                        below = others[other_offsets[y] + c]
                        if below > 0:
                            value *= 1.0 + rooted[roots[own[children[first + c]]], below]
                rooted[row, y] = value
                for d in range(other_offsets[y], other_offsets[y + 1]):
                    value += beside[row, others[d]]
                beside[row, y] = value
                total[row, y] = value
        for c in range(first, last):
            below = owners[own[children[c]]]
            if below == 0:
                continue
            if owners[x] == 0:
                owners[x] = below
                continue
            if owners[x] != x:
                for y in range(columns):
                    total[x, y] = total[owners[x], y]
                owners[x] = x
            for y in range(columns):
                total[x, y] += total[below, y]


@compiled
def tree_gram(trees, left_nodes, right_nodes, left, right, decay, out):
    """The Gram of substrings whose trees share their nodes, under Collins and Duffy's kernel.

    ``trees`` is a `rekern.krisp.sentence_corpus.TreeArrays`; ``left_nodes`` and ``right_nodes`` are the roots of the
    trees of the substrings. Only nodes of these trees are compared.
    """
    shapes, firsts, children, offsets = trees.shapes, trees.child_offsets, trees.children, trees.offsets
    rows = 1
    owns = []
    for g in range(len(left.sentences)):
        here = offsets[left.sentences[g]]
        nodes = left_nodes[left.offsets[g] : left.offsets[g + 1]]
        owns.append(number_inner_nodes(firsts, children, here, offsets[left.sentences[g] + 1], nodes))
        rows = max(rows, owns[g].max() + 1)
    n_unknown = -min(0, shapes.min())  # their shapes are below 0: the last places of ``plain``
    plain = np.zeros(max(0, shapes.max() + 1) + n_unknown, np.int64)
    roots, owners = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    for h in range(len(right.sentences)):
        there, until = offsets[right.sentences[h]], offsets[right.sentences[h] + 1]
        nodes = right_nodes[right.offsets[h] : right.offsets[h + 1]]
        other = number_inner_nodes(firsts, children, there, until, nodes)
        other_shapes, other_offsets, others = list_inner_nodes(shapes, firsts, children, there, other)
        for y in range(1, len(other_shapes)):
            plain[other_shapes[y]] = rows + y - 1  # nodes with the same shape share the last row
        size = (rows + len(other_shapes) - 1, len(other_shapes))
        tables = np.zeros(size), np.zeros(size), np.zeros(size)
        for g in range(len(left.sentences)):
            own = owns[g]
            here = offsets[left.sentences[g]]
            tree_table(
                shapes, firsts, children, here, own, other_shapes, other_offsets, others, plain, decay, tables, roots,
                owners,
            )  # fmt: skip
            for row in range(left.offsets[g], left.offsets[g + 1]):
                found = owners[own[left_nodes[row]]]
                for column in range(right.offsets[h], right.offsets[h + 1]):
                    out[row, column] = tables[2][found, other[right_nodes[column]]]
        for y in range(1, len(other_shapes)):
            plain[other_shapes[y]] = 0


@compiled
def add_scaled(values, rows, columns, total):
    """Add to a matrix the values with a factor for each row and one for each column."""
    for row in range(len(rows)):
        for column in range(len(columns)):
            total[row, column] += values[row, column] * rows[row] * columns[column]
