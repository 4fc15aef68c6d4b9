"""Several representations of one example, by name: its words, its trees, its graphs.

A table of pairs has the columns ``source`` and ``target`` (the words), ``source.NAME`` and ``target.NAME`` (what the
two sides have become), and ``NAME`` (what the pair as a whole has become, such as a graph of both trees). A table of
single texts has the columns ``text`` and ``NAME``.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, overload

import numpy as np

from rekern.errors import InputError
from rekern.structures.graphs import Graphs
from rekern.structures.pairs import Pairs, _as_list, _column, _listed, _table, as_pairs, as_texts
from rekern.structures.tokens import Tokens, in_words, positions
from rekern.structures.trees import Trees

__all__ = ["Representations", "Row", "graphs_in", "pairs_in", "texts_in", "trees_in"]

WORDS = "text"  # the name of the words in a table of single texts
SIDES = ("source", "target")

Column = list[Any] | Tokens | Trees | Graphs


class Texts(NamedTuple):
    """The distinct texts of the pairs of a table, and the number of each pair's source and target among them."""

    table: "Representations"
    sources: np.ndarray
    targets: np.ndarray


class Representations:
    """Examples with named representations: columns of one length, each a list, a ``Tokens``, ``Trees`` or ``Graphs``.

    Trees and graphs may also be given as text, in brackets or as JSON (``{"nodes": [...], "edges": [[0, 1], ...]}``);
    they are read when a kernel first asks for them, and kept.

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

    def __init__(self, columns: Mapping[str, Any]):
        self._columns: dict[str, Column] = {str(name): _held(column) for name, column in columns.items()}
        lengths = {name: len(column) for name, column in self._columns.items()}
        if len(set(lengths.values())) > 1:
            sizes = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise InputError(f"the columns of a table must be of one length, not {sizes}")
        self._rows = next(iter(lengths.values()), 0)
        self._read: dict[tuple[str, str], Any] = {}  # trees and graphs that were read from text
        self._texts: dict[tuple[str, ...], Texts] = {}
        self._origin: np.ndarray | None = None  # of texts that were taken out of pairs: side · rows + row
        self._pairs = 0  # the number of these pairs

    @classmethod
    def from_items(cls, X: Any) -> "Representations":
        """The table of these examples; ``X`` itself if it is one already.

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
        names = _table(X)
        if names is not None:
            repeated = [name for name in names if names.count(name) > 1]
            if repeated:
                raise InputError(f"two columns of the table are called {repeated[0]!r}; rename one")
            return cls({str(name): _column(X, place, name) for place, name in enumerate(names)})
        if isinstance(X, str | bytes):
            raise InputError(f"a table or a list of rows is needed, got {in_words(X)}; for one row write [row]")
        rows = X if isinstance(X, list | tuple | np.ndarray) else list(X)
        if not len(rows):
            return cls({WORDS: [], "source": [], "target": []})
        if isinstance(rows[0], Mapping):
            return _from_rows(rows)
        if isinstance(rows[0], str):
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
            return self._columns.get(self.named(index), [])
        if isinstance(index, slice):
            return self.take(np.arange(*index.indices(len(self))))
        if not -len(self) <= index < len(self):
            raise IndexError(f"row {index} of {len(self)}")
        return Row(self, int(index) % len(self))

    def __iter__(self) -> Iterator["Row"]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"Representations({len(self):,} rows: {', '.join(self._columns)})"

    def named(self, name: str) -> str:
        """The name, if there is such a column.

        >>> Representations({"text": ["a"], "constituents": ["(A a)"]}).named("dependencies")
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: there is no representation 'dependencies'; the columns are text, constituents
        """
        if name not in self._columns and len(self):  # nothing is an empty list of anything
            raise InputError(f"there is no representation {name!r}; the columns are {_listed(self._columns)}")
        return name

    def check(self, names: Iterable[str]) -> None:
        """Refuse columns that are not there, with the remedy.

        >>> Representations({"source": ["a"], "target": ["b"]}).check(["source.constituents"])
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: there is no column 'source.constituents' for the representation 'constituents'; the \
columns are source, target
        """
        for column in sorted(names):
            side, _, name = column.partition(".")
            if side in SIDES and name:
                self._side(side, name)
            else:
                _one(self, column)

    def only(self, names: Sequence[str]) -> "Representations":
        """The table with these columns only; what was read from them is kept.

        >>> Representations({"text": ["a"], "id": [7]}).only(["text"]).columns
        ['text']
        """
        part = Representations({name: self[name] for name in names})
        part._rows = len(self)
        part._read = {key: value for key, value in self._read.copy().items() if key[1] in part._columns}
        part._texts = self._texts.copy()
        part._origin, part._pairs = self._origin, self._pairs
        return part

    def take(self, indices: Sequence[int] | np.ndarray) -> "Representations":
        """The rows with these numbers (or where this mask is true), in this order; nothing is read again."""
        chosen = positions(indices, len(self))
        part = Representations({name: _taken(column, chosen) for name, column in self._columns.items()})
        part._rows = len(chosen)
        # Copies: another thread may be reading a column for the first time.
        part._read = {key: value.take(chosen) for key, value in self._read.copy().items()}
        if self._origin is not None:
            part._origin, part._pairs = self._origin[chosen], self._pairs
        for names, texts in self._texts.copy().items():
            used, numbers = np.unique(
                np.concatenate([texts.sources[chosen], texts.targets[chosen]]), return_inverse=True
            )
            part._texts[names] = Texts(texts.table.take(used), numbers[: len(chosen)], numbers[len(chosen) :])
        return part

    def trees(self, name: str) -> Trees:
        """A column as trees; those in brackets are read once.

        >>> Representations({"tree": ["(A b)", None]}).trees("tree")
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: row 1, column 'tree': the tree is None; give it in brackets, as in (S (NP ...))
        """
        column = self[name]
        if isinstance(column, Trees):
            return column
        if ("trees", name) not in self._read:
            self._read["trees", name] = self._reading(name, lambda: Trees.from_items(column))
        return self._read["trees", name]

    def graphs(self, name: str) -> Graphs:
        """A column as graphs; those in JSON are read once.

        >>> Representations({"graph": ['{"nodes": ["a", "b"], "edges": [[0, 1]]}']}).graphs("graph")[0]
        (['a', 'b'], [(0, 1, '')])
        """
        column = self[name]
        if isinstance(column, Graphs):
            return column
        if ("graphs", name) not in self._read:
            self._read["graphs", name] = self._reading(name, lambda: Graphs.from_items(_graph_items(column)))
        return self._read["graphs", name]

    def _reading(self, name: str, read: Any) -> Any:
        """What ``read()`` gives; an error of it names the row and the column of this table."""
        try:
            return read()
        except InputError as error:
            found = re.match(r"(?:row|graph) (\d+)(.*)", str(error), re.DOTALL)
            if found is None:
                raise InputError(f"column {name!r}: {error}") from None
            raise InputError(self.place(int(found[1]), name) + found[2]) from None

    def place(self, row: int, name: str) -> str:
        """Where a value stands, for messages."""
        if self._origin is None:
            return f"row {row}, column {name!r}"
        side, row = divmod(int(self._origin[row]), self._pairs)
        return f"row {row}, column {_sided(SIDES[side], name)!r}"

    def texts(self, names: Sequence[str]) -> Texts:
        """The distinct texts of the pairs as a table with the columns ``names``, in order of first occurrence.

        Sources and targets are numbered together. Two texts are the same if they are the same in all these columns.

        >>> table, sources, targets = Representations.from_items([("a b", "c"), ("c", "a b")]).texts(["text"])
        >>> table["text"], sources, targets
        (['a b', 'c'], array([0, 1]), array([1, 0]))
        """
        key = tuple(sorted(names))
        if key not in self._texts:
            self._texts[key] = self._distinct(key)
        return self._texts[key]

    def _distinct(self, names: tuple[str, ...]) -> Texts:
        rows = len(self)
        columns: dict[str, Column] = {}
        keys = []
        for name in names:
            columns[name] = _stacked(*(self[self._side(side, name)] for side in SIDES))
            keys.append(_keys(columns[name]))
            for at, value in enumerate(columns[name] if isinstance(columns[name], list) else ()):
                if value is None or (isinstance(value, float) and value != value):
                    row, column = at % max(rows, 1), _sided(SIDES[at // max(rows, 1)], name)
                    remedy = "drop the row or give it one (an empty one will do)"
                    raise InputError(f"row {row}, column {column!r}: the value is {in_words(value)}; {remedy}")
        numbers: dict[Any, int] = {}
        number_of = np.array([numbers.setdefault(key, len(numbers)) for key in zip(*keys)], np.int64)
        first = np.unique(number_of, return_index=True)[1]
        table = Representations(columns)
        table._origin, table._pairs = np.arange(2 * rows), rows
        return Texts(table.take(first), number_of[:rows], number_of[rows:])

    def _side(self, side: str, name: str) -> str:
        """The column of one side, if it is there."""
        column = _sided(side, name)
        if column not in self._columns and len(self):
            have = sorted(c.removeprefix(f"{side}.") for c in self._columns if c.startswith(f"{side}."))
            known = f"the {side}s have {_listed(have)}" if have else f"the columns are {_listed(self._columns)}"
            raise InputError(f"there is no column {column!r} for the representation {name!r}; {known}")
        return column


class Row(Mapping[str, Any]):
    """One row of a table: a mapping that remembers where it comes from, so that its trees need not be read again.

    >>> Representations({"text": ["he runs", "he ran"]})[1]
    {'text': 'he ran'}
    """

    def __init__(self, table: Representations, index: int):
        self.table = table
        self.index = index

    def __getitem__(self, name: str) -> Any:
        if name not in self.table._columns:
            raise KeyError(name)
        return self.table._columns[name][self.index]

    def __iter__(self) -> Iterator[str]:
        return iter(self.table.columns)

    def __len__(self) -> int:
        return len(self.table.columns)

    def __repr__(self) -> str:
        return repr(dict(self))


def trees_in(X: Any, on: str | None) -> Trees:
    """The trees of ``X``, or those in its representation ``on``.

    >>> trees_in([{"text": "a b", "constituents": "(S a b)"}], "constituents")[0]
    '(S (a) (b))'
    """
    if isinstance(X, Trees):
        return X
    table = _named(X, on)
    return Trees.from_items(X) if table is None else table.trees(_one(table, on))


def graphs_in(X: Any, on: str | None) -> Graphs:
    """The graphs of ``X``, or those in its representation ``on``.

    >>> graphs_in([{"source": "a", "target": "b", "graph": (["a", "b"], [])}], "graph")[0]
    (['a', 'b'], [])
    """
    if isinstance(X, Graphs):
        return X
    table = _named(X, on)
    return Graphs.from_items(X) if table is None else table.graphs(_one(table, on))


def texts_in(X: Any, on: str | None) -> Any:
    """The texts of ``X``, or those in its representation ``on``; ready tokens as they are.

    >>> texts_in([{"text": "dogs bark", "lemmas": ["dog", "bark"]}], "lemmas")
    [['dog', 'bark']]
    """
    if isinstance(X, Tokens):
        return X
    table = _named(X, on)
    return as_texts(X) if table is None else table[_one(table, on)]


def pairs_in(X: Any, on: str | None) -> Any:
    """The pairs of ``X`` as ``as_pairs`` reads them; with ``on`` those of this representation of its two sides.

    >>> pairs_in({"source.lemmas": [["dog"]], "target.lemmas": [["cat"]]}, "lemmas")
    {'source': [['dog']], 'target': [['cat']]}
    """
    if isinstance(X, Pairs):
        return X
    if on is None:
        return Representations.from_items(X) if _rows_of_one_table(X) else X
    table = _named(X, on)
    assert table is not None
    return {side: table[table._side(side, on)] for side in SIDES}


def _one(table: Representations, on: str | None) -> str:
    """The column that a kernel on single items reads."""
    name = WORDS if on is None else on
    if name not in table._columns and f"{WORDS}.{name}" in table._columns:  # as `rekern parse` names it
        return f"{WORDS}.{name}"
    if name not in table._columns and any(_sided(side, name) in table._columns for side in SIDES):
        remedy = "PairSum, PairProduct, AllSum, AllProduct, BestPairing or SoftPairing"
        raise InputError(
            f"a kernel on texts was given pairs of them (there is {_sided('source', name)!r}, but no {name!r}); "
            f"put it into {remedy}"
        )
    return table.named(name)


def _named(X: Any, on: str | None) -> Representations | None:
    """``X`` as a table with named columns, or None if it has none and none is asked for."""
    if isinstance(X, Representations):
        return X
    if on is not None and not isinstance(on, str):
        raise ValueError(f"on={on!r}: give the name of a representation, or None for the words")
    if on is None:
        mappings = isinstance(X, list | tuple) and len(X) and isinstance(X[0], Mapping) and "nodes" not in X[0]
        names = _table(X) if not isinstance(X, list | tuple) else None
        return Representations.from_items(X) if mappings or (names and WORDS in names) else None
    table = Representations.from_items(X)
    if on not in table._columns and set(table._columns) <= {WORDS, *SIDES}:
        raise InputError(
            f"on={on!r}: the items have words only; give a table, or rows that are dicts, with the representation"
        )
    return table


def _rows_of_one_table(X: Any) -> bool:
    return isinstance(X, list) and bool(X) and all(isinstance(row, Row) for row in X)


def _from_rows(rows: Any) -> Representations:
    """The table of a list of dicts; rows of one table are taken out of it."""
    first = rows[0]
    if isinstance(first, Row) and all(isinstance(row, Row) and row.table is first.table for row in rows):
        return first.table.take([row.index for row in rows])
    names = list(first)
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputError(f"row {number}: a dict with {_listed(names)} is needed, got {in_words(row)}")
        for name in names:
            if name not in row:
                raise InputError(f"row {number}: no {name!r} among {_listed(row)}; all rows need the same keys")
            columns[name].append(row[name])
    return Representations(columns)


def _sided(side: str, name: str) -> str:
    return side if name == WORDS else f"{side}.{name}"


def _held(column: Any) -> Column:
    if isinstance(column, Tokens | Trees | Graphs | list):
        return column
    if isinstance(column, str | bytes | Mapping | set):
        raise InputError(f"a column of a table is {in_words(column)}; give a list")
    return _as_list(column)


def _taken(column: Column, chosen: np.ndarray) -> Column:
    return [column[index] for index in chosen.tolist()] if isinstance(column, list) else column.take(chosen)


def _stacked(above: Column, below: Column) -> Column:
    """Two columns, one above the other."""
    if isinstance(above, Trees) and isinstance(below, Trees):
        return Trees.concatenated([above, below])
    return [*above, *below]


def _keys(column: Column) -> list[Any]:
    """Something hashable for each value, the same for equal ones."""
    if isinstance(column, Trees):
        # Breadth-first labels and numbers of children are the tree.
        bounds = column.offsets.tolist()
        return [(column.labels[a:b].tobytes(), column.count[a:b].tobytes()) for a, b in pairwise(bounds)]
    return [_key(value, place) for place, value in enumerate(column)]


def _key(value: Any, place: int) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(token, str) for token in value):
        return tuple(value)
    return place  # not known to be equal to anything


def _graph_items(column: Column) -> list[Any]:
    items = []
    for number, value in enumerate(column):
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                raise InputError(
                    f'graph {number}: the text is not JSON; write {{"nodes": ["a", "b"], "edges": [[0, 1]]}}'
                ) from None
        items.append(value)
    return items
