"""Tree kernels straight from their definitions: recursive, over all node pairs, subsequences listed one by one."""

from fractions import Fraction
from itertools import combinations


def read(text):
    """A bracketed tree as (label, children), children a list of such pairs; None for the empty tree."""
    tokens = text.replace("(", " ( ").replace(")", " ) ").split()
    place = 0

    def node():
        nonlocal place
        if tokens[place] != "(":
            place += 1
            return (tokens[place - 1], [])
        place += 1
        label = tokens[place]
        place += 1
        children = []
        while tokens[place] != ")":
            children.append(node())
        place += 1
        return (label, children)

    return node() if tokens not in ([], ["(", ")"]) else None


def written(tree):
    """The tree in brackets again, every node in a bracket of its own."""
    return f"({tree[0]}{''.join(' ' + written(child) for child in tree[1])})"


def nodes(tree):
    """All nodes, the root first."""
    return [] if tree is None else [tree, *(found for child in tree[1] for found in nodes(child))]


def production(node):
    return node[0], [child[0] for child in node[1]]


def inner(node):
    """How many nodes have children."""
    return sum(1 for found in nodes(node) if found[1])


def subtree(a, b, decay):
    """Complete subtrees: equal ones weigh the decay for each node that has children; bare leaves do not count."""
    return sum(decay ** inner(x) for x in nodes(a) for y in nodes(b) if x[1] and x == y)


def subset_tree(a, b, decay, words=False):
    """Collins and Duffy: whole productions."""

    def delta(x, y):
        if not x[1] or production(x) != production(y):
            return 0
        product = decay
        for left, right in zip(x[1], y[1]):
            product *= 1 + delta(left, right)
        return product

    total = sum(delta(x, y) for x in nodes(a) for y in nodes(b))
    if words:
        total += sum(decay for x in nodes(a) for y in nodes(b) if not x[1] and not y[1] and x[0] == y[0])
    return total


def partial_tree(a, b, decay, mu, gaps="skipped", max_children=None, terminal_factor=1, similarity=None):
    """Moschitti's partial trees, every pair of equally long child subsequences listed; smoothed with a similarity."""

    def sigma(x, y):
        return (1 if x == y else 0) if similarity is None else similarity(x, y)

    def delta(x, y):
        if sigma(x[0], y[0]) == 0:
            return 0
        if not x[1] or not y[1]:
            return sigma(x[0], y[0]) * terminal_factor * mu * decay**2
        table = [[delta(left, right) for right in y[1]] for left in x[1]]
        total = decay**2
        longest = min(len(x[1]), len(y[1]), max_children or len(x[1]))
        for length in range(1, longest + 1):
            for rows in combinations(range(len(x[1])), length):
                for columns in combinations(range(len(y[1])), length):
                    spans = rows[-1] - rows[0] + 1 + columns[-1] - columns[0] + 1
                    weight = decay ** (spans if gaps == "span" else spans - 2 * length)
                    for i, j in zip(rows, columns):
                        weight *= table[i][j]
                    total += weight
        return sigma(x[0], y[0]) * mu * total

    return sum(delta(x, y) for x in nodes(a) for y in nodes(b))


def paths(tree):
    """All paths, as (words going up to the highest node, words going down from it), a single word included once."""
    found = []
    downward = {}

    def visit(node):
        below = []
        for child in node[1]:
            visit(child)
            below.append([(child[0],), *((child[0], *rest) for rest in downward[id(child)])])
        downward[id(node)] = [path for branch in below for path in branch]
        found.append(((), node[0], ()))
        found.extend(((), node[0], path) for path in downward[id(node)])
        for one, other in combinations(range(len(below)), 2):
            found.extend((up, node[0], down) for up in below[one] for down in below[other])

    if tree is not None:
        visit(tree)
    return found


def dependency_paths(a, b, decay):
    """Kate's paths, counted by listing them; a path of n links weighs decay ** n, read in either direction."""
    total = 0
    others = paths(b)
    for up, top, down in paths(a):
        for up2, top2, down2 in others:
            if top == top2:
                # A path with two branches may lie on the other tree the other way round. When both branches are equal
                # in words, each of the two ways to lay one on the other is a common path of its own.
                ways = ((up, down) == (up2, down2)) + (bool(up and down) and (up, down) == (down2, up2))
                if ways:
                    total += ways * decay ** (len(up) + len(down))
    return total


def dependency_paths_recursive(a, b, decay, printed=False):
    """Kate's recursion, with the weights that the paper prints or with those of the definition."""
    middle = decay if printed else decay**2

    def cdp(x, y):
        return sum(decay + decay * cdp(c, d) for c in x[1] for d in y[1] if c[0] == d[0])

    def cpp(x, y):
        matched = [(i, j) for i, c in enumerate(x[1]) for j, d in enumerate(y[1]) if c[0] == d[0]]
        total = cdp(x, y)
        for (i, j), (k, m) in combinations(matched, 2):
            if i != k and j != m:
                one, other = cdp(x[1][i], y[1][j]), cdp(x[1][k], y[1][m])
                total += decay**2 + middle * one + middle * other + decay**2 * one * other
        return total

    return sum(1 + cpp(x, y) for x in nodes(a) for y in nodes(b) if x[0] == y[0])


def exact(value):
    """A decimal fraction as it is written, so that sums of powers are exact."""
    return Fraction(str(value))
