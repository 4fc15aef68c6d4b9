"""Values of options that need no conversion.

Typer converts values with Pydantic, even those that are not given. To load Pydantic takes a twelfth of a command about
a single pair.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

DIGITS = 10
MOST = 10**DIGITS


class PlainConversion:
    """What Typer asks for the value of an option; all but text, small numbers and defaults is handed on to Typer."""

    def __init__(self, kind: object, default: object, more: Any):
        self.kind, self.default = kind, default
        self.range = range(more.min or 0, MOST if more.max is None else more.max + 1) if kind is int else range(0)
        is_checked = more.exists or more.resolve_path or more.allow_dash or more.path_type or more.writable
        self.is_any_path = kind is Path and more.file_okay and more.dir_okay and not is_checked

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value that the command gets."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if self.kind == list[str] and type(value) is tuple and all(type(text) is str for text in value):
            return list(value)
        if param.nargs == 1 and not param.multiple:
            if type(value) is str:
                if self.kind is str:
                    return value
                if self.is_any_path and is_free_or_readable(value):
                    return Path(value)
                if value.isascii() and value.isdigit() and len(value) < DIGITS and int(value) in self.range:
                    return int(value)
            if type(value) is self.kind and value == self.default:
                return value
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def is_free_or_readable(path: str) -> bool:
    """Return whether a file may be read, or does not exist.

    >>> is_free_or_readable(__file__), is_free_or_readable("nowhere/nothing")
    (True, True)
    """
    return os.access(path, os.R_OK) or not os.path.lexists(path)


def convert_plainly(options: Iterable[Any]) -> None:
    """Let options of a command take plain values as they are, if this version of Typer would load Pydantic for it."""
    for option in options:
        if getattr(option, "_runtime_param", option) is None:
            kind, more = option.type_descriptor.annotation, option.type_descriptor.parameter_info
            option._runtime_param = PlainConversion(None if more.parser else kind, option.default, more)
