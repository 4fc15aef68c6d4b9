"""What two trees share, fragment by fragment, as text: the terms of the sums that the tree kernels compute.

Every function goes over the pairs of nodes with equal labels from the leaves up. At each pair it keeps the ``beam``
heaviest fragments that are rooted there. Many pairs have the same fragments: a list of them is made once, and counted.
Labels of both trees are numbered alike; the right vocabulary has all of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable

from rekern.kernels.trees.fragment_table import (
    NO_CHILDREN,
    FragmentTable,
    find_heaviest,
    keep_heaviest,
    multiply_heaviest,
    sort_by_weight,
    write_fragment,
)
from rekern.kernels.trees.node_pairs import NodePairs, Similar, list_children
from rekern.kernels.trees.partial_tree_core import PartialTreeWeights
from rekern.structures.trees import Trees

Weights = dict[int, float]
RootedFragments = list[tuple[int, float]]  # fragments with the same root, and their weights

NOTHING = -1  # instead of the number of a list


class SharedLists:
    """Lists of fragments by what they are made of, and how often each occurs.

    >>> lists = SharedLists()
    >>> lists.add("a leaf", [(7, 0.5)])
    >>> lists.count("a leaf"), lists.count("a leaf"), lists[0]
    (0, 0, [(7, 0.5)])
    >>> dict(lists.sum_weights())
    {7: 1.0}
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._lists: list[RootedFragments] = []
        self._counts: list[int] = []

    def __contains__(self, source: Hashable) -> bool:
        return source in self._numbers

    def add(self, source: Hashable, fragments: RootedFragments) -> None:
        """Add the list that is made of this source, which does not occur yet."""
        self._numbers[source] = len(self._lists)
        self._lists.append(fragments)
        self._counts.append(0)

    def count(self, source: Hashable) -> int:
        """Return the number of the list that is made of this source, which occurs once more."""
        number = self._numbers[source]
        self._counts[number] += 1
        return number

    def __getitem__(self, number: int) -> RootedFragments:
        return self._lists[number]

    def sum_weights(self) -> Weights:
        """Return the sum of the weights of each fragment over all occurrences of all lists."""
        total: Weights = defaultdict(float)
        for fragments, count in zip(self._lists, self._counts):
            for fragment, weight in fragments:
                total[fragment] += count * weight
        return total


def list_subset_trees(
    left: Trees, right: Trees, decay: float, words: bool, beam: int, n: int | None
) -> dict[str, float]:
    """Return the fragments of whole productions; a bare label is a leaf, or a node that is not followed further."""
    names = right.vocabulary
    table = FragmentTable()
    lists = SharedLists()
    rooted: dict[tuple[int, int], int] = {}
    pairs = NodePairs(left, right)
    beam = pairs.limit_beam(beam)
    leaves: Weights = defaultdict(float)
    productions: dict[tuple[int, ...], int] = {}
    ones, others = (_number_productions(trees, productions) for trees in (left, right))
    for x, y in pairs:
        if ones[x] != others[y]:
            continue
        label = names[left.labels[x]]
        kids, kids2 = list_children(left, x), list_children(right, y)
        if not kids:
            if words:
                leaves[table.add_fragment(label)] += decay
            continue
        below = tuple(rooted.pop(pair, NOTHING) for pair in zip(kids, kids2))
        source = ones[x], below
        if source not in lists:
            options = [
                [(table.add_fragment(names[left.labels[child]]), 1.0), *(lists[number] if number != NOTHING else ())]
                for child, number in zip(kids, below)
            ]
            lists.add(source, _join_whole_production(table, label, options, decay, beam))
        rooted[x, y] = lists.count(source)
    return find_heaviest(lists.sum_weights() | leaves, n, table.write)


def _join_whole_production(
    table: FragmentTable, label: str, options: list[RootedFragments], decay: float, beam: int
) -> RootedFragments:
    """Return the fragments with this root, and one of the options for each child."""
    found = [(NO_CHILDREN, decay)]
    for fragments in options:
        joined = multiply_heaviest(found, sorted(fragments, key=lambda item: -item[1]), beam)
        found = [(table.add_child(before, fragment), weight) for before, fragment, weight in joined]
        found.sort(key=lambda item: -item[1])
    return [(table.add_fragment(label, children), weight) for children, weight in found]


def _number_productions(trees: Trees, productions: dict[tuple[int, ...], int]) -> list[int]:
    """Return for every node the number of its label with the labels of its children; new ones are added."""
    labels = trees.labels.tolist()
    numbers = []
    for node, label in enumerate(labels):
        kids = list_children(trees, node)
        numbers.append(productions.setdefault((label, *labels[kids.start : kids.stop]), len(productions)))
    return numbers


def list_complete_subtrees(left: Trees, right: Trees, decay: float, n: int | None) -> dict[str, float]:
    """Return the complete subtrees, except bare leaves."""
    table = FragmentTable()
    sizes: dict[int, int] = {}  # nodes with children
    one, other = (Counter(_number_subtrees(trees, right.vocabulary, table, sizes)) for trees in (left, right))
    shared = {number: one[number] * other[number] * decay ** sizes[number] for number in one if number in other}
    return find_heaviest(shared, n, table.write)


def _number_subtrees(trees: Trees, names: list[str], table: FragmentTable, sizes: dict[int, int]) -> Iterable[int]:
    """Yield the number of the subtree below every node with children."""
    numbers: dict[int, int] = {}
    for node in range(len(trees.labels) - 1, -1, -1):
        children, size = NO_CHILDREN, 0
        for kid in list_children(trees, node):
            children, size = table.add_child(children, numbers[kid]), size + sizes[numbers.pop(kid)]
        numbers[node] = table.add_fragment(names[trees.labels[node]], children)
        sizes[numbers[node]] = size + (children != NO_CHILDREN)
        if children != NO_CHILDREN:
            yield numbers[node]


def write_subtrees(trees: Trees, nodes: Iterable[int]) -> list[str]:
    """Return the complete subtrees below some nodes as text.

    >>> write_subtrees(Trees.from_items(["(a (b c) d)"]), [0, 1])
    ['(a (b c) d)', '(b c)']
    """
    names = [trees.vocabulary[label] for label in trees.labels.tolist()]
    children = [range(first, first + count) for first, count in zip(trees.first.tolist(), trees.count.tolist())]
    return [write_fragment(root, lambda node: (names[node], children[node])) for root in nodes]


def list_partial_trees(
    left: Trees, right: Trees, weights: PartialTreeWeights, similar: Similar, beam: int, n: int | None
) -> dict[str, float]:
    """Return the fragments of any children in order; two labels that are only similar are written ``one~other``."""
    names = right.vocabulary
    table = FragmentTable()
    lists = SharedLists()
    rooted: dict[tuple[int, int], int] = {}
    pairs = NodePairs(left, right, similar)
    beam = pairs.limit_beam(beam)
    for x, y in pairs:
        one, other = int(left.labels[x]), int(right.labels[y])
        kids, kids2 = list_children(left, x), list_children(right, y)
        below = tuple(rooted.pop((child, child2), NOTHING) for child in kids for child2 in kids2)
        source = one, other, len(kids2), below
        if source not in lists:
            label = names[one] if one == other else f"{names[one]}~{names[other]}"
            factor = similar(one, other) * weights.mu
            single = factor * weights.decay**2
            found: Weights = {table.add_fragment(label): single if below else weights.terminal * single}
            cells = [lists[number] if number != NOTHING else None for number in below]
            rows = [cells[start : start + len(kids2)] for start in range(0, len(cells), len(kids2) or 1)]
            for children, weight in _join_children(table, rows, weights, beam).items():
                found[table.add_fragment(label, children)] = factor * weight
            lists.add(source, sort_by_weight(found, beam))
        rooted[x, y] = lists.count(source)
    return find_heaviest(lists.sum_weights(), n, table.write)


def _join_children(
    table: FragmentTable,
    below: list[list[RootedFragments | None]],
    weights: PartialTreeWeights,
    beam: int,
) -> Weights:
    """Return the sequences of children that two nodes share, with their weights.

    ``below[i][j]`` has the fragments of child i of the one node and child j of the other, or None. Lodhi's recursion:
    ``above[j]`` has the sequences that end before the next row and before column j, reduced for the gap.
    """
    decay, factor, longest = weights.decay, weights.factor, weights.longest
    total: Weights = defaultdict(float)
    above: list[Weights] = [{} for _ in range(len(below[0]) + 1)] if below else []
    for row in below:
        ends: list[Weights] = []
        for column, fragments in enumerate(row):
            here: Weights = {}
            if fragments is not None:
                for fragment, weight in fragments:
                    here[table.add_child(NO_CHILDREN, fragment)] = factor * weight
                befores = above[column]
                if longest:
                    befores = {before: weight for before, weight in befores.items() if table.lengths[before] < longest}
                if befores:
                    for before, fragment, weight in multiply_heaviest(sort_by_weight(befores, beam), fragments, beam):
                        here[table.add_child(before, fragment)] = factor * weight
                here = keep_heaviest(here, beam)
                for children, weight in here.items():
                    total[children] += weight
            ends.append(here)
        left: Weights = {}
        for column, here in enumerate(ends, 1):
            left = _add_weights(left, decay, here, beam)
            above[column] = _add_weights(above[column], decay, left, beam)
    return total


def _add_weights(old: Weights, decay: float, new: Weights, beam: int) -> Weights:
    """Return ``decay · old + new``, the heaviest."""
    if not old:
        return new
    added = {number: decay * weight for number, weight in old.items()}
    for number, weight in new.items():
        added[number] = added.get(number, 0.0) + weight
    return keep_heaviest(added, beam)
