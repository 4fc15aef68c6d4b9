"""Pairs of texts, from whatever holds them: lists, arrays, data frames, Arrow tables, Hugging Face datasets.

None of those libraries is imported here: a table is known by its column names.

>>> pairs = Pairs.from_items([("Cats chase mice", "Mice flee"), (["A", "cat"], [])])
>>> pairs
Pairs(2 pairs, 7 tokens, 5 distinct)
>>> pairs[1]
(['A', 'cat'], [])
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np

from rekern.errors import InputError
from rekern.structures.tokens import Tokens, in_words, positions

__all__ = ["Pairs", "as_pairs", "as_texts"]


class Pairs:
    """A corpus of pairs: text ``2i`` of ``tokens`` is the source of pair ``i``, text ``2i + 1`` its target.

    >>> pairs = Pairs.from_items([("a b", "c"), ("d", ""), ("e", "f")])
    >>> len(pairs), pairs[0], pairs.tokens.offsets.tolist()
    (3, (['a', 'b'], ['c']), [0, 2, 3, 4, 4, 5, 6])
    >>> list(pairs[1:]), list(pairs.take([2, 0]))
    ([(['d'], []), (['e'], ['f'])], [(['e'], ['f']), (['a', 'b'], ['c'])])
    """

    def __init__(self, tokens: Tokens):
        if len(tokens) % 2:
            raise InputError(f"pairs need an even number of texts, source and target in turn, got {len(tokens)}")
        self.tokens = tokens

    @classmethod
    def from_items(cls, X: Any, tokenizer: Callable[[str], list[str]] | None = None, first_row: int = 0) -> "Pairs":
        """The pairs of ``X`` (anything that ``as_pairs`` reads), tokenised; ``X`` itself if it is a ``Pairs`` already.

        ``first_row`` is the number that messages give to the first row, for a block out of a longer table.

        >>> Pairs.from_items([("fine", "fine"), ("fine", None)])
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: row 1, target: the text is None; drop the row or give it a text (an empty one will do)
        """
        if isinstance(X, Pairs):
            return X
        sources, targets = as_pairs(X)
        texts: list = [None] * (2 * len(sources))
        texts[::2] = sources
        texts[1::2] = targets
        return cls(Tokens.from_texts(texts, tokenizer, name=lambda text: _name_of_side(text + 2 * first_row)))

    def __len__(self) -> int:
        return len(self.tokens) // 2

    @overload
    def __getitem__(self, index: int) -> tuple[list[str], list[str]]: ...
    @overload
    def __getitem__(self, index: slice) -> "Pairs": ...
    def __getitem__(self, index: int | slice) -> "tuple[list[str], list[str]] | Pairs":
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return self.take(np.arange(start, stop, step))
            return Pairs(self.tokens[2 * start : 2 * stop])
        n = len(self)
        if not -n <= index < n:
            raise IndexError(f"pair {index} of {n}")
        index %= n
        return self.tokens[2 * index], self.tokens[2 * index + 1]

    def __iter__(self) -> Iterator[tuple[list[str], list[str]]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"Pairs({len(self):,} pairs, {len(self.tokens.ids):,} tokens, {len(self.tokens.vocabulary):,} distinct)"

    def without_texts(self, indices: np.ndarray) -> "Pairs":
        """The same pairs, but these with two empty texts.

        >>> list(Pairs.from_items([("a", "b"), ("c", "d")]).without_texts(np.array([0])))
        [([], []), (['c'], ['d'])]
        """
        return Pairs(_cleared(self.tokens, np.concatenate([2 * indices, 2 * indices + 1])))

    def take(self, indices: Sequence[int] | np.ndarray) -> "Pairs":
        """The pairs with these numbers (or where this mask is true), in this order; the vocabulary is shared.

        >>> Pairs.from_items([("a", "b"), ("c", "d")]).take([-1])[0]
        (['c'], ['d'])
        """
        chosen = positions(indices, len(self))
        return Pairs(self.tokens.take(np.stack([2 * chosen, 2 * chosen + 1], axis=1).ravel()))


def _cleared(tokens: Tokens, texts: np.ndarray) -> Tokens:
    """The same corpus with these texts empty."""
    lengths = np.diff(tokens.offsets)
    kept = np.ones(len(lengths), bool)
    kept[texts] = False
    offsets = np.concatenate([[0], np.cumsum(np.where(kept, lengths, 0))])
    return Tokens(tokens.ids[np.repeat(kept, lengths)], offsets, tokens.vocabulary)


def _name_of_side(i: int) -> str:
    return f"row {i // 2}, {'target' if i % 2 else 'source'}"


def as_texts(X: Any) -> list:
    """The texts of ``X`` as a list: of a list, an array, a column, a table with one column, or a generator.

    >>> as_texts(np.array(["one", "two"])), as_texts({"text": ["one", "two"]}), as_texts(t for t in ["one", "two"])
    (['one', 'two'], ['one', 'two'], ['one', 'two'])
    """
    table = _table(X)
    if table is not None:
        if len(table) != 1:
            raise InputError(f"one column of texts is needed, got {len(table)}: {_listed(table)}; choose one of them")
        return _column(X, 0, table[0])
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 1:
        return X[:, 0].tolist()
    _iterable(X, "texts", "for one text write [text]")
    return _as_list(X)


def as_pairs(X: Any) -> tuple[list, list]:
    """The sources and the targets of ``X``, as two lists.

    ``X`` is a list (or a generator) of pairs, each side a str or a list of tokens; an array with two columns; or a
    table (pandas, polars, Arrow, Hugging Face ``datasets``, a dict of columns) that has two columns, or columns named
    ``source`` and ``target`` among others. A row may also be a dict with the keys ``source`` and ``target``.

    >>> as_pairs([("a b", "c"), (["d"], ["e", "f"])])
    (['a b', ['d']], ['c', ['e', 'f']])
    >>> as_pairs({"id": [1, 2], "source": ["a", "b"], "target": ["c", "d"]})
    (['a', 'b'], ['c', 'd'])
    >>> as_pairs([("a", "b"), ("c", "d", "e")])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: row 1: a pair needs two sides, got 3
    """
    if isinstance(X, Pairs):
        return list(X.tokens[::2]), list(X.tokens[1::2])
    table = _table(X)
    if table is not None:
        source, target = _two_columns(table)
        sources, targets = _column(X, source, table[source]), _column(X, target, table[target])
        if len(sources) != len(targets):
            raise InputError(f"the columns differ in length: {len(sources)} sources, {len(targets)} targets")
        return sources, targets
    if isinstance(X, np.ndarray) and X.ndim >= 2:
        if X.shape[1] != 2:
            raise InputError(f"an array of pairs needs two columns, source and target, got {X.shape[1]}")
        return X[:, 0].tolist(), X[:, 1].tolist()
    _iterable(X, "pairs", "for one pair write [(source, target)]")
    sources, targets = [], []
    for i, row in enumerate(X):
        source, target = _sides(row, i)
        sources.append(source)
        targets.append(target)
    return sources, targets


def _sides(row: Any, i: int) -> Any:
    """The two sides of one row."""
    if isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim > 0):
        if len(row) != 2:
            raise InputError(f"row {i}: a pair needs two sides, got {len(row)}")
        return row
    if isinstance(row, Mapping):
        for side in ("source", "target"):
            if side not in row:
                raise InputError(f"row {i}: no {side!r} among {_listed(row)}; a row needs the keys source and target")
        return row["source"], row["target"]
    raise InputError(f"row {i}: a pair needs two sides, got {in_words(row)}; write (source, target)")


def _table(X: Any) -> list | None:
    """The column names of a table, None for what is no table."""
    if not hasattr(X, "__len__") and hasattr(X, "collect"):
        raise InputError(f"{in_words(X)} holds no rows yet; give X.collect()")
    # An Arrow table has both attributes, and its columns are the data.
    names = getattr(X, "column_names", None)
    if names is None:
        names = getattr(X, "columns", None)
    if names is None:
        names = X if isinstance(X, Mapping) else None
    elif isinstance(names, Mapping):
        raise InputError(f"this dataset has the parts {_listed(names)}; give one of them")
    return None if names is None else list(names)


def _two_columns(names: list) -> tuple[int, int]:
    """Where source and target are."""
    if names.count("source") == 1 and names.count("target") == 1:
        return names.index("source"), names.index("target")
    if len(names) == 2:
        return 0, 1
    raise InputError(
        f"a table of pairs needs the columns source and target, or two columns alone; it has {_listed(names)}"
    )


def _column(X: Any, position: int, name: Any) -> list:
    # By position where there is a way to: a frame may have two columns of one name.
    return _as_list(X.iloc[:, position] if hasattr(X, "iloc") else X[name])


def _as_list(column: Any) -> list:
    for method in ("to_pylist", "tolist", "to_list"):  # Arrow, NumPy and pandas, polars: plain Python values
        if hasattr(column, method):
            return getattr(column, method)()
    return list(column)


def _iterable(X: Any, wanted: str, remedy: str) -> None:
    if isinstance(X, str | bytes):
        raise InputError(f"a list of {wanted} is needed, got {in_words(X)}; {remedy}")
    if isinstance(X, set | frozenset):
        raise InputError(f"a list of {wanted} is needed, got a set, which has no order")
    try:
        iter(X)
    except TypeError:
        raise InputError(f"a list of {wanted} is needed, got {in_words(X)}") from None


def _listed(names: Any) -> str:
    return ", ".join(map(str, names)) or "none"
