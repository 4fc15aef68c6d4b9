"""Grams of trees by a GPU: chunks of trees are folded, and each two chunks are a tile of the Gram."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from threading import Lock
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, SmallInts
from rekern.core.cuda_compiling import count_threads
from rekern.core.device import DEVICE_LOCK, DeviceArray, allocate, catch_device_errors, download, measure_memory, upload
from rekern.core.device_copies import Matrix, TileCopier, TilePlacer, open_sink
from rekern.core.parallel_jobs import run_ahead
from rekern.core.progress import track
from rekern.kernels.device_plan import store_gram
from rekern.kernels.gram_plan import GramPlan
from rekern.kernels.trees.device_sides import DeviceCore, PairOfSides, Side, fold_chunks, pair_sides
from rekern.kernels.trees.forests import cut_corpus
from rekern.kernels.trees.label_similarity import LabelPlan
from rekern.kernels.trees.tree_levels_cuda_core import WIDEST
from rekern.kernels.trees.tree_sums_cuda_core import (
    CLASS_FACTS,
    ROWS_OF_TILE,
    SEGMENT,
    find_bases,
    find_factors,
    multiply_vectors,
    scale_tile,
    sum_over_columns,
    sum_over_rows,
)
from rekern.kernels.trees.tree_value_checks import check_range, find_scales, make_range_error
from rekern.structures.trees import TreeArrays

MOST_TREES = 3400  # of a chunk: many share more subtrees and need fewer calls, few are folded sooner
MOST_NODES = 220_000
MOST_BLOCKS = 1056  # of threads that take tiles, as many as a large GPU runs at once
SCRATCH_SHARE = 8  # of the memory, one part for it
AHEAD = 3  # tiles that threads prepare

NO_ROW = np.iinfo(np.int64).max  # is out of range


class DeviceSide(NamedTuple):
    """A chunk in the memory of the GPU."""

    facts: DeviceArray
    kids: DeviceArray
    sequences: DeviceArray
    order: DeviceArray
    occurrences: DeviceArray
    runs: DeviceArray
    tree_runs: DeviceArray
    entry_runs: DeviceArray


class Chunks(NamedTuple):
    """The chunks of the rows and of the columns, and how many numbers the tile of two of them needs at most."""

    rows: list[Side]
    columns: list[Side]
    values: int  # Δ of two subtrees
    sums: int  # of a subtree with a tree

    def count_cells(self) -> int:
        """Return how many cells a tile has at most."""
        return max(side.trees for side in self.rows) * max(side.trees for side in self.columns)


class Prepared(NamedTuple):
    """Two chunks in the memory of the GPU, and what it needs to know of both: numbers, and the parts of the tables."""

    pair: PairOfSides
    rows: DeviceSide
    columns: DeviceSide
    classes: DeviceArray
    segments: DeviceArray
    sum_segments: DeviceArray
    level_tiles: DeviceArray
    queue: DeviceArray


class Workspace:
    """The memory of the GPU that one tile after the other uses, and the parameters of a kernel."""

    def __init__(self, core: DeviceCore, chunks: Chunks):
        self.core = core
        self.chunks = chunks
        self.arrays: dict[str, DeviceArray] = {}
        self.sides: dict[int, tuple[Side, DeviceSide]] = {}
        self.lock = Lock()
        self.numbers = upload(core.numbers)
        self.places = upload(np.zeros(1, np.int64))
        self.labels = upload_labels(core.labels)

    def reserve(self, name: str, size: int) -> DeviceArray:
        """Return an array of at least so many numbers, whose values are what they happen to be."""
        known = self.arrays.get(name)
        if known is None or known.shape[0] < size:
            self.arrays.pop(name, None)
            self.arrays[name] = allocate(max(size, 1))
        return self.arrays[name]

    def upload(self, side: Side) -> DeviceSide:
        """Return a chunk in the memory of the GPU, where it goes in one piece."""
        with self.lock:
            if id(side) not in self.sides:
                whole = upload(side.whole)
                ends = np.cumsum([math.prod(shape) for shape in side.shapes]).tolist()
                parts = [whole[end - math.prod(shape) : end].reshape(*shape) for shape, end in zip(side.shapes, ends)]
                self.sides[id(side)] = side, DeviceSide(*parts)
            return self.sides[id(side)][1]

    def prepare(self, left: Side, right: Side) -> Prepared:
        """Return two chunks and what the GPU needs to know of both, in its memory; threads may be tiles ahead."""
        pair = pair_sides(left, right, count_threads())
        tables = upload(pair.tables)
        sizes = (CLASS_FACTS * pair.classes, SEGMENT * pair.segments, SEGMENT * pair.sum_segments, pair.levels)
        ends = np.cumsum(sizes).tolist()
        return Prepared(
            pair,
            self.upload(left),
            self.upload(right),
            tables[: ends[0]].reshape(pair.classes, CLASS_FACTS),
            tables[ends[0] : ends[1]].reshape(pair.segments, SEGMENT),
            tables[ends[1] : ends[2]].reshape(pair.sum_segments, SEGMENT),
            tables[ends[2] : ends[3]],
            tables[ends[3] :],
        )

    def sum_pairs(self, left: Side, right: Side, prepared: Prepared) -> DeviceArray:
        """Return the sums of the subtrees of one chunk with the trees of another."""
        pair, rows, columns, classes, segments, sum_segments, level_tiles, queue = prepared
        core = self.core
        values = self.reserve("values", self.chunks.values)
        summed = self.reserve("summed", self.chunks.values) if core.has_sums else values
        if pair.tiles:
            bases = self.reserve_places(rows.kids.shape[1])
            find_bases.launch(-(-rows.kids.shape[1] // count_threads()), bases, rows.kids, classes)
            scratch, most = self.reserve_scratch(left, right)
            core.fill_levels.launch(
                min(pair.tiles, most), values, summed, segments, pair.tiles, queue, level_tiles, rows.order, rows.facts,
                columns.facts, rows.kids, columns.kids, rows.sequences, columns.sequences, bases, self.numbers,
                *self.labels, scratch,
            )  # fmt: skip
        sums = self.reserve("sums", self.chunks.sums)
        if pair.sum_tiles:
            sum_over_columns.launch(
                min(pair.sum_tiles, 1 << 30), sums, summed, sum_segments, pair.sum_tiles, rows.facts, columns.facts,
                columns.entry_runs, columns.occurrences, core.get_leaf(), *self.labels, classes,
            )  # fmt: skip
        return sums

    def sum_tile(self, tile: DeviceArray, sums: DeviceArray, prepared: Prepared) -> None:
        """Fill a tile with the kernel values, not normalised, of the trees of two chunks."""
        rows, columns = prepared.rows, prepared.columns
        sum_over_rows.launch(
            tile.shape[0], tile, sums, rows.tree_runs, rows.runs, rows.occurrences, rows.facts, prepared.classes,
            columns.entry_runs,
        )  # fmt: skip

    def reserve_matrix(self, name: str, rows: int, columns: int) -> DeviceArray:
        """Return a matrix whose values are what they happen to be."""
        return self.reserve(name, self.chunks.count_cells())[: rows * columns].reshape(rows, columns)

    def reserve_places(self, size: int) -> DeviceArray:
        """Return whole numbers, whose values are what they happen to be."""
        if self.places.shape[0] < size:
            self.places = upload(np.zeros(size, np.int64))
        return self.places

    def reserve_scratch(self, left: Side, right: Side) -> tuple[DeviceArray, int]:
        """Return memory for nodes with very many children, and how many blocks of threads may run at once."""
        depth = measure_scratch(self.core, left.widest, right.widest)
        most = count_scratch_blocks(depth, measure_memory()) if depth else MOST_BLOCKS
        scratch = self.reserve("scratch", depth * most * count_threads() if depth else 1)
        depth = max(depth, 1)
        return scratch[: depth * (scratch.shape[0] // depth)].reshape(depth, -1), most


def upload_labels(plan: LabelPlan | None) -> list[DeviceArray]:
    """Return the similarities of labels in the memory of the GPU, which multiplies their vectors itself."""
    if plan is None or not plan.size:
        return [upload(array) for array in (np.zeros(1, np.int64), np.zeros(1, np.int32), np.zeros(0))]
    places = [upload(plan.smooth), upload(plan.ranks)]
    if any(members.vectors is None for members in plan.classes):
        return [*places, upload(plan.compute().values)]
    similarities = allocate(plan.size)
    filled = 0
    for _, vectors, _ in plan.classes:
        assert vectors is not None
        size = len(vectors)
        part = similarities[filled : filled + size * size].reshape(size, size)
        blocks = -(-size // ROWS_OF_TILE) * -(-size // count_threads())
        multiply_vectors.launch(blocks, part, upload(vectors), plan.least)
        filled += size * size
    return [*places, similarities]


def measure_scratch(core: DeviceCore, widest: int, widest2: int) -> int:
    """Return how many numbers of its own a thread needs for nodes with very many children; 0 if there are none."""
    longest = core.get_longest()
    bounded = 0 < longest < min(widest, widest2)
    if core.by_production or (widest2 <= WIDEST and not bounded):
        return 0
    return (longest if bounded else 1) * (widest2 + 3) + widest2


def count_scratch_blocks(depth: int, memory: int) -> int:
    """Return how many blocks of threads may run at once if each thread has so many numbers of its own."""
    return max(1, min(MOST_BLOCKS, memory // SCRATCH_SHARE // (8 * depth * count_threads())))


def measure_tiles(core: DeviceCore, chunks: Chunks) -> int:
    """Return how many bytes of the GPU's memory the largest tile of two chunks may need, and all chunks together."""
    values = chunks.values * (2 if core.has_sums else 1)
    widest = [max(side.widest for side in part) for part in (chunks.rows, chunks.columns)]
    tables = 8 * (CLASS_FACTS + 2 * SEGMENT) * len(chunks.rows[0].inner)
    whole = sum({id(side): side.whole.nbytes for side in (*chunks.rows, *chunks.columns)}.values())
    depth = measure_scratch(core, widest[0], widest[1])
    cells = values + chunks.sums + 4 * chunks.count_cells() + depth * count_threads()
    return 8 * cells + (AHEAD + 2) * tables + whole


def join_chunks(rows: list[Side], columns: list[Side]) -> Chunks:
    """Return chunks together with the numbers that tiles of them need."""
    inner = [np.array([side.inner for side in part], float) for part in (rows, columns)]
    sizes = np.array([side.sizes for side in rows], float)
    entries = np.array([np.diff(side.entries) for side in columns], float)
    return Chunks(rows, columns, int((inner[0] @ inner[1].T).max()), int((sizes @ entries.T).max()))


def cut_trees(corpora: list[TreeArrays], class_of: SmallInts, core: DeviceCore, n_jobs: int | None) -> Chunks | None:
    """Cut corpora into chunks, any two of which fit into the memory; None if two single trees may be too large."""
    memory = measure_memory() * (SCRATCH_SHARE - 1) // SCRATCH_SHARE
    if core.labels is not None:
        memory -= 8 * core.labels.size
    trees, nodes = MOST_TREES, MOST_NODES
    while True:
        spans = [(arrays, cut_corpus(arrays.offsets, trees, nodes)) for arrays in corpora]
        sides = fold_chunks(spans, class_of, core, n_jobs)
        chunks = join_chunks(sides[0], sides[-1])
        if measure_tiles(core, chunks) <= memory:
            return chunks
        if all(last - first == 1 for _, parts in spans for first, last in parts):
            return None
        trees, nodes = max(1, trees // 2), max(1, nodes // 2)


@dataclass(frozen=True)
class DeviceTreeGram:
    """Computes a Gram of trees on the GPU, as a whole or some rows of it."""

    numbers: Floats  # of the core; together with the labels they say what is computed
    class_of: SmallInts
    left: TreeArrays
    right: TreeArrays
    symmetric: bool
    normalize: bool
    core: DeviceCore = field(compare=False)
    fold: Callable[[], Chunks | None] = field(compare=False)  # once; None if the memory is too small for two trees
    plan_without: Callable[[], GramPlan] = field(compare=False)  # the Gram by the processor, for this case
    find_row_scales: Callable[[], Floats] = field(compare=False)  # for normalised kernels, unless they are on the way
    find_column_scales: Callable[[], Floats] = field(compare=False)

    def fill(self, matrix: Matrix, n_jobs: int | None) -> None:
        """Compute the whole Gram; trees are folded while the system hands out the memory of the matrix."""
        with DEVICE_LOCK, catch_device_errors(), open_sink(matrix, n_jobs) as copier:
            chunks = self.fold()
            if chunks is not None:
                self._fill_tiles(chunks, copier)
        if chunks is None:
            store_gram(self.plan_without(), matrix, n_jobs)

    def _fill_tiles(self, chunks: Chunks, copier: TileCopier | TilePlacer) -> None:
        tiles = [(left, right) for left in chunks.rows for right in chunks.columns]
        if self.symmetric:  # the diagonal first: it has the factors of rows and columns
            tiles = [(side, side) for side in chunks.rows]
            tiles += list(combinations(chunks.rows, 2))
        scales = None if self.symmetric and self.normalize else self._find_scales()
        work = TileWork(Workspace(self.core, chunks), copier, scales, len(self.left.offsets) - 1)
        pairs = zip(tiles, run_ahead(work.workspace.prepare, tiles, AHEAD))
        for (left, right), prepared in track(pairs, len(tiles), "Gram matrix"):
            work.add_tile(left, right, prepared, left.first, right.first, self.symmetric)
        work.check()

    def fill_rows(self, block: Floats, first: int, last: int, n_jobs: int | None) -> None:
        """Compute rows ``first`` to ``last - 1``; in a symmetric Gram from column ``first`` on."""
        offset = first if self.symmetric else 0
        with DEVICE_LOCK, catch_device_errors():
            chunks = self.fold()
            if chunks is None:
                block[:] = self.plan_without().compute(first, last)
                return
            scales = self._find_scales()
            whole = np.empty((0, 0))
            for left in chunks.rows:
                begin, end = max(first, left.first), min(last, left.first + left.trees)
                if begin >= end:
                    continue
                if whole.shape != (left.trees, block.shape[1] + offset):
                    whole = np.empty((left.trees, block.shape[1] + offset))
                with TileCopier(whole, n_jobs) as copier:
                    work = TileWork(Workspace(self.core, chunks), copier, scales, len(scales[0]))
                    for right in chunks.columns:
                        if right.first + right.trees > offset:
                            prepared = work.workspace.prepare(left, right)
                            work.add_tile(left, right, prepared, 0, right.first, False)
                    work.check()
                block[begin - first : end - first] = whole[begin - left.first : end - left.first, offset:]
        if self.symmetric and self.normalize:
            np.fill_diagonal(block, (scales[0][first:last] > 0).astype(float))

    def _find_scales(self) -> list[Floats]:
        """Return the factors of rows and columns."""
        if self.normalize:
            return [self.find_row_scales(), self.find_column_scales()]
        return [np.ones(len(arrays.offsets) - 1) for arrays in (self.left, self.right)]


class TileWork:
    """One tile after the other, computed, normalised and sent to its place.

    Without ``scales`` the factors of rows and columns come from the tiles on the diagonal, which have to be first.
    Nothing waits for the GPU before the check at the end.
    """

    def __init__(self, workspace: Workspace, copier: TileCopier | TilePlacer, scales: list[Floats] | None, rows: int):
        self.workspace = workspace
        self.copier = copier
        self.squares = allocate(rows) if scales is None else None
        self.factors = [allocate(rows)] * 2 if scales is None else [upload(scale) for scale in scales]
        self.faults = upload(np.full(1, NO_ROW))

    def add_tile(self, left: Side, right: Side, prepared: Prepared, row: int, column: int, mirrored: bool) -> None:
        """Compute the tile of two chunks for this row and column of the matrix, and maybe its mirror image too."""
        sums = self.workspace.sum_pairs(left, right, prepared)
        self.copier.begin_tile()
        tile = self.workspace.reserve_matrix("tile", left.trees, right.trees)
        self.workspace.sum_tile(tile, sums, prepared)
        rows = self.factors[0][left.first : left.first + left.trees]
        columns = self.factors[1][right.first : right.first + right.trees]
        is_own = left is right and self.squares is not None
        if is_own and self.squares is not None:
            squares = self.squares[left.first : left.first + left.trees]
            find_factors.launch(-(-left.trees // count_threads()), tile, squares, rows)
        blocks = min(-(-left.trees * right.trees // count_threads()), 1 << 20)
        scale_tile.launch(blocks, tile, rows, columns, is_own, left.first, self.faults)
        self.copier.copy(tile, row, column, 0 if mirrored and left is not right else None)

    def check(self) -> None:
        """Raise an error if a value is out of range, or too small to be normalised."""
        if self.squares is not None:
            find_scales(check_range(download(self.squares).astype(float)))
        row = int(download(self.faults)[0])
        if row != NO_ROW:
            raise make_range_error(row)
