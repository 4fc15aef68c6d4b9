"""Fingerprints that change with the code that learns, so that nothing learned by other code is used."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from importlib.resources import files

LEARNER = (
    *("krisp/derivation_chart.py", "krisp/grammar.py", "krisp/grammar_files.py", "krisp/parser_input.py"),
    *("krisp/production_classifiers.py", "krisp/mentions.py", "krisp/semantic_parser.py", "krisp/learned_names.py"),
    *("krisp/parsing_rules.py", "krisp/substring_core.py", "krisp/rare_word_stems.py", "krisp/substring_kernels.py"),
    *("krisp/learner.py", "structures/head_rules.py", "structures/tokens.py"),
)
# What `rekern ask` adds to it.
READER = ("krisp/answering/asker.py", "krisp/answering/reading_scores.py", "krisp/answering/second_opinion.py")


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
