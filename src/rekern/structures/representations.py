"""Several representations of one example, by name: its words, its trees, its graphs.

A table of pairs has the columns ``source`` and ``target`` (the words), ``source.NAME`` and ``target.NAME`` (a
representation of each side), and ``NAME`` (a representation of the whole pair, such as a graph of both trees). A table
of single texts has the columns ``text`` and ``NAME``.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np

from rekern.core.arrays import Ints, RowIndices, resolve_rows
from rekern.core.messages import list_names, name_value
from rekern.errors import InputError, MissingColumnError
from rekern.structures.data_frames import SIDES, find_columns, read_column
from rekern.structures.graphs import Graphs
from rekern.structures.nltk_and_spacy_items import is_foreign
from rekern.structures.pairs import Pairs, as_pairs, as_texts
from rekern.structures.representation_columns import (
    WORDS,
    Column,
    check_column,
    identify_values,
    name_side,
    parse_graphs,
    stack_columns,
    take_rows,
)
from rekern.structures.tokens import Tokens
from rekern.structures.trees import Trees

__all__ = ["DistinctTexts", "Representations", "Row"]

T = TypeVar("T")


class DistinctTexts(NamedTuple):
    """The distinct texts of the pairs of a table, and the number of each pair's source and target among them."""

    table: "Representations"
    sources: Ints
    targets: Ints


class Representations:
    """Examples with named representations: columns of one length, each a list, a ``Tokens``, ``Trees`` or ``Graphs``.

    Trees and graphs may also be given as text, in brackets or as JSON (``{"nodes": [...], "edges": [[0, 1], ...]}``).
    They are parsed when a kernel first needs them, and once only.

    >>> pairs = Representations({
    ...     "source": ["the dog", "a cat"],
    ...     "target": ["the cat", "a cat"],
    ...     "source.constituents": ["(NP (DT the) (NN dog))", "(NP (DT a) (NN cat))"],
    ...     "target.constituents": ["(NP (DT the) (NN cat))", "(NP (DT a) (NN cat))"],
    ... })
    >>> pairs
    Representations(2 rows: source, target, source.constituents, target.constituents)
    >>> pairs.trees("source.constituents")
    Trees(2 trees, 10 nodes, 7 labels)
    >>> pairs[1]["target"], pairs.take([1])["target"], len(pairs[1:])
    ('a cat', ['a cat'], 1)
    """

    def __init__(self, columns: Mapping[str, object]):
        self._columns: dict[str, Column] = {str(name): check_column(column) for name, column in columns.items()}
        lengths = {name: len(column) for name, column in self._columns.items()}
        if len(set(lengths.values())) > 1:
            sizes = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise InputError(f"the columns of a table must be of one length, not {sizes}")
        self._rows = next(iter(lengths.values()), 0)
        self._trees: dict[str, Trees] = {}  # columns that were parsed from text
        self._graphs: dict[str, Graphs] = {}
        self._texts: dict[tuple[str, ...], DistinctTexts] = {}
        self._origin: Ints | None = None  # for the texts of pairs: side · number of pairs + row of the pair
        self._n_pairs = 0  # the number of these pairs

    @classmethod
    def from_items(cls, X: Any) -> "Representations":
        """Make the table of these examples; a ``Representations`` is returned unchanged.

        ``X`` is a table of any kind (a data frame, a dict of columns), a list of dicts with the same keys, or what
        ``as_pairs`` or ``as_texts`` read: pairs have the columns ``source`` and ``target``, texts the column ``text``.

        >>> Representations.from_items([{"source": "a", "target": "b", "graph": (["a", "b"], [(0, 1)])}]).columns
        ['source', 'target', 'graph']
        >>> Representations.from_items([("a", "b")]).columns, Representations.from_items(["a"]).columns
        (['source', 'target'], ['text'])
        """
        if isinstance(X, Representations):
            return X
        if isinstance(X, Pairs):
            return cls({"source": X.tokens[::2], "target": X.tokens[1::2]})
        if isinstance(X, Tokens | Trees):
            return cls({WORDS: X})
        names = find_columns(X)
        if names is not None:
            repeated = [name for name in names if names.count(name) > 1]
            if repeated:
                raise InputError(f"two columns of the table are called {repeated[0]!r}; rename one")
            return cls({str(name): read_column(X, place, name) for place, name in enumerate(names)})
        if isinstance(X, str | bytes):
            raise InputError(f"a table or a list of rows is needed, got {name_value(X)}; for one row write [row]")
        rows = X if isinstance(X, list | tuple | np.ndarray) else list(X)
        if not len(rows):
            return cls({WORDS: [], "source": [], "target": []})
        if isinstance(rows[0], Mapping):
            return _join_rows(list(rows))
        if isinstance(rows[0], str) or is_foreign(rows[0]):
            return cls({WORDS: as_texts(rows)})
        return cls(dict(zip(SIDES, as_pairs(rows))))

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __len__(self) -> int:
        return self._rows

    @overload
    def __getitem__(self, index: str) -> Column: ...
    @overload
    def __getitem__(self, index: slice) -> "Representations": ...
    @overload
    def __getitem__(self, index: int) -> "Row": ...
    def __getitem__(self, index: str | slice | int) -> "Column | Representations | Row":
        if isinstance(index, str):
            if not self.has_column(index) and len(self):  # a table without rows has empty columns of any name
                reason = f"there is no representation {index!r}; the columns are {list_names(self._columns)}"
                raise MissingColumnError(reason)
            return self._columns.get(index, [])
        if isinstance(index, slice):
            return self.take(np.arange(*index.indices(len(self))))
        if not -len(self) <= index < len(self):
            raise IndexError(f"row {index} of {len(self)}")
        return Row(self, int(index) % len(self))

    def __iter__(self) -> Iterator["Row"]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"Representations({len(self):,} rows: {', '.join(self._columns)})"

    def has_column(self, name: str) -> bool:
        """Whether there is a column with this name.

        >>> Representations({"text": ["a"]}).has_column("source")
        False
        """
        return name in self._columns

    def find_column(self, on: str | None) -> str:
        """Return the column that a kernel on single items reads: the words, or the representation ``on``.

        >>> Representations({"text": ["a"], "text.tree": ["(A a)"]}).find_column("tree")
        'text.tree'
        """
        name = WORDS if on is None else on
        if not self.has_column(name) and self.has_column(f"{WORDS}.{name}"):  # as `rekern parse` names it
            return f"{WORDS}.{name}"
        if not self.has_column(name) and any(self.has_column(name_side(side, name)) for side in SIDES):
            remedy = "PairSum, PairProduct, AllSum, AllProduct, BestPairing or SoftPairing"
            raise MissingColumnError(
                f"a kernel on texts was given pairs of them (there is {name_side('source', name)!r}, but no {name!r}); "
                f"put it into {remedy}"
            )
        _ = self[name]
        return name

    def find_side(self, side: str, name: str) -> str:
        """Return the column of one side of the pairs, ``source`` or ``target``, with this representation.

        >>> Representations({"source.tree": ["(A a)"], "target.tree": ["(A b)"]}).find_side("source", "tree")
        'source.tree'
        """
        column = name_side(side, name)
        if not self.has_column(column) and len(self):
            have = sorted(c.removeprefix(f"{side}.") for c in self._columns if c.startswith(f"{side}."))
            known = f"the {side}s have {list_names(have)}" if have else f"the columns are {list_names(self._columns)}"
            missing = f"there is no column {column!r} for the representation {name!r}"
            raise MissingColumnError(f"{missing}; {known}; `rekern parse` makes trees")
        return column

    def check(self, names: Iterable[str]) -> None:
        """Raise an error if one of these columns does not exist.

        >>> Representations({"source": ["a"], "target": ["b"]}).check(["source.constituents"])
        Traceback (most recent call last):
        ...
        rekern.errors.MissingColumnError: there is no column 'source.constituents' for the representation 'constituents\
'; the columns are source, target; `rekern parse` makes trees
        """
        for column in sorted(names):
            side, _, name = column.partition(".")
            if side in SIDES and name:
                self.find_side(side, name)
            else:
                self.find_column(column)

    def select_columns(self, names: Sequence[str]) -> "Representations":
        """Return the table with these columns only; trees and graphs are not parsed again.

        >>> Representations({"text": ["a"], "id": [7]}).select_columns(["text"]).columns
        ['text']
        """
        part = Representations({name: self[name] for name in names})
        part._rows = len(self)
        part._trees = {name: trees for name, trees in self._trees.copy().items() if name in part._columns}
        part._graphs = {name: graphs for name, graphs in self._graphs.copy().items() if name in part._columns}
        part._texts = self._texts.copy()
        part._origin, part._n_pairs = self._origin, self._n_pairs
        return part

    def take(self, indices: RowIndices) -> "Representations":
        """Return the rows with these numbers (or where this mask is true), in this order; nothing is parsed again."""
        chosen = resolve_rows(indices, len(self))
        part = Representations({name: take_rows(column, chosen) for name, column in self._columns.items()})
        part._rows = len(chosen)
        # copies, because another thread may be adding a column
        part._trees = {name: trees.take(chosen) for name, trees in self._trees.copy().items()}
        part._graphs = {name: graphs.take(chosen) for name, graphs in self._graphs.copy().items()}
        if self._origin is not None:
            part._origin, part._n_pairs = self._origin[chosen], self._n_pairs
        for names, texts in self._texts.copy().items():
            used, numbers = np.unique(
                np.concatenate([texts.sources[chosen], texts.targets[chosen]]), return_inverse=True
            )
            part._texts[names] = DistinctTexts(texts.table.take(used), numbers[: len(chosen)], numbers[len(chosen) :])
        return part

    def trees(self, name: str) -> Trees:
        """Return a column as trees; those in brackets are parsed once.

        >>> Representations({"tree": ["(A b)", None]}).trees("tree")
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: row 1, tree: the tree is None; give it in brackets, as in (S (NP ...))
        """
        column = self[name]
        if isinstance(column, Trees):
            return column
        if name not in self._trees:
            self._trees[name] = self._parse(name, lambda: Trees.from_items(column))
        return self._trees[name]

    def graphs(self, name: str) -> Graphs:
        """Return a column as graphs; those in JSON are parsed once.

        >>> Representations({"graph": ['{"nodes": ["a", "b"], "edges": [[0, 1]]}']}).graphs("graph")[0]
        (['a', 'b'], [(0, 1, '')])
        """
        column = self[name]
        if isinstance(column, Graphs):
            return column
        if name not in self._graphs:
            self._graphs[name] = self._parse(name, lambda: Graphs.from_items(parse_graphs(column)))
        return self._graphs[name]

    def _parse(self, name: str, parse: Callable[[], T]) -> T:
        """Call ``parse``; an error gets the row and the column of this table."""
        try:
            return parse()
        except InputError as error:
            reason = f"{error.column}: {error.reason}" if error.column else error.reason
            row, column = error.row, name
            if row is not None and self._origin is not None:  # a table of texts: name the pair that the text is from
                side, row = divmod(int(self._origin[row]), self._n_pairs)
                column = name_side(SIDES[side], name)
            raise InputError(reason, row=row, column=column) from None

    def texts(self, names: Sequence[str]) -> DistinctTexts:
        """Return the distinct texts of the pairs as a table with these columns, in order of first occurrence.

        Sources and targets are numbered together. Two texts are the same if they are the same in all these columns.

        >>> table, sources, targets = Representations.from_items([("a b", "c"), ("c", "a b")]).texts(["text"])
        >>> table["text"], sources, targets
        (['a b', 'c'], array([0, 1]), array([1, 0]))
        """
        key = tuple(sorted(names))
        if key not in self._texts:
            self._texts[key] = self._find_distinct(key)
        return self._texts[key]

    def _find_distinct(self, names: tuple[str, ...]) -> DistinctTexts:
        n_rows = len(self)
        columns: dict[str, Column] = {}
        identities = []
        for name in names:
            column = stack_columns(*(self[self.find_side(side, name)] for side in SIDES))
            for place, value in enumerate(column if isinstance(column, list) else ()):
                if value is None or (isinstance(value, float) and value != value):
                    side, row = divmod(place, n_rows)
                    reason = f"the value is {name_value(value)}; drop the row or give it one (an empty one will do)"
                    raise InputError(reason, row=row, column=name_side(SIDES[side], name))
            columns[name] = column
            identities.append(identify_values(column))
        numbers: dict[Hashable, int] = {}
        number_of = np.array([numbers.setdefault(key, len(numbers)) for key in zip(*identities)], np.int64)
        first = np.unique(number_of, return_index=True)[1]
        table = Representations(columns)
        table._origin, table._n_pairs = np.arange(2 * n_rows), n_rows
        return DistinctTexts(table.take(first), number_of[:n_rows], number_of[n_rows:])


class Row(Mapping[str, object]):
    """One row of a table: a mapping that refers to its table, so that its trees need not be parsed again.

    >>> Representations({"text": ["he runs", "he ran"]})[1]
    {'text': 'he ran'}
    """

    def __init__(self, table: Representations, index: int):
        self.table = table
        self.index = index

    def __getitem__(self, name: str) -> object:
        if not self.table.has_column(name):
            raise KeyError(name)
        return self.table[name][self.index]

    def __iter__(self) -> Iterator[str]:
        return iter(self.table.columns)

    def __len__(self) -> int:
        return len(self.table.columns)

    def __repr__(self) -> str:
        return repr(dict(self))


def _join_rows(rows: list[object]) -> Representations:
    """Make the table of a list of dicts; rows of one table are taken from it."""
    taken = [row for row in rows if isinstance(row, Row)]
    if len(taken) == len(rows) and all(row.table is taken[0].table for row in taken):
        return taken[0].table.take([row.index for row in taken])
    names: list[str] | None = None
    columns: dict[str, list[object]] = {}
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputError(f"a dict with {list_names(names or ())} is needed, got {name_value(row)}", row=number)
        if names is None:
            names = list(row)
            columns = {name: [] for name in names}
        for name in names:
            if name not in row:
                reason = f"no {name!r} among {list_names(row)}; all rows need the same keys"
                raise InputError(reason, row=number)
            columns[name].append(row[name])
    return Representations(columns)
