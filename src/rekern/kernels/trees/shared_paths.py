"""The paths that two dependency trees share, as text: the terms of the sum that `DependencyPaths` computes.

A path goes from one word up to the highest one and down to another. Its two branches start at different children of
the highest word, in both trees. The heaviest pairs of branches are found first.

Words with the same label and the same words below them are of one kind. Pairs of kinds are compared instead of pairs of
words, and counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from rekern.core.arrays import Floats
from rekern.kernels.trees.fragment_table import NO_CHILDREN, find_heaviest, multiply_heaviest, sort_by_weight
from rekern.kernels.trees.node_pairs import NodePairs, list_children
from rekern.structures.trees import Trees

FEW = 64  # products that are summed one by one

Cells = list[tuple[int, int, float]]  # kinds of two children, and the weight of a branch that starts with them
Children = tuple[tuple[int, int], ...]  # their kinds, and how many there are of each
SharedPath = tuple[int, int, int]  # the label of the highest word, and the numbers of both branches


class _Branches:
    """Branches as numbers: a label and the branch below it."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, int], int] = {}
        self.steps: list[tuple[int, int]] = [(-1, NO_CHILDREN)]

    def add(self, label: int, rest: int) -> int:
        """Return the number of the branch that starts with this label."""
        number = self._numbers.setdefault((label, rest), len(self.steps))
        if number == len(self.steps):
            self.steps.append((label, rest))
        return number

    def list_words(self, branch: int, names: list[str]) -> list[str]:
        """Return the words of a branch from the top."""
        words = []
        while branch != NO_CHILDREN:
            label, branch = self.steps[branch]
            words.append(names[label])
        return words


class _Kinds:
    """The kinds of the words of both trees as numbers, children before their parents."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, Children], int] = {}
        self.labels: list[int] = []
        self.children: list[Children] = []
        self.widths: list[int] = []  # how many children

    def count(self, trees: Trees) -> Counter[int]:
        """Return how many words of a tree are of each kind; new kinds are added."""
        labels = trees.labels.tolist()
        kinds = [0] * len(labels)
        for node in range(len(labels) - 1, -1, -1):
            kids = list_children(trees, node)
            children = tuple(sorted(Counter(kinds[kids.start : kids.stop]).items()))
            kinds[node] = self._numbers.setdefault((labels[node], children), len(self.labels))
            if kinds[node] == len(self.labels):
                self.labels.append(labels[node])
                self.children.append(children)
                self.widths.append(len(kids))
        return Counter(kinds)

    def group_children(self, kind: int) -> dict[int, Children]:
        """Return the children of a kind by their labels."""
        groups = defaultdict(list)
        for child in self.children[kind]:
            groups[self.labels[child[0]]].append(child)
        return {label: tuple(group) for label, group in groups.items()}


def list_dependency_paths(
    left: Trees, right: Trees, decay: float, middle: float, beam: int, n: int | None
) -> dict[str, float]:
    """Return the paths; an arrow points from a word to the word that it depends on."""
    names = right.vocabulary
    branches = _Branches()
    total: dict[SharedPath, float] = defaultdict(float)
    beam = NodePairs(left, right).limit_beam(beam)
    kinds = _Kinds()
    counts, counts2 = kinds.count(left), kinds.count(right)
    groups, groups2 = ({kind: kinds.group_children(kind) for kind in found} for found in (counts, counts2))
    partners: dict[int, list[int]] = defaultdict(list)
    for y in sorted(counts2):
        partners[kinds.labels[y]].append(y)
    parents = {child: x for x in sorted(counts) for child, _ in kinds.children[x]}  # the last kind with such a child
    downward: dict[int, dict[int, list[tuple[int, float]]]] = defaultdict(dict)
    for x in sorted(counts):
        top = kinds.labels[x]
        for y in partners[top]:
            times = counts[x] * counts2[y]
            total[top, NO_CHILDREN, NO_CHILDREN] += times
            cells: dict[int, Cells] = defaultdict(list)
            weights: dict[int, float] = defaultdict(float)
            for label, kids in groups[x].items():
                bare = branches.add(label, NO_CHILDREN)
                for child, number in kids:
                    below = downward.get(child, {})
                    for child2, number2 in groups2[y].get(label, ()):
                        cells[bare].append((child, child2, decay))
                        weights[bare] += number * number2 * decay
                        for rest, weight in below.get(child2, ()):
                            branch = branches.add(label, rest)
                            cells[branch].append((child, child2, decay * weight))
                            weights[branch] += number * number2 * (decay * weight)
            if not weights:
                continue
            downward[x][y] = sort_by_weight(weights, beam)
            for branch, weight in downward[x][y]:
                total[top, NO_CHILDREN, branch] += times * weight
            if kinds.widths[x] < 2 or kinds.widths[y] < 2:
                continue
            places = _Places(cells, kinds.children[x], kinds.children[y])
            short = {branch: weight for branch, weight in weights.items() if branches.steps[branch][1] == NO_CHILDREN}
            long = {branch: weight for branch, weight in weights.items() if branch not in short}
            mixed = middle / (decay * decay)
            for one, other, factor in ((short, short, 1.0), (short, long, mixed), (long, long, 1.0)):
                if not one or not other:
                    continue
                found = multiply_heaviest(sort_by_weight(one, len(one)), sort_by_weight(other, len(other)), 2 * beam)
                for branch, branch2, product in found:
                    if one is other and branch > branch2:
                        continue  # the same path from its other end
                    if branches.steps[branch][0] == branches.steps[branch2][0]:
                        product = places.sum_apart(branch, branch2) / (2 if branch == branch2 else 1)
                    if product > 0:
                        total[top, min(branch, branch2), max(branch, branch2)] += times * factor * product
        for child, _ in kinds.children[x]:
            if parents[child] == x:
                downward.pop(child, None)

    def write(path: SharedPath) -> str:
        return _write_path(branches.list_words(path[1], names), names[path[0]], branches.list_words(path[2], names))

    return find_heaviest(total, n, write)


class _Places:
    """Where the branches below two words start, and how many children there are of each kind."""

    def __init__(self, cells: dict[int, Cells], children: Children, children2: Children):
        self._cells = cells
        self._numbers, self._numbers2 = dict(children), dict(children2)
        self._rows = {child: row for row, (child, _) in enumerate(children)}
        self._columns = {child: column for column, (child, _) in enumerate(children2)}
        self._others: dict[int, Floats] = {}

    def sum_apart(self, branch: int, branch2: int) -> float:
        """Return the sum of the products of all cells of one and of the other branch with no child in common."""
        few, many = sorted((branch, branch2), key=lambda found: len(self._cells[found]))
        if len(self._cells[few]) * len(self._cells[many]) <= FEW:
            return sum(
                self._count(child, child2) * weight * self._count_others(child, child2, before, before2) * weight2
                for child, child2, weight in self._cells[few]
                for before, before2, weight2 in self._cells[many]
            )
        if many not in self._others:
            self._others[many] = self._sum_others(many)
        others = self._others[many]
        return sum(
            self._count(child, child2) * weight * float(others[self._rows[child], self._columns[child2]])
            for child, child2, weight in self._cells[few]
        )

    def _count(self, child: int, child2: int) -> int:
        return self._numbers[child] * self._numbers2[child2]

    def _count_others(self, child: int, child2: int, other: int, other2: int) -> int:
        return (self._numbers[other] - (child == other)) * (self._numbers2[other2] - (child2 == other2))

    def _sum_others(self, branch: int) -> Floats:
        """Return for each two children the sum of the cells of a branch with two other children."""
        grid = np.zeros((len(self._rows), len(self._columns)))
        for child, child2, weight in self._cells[branch]:
            grid[self._rows[child], self._columns[child2]] = weight
        heights, widths = (np.array(list(found.values()), float) for found in (self._numbers, self._numbers2))
        return _sum_other_rows(_sum_other_rows(grid, heights).T, widths).T


def _sum_other_rows(grid: Floats, numbers: Floats) -> Floats:
    """Return for each cell the sum of the other cells of its column, of which there are some in each row.

    Nothing but whole numbers is subtracted, so nothing is lost.
    """
    weights = numbers[:, None] * grid
    others = (numbers[:, None] - 1) * grid
    others[1:] += np.cumsum(weights[:-1], axis=0)
    others[:-1] += np.cumsum(weights[:0:-1], axis=0)[::-1]
    return others


def _write_path(one: list[str], top: str, other: list[str]) -> str:
    """Return a path as text; the text does not depend on the end from which it is read."""
    if not one or (other and other < one):
        one, other = other, one
    return " ← ".join([" → ".join([*reversed(one), top]), *other])
