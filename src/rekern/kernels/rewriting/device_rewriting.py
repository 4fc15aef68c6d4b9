"""The Gram of the re-writing kernels by a GPU: blocks of rows, each a sum over the window sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats
from rekern.core.cuda_compiling import WARP, count_threads
from rekern.core.device import DEVICE_LOCK, DeviceArray, allocate, catch_device_errors, download, measure_memory, upload
from rekern.core.device_copies import TileCopier
from rekern.core.inverted_lists_cuda_core import COLUMNS, complete_block, fill_block
from rekern.core.parallel_jobs import run_in_threads, split_range
from rekern.core.progress import track
from rekern.core.window_products import list_joins
from rekern.errors import InputError
from rekern.kernels.gram_plan import check_finite
from rekern.kernels.rewriting.rule_extraction import RuleExtractor
from rekern.kernels.rewriting.window_lists import PairLists
from rekern.structures.pairs import Pairs

MOST_ROWS = 2048  # of a block
MATRICES = 4  # a block, two in pieces, of which one is on its way, and what pieces at the edges leave free
MOST_BLOCKS = 1 << 16  # of threads
MOST_TASKS = 1 << 30
NO_ROW = np.iinfo(np.int64).max  # is out of range


@dataclass(frozen=True)
class DeviceRewritingGram:
    """Computes a Gram of pairs on the GPU, as a whole or some rows of it."""

    rows: int
    columns: int
    extractor: RuleExtractor  # together with the pairs it says what is computed
    left: Pairs
    right: Pairs | None
    find_lists: Callable[[], PairLists] = field(compare=False)  # once

    def fill(self, matrix: npt.NDArray[np.floating], n_jobs: int | None) -> None:
        """Compute the whole Gram; features are extracted while the system hands out the memory of the matrix."""
        with DEVICE_LOCK, catch_device_errors(), TileCopier(matrix, n_jobs) as copier:
            lists = self.find_lists()
            work = DeviceWindows(lists, self.columns, n_jobs)
            spans = split_range(self.rows, work.count_rows(self.rows))
            for first, last in track(spans, len(spans), "Gram matrix"):
                copier.begin_tile()
                block = work.compute(first, last)
                copier.copy(block, first, work.find_offset(first), last - first if work.symmetric else None)
            work.check()
        for index, values in lists.down.items():
            matrix[:, index] = values
        for index, values in lists.across.items():
            matrix[index] = values
            if lists.diagonal is not None:
                matrix[index, index] = lists.diagonal[index]

    def fill_rows(self, block: Floats, first: int, last: int, n_jobs: int | None) -> None:
        """Compute rows ``first`` to ``last - 1``; in a symmetric Gram from column ``first`` on."""
        with DEVICE_LOCK, catch_device_errors(), TileCopier(block, n_jobs) as copier:
            lists = self.find_lists()
            offset = 0 if lists.diagonal is None else first
            work = DeviceWindows(lists, self.columns, n_jobs)
            for begin, end in split_range(last - first, work.count_rows(last - first)):
                copier.begin_tile()
                values = work.compute(first + begin, first + end)
                place = work.find_offset(first + begin) - offset
                copier.copy(values, begin, place, end - begin if work.symmetric else None)
            work.check()
        for index, column in lists.down.items():
            if index >= offset:
                block[:, index - offset] = column[first:last]
        for index, row in lists.across.items():
            if first <= index < last:
                block[index - first] = row[offset:]
        if lists.diagonal is not None:
            np.fill_diagonal(block, lists.diagonal[first:last])


class DeviceWindows:
    """The lists of all window sizes in the memory of the GPU, and room for blocks of the Gram."""

    def __init__(self, lists: PairLists, columns: int, n_jobs: int | None):
        self.columns = columns
        self.symmetric = lists.diagonal is not None
        self.diagonal = upload(np.zeros(0) if lists.diagonal is None else lists.diagonal)
        joins = [(join,) for join in list_joins(lists.windows)]
        self.lists = run_in_threads(lambda join: upload(join()), joins, n_jobs)
        self.block: DeviceArray | None = None
        self.faults = upload(np.full(1, NO_ROW))

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
        if self.block is None:
            self.block = allocate(height * self.columns)
        block = self.block[: height * width].reshape(height, width)
        tasks = min(height * -(-width // COLUMNS), MOST_TASKS)
        fill_block.launch(tasks, block, first, first if self.symmetric else -height, offset, *self.lists, most=WARP)
        cells = min(-(-height * width // count_threads()), MOST_BLOCKS)
        complete_block.launch(cells, block, first, self.diagonal, self.faults)
        return block

    def check(self) -> None:
        """Raise an error if a value is out of range."""
        row = int(download(self.faults)[0])
        if row != NO_ROW:
            check_finite(np.full(1, np.inf), row)
