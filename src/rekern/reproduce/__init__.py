"""The published experiments, and other public corpora, run again: ``rekern reproduce NAME``.

The names below are loaded when they are first used.

>>> sorted(NAMES)  # doctest: +NORMALIZE_WHITESPACE
['clang', 'geoquery', 'msrp', 'paws', 'qqp', 'questions', 'rte3', 'rte3-ablation', 'sick', 'structural-msrp',
 'structural-rte3', 'stsb', 'trec', 'wikiqa']
"""

from importlib import import_module
from typing import TYPE_CHECKING

from rekern.reproduce.experiment_titles import TITLES as NAMES

if TYPE_CHECKING:
    from rekern.reproduce.experiments import render, run

__all__ = ["NAMES", "render", "run"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.experiments"), name)
