"""A Gram too large for memory: written block by block to a memory-mapped ``.npy`` file, resumed after an interruption.

The matrix is written to ``NAME.part``. A second file, ``NAME.part.json``, says what it is a Gram of and how many of its
blocks are on disk. A later run that finds both, for the same kernel and the same texts, continues from there; otherwise
it starts again. The finished file gets its name in one step, so a file called NAME is always complete.
"""

import errno
import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import IO, TypedDict

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.files import check_writable, show_path
from rekern.core.parallel_jobs import resolve_jobs, run, split_range
from rekern.core.progress import track
from rekern.errors import InputError
from rekern.kernels.gram_plan import GramPlan

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

RECORD_SECONDS = 2.0  # the most work that an interruption loses
BLOCKS_PER_JOB = 8  # in one wave: finished blocks never pile up in memory, however slow the disk is
TILE = 2048  # rows and columns that are mirrored at a time
SAMPLED_ROWS = 16


MappedFloats = np.memmap[tuple[int, ...], np.dtype[np.float64]]


class GramState(TypedDict):
    """What an unfinished Gram is."""

    file: str
    shape: list[int]
    blocks: int
    fingerprint: str


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
    state: GramState = {
        "file": "unfinished Gram of Rekern",
        "shape": [plan.rows, plan.columns],
        "blocks": len(blocks),
        "fingerprint": _fingerprint(plan, blocks, description),
    }
    with _lock(sidecar) as record:
        try:
            done = _count_done(record, part, state)
            if done is None:
                record.truncate(0)  # before the matrix goes: a record of another one would mislead
                _reserve(part, plan)
            matrix = np.lib.format.open_memmap(part, mode="r+")
            _fill(matrix, plan, blocks, done or 0, n_jobs, record, state)
            if plan.symmetric:
                _mirror(matrix)
            matrix.flush()
            del matrix
            os.replace(part, whole)
        except BaseException:
            if not os.fstat(record.fileno()).st_size:  # nothing was finished: leave nothing behind
                part.unlink(missing_ok=True)
                sidecar.unlink(missing_ok=True)
            raise
    sidecar.unlink(missing_ok=True)
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
    """Yield the blocks in order, in waves: a backend that is faster than the disk has to wait for it."""
    import joblib

    size = BLOCKS_PER_JOB * joblib.effective_n_jobs(resolve_jobs(n_jobs))
    waves = (run(plan.block, blocks[first:last], n_jobs) for first, last in split_range(len(blocks), size))
    return track((block for wave in waves for block in wave), len(blocks), "Gram matrix")


def _mirror(matrix: Floats) -> None:
    """Copy what is right of the diagonal to its left, in tiles: block by block it would touch every page every time."""
    tiles = split_range(len(matrix), TILE)
    for number, (first, last) in enumerate(tiles):
        square = matrix[first:last, first:last]
        matrix[first:last, first:last] = np.where(np.tri(len(square), k=-1, dtype=bool), square.T, square)
        for top, bottom in tiles[:number]:
            matrix[first:last, top:bottom] = matrix[top:bottom, first:last].T


def _record(matrix: MappedFloats, record: IO[bytes], state: GramState, done: int) -> None:
    """Record how many blocks are done, once they are on disk."""
    matrix.flush()
    # One write of one length: a kill leaves the old text or the new one, never a mixture.
    text = json.dumps({**state, "done": done}).encode().ljust(400) + b"\n"
    record.seek(0)
    record.write(text)
    record.flush()
    os.fsync(record.fileno())


def _count_done(record: IO[bytes], part: Path, state: GramState) -> int | None:
    """Return how many blocks of this Gram an earlier run finished; None if there is nothing to continue."""
    record.seek(0)
    try:
        found = json.loads(record.read())
        done = found.pop("done")
        header = np.lib.format.open_memmap(part, mode="r")
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        return None
    fits = found == state and list(header.shape) == state["shape"] and header.dtype == np.float64
    return done if fits and isinstance(done, int) and 0 <= done <= state["blocks"] else None


def _reserve(part: Path, plan: GramPlan) -> None:
    """Make an empty matrix, with room on disk for all of it: writing to a map on a full disk would end the process."""
    matrix = np.lib.format.open_memmap(part, mode="w+", dtype=np.float64, shape=(plan.rows, plan.columns))
    size = matrix.offset + matrix.nbytes
    del matrix
    if hasattr(os, "posix_fallocate"):
        with open(part, "r+b") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, size)
            except OSError as error:
                if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                    return  # a file system that cannot reserve room
                need = f"{size / 1e9:.1f} GB"
                name = show_path(part)
                reason = f"cannot write {name}: {error.strerror}; the Gram needs {need}"
                raise InputError(reason, file=name, names_file=True) from None


@contextmanager
def _lock(sidecar: Path) -> Iterator[IO[bytes]]:
    """Open the second file and lock it for this run, where files can be locked."""
    try:
        file = os.fdopen(os.open(sidecar, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
    except OSError as error:
        name = show_path(sidecar)
        raise InputError(
            f"cannot write {name}: {error.strerror}; choose another place", file=name, names_file=True
        ) from None
    with file:
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"another run is writing {show_path(sidecar)}; wait for it or choose another name"
            ) from None
        yield file


def _fingerprint(plan: GramPlan, blocks: list[tuple[int, int]], description: str) -> str:
    """Return a digest of the kernel and of everything that it has read from the texts."""
    digest = hashlib.blake2b(repr(blocks).encode(), digest_size=16)
    # An address in memory (of a tokenizer that is a function) differs from run to run and says nothing.
    digest.update(re.sub(r" at 0x[0-9a-fA-F]+", "", description).encode())
    if not _digest(plan.block, digest):
        # A block function that cannot be inspected is identified by its values on some rows.
        for row in np.unique(np.linspace(0, plan.rows - 1, SAMPLED_ROWS, dtype=int)) if plan.rows else ():
            digest.update(np.ascontiguousarray(plan.block(int(row), int(row) + 1)).tobytes())
    return digest.hexdigest()


def _digest(value: object, digest: hashlib.blake2b) -> bool:
    """Add a value and all that it holds; return False if it is something that cannot be inspected."""
    digest.update(type(value).__name__.encode())
    if is_dataclass(value) and not isinstance(value, type):
        return all(_digest(getattr(value, field.name), digest) for field in fields(value))
    if isinstance(value, dict):
        return _digest(list(value.items()), digest)
    if isinstance(value, list | tuple):
        digest.update(str(len(value)).encode())
        return all(_digest(item, digest) for item in value)
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        digest.update(f"{value.dtype.str}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)
        return True
    if value is None or isinstance(value, bool | int | float | str | bytes | np.generic):
        digest.update(repr(value).encode())
        return True
    name = getattr(value, "__name__", None)
    if isinstance(value, np.ufunc) and name is not None:
        digest.update(name.encode())
        return True
    return False
