"""Packages whose public names are loaded when they are first used, so that importing the package costs little."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def load_lazily(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the functions ``__getattr__`` and ``__dir__`` of a package.

    ``modules`` says for each name in which module it is: of the package, unless it begins with ``rekern.``.

    >>> get, _ = load_lazily("rekern.kernels", {"Curves": "curves"})
    >>> get("Curves").__name__
    'Curves'
    """

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = modules[name]
        try:
            found = import_module(module if module.startswith("rekern.") else f"{package}.{module}")
        except AttributeError as error:  # of a library: ``from … import`` would say that we lack the name
            raise ImportError(f"{package}.{name} cannot be loaded: {error}") from error
        value = getattr(found, name)
        setattr(sys.modules[package], name, value)  # the next use does not come here
        return value

    def list_names() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return load, list_names
