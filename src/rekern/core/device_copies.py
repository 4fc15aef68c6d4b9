"""From the memory of the GPU into an array: through a few pinned buffers, which threads empty into their places."""

# mypy: allow-untyped-calls

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats
from rekern.core.device import load_cuda
from rekern.core.parallel_jobs import count_threads

BUFFERS = 16
BUFFER_VALUES = 1 << 19  # of 8 bytes


@cache
def get_buffers() -> SimpleQueue[Floats]:
    """Return the pinned buffers of this process that are free."""
    buffers: SimpleQueue[Floats] = SimpleQueue()
    for _ in range(BUFFERS):
        buffers.put(load_cuda().pinned_array(BUFFER_VALUES))
    return buffers


class TileCopier:
    """Copies tiles of a matrix from the GPU to their places in an array; it is complete when the context ends."""

    def __init__(self, matrix: npt.NDArray[np.floating], n_jobs: int | None):
        self.matrix = matrix
        self.pool = ThreadPoolExecutor(count_threads(n_jobs))
        self.pending: list[Future[None]] = []

    def copy(self, tile: Any, row: int, column: int) -> None:
        """Copy a tile whose first cell belongs to this row and column of the matrix."""
        height, width = tile.shape
        rows = max(1, BUFFER_VALUES // max(width, 1))
        for first in range(0, height if width else 0, rows):
            last = min(first + rows, height)
            place = self.matrix[row + first : row + last, column : column + width]
            if width > BUFFER_VALUES:
                place[:] = tile[first:last].copy_to_host()
                continue
            buffer = get_buffers().get()
            values = buffer[: (last - first) * width].reshape(last - first, width)
            try:
                tile[first:last].copy_to_host(values)
            except BaseException:
                get_buffers().put(buffer)
                raise
            self.pending.append(self.pool.submit(_place, place, values, buffer))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pool.shutdown(wait=True)
        if error is None:
            for done in self.pending:
                done.result()


def _place(place: npt.NDArray[np.floating], values: Floats, buffer: Floats) -> None:
    try:
        place[:] = values
    finally:
        get_buffers().put(buffer)
