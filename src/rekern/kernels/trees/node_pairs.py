"""The pairs of nodes of two trees that an explanation goes through, from the leaves up, and a bound on its work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np

from rekern.errors import InputError
from rekern.structures.trees import Trees

MOST_PAIRS = 250_000
FULL_BEAM = 10_000  # steps with the whole beam; explanations that need more steps get a narrower one

Similar = Callable[[int, int], float]


class NodePairs:
    """The pairs of nodes of two trees with equal or similar labels.

    >>> left, right = Trees.from_items(["(a b)"]), Trees.from_items(["(a b b)"])
    >>> list(NodePairs(left, right.renumber_like(left)))
    [(1, 2), (1, 1), (0, 0)]
    """

    def __init__(self, left: Trees, right: Trees, similar: Similar | None = None):
        self._labels = left.labels.tolist()
        partners = defaultdict(list)
        for node, label in enumerate(right.labels.tolist()):
            partners[label].append(node)
        self._found: dict[int, list[int]] = {}
        for label in set(self._labels):
            others = [label] if similar is None else [other for other in partners if similar(label, other) > 0]
            nodes = (node for other in others for node in partners.get(other, ()))
            self._found[label] = sorted(nodes, reverse=True)
        self.total = sum(len(self._found[label]) for label in self._labels)
        if self.total > MOST_PAIRS:
            raise InputError(
                f"these trees have {self.total:,} pairs of nodes to explain, at most {MOST_PAIRS:,} are possible; "
                "explain smaller trees, or raise rekern.kernels.trees.node_pairs.MOST_PAIRS"
            )
        children = {label: int(right.count[nodes].sum()) for label, nodes in self._found.items()}
        widths = np.array([children[label] for label in self._labels], np.int64)
        self.steps = self.total + int((left.count * widths).sum())

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs, children before their parents."""
        for node in range(len(self._labels) - 1, -1, -1):
            for other in self._found[self._labels[node]]:
                yield node, other

    def limit_beam(self, beam: int) -> int:
        """Return how many fragments are followed at each step: all of the beam unless there are very many steps."""
        return max(1, min(beam, FULL_BEAM * beam // max(self.steps, 1)))


def list_children(trees: Trees, node: int) -> range:
    """Return the numbers of the children of a node."""
    return range(int(trees.first[node]), int(trees.first[node]) + int(trees.count[node]))
