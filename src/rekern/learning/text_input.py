"""Single texts, trees and graphs in the form in which a kernel reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from rekern.errors import InputError
from rekern.kernels.kernel import Kernel, walk_kernels
from rekern.kernels.strings.ngram_kernels import Spectrum
from rekern.learning.nltk_and_spacy_columns import convert_columns
from rekern.structures.data_frames import find_columns
from rekern.structures.graphs import Graphs
from rekern.structures.nltk_and_spacy_items import is_tree
from rekern.structures.pairs import as_texts
from rekern.structures.representations import Representations, Row
from rekern.structures.tokens import Tokens
from rekern.structures.trees import Trees


def make_text_kernel() -> Kernel:
    """The kernel of a model of texts that is given none: words, and pairs of words that follow each other.

    >>> make_text_kernel()
    Sum(left=Spectrum(k=1), right=Spectrum())
    """
    return Spectrum(1) + Spectrum(2)


def check_text_kernel(kernel: Kernel) -> None:
    """Refuse a kernel that compares pairs of texts.

    >>> from rekern.kernels import Rewriting
    >>> check_text_kernel(Rewriting())
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: Rewriting compares pairs of texts, not texts; use a kernel such as Spectrum, PartialTree \
or Neighborhoods, or a PairClassifier
    """
    for part in walk_kernels(kernel):
        if part.reads() & {"source", "target"} and not any(
            child.reads() & {"source", "target"} for child in part.list_children()
        ):
            raise InputError(
                f"{type(part).__name__} compares pairs of texts, not texts; use a kernel such as Spectrum, PartialTree "
                "or Neighborhoods, or a PairClassifier"
            )


def read_texts(kernel: Kernel, X: object) -> Representations:
    """The table of what a kernel reads of texts, trees or graphs, and of their words if there are any.

    ``X`` is a list of texts, token lists, trees or graphs, a column of them, or a table with a column ``text``, a table
    of one column, or a table with the columns that the kernel names.

    >>> read_texts(Spectrum(), ["He left.", "She stayed."])
    Representations(2 rows: text)
    """
    names = kernel.reads()
    table = _make_table(X, names)
    table.check(names)
    found = {table.find_column(name) for name in names}
    words = ["text"] if table.has_column("text") else []
    return convert_columns(kernel, table.select_columns([*words, *sorted(found - set(words))]))


def check_one_text(item: object) -> None:
    """Refuse a list of texts where one text is needed; its texts would be read as tokens.

    A token may hold a blank, so a list in which some values are single words is taken for the tokens of a text.

    >>> check_one_text(["a", "cat"])
    >>> check_one_text(["a cat", "a dog ran"])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: one text is needed, got a list of 2 texts; give one of them, as in texts[0]
    """
    if not isinstance(item, np.ndarray | list | tuple) or len(item) < 2 or is_tree(item):
        return
    if all(isinstance(value, str) and len(value.split()) > 1 for value in item):
        raise InputError(f"one text is needed, got a list of {len(item)} texts; give one of them, as in texts[0]")


def list_shown_texts(table: Representations) -> list[str]:
    """One text for each row, to show: its words, or else the first representation that is a text or a tree.

    >>> list_shown_texts(Representations({"text": [["a", "cat"]]}))
    ['a cat']
    """
    name = "text" if table.has_column("text") else table.columns[0]
    return [_write_text(value) for value in table[name]]


def _make_table(X: object, wanted: set[str]) -> Representations:
    if isinstance(X, Representations):
        return X
    if isinstance(X, Tokens | Trees | Graphs):
        return Representations({"text": X})
    names = find_columns(X)
    if names is not None and (len(names) != 1 or wanted != {"text"}):
        return Representations.from_items(X)
    rows = X if isinstance(X, list) else as_texts(X)
    if rows and isinstance(rows[0], Row):
        return Representations.from_items(rows)
    if rows and isinstance(rows[0], Mapping) and "nodes" not in rows[0]:
        return Representations.from_items(rows)
    return Representations({"text": rows})


def refuse_pairs(X: object) -> None:
    """Refuse training texts that all look like pairs of texts, which would be read as two tokens each.

    >>> refuse_pairs([("a good film", "a bad film")])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: a list of texts is needed, got pairs of texts; a PairClassifier takes them
    """
    rows = X.tolist() if isinstance(X, np.ndarray) else X
    if isinstance(rows, list | tuple) and rows and all(map(_is_pair_of_texts, rows)):
        raise InputError("a list of texts is needed, got pairs of texts; a PairClassifier takes them")


def _is_pair_of_texts(row: object) -> bool:
    """Whether a row is two texts of several words, which would be read as two tokens."""
    if type(row) not in (list, tuple):
        return False
    values = cast(Sequence[object], row)
    return len(values) == 2 and all(isinstance(value, str) and len(value.split()) > 1 for value in values)


def _write_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], list):  # a graph: its nodes
        value = value[0]
    if isinstance(value, Mapping):
        value = value.get("nodes", [])
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
