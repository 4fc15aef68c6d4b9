"""How a Gram that a GPU computes is handed on: as a whole if it fits into memory, else in blocks of many rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats
from rekern.core.device import DEVICE_LOCK, has_gpu_chosen
from rekern.kernels.gram_plan import GramPlan

KEPT_BYTES = 1 << 31  # of a Gram that is computed as a whole if only blocks of it are asked for: 16,384 items
HEIGHT = 2048  # rows of a block of a larger Gram
FEWEST_VALUES = 10_000  # of a Gram that a GPU computes: for fewer, the processor is done before a GPU has begun


class DeviceGram(Protocol):
    """A Gram that a GPU computes."""

    def fill(self, matrix: npt.NDArray[np.floating], n_jobs: int | None) -> None:
        """Compute the whole Gram."""
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
