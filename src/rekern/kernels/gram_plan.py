"""How a Gram matrix is computed: in blocks of rows, by any number of jobs, with the same bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats
from rekern.core.parallel_jobs import has_shared_memory, run, split_range, use_one_blas_thread
from rekern.core.symmetric_matrix import mirror_matrix

Block = Callable[[int, int], Floats]
Combine = Callable[[Floats, Floats], Floats]

BLOCK_BYTES = 1 << 21  # of one block of a Gram: small enough to stay in cache, large enough to be worth a task
SMALLER_WEIGHTS = "use smaller weights, or normalised kernels"


@dataclass(frozen=True)
class GramPlan:
    """The shape of a Gram matrix, and the function that computes rows ``first`` to ``last - 1`` of it.

    In a symmetric Gram the function computes these rows from column ``first`` on; the rest follows by symmetry.

    >>> GramPlan(40, 2, False, lambda first, last: np.ones((last - first, 2))).spans()
    [(0, 40)]
    """

    rows: int
    columns: int
    symmetric: bool
    block: Block
    prepare: tuple[Callable[[int | None], object], ...] = ()  # work of all blocks that jobs can share before the first
    height: int | None = None  # rows of a block, for blocks that are computed best in few calls

    def spans(self) -> list[tuple[int, int]]:
        """Return the ranges of rows of the blocks; they are the same for any number of jobs."""
        return split_range(self.rows, self.count_rows() if self.height is None else self.height)

    def count_rows(self) -> int:
        """Return how many rows a block has unless the plan says otherwise."""
        return max(16, min(1024, BLOCK_BYTES // (8 * max(self.columns, 1))))

    def compute(self, first: int, last: int) -> Floats:
        """Compute a block, and check that all its values are finite."""
        with np.errstate(over="ignore", invalid="ignore"):  # for this thread only
            return check_finite(self.block(first, last), first)


def check_finite(values: Floats, first: int = 0, remedy: str = SMALLER_WEIGHTS) -> Floats:
    """Return values of a kernel, after checking that all are finite; the first value belongs to row ``first``.

    >>> check_finite(np.array([1.0, np.inf]))
    Traceback (most recent call last):
    ...
    ValueError: row 1: a kernel value exceeds the range of numbers; use smaller weights, or normalised kernels
    """
    if not np.isfinite(values).all():
        row = first + int(np.argwhere(~np.isfinite(values))[0][0])
        raise ValueError(f"row {row}: a kernel value exceeds the range of numbers; {remedy}")
    return values


def compute_gram(plan: GramPlan, n_jobs: int | None = None) -> Floats:
    """Compute a whole Gram in memory.

    >>> compute_gram(GramPlan(1, 2, False, lambda first, last: np.ones((last - first, 2))))
    array([[1., 1.]])
    """
    matrix = np.empty((plan.rows, plan.columns))
    fill_gram(plan, matrix, n_jobs)
    return matrix


def fill_gram(plan: GramPlan, matrix: npt.NDArray[np.floating], n_jobs: int | None = None) -> None:
    """Compute a whole Gram into an array, which may be of 32 bits.

    >>> matrix = np.empty((1, 2), np.float32)
    >>> fill_gram(GramPlan(1, 2, False, lambda first, last: np.ones((last - first, 2))), matrix)
    >>> matrix
    array([[1., 1.]], dtype=float32)
    """
    blocks = plan.spans()
    is_here = has_shared_memory()
    for prepare in plan.prepare:
        prepare(n_jobs)
    if is_here:
        with use_one_blas_thread():
            for _ in run(partial(_compute_block, matrix, plan), blocks, n_jobs, "Gram matrix"):
                pass
        if plan.symmetric:
            mirror_matrix(matrix, n_jobs)
    else:
        for (first, last), block in zip(blocks, run(plan.compute, blocks, n_jobs, "Gram matrix")):
            place_block(matrix, first, last, block, plan.symmetric)


def _compute_block(matrix: npt.NDArray[np.floating], plan: GramPlan, first: int, last: int) -> None:
    """Compute a block in a thread; of a symmetric Gram, the part from the diagonal on."""
    matrix[first:last, first if plan.symmetric else 0 :] = plan.compute(first, last)


def place_block(matrix: npt.NDArray[np.floating], first: int, last: int, block: Floats, symmetric: bool) -> None:
    """Store a computed block in the matrix and, if the Gram is symmetric, its mirror image too."""
    if symmetric:
        matrix[first:last, first:] = block
        for row in range(first + 1, last):
            matrix[row, first:row] = matrix[first:row, row]
        matrix[last:, first:last] = block[:, last - first :].T
    else:
        matrix[first:last] = block


def invert_roots(squares: Floats) -> Floats:
    """Return 1/√x, and 0 for x = 0: an item without features has similarity 0 to everything, itself included.

    >>> invert_roots(np.array([4.0, 0.0]))
    array([0.5, 0. ])
    """
    roots = np.zeros(len(squares))
    np.divide(1.0, np.sqrt(squares), out=roots, where=squares > 0)
    return roots


@dataclass(frozen=True)
class RescaledBlock:
    """The block function of a kernel whose rows and columns are multiplied by factors."""

    block: Block
    rows: Floats
    columns: Floats
    symmetric: bool

    def __call__(self, first: int, last: int) -> Floats:
        columns = self.columns[first:] if self.symmetric else self.columns
        return self.block(first, last) * self.rows[first:last, None] * columns


@dataclass(frozen=True)
class CombinedBlock:
    """The block function of a sum or product of two kernels."""

    left: Block
    right: Block
    combine: Combine

    def __call__(self, first: int, last: int) -> Floats:
        return self.combine(self.left(first, last), self.right(first, last))
