"""Long arrays that the workers of this machine put together in files, part by part; the result is mapped here.

The process that has given the work would else copy the results of all workers, while they wait for it. So each worker
writes its part to files of their own. When the lengths of all parts are known, workers copy them to their places.
"""

from __future__ import annotations

import mmap
import os
import secrets
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple, cast

import numpy as np

from rekern.core.array_exchange import Exchange, write_array
from rekern.core.arrays import AnyArray
from rekern.core.parallel_jobs import run

PIECE = 1 << 20  # bytes that are copied at a time
WRITTEN = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)  # Windows changes the bytes of other files

Kinds = tuple[str, ...]  # of the values of some arrays of one length


class ArrayPart(NamedTuple):
    """A part of some arrays of one length, in files of this name, one for each array."""

    name: str
    length: int


def write_part(exchange: Exchange, blocks: Iterable[tuple[AnyArray, ...]]) -> ArrayPart:
    """Write the arrays of all blocks one after the other to files, on a worker."""
    name, length, files = secrets.token_hex(16), 0, list[int]()
    try:
        for block in blocks:
            if not files:
                files = [os.open(_find(exchange, name, n), WRITTEN) for n in range(len(block))]
            for file, array in zip(files, block):
                write_array(file, np.ascontiguousarray(array))
            length += len(block[0])
    except OSError:
        _remove(exchange, ArrayPart(name, 0), len(files))
        raise
    finally:
        for file in files:
            os.close(file)
    return ArrayPart(name, length)


def has_room(exchange: Exchange, parts: Sequence[ArrayPart], kinds: Kinds) -> bool:
    """Return whether there is room for all parts once more, beside them."""
    size = sum(part.length for part in parts) * sum(np.dtype(kind).itemsize for kind in kinds)
    return shutil.disk_usage(exchange.folder).free > size


def join_arrays(
    exchange: Exchange, parts: Sequence[ArrayPart], kinds: Kinds, n_jobs: int | None = None
) -> list[AnyArray]:
    """Let workers copy all parts to their places, and return the arrays; their files are gone when nobody uses them.

    >>> from tempfile import TemporaryDirectory
    >>> from rekern.core.array_exchange import make_exchange
    >>> with TemporaryDirectory() as folder:
    ...     exchange = make_exchange(folder)
    ...     parts = [write_part(exchange, [(np.ones(n), np.arange(n))]) for n in (2, 1)]
    ...     join_arrays(exchange, parts, ("f8", "i8"))
    [array([1., 1., 1.]), array([0, 1, 0])]
    """
    whole = ArrayPart(secrets.token_hex(16), sum(part.length for part in parts))
    for number, kind in enumerate(kinds):
        with open(_find(exchange, whole.name, number), "xb") as file:
            file.truncate(whole.length * np.dtype(kind).itemsize)
    starts = np.cumsum([0, *(part.length for part in parts)]).tolist()
    copied = run(partial(_copy_there, exchange, whole, kinds), list(zip(parts, starts)), n_jobs)
    for part, start, is_copied in zip(parts, starts, copied):
        if not is_copied:
            _copy_part(exchange, whole, kinds, part, start)
        _remove(exchange, part, len(kinds))
    return read_part(exchange, whole, kinds)


def read_part(exchange: Exchange, part: ArrayPart, kinds: Kinds) -> list[AnyArray]:
    """Map the arrays of a part, and remove its names."""
    arrays = []
    for number, kind in enumerate(kinds):
        if not part.length:
            arrays.append(np.empty(0, kind))
            continue
        with open(_find(exchange, part.name, number), "rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        arrays.append(cast(AnyArray, np.frombuffer(content, kind)))
    _remove(exchange, part, len(kinds))
    return arrays


def _copy_there(exchange: Exchange, whole: ArrayPart, kinds: Kinds, part: ArrayPart, start: int) -> bool:
    """Copy a part on a worker, and return whether that was possible: another machine does not see the folder."""
    try:
        _copy_part(exchange, whole, kinds, part, start)
    except OSError:
        return False
    return True


def _copy_part(exchange: Exchange, whole: ArrayPart, kinds: Kinds, part: ArrayPart, start: int) -> None:
    """Copy a part to its place; it stays, in case that this worker dies before it has said so."""
    for number, kind in enumerate(kinds if part.length else ()):
        source, target = _find(exchange, part.name, number), _find(exchange, whole.name, number)
        with open(source, "rb", buffering=0) as file, open(target, "r+b") as other:
            other.seek(start * np.dtype(kind).itemsize)
            shutil.copyfileobj(file, other, PIECE)


def _find(exchange: Exchange, name: str, number: int) -> str:
    return os.path.join(exchange.folder, f"{name}.{number}")


def _remove(exchange: Exchange, part: ArrayPart, arrays: int) -> None:
    for number in range(arrays):
        with suppress(OSError):
            os.unlink(_find(exchange, part.name, number))
