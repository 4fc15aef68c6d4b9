"""The Gram of the re-writing kernels by a GPU: blocks of rows, each a sum over the window sizes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats
from rekern.core.cuda_compiling import count_threads
from rekern.core.device import DEVICE_LOCK, DeviceArray, allocate, catch_device_errors, download, measure_memory, upload
from rekern.core.device_copies import TileCopier
from rekern.core.inverted_lists import FrequentKeys, InvertedLists
from rekern.core.inverted_lists_cuda_core import add_products, add_window, clear, complete_block, copy_columns
from rekern.core.parallel_jobs import split_range
from rekern.core.progress import track
from rekern.errors import InputError
from rekern.kernels.gram_plan import check_finite
from rekern.kernels.rewriting.window_lists import WindowLists

MOST_ROWS = 2048  # of a block
MATRICES = 8  # that a block needs: its values, three sums of products, and two tiles with mirror images on their way
MOST_BLOCKS = 1 << 16  # of threads
NO_ROW = np.iinfo(np.int64).max  # is out of range


@dataclass(frozen=True)
class DeviceRewritingGram:
    """Computes a Gram of pairs on the GPU, as a whole or some rows of it."""

    rows: int
    columns: int
    windows: list[WindowLists]
    diagonal: Floats | None  # of a symmetric Gram
    across: dict[int, Floats]  # the rows of heavy pairs, which are in no list
    down: dict[int, Floats]  # and their columns

    def fill(self, matrix: npt.NDArray[np.floating], n_jobs: int | None) -> None:
        """Compute the whole Gram."""
        with DEVICE_LOCK, catch_device_errors(), TileCopier(matrix, n_jobs) as copier:
            work = DeviceWindows(self.windows, self.diagonal, self.columns)
            spans = split_range(self.rows, work.count_rows(self.rows))
            for first, last in track(spans, len(spans), "Gram matrix"):
                copier.begin_tile()
                block, mirror = work.compute(first, last)
                copier.copy(block, first, work.find_offset(first))
                if mirror is not None:
                    copier.copy(mirror, last, first)
            work.check()
        for index, values in self.down.items():
            matrix[:, index] = values
        for index, values in self.across.items():
            matrix[index] = values
            if self.diagonal is not None:
                matrix[index, index] = self.diagonal[index]

    def fill_rows(self, block: Floats, first: int, last: int, n_jobs: int | None) -> None:
        """Compute rows ``first`` to ``last - 1``; in a symmetric Gram from column ``first`` on."""
        offset = 0 if self.diagonal is None else first
        with DEVICE_LOCK, catch_device_errors(), TileCopier(block, n_jobs) as copier:
            work = DeviceWindows(self.windows, self.diagonal, self.columns)
            for begin, end in split_range(last - first, work.count_rows(last - first)):
                copier.begin_tile()
                values, mirror = work.compute(first + begin, first + end)
                copier.copy(values, begin, work.find_offset(first + begin) - offset)
                if mirror is not None:
                    copier.copy(mirror[: last - first - end], end, begin)
            work.check()
        for index, column in self.down.items():
            if index >= offset:
                block[:, index - offset] = column[first:last]
        for index, row in self.across.items():
            if first <= index < last:
                block[index - first] = row[offset:]
        if self.diagonal is not None:
            np.fill_diagonal(block, self.diagonal[first:last])


class DeviceWindows:
    """The lists of all window sizes in the memory of the GPU, and room for a block of the Gram."""

    def __init__(self, windows: list[WindowLists], diagonal: Floats | None, columns: int):
        self.columns = columns
        self.symmetric = diagonal is not None
        self.diagonal = upload(np.zeros(0) if diagonal is None else diagonal)
        self.windows = []
        for window in windows:
            parts = (window.source, window.target, window.rules)
            lists = [_upload_lists(part, known) for part, known in zip(parts, window.frequent)]
            self.windows.append((lists, upload(window.row_scale), upload(window.column_scale)))
        self.arrays: list[DeviceArray] = []
        self.faults = upload(np.full(1, NO_ROW))
        self.count = 0
        self.nothing = upload(np.zeros((0, 1)))

    def count_rows(self, wanted: int) -> int:
        """Return how many rows a block may have."""
        room = measure_memory() // (8 * MATRICES * max(self.columns, 1))
        if not room:
            raise InputError(f"the GPU has too little memory for a row of {self.columns:,} values; use the device cpu")
        return max(1, min(MOST_ROWS, room, wanted))

    def find_offset(self, first: int) -> int:
        """Return the first column of a block that begins with this row."""
        return first if self.symmetric else 0

    def compute(self, first: int, last: int) -> tuple[DeviceArray, DeviceArray | None]:
        """Return the rows, in a symmetric Gram from column ``first`` on, and the rest of these columns.

        They are overwritten when the next block but one is computed.
        """
        height, width = last - first, self.columns
        if not self.arrays:
            self.arrays = [allocate(height * width) for _ in range(MATRICES)]
        block, source, target, rules = (array[: height * width].reshape(height, width) for array in self.arrays[:4])
        start = first if self.symmetric else -height
        cells = min(-(-height * width // count_threads()), MOST_BLOCKS)
        clear.launch(cells, block)
        for lists, row_scale, column_scale in self.windows:
            for totals, part in zip((source, target, rules), lists):
                add_products.launch(height, totals, first, start, *part)
            add_window.launch(cells, block, first, start, source, target, rules, row_scale, column_scale)
        place = self.count % 2
        self.count += 1
        offset = self.find_offset(first)
        below = width - last if self.symmetric else 0
        mirror = self.arrays[4 + place][: below * height].reshape(below, height) if below else self.nothing
        complete_block.launch(cells, block, mirror, first, start, self.diagonal, self.faults)
        copied = self.arrays[6 + place][: height * (width - offset)].reshape(height, width - offset)
        copy_columns.launch(cells, copied, block, offset)
        return copied, mirror if below else None

    def check(self) -> None:
        """Raise an error if a value is out of range."""
        row = int(download(self.faults)[0])
        if row != NO_ROW:
            check_finite(np.full(1, np.inf), row)


def _upload_lists(lists: InvertedLists, frequent: FrequentKeys) -> list[DeviceArray]:
    """Return inverted lists and frequent keys in the memory of the GPU, as the kernel takes them."""
    arrays = (lists.indptr, lists.values, lists.begin, lists.end, lists.rows, lists.weights)
    return [upload(array) for array in (*arrays, frequent.by_key, frequent.by_row)]
