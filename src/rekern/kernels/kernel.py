"""What every kernel can do: one pair of items, a Gram, a diagonal, sums, products, weights, normalisation.

A kernel says how to prepare a corpus once and how to compute one block of rows; blocks, threads, symmetry, files and
the diagonal are settled here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import signature
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from rekern.core.jobs import run, shares_memory, spans
from rekern.core.registry import register
from rekern.errors import InputError
from rekern.structures.representations import Representations

Block = Callable[[int, int], np.ndarray]

PAIRED = 16
BLOCK_BYTES = 1 << 21  # of one block of a Gram: small enough to stay in cache, large enough to be worth a task


@dataclass(frozen=True)
class Plan:
    """A prepared Gram: its shape, and the function that computes rows ``first`` … ``last`` of it.

    Of a symmetric Gram, rows ``first`` … are computed from column ``first`` on, the rest follows by symmetry.
    """

    rows: int
    columns: int
    symmetric: bool
    block: Block

    def spans(self) -> list[tuple[int, int]]:
        """The blocks of rows; the same for any number of jobs."""
        return spans(self.rows, max(16, min(1024, BLOCK_BYTES // (8 * max(self.columns, 1)))))


class Kernel(BaseEstimator):
    """The base of all kernels: subclasses define ``_plan`` and ``diag``.

    >>> from rekern.kernels import PartialTree, Spectrum
    >>> isinstance(PartialTree(), Kernel), isinstance(Spectrum(2) + Spectrum(3), Kernel)
    (True, True)
    """

    on_texts = False  # whether an item is one text, tree or graph, and not a pair of texts
    on: str | None = None  # the representation of the items that the kernel looks at; None for the words

    def _plan(self, X: Any, Y: Any, n_jobs: int | None) -> Plan:
        raise NotImplementedError

    def diag(self, X: Any) -> np.ndarray:
        """K(x, x) for every item."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None) -> Kernel:
        """Learn what the kernel needs to know of the training items; most kernels need nothing."""
        for value in self.get_params(deep=False).values():
            if isinstance(value, Kernel):
                value.fit(X, y)
        return self

    def gram(self, X: Any, Y: Any = None, n_jobs: int | None = None, out: str | Path | None = None) -> np.ndarray:
        """The matrix of K(x, y), of X with itself if Y is None.

        ``n_jobs`` threads share the work (all cores unless a ``joblib.parallel_config`` says otherwise). With ``out``
        the matrix is written block by block to an ``.npy`` file and returned as a memory map; an interrupted run
        continues with the blocks that are missing.
        """
        if out is not None:
            from rekern.kernels.gram_file import checked_path, write_gram

            whole = checked_path(out)  # now, so that a place that cannot be written is known before the work
            return write_gram(self._plan(held(X), held(Y), n_jobs), whole, n_jobs, description=repr(self))
        plan = self._plan(held(X), held(Y), n_jobs)
        matrix = np.empty((plan.rows, plan.columns))
        blocks = plan.spans()
        if shares_memory():
            for _ in run(partial(_compute, matrix, plan), blocks, n_jobs, "Gram matrix"):
                pass
        else:
            for (first, last), block in zip(blocks, run(plan.block, blocks, n_jobs, "Gram matrix")):
                place_block(matrix, first, last, block, plan.symmetric)
        return matrix

    def paired(self, X: Any, Y: Any) -> np.ndarray:
        """K(X[i], Y[i]) for every i.

        >>> from rekern.kernels import Spectrum
        >>> Spectrum(1, normalize=False).paired(["a b", "c"], ["b c", "d"])
        array([1., 0.])
        """
        X, Y = _sliceable(X), _sliceable(Y)
        if len(X) != len(Y):
            raise InputError(f"there are {len(X)} items to pair with {len(Y)}; give as many of each")
        values = np.empty(len(X))
        # A few at a time: more values are computed than needed, but a call for each would cost more.
        for first, last in spans(len(X), PAIRED):
            values[first:last] = np.diagonal(self.gram(X[first:last], Y[first:last], n_jobs=1))
        return values

    def reads(self) -> set[str]:
        """The columns of a table of items that the kernel looks at (see `rekern.structures.Representations`).

        >>> from rekern.kernels import PartialTree, Rewriting, SoftPairing
        >>> sorted(PartialTree(on="tree").reads()), sorted((Rewriting() + SoftPairing(PartialTree(on="tree"))).reads())
        (['tree'], ['source', 'source.tree', 'target', 'target.tree'])
        """
        parameters = self.get_params(deep=False).values()
        parts = [value for value in parameters if isinstance(value, Kernel)]
        if parts:
            return set().union(*(part.reads() for part in parts))
        words = "text" if self.on is None else self.on
        if self.on_texts:
            return {words}
        # A tuple of kernels compares the two sides of a pair with each other.
        inside = [
            part for value in parameters if isinstance(value, tuple) for part in value if isinstance(part, Kernel)
        ]
        return sided(set().union({words}, *(part.reads() for part in inside)))

    def __call__(self, a: Any, b: Any) -> float:
        """The kernel's value on two items."""
        return float(self.gram([a], [b], n_jobs=1)[0, 0])

    def scorer(self, X: Any, coefficients: np.ndarray) -> Any:
        """The function x ↦ Σ coefficients[i] · K(X[i], x), in the form that this kernel computes and explains best."""
        from rekern.kernels.decision_functions import GramScorer

        return GramScorer(self, X, coefficients)

    def has_features(self) -> bool:
        """Whether the kernel can list its features explicitly."""
        return False

    def features(self, X: Any, n_jobs: int | None = None) -> sp.csr_array:
        """The explicit feature map of the items, a sparse row for each; its product with itself is the Gram."""
        raise TypeError(f"{type(self).__name__} has no explicit features that could be listed; use gram()")

    def __add__(self, other: Any) -> Kernel:
        if isinstance(other, Real) and other == 0:  # so that sum([...]) works
            return self
        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    __radd__ = __add__

    def __mul__(self, other: Any) -> Kernel:
        if isinstance(other, Kernel):
            return Product(self, other)
        return Scaled(self, float(other)) if isinstance(other, Real) else NotImplemented

    __rmul__ = __mul__

    def normalized(self) -> Kernel:
        """This kernel divided by √(K(x, x) K(y, y)); 0 where an item has K(x, x) = 0."""
        return Normalized(self)


def _compute(matrix: np.ndarray, plan: Plan, first: int, last: int) -> None:
    """Compute a block in a thread and put it where it belongs; no two blocks touch the same cells."""
    place_block(matrix, first, last, plan.block(first, last), plan.symmetric)


def place_block(matrix: np.ndarray, first: int, last: int, block: np.ndarray, symmetric: bool) -> None:
    """Put a computed block, and its mirror image in a symmetric Gram, where it belongs."""
    if symmetric:
        matrix[first:last, first:] = block
        for row in range(first + 1, last):
            matrix[row, first:row] = matrix[first:row, row]
        matrix[last:, first:last] = block[:, last - first :].T
    else:
        matrix[first:last] = block


def held(X: Any) -> Any:
    """The items in a form that can be read more than once.

    >>> held(iter("ab")), held(("a", "b"))
    (['a', 'b'], ('a', 'b'))
    """
    return list(X) if isinstance(X, Iterator) else X


def _sliceable(X: Any) -> Any:
    """The items in a form whose length is their number and whose slices are items too."""
    return Representations.from_items(X) if isinstance(X, Mapping) else held(X)


def sided(names: set[str]) -> set[str]:
    """The columns that hold these representations of the source and of the target.

    >>> sorted(sided({"text", "tree"}))
    ['source', 'source.tree', 'target', 'target.tree']
    """
    return {f"{side}.{name}".removesuffix(".text") for side in ("source", "target") for name in names}


def title(value: Any) -> str:
    """A kernel in one line, with the parameters that are not the defaults; of word vectors and the like only the type.

    >>> from rekern.kernels import SmoothedPartialTree, SoftPairing
    >>> title(SoftPairing(SmoothedPartialTree(mu=0.2, similarity={"dog": [1.0, 0.0]})))
    'SoftPairing(kernel=SmoothedPartialTree(mu=0.2, similarity=dict))'
    """
    if isinstance(value, BaseEstimator):
        known = signature(type(value)).parameters
        changed = [
            f"{name}={title(part)}"
            for name, part in value.get_params(deep=False).items()
            if type(part) is not type(known[name].default) or part != known[name].default
        ]
        return f"{type(value).__name__}({', '.join(changed)})"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(title, value))})"
    if isinstance(value, np.generic):
        value = value.item()
    return repr(value) if value is None or isinstance(value, bool | int | float | str) else type(value).__name__


def inverse_roots(squares: np.ndarray) -> np.ndarray:
    """1/√x, and 0 for x = 0: an item without features has similarity 0 with everything, itself included."""
    roots = np.zeros(len(squares))
    np.divide(1.0, np.sqrt(squares), out=roots, where=squares > 0)
    return roots


@dataclass(frozen=True)
class _Combined:
    """The block function of a sum or product of two kernels."""

    left: Block
    right: Block
    combine: Callable[[np.ndarray, np.ndarray], np.ndarray]

    def __call__(self, first: int, last: int) -> np.ndarray:
        return self.combine(self.left(first, last), self.right(first, last))


def _combined(left: Plan, right: Plan, combine: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Plan:
    if (left.rows, left.columns) != (right.rows, right.columns):
        raise ValueError("the two kernels do not see the same number of items: give a list, not an iterator")
    return Plan(left.rows, left.columns, left.symmetric, _Combined(left.block, right.block, combine))


@dataclass(frozen=True)
class _Rescaled:
    """The block function of a kernel whose rows and columns are rescaled."""

    block: Block
    rows: np.ndarray
    columns: np.ndarray
    symmetric: bool

    def __call__(self, first: int, last: int) -> np.ndarray:
        columns = self.columns[first:] if self.symmetric else self.columns
        return self.block(first, last) * self.rows[first:last, None] * columns


@register
class Sum(Kernel):
    """The sum of two kernels; ``a + b`` makes one.

    >>> from rekern.kernels import Spectrum
    >>> K = Spectrum(1, normalize=False) + 2 * Spectrum(2, normalize=False)
    >>> K("a b c".split(), "a b d".split())
    4.0
    """

    def __init__(self, left: Kernel, right: Kernel):
        self.left = left
        self.right = right

    def _plan(self, X: Any, Y: Any, n_jobs: int | None) -> Plan:
        return _combined(self.left._plan(X, Y, n_jobs), self.right._plan(X, Y, n_jobs), np.add)

    def diag(self, X: Any) -> np.ndarray:
        """K(x, x) for every item."""
        X = held(X)
        return self.left.diag(X) + self.right.diag(X)

    def scorer(self, X: Any, coefficients: np.ndarray) -> Any:
        """The scorers of both kernels, added up."""
        from rekern.kernels.decision_functions import SumScorer

        X = held(X)
        return SumScorer([self.left.scorer(X, coefficients), self.right.scorer(X, coefficients)])

    def has_features(self) -> bool:
        """Whether both kernels have features."""
        return self.left.has_features() and self.right.has_features()

    def features(self, X: Any, n_jobs: int | None = None) -> sp.csr_array:
        """The features of both kernels, side by side."""
        X = held(X)
        return sp.hstack([self.left.features(X, n_jobs), self.right.features(X, n_jobs)], format="csr")


@register
class Product(Kernel):
    """The product of two kernels; ``a * b`` makes one.

    >>> from rekern.kernels import Spectrum
    >>> (Spectrum(1, normalize=False) * Spectrum(2, normalize=False))("a b c".split(), "a b d".split())
    2.0
    """

    def __init__(self, left: Kernel, right: Kernel):
        self.left = left
        self.right = right

    def _plan(self, X: Any, Y: Any, n_jobs: int | None) -> Plan:
        return _combined(self.left._plan(X, Y, n_jobs), self.right._plan(X, Y, n_jobs), np.multiply)

    def diag(self, X: Any) -> np.ndarray:
        """K(x, x) for every item."""
        X = held(X)
        return self.left.diag(X) * self.right.diag(X)


@register
class Scaled(Kernel):
    """A kernel times a number that is not negative; ``0.5 * a`` makes one.

    >>> from rekern.kernels import Spectrum
    >>> (0.5 * Spectrum(1, normalize=False))("a b c".split(), "a b d".split())
    1.0
    """

    def __init__(self, kernel: Kernel, weight: float = 1.0):
        self.kernel = kernel
        self.weight = weight

    def _weight(self) -> float:
        if not (isinstance(self.weight, Real) and 0 <= float(self.weight) < np.inf):
            raise ValueError(f"a kernel's weight must be a finite number of at least 0, got {self.weight!r}")
        return float(self.weight)

    def _plan(self, X: Any, Y: Any, n_jobs: int | None) -> Plan:
        weight = self._weight()
        plan = self.kernel._plan(X, Y, n_jobs)
        rescaled = _Rescaled(plan.block, np.full(plan.rows, weight), np.ones(plan.columns), plan.symmetric)
        return Plan(plan.rows, plan.columns, plan.symmetric, rescaled)

    def diag(self, X: Any) -> np.ndarray:
        """K(x, x) for every item."""
        return self._weight() * self.kernel.diag(X)

    def scorer(self, X: Any, coefficients: np.ndarray) -> Any:
        """The kernel's own scorer, with the weight in the coefficients."""
        return self.kernel.scorer(X, self._weight() * np.asarray(coefficients))

    def has_features(self) -> bool:
        """Whether the kernel has features."""
        return self.kernel.has_features()

    def features(self, X: Any, n_jobs: int | None = None) -> sp.csr_array:
        """The kernel's features times the root of the weight."""
        return self.kernel.features(X, n_jobs) * self._weight() ** 0.5


@register
class Normalized(Kernel):
    """A kernel divided by √(K(x, x) K(y, y)), so that K(x, x) = 1, or 0 for an item that is like nothing.

    >>> from rekern.kernels import Spectrum
    >>> K = Normalized(Spectrum(1, normalize=False) + Spectrum(2, normalize=False))
    >>> round(K("a b".split(), "a b".split()), 12)
    1.0
    """

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def _plan(self, X: Any, Y: Any, n_jobs: int | None) -> Plan:
        plan = self.kernel._plan(X, Y, n_jobs)
        rows = inverse_roots(self.kernel.diag(X))
        columns = rows if Y is None else inverse_roots(self.kernel.diag(Y))
        return Plan(plan.rows, plan.columns, plan.symmetric, _Rescaled(plan.block, rows, columns, plan.symmetric))

    def diag(self, X: Any) -> np.ndarray:
        """K(x, x): 1, or 0 for an item that is like nothing."""
        return (self.kernel.diag(X) > 0).astype(float)


@register
class Gaussian(Kernel):
    """exp(−γ · d²), with d the distance that another kernel sees: d² = K(x, x) + K(y, y) − 2 K(x, y).

    Over standardised scores this is the usual RBF kernel.

    >>> from rekern.kernels import Spectrum
    >>> round(Gaussian(Spectrum(1, normalize=False), gamma=0.5)("a b".split(), "a c".split()), 6)  # d² = 2 + 2 - 2
    0.367879
    """

    def __init__(self, kernel: Kernel, gamma: float = 1.0):
        self.kernel = kernel
        self.gamma = gamma

    def _gamma(self) -> float:
        if not (isinstance(self.gamma, Real) and 0 < float(self.gamma) < np.inf):
            raise ValueError(f"gamma={self.gamma!r}: give a finite number above 0")
        return float(self.gamma)

    def _plan(self, X: Any, Y: Any, n_jobs: int | None) -> Plan:
        plan = self.kernel._plan(X, Y, n_jobs)
        rows = self.kernel.diag(X)
        columns = rows if Y is None else self.kernel.diag(Y)
        block = _Bell(plan.block, rows, columns, plan.symmetric, self._gamma())
        return Plan(plan.rows, plan.columns, plan.symmetric, block)

    def diag(self, X: Any) -> np.ndarray:
        """K(x, x) = 1 for every item."""
        self._gamma()
        return np.ones(len(self.kernel.diag(X)))

    def scorer(self, X: Any, coefficients: np.ndarray) -> Any:
        """The plain sum over training items, their scores computed once if the kernel is over scores."""
        from rekern.kernels.decision_functions import BellScorer
        from rekern.kernels.score_kernel import ScoreKernel

        if isinstance(self.kernel, ScoreKernel):
            return BellScorer(self, X, coefficients)
        return super().scorer(X, coefficients)


@dataclass(frozen=True)
class _Bell:
    """The block function of a Gaussian kernel."""

    block: Block
    rows: np.ndarray
    columns: np.ndarray
    symmetric: bool
    gamma: float

    def __call__(self, first: int, last: int) -> np.ndarray:
        columns = self.columns[first:] if self.symmetric else self.columns
        squares = self.rows[first:last, None] + columns - 2 * self.block(first, last)
        values = np.exp(-self.gamma * np.maximum(squares, 0.0))
        if self.symmetric:
            np.fill_diagonal(values, 1.0)
        return values
