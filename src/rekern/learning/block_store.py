"""Features of training pairs in blocks: in a folder on disk, and in memory as far as they fit."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from rekern.core.arrays import AnyArray, Ints, offsets_of
from rekern.core.column_groups import PlacedRows
from rekern.core.files import show_path, write_atomically
from rekern.core.parallel_jobs import split_range
from rekern.errors import InputError
from rekern.learning.feature_space import FeatureBlock, SmallFloats
from rekern.structures.pairs import Pairs
from rekern.structures.tokens import Tokens

LOCK = "lock"  # of the run that uses the folder
PLAN = "plan.json"
PROGRESS = "progress.npz"
MACHINE = "machine-{:05d}.npz"
COLUMNS = "columns.json"
PLACED = ".placed"  # the ending of the folders of rows whose columns are not known yet

Span = tuple[int, int]


class BlockStore:
    """Blocks of rows in a folder; a folder that an interrupted run left is used again, if it is of the same work.

    Features are made and written in ``chunks`` of rows. Descent reads them in blocks of at most ``rows`` rows: small
    ones, because it takes the longer the fewer blocks there are.

    >>> from tempfile import TemporaryDirectory
    >>> value = np.ones(2, np.float32)
    >>> norms, own = np.array([2.0, 3.0]), np.zeros(2)
    >>> rows = FeatureBlock(np.arange(3), np.arange(2, dtype=np.int32), value, value[:, None], norms, own)
    >>> with TemporaryDirectory() as folder:
    ...     store = BlockStore(Path(folder), [(0, 2), (2, 4)], 1, "digest", 0)
    ...     store.write(0, rows)
    ...     store.write(1, rows)
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
        elif any(path.name != LOCK for path in folder.iterdir()):
            raise InputError(f"{folder} is not empty: name a new folder for the blocks")
        else:
            with write_atomically(path) as temporary:
                temporary.write_text(json.dumps(plan), "utf-8")

    def has_chunk(self, number: int) -> bool:
        """Return whether a chunk is written already."""
        return self._find(number).is_dir()

    def save_columns(self, columns: int) -> None:
        """Note that all chunks are there, and how many columns they have."""
        with write_atomically(self.folder / COLUMNS) as temporary:
            temporary.write_text(json.dumps(columns), "utf-8")

    def load_columns(self) -> int | None:
        """Return what `save_columns` noted; None if chunks are missing."""
        path = self.folder / COLUMNS
        if not path.exists() or not all(self.has_chunk(number) for number in range(len(self.chunks))):
            return None
        columns = json.loads(path.read_text("utf-8"))
        return columns if isinstance(columns, int) else None

    def join(self) -> None:
        """Make one block of all, in memory."""
        sizes = [self._find(number) for number in range(len(self.chunks))]
        entries = sum((folder / "columns").stat().st_size // 4 for folder in sizes)
        rows = self.chunks[-1][1]
        scores = (sizes[0] / "scores").stat().st_size // (4 * (self.chunks[0][1] - self.chunks[0][0]))
        whole = FeatureBlock(
            np.zeros(rows + 1, np.int64),
            np.empty(entries, np.int32),
            np.empty(entries, np.float32),
            np.empty((rows, scores), np.float32),
            np.empty(rows),
            np.empty(rows),
        )
        begin = 0
        for number, (first, last) in enumerate(self.chunks):
            part = self._read(number, 0, last - first)
            whole.indptr[first + 1 : last + 1] = part.indptr[1:] + begin
            for there, here in ((whole.columns, part.columns), (whole.values, part.values)):
                there[begin : begin + len(here)] = here
            for place in (3, 4, 5):
                whole[place][first:last] = part[place]
            begin += len(part.columns)
        self.spans, self._kept = [(0, rows)], {0: whole}

    def measure_block(self) -> int:
        """Return how many bytes a block has, on average."""
        return self.measure() // len(self.spans)

    def measure(self) -> int:
        """Return how many bytes all blocks have."""
        return sum(path.stat().st_size for number in range(len(self.chunks)) for path in self._find(number).iterdir())

    def load(self, number: int) -> FeatureBlock:
        """Return a block."""
        if number in self._kept:
            return self._kept[number]
        chunk, (first, last) = self._chunk_of[number], self.spans[number]
        begin = self.chunks[chunk][0]
        block = self._read(chunk, first - begin, last - begin)
        size = sum(part.nbytes for part in block)
        if size <= self._left:
            self._left -= size
            self._kept[number] = block
        return block

    def _read(self, chunk: int, start: int, end: int) -> FeatureBlock:
        """Return some rows of a chunk."""
        folder, (first, last) = self._find(chunk), self.chunks[chunk]
        if chunk not in self._indptr:
            self._indptr[chunk] = np.fromfile(folder / "indptr", np.int64)
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
            np.fromfile(folder / "own", np.float64, end - start, offset=8 * start),
        )

    def forget(self) -> None:
        """Give the memory of the blocks back; they stay on disk."""
        self._kept, self._indptr, self._left = {}, {}, 0

    def write_tokens(self, number: int, pairs: Pairs, scores: SmallFloats) -> None:
        """Keep the tokens of a chunk, as numbers and keys, and its scores."""
        tokens = pairs.tokens
        lengths = np.diff(tokens.offsets).astype(np.int32)
        arrays = {"ids": tokens.ids, "lengths": lengths, "keys": tokens.token_keys(), "scores": scores}
        _write_folder(self._find_tokens(number), arrays)

    def read_tokens(self, number: int) -> Pairs | None:
        """Return the tokens of a chunk; None if they were not written."""
        folder = self._find_tokens(number)
        if not folder.is_dir():
            return None
        offsets = offsets_of(np.fromfile(folder / "lengths", np.int32))
        return Pairs(
            Tokens.from_keys(np.fromfile(folder / "ids", np.int32), offsets, np.fromfile(folder / "keys", np.uint64))
        )

    def read_scores(self, number: int) -> SmallFloats | None:
        """Return the scores of a chunk; None if they were not written."""
        folder, (first, last) = self._find_tokens(number), self.chunks[number]
        return np.fromfile(folder / "scores", np.float32).reshape(last - first, -1) if folder.is_dir() else None

    def clear_placed(self) -> None:
        """Remove what `add_placed` of an interrupted run left."""
        for number in range(len(self.chunks)):
            shutil.rmtree(self._find(number).with_suffix(PLACED), ignore_errors=True)

    def add_placed(self, number: int, rows: PlacedRows) -> None:
        """Keep rows of a chunk, after those that are there, until all columns are known."""
        folder = self._find(number).with_suffix(PLACED)
        folder.mkdir(exist_ok=True)
        for name, array in zip(rows._fields, rows):
            with open(folder / name, "ab") as file:
                np.asarray(array).tofile(file)

    def take_placed(self, number: int) -> PlacedRows:
        """Return the rows of a chunk that `add_placed` kept, and remove them from the disk."""
        folder = self._find(number).with_suffix(PLACED)
        kinds = (np.int64, np.int32, np.float32, np.float64)
        rows = PlacedRows(*(np.fromfile(folder / name, kind) for name, kind in zip(PlacedRows._fields, kinds)))
        shutil.rmtree(folder)
        return rows

    def save_progress(self, **arrays: AnyArray) -> None:
        """Write how far training is; the file is replaced when the new one is complete."""
        self._save(PROGRESS, arrays)

    def load_progress(self) -> dict[str, AnyArray] | None:
        """Return what `save_progress` wrote; None if there is nothing."""
        return self._load(PROGRESS) if (self.folder / PROGRESS).exists() else None

    def save_machine(self, number: int, arrays: Mapping[str, AnyArray]) -> None:
        """Write a machine that is trained."""
        self._save(MACHINE.format(number), arrays)

    def load_machine(self, number: int) -> dict[str, AnyArray]:
        """Return what `save_machine` wrote."""
        return self._load(MACHINE.format(number))

    def _save(self, name: str, arrays: Mapping[str, AnyArray]) -> None:
        with write_atomically(self.folder / name) as temporary, open(temporary, "wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]

    def _load(self, name: str) -> dict[str, AnyArray]:
        path = self.folder / name
        try:
            with np.load(path, allow_pickle=False) as found:
                return dict(found)
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            remedy = f"delete the folder {show_path(self.folder)} to train from the start"
            raise InputError(f"{show_path(path)} is missing or damaged: {remedy}", names_file=True) from None

    def _find(self, number: int) -> Path:
        return self.folder / f"chunk-{number:05d}"

    def _find_tokens(self, number: int) -> Path:
        return self.folder / f"tokens-{number:05d}"

    def write(self, number: int, block: FeatureBlock) -> None:
        """Write the features of a chunk."""
        _write_folder(self._find(number), block._asdict())


def _write_folder(path: Path, arrays: Mapping[str, object]) -> None:
    """Write a file for each array into a folder, which appears when it is complete."""
    temporary = path.with_suffix(".part")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    for name, array in arrays.items():
        np.asarray(array).tofile(temporary / name)
    os.replace(temporary, path)
