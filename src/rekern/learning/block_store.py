"""Features of training pairs in blocks: in a folder on disk, and in memory as far as they fit."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rekern.core.files import write_atomically
from rekern.core.progress import track
from rekern.errors import InputError
from rekern.learning.feature_space import FeatureBlock

PLAN = "plan.json"
PROGRESS = "progress.npz"

Span = tuple[int, int]


class BlockStore:
    """Blocks of features in a folder; a folder that an interrupted run left is used again, if it is of the same work.

    >>> from tempfile import TemporaryDirectory
    >>> rows = FeatureBlock(np.array([0, 1]), np.zeros(1, np.int32), np.ones(1, np.float32), np.zeros((1, 0)), np.ones(1))
    >>> with TemporaryDirectory() as folder:
    ...     store = BlockStore(Path(folder), [(0, 1), (1, 2)], "digest", 1 << 20)
    ...     store.fill(lambda first, last: rows)
    ...     store.load(1).norms.tolist(), BlockStore(Path(folder), [(0, 1), (1, 2)], "digest", 0).count_missing()
    ([1.0], 0)
    """

    def __init__(self, folder: Path, spans: list[Span], digest: str, memory: int):
        self.folder, self.spans = folder, spans
        self._left = memory  # bytes of blocks that may still be kept in memory
        self._kept: dict[int, FeatureBlock] = {}
        plan = {"digest": digest, "spans": [list(span) for span in spans]}
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

    def count_missing(self) -> int:
        """Return how many blocks are not there yet."""
        return sum(not self._find(number).is_dir() for number in range(len(self.spans)))

    def fill(self, read: Callable[[int, int], FeatureBlock]) -> None:
        """Make the blocks that are not there yet; ``read`` returns the features of a range of pairs."""
        for number, span in track(enumerate(self.spans), len(self.spans), "features"):
            if not self._find(number).is_dir():
                self._write(number, read(*span))

    def load(self, number: int) -> FeatureBlock:
        """Return a block."""
        if number in self._kept:
            return self._kept[number]
        parts = [np.load(self._find(number) / f"{name}.npy", allow_pickle=False) for name in FeatureBlock._fields]
        block = FeatureBlock(*parts)
        size = sum(part.nbytes for part in parts)
        if size <= self._left:
            self._left -= size
            self._kept[number] = block
        return block

    def save_progress(self, **arrays: np.ndarray) -> None:
        """Write how far training is; the file is replaced when the new one is complete."""
        with write_atomically(self.folder / PROGRESS) as temporary, open(temporary, "wb") as file:
            np.savez(file, **arrays)

    def load_progress(self) -> dict[str, np.ndarray] | None:
        """Return what `save_progress` wrote; None if there is nothing."""
        path = self.folder / PROGRESS
        if not path.exists():
            return None
        with np.load(path, allow_pickle=False) as found:
            return dict(found)

    def _find(self, number: int) -> Path:
        return self.folder / f"block-{number:05d}"

    def _write(self, number: int, block: FeatureBlock) -> None:
        path = self._find(number)
        temporary = path.with_suffix(".part")
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        for name, array in zip(block._fields, block):
            np.save(temporary / f"{name}.npy", array, allow_pickle=False)
        os.replace(temporary, path)
