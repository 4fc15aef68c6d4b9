"""Kernels on pairs of texts by their rewriting rules, and the rules as columns of a matrix.

The names below are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rekern.kernels.rewriting.rewrite_vectorizer import RewriteVectorizer
    from rekern.kernels.rewriting.rewriting_kernel import Rewriting

_MODULES = {
    "RewriteVectorizer": "rekern.kernels.rewriting.rewrite_vectorizer",
    "Rewriting": "rekern.kernels.rewriting.rewriting_kernel",
}

__all__ = [
    "RewriteVectorizer",
    "Rewriting",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
