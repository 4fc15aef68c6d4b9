"""Blocks of rows of a Gram of pairs in the memory of the GPU."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.cuda_compiling import count_threads
from rekern.core.device import DeviceArray, allocate, download, measure_memory, upload
from rekern.core.inverted_lists_cuda_core import complete_block
from rekern.errors import InputError
from rekern.kernels.gram_plan import make_range_error

MOST_ROWS = 2048  # of a block
MATRICES = 4  # a block, two in pieces, of which one is on its way, and what pieces at the edges leave free
MOST_BLOCKS = 1 << 16  # of threads
MOST_TASKS = 1 << 30
NO_ROW = np.iinfo(np.int64).max  # is out of range


class DeviceRows:
    """Computes blocks of rows; a subclass says how a block is filled. A symmetric Gram has a ``diagonal``."""

    def __init__(self, columns: int, diagonal: Floats | None):
        self.columns = columns
        self.symmetric = diagonal is not None
        self.diagonal = upload(np.zeros(0) if diagonal is None else diagonal)
        self.block: DeviceArray | None = None
        self.faults = upload(np.full(1, NO_ROW))

    def fill(self, block: DeviceArray, first: int, start: int, offset: int) -> None:
        """Fill a block from row ``first`` and column ``offset`` on; in row i only from column ``start + i`` on."""
        raise NotImplementedError

    def count_rows(self, wanted: int) -> int:
        """Return how many rows a block may have."""
        room = measure_memory() // (8 * MATRICES * max(self.columns, 1))
        if not room:
            raise InputError(f"the GPU has too little memory for a row of {self.columns:,} values; use the device cpu")
        return max(1, min(MOST_ROWS, room, wanted))

    def find_offset(self, first: int) -> int:
        """Return the first column of a block that begins with this row."""
        return first if self.symmetric else 0

    def compute(self, first: int, last: int) -> DeviceArray:
        """Return the rows, in a symmetric Gram from column ``first`` on; the next block overwrites them."""
        offset = self.find_offset(first)
        height, width = last - first, self.columns - offset
        if self.block is None or self.block.shape[0] < height * width:
            self.block = None
            self.block = allocate(height * self.columns)
        block = self.block[: height * width].reshape(height, width)
        self.fill(block, first, first if self.symmetric else -height, offset)
        cells = min(-(-height * width // count_threads()), MOST_BLOCKS)
        complete_block.launch(cells, block, first, self.diagonal, self.faults)
        return block

    def check(self) -> None:
        """Raise an error if a value is out of range."""
        row = int(download(self.faults)[0])
        if row != NO_ROW:
            raise make_range_error(row)
