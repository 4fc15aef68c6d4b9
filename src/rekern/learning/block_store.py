"""Features of training pairs in blocks: in a folder on disk, and in memory as far as they fit."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rekern.core.arrays import AnyArray, Ints
from rekern.core.files import write_atomically
from rekern.core.parallel_jobs import split_range
from rekern.core.progress import track
from rekern.errors import InputError
from rekern.learning.feature_space import FeatureBlock

PLAN = "plan.json"
PROGRESS = "progress.npz"

Span = tuple[int, int]


class BlockStore:
    """Blocks of rows in a folder; a folder that an interrupted run left is used again, if it is of the same work.

    Features are made and written in ``chunks`` of rows. Descent reads them in blocks of at most ``rows`` rows: small
    ones, because it takes the longer the fewer blocks there are.

    >>> from tempfile import TemporaryDirectory
    >>> value = np.ones(2, np.float32)
    >>> rows = FeatureBlock(np.arange(3), np.arange(2, dtype=np.int32), value, value[:, None], np.array([2.0, 3.0]))
    >>> with TemporaryDirectory() as folder:
    ...     store = BlockStore(Path(folder), [(0, 2), (2, 4)], 1, "digest", 0)
    ...     store.fill(lambda first, last: rows)
    ...     block = store.load(3)
    >>> store.spans, block.columns.tolist(), block.scores.tolist(), block.norms.tolist()
    ([(0, 1), (1, 2), (2, 3), (3, 4)], [1], [[1.0]], [3.0])
    """

    def __init__(self, folder: Path, chunks: list[Span], rows: int, digest: str, memory: int):
        self.folder, self.chunks = folder, chunks
        self.spans: list[Span] = []
        self._chunk_of: list[int] = []
        for number, (first, last) in enumerate(chunks):
            inside = [(first + start, first + end) for start, end in split_range(last - first, rows)]
            self.spans += inside
            self._chunk_of += [number] * len(inside)
        self._left = memory  # bytes of blocks that may still be kept in memory
        self._kept: dict[int, FeatureBlock] = {}
        self._indptr: dict[int, Ints] = {}
        plan = {"digest": digest, "chunks": [list(span) for span in chunks]}
        path = folder / PLAN
        if path.exists():
            try:
                known = json.loads(path.read_text("utf-8"))
            except (OSError, ValueError):
                known = None
            if known != plan:
                raise InputError(
                    f"{folder} has the blocks of another training (other pairs, labels, kernel or version of Rekern): "
                    "name another folder, or delete it"
                )
        elif any(folder.iterdir()):
            raise InputError(f"{folder} is not empty: name a new folder for the blocks")
        else:
            with write_atomically(path) as temporary:
                temporary.write_text(json.dumps(plan), "utf-8")

    def fill(self, read: Callable[[int, int], FeatureBlock]) -> None:
        """Make the chunks that are not there yet; ``read`` returns the features of a range of rows."""
        for number, span in track(enumerate(self.chunks), len(self.chunks), "features"):
            if not self._find(number).is_dir():
                self._write(number, read(*span))

    def load(self, number: int) -> FeatureBlock:
        """Return a block."""
        if number in self._kept:
            return self._kept[number]
        block = self._read(number)
        size = sum(part.nbytes for part in block)
        if size <= self._left:
            self._left -= size
            self._kept[number] = block
        return block

    def _read(self, number: int) -> FeatureBlock:
        chunk = self._chunk_of[number]
        folder, (first, last) = self._find(chunk), self.chunks[chunk]
        if chunk not in self._indptr:
            self._indptr[chunk] = np.fromfile(folder / "indptr", np.int64)
        start, end = (row - first for row in self.spans[number])
        indptr = self._indptr[chunk][start : end + 1]
        begin, count = int(indptr[0]), int(indptr[-1] - indptr[0])
        scores = (folder / "scores").stat().st_size // (4 * (last - first))
        return FeatureBlock(
            indptr - begin,
            np.fromfile(folder / "columns", np.int32, count, offset=4 * begin),
            np.fromfile(folder / "values", np.float32, count, offset=4 * begin),
            np.fromfile(folder / "scores", np.float32, (end - start) * scores, offset=4 * scores * start).reshape(
                end - start, scores
            ),
            np.fromfile(folder / "norms", np.float64, end - start, offset=8 * start),
        )

    def save_progress(self, **arrays: AnyArray) -> None:
        """Write how far training is; the file is replaced when the new one is complete."""
        with write_atomically(self.folder / PROGRESS) as temporary, open(temporary, "wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]

    def load_progress(self) -> dict[str, AnyArray] | None:
        """Return what `save_progress` wrote; None if there is nothing."""
        path = self.folder / PROGRESS
        if not path.exists():
            return None
        with np.load(path, allow_pickle=False) as found:
            return dict(found)

    def _find(self, number: int) -> Path:
        return self.folder / f"chunk-{number:05d}"

    def _write(self, number: int, block: FeatureBlock) -> None:
        path = self._find(number)
        temporary = path.with_suffix(".part")
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        for name, array in zip(block._fields, block):
            np.ascontiguousarray(array).tofile(temporary / name)
        os.replace(temporary, path)
