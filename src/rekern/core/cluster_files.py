"""Values for workers of this machine, in files that they map: to send a value costs more, here and at every worker.

A scheduler gets only the name of the file. Arrays are not copied: the workers share the memory of the file. A library
sends values to workers of other machines, and what is short.
"""

from __future__ import annotations

import mmap
import os
import secrets
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Protocol

LEAST = 1 << 16  # bytes of arguments that are written to a file
ALIGNMENT = 64  # bytes

Span = tuple[int, int]  # where something begins and ends in a file


class ArrayBuffer(Protocol):
    """The memory of an array that a library has left out of the bytes of a value."""

    def raw(self) -> memoryview:
        """Return its bytes."""


class Serializer(Protocol):
    """How a library makes bytes of a value, lambdas too, and the value of these bytes."""

    def dumps(self, value: object, *, buffer_callback: Callable[[ArrayBuffer], object]) -> bytes:
        """Return a value as bytes; the callback gets its arrays."""

    def loads(self, content: memoryview, *, buffers: Sequence[memoryview]) -> object:
        """Return the value of bytes and arrays."""


class FiledValue:
    """Stands for a value in a file: where the file is, and where the value and its arrays are in it."""

    def __init__(self, path: str, spans: Sequence[Span], is_kept: bool, loads: Callable[..., object]):
        self.path, self.spans, self.is_kept, self.loads = path, spans, is_kept, loads

    def __reduce__(self) -> tuple[type[FiledValue], tuple[object, ...]]:
        return FiledValue, (self.path, self.spans, self.is_kept, self.loads)

    def load(self) -> object:
        """Return the value. One that is kept is loaded once in a process, and forgotten some time after its file."""
        if not self.is_kept:
            return self._read()
        with _lock:
            if self.path not in _loaded:
                for path in [path for path in _loaded if not os.path.exists(path)]:
                    del _loaded[path]
                _loaded[self.path] = self._read()
            return _loaded[self.path]

    def _read(self) -> object:
        with open(self.path, "rb") as file:
            # Changes stay in this process. Arrays that could not be changed would have to be compiled for, too.
            content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
        first, *arrays = (content[start:end] for start, end in self.spans)
        return self.loads(first, buffers=arrays)


_loaded: dict[str, object] = {}
_lock = Lock()


class ValueFiles:
    """A folder with the files of values, in the process that gives the work.

    >>> import cloudpickle
    >>> import numpy as np
    >>> files = ValueFiles(cloudpickle)
    >>> shared = files.share([1, np.arange(3)])
    >>> shared.load(), files.pack("short"), len(os.listdir(files.folder))
    ([1, array([0, 1, 2])], 'short', 1)
    >>> del shared
    >>> os.listdir(files.folder)
    []
    >>> files.close()
    """

    def __init__(self, serializer: Serializer):
        self._serializer, self._folder = serializer, TemporaryDirectory(prefix="rekern-", ignore_cleanup_errors=True)
        self.folder = self._folder.name

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()

    def share(self, value: object) -> FiledValue | None:
        """Return what stands for a value that many calls need, as long as it lives; None if there is no room."""
        return self._write(*self._cut(value), is_kept=True)

    def pack(self, value: object) -> object:
        """Return a value of one call, or what stands for it if it is long."""
        content, arrays = self._cut(value)
        if len(content) + sum(len(array) for array in arrays) < LEAST:
            return value
        filed = self._write(content, arrays, is_kept=False)
        return value if filed is None else filed

    def _cut(self, value: object) -> tuple[bytes, list[memoryview]]:
        arrays: list[ArrayBuffer] = []
        content = self._serializer.dumps(value, buffer_callback=arrays.append)
        return content, [array.raw() for array in arrays]

    def _write(self, content: bytes, arrays: list[memoryview], is_kept: bool) -> FiledValue | None:
        path, spans, end = os.path.join(self.folder, secrets.token_hex(16)), list[Span](), 0
        try:
            with open(path, "xb", buffering=0) as file:
                for part in (memoryview(content), *arrays):
                    start = -(-end // ALIGNMENT) * ALIGNMENT
                    end = start + len(part)
                    spans.append((start, end))
                    file.seek(start)
                    while part:
                        part = part[file.write(part) :]
        except OSError:  # no room
            _unlink(path)
            return None
        filed = FiledValue(path, spans, is_kept, self._serializer.loads)
        weakref.finalize(filed, _unlink, path)
        return filed


def load_values(arguments: Sequence[object]) -> list[object]:
    """Return arguments, with the values for what stands for them.

    >>> load_values([1, "a"])
    [1, 'a']
    """
    return [argument.load() if isinstance(argument, FiledValue) else argument for argument in arguments]


def _unlink(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
