"""Long arrays whose parts come from the workers of this machine in files, or are sent, and are put together here.

When the lengths of all parts are known, threads read them to their places. Workers that copy them into one file would
wait for each other: only one process at a time can write to a file.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from rekern.core.array_exchange import Exchange, write_array
from rekern.core.arrays import AnyArray, offsets_of
from rekern.core.parallel_jobs import run_in_threads

if TYPE_CHECKING:
    from typing_extensions import Buffer

WRITTEN = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)  # Windows changes the bytes of other files

Kinds = tuple[str, ...]  # of the values of some arrays of one length


class ArrayPart(NamedTuple):
    """A part of some arrays of one length, in files of this name, one for each array."""

    name: str
    length: int


Part = ArrayPart | tuple[AnyArray, ...]  # in files, or as it was sent


def write_part(exchange: Exchange, blocks: Iterable[tuple[AnyArray, ...]]) -> ArrayPart:
    """Write the arrays of all blocks one after the other to files, on a worker."""
    name, length, files = secrets.token_hex(16), 0, list[int]()
    try:
        for block in blocks:
            if not files:
                for number in range(len(block)):
                    files.append(os.open(_find(exchange, name, number), WRITTEN))
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


def join_arrays(exchange: Exchange, parts: Sequence[Part], kinds: Kinds) -> list[AnyArray]:
    """Return the arrays of all parts, one after the other, and remove the files. Threads read them to their places.

    >>> from tempfile import TemporaryDirectory
    >>> from rekern.core.array_exchange import make_exchange
    >>> with TemporaryDirectory() as folder:
    ...     exchange = make_exchange(folder)
    ...     part = write_part(exchange, [(np.ones(2), np.arange(2))])
    ...     join_arrays(exchange, [part, (np.zeros(1), np.zeros(1, int))], ("f8", "i8"))
    [array([1., 1., 0.]), array([0, 1, 0])]
    """
    starts = offsets_of([_count_entries(part) for part in parts]).tolist()
    arrays: list[AnyArray] = [np.empty(starts[-1], kind) for kind in kinds]

    def place(part: Part, first: int, last: int) -> None:
        for number, array in enumerate(arrays if first < last else ()):
            if isinstance(part, ArrayPart):
                _read(_find(exchange, part.name, number), array[first:last])
            else:
                array[first:last] = part[number]
        if isinstance(part, ArrayPart):
            _remove(exchange, part, len(arrays))

    run_in_threads(place, list(zip(parts, starts, starts[1:])))
    return arrays


def _count_entries(part: Part) -> int:
    return part.length if isinstance(part, ArrayPart) else len(part[0])


def _read(path: str, array: AnyArray) -> None:
    """Fill an array from a file."""
    rest = memoryview(cast("Buffer", array.view(np.uint8)))
    with open(path, "rb", buffering=0) as file:
        while rest:
            count = file.readinto(rest)
            if not count:
                raise EOFError("the file of a worker is shorter than it was")
            rest = rest[count:]


def _find(exchange: Exchange, name: str, number: int) -> str:
    return os.path.join(exchange.folder, f"{name}.{number}")


def _remove(exchange: Exchange, part: ArrayPart, arrays: int) -> None:
    for number in range(arrays):
        with suppress(OSError):
            os.unlink(_find(exchange, part.name, number))
