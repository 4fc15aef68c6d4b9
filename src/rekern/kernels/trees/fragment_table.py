"""Fragments of trees as numbers: equal fragments have equal numbers, and parts are shared until they are written."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

Fragment = TypeVar("Fragment")

NO_CHILDREN = 0
MOST_TIES = 10_000  # fragments of equal weight that are put in alphabetical order


class FragmentTable:
    """Fragments, each with a label and a sequence of children, which are fragments.

    >>> table = FragmentTable()
    >>> leaf = table.add_fragment("dog")
    >>> table.write(table.add_fragment("NN", table.add_child(NO_CHILDREN, leaf))), table.write(leaf)
    ('(NN dog)', '(dog)')
    """

    def __init__(self) -> None:
        self._fragments: dict[tuple[str, int], int] = {}
        self._labels: list[tuple[str, int]] = []
        self._sequences: dict[tuple[int, int], int] = {}
        self._children: list[tuple[int, int]] = [(0, 0)]
        self.lengths = [0]  # of every sequence

    def add_fragment(self, label: str, children: int = NO_CHILDREN) -> int:
        """Return the number of the fragment with this label and this sequence of children."""
        number = self._fragments.setdefault((label, children), len(self._labels))
        if number == len(self._labels):
            self._labels.append((label, children))
        return number

    def add_child(self, before: int, fragment: int) -> int:
        """Return the number of a sequence of children with one more child at its end."""
        number = self._sequences.setdefault((before, fragment), len(self._children))
        if number == len(self._children):
            self._children.append((before, fragment))
            self.lengths.append(self.lengths[before] + 1)
        return number

    def write(self, fragment: int) -> str:
        """Return a fragment as text in brackets."""
        label, children = self._expand(fragment)
        return write_fragment(fragment, self._expand) if children else f"({label})"

    def _expand(self, fragment: int) -> tuple[str, list[int]]:
        label, rest = self._labels[fragment]
        children = []
        while rest != NO_CHILDREN:
            rest, child = self._children[rest]
            children.append(child)
        return label, children[::-1]


def write_fragment(root: int, expand: Callable[[int], tuple[str, Sequence[int]]]) -> str:
    """Return a fragment as text: brackets around every node that has children.

    ``expand`` returns the label and the children of a node. It may be of any depth.

    >>> write_fragment(0, lambda node: ("abcd"[node], [[1, 2], [3], [], []][node]))
    '(a (b d) c)'
    """
    pieces: list[str] = []
    waiting: list[str | int] = [root]
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, str):
            pieces.append(piece)
            continue
        label, children = expand(piece)
        pieces.append(f"({label}" if children else label)
        if children:
            waiting.append(")")
        for child in reversed(children):
            waiting += [child, " "]
    return "".join(pieces)


def find_heaviest(
    weights: Mapping[Fragment, float], n: int | None, write: Callable[[Fragment], str]
) -> dict[str, float]:
    """Return the ``n`` heaviest fragments as text with their weights; of equal weights, the first in the alphabet.

    >>> find_heaviest({1: 0.5, 2: 2.0, 3: 0.5}, 2, "abcd".__getitem__)
    {'c': 2.0, 'b': 0.5}
    """
    chosen = list(weights.items())
    if n is not None and n < len(chosen):
        least = heapq.nlargest(n, weights.values())[-1] if n else float("inf")
        ties = [item for item in chosen if item[1] == least]
        chosen = [item for item in chosen if item[1] > least] + ties[: max(n, MOST_TIES)]
    found: dict[str, float] = {}
    for number, weight in chosen:
        text = write(number)
        found[text] = found.get(text, 0.0) + weight
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0]))[:n])


def sort_by_weight(weights: Mapping[int, float], n: int) -> list[tuple[int, float]]:
    """Return the ``n`` heaviest fragments with their weights, the heaviest first."""
    return heapq.nlargest(n, weights.items(), key=lambda item: item[1])


def keep_heaviest(weights: dict[int, float], n: int) -> dict[int, float]:
    """Return the ``n`` heaviest fragments with their weights."""
    return weights if len(weights) <= n else dict(sort_by_weight(weights, n))


def multiply_heaviest(
    left: Sequence[tuple[int, float]], right: Sequence[tuple[int, float]], n: int
) -> Iterator[tuple[int, int, float]]:
    """Yield the ``n`` heaviest pairs of one of ``left`` and one of ``right``, which are sorted by their weights.

    Pairs are found when they are asked for, so that the time is about n log n and not that of all pairs.

    >>> list(multiply_heaviest([(1, 1.0), (2, 0.5)], [(3, 2.0), (4, 0.1)], 2))
    [(1, 3, 2.0), (2, 3, 1.0)]
    """
    if len(left) * len(right) <= n:
        for one, weight in left:
            for other, weight2 in right:
                yield one, other, weight * weight2
        return
    heap = [(-left[0][1] * right[0][1], 0, 0)]
    while heap and n:
        product, i, j = heapq.heappop(heap)
        yield left[i][0], right[j][0], -product
        n -= 1
        if i + 1 < len(left) and j == 0:
            heapq.heappush(heap, (-left[i + 1][1] * right[0][1], i + 1, 0))
        if j + 1 < len(right):
            heapq.heappush(heap, (-left[i][1] * right[j + 1][1], i, j + 1))
