"""The paths that two dependency trees share, as text: the terms of the sum that `DependencyPaths` computes.

A path goes from one word up to the highest one and down to another. Its two branches start at different children of
the highest word, in both trees. Of all pairs of branches, the heaviest are looked for first.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from rekern.core.arrays import Floats
from rekern.kernels.trees.fragment_table import NO_CHILDREN, find_heaviest, multiply_heaviest, sort_by_weight
from rekern.kernels.trees.node_pairs import NodePairs, list_children
from rekern.structures.trees import Trees

FEW = 64  # products that are summed one by one

Cells = list[tuple[int, int, float]]  # two children, and the weight of a branch that starts with them
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


def list_dependency_paths(
    left: Trees, right: Trees, decay: float, middle: float, beam: int, n: int | None
) -> dict[str, float]:
    """Return the paths; an arrow points from a word to the word that it depends on."""
    names = right.vocabulary
    branches = _Branches()
    total: dict[SharedPath, float] = defaultdict(float)
    downward: dict[tuple[int, int], list[tuple[int, float]]] = {}
    pairs = NodePairs(left, right)
    beam = pairs.limit_beam(beam)
    labels, labels2 = left.labels.tolist(), right.labels.tolist()
    for x, y in pairs:
        top = labels[x]
        total[top, NO_CHILDREN, NO_CHILDREN] += 1.0
        kids, kids2 = list_children(left, x), list_children(right, y)
        if not kids or not kids2:
            continue
        cells: dict[int, Cells] = defaultdict(list)
        for child in kids:
            for child2 in kids2:
                if labels[child] == labels2[child2]:
                    cells[branches.add(labels[child], NO_CHILDREN)].append((child, child2, decay))
                    for rest, weight in downward.pop((child, child2), ()):
                        cells[branches.add(labels[child], rest)].append((child, child2, decay * weight))
        weights = {branch: sum(weight for *_, weight in places) for branch, places in cells.items()}
        downward[x, y] = sort_by_weight(weights, beam)
        for branch, weight in downward[x, y]:
            total[top, NO_CHILDREN, branch] += weight
        if left.count[x] < 2 or right.count[y] < 2:
            continue
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
                    product = _sum_apart(cells[branch], cells[branch2]) / (2 if branch == branch2 else 1)
                if product > 0:
                    total[top, min(branch, branch2), max(branch, branch2)] += factor * product

    def write(path: SharedPath) -> str:
        return _write_path(branches.list_words(path[1], names), names[path[0]], branches.list_words(path[2], names))

    return find_heaviest(total, n, write)


def _sum_apart(one: Cells, other: Cells) -> float:
    """Return the sum of the products of all cells of ``one`` and ``other`` with no child in common."""
    if len(one) * len(other) <= FEW:
        return sum(
            weight * weight2
            for child, child2, weight in one
            for before, before2, weight2 in other
            if child != before and child2 != before2
        )
    rows = {child: number for number, child in enumerate(sorted({cell[0] for cell in (*one, *other)}))}
    columns = {child: number for number, child in enumerate(sorted({cell[1] for cell in (*one, *other)}))}
    grids = np.zeros((2, len(rows), len(columns)))
    for grid, cells in zip(grids, (one, other)):
        for child, child2, weight in cells:
            grid[rows[child], columns[child2]] = weight
    return float((grids[0] * _sum_others(_sum_others(grids[1]).T).T).sum())


def _sum_others(grid: Floats) -> Floats:
    """Return for each cell the sum of the other cells of its column; nothing is subtracted, so nothing is lost."""
    others = np.zeros_like(grid)
    others[1:] += np.cumsum(grid[:-1], axis=0)
    others[:-1] += np.cumsum(grid[:0:-1], axis=0)[::-1]
    return others


def _write_path(one: list[str], top: str, other: list[str]) -> str:
    """Return a path as text, the same from whichever end it is read."""
    if not one or (other and other < one):
        one, other = other, one
    return " ← ".join([" → ".join([*reversed(one), top]), *other])
