"""The published experiments, and other public corpora, run again: ``rekern reproduce NAME``.

The names below are loaded when they are first used.

>>> sorted(NAMES)  # doctest: +NORMALIZE_WHITESPACE
['auto', 'clang', 'embeddings', 'geoquery', 'geoquery-600', 'mistakes', 'msrp', 'nf-cats-focus', 'pairs', 'paws',
 'qqp', 'query-mistakes', 'questions', 'rte3', 'rte3-ablation', 'sick', 'structural-msrp', 'structural-rte3', 'stsb',
 'trec', 'trec-focus', 'wikiqa']
"""

from typing import TYPE_CHECKING

from rekern.core.lazy_names import load_lazily
from rekern.reproduce.experiment_titles import TITLES as NAMES

if TYPE_CHECKING:
    from rekern.reproduce.experiments import render, run

__all__ = ["NAMES", "render", "run"]

__getattr__, __dir__ = load_lazily(__name__, {"render": "experiments", "run": "experiments"})
