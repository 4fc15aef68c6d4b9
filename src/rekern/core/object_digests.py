"""Digests of objects: two objects with the same digest have the same type and hold the same values and code.

They tell whether work that was interrupted may go on. An object that cannot be looked into has no digest.
"""

from __future__ import annotations

import builtins
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType

import numpy as np

from rekern.core.arrays import AnyArray

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.generic, np.dtype)


def digest_object(value: object) -> str | None:
    """Return a digest of a value and of all that it holds, or None if a part of it cannot be looked into.

    Functions, compiled or not, are known by their code and by what they refer to. The fields of a dataclass
    with ``compare=False`` do not count.

    >>> digest_object([1, np.ones(2)]) == digest_object([1, np.ones(2)]), digest_object([1]) == digest_object([1.0])
    (True, False)
    >>> import threading
    >>> digest_object(threading.Lock()) is None
    True
    """
    digest = hashlib.blake2b(digest_size=16)
    try:
        _Walk(digest.update).add(value)
    except _OpaqueError:
        return None
    return digest.hexdigest()


class _OpaqueError(Exception):
    """There is something that cannot be looked into."""


class _Walk:
    """A walk over an object. What was met before is known by the number of its place: objects may hold each other."""

    def __init__(self, write: Callable[[bytes | memoryview], None]):
        self.write = write
        self.met: dict[int, int] = {}
        self.kept: list[object] = []  # so that no identity is used twice

    def add(self, value: object) -> None:
        """Add a value and all that it holds."""
        if isinstance(value, PLAIN):
            self.write(f"{type(value).__name__}:{value!r};".encode("utf-8", "surrogatepass"))
            return
        if id(value) in self.met:
            self.write(f"met:{self.met[id(value)]};".encode())
            return
        self.met[id(value)] = len(self.met)
        self.kept.append(value)
        kind = type(value)
        self.write(f"{kind.__module__}.{kind.__qualname__}:".encode())
        if isinstance(value, np.ndarray):
            self._add_array(value)
        elif isinstance(value, dict):
            self._add_all(part for item in value.items() for part in item)
        elif isinstance(value, list | tuple):
            self._add_all(value)
        elif isinstance(value, set | frozenset):
            self.write("".join(sorted(digest_object(item) or _refuse(item) for item in value)).encode())
        elif isinstance(value, type | ModuleType | BuiltinFunctionType | np.ufunc):
            self.write(f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value.__name__)};".encode())
        elif isinstance(value, FunctionType):
            self._add_function(value)
        elif isinstance(value, CodeType):
            self._add_all([value.co_code, value.co_names, value.co_consts, value.co_varnames])
        elif isinstance(value, MethodType):
            self._add_all([value.__func__, value.__self__])
        elif isinstance(value, partial):
            self._add_all([value.func, value.args, value.keywords])
        elif isinstance(getattr(value, "py_func", None), FunctionType):  # compiled by Numba
            self.add(getattr(value, "py_func", None))
        elif is_dataclass(value):
            self._add_all(getattr(value, field.name) for field in fields(value) if field.compare)
        elif hasattr(value, "__dict__"):
            self._add_all(part for item in sorted(vars(value).items()) for part in item)
        else:
            _refuse(value)

    def _add_all(self, values: Iterable[object]) -> None:
        found = list(values)
        self.write(f"{len(found)}:".encode())
        for value in found:
            self.add(value)

    def _add_array(self, array: AnyArray) -> None:
        self.write(f"{array.dtype.str}{array.shape}".encode())
        if array.dtype.hasobject:
            self._add_all(array.ravel().tolist())
        else:
            self.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)

    def _add_function(self, function: FunctionType) -> None:
        """Add the code of a function and the values of the names outside that it refers to."""
        self.write(f"{function.__module__}.{function.__qualname__};".encode())
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        names = sorted(_list_names(function.__code__))
        outside = [
            function.__globals__[name] for name in names if name in function.__globals__ and not hasattr(builtins, name)
        ]
        self._add_all([function.__code__, function.__defaults__, function.__kwdefaults__, cells, outside])


def _list_names(code: CodeType) -> set[str]:
    """Return the names that code refers to, and those of the functions inside it."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _list_names(constant)
    return names


def _refuse(value: object) -> str:
    raise _OpaqueError(type(value).__name__)
