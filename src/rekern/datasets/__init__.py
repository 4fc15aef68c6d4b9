"""Labelled pairs: tables in the usual formats, and the small corpora written for this package."""

from typing import TYPE_CHECKING

from rekern.core.lazy_names import load_lazily

if TYPE_CHECKING:
    from rekern.datasets.rewrite_corpus import load_rewrites
    from rekern.datasets.stored_tables import store_table
    from rekern.datasets.tables import Table, from_frame, iterate_table, open_table, read_table, write_table

__all__ = [
    "Table",
    "from_frame",
    "iterate_table",
    "load_rewrites",
    "open_table",
    "read_table",
    "store_table",
    "write_table",
]

_MODULES = dict.fromkeys(__all__, "tables") | {"load_rewrites": "rewrite_corpus", "store_table": "stored_tables"}

__getattr__, __dir__ = load_lazily(__name__, _MODULES)
