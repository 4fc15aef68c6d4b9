"""The Gram of the re-writing kernels by a GPU: blocks of rows, each a sum over the window sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.cuda_compiling import WARP
from rekern.core.device import DEVICE_LOCK, DeviceArray, catch_device_errors, upload
from rekern.core.device_copies import Matrix, TileCopier, open_sink
from rekern.core.inverted_lists_cuda_core import COLUMNS, fill_block
from rekern.core.parallel_jobs import run_in_threads, split_range
from rekern.core.progress import track
from rekern.core.window_products import list_joins
from rekern.kernels.rewriting.device_rows import MOST_TASKS, DeviceRows
from rekern.kernels.rewriting.device_rules import DeviceRules
from rekern.kernels.rewriting.rule_extraction import RuleExtractor
from rekern.kernels.rewriting.window_lists import PairLists
from rekern.structures.pairs import Pairs


@dataclass(frozen=True)
class DeviceRewritingGram:
    """Computes a Gram of pairs on the GPU, as a whole or some rows of it."""

    rows: int
    columns: int
    extractor: RuleExtractor  # together with the pairs it says what is computed
    left: Pairs
    right: Pairs | None
    find_lists: Callable[[], PairLists] = field(compare=False)  # once, by the processor
    find_rules: Callable[[], DeviceRules | None] = field(compare=False)  # once, by the GPU; None if it cannot

    def fill(self, matrix: Matrix, n_jobs: int | None) -> None:
        """Compute the whole Gram; features are extracted while the system hands out the memory of the matrix."""
        with DEVICE_LOCK, catch_device_errors(), open_sink(matrix, n_jobs) as copier:
            work, lists = self._find_work(n_jobs)
            spans = split_range(self.rows, work.count_rows(self.rows))
            for first, last in track(spans, len(spans), "Gram matrix"):
                copier.begin_tile()
                block = work.compute(first, last)
                copier.copy(block, first, work.find_offset(first), last - first if work.symmetric else None)
            work.check()
            if lists is not None:
                copier.finish()
                for index, column in lists.down.items():
                    copier.write(column.reshape(-1, 1), 0, index)
                for index, row in lists.across.items():
                    copier.write(row.reshape(1, -1), index, 0)
                    if lists.diagonal is not None:
                        copier.write(lists.diagonal[index : index + 1].reshape(1, 1), index, index)

    def fill_rows(self, block: Floats, first: int, last: int, n_jobs: int | None) -> None:
        """Compute rows ``first`` to ``last - 1``; in a symmetric Gram from column ``first`` on."""
        with DEVICE_LOCK, catch_device_errors(), TileCopier(block, n_jobs) as copier:
            work, lists = self._find_work(n_jobs)
            offset = work.find_offset(first)
            for begin, end in split_range(last - first, work.count_rows(last - first)):
                copier.begin_tile()
                values = work.compute(first + begin, first + end)
                place = work.find_offset(first + begin) - offset
                copier.copy(values, begin, place, end - begin if work.symmetric else None)
            work.check()
        if lists is None:
            return
        for index, column in lists.down.items():
            if index >= offset:
                block[:, index - offset] = column[first:last]
        for index, row in lists.across.items():
            if first <= index < last:
                block[index - first] = row[offset:]
        if lists.diagonal is not None:
            np.fill_diagonal(block, lists.diagonal[first:last])

    def _find_work(self, n_jobs: int | None) -> tuple[DeviceRows, PairLists | None]:
        """Return what computes rows, and the lists of the processor if it has them."""
        rules = self.find_rules()
        if rules is not None:
            return rules, None
        lists = self.find_lists()
        return DeviceWindows(lists, self.columns, n_jobs), lists


class DeviceWindows(DeviceRows):
    """Rows from the lists of all window sizes that the processor has made."""

    def __init__(self, lists: PairLists, columns: int, n_jobs: int | None):
        super().__init__(columns, lists.diagonal)
        joins = [(join,) for join in list_joins(lists.windows)]
        self.lists = run_in_threads(lambda join: upload(join()), joins, n_jobs)

    def fill(self, block: DeviceArray, first: int, start: int, offset: int) -> None:
        """Fill a block of rows."""
        tasks = min(block.shape[0] * -(-block.shape[1] // COLUMNS), MOST_TASKS)
        fill_block.launch(tasks, block, first, start, offset, *self.lists, most=WARP)
