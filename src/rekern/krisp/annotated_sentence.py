"""A sentence as the kernels on substrings see it: words, and where they are needed heads and a tree."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

NestedTree: TypeAlias = "str | tuple[NestedTree, ...]"  # (label, child, …), where a child is such a tuple or a word


class AnnotatedSentence(NamedTuple):
    """A sentence: its words, and if a kernel needs them the heads of its words and its constituent tree.

    ``heads`` has the place of each word's head (-1 for the root); ``tree`` is (label, child, …), and a leaf is a word.

    >>> AnnotatedSentence(("go",), (-1,), ("S", ("VB", "go"))).words
    ('go',)
    """

    words: tuple[str, ...]
    heads: tuple[int, ...] | None = None
    tree: NestedTree | None = None
