"""Values of options that need no conversion.

Typer converts values with Pydantic, even those that are not given. Commands about a single pair are short, and loading
Pydantic would be a good part of their time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from types import MethodType

import typer
from typer.core import TyperArgument, TyperOption

DIGITS = 10
MOST = 10**DIGITS


class PlainConversion:
    """What Typer asks for the value of an option; all but text, small numbers and defaults is handed on to Typer."""

    def __init__(self, option: TyperArgument | TyperOption):
        more = option.type_descriptor.parameter_info
        kind = None if more.parser else option.type_descriptor.annotation
        self.kind, self.default = kind, option.default
        self.find_conversion = option.get_runtime_param  # of Typer
        self.least, self.most = more.min or 0, MOST if more.max is None else more.max
        is_checked = more.exists or more.resolve_path or more.allow_dash or more.path_type or more.writable
        self.is_any_path = kind is Path and more.file_okay and more.dir_okay and not is_checked

    def coerce(self, value: object, param: TyperArgument | TyperOption, ctx: typer.Context) -> object:
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
                is_number = self.kind is int and value.isascii() and value.isdigit() and len(value) < DIGITS
                if is_number and self.least <= int(value) <= self.most:
                    return int(value)
            if type(value) is self.kind and value == self.default:
                return value
        return self.find_conversion().coerce(value, param=param, ctx=ctx)


def is_free_or_readable(path: str) -> bool:
    """Return whether a file may be read, or does not exist.

    >>> is_free_or_readable(__file__), is_free_or_readable("nowhere/nothing")
    (True, True)
    """
    return os.access(path, os.R_OK) or not os.path.lexists(path)


def convert_plainly(options: Iterable[object]) -> None:
    """Let options of a command take plain values as they are, if this version of Typer would load Pydantic for it."""
    for option in options:
        is_typers = isinstance(getattr(option, "get_runtime_param", None), MethodType)  # or set by an earlier command
        if is_typers and isinstance(option, TyperArgument | TyperOption):
            option.get_runtime_param = partial(_return, PlainConversion(option))  # type: ignore


def _return(conversion: PlainConversion) -> PlainConversion:
    return conversion
