"""A corpus of trees as flat arrays: labels interned once, nodes breadth-first, so that children lie side by side.

>>> trees = Trees.from_items(["(S (NP (DT the) (NN dog)) (VP barks))", "(NP (DT the))"])
>>> trees
Trees(2 trees, 11 nodes, 8 labels)
>>> [trees.vocabulary[label] for label in trees.labels[:3]], trees.first[:2].tolist(), trees.count[:2].tolist()
(['S', 'NP', 'VP'], [1, 3], [2, 2])
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from rekern._compile import compiled
from rekern.errors import InputError
from rekern.structures.brackets import intern, raise_fault, scan
from rekern.structures.pairs import as_texts
from rekern.structures.tokens import in_words, positions

__all__ = ["TreeArrays", "Trees"]


class TreeArrays(NamedTuple):
    """What the compiled cores see of a corpus of trees."""

    labels: np.ndarray
    first: np.ndarray
    counts: np.ndarray
    offsets: np.ndarray


@compiled
def _breadth_first(parents, offsets, order, first, count):
    """The breadth-first order of every tree, siblings in the order given; returns the first that is no tree, or -1."""
    child = np.full(len(parents), -1, np.int64)
    sibling = np.full(len(parents), -1, np.int64)
    for tree in range(len(offsets) - 1):
        begin, end = offsets[tree], offsets[tree + 1]
        if begin == end:
            continue
        roots = 0
        for node in range(end - 1, begin - 1, -1):
            parent = parents[node]
            if parent < 0:
                order[begin] = node
                roots += 1
            elif parent < begin or parent >= end:
                return tree
            else:
                sibling[node] = child[parent]
                child[parent] = node
        if roots != 1:
            return tree
        written = begin + 1
        read = begin
        while read < written:
            first[read] = written
            node = child[order[read]]
            while node >= 0:
                order[written] = node
                written += 1
                node = sibling[node]
            count[read] = written - first[read]
            read += 1
        if written != end:  # what a cycle holds is never reached
            return tree
    return -1


class Trees:
    """Trees: node ``i`` has the label ``vocabulary[labels[i]]`` and ``count[i]`` children from ``first[i]``.

    The nodes of tree ``t`` are ``offsets[t]`` … ``offsets[t + 1]``, its root first. A tree may be empty.

    >>> trees = Trees.from_items(["(A (b) (c d))", "()", "(A b)"])
    >>> list(trees), list(trees[1:]), list(trees.take([2, 2]))
    (['(A (b) (c d))', '()', '(A b)'], ['()', '(A b)'], ['(A b)', '(A b)'])
    """

    def __init__(
        self, labels: np.ndarray, first: np.ndarray, count: np.ndarray, offsets: np.ndarray, vocabulary: list[str]
    ):
        self.labels = labels
        self.first = first
        self.count = count
        self.offsets = offsets
        self.vocabulary = vocabulary

    @classmethod
    def from_items(cls, X: Any) -> "Trees":
        """The trees of ``X``: a list or a column of bracket strings; ``X`` itself if it is a ``Trees`` already.

        >>> Trees.from_items(["(A b)", "(A (b)"])
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: row 1, line 1, column 1: this bracket is never closed
        """
        if isinstance(X, Trees):
            return X
        texts = as_texts(X)
        for row, text in enumerate(texts):
            if not isinstance(text, str):
                raise InputError(f"row {row}: the tree is {in_words(text)}; give it in brackets, as in (S (NP ...))")
            if "\0" in text:
                raise InputError(f"row {row}: a tree holds the character NUL; remove it")
        if not texts:
            nothing = np.empty(0, np.int32)
            return cls(nothing, nothing, nothing, np.zeros(1, np.int64), [])
        raw = ("\0".join(texts) + "\0").encode("utf-8", "surrogatepass")
        text = np.frombuffer(raw, np.uint8)
        bounds = np.concatenate([np.zeros(1, np.int64), np.flatnonzero(text == 0) + 1])
        nodes, (kind, row, place) = scan(text, bounds, False)
        if kind:
            begin = int(bounds[row])
            raise_fault(raw[begin:], kind, place - begin, f"row {row}")
        return cls._from_scan(raw, text, nodes)

    @classmethod
    def from_brackets(cls, text: str | Iterable[str]) -> "Trees":
        """The trees in a text or in its lines: one a line, or each over several lines.

        >>> Trees.from_brackets("(A b)\\n( (S (NP x)\\n     (VP y)) )\\n")[1]
        '(S (NP x) (VP y))'
        """
        whole = text if isinstance(text, str) else "\n".join(line.rstrip("\n") for line in text)
        raw = whole.encode("utf-8", "surrogatepass")
        array = np.frombuffer(raw, np.uint8)
        nodes, (kind, _, place) = scan(array, np.array([0, len(raw)], np.int64), True)
        if kind:
            raise_fault(raw, kind, place, "")
        return cls._from_scan(raw, array, nodes)

    @classmethod
    def _from_scan(cls, raw: bytes, text: np.ndarray, nodes: Any) -> "Trees":
        numbers, first = intern(text, nodes.starts, nodes.ends)
        vocabulary = [
            raw[start:end].decode("utf-8", "surrogatepass")
            for start, end in zip(nodes.starts[first].tolist(), nodes.ends[first].tolist())
        ]
        return cls.from_parents(nodes.parents, numbers, nodes.offsets, vocabulary)

    @classmethod
    def from_parents(
        cls, parents: np.ndarray, labels: np.ndarray, offsets: np.ndarray, vocabulary: list[str]
    ) -> "Trees":
        """The trees whose nodes name their parents (-1 for a root), in any order; siblings keep theirs.

        Tree ``t`` has the nodes ``offsets[t]`` … ``offsets[t + 1]``, and parents are numbered as nodes are.

        >>> Trees.from_parents(np.array([1, -1, 1]), np.array([0, 1, 2]), np.array([0, 3]), ["Chip", "saw", "Dale"])[0]
        '(saw (Chip) (Dale))'
        """
        size = len(parents)
        order, first, count = (np.empty(size, np.int32) for _ in range(3))
        offsets = np.ascontiguousarray(offsets, np.int64)
        wrong = _breadth_first(np.ascontiguousarray(parents, np.int64), offsets, order, first, count)
        if wrong >= 0:
            raise InputError(f"row {wrong}: not a tree; every node but one root needs a parent, and there is no cycle")
        return cls(np.asarray(labels, np.int32)[order], first, count, offsets, vocabulary)

    @property
    def arrays(self) -> TreeArrays:
        """The arrays, for compiled cores."""
        return TreeArrays(self.labels, self.first, self.count, self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> "Trees": ...
    def __getitem__(self, index: int | slice) -> "str | Trees":
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return self.take(np.arange(start, stop, step))
            offsets = self.offsets[start : max(start, stop) + 1]
            part = slice(offsets[0], offsets[-1])
            first = self.first[part] - np.int32(offsets[0])
            return Trees(self.labels[part], first, self.count[part], offsets - offsets[0], self.vocabulary)
        n = len(self)
        if not -n <= index < n:
            raise IndexError(f"tree {index} of {n}")
        return self._written(int(index) % n)

    def __iter__(self) -> Iterator[str]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"Trees({len(self):,} trees, {len(self.labels):,} nodes, {len(self.vocabulary):,} labels)"

    def take(self, indices: Sequence[int] | np.ndarray) -> "Trees":
        """The trees with these numbers (or where this mask is true), in this order; the vocabulary is shared.

        >>> Trees.from_items(["(A b)", "(C d)"]).take([-1])[0]
        '(C d)'
        """
        chosen = positions(indices, len(self))
        sizes = np.diff(self.offsets)[chosen]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        shift = np.repeat(self.offsets[chosen] - offsets[:-1], sizes)
        places = np.arange(offsets[-1]) + shift
        first = (self.first[places] - shift).astype(np.int32)
        return Trees(self.labels[places], first, self.count[places], offsets, self.vocabulary)

    def numbered_as(self, other: "Trees") -> "Trees":
        """These trees with the labels numbered as in another corpus, new ones behind; the vocabulary is the longer one.

        >>> Trees.from_items(["(B c)"]).numbered_as(Trees.from_items(["(A b)"])).vocabulary
        ['A', 'b', 'B', 'c']
        """
        if self.vocabulary is other.vocabulary:
            return self
        numbers = {label: number for number, label in enumerate(other.vocabulary)}
        place = np.array([numbers.setdefault(label, len(numbers)) for label in self.vocabulary], np.int32)
        labels = place[self.labels] if len(place) else self.labels
        return Trees(labels, self.first, self.count, self.offsets, list(numbers))

    def _written(self, tree: int) -> str:
        """One tree in brackets; an only child that is a leaf stands bare, as words do in a treebank."""
        begin, end = self.offsets[tree], self.offsets[tree + 1]
        if begin == end:
            return "()"
        pieces: list[str] = []
        todo: list[int | str] = [int(begin)]
        while todo:
            node = todo.pop()
            if isinstance(node, str):
                pieces.append(node)
                continue
            label = self.vocabulary[self.labels[node]]
            first, count = int(self.first[node]), int(self.count[node])
            if count == 1 and self.count[first] == 0:
                pieces.append(f"({label} {self.vocabulary[self.labels[first]]})")
            elif count == 0:
                pieces.append(f"({label})")
            else:
                pieces.append(f"({label}")
                todo.append(")")
                for child in range(first + count - 1, first - 1, -1):
                    todo.append(child)
                    todo.append(" ")
        return "".join(pieces)
