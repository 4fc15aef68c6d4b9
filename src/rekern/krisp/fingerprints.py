"""Fingerprints that change with the code that learns, so that nothing learned by other code is used."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from importlib.resources import files

LEARNER = (
    *("krisp/chart.py", "krisp/grammar.py", "krisp/grammarfiles.py", "krisp/items.py", "krisp/machines.py"),
    *("krisp/names.py", "krisp/parser.py", "krisp/phrases.py", "krisp/rules.py", "krisp/substringcores.py"),
    *("krisp/stems.py", "krisp/substrings.py", "krisp/training.py", "structures/heads.py", "structures/tokens.py"),
)
READER = ("krisp/asking.py", "krisp/judging.py", "krisp/opinion.py")  # what `rekern ask` adds to it


def fingerprint(modules: Iterable[str], texts: Iterable[str] = ()) -> str:
    """A short digest of modules of the package and of texts.

    >>> len(fingerprint(LEARNER, ["and some data"]))
    16
    """
    return sha256("\0".join([*map(_code, modules), *texts]).encode()).hexdigest()[:16]


def _code(path: str) -> str:
    """The source of a module; without sources, the version must do."""
    from rekern import __version__

    file = files("rekern").joinpath(path)
    return file.read_text(encoding="utf-8") if file.is_file() else __version__
