"""Large arrays of results, which workers of this machine write to files that are mapped here: sending them costs more.

An array that is sent is copied several times, mostly in the process that gave the work, which receives the results of
all workers. A worker on another machine does not see the folder, and sends its results.
"""

from __future__ import annotations

import mmap
import os
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from rekern.core.arrays import AnyArray

if TYPE_CHECKING:
    from typing_extensions import Buffer

LEAST = 1 << 16  # bytes of an array that is written to a file
LEAST_MAPPED = 1 << 24  # bytes of a file that is mapped
ALIGNMENT = 64  # bytes


class Exchange(NamedTuple):
    """A folder for the arrays of results, on one machine, with an empty file of a random name by which it is known.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     exchange = make_exchange(folder)
    ...     filed = exchange.put([1, np.arange(1 << 14)])
    ...     print(type(filed).__name__, exchange.take(filed)[1][-1], len(os.listdir(folder)))
    FiledResult 16383 1
    """

    folder: str
    mark: str
    machine: str

    def is_seen(self) -> bool:
        """Return whether this process sees the folder, on the same machine."""
        return self.machine == socket.gethostname() and os.path.exists(os.path.join(self.folder, self.mark))

    def put(self, value: object) -> object:
        """Return what is sent for a value: itself, or what is left when its large arrays are in a file."""
        arrays: list[AnyArray] = []
        rest = _replace(value, lambda part: _take_out(part, arrays))
        if not arrays or not self.is_seen():
            return value
        path = Path(self.folder, secrets.token_hex(16))
        try:
            with open(path, "xb", buffering=0) as file:
                places = [_write(array, file.fileno()) for array in arrays]
        except OSError:  # no room, or the folder belongs to somebody else
            with suppress(OSError):
                path.unlink()
            return value
        return FiledResult(rest, path.name, places)

    def take(self, found: object) -> object:
        """Return the value for which something was sent; its file is removed when nobody uses the arrays any more."""
        if not isinstance(found, FiledResult):
            return found
        path = os.path.join(self.folder, found.name)
        with open(path, "rb") as file:
            content = _read(file.fileno())
        with suppress(OSError):  # where a file that is mapped stays, until the folder goes
            os.unlink(path)
        arrays = [_view(content, place) for place in found.places]
        return _replace(found.rest, lambda part: arrays[part.number] if isinstance(part, _Taken) else part)


class FiledResult(NamedTuple):
    """A result whose arrays are in a file."""

    rest: object
    name: str
    places: list[_Place]


class _Place(NamedTuple):
    """Where an array is in a file, and what it is."""

    start: int
    kind: str
    shape: tuple[int, ...]


class _Taken(NamedTuple):
    """Stands for an array."""

    number: int


def make_exchange(folder: str) -> Exchange:
    """Return an exchange in an empty folder."""
    mark = secrets.token_hex(16)
    Path(folder, mark).touch()
    return Exchange(folder, mark, socket.gethostname())


def _replace(value: object, change: Callable[[object], object]) -> object:
    """Return a value with the same lists, tuples and named tuples, and what a function makes of the other parts."""
    if type(value) is list:
        return [_replace(part, change) for part in value]
    if type(value) is tuple:
        return tuple(_replace(part, change) for part in value)
    if isinstance(value, tuple) and hasattr(value, "_make") and not isinstance(value, _Taken):
        return value._make(_replace(part, change) for part in value)
    return change(value)


def _take_out(part: object, arrays: list[AnyArray]) -> object:
    if type(part) is not np.ndarray or part.nbytes < LEAST or not part.flags.c_contiguous:
        return part
    if part.dtype.hasobject or part.dtype.names is not None:  # the kind of the values is sent as a short text
        return part
    arrays.append(part)
    return _Taken(len(arrays) - 1)


def _write(array: AnyArray, file: int) -> _Place:
    """Write an array to a file, from a place on at which values can be read."""
    start = os.lseek(file, -(-os.lseek(file, 0, os.SEEK_CUR) // ALIGNMENT) * ALIGNMENT, os.SEEK_SET)
    write_array(file, array)
    return _Place(start, array.dtype.str, array.shape)


def _read(file: int) -> mmap.mmap | bytearray:
    """Return what is in a file: a map of it if it is large, because a map is an open file, of which there are few."""
    size = os.fstat(file).st_size
    if size >= LEAST_MAPPED:
        return mmap.mmap(file, 0, access=mmap.ACCESS_COPY)
    with open(file, "rb", closefd=False) as whole:
        return bytearray(whole.read())


def _view(content: mmap.mmap | bytearray, place: _Place) -> AnyArray:
    count = int(np.prod(place.shape))
    return cast(AnyArray, np.frombuffer(content, place.kind, count, place.start).reshape(place.shape))


def write_array(file: int, array: AnyArray) -> None:
    """Write the bytes of a contiguous array to an open file."""
    rest = memoryview(cast("Buffer", array.reshape(-1).view(np.uint8)))
    while rest:
        rest = rest[os.write(file, rest) :]
