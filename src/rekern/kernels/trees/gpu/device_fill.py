"""Blocks of rows of a Gram of trees, filled by a GPU."""

# mypy: allow-untyped-calls

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numba import cuda

from rekern.core.arrays import AnyArray, Floats, Keys, SmallInts
from rekern.core.messages import show_value
from rekern.core.parallel_jobs import run_in_threads
from rekern.errors import InputError
from rekern.kernels.trees.dependency_paths_core import PathParameters
from rekern.kernels.trees.folded_forest_core import Forest
from rekern.kernels.trees.forests import cut_corpus
from rekern.kernels.trees.gpu import cuda_cores
from rekern.kernels.trees.gpu.chunks import Chunk, ChunkArrays, describe_chunk, fold_chunk, number_productions
from rekern.kernels.trees.partial_tree_core import PartialTreeParameters
from rekern.kernels.trees.subset_tree_core import SubsetTreeParameters
from rekern.structures.trees import TreeArrays

MOST_NODES = 220_000  # of a chunk: many share more subtrees and need fewer launches, few are folded sooner
THREADS = 256  # of a block of the GPU
BLOCKS = 2048  # that the launch of a level has at least, if it has as much work
KEPT_BYTES = 1 << 31  # of the tiles that stay on the GPU
SHARE = 0.8  # of the free memory of the GPU that is used
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

NO_LABELS = (np.full(1, -1, np.int64), np.zeros(1, np.int32), np.zeros(1))


class Core(NamedTuple):
    """How the GPU computes a tree kernel."""

    fill_level: Any
    numbers: list[float]  # mu, decay, factor, leaf, middle
    labels: tuple[AnyArray, ...] = NO_LABELS  # how similar they are: places of rows, places in rows, values
    by_production: bool = False  # whether only subtrees of equal productions have values, and not of equal labels
    has_sums: bool = False  # whether what is summed is not what the level above needs


def describe_core(parameters: object, widest: int) -> Core | None:
    """Return how the GPU computes the kernel with these parameters; None if the processor has to do it."""
    if widest > cuda_cores.WIDEST:
        return None
    if isinstance(parameters, SubsetTreeParameters):
        leaf = parameters.decay if parameters.words else 0.0
        numbers = [0.0, parameters.decay, 0.0, leaf, 0.0]
        return Core(cuda_cores.fill_subset_level, numbers, by_production=True, has_sums=parameters.words)
    if isinstance(parameters, PathParameters):
        numbers = [0.0, parameters.decay, 0.0, 1.0, parameters.middle]
        return Core(cuda_cores.fill_path_level, numbers, has_sums=True)
    if isinstance(parameters, PartialTreeParameters) and not 0 < parameters.weights.longest < widest:
        mu, decay, factor, _, terminal = parameters.weights
        table = parameters.labels
        labels = (table.smooth, table.ranks, np.append(table.values, 0.0))
        return Core(cuda_cores.fill_partial_level, [mu, decay, factor, terminal * mu * decay * decay, 0.0], labels)
    return None


class DeviceFill:
    """Fills blocks of rows of a Gram of trees, in any order; several threads may ask for blocks.

    All rows of a chunk are computed at once and stay on the GPU as a tile, from which blocks are copied. In a symmetric
    Gram a tile begins with the column of its first row.
    """

    height = 256  # rows of a block: so few that each core has some to copy and to normalise

    def __init__(self, core: Core, left: TreeArrays, right: TreeArrays | None, class_of: SmallInts, n_jobs: int | None):
        self.core = core
        self.class_of = class_of
        self.productions: Keys | None = None
        self.symmetric = right is None
        self.width = len((left if right is None else right).offsets) - 1
        self.lock = Lock()
        self.arrays: dict[str, Any] = {}
        self.tiles: dict[int, Any] = {}
        with catch_device_errors():
            self.memory = measure_memory()
            self.fits = self._lay_out([left] if right is None else [left, right], n_jobs)
            self.numbers = upload(np.array(core.numbers))
            self.labels = [upload(array) for array in core.labels]
            chunks = {id(chunk): chunk for chunk in (*self.rows, *self.columns)} if self.fits else {}
            self.uploaded = {key: ChunkArrays(*map(upload, chunk.arrays)) for key, chunk in chunks.items()}

    def _lay_out(self, corpora: list[TreeArrays], n_jobs: int | None) -> bool:
        """Cut the trees of the rows and of the columns into chunks; return whether any two fit into the memory."""
        most_trees, most_nodes = cuda_cores.MOST_TREES, MOST_NODES
        while True:
            calls = [(trees, *span) for trees in corpora for span in cut_corpus(trees.offsets, most_trees, most_nodes)]
            forests = run_in_threads(partial(fold_chunk, class_of=self.class_of), calls, n_jobs)
            if self.core.by_production:
                self.productions = number_productions(forests, len(self.class_of))
            described = [(trees, first, forest) for (trees, first, _), forest in zip(calls, forests)]
            chunks = run_in_threads(self._describe, described, n_jobs)
            self.rows: list[Chunk] = [chunk for chunk, call in zip(chunks, calls) if call[0] is corpora[0]]
            self.columns: list[Chunk] = [chunk for chunk, call in zip(chunks, calls) if call[0] is corpora[-1]]
            if self._measure() <= self.memory:
                return True
            if all(chunk.trees == 1 for chunk in chunks):
                return False
            most_trees, most_nodes = max(1, most_trees // 2), max(1, most_nodes // 2)

    def _describe(self, trees: TreeArrays, first: int, forest: Forest) -> Chunk:
        with_leaves = self.core.numbers[cuda_cores.LEAF] > 0
        return describe_chunk(trees, first, forest, self.class_of, self.productions, with_leaves)

    def _measure(self) -> float:
        """Return how many bytes two chunks need at most, with a tile as large as all that is kept beside it."""
        rows = np.array([chunk.arrays.sizes for chunk in self.rows], float)
        values = (rows @ np.array([chunk.arrays.sizes for chunk in self.columns], float).T).max()
        sums = (rows @ np.array([np.diff(chunk.arrays.entries) for chunk in self.columns], float).T).max()
        tile = self.width * max(chunk.trees for chunk in self.rows)
        return 8.0 * float(values * (2 if self.core.has_sums else 1) + sums + 2 * tile)

    def __call__(self, block: Floats, first: int, last: int) -> None:
        """Fill rows ``first`` to ``last - 1`` of the Gram, in a symmetric one from the diagonal on."""
        for number, rows in enumerate(self.rows):
            begin, end = max(first, rows.first), min(last, rows.first + rows.trees)
            if begin < end:
                with catch_device_errors():
                    tile, width = self._find_tile(number)
                    stream = cuda.stream()
                    part = tile[(begin - rows.first) * width : (end - rows.first) * width].copy_to_host(stream=stream)
                    stream.synchronize()
                shift = first - rows.first if self.symmetric else 0
                values = part.reshape(-1, width)[:, max(shift, 0) :]
                block[begin - first : end - first, max(-shift, 0) :] = values

    def _find_tile(self, number: int) -> tuple[Any, int]:
        """Return the rows of a chunk, one after the other, and how many values each has."""
        rows = self.rows[number]
        width = self.width - (rows.first if self.symmetric else 0)
        with self.lock:
            if number not in self.tiles:
                kept = min(KEPT_BYTES, self.memory / 4)
                while self.tiles and 8 * (sum(tile.size for tile in self.tiles.values()) + rows.trees * width) > kept:
                    self.tiles.pop(next(iter(self.tiles)))
                self.tiles[number] = self._compute(rows, width)
            return self.tiles[number], width

    def _compute(self, rows: Chunk, width: int) -> Any:
        """Compute a tile."""
        stream = get_stream()
        mine = self.uploaded[id(rows)]
        classes = rows.arrays.facts[cuda_cores.CLASS]
        tile = cuda.device_array(rows.trees * width)
        for columns in self.columns:
            if self.symmetric and columns.first < rows.first:
                continue
            theirs = self.uploaded[id(columns)]
            # Where the values and the sums of each subtree of the rows begin.
            bases = np.append(0, columns.arrays.sizes[classes].cumsum())
            sum_bases = np.append(0, np.diff(columns.arrays.entries)[classes].cumsum())
            values = self._reserve("values", int(bases[-1]))
            sums = self._reserve("sums", int(bases[-1])) if self.core.has_sums else values
            entry_sums = self._reserve("entry_sums", int(sum_bases[-1]))
            bases_there, sum_bases_there = upload(bases), upload(sum_bases)
            widest = int(columns.arrays.sizes.max())
            for begin, end in zip(rows.levels[:-1].tolist(), rows.levels[1:].tolist()):
                across = max(1, min(BLOCKS // (end - begin), -(-widest // THREADS)))
                self.core.fill_level[(end - begin, across), THREADS, stream](
                    values, sums, begin, mine.order, mine.facts, mine.marks, mine.kids, mine.sequences, bases_there,
                    theirs.facts, theirs.marks, theirs.kids, theirs.sequences, theirs.starts, theirs.sizes,
                    self.numbers, *self.labels,
                )  # fmt: skip
            if len(classes):
                cuda_cores.sum_over_columns[len(classes), THREADS, stream](
                    entry_sums, sums, mine.facts, bases_there, sum_bases_there, theirs.entries, theirs.entry_begins,
                    theirs.node_ranks,
                )  # fmt: skip
            cuda_cores.sum_over_rows[rows.trees, THREADS, stream](
                tile, width, columns.first - self.width + width, columns.trees, entry_sums, mine.nodes, mine.offsets,
                mine.facts, sum_bases_there, theirs.entries, theirs.entry_trees,
            )  # fmt: skip
        stream.synchronize()
        return tile

    def _reserve(self, name: str, size: int) -> Any:
        """Return an array of at least so many numbers, whose values are what they happen to be."""
        if name not in self.arrays or self.arrays[name].size < size:
            self.arrays.pop(name, None)
            self.arrays[name] = cuda.device_array(max(size, 1))
        return self.arrays[name]


@cache
def get_stream() -> Any:
    """Return the stream in which all kernels of this process run; copies to the processor run beside it."""
    return cuda.stream()


def upload(array: Any) -> Any:
    """Return an array in the memory of the GPU; one without values gets a zero."""
    shape = [max(size, 1) for size in array.shape]
    return cuda.to_device(np.ascontiguousarray(array) if array.size else np.zeros(shape, array.dtype), get_stream())


def measure_memory() -> float:
    """Return how many bytes of the GPU may be used: most of what is free, or what ``REKERN_DEVICE_MEMORY`` says."""
    given = os.environ.get("REKERN_DEVICE_MEMORY")
    free = SHARE * float(cuda.current_context().get_memory_info()[0])
    return min(free, parse_size(given)) if given else free


REMEDY = 'set REKERN_DEVICE_MEMORY=8G or less if other programs use its memory, or use the device "cpu"'


@contextmanager
def catch_device_errors() -> Iterator[None]:
    """Turn an error of the GPU, such as too little memory, into one line that says what to do."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ != "CudaAPIError":
            raise
        raise InputError(f"the GPU failed ({' '.join(str(error).split())}); {REMEDY}") from None


def parse_size(text: str) -> float:
    """Return a number of bytes that is written with a unit.

    >>> parse_size("8G"), parse_size("1.5M")
    (8589934592.0, 1572864.0)
    """
    unit = UNITS.get(text[-1:].upper(), 1)
    try:
        size = float(text if unit == 1 else text[:-1]) * unit
    except ValueError:
        size = -1.0
    if not 0 < size < 2**60:
        raise InputError(f"REKERN_DEVICE_MEMORY={show_value(text)}: give a size such as 8G or 500M")
    return size
