"""Labelled pairs: tables in the usual formats, the public corpora, and the small corpora written for this package."""

from typing import TYPE_CHECKING

from rekern.core.lazy_names import load_lazily

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
    from rekern.datasets.stored_tables import store_table
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
    "store_table",
    "write_table",
]

_TABLES = ("Table", "from_frame", "iterate_table", "open_table", "read_table", "write_table")
_MODULES = (
    dict.fromkeys(__all__, "public_corpora")
    | dict.fromkeys(_TABLES, "tables")
    | {"load_rewrites": "rewrite_corpus"}
    | {"store_table": "stored_tables"}
)

__getattr__, __dir__ = load_lazily(__name__, _MODULES)
