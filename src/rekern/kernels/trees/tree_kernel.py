"""What the tree kernels share: reading trees, blocks of a Gram, normalisation, explanations."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

from rekern.core.arrays import Floats, Ints, SmallInts
from rekern.core.device import choose_device
from rekern.core.explanations import Explanation, Part
from rekern.core.interruption import call_core
from rekern.core.json_values import JsonObject
from rekern.core.parallel_jobs import has_shared_memory, run_in_threads
from rekern.core.parameters import check_most, check_whole
from rekern.kernels.gram_plan import GramPlan, check_finite, invert_roots
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Item, Items, materialize_items
from rekern.kernels.trees.folded_forest_core import Forest, build_forest
from rekern.kernels.trees.forests import (
    PlacedForest,
    TreeRows,
    cut_corpus,
    find_used_labels,
    plant_forests,
    read_rows,
)
from rekern.structures.column_selection import select_trees
from rekern.structures.trees import Trees

if TYPE_CHECKING:
    from rekern.kernels.trees.gpu.device_fill import DeviceFill

Parameters = TypeVar("Parameters")

FEWEST_VALUES = 10_000  # of a Gram that a GPU computes: for fewer, the processor is done before a GPU has begun
STRIP = 64  # rows that are normalised at once
SMALLER_DECAY = "use a smaller decay (or mu)"
SMALLEST = 1e-290  # square that can be normalised: the product of two 1/√square is still a number


class FillBlock(Protocol):
    """A compiled core: it fills the cells of a block whose columns are in a forest."""

    def __call__(
        self,
        block: Floats,
        row_begin: int,
        column_begin: int,
        symmetric: bool,
        rows: TreeRows,
        forest: Forest,
        column: int,
        parameters: object,
    ) -> None:
        """Fill the cells; the first tree of the forest is column ``column`` of the Gram."""


class TreeKernel(Kernel, Generic[Parameters]):
    """The base of the tree kernels: a subclass names its core, the core's parameters, and what explains a value."""

    on_texts = True
    structure = "trees"
    kind = "fragment"  # what a part of an explanation is

    normalize: bool

    def get_core(self) -> FillBlock:
        """Return the compiled function that fills a block."""
        raise NotImplementedError

    def make_parameters(self, vocabulary: list[str], used: Ints) -> Parameters:
        """Return the parameters of the core for these labels, after checking them."""
        raise NotImplementedError

    def classify_labels(self, vocabulary: list[str], parameters: Parameters) -> SmallInts:
        """Return the class of every label: one of its own unless a kernel says otherwise."""
        return np.arange(len(vocabulary), dtype=np.int32)

    def list_shared(
        self, left: Trees, right: Trees, parameters: Parameters, beam: int, n: int | None
    ) -> dict[str, float]:
        """Return the ``n`` heaviest parts that the first trees of two corpora share, as text, the heaviest first.

        The numbers are what each adds before normalisation.
        """
        raise NotImplementedError

    def read_items(self, X: Items) -> Trees:
        """Return the trees of ``X``, or of its representation ``on``; bracket strings are read."""
        return select_trees(materialize_items(X), self.on)

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Fold the trees of the columns into forests, with which the trees of the rows are compared."""
        left = self.read_items(X)
        other = None if Y is None else self.read_items(Y).renumber_like(left)
        right = left if other is None else other
        used = find_used_labels(left, right)
        vocabulary = right.vocabulary
        parameters = self.make_parameters(vocabulary, used)
        trees, classes = read_rows(left, n_jobs), self.classify_labels(vocabulary, parameters)
        symmetric, scales = other is None, None
        device = self._find_device_fill(left, other, classes, parameters, n_jobs)
        forests = plant_forests(right.arrays, classes, n_jobs) if device is None else []
        if self.normalize:
            rows = find_scales(square_rows(self.get_core(), trees, classes, parameters, n_jobs))
            columns = rows if symmetric else find_scales(self.square_trees(right, vocabulary, parameters, n_jobs))
            scales = rows, columns
        block = TreeBlock(self.get_core(), trees, forests, classes, parameters, len(right), symmetric, scales, device)
        plan = GramPlan(len(left), len(right), symmetric, block)
        # A core needs more time for the same trees in smaller blocks.
        return replace(plan, height=plan.count_rows() if device is None else device.height)

    def _find_device_fill(
        self, left: Trees, other: Trees | None, classes: SmallInts, parameters: Parameters, n_jobs: int | None
    ) -> DeviceFill | None:
        """Return what fills blocks on a GPU, if one is chosen and this kernel has a core for these trees there."""
        right = left if other is None else other
        few = len(left) * len(right) < FEWEST_VALUES
        if not self.has_device_core or choose_device() == "cpu" or few or not has_shared_memory():
            return None
        from rekern.kernels.trees.gpu.device_fill import DeviceFill, describe_core

        widest = max(int(trees.count.max(initial=0)) for trees in (left, right))
        core = describe_core(parameters, widest)
        arrays = None if other is None else other.arrays
        fill = None if core is None else DeviceFill(core, left.arrays, arrays, classes, n_jobs)
        return fill if fill is not None and fill.fits else None

    def square_trees(
        self, trees: Trees, vocabulary: list[str], parameters: Parameters, n_jobs: int | None = 1
    ) -> Floats:
        """Return K(x, x), not normalised."""
        classes = self.classify_labels(vocabulary, parameters)
        return square_rows(self.get_core(), read_rows(trees, n_jobs), classes, parameters, n_jobs)

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every tree."""
        trees = self.read_items(X)
        parameters = self.make_parameters(trees.vocabulary, find_used_labels(trees))
        squares = self.square_trees(trees, trees.vocabulary, parameters)
        return (squares > 0).astype(float) if self.normalize else squares

    def explain(self, a: Item, b: Item, n: int | None = 10, beam: int = 200) -> TreeExplanation:
        """Return the fragments that two trees share, the ``n`` that add most to their kernel value (all with None).

        Of the fragments at one pair of nodes only the ``beam`` heaviest are followed further up, and fewer in trees
        with very many nodes of equal labels. For small trees all fragments are found and sum to the value of the
        kernel, for large ones the heavy ones.

        >>> from rekern.kernels import SubTree
        >>> SubTree(decay=0.5, normalize=False).explain("(A (B b))", "(C (B b))").to_frame()["name"].tolist()
        ['(B b)']
        """
        n, beam = check_most("n", n), check_whole("beam", beam, 1)
        left = self.read_items([a])
        right = self.read_items([b]).renumber_like(left)
        parameters = self.make_parameters(right.vocabulary, find_used_labels(left, right))
        found = self.list_shared(left, right, parameters, beam, n)
        scale = 1.0
        if self.normalize:
            squares = [self.square_trees(trees, right.vocabulary, parameters) for trees in (left, right)]
            scale = float(find_scales(np.concatenate(squares)).prod())
        parts = [Part(self.kind, text, value * scale) for text, value in found.items()]
        decision = self(a, b)
        complete = bool(np.isclose(sum(part.value for part in parts), decision, rtol=1e-9, atol=1e-12))
        return TreeExplanation(
            decision=decision, parts=parts, complete=complete, left=left.written(0), right=right.written(0)
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class TreeExplanation(Explanation):
    """The value of a kernel on two trees, and what they share; a drawing shows it on the trees, ``left`` and ``right``.

    >>> from rekern.kernels import SubTree
    >>> SubTree().explain("(A (B b))", "(C (B b))").left
    '(A (B b))'
    """

    left: str
    right: str

    def to_dict(self, n: int | None = None) -> JsonObject:
        """Return plain values for JSON."""
        return {**super().to_dict(n), "left": self.left, "right": self.right}


def find_scales(squares: Floats) -> Floats:
    """Return the factors by which rows and columns are normalised: 1/√K(x, x), 0 where K(x, x) = 0.

    >>> find_scales(np.array([4.0, 0.0]))
    array([0.5, 0. ])
    """
    tiny = (squares > 0) & (squares < SMALLEST)
    if tiny.any():
        row = int(np.argmax(tiny))
        raise ValueError(f"row {row}: a kernel value is too small to be normalised; use a larger decay (or mu)")
    return invert_roots(squares)


def check_range(values: Floats, first: int = 0) -> Floats:
    """Return the values, after checking that all are finite; the first value belongs to row ``first``.

    >>> check_range(np.array([1.0, np.inf]))
    Traceback (most recent call last):
    ...
    ValueError: row 1: a kernel value exceeds the range of numbers; use a smaller decay (or mu)
    """
    return check_finite(values, first, SMALLER_DECAY)


def square_rows(core: FillBlock, rows: TreeRows, classes: SmallInts, parameters: object, n_jobs: int | None) -> Floats:
    """Return K(x, x) of trees, not normalised."""
    offsets = rows.offsets
    squares = np.zeros(len(offsets) - 1)

    def square(begin: int, end: int) -> None:
        forest = build_forest(*rows[:4], begin, end, classes, len(classes))
        block = np.zeros((end - begin, end - begin))
        steps = float(offsets[end] - offsets[begin]) ** 2
        call_core(steps, core, block, begin, begin, True, rows, forest, begin, parameters)
        squares[begin:end] = np.diag(block)

    # A few trees at a time: more cells are computed than needed, but a forest for each tree would cost more.
    run_in_threads(square, cut_corpus(offsets, most_trees=12, most_nodes=2048), n_jobs)
    return check_range(squares)


@dataclass(frozen=True)
class TreeBlock:
    """Computes a block of a Gram of trees."""

    core: FillBlock
    trees: TreeRows
    forests: list[PlacedForest]
    classes: SmallInts
    parameters: object
    width: int
    symmetric: bool
    scales: tuple[Floats, Floats] | None  # the factors that normalise rows and columns
    device: DeviceFill | None = field(default=None, compare=False)

    def __call__(self, first: int, last: int) -> Floats:
        offset = first if self.symmetric else 0
        block = np.zeros((last - first, self.width - offset))
        self._fill(block, first, last)
        for begin in range(0, last - first, STRIP):  # which stays in the cache
            strip = check_range(block[begin : begin + STRIP], first + begin)
            if self.scales is not None:
                rows, columns = self.scales
                strip *= rows[first + begin : first + begin + len(strip), None] * columns[offset:]
        if self.scales is not None and self.symmetric:
            np.fill_diagonal(block, (self.scales[0][first:last] > 0).astype(float))
        return block

    def _fill(self, block: Floats, first: int, last: int) -> None:
        """Fill the cells, in a symmetric Gram from the diagonal on."""
        if self.device is not None:
            self.device(block, first, last)
        offset = first if self.symmetric else 0
        for column, forest in self.forests:
            if column + len(forest.offsets) - 1 > offset:
                steps = float(self.trees.offsets[last] - self.trees.offsets[first]) * len(forest.labels)
                call = (block, first, offset, self.symmetric, self.trees, forest, column, self.parameters)
                call_core(steps, self.core, *call)
