"""Kernels on pairs from a kernel on texts, and what two trees share, straight from the definitions."""

from decimal import Decimal, getcontext

from reference.trees import read, written

getcontext().prec = 60


def pair_value(name, kernel, a, b, c=100):
    """The kernel called ``name`` of two pairs, from a function of two texts."""
    straight = kernel(a[0], b[0]), kernel(a[1], b[1])
    crossed = kernel(a[0], b[1]), kernel(a[1], b[0])
    if name == "PairSum":
        return straight[0] + straight[1]
    if name == "PairProduct":
        return straight[0] * straight[1]
    if name == "AllSum":
        return straight[0] + straight[1] + crossed[0] + crossed[1]
    x, y = straight[0] * straight[1], crossed[0] * crossed[1]
    if name == "AllProduct":
        return x + y
    if name == "BestPairing":
        return max(x, y)
    assert name == "SoftPairing"
    # With so many digits the powers of e can be written down as in the paper.
    powers = (Decimal(c) * Decimal(x)).exp() + (Decimal(c) * Decimal(y)).exp()
    return float(powers.ln() / Decimal(c))


def above(tree):
    """Every leaf of a tree with its parent and its grandparent, each None where there is none, as paths."""
    found = []

    def visit(node, path):
        for place, child in enumerate(node[1]):
            visit(child, (*path, place))
        if not node[1]:
            found.append((node[0], path[:-1] if path else None, path[:-2] if len(path) > 1 else None))

    if tree is not None:
        visit(tree, ())
    return found


def marked(tree, paths):
    """The tree with ``-REL`` at these paths."""

    def visit(node, path):
        label = node[0] + "-REL" if path in paths and not node[0].endswith("-REL") else node[0]
        return label, [visit(child, (*path, place)) for place, child in enumerate(node[1])]

    return visit(tree, ())


def mark_related(a, b, key=lambda leaf: leaf, counts=lambda leaf: True):
    """Both trees, in brackets, with the parents and grandparents of shared leaves marked."""
    one, other = read(a), read(b)
    words = [{key(leaf) for leaf, *_ in above(tree) if counts(leaf)} for tree in (one, other)]
    found = []
    for tree in (one, other):
        shared = [paths for leaf, *paths in above(tree) if counts(leaf) and key(leaf) in words[0] & words[1]]
        found.append("()" if tree is None else written(marked(tree, {path for paths in shared for path in paths})))
    return tuple(found)


def linked_graph(a, b, link):
    """The nodes of both trees, breadth first, and the edges between them, as sets of numbers and labels."""
    labels, edges, leaves = [], set(), []
    for text, plain in zip(mark_related(a, b) if link == "rel" else (a, b), (a, b)):
        tree, queue, places = read(text), [], {}
        if tree is None:
            leaves.append([])
            continue
        queue = [(tree, (), None)]
        for node, path, parent in queue:
            places[path] = len(labels)
            if parent is not None:
                edges.add((places[parent], places[path], ""))
            labels.append(node[0])
            queue.extend((child, (*path, place), path) for place, child in enumerate(node[1]))
        leaves.append([])
        for path in places:
            leaf = leaf_at(read(plain), path)
            if leaf is not None:
                up = path[:-1] if path else None, path[:-2] if len(path) > 1 else None
                own = [path] if link == "words" else up
                leaves[-1].append((leaf, [places.get(place) for place in own]))
    for leaf, mine in leaves[0]:
        for other, theirs in leaves[1]:
            if leaf == other:
                edges |= {(x, y, "same") for x, y in zip(mine, theirs) if x is not None and y is not None}
    return labels, edges


def leaf_at(tree, path):
    """The label of the leaf at a path; None if there is a node with children."""
    for place in path:
        tree = tree[1][place]
    return None if tree[1] else tree[0]
