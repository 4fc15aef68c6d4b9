"""A Gram too large for memory: written block by block to a memory-mapped ``.npy`` file, resumed after an interruption.

The matrix is written to ``NAME.part``. A second file, ``NAME.part.json``, says what it is a Gram of and how many of its
blocks are on disk. A later run that finds both, for the same kernel, the same items and the same version, continues
from there; otherwise it says what differs and starts again. The finished file gets its name in one step, so a file
called NAME is always complete.
"""

from __future__ import annotations

import errno
import json
import os
import pickle
import re
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TypedDict

import joblib
import numpy as np

from rekern.core.arrays import Floats
from rekern.core.files import check_writable, open_locked, remove_locked, show_path
from rekern.core.messages import shorten_text
from rekern.core.parallel_jobs import count_jobs, run, split_range, use_one_blas_thread
from rekern.core.progress import track
from rekern.core.version import __version__
from rekern.errors import InputError
from rekern.kernels.gram_plan import GramPlan

RECORD_SECONDS = 2.0  # the most work that an interruption loses
BLOCKS_PER_JOB = 8  # in one wave: finished blocks never pile up in memory, however slow the disk is
TILE = 2048  # rows and columns that are mirrored at a time
RECORD_BYTES = 600  # of the second file


MappedFloats = np.memmap[tuple[int, ...], np.dtype[np.float64]]


class GramState(TypedDict):
    """What an unfinished Gram is."""

    file: str
    shape: list[int]
    blocks: int
    kernel: str
    version: str
    items: str | None


def write_gram(plan: GramPlan, path: Path, n_jobs: int | None, description: str) -> Floats:
    """Compute a Gram into an ``.npy`` file, or finish one that was interrupted; return it as a read-only memory map.

    >>> from tempfile import TemporaryDirectory
    >>> from rekern.kernels import Spectrum
    >>> with TemporaryDirectory() as folder:
    ...     gram = Spectrum(1).gram(["a b", "b c", "d"], out=Path(folder) / "gram.npy")
    ...     print(gram, os.listdir(folder))
    [[1.  0.5 0. ]
     [0.5 1.  0. ]
     [0.  0.  1. ]] ['gram.npy']
    """
    whole = resolve_path(path)
    part, sidecar = whole.with_name(whole.name + ".part"), whole.with_name(whole.name + ".part.json")
    blocks = plan.spans()
    state = _describe(plan, description)
    with open_locked(sidecar) as record:
        try:
            done = _count_done(record, part, state)
            if done is None:
                record.truncate(0)  # before the matrix goes: a record of another one would mislead
                np.lib.format.open_memmap(part, mode="w+", dtype=np.float64, shape=(plan.rows, plan.columns))
            matrix = np.lib.format.open_memmap(part, mode="r+")
            _reserve(part)
            _fill(matrix, plan, blocks, done or 0, n_jobs, record, state)
            if plan.symmetric:
                _mirror(matrix)
            matrix.flush()
            del matrix
            os.replace(part, whole)
        except BaseException:
            if not _read_done(record):  # nothing was finished: leave nothing behind
                part.unlink(missing_ok=True)
                remove_locked(sidecar, record)
            raise
        remove_locked(sidecar, record)
        return np.lib.format.open_memmap(whole, mode="r")


def resolve_path(path: str | Path) -> Path:
    """Return the path to write to, after checking that a plain file can be written there.

    >>> resolve_path("gram.npy/")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: gram.npy/ is a folder: give the name of a file
    """
    check_writable(path)
    whole = Path(os.path.realpath(path))
    if whole.exists() and not whole.is_file():
        name = show_path(path)
        raise InputError(f"{name} is not a plain file: a memory-mapped Gram needs one", file=name, names_file=True)
    return whole


def _fill(
    matrix: MappedFloats,
    plan: GramPlan,
    blocks: list[tuple[int, int]],
    done: int,
    n_jobs: int | None,
    record: IO[bytes],
    state: GramState,
) -> None:
    """Compute the blocks that are missing; of a symmetric Gram only the part right of the diagonal."""
    recorded, since = done, time.monotonic()
    try:
        with use_one_blas_thread():
            for (first, last), block in zip(blocks[done:], _compute_blocks(plan, blocks[done:], n_jobs)):
                matrix[first:last, first if plan.symmetric else 0 :] = block
                done += 1
                if time.monotonic() - since >= RECORD_SECONDS:
                    _record(matrix, record, state, done)
                    recorded, since = done, time.monotonic()
    finally:  # Ctrl-C keeps what there is
        if done > recorded:
            _record(matrix, record, state, done)


def _compute_blocks(plan: GramPlan, blocks: list[tuple[int, int]], n_jobs: int | None) -> Iterator[Floats]:
    """Yield the blocks in order, in waves: what computes faster than the disk writes has to wait for it."""
    size = BLOCKS_PER_JOB * count_jobs(n_jobs)
    waves = (run(plan.compute, blocks[first:last], n_jobs) for first, last in split_range(len(blocks), size))
    return track((block for wave in waves for block in wave), len(blocks), "Gram matrix")


def _mirror(matrix: MappedFloats) -> None:
    """Copy what is right of the diagonal to its left, in tiles: block by block it would touch every page every time."""
    tiles = split_range(len(matrix), TILE)
    for number, (first, last) in enumerate(tiles):
        for left, right in tiles[:number]:
            matrix[first:last, left:right] = matrix[left:right, first:last].T
        square = matrix[first:last, first:last]
        square[:] = np.where(np.tri(last - first, k=-1, dtype=bool), square.T, square)


def _record(matrix: MappedFloats, record: IO[bytes], state: GramState, done: int) -> None:
    """Record how many blocks are done, once they are on disk."""
    matrix.flush()
    # One write of one length: a kill leaves the old text or the new one, never a mixture.
    text = json.dumps({**state, "done": done}).encode().ljust(RECORD_BYTES) + b"\n"
    record.seek(0)
    record.write(text)
    record.flush()
    os.fsync(record.fileno())


def _read_done(record: IO[bytes]) -> int:
    """Return how many blocks are recorded as done."""
    record.seek(0)
    try:
        return int(json.loads(record.read())["done"])
    except (ValueError, KeyError):
        return 0


def _count_done(record: IO[bytes], part: Path, state: GramState) -> int | None:
    """Return how many blocks of this Gram an earlier run finished; None if there is nothing to continue."""
    record.seek(0)
    try:
        found = json.loads(record.read())
        done = found.pop("done")
        if found.keys() != state.keys() or not isinstance(done, int) or not 0 <= done <= found["blocks"]:
            return None
        difference = _find_difference(found, state)
        header = np.lib.format.open_memmap(part, mode="r")
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        return None
    if difference is not None:
        warnings.warn(
            f"{show_path(part)} is an unfinished Gram {difference}; it is computed from the start", stacklevel=4
        )
        return None
    return done if list(header.shape) == state["shape"] and header.dtype == np.float64 else None


def _reserve(part: Path) -> None:
    """Ask for room on disk for the whole file: writing to a map on a full disk would end the process."""
    if not hasattr(os, "posix_fallocate"):
        return
    with open(part, "r+b") as file:
        size = os.fstat(file.fileno()).st_size
        try:
            os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                name = show_path(part)
                message = f"cannot write {name}: {error.strerror}; the Gram needs {size / 1e9:.1f} GB"
                raise InputError(message, file=name, names_file=True) from None
            # else a file system that cannot reserve room


def _describe(plan: GramPlan, description: str) -> GramState:
    """Return what a Gram is: its kernel, the version that computes it, and a hash of all that was read of the items."""
    # An address in memory (of a tokenizer that is a function) differs from run to run and says nothing.
    kernel = re.sub(r" at 0x[0-9a-fA-F]+", "", description)
    try:
        items = joblib.hash((plan.spans(), plan.symmetric, plan.block))
    except (pickle.PicklingError, TypeError, AttributeError):  # of a function inside of another one, or of a lock
        items = None
    return {
        "file": "unfinished Gram of Rekern",
        "shape": [plan.rows, plan.columns],
        "blocks": len(plan.spans()),
        "kernel": f"{shorten_text(kernel, 60)} {joblib.hash(kernel)}",
        "version": __version__,
        "items": items,
    }


def _find_difference(found: GramState, state: GramState) -> str | None:
    """Return in which way an unfinished Gram is another one; None if it is the same."""
    if found["kernel"] != state["kernel"]:
        return f"of another kernel, {found['kernel'].rpartition(' ')[0]}"
    if found["version"] != state["version"]:
        return "of another version"
    if found["shape"] != state["shape"]:
        return f"of {' × '.join(map(str, found['shape']))} items, not {' × '.join(map(str, state['shape']))}"
    if state["items"] is None:
        return "of a kernel that cannot be written down, so that it may be of other items"
    return None if found == state else "of other items"
