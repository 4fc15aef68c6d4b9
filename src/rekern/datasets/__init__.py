"""Labelled pairs: tables in the usual formats, the public corpora, and the small corpora written for this package."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rekern.datasets.public_corpora import (
        data_directory,
        load_msrp,
        load_paws,
        load_qqp,
        load_rte,
        load_sick,
        load_snli,
        load_stsb,
        load_trec,
        load_wikiqa,
    )
    from rekern.datasets.rewrite_corpus import load_rewrites
    from rekern.datasets.tables import Table, from_frame, iterate_table, open_table, read_table, write_table

__all__ = [
    "Table",
    "data_directory",
    "from_frame",
    "iterate_table",
    "load_msrp",
    "load_paws",
    "load_qqp",
    "load_rewrites",
    "load_rte",
    "load_sick",
    "load_snli",
    "load_stsb",
    "load_trec",
    "load_wikiqa",
    "open_table",
    "read_table",
    "write_table",
]

_TABLES = {"Table", "from_frame", "iterate_table", "open_table", "read_table", "write_table"}


def __getattr__(name: str) -> Any:
    """Import the module of a public name when the name is first used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "tables" if name in _TABLES else "rewrite_corpus" if name == "load_rewrites" else "public_corpora"
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
