"""What the tree kernels share: trees of the rows, forests of the columns, blocks, normalisation, explanations."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import extend_hash
from rekern.core.parameters import check_most
from rekern.kernels.kernel import Kernel, Plan, inverse_roots
from rekern.kernels.trees.folded_forest import Forest, build, cut, depth_first, plant
from rekern.structures.column_selection import select_trees
from rekern.structures.trees import Trees

SMALLEST = 1e-290  # square that can be normalised: the product of two 1/√square is still a number


class Rows(NamedTuple):
    """The trees of the rows of a Gram, as a core sees them."""

    labels: np.ndarray
    first: np.ndarray
    counts: np.ndarray
    offsets: np.ndarray
    order: np.ndarray  # children before their parents
    waiting: int  # the most nodes with children that wait for their parent at once
    waiting_all: int  # and the most nodes of any kind
    codes: np.ndarray  # hash of each node's production


class Shared(NamedTuple):
    """A fragment or a path that two trees share, and what it adds to the kernel's value."""

    text: str
    value: float


@compiled
def _production_codes(labels, first, count):
    codes = np.empty(len(labels), np.uint64)
    for node in range(len(labels)):
        code = extend_hash(np.uint64(count[node]), labels[node])
        for child in range(first[node], first[node] + count[node]):
            code = extend_hash(code, labels[child])
        codes[node] = code
    return codes


def rows_of(trees: Trees) -> Rows:
    """The trees with what the cores need beside them."""
    arrays = trees.arrays
    order, inner, waiting = depth_first(arrays.first, arrays.counts, arrays.offsets)
    return Rows(*arrays, order, inner, waiting, _production_codes(arrays.labels, arrays.first, arrays.counts))


def used_labels(*corpora: Trees) -> np.ndarray:
    """The labels that occur in these trees, by number; they may be fewer than the vocabulary has."""
    size = max(len(trees.vocabulary) for trees in corpora)
    return np.flatnonzero(sum(np.bincount(trees.labels, minlength=size) for trees in corpora))


class TreeKernel(Kernel):
    """The base of the tree kernels: a subclass names its core, the core's parameters, and what explains a value."""

    on_texts = True

    normalize: bool

    def _core(self) -> Callable[..., None]:
        raise NotImplementedError

    def _parameters(self, vocabulary: list[str], used: np.ndarray) -> tuple:
        """What the core needs to know of the kernel's parameters and of the labels in use; checks the parameters."""
        raise NotImplementedError

    def _classes(self, vocabulary: list[str], parameters: tuple) -> np.ndarray:
        """The class of every label: one of its own unless a kernel says otherwise."""
        return np.arange(len(vocabulary), dtype=np.int32)

    def _fragments(self, left: Trees, right: Trees, parameters: tuple, beam: int) -> dict[str, float]:
        """What the first trees of two corpora share, as text, with what it adds to the value that is not normalised."""
        raise NotImplementedError

    def items(self, X: Any) -> Trees:
        """The trees of ``X``, or of its representation ``on``: bracket strings are read."""
        return select_trees(X, self.on)

    def _plan(self, X: Any, Y: Any, n_jobs: int | None) -> Plan:
        left = self.items(X)
        right = left if Y is None else self.items(Y).renumber_like(left)
        vocabulary = right.vocabulary
        parameters = self._parameters(vocabulary, used_labels(left, right))
        classes = self._classes(vocabulary, parameters)
        forests = plant(right.arrays, classes)
        rows = columns = None
        if self.normalize:
            rows = scales(self._squares(left, vocabulary, parameters))
            columns = rows if Y is None else scales(self._squares(right, vocabulary, parameters))
        block = _Block(self._core(), rows_of(left), forests, parameters, len(right), rows, columns, Y is None)
        return Plan(len(left), len(right), Y is None, block)

    def _squares(self, trees: Trees, vocabulary: list[str], parameters: tuple) -> np.ndarray:
        """K(x, x), not normalised."""
        classes = self._classes(vocabulary, parameters)
        rows, core = rows_of(trees), self._core()
        squares = np.zeros(len(trees))
        # A few trees at a time: more cells are computed than needed, but a forest for each tree would cost more.
        for begin, end in cut(trees.offsets, most_trees=16, most_nodes=1024):
            forest = build(*trees.arrays, begin, end, classes, len(vocabulary))
            block = np.zeros((end - begin, end - begin))
            core(block, begin, begin, True, rows, forest, begin, *parameters)
            squares[begin:end] = np.diag(block)
        return finite(squares)

    def diag(self, X: Any) -> np.ndarray:
        """K(x, x) for every tree."""
        trees = self.items(X)
        parameters = self._parameters(trees.vocabulary, used_labels(trees))
        squares = self._squares(trees, trees.vocabulary, parameters)
        return (squares > 0).astype(float) if self.normalize else squares

    def explain(self, a: Any, b: Any, n: int | None = 10, beam: int = 200) -> list[Shared]:
        """The fragments that two trees share, the ``n`` that add most to their kernel value first (all with None).

        Of the fragments at one pair of nodes only the ``beam`` heaviest are followed further up: for small trees the
        list is complete and sums to the value of the kernel, for large ones it holds the heavy ones.
        """
        n = check_most("n", n)
        if not check_most("beam", beam):
            raise ValueError(f"beam={beam!r}: give a whole number of at least 1")
        left = self.items([a])
        right = self.items([b]).renumber_like(left)
        parameters = self._parameters(right.vocabulary, used_labels(left, right))
        found = self._fragments(left, right, parameters, beam)
        scale = 1.0
        if self.normalize:
            squares = [self._squares(trees, right.vocabulary, parameters) for trees in (left, right)]
            scale = float(scales(np.concatenate(squares)).prod())
        ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        return [Shared(text, value * scale) for text, value in ranked[:n]]


@dataclass(frozen=True)
class _Block:
    """Computes rows ``first`` … ``last`` of a Gram."""

    core: Callable[..., None]
    trees: Rows
    forests: list[tuple[int, Forest]]
    parameters: tuple
    width: int
    rows: np.ndarray | None
    columns: np.ndarray | None
    symmetric: bool

    def __call__(self, first: int, last: int) -> np.ndarray:
        offset = first if self.symmetric else 0
        block = np.zeros((last - first, self.width - offset))
        for column, forest in self.forests:
            if column + len(forest.offsets) - 1 > offset:
                self.core(block, first, offset, self.symmetric, self.trees, forest, column, *self.parameters)
        finite(block, first)
        if self.rows is not None and self.columns is not None:
            block *= self.rows[first:last, None] * self.columns[offset:]
            if self.symmetric:
                np.fill_diagonal(block, (self.rows[first:last] > 0).astype(float))
        return block


def scales(squares: np.ndarray) -> np.ndarray:
    """What rows and columns are multiplied with to be normalised: 1/√K(x, x), 0 where K(x, x) = 0."""
    tiny = (squares > 0) & (squares < SMALLEST)
    if tiny.any():
        row = int(np.argmax(tiny))
        raise ValueError(f"row {row}: a kernel value is too small to be normalised; use a larger decay (or mu)")
    return inverse_roots(squares)


def finite(values: np.ndarray, first: int = 0) -> np.ndarray:
    """The values, if none has left the range of floating-point numbers; the first is that of row ``first``."""
    if not np.isfinite(values).all():
        row = first + int(np.argwhere(~np.isfinite(values))[0][0])
        raise ValueError(f"row {row}: a kernel value exceeds the range of numbers; use a smaller decay (or mu)")
    return values
