"""What the workers of a cluster do with the file of a Gram: they write their blocks, and mirror them.

Files are read and written in pieces, and not mapped: when a file is closed, other machines see what was written, and
what they write beside it stays. Only one process at a time can write to a file, so that pieces are long, as much as
possible is done beside that, and processes of one machine take turns.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from typing import cast

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.files import take_turn
from rekern.kernels.gram_plan import GramPlan

STRIP = 1024  # the most rows that a call mirrors
CHUNK = 2048  # columns that it mirrors at a time
LINE = 8  # values in a line of the cache

_kept = threading.local()  # arrays that a worker uses again: new memory takes as long as the copy that is made in it


@dataclass(frozen=True)
class SharedFile:
    """An unfinished Gram that workers may see: its two files, the random number of this run in the second one.

    The values begin at a byte of the first one, and have so many columns.
    """

    part: str
    sidecar: str
    run: str
    start: int
    columns: int

    def is_seen(self) -> bool:
        """Return whether this process sees the file of the process that has given the work."""
        try:
            with open(self.sidecar, "rb") as record:
                return bool(json.loads(record.read())["run"] == self.run) and os.access(self.part, os.W_OK)
        except (OSError, ValueError, KeyError):
            return False

    @contextmanager
    def open(self) -> Iterator[FileRows]:
        """Open the matrix, to read and write pieces of its rows."""
        with open(self.part, "r+b", buffering=0) as stream:
            yield FileRows(stream, self.start, self.columns)


@dataclass(frozen=True)
class FileRows:
    """The rows of a matrix in an open file."""

    stream: FileIO
    start: int
    columns: int

    def write(self, values: Floats, first: int, left: int) -> None:
        """Write values, from a row and a column on."""
        if values.shape[1] == self.columns:  # whole rows follow each other
            values = values.reshape(1, -1)
        for row, line in enumerate(values, first):
            self._find(row, left)
            rest = memoryview(line).cast("B")
            while rest:
                rest = rest[self.stream.write(rest) :]

    def read(self, values: Floats, first: int, left: int) -> None:
        """Read as many values as there is room for, from a row and a column on."""
        for row, line in enumerate(values, first):
            self._find(row, left)
            rest = memoryview(line).cast("B")
            while rest:
                count = self.stream.readinto(rest)
                if not count:
                    raise EOFError("the file of the Gram is shorter than it was")
                rest = rest[count:]

    def _find(self, row: int, column: int) -> None:
        self.stream.seek(self.start + 8 * (row * self.columns + column))


def write_block(plan: GramPlan, file: SharedFile, first: int, last: int) -> Floats | None:
    """Compute a block on a worker and write it to its place in the file, or return it if the file is not seen."""
    block = np.ascontiguousarray(plan.compute(first, last))
    if not file.is_seen():
        return block
    with file.open() as rows, take_turn(rows.stream):
        rows.write(block, first, first if plan.symmetric else 0)
    return None


def mirror_rows(file: SharedFile, first: int, last: int) -> bool:
    """Fill rows to the left of the diagonal from what is right of it, on a worker; return whether it sees the file."""
    if not file.is_seen():
        return False
    height = last - first
    # Rows that are a little longer than needed do not lie in the same places of the cache.
    source, target = _keep_array("source", CHUNK, STRIP + LINE), _keep_array("target", STRIP, CHUNK)
    with file.open() as rows:
        for left in range(0, first, CHUNK):
            width = min(CHUNK, first - left)
            tile, image = source[:width, :height], target[:height, :width]
            rows.read(tile, left, first)
            image[:] = tile.T
            with take_turn(rows.stream):
                rows.write(image, first, left)
        square = source[:height, :height]
        rows.read(square, first, first)
        square[:] = np.where(np.tri(height, k=-1, dtype=bool), square.T, square)
        with take_turn(rows.stream):
            rows.write(square, first, first)
    return True


def split_rows(rows: int, workers: int) -> list[tuple[int, int]]:
    """Return the calls that mirror a Gram, those with the most work first, some for each worker.

    >>> split_rows(2048, 1)
    [(1792, 2048), (1536, 1792), (1280, 1536), (1024, 1280), (768, 1024), (512, 768), (256, 512), (0, 256)]
    """
    height = min(STRIP, max(LINE, -(-rows // (8 * workers))))
    return [(first, min(first + height, rows)) for first in reversed(range(0, rows, height))]


def _keep_array(name: str, height: int, width: int) -> Floats:
    """Return an array of this thread that was used before, if there is one."""
    kept = vars(_kept)
    if name not in kept or kept[name].shape != (height, width):
        kept[name] = np.empty((height, width))
    return cast(Floats, kept[name])
