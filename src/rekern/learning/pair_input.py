"""Pairs in the form in which a kernel reads them: tokens, a table of representations, or the pairs as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from sklearn.base import BaseEstimator

from rekern.core.arrays import Ints
from rekern.errors import InputError
from rekern.kernels.kernel import Kernel, walk_kernels
from rekern.kernels.kernel_items import materialize_items
from rekern.kernels.pair_kernel import PairKernel
from rekern.learning.nltk_and_spacy_columns import convert_columns
from rekern.structures.nltk_and_spacy_items import is_foreign, list_words
from rekern.structures.pairs import Pairs, as_pairs
from rekern.structures.representations import Representations
from rekern.structures.stored_pairs import StoredPairs

Side: TypeAlias = str | Sequence[str]  # a text, or its tokens
Pair: TypeAlias = tuple[Side, Side]


def check_pair_kernel(kernel: Kernel) -> None:
    """Refuse a kernel that compares single texts, unless it is inside a pair kernel or names a representation.

    >>> from rekern.kernels import Spectrum
    >>> check_pair_kernel(Spectrum(2))
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: Spectrum compares texts, not pairs of texts; put it into PairSum, PairProduct, AllSum, \
AllProduct, BestPairing or SoftPairing, as in SoftPairing(Spectrum()), or use Rewriting
    """
    for part in walk_kernels(kernel, enter=lambda part: not isinstance(part, PairKernel)):
        if isinstance(part, PairKernel):
            part.reads()
        elif not part.list_children() and part.on_texts and part.on is None:
            name = type(part).__name__
            raise InputError(
                f"{name} compares texts, not pairs of texts; put it into PairSum, PairProduct, AllSum, AllProduct, "
                f"BestPairing or SoftPairing, as in SoftPairing({name}()), or use Rewriting"
            )


def reads_words_only(kernel: Kernel) -> bool:
    """Whether a kernel reads nothing but the words of pairs.

    >>> from rekern.kernels import Rewriting, SoftPairing, Spectrum
    >>> reads_words_only(Rewriting()), reads_words_only(SoftPairing(Spectrum()))
    (True, False)
    """
    has_pairings = any(isinstance(part, PairKernel) for part in walk_kernels(kernel))
    return kernel.reads() == {"source", "target"} and not has_pairings


def read_table(kernel: Kernel, X: object) -> Representations | None:
    """The table of what a kernel reads of the pairs, and of their words; None if it reads nothing but words.

    >>> from rekern.kernels import Rewriting
    >>> read_table(Rewriting(), [("a", "b")]) is None
    True
    """
    if reads_words_only(kernel):
        return None
    names = kernel.reads()
    table = Representations.from_items(X)
    table.check(names - {"source", "target"})
    words = [name for name in ("source", "target") if name in table.columns]
    return convert_columns(kernel, table.select_columns([*words, *sorted((names & set(table.columns)) - set(words))]))


def read_items(kernel: Kernel, X: object, with_forms: bool = False) -> object:
    """The pairs in the form that a kernel reads fastest.

    For a kernel that reads trees, graphs or other named representations, a table of those that it reads. If all parts
    of the kernel read tokens and agree on the tokenizer, the pairs tokenised once for all of them, with their written
    forms if a part needs them or ``with_forms`` asks for them. Otherwise the pairs as they are.

    >>> from rekern.kernels import Rewriting
    >>> read_items(Rewriting(), [("Cats sleep", "A cat sleeps")])
    Pairs(1 pairs, 5 tokens, 3 distinct)
    """
    table = read_table(kernel, X)
    if table is not None or isinstance(X, Pairs):
        return X if table is None else table
    if not has_one_tokenizer(kernel):
        return X
    leaves = _list_leaves(kernel)
    tokenizer = getattr(leaves[0], "tokenizer", None)
    return Pairs.from_items(X, tokenizer, with_forms=with_forms or any(leaf.reads_forms for leaf in leaves))


def has_one_tokenizer(kernel: Kernel) -> bool:
    """Return whether all parts of a kernel read the tokens of pairs, and agree on the tokenizer.

    >>> from rekern.kernels import PairSum, PartialTree, Rewriting
    >>> has_one_tokenizer(Rewriting()), has_one_tokenizer(Rewriting() + PairSum(PartialTree()))
    (True, False)
    """
    leaves = _list_leaves(kernel)
    first = getattr(leaves[0], "tokenizer", None)
    return all(
        leaf.reads_tokens and not leaf.list_inner_kernels() and _are_equal(getattr(leaf, "tokenizer", None), first)
        for leaf in leaves
    )


def _list_leaves(kernel: Kernel) -> list[Kernel]:
    return [part for part in walk_kernels(kernel) if not part.list_children()]


def take_items(items: Sequence[object], rows: Ints) -> Sequence[object]:
    """The items of these rows, in the form in which they are given.

    >>> import numpy as np
    >>> take_items(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    return items.take(rows) if isinstance(items, Pairs | Representations) else [items[row] for row in rows.tolist()]


def list_pairs(X: object) -> list[Pair]:
    """The pairs of anything that `as_pairs` reads, as a list of tuples.

    >>> list_pairs({"source": ["a"], "target": ["b"]})
    [('a', 'b')]
    """
    return [(_to_side(source), _to_side(target)) for source, target in zip(*as_pairs(X))]


def open_pairs(X: object) -> Sequence[Pair]:
    """The pairs of anything that `as_pairs` reads; those that are on disk stay there.

    >>> open_pairs(StoredPairs([("a", "b")]))[0]
    ('a', 'b')
    """
    return X if isinstance(X, StoredPairs) else list_pairs(materialize_items(X))


def list_texts(table: Representations) -> list[Pair]:
    """The two texts of every pair, to show; in a table without words, the first representation of both sides."""
    endings = [name.removeprefix("source") for name in table.columns if name.startswith("source")]
    both = [ending for ending in endings if f"target{ending}" in table.columns]
    if not both:
        return [("", "")] * len(table)
    sources, targets = (table[f"{side}{both[0]}"] for side in ("source", "target"))
    return [(_text_or_nothing(source), _text_or_nothing(target)) for source, target in zip(sources, targets)]


def join_side(side: Side) -> str:
    """One side of a pair as text; tokens are joined by blanks.

    >>> join_side(["a", "cat"])
    'a cat'
    """
    return str(side) if isinstance(side, str) else " ".join(side)


def _to_side(value: Any) -> Side:
    side: Side = list_words(value) if is_foreign(value) else value
    return side


def _text_or_nothing(value: object) -> Side:
    """A text or tokens; the labels of the nodes of a graph; nothing of any other value."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], list):
        value = value[0]
    return value if isinstance(value, str | list | tuple) else ""


def _are_equal(tokenizer: object, other: object) -> bool:
    if tokenizer is other:
        return True
    return (
        isinstance(tokenizer, BaseEstimator)
        and isinstance(other, BaseEstimator)
        and type(tokenizer) is type(other)
        and tokenizer.get_params() == other.get_params()
    )
