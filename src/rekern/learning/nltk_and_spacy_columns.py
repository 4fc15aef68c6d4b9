"""Trees of NLTK and documents of spaCy in a table, as the kernel of a model reads them."""

from __future__ import annotations

from rekern.errors import InputError
from rekern.kernels.kernel import Kernel, walk_kernels
from rekern.structures.nltk_and_spacy_items import is_foreign, list_words
from rekern.structures.representations import Representations


def convert_columns(kernel: Kernel, table: Representations) -> Representations:
    """Turn the foreign items of a table into trees, graphs or words, whichever the kernel reads; they can be saved.

    >>> from rekern.kernels import Spectrum
    >>> convert_columns(Spectrum(), Representations({"text": ["a"]})).columns
    ['text']
    """
    columns: dict[str, object] = {name: table[name] for name in table.columns}
    foreign = [name for name, column in columns.items() if isinstance(column, list) and any(map(is_foreign, column))]
    if not foreign:
        return table
    leaves = [part for part in walk_kernels(kernel) if not part.list_children()]
    for name in foreign:
        read = {leaf.structure for leaf in leaves if (leaf.on or "text") == _name_representation(name)}
        if read == {"trees"}:
            columns[name] = table.trees(name)
        elif read == {"graphs"}:
            columns[name] = table.graphs(name)
        elif len(read) > 1:
            kinds = " and ".join(sorted(read))
            remedy = f"give {name} as texts and {name}.tree as trees, and the kernels on trees on='tree'"
            raise InputError(f"the kernel reads {kinds} of one column, {name}: {remedy}")
        else:
            columns[name] = [list_words(value) if is_foreign(value) else value for value in table[name]]
    return Representations(columns)


def _name_representation(column: str) -> str:
    """The representation that a column holds: "constituents" of "source.constituents", "text" of "source"."""
    start, _, rest = column.partition(".")
    return rest or "text" if start in ("source", "target", "text") else column
