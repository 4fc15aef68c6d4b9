"""Pairs of texts as arrays, and reading of texts and pairs from lists, arrays and data frames.

>>> pairs = Pairs.from_items([("Cats chase mice", "Mice flee"), (["A", "cat"], [])])
>>> pairs
Pairs(2 pairs, 7 tokens, 5 distinct)
>>> pairs[1]
(['A', 'cat'], [])
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast, overload

import numpy as np

from rekern.core.arrays import Ints, RowIndices, offsets_of, resolve_rows
from rekern.core.messages import list_names, name_value
from rekern.errors import InputError
from rekern.structures.data_frames import SIDES, column_to_list, find_columns, read_column
from rekern.structures.known_columns import find_sides
from rekern.structures.nltk_and_spacy_items import is_tree
from rekern.structures.tokenizer import Tokenize
from rekern.structures.tokens import Tokens

__all__ = ["Pairs", "as_pairs", "as_texts", "check_one_pair"]

_PLAIN = frozenset({list, tuple})  # types of rows that are nothing but rows


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
        self.facts: dict[str, Any] = {}  # what others have found out about these very pairs; copies have none

    def __reduce__(self) -> tuple[type["Pairs"], tuple[Tokens]]:
        return Pairs, (self.tokens,)

    @classmethod
    def from_items(
        cls,
        X: object,
        tokenizer: Tokenize | None = None,
        first_row: int = 0,
        with_forms: bool = False,
    ) -> "Pairs":
        """Tokenize the pairs of ``X``, which is anything that ``as_pairs`` reads; a ``Pairs`` is returned unchanged.

        ``first_row`` is the number that messages give to the first row, for a block of a longer table. With
        ``with_forms``, ``tokens.forms`` has the same tokens as they are written (see `Tokens.from_texts`).

        >>> Pairs.from_items([("fine", "fine"), ("fine", None)])
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: row 1, target: the text is None; drop the row or give it a text (an empty one will do)
        """
        if isinstance(X, Pairs):
            return X
        sources, targets = as_pairs(X)
        texts: list[object] = [None] * (2 * len(sources))
        texts[::2] = sources
        texts[1::2] = targets
        try:
            return cls(Tokens.from_texts(texts, tokenizer, with_forms))
        except InputError as error:
            if error.row is None:
                raise
            raise error.at(row=error.row // 2 + first_row, column=SIDES[error.row % 2]) from None

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

    def clear_texts(self, indices: Ints) -> "Pairs":
        """Return the same pairs, except that those with these numbers have two empty texts.

        >>> list(Pairs.from_items([("a", "b"), ("c", "d")]).clear_texts(np.array([0])))
        [([], []), (['c'], ['d'])]
        """
        tokens = self.tokens
        lengths = np.diff(tokens.offsets)
        kept = np.ones(len(lengths), bool)
        kept[np.concatenate([2 * indices, 2 * indices + 1])] = False
        offsets = offsets_of(np.where(kept, lengths, 0))
        places = np.repeat(kept, lengths)
        forms = tokens.forms
        forms = None if forms is None else Tokens(forms.ids[places], offsets, forms.vocabulary)
        return Pairs(Tokens(tokens.ids[places], offsets, tokens.vocabulary, forms))

    def take(self, indices: RowIndices) -> "Pairs":
        """Return the pairs with these numbers (or where this mask is true), in this order; the vocabulary is shared.

        >>> Pairs.from_items([("a", "b"), ("c", "d")]).take([-1])[0]
        (['c'], ['d'])
        """
        chosen = resolve_rows(indices, len(self))
        return Pairs(self.tokens.take(np.stack([2 * chosen, 2 * chosen + 1], axis=1).ravel()))


def as_texts(X: object) -> list[Any]:
    """Return the texts of ``X`` as a list: of a list, an array, a column, a table with one column, or a generator.

    >>> as_texts(np.array(["one", "two"])), as_texts({"text": ["one", "two"]}), as_texts(t for t in ["one", "two"])
    (['one', 'two'], ['one', 'two'], ['one', 'two'])
    """
    names = find_columns(X)
    if names is not None:
        if len(names) != 1:
            raise InputError(
                f"one column of texts is needed, got {len(names)}: {list_names(names)}; choose one of them"
            )
        return read_column(X, 0, names[0])
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 1:
        return column_to_list(X[:, 0])
    return column_to_list(_check_iterable(X, "texts", "for one text write [text]"))


def as_pairs(X: object) -> tuple[list[Any], list[Any]]:
    """Return the sources and the targets of ``X``, as two lists.

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
    names = find_columns(X)
    if names is not None:
        source, target = _find_sides(names)
        sources, targets = read_column(X, source, names[source]), read_column(X, target, names[target])
        if len(sources) != len(targets):
            raise InputError(f"the columns differ in length: {len(sources)} sources, {len(targets)} targets")
        return sources, targets
    if isinstance(X, np.ndarray) and X.ndim >= 2:
        if X.shape[1] != 2:
            raise InputError(f"an array of pairs needs two columns, source and target, got {X.shape[1]}")
        return X[:, 0].tolist(), X[:, 1].tolist()
    if _is_one_pair(X):
        raise InputError(
            "a list of pairs is needed, got one pair of token lists, or two columns; write [(source, target), …]"
        )
    _refuse_sides(X)
    sources, targets = [], []
    for number, row in enumerate(_check_iterable(X, "pairs", "for one pair write [(source, target)]")):
        one, other = _split_row(row, number)
        sources.append(one)
        targets.append(other)
    return sources, targets


def check_one_pair(item: object) -> None:
    """Refuse a list of two pairs where one pair is needed; its pairs would be read as two lists of two tokens.

    A tuple of token lists, and anything that is not a pair of texts, is accepted.

    >>> check_one_pair((["a", "cat"], ["the", "cat"]))
    >>> check_one_pair([("a cat", "the cat"), ("a dog", "the dog")])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: one pair is needed, got a list of two pairs; give one of them, as in pairs[0]
    """
    sides = item.tolist() if isinstance(item, np.ndarray) and item.ndim == 2 else item
    if (
        is_tree(item)
        or not isinstance(sides, list | tuple)
        or len(sides) != 2
        or not all(_has_two_texts(side) for side in sides)
    ):
        return
    rows = not isinstance(sides, tuple) and all(isinstance(side, tuple) for side in sides)
    nested = any(not isinstance(text, str) for side in sides for text in side)
    phrases = all(any(isinstance(text, str) and len(text.split()) > 1 for text in side) for side in sides)
    if rows or nested or phrases or isinstance(item, np.ndarray):
        raise InputError("one pair is needed, got a list of two pairs; give one of them, as in pairs[0]")


def _has_two_texts(side: object) -> bool:
    """Whether a value could be a pair: two texts, or two lists of tokens."""
    if not isinstance(side, list | tuple) or len(side) != 2:
        return False
    return all(
        isinstance(text, str) or (isinstance(text, list | tuple) and all(isinstance(token, str) for token in text))
        for text in side
    )


def _is_one_pair(X: object) -> bool:
    """Whether a value that should be a list of pairs is a tuple of two lists of two tokens each."""
    if not isinstance(X, tuple) or len(X) != 2:
        return False
    return all(isinstance(side, list) and len(side) == 2 and all(isinstance(t, str) for t in side) for side in X)


def _refuse_sides(X: object) -> None:
    """Refuse two texts, or two lists of texts, where a list of pairs is needed.

    >>> _refuse_sides([["a", "b", "c"], ["d", "e", "f"]])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: a list of pairs is needed, got two lists of 3; write list(zip(sources, targets))
    """
    if not isinstance(X, list | tuple) or len(X) != 2 or is_tree(X):
        return
    if all(isinstance(side, str) for side in X):
        raise InputError("a list of pairs is needed, got two texts; for one pair write [(source, target)]")
    sizes = {len(side) if isinstance(side, list | tuple) else 0 for side in X}
    if len(sizes) == 1 and min(sizes) > 2 and all(isinstance(text, str) for side in X for text in side):
        reason = f"got two lists of {min(sizes)}; write list(zip(sources, targets))"
        raise InputError(f"a list of pairs is needed, {reason}")


def _split_row(row: object, number: int) -> tuple[object, object]:
    """Return the two sides of one row."""
    if type(row) not in _PLAIN and is_tree(row):
        raise InputError("a pair needs two sides, got a tree; write (source, target)", row=number)
    if isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim > 0):
        if len(row) != 2:
            raise InputError(f"a pair needs two sides, got {len(row)}", row=number)
        return row[0], row[1]
    if isinstance(row, Mapping):
        for side in SIDES:
            if side not in row:
                reason = f"no {side!r} among {list_names(row)}; a row needs the keys source and target"
                raise InputError(reason, row=number)
        return row["source"], row["target"]
    if hasattr(row, "iloc") and getattr(row, "ndim", 0) == 1:  # a row of a pandas frame
        series = cast(Any, row)
        try:
            source, target = _find_sides(list(series.index))
        except InputError as error:
            raise error.at(row=number) from None
        return series.iloc[source], series.iloc[target]
    raise InputError(f"a pair needs two sides, got {name_value(row)}; write (source, target)", row=number)


def _find_sides(names: list[object]) -> tuple[int, int]:
    """Return the places of the columns with the sources and the targets."""
    if names.count("source") == 1 and names.count("target") == 1:
        return names.index("source"), names.index("target")
    if len(names) == 2:
        return 0, 1
    known = find_sides(names)
    example = [names[place] for place in known] if known is not None else ["first", "second"]
    needs = "a table of pairs needs the columns source and target, or two columns alone"
    raise InputError(f"{needs}; it has {list_names(names)}: give two, as in X[{example}]")


def _check_iterable(X: object, kind: str, remedy: str) -> Iterable[object]:
    if isinstance(X, str | bytes):
        raise InputError(f"a list of {kind} is needed, got {name_value(X)}; {remedy}")
    if isinstance(X, set | frozenset):
        raise InputError(f"a list of {kind} is needed, got a set, which has no order")
    items = cast(Iterable[object], X)
    try:
        iter(items)
    except TypeError:
        raise InputError(f"a list of {kind} is needed, got {name_value(X)}") from None
    return items
