"""Tiles of a matrix from the GPU to their places in an array: of the processor, or one that stays on the GPU.

To the processor, threads copy pieces of a tile, each through a pinned buffer of its own. Of a symmetric matrix half is
copied, and written twice by the processor: it writes faster than the GPU is read.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from itertools import chain
from queue import LifoQueue
from threading import Lock
from types import TracebackType
from typing import NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats
from rekern.core.cuda_compiling import count_threads as count_device_threads
from rekern.core.device import DeviceArray, Stream, allocate, get_stream, load_cuda, make_stream, upload
from rekern.core.parallel_jobs import count_threads
from rekern.core.piece_packing_cuda_core import pack_pieces
from rekern.core.piece_placing_core import place_piece
from rekern.core.tile_placing_cuda_core import SIDE, place_tile

Matrix = npt.NDArray[np.floating] | DeviceArray

BUFFERS = 16
PIECE_ROWS, PIECE_COLUMNS = 1024, 2048
LINE = 8  # values in a line of the cache: so many more has a row of a piece, for rows at other places of the cache
BUFFER_VALUES = PIECE_ROWS * (PIECE_COLUMNS + LINE)
PAGE = 512  # values
TOUCHED_VALUES = 1 << 22  # in one piece of work
MOST_BLOCKS = 1 << 16  # of threads of the GPU
STAGES = 2  # tiles that are packed at once, of which one is on its way

_BUFFER_LOCK = Lock()


class Event(Protocol):
    """A moment in a stream."""

    def wait(self, stream: Stream) -> None:
        """Let another stream wait for it."""
        ...


class Buffer(NamedTuple):
    """Pinned memory, and the stream of the copies into it."""

    values: Floats
    stream: Stream


@cache
def get_buffers() -> LifoQueue[Buffer | None]:
    """Return the pinned buffers of this process that are free; None stands for one that is still to be made."""
    buffers: LifoQueue[Buffer | None] = LifoQueue()
    for _ in range(BUFFERS):
        buffers.put(None)
    return buffers


def make_buffer() -> Buffer:
    """Return a new buffer."""
    with _BUFFER_LOCK:
        return Buffer(load_cuda().pinned_array(BUFFER_VALUES), make_stream())


@cache
def get_pool(threads: int) -> ThreadPoolExecutor:
    """Return so many threads, which stay: to start them for every Gram takes a while."""
    return ThreadPoolExecutor(threads)


def cut_evenly(size: int, most: int) -> int:
    """Return how many rows or columns pieces have, so that the last one has about as many, and lines are whole.

    >>> cut_evenly(45_773, 2048), cut_evenly(2050, 1024), cut_evenly(3, 1024)
    (1992, 688, 8)
    """
    pieces = -(-size // most)
    return min(most, -(-size // (pieces * LINE)) * LINE)


class TileCopier:
    """Copies tiles of a matrix from the GPU to their places in an array; it is complete when the context ends."""

    def __init__(self, matrix: npt.NDArray[np.floating], n_jobs: int | None):
        self.matrix = matrix
        self.buffers = get_buffers()
        self.pool = get_pool(max(2, min(BUFFERS, count_threads(n_jobs))))
        self.pending: list[list[Future[None]]] = []  # the copies of each tile
        self.stages: dict[int, DeviceArray] = {}
        self.count = 0
        self.touches = self._touch()

    def _touch(self) -> list[Future[None]]:
        """Let threads touch new memory before the first tile is there: the system hands it out page by page."""
        if not self.matrix.flags.c_contiguous:
            return []
        flat = self.matrix.reshape(-1)
        firsts = range(0, len(flat), TOUCHED_VALUES)
        return [self.pool.submit(_touch, flat[first : first + TOUCHED_VALUES : PAGE]) for first in firsts]

    def copy(self, tile: DeviceArray, row: int, column: int, mirrored: int | None = None) -> None:
        """Copy an array whose first cell belongs to this row and column of the matrix, when all kernels are done.

        From its column ``mirrored`` on, it is copied to the place of its mirror image, too, as far as the matrix goes.
        """
        height, width = tile.shape
        if not height * width:
            return
        while self.touches:  # they write into the matrix, too
            self.touches[-1].result()
            self.touches.pop()
        rows, columns = cut_evenly(height, PIECE_ROWS), cut_evenly(width, PIECE_COLUMNS)
        pitch = columns + LINE
        packed = self._pack(tile, rows, columns, pitch)
        done = load_cuda().event()
        done.record(get_stream())
        across = -(-width // columns)
        after = column + (width if mirrored is None else mirrored)
        for first in range(0, height, rows):
            last = min(first + rows, height)
            for number, begin in enumerate(range(0, width, columns)):
                end = min(begin + columns, width)
                start = (first // rows * across + number) * rows * pitch
                part = packed[start : start + (last - first) * pitch]
                place = (row + first, row + last, column + begin, column + end)
                work = self.pool.submit(_copy, part, pitch, self.matrix, place, after, done, self.buffers)
                self.pending[-1].append(work)

    def _pack(self, tile: DeviceArray, rows: int, columns: int, pitch: int) -> DeviceArray:
        """Return the pieces of a tile, which stay until `begin_tile` was called twice."""
        height, width = tile.shape
        size = -(-height // rows) * rows * -(-width // columns) * pitch
        stage = self.count % STAGES
        if stage not in self.stages or self.stages[stage].shape[0] < size:
            self.stages.pop(stage, None)
            self.stages[stage] = allocate(size)
        blocks = min(-(-height * width // count_device_threads()), MOST_BLOCKS)
        pack_pieces.launch(blocks, tile, rows, columns, pitch, self.stages[stage])
        return self.stages[stage]

    def begin_tile(self) -> None:
        """Begin a tile, which is copied once: of all tiles before, only one may still be on its way."""
        while len(self.pending) > 1:
            for work in self.pending[0]:
                work.result()
            self.pending.pop(0)
        self.pending.append([])
        self.count += 1

    def finish(self) -> None:
        """Wait for all tiles."""
        for work in [*self.touches, *chain(*self.pending)]:
            work.result()

    def write(self, values: Floats, row: int, column: int) -> None:
        """Write values of the processor to their place, when all tiles are there."""
        self.matrix[row : row + values.shape[0], column : column + values.shape[1]] = values

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        works = [*self.touches, *chain(*self.pending)]
        if error is not None:
            for work in works:
                work.cancel()
        wait(works)
        if error is None:
            for work in works:
                work.result()


class TilePlacer:
    """Writes tiles of a matrix to their places in an array of the GPU; it is complete when the context ends."""

    def __init__(self, matrix: DeviceArray):
        self.matrix = matrix
        load_cuda().synchronize()  # what others still do with the array

    def begin_tile(self) -> None:
        """Begin a tile: those before are in their places when its kernels begin."""

    def copy(self, tile: DeviceArray, row: int, column: int, mirrored: int | None = None) -> None:
        """Write a tile to its place, as `TileCopier` does."""
        height, width = tile.shape
        blocks = min(-(-height // SIDE) * -(-width // SIDE), MOST_BLOCKS)
        after = column + (width if mirrored is None else mirrored)
        place_tile.launch(blocks, self.matrix, tile, row, column, after)

    def finish(self) -> None:
        """Wait for all tiles; those that come later are written later in any case."""

    def write(self, values: Floats, row: int, column: int) -> None:
        """Write values of the processor to their place."""
        self.copy(upload(values), row, column)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        get_stream().synchronize()


def open_sink(matrix: Matrix, n_jobs: int | None) -> TileCopier | TilePlacer:
    """Return what takes the tiles of a matrix, which lies in the memory of the processor or of the GPU."""
    return TileCopier(matrix, n_jobs) if isinstance(matrix, np.ndarray) else TilePlacer(matrix)


def _touch(pages: npt.NDArray[np.floating]) -> None:
    pages[:] = 0.0


def _copy(
    part: DeviceArray,
    pitch: int,
    matrix: npt.NDArray[np.floating],
    place: tuple[int, int, int, int],
    mirrored: int,
    done: Event,
    buffers: LifoQueue[Buffer | None],
) -> None:
    buffer = buffers.get()
    try:
        if buffer is None:
            buffer = make_buffer()
        done.wait(buffer.stream)
        values = buffer.values[: part.shape[0]]
        part.copy_to_host(values, stream=buffer.stream)
        buffer.stream.synchronize()
        place_piece(values, pitch, np.asarray(matrix), *place, mirrored)
    finally:
        buffers.put(buffer)
