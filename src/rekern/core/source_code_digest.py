"""A digest of the source code, so that what other code has learned is not used again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from rekern.core.version import __version__

APPLICATIONS = frozenset(["questions", "search", "cli", "web"])  # folders that krisp does not depend on
BEYOND_KERNELS = APPLICATIONS | {"krisp", "learning", "datasets"}  # folders that the values of kernels do not depend on
BEYOND_SEARCH = frozenset(["krisp", "questions", "web"])  # folders that matches do not depend on


def digest_source(texts: Iterable[str] = ()) -> str:
    """A short digest of all source files of the package that a parser may depend on, and of texts.

    Every source file below the package counts, except those of the other applications.

    >>> len(digest_source()), digest_source() == digest_source(["more"])
    (16, False)
    """
    return sha256("\0".join([_digest_package(), *texts]).encode()).hexdigest()[:16]


def digest_kernel_source() -> str:
    """A short digest of all source files of the package that the values of kernels may depend on.

    >>> len(digest_kernel_source())
    16
    """
    return _digest_package(BEYOND_KERNELS)[:16]


def digest_search_source() -> str:
    """A short digest of all source files of the package that the matches of ``rekern match`` may depend on.

    >>> len(digest_search_source()), digest_search_source() == digest_source()
    (16, False)
    """
    return _digest_package(BEYOND_SEARCH)[:16]


@cache
def _digest_package(without: frozenset[str] = APPLICATIONS) -> str:
    return digest_folder(files("rekern"), without)


def digest_folder(folder: Traversable, without: frozenset[str] = APPLICATIONS) -> str:
    """A digest of the version and of all source files in a folder of the package and below it, except some folders."""
    digest = sha256(__version__.encode())
    for name, file in sorted(_list_sources(folder, "", without), key=lambda found: found[0]):
        digest.update(f"\0{name}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def _list_sources(folder: Traversable, prefix: str, without: frozenset[str]) -> Iterator[tuple[str, Traversable]]:
    """The source files with their paths within the package."""
    for entry in folder.iterdir():
        if entry.is_dir() and (prefix or entry.name not in without):
            yield from _list_sources(entry, f"{prefix}{entry.name}/", without)
        elif entry.name.endswith(".py"):
            yield f"{prefix}{entry.name}", entry
