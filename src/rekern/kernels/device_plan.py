"""How a Gram that a GPU computes is handed on: as a whole if it fits into memory, else in blocks of many rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.cuda_compiling import count_threads
from rekern.core.device import (
    DEVICE_LOCK,
    DeviceArray,
    allocate,
    catch_device_errors,
    download,
    has_gpu_chosen,
    upload,
)
from rekern.core.device_arrays import copy_to_device
from rekern.core.device_copies import Matrix
from rekern.core.tile_placing_cuda_core import combine_matrices, scale_matrix
from rekern.kernels.gram_plan import (
    Block,
    CombinedBlock,
    GramPlan,
    RescaledBlock,
    compute_gram,
    fill_gram,
    make_range_error,
)

KEPT_BYTES = 1 << 31  # of a Gram that is computed as a whole if only blocks of it are asked for: 16,384 items
HEIGHT = 2048  # rows of a block of a larger Gram
MOST_BLOCKS = 1 << 16  # of threads
NO_ROW = np.iinfo(np.int64).max  # is out of range
FEWEST_VALUES = 10_000  # of a Gram that a GPU computes: for fewer, the processor is done before a GPU has begun


class DeviceGram(Protocol):
    """A Gram that a GPU computes."""

    def fill(self, matrix: Matrix, n_jobs: int | None) -> None:
        """Compute the whole Gram in an array of the processor or of the GPU."""
        ...

    def fill_rows(self, block: Floats, first: int, last: int, n_jobs: int | None) -> None:
        """Compute rows ``first`` to ``last - 1``; in a symmetric Gram from column ``first`` on."""
        ...


@dataclass(frozen=True)
class DeviceBlock:
    """The block function of a Gram that a GPU computes; a small one is computed when its first block is needed."""

    gram: DeviceGram
    rows: int
    columns: int
    symmetric: bool
    kept: list[Floats] = field(default_factory=list, compare=False)

    def provide(self, n_jobs: int | None) -> None:
        """Compute the Gram if it is to be kept and not there yet."""
        if self.is_kept():
            with DEVICE_LOCK:
                if not self.kept:
                    matrix = np.empty((self.rows, self.columns))
                    self.gram.fill(matrix, n_jobs)
                    self.kept.append(matrix)

    def is_kept(self) -> bool:
        """Return whether the Gram is small enough to be kept in memory."""
        return 8 * self.rows * self.columns <= KEPT_BYTES

    def __call__(self, first: int, last: int) -> Floats:
        offset = first if self.symmetric else 0
        if self.is_kept():
            self.provide(None)
            return self.kept[0][first:last, offset:]
        block = np.empty((last - first, self.columns - offset))
        self.gram.fill_rows(block, first, last, None)
        return block


def is_for_device(rows: int, columns: int) -> bool:
    """Return whether a Gram of this size is to be computed by a GPU.

    >>> is_for_device(2, 2)
    False
    """
    return has_gpu_chosen() and rows * columns >= max(FEWEST_VALUES, 1)


def plan_device_gram(gram: DeviceGram, rows: int, columns: int, symmetric: bool) -> GramPlan:
    """Return the plan of a Gram that a GPU computes."""
    block = DeviceBlock(gram, rows, columns, symmetric)
    height = None if block.is_kept() else HEIGHT
    return GramPlan(rows, columns, symmetric, block, (block.provide,), gram.fill, height)


def store_gram(plan: GramPlan, matrix: Matrix, n_jobs: int | None) -> None:
    """Compute a whole Gram into an array of the processor or of the GPU.

    On the GPU, it stays there from the beginning if the kernel is computed there, and all that it is made of. If not,
    the processor has to have the whole Gram in its memory, and copies it.
    """
    if isinstance(matrix, np.ndarray):
        fill_gram(plan, matrix, n_jobs)
    elif can_stay(plan.block):
        with DEVICE_LOCK, catch_device_errors():
            _fill_device(plan.block, matrix, n_jobs)
    else:
        gram = compute_gram(plan, n_jobs)
        with DEVICE_LOCK, catch_device_errors():
            copy_to_device(gram, matrix)


def can_stay(block: Block) -> bool:
    """Return whether the blocks of a Gram are computed by the GPU, and all that is done with them."""
    if isinstance(block, CombinedBlock):
        return can_stay(block.left) and can_stay(block.right) and block.combine in (np.add, np.multiply)
    return can_stay(block.block) if isinstance(block, RescaledBlock) else isinstance(block, DeviceBlock)


def _fill_device(block: Block, matrix: DeviceArray, n_jobs: int | None) -> None:
    """Compute a Gram into an array of the GPU: a kernel, a sum or product of two, or one times factors."""
    if isinstance(block, DeviceBlock):
        block.gram.fill(matrix, n_jobs)
        return
    faults = upload(np.full(1, NO_ROW))
    blocks = min(-(-matrix.shape[0] * matrix.shape[1] // count_threads()), MOST_BLOCKS)
    if isinstance(block, CombinedBlock):
        _fill_device(block.left, matrix, n_jobs)
        other = allocate(*matrix.shape)  # not before: the left one may be a sum that had one, too
        _fill_device(block.right, other, n_jobs)
        combine_matrices.launch(blocks, matrix, other, block.combine is np.multiply, faults)
    elif isinstance(block, RescaledBlock):
        _fill_device(block.block, matrix, n_jobs)
        scale_matrix.launch(blocks, matrix, upload(block.rows), upload(block.columns), block.symmetric, faults)
    row = int(download(faults)[0])
    if row != NO_ROW:
        raise make_range_error(row)
