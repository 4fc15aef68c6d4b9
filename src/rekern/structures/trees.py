"""A corpus of trees as flat arrays: labels interned once, nodes breadth-first, so that children lie side by side.

>>> trees = Trees.from_items(["(S (NP (DT the) (NN dog)) (VP barks))", "(NP (DT the))"])
>>> trees
Trees(2 trees, 11 nodes, 8 labels)
>>> [trees.vocabulary[label] for label in trees.labels[:3]], trees.first[:2].tolist(), trees.count[:2].tolist()
(['S', 'NP', 'VP'], [1, 3], [2, 2])
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from rekern.core.compiling import compiled
from rekern.errors import InputError
from rekern.structures.formats.brackets import intern, locate_fault, scan
from rekern.structures.pairs import as_texts
from rekern.structures.tokens import in_words, positions

__all__ = ["TreeArrays", "Trees"]


class TreeArrays(NamedTuple):
    """What the compiled cores see of a corpus of trees.

    >>> Trees.from_items(["(A b)"]).arrays.counts.tolist()
    [1, 0]
    """

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


@compiled
def _kept(parents, count, unwanted):
    """The nodes that stay when some are taken away, with all below them and all phrases that keep no leaf."""
    under = unwanted.copy()
    for node in range(len(parents)):
        if parents[node] >= 0 and under[parents[node]]:
            under[node] = True
    kept = np.zeros(len(parents), np.bool_)
    for node in range(len(parents) - 1, -1, -1):
        if count[node] == 0 and not under[node]:
            kept[node] = True
        if kept[node] and parents[node] >= 0:
            kept[parents[node]] = True
    return kept


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

        A tree may also be a nested tuple, (label, child, …), in which a leaf is a str.

        >>> Trees.from_items([("S", ("NP", "he"), ("VP", "runs"))])[0]
        '(S (NP he) (VP runs))'
        >>> Trees.from_items(["(A b)", "(A (b)"])
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: row 1, line 1, column 1: this bracket is never closed
        """
        if isinstance(X, Trees):
            return X
        texts = as_texts(X)
        nested = [row for row, item in enumerate(texts) if type(item) is tuple]
        if nested:
            return _with_nested(texts, nested)
        for row, text in enumerate(texts):
            if not isinstance(text, str):
                reason = f"the tree is {in_words(text)}; give it in brackets, as in (S (NP ...))"
                raise InputError(reason, row=row)
            if "\0" in text:
                raise InputError("a tree holds the character NUL; remove it", row=row)
        if not texts:
            nothing = np.empty(0, np.int32)
            return cls(nothing, nothing, nothing, np.zeros(1, np.int64), [])
        raw = ("\0".join(texts) + "\0").encode("utf-8", "surrogatepass")
        text = np.frombuffer(raw, np.uint8)
        bounds = np.concatenate([np.zeros(1, np.int64), np.flatnonzero(text == 0) + 1])
        nodes, (kind, row, place) = scan(text, bounds, False, False)
        if kind:
            begin = int(bounds[row])
            raise locate_fault(raw[begin:], kind, place - begin, row)
        return cls._from_scan(raw, text, nodes)

    @classmethod
    def from_brackets(cls, text: str | Iterable[str], backslashes: bool = False) -> "Trees":
        """The trees in a text or in its lines: one a line, or each over several lines.

        With ``backslashes`` a bracket after a backslash belongs to the label, as in ``(-LRB- \\()``.

        >>> Trees.from_brackets("(A b)\\n( (S (NP x)\\n     (VP y)) )\\n")[1]
        '(S (NP x) (VP y))'
        """
        whole = text if isinstance(text, str) else "\n".join(line.rstrip("\n") for line in text)
        raw = whole.encode("utf-8", "surrogatepass")
        array = np.frombuffer(raw, np.uint8)
        nodes, (kind, _, place) = scan(array, np.array([0, len(raw)], np.int64), True, backslashes)
        if kind:
            raise locate_fault(raw, kind, place)
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
            reason = "not a tree; every node but one root needs a parent, and there is no cycle"
            raise InputError(reason, row=int(wrong))
        return cls(np.asarray(labels, np.int32)[order], first, count, offsets, vocabulary)

    @classmethod
    def concatenated(cls, corpora: "Sequence[Trees]") -> "Trees":
        """The trees of several corpora, one after another, with one vocabulary.

        >>> list(Trees.concatenated([Trees.from_items(["(A b)"]), Trees.from_items(["(B a)", "()"])]))
        ['(A b)', '(B a)', '()']
        """
        if not corpora:
            return cls.from_items([])
        alike = [corpora[0]]
        for trees in corpora[1:]:
            alike.append(trees.numbered_as(alike[-1]))
        sizes = np.array([len(trees.labels) for trees in alike])
        begins = np.cumsum(sizes) - sizes
        first = [trees.first + np.int32(begin) for trees, begin in zip(alike, begins)]
        offsets = [np.zeros(1, np.int64), *(trees.offsets[1:] + begin for trees, begin in zip(alike, begins))]
        labels = np.concatenate([trees.labels for trees in alike])
        count = np.concatenate([trees.count for trees in alike])
        return cls(labels, np.concatenate(first), count, np.concatenate(offsets), alike[-1].vocabulary)

    @property
    def parents(self) -> np.ndarray:
        """The number of every node's parent in the corpus, -1 for a root.

        >>> Trees.from_items(["(A (b c) (d))"]).parents.tolist()
        [-1, 0, 0, 1]
        """
        found = np.full(len(self.labels), -1, np.int64)
        below = np.ones(len(self.labels), bool)
        below[self.offsets[:-1][np.diff(self.offsets) > 0]] = False
        found[below] = np.repeat(np.arange(len(self.labels)), self.count)
        return found

    def without(self, unwanted: np.ndarray) -> "Trees":
        """The trees without the nodes where this mask is true, nor what is below them, nor phrases left without a word.

        >>> trees = Trees.from_items(["(A (b c) (d e))"])
        >>> trees.without(np.array([False, False, False, True, False]))[0]
        '(A (d e))'
        """
        kept = _kept(self.parents, self.count, np.asarray(unwanted, bool))
        numbers = np.cumsum(kept) - 1
        parents = self.parents[kept]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])[self.offsets]
        above = np.where(parents < 0, -1, numbers[parents])
        return Trees.from_parents(above, self.labels[kept], offsets, self.vocabulary)

    def relabelled(
        self, inner: Callable[[str], str] | None = None, leaf: Callable[[str], str] | None = None
    ) -> "Trees":
        """The same trees with other labels: what the functions make of them, for nodes with children and for leaves.

        >>> Trees.from_items(["(NP-SBJ (NN Dog-1))"]).relabelled(inner=lambda label: label.split("-")[0])[0]
        '(NP (NN Dog-1))'
        """
        numbers: dict[str, int] = {}
        labels = self.labels.copy()
        for function, chosen in ((inner, self.count > 0), (leaf, self.count == 0)):
            used = np.flatnonzero(np.bincount(self.labels[chosen], minlength=len(self.vocabulary)))
            new = np.zeros(len(self.vocabulary), np.int32)
            for number in used.tolist():
                label = self.vocabulary[number]
                new[number] = numbers.setdefault(label if function is None else function(label), len(numbers))
            labels[chosen] = new[self.labels[chosen]]
        return Trees(labels, self.first, self.count, self.offsets, list(numbers))

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
        if not -len(self) <= index < len(self):
            raise IndexError(f"tree {index} of {len(self)}")
        return self.written(index)

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

    def written(self, tree: int, style: str = "penn") -> str:
        """One tree in brackets, in a style: ``"penn"``, ``"pretty"``, or ``"kelp"`` (no blanks, brackets around words).

        Brackets and blanks in a label would break the tree: they are written ``-LRB-``, ``-RRB-`` and ``_``.

        >>> trees = Trees.from_items([("S", ("NP", ("PRP", "he")), ("VP", ("VBZ", "runs"), ("-RRB-", ")")))])
        >>> trees.written(0, "kelp")
        '(S(NP(PRP(he)))(VP(VBZ(runs))(-RRB-(-RRB-))))'
        >>> print(trees.written(0, "pretty"))
        (S
          (NP (PRP he))
          (VP (VBZ runs) (-RRB- -RRB-)))
        """
        if style not in ("penn", "kelp", "pretty"):
            raise InputError(f"style={style!r}: give 'penn', 'kelp' or 'pretty'")
        tree = range(len(self))[tree]
        begin, end = self.offsets[tree], self.offsets[tree + 1]
        if begin == end:
            return "()"
        first, count = self.first[begin:end] - begin, self.count[begin:end]
        labels = [_safe(self.vocabulary[label]) for label in self.labels[begin:end].tolist()]
        return _bracketed(labels, first.tolist(), count.tolist(), style)


_UNSAFE = re.compile(r"[()\x00-\x20]")


def _safe(label: str) -> str:
    """A label that can stand in brackets."""
    if label and not _UNSAFE.search(label):
        return label
    return _UNSAFE.sub("_", label.replace("(", "-LRB-").replace(")", "-RRB-")) or "_"


def _bracketed(labels: list[str], first: list[int], count: list[int], style: str) -> str:
    pieces: list[str] = []
    todo: list[tuple[int, int] | str] = [(0, 0)]
    blank = "" if style == "kelp" else " "
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        node, depth = item
        below = range(first[node], first[node] + count[node])
        if not below:
            pieces.append(f"({labels[node]})")
        elif len(below) == 1 and not count[below[0]] and style != "kelp":
            pieces.append(f"({labels[node]} {labels[below[0]]})")
        else:
            pieces.append(f"({labels[node]}")
            todo.append(")")
            phrases = style == "pretty" and any(count[grandchild] for grandchild in _grandchildren(below, first, count))
            for child in reversed(below):
                todo.append((child, depth + 1))
                todo.append("\n" + "  " * (depth + 1) if phrases else blank)
    return "".join(pieces)


def _grandchildren(below: range, first: list[int], count: list[int]) -> range:
    """The children of neighbouring nodes: neighbours too."""
    return range(first[below[0]], first[below[-1]] + count[below[-1]])


def _with_nested(items: list, nested: list[int]) -> Trees:
    """The trees of a list in which the items with these numbers are nested tuples, and the others in brackets."""
    numbers: dict[str, int] = {}
    parents: list[int] = []
    labels: list[int] = []
    offsets = [0]
    for row in nested:
        todo: list[tuple[Any, int]] = [(items[row], -1)] if items[row] else []
        while todo:
            item, parent = todo.pop()
            children = item[1:] if type(item) is tuple else ()
            label = item[0] if type(item) is tuple and item else item
            fault = _label_fault(label)
            if fault:
                raise InputError(f"{fault}; a nested tree is (label, child, ...), every leaf a str", row=row)
            parents.append(parent)
            todo += [(child, len(labels)) for child in reversed(children)]
            labels.append(numbers.setdefault(str(label), len(numbers)))
        offsets.append(len(labels))
    tuples = Trees.from_parents(np.array(parents, np.int64), np.array(labels), np.array(offsets), list(numbers))
    chosen = set(nested)
    brackets = Trees.from_items(["" if row in chosen else item for row, item in enumerate(items)])
    order = np.arange(len(items))
    order[nested] = len(items) + np.arange(len(nested))
    return Trees.concatenated([brackets, tuples]).take(order)


def _label_fault(label: Any) -> str:
    """Why this can be no label of a tree; empty if it can."""
    if not isinstance(label, str):
        return f"a label is {in_words(label)}"
    if len(label) > 2 and label[0] == "(" and label[-1] == ")":
        return "a label is a tree in brackets (for pairs of trees there are PairSum, SoftPairing and others)"
    if not label or re.search(r"[\x00-\x20]", label):
        return "a label is empty or holds a blank"
    return ""
