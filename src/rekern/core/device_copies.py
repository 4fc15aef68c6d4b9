"""From the memory of the GPU into an array: threads copy parts of it, each through a pinned buffer of its own."""

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
from rekern.core.device import DeviceArray, Stream, get_stream, load_cuda, make_stream
from rekern.core.parallel_jobs import count_threads

BUFFERS = 16
BUFFER_VALUES = 1 << 21  # of 8 bytes
PAGE = 512  # values
TOUCHED_VALUES = 1 << 22  # in one piece of work

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


class TileCopier:
    """Copies tiles of a matrix from the GPU to their places in an array; it is complete when the context ends."""

    def __init__(self, matrix: npt.NDArray[np.floating], n_jobs: int | None):
        self.matrix = matrix
        self.buffers = get_buffers()
        self.pool = get_pool(max(2, min(BUFFERS, count_threads(n_jobs))))
        self.pending: list[list[Future[None]]] = []  # the copies of each tile
        self.touches = self._touch()

    def _touch(self) -> list[Future[None]]:
        """Let threads touch new memory before the first tile is there: the system hands it out page by page."""
        if not self.matrix.flags.c_contiguous:
            return []
        flat = self.matrix.reshape(-1)
        firsts = range(0, len(flat), TOUCHED_VALUES)
        return [self.pool.submit(_touch, flat[first : first + TOUCHED_VALUES : PAGE]) for first in firsts]

    def copy(self, tile: DeviceArray, row: int, column: int) -> None:
        """Copy an array whose first cell belongs to this row and column of the matrix, when all kernels are done.

        It must not change before `begin_tile` was called twice.
        """
        height, width = tile.shape
        if not width:
            return
        while self.touches:  # they write into the matrix, too
            self.touches[-1].result()
            self.touches.pop()
        done = load_cuda().event()
        done.record(get_stream())
        flat = tile.reshape(height * width)
        rows, columns = max(1, BUFFER_VALUES // width), min(width, BUFFER_VALUES)
        for first in range(0, height, rows):
            last = min(first + rows, height)
            for begin in range(0, width, columns):
                end = min(begin + columns, width)
                part = flat[first * width + begin : (last - 1) * width + end]
                place = self.matrix[row + first : row + last, column + begin : column + end]
                self.pending[-1].append(self.pool.submit(_copy, part, place, done, self.buffers))

    def begin_tile(self) -> None:
        """Begin a tile: of all tiles before, only one may still be on its way."""
        while len(self.pending) > 1:
            for work in self.pending[0]:
                work.result()
            self.pending.pop(0)
        self.pending.append([])

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


def _touch(pages: npt.NDArray[np.floating]) -> None:
    pages[:] = 0.0


def _copy(part: DeviceArray, place: npt.NDArray[np.floating], done: Event, buffers: LifoQueue[Buffer | None]) -> None:
    buffer = buffers.get()
    try:
        if buffer is None:
            buffer = make_buffer()
        done.wait(buffer.stream)
        values = buffer.values[: place.size]
        part.copy_to_host(values, stream=buffer.stream)
        buffer.stream.synchronize()
        place[:] = values.reshape(place.shape)
    finally:
        buffers.put(buffer)
