"""A digest of the source code, so that what other code has learned is not used again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from rekern.core.version import __version__

APPLICATIONS = frozenset(["questions", "search", "reproduce", "cli", "web"])  # folders that krisp does not depend on


def digest_source(texts: Iterable[str] = ()) -> str:
    """A short digest of all source files of the package that a parser may depend on, and of texts.

    Every source file below the package counts, except those of the other applications.

    >>> len(digest_source()), digest_source() == digest_source(["more"])
    (16, False)
    """
    return sha256("\0".join([_digest_package(), *texts]).encode()).hexdigest()[:16]


@cache
def _digest_package() -> str:
    return digest_folder(files("rekern"))


def digest_folder(folder: Traversable) -> str:
    """A digest of the version and of all source files in a folder of the package and below it."""
    digest = sha256(__version__.encode())
    for name, file in sorted(_list_sources(folder, ""), key=lambda found: found[0]):
        digest.update(f"\0{name}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def _list_sources(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    """The source files with their paths within the package."""
    for entry in folder.iterdir():
        if entry.is_dir() and (prefix or entry.name not in APPLICATIONS):
            yield from _list_sources(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".py"):
            yield f"{prefix}{entry.name}", entry
