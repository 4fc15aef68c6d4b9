"""The fragments that two trees share, listed one by one for every pair of nodes, with what each adds to the kernel."""

from collections import defaultdict
from itertools import combinations, product
from math import prod

from reference.trees import nodes, production


def write(fragment):
    """A fragment (label, children) in brackets; a child without children is only its label."""
    label, children = fragment
    inside = "".join(" " + (write(child) if child[1] else child[0]) for child in children)
    return f"({label}{inside})"


def sum_up(fragments):
    total = defaultdict(float)
    for fragment, weight in fragments:
        total[write(fragment)] += weight
    return dict(total)


def subset_trees(a, b, decay, words=False):
    """Whole productions: each child is a bare label, or goes on with a production of its own."""

    def rooted(x, y):
        if not x[1] or production(x) != production(y):
            return []
        options = [[((left[0], ()), 1.0), *rooted(left, right)] for left, right in zip(x[1], y[1])]
        return [
            ((x[0], tuple(child for child, _ in chosen)), decay * prod(weight for _, weight in chosen))
            for chosen in product(*options)
        ]

    pairs = [(x, y) for x in nodes(a) for y in nodes(b)]
    leaves = [((x[0], ()), decay) for x, y in pairs if words and not x[1] and not y[1] and x[0] == y[0]]
    return sum_up([*leaves, *(found for pair in pairs for found in rooted(*pair))])


def partial_trees(a, b, decay, mu, gaps="skipped", max_children=None, terminal_factor=1, similarity=None):
    """Any children in order, every pair of equally long subsequences of them."""

    def sigma(x, y):
        return (1 if x == y else 0) if similarity is None else similarity(x, y)

    def rooted(x, y):
        factor = sigma(x[0], y[0]) * mu
        if factor == 0:
            return []
        label = x[0] if x[0] == y[0] else f"{x[0]}~{y[0]}"
        found = [((label, ()), factor * decay**2 * (1 if x[1] and y[1] else terminal_factor))]
        table = [[rooted(left, right) for right in y[1]] for left in x[1]]
        for length in range(1, min(len(x[1]), len(y[1]), max_children or len(x[1])) + 1):
            for rows, columns in product(
                combinations(range(len(x[1])), length), combinations(range(len(y[1])), length)
            ):
                spans = rows[-1] - rows[0] + 1 + columns[-1] - columns[0] + 1
                power = decay ** (spans if gaps == "span" else spans - 2 * length)
                for chosen in product(*(table[i][j] for i, j in zip(rows, columns))):
                    children = tuple(child for child, _ in chosen)
                    found.append(((label, children), factor * power * prod(weight for _, weight in chosen)))
        return found

    return sum_up(found for x in nodes(a) for y in nodes(b) for found in rooted(x, y))
