"""Constituent trees as nested tuples: (label, child, …), where a child is such a tuple or a word."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from rekern.errors import InputError
from rekern.krisp.sentence_corpus import NestedTree
from rekern.structures.trees import Trees


def nest_tree(tree: object, place: str) -> tuple[NestedTree, ...]:
    """A constituent tree as nested tuples, from a bracket string or from such tuples; ``place`` is for messages.

    >>> nest_tree("(NP (DT the) (NN dog))", "question 1")
    ('NP', ('DT', 'the'), ('NN', 'dog'))
    """
    if isinstance(tree, tuple):
        return tree
    try:
        trees = Trees.from_items([tree])
    except InputError as error:
        where = f"{place}: {error.column}" if error.column else place
        raise InputError(f"{where}: {error.reason}") from None
    if not len(trees.labels):
        return ("", "")

    def build(node: int) -> NestedTree:
        label = str(trees.vocabulary[trees.labels[node]])
        if not trees.count[node]:
            return label
        return (label, *(build(int(trees.first[node]) + c) for c in range(int(trees.count[node]))))

    found = build(0)
    return found if isinstance(found, tuple) else ("", found)


def list_leaves(tree: NestedTree) -> list[str]:
    """The words of a tree.

    >>> list_leaves(("NP", ("DT", "the"), ("NN", "dog")))
    ['the', 'dog']
    """
    if isinstance(tree, str):
        return [tree] * bool(tree)
    return [leaf for child in tree[1:] for leaf in list_leaves(child)]


@lru_cache(maxsize=65536)
def count_leaves(tree: NestedTree) -> int:
    """How many words a tree has.

    >>> count_leaves(("NP", ("DT", "the"), ("NN", "dog")))
    2
    """
    return 1 if isinstance(tree, str) else sum(map(count_leaves, tree[1:]))


def replace_leaves(tree: NestedTree, words: Iterator[str]) -> NestedTree:
    """The tree with other words.

    >>> replace_leaves(("NP", ("DT", "the"), ("NN", "dog")), iter(["a", "cat"]))
    ('NP', ('DT', 'a'), ('NN', 'cat'))
    """
    if isinstance(tree, str):
        return next(words)
    return (tree[0], *(replace_leaves(child, words) for child in tree[1:]))


def find_smallest_constituent(tree: NestedTree, start: int, end: int, pruned: bool = False) -> NestedTree:
    """The smallest constituent that covers the words from ``start`` to ``end``; ``pruned`` cuts it to these words.

    >>> tree = ("S", ("NP", ("DT", "the"), ("NN", "dog")), ("VP", ("VBZ", "runs"), ("RB", "fast")))
    >>> find_smallest_constituent(tree, 0, 2)
    ('NP', ('DT', 'the'), ('NN', 'dog'))
    >>> find_smallest_constituent(tree, 1, 3, pruned=True)
    ('S', ('NP', ('NN', 'dog')), ('VP', ('VBZ', 'runs')))
    """
    node, place = find_covering_node(tree, start, end)
    return _prune(node, place, start, end) if pruned else node


def find_covering_node(tree: NestedTree, start: int, end: int) -> tuple[NestedTree, int]:
    """The smallest constituent over some words, and the word with which it begins.

    >>> find_covering_node(("S", ("NP", "dogs"), ("VP", "run")), 1, 2)
    (('VP', 'run'), 1)
    """
    begin = 0
    while True:
        at = begin
        for child in tree[1:]:
            size = count_leaves(child)
            if at <= start and end <= at + size and not isinstance(child, str):
                tree, begin = child, at
                break
            at += size
        else:
            return tree, begin


def _prune(tree: NestedTree, begin: int, start: int, end: int) -> NestedTree:
    """The tree without the words outside ``start`` to ``end``."""
    if isinstance(tree, str):
        return tree
    inside = []
    at = begin
    for child in tree[1:]:
        size = count_leaves(child)
        if at < end and start < at + size:
            inside.append(_prune(child, at, start, end))
        at += size
    return (tree[0], *inside)
