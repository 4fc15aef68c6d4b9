"""A corpus of trees as flat arrays.

Labels are numbered once for the corpus. Nodes are in breadth-first order, so that the children of a node adjoin.

>>> trees = Trees.from_items(["(S (NP (DT the) (NN dog)) (VP barks))", "(NP (DT the))"])
>>> trees
Trees(2 trees, 11 nodes, 8 labels)
>>> [trees.vocabulary[label] for label in trees.labels[:3]], trees.first[:2].tolist(), trees.count[:2].tolist()
(['S', 'NP', 'VP'], [1, 3], [2, 2])
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, overload

import numpy as np

from rekern.core.arrays import (
    Booleans,
    Bytes,
    Ints,
    RowIndices,
    SmallInts,
    offsets_of,
    resolve_rows,
    slice_ragged,
    take_ragged,
)
from rekern.core.messages import name_value
from rekern.core.parameters import check_choice
from rekern.drawing import draw_tree_items
from rekern.errors import InputError
from rekern.structures.formats.brackets import Scan, escape_label, format_tree, locate_fault, scan
from rekern.structures.formats.brackets_core import number_labels
from rekern.structures.nltk_and_spacy_items import convert_trees
from rekern.structures.pairs import as_texts
from rekern.structures.tree_core import find_kept, sort_breadth_first

__all__ = ["TreeArrays", "Trees"]

SHOWN_TREES = 3  # in a notebook


class TreeArrays(NamedTuple):
    """The arrays of a corpus of trees, for compiled functions.

    >>> Trees.from_items(["(A b)"]).arrays.counts.tolist()
    [1, 0]
    """

    labels: SmallInts
    first: SmallInts
    counts: SmallInts
    offsets: Ints


class Trees:
    """Trees: node ``i`` has the label ``vocabulary[labels[i]]``, and ``count[i]`` children from ``first[i]``

    The nodes of tree ``t`` are ``offsets[t]`` to ``offsets[t + 1] - 1``, its root first. A tree may be empty.

    >>> trees = Trees.from_items(["(A (b) (c d))", "()", "(A b)"])
    >>> list(trees), list(trees[1:]), list(trees.take([2, 2]))
    (['(A (b) (c d))', '()', '(A b)'], ['()', '(A b)'], ['(A b)', '(A b)'])
    """

    def __init__(self, labels: SmallInts, first: SmallInts, count: SmallInts, offsets: Ints, vocabulary: list[str]):
        self.labels = labels
        self.first = first
        self.count = count
        self.offsets = offsets
        self.vocabulary = vocabulary

    @classmethod
    def from_items(cls, X: object) -> "Trees":
        """Read the trees of ``X``, a list or a column of bracket strings; a ``Trees`` is returned unchanged.

        A tree may also be a nested tuple, (label, child, …), in which a leaf is a str; a tree of NLTK; or a document of
        spaCy, whose words become a tree by their dependencies.

        >>> Trees.from_items([("S", ("NP", "he"), ("VP", "runs"))])[0]
        '(S (NP he) (VP runs))'
        >>> Trees.from_items(["(A b)", "(A (b)"])
        Traceback (most recent call last):
        ...
        rekern.structures.formats.brackets.BracketError: row 1, line 1, column 1: this bracket is never closed
        """
        if isinstance(X, Trees):
            return X
        texts = as_texts(X)
        if set(map(type, texts)) - {str}:  # most lists have nothing else, and are read faster without a look at each
            texts = convert_trees(texts)
            nested = [row for row, item in enumerate(texts) if type(item) is tuple]
            if nested:
                return _read_nested(texts, nested)
            for row, text in enumerate(texts):
                if not isinstance(text, str):
                    reason = f"the tree is {name_value(text)}; give it in brackets, as in (S (NP ...))"
                    raise InputError(reason, row=row)
        if not texts:
            nothing = np.empty(0, np.int32)
            return cls(nothing, nothing, nothing, np.zeros(1, np.int64), [])
        raw = ("\0".join(texts) + "\0").encode("utf-8", "surrogatepass")
        if raw.count(0) > len(texts):
            row = next(row for row, text in enumerate(texts) if "\0" in text)
            raise InputError("a tree holds the character NUL; remove it", row=row)
        text = np.frombuffer(raw, np.uint8)
        bounds = np.concatenate([np.zeros(1, np.int64), np.flatnonzero(text == 0) + 1])
        nodes, fault = scan(text, bounds, many=False)
        if fault.kind:
            begin = int(bounds[fault.item])
            raise locate_fault(raw[begin:], fault.kind, fault.position - begin, fault.item)
        return cls._from_scan(raw, text, nodes)

    @classmethod
    def from_brackets(cls, text: str | Iterable[str], backslashes: bool = False) -> "Trees":
        """Read the trees in a text or in its lines, one a line or each over several lines.

        With ``backslashes`` a bracket after a backslash belongs to the label, as in ``(-LRB- \\()``.

        >>> Trees.from_brackets("(A b)\\n( (S (NP x)\\n     (VP y)) )\\n")[1]
        '(S (NP x) (VP y))'
        """
        whole = text if isinstance(text, str) else "\n".join(line.rstrip("\n") for line in text)
        raw = whole.encode("utf-8", "surrogatepass")
        array = np.frombuffer(raw, np.uint8)
        nodes, fault = scan(array, np.array([0, len(raw)], np.int64), many=True, escapes=backslashes)
        if fault.kind:
            raise locate_fault(raw, fault.kind, fault.position)
        return cls._from_scan(raw, array, nodes)

    @classmethod
    def _from_scan(cls, raw: bytes, text: Bytes, nodes: Scan) -> "Trees":
        numbers, first = number_labels(text, nodes.starts, nodes.ends)
        vocabulary = [
            raw[start:end].decode("utf-8", "surrogatepass")
            for start, end in zip(nodes.starts[first].tolist(), nodes.ends[first].tolist())
        ]
        return cls.from_parents(nodes.parents, numbers, nodes.offsets, vocabulary)

    @classmethod
    def from_parents(cls, parents: Ints, labels: Ints | SmallInts, offsets: Ints, vocabulary: list[str]) -> "Trees":
        """Make trees from the parent of every node (-1 for a root); nodes may come in any order, siblings keep theirs.

        Tree ``t`` has the nodes ``offsets[t]`` to ``offsets[t + 1] - 1``; parents are numbered in the same way.

        >>> Trees.from_parents(np.array([1, -1, 1]), np.array([0, 1, 2]), np.array([0, 3]), ["Chip", "saw", "Dale"])[0]
        '(saw (Chip) (Dale))'
        """
        size = len(parents)
        order, first, count = (np.empty(size, np.int32) for _ in range(3))
        offsets = np.ascontiguousarray(offsets, np.int64)
        wrong = sort_breadth_first(np.ascontiguousarray(parents, np.int64), offsets, order, first, count)
        if wrong >= 0:
            reason = "not a tree; every node but one root needs a parent, and there is no cycle"
            raise InputError(reason, row=int(wrong))
        return cls(np.asarray(labels, np.int32)[order], first, count, offsets, vocabulary)

    @classmethod
    def concatenated(cls, corpora: "Sequence[Trees]") -> "Trees":
        """Return the trees of several corpora, one after another, with one vocabulary.

        >>> list(Trees.concatenated([Trees.from_items(["(A b)"]), Trees.from_items(["(B a)", "()"])]))
        ['(A b)', '(B a)', '()']
        """
        if not corpora:
            return cls.from_items([])
        parts = [corpora[0]]
        for trees in corpora[1:]:
            parts.append(trees.renumber_like(parts[-1]))
        begins = offsets_of([len(trees.labels) for trees in parts])
        first = [trees.first + np.int32(begin) for trees, begin in zip(parts, begins)]
        offsets = [np.zeros(1, np.int64), *(trees.offsets[1:] + begin for trees, begin in zip(parts, begins))]
        labels = np.concatenate([trees.labels for trees in parts])
        count = np.concatenate([trees.count for trees in parts])
        return cls(labels, np.concatenate(first), count, np.concatenate(offsets), parts[-1].vocabulary)

    @property
    def parents(self) -> Ints:
        """The parent of every node, numbered in the corpus; -1 for a root.

        >>> Trees.from_items(["(A (b c) (d))"]).parents.tolist()
        [-1, 0, 0, 1]
        """
        found = np.full(len(self.labels), -1, np.int64)
        below = np.ones(len(self.labels), bool)
        below[self.offsets[:-1][np.diff(self.offsets) > 0]] = False
        found[below] = np.repeat(np.arange(len(self.labels)), self.count)
        return found

    def without(self, unwanted: Booleans) -> "Trees":
        """Remove the nodes where this mask is true, the nodes below them, and phrases that then have no word.

        >>> trees = Trees.from_items(["(A (b c) (d e))"])
        >>> trees.without(np.array([False, False, False, True, False]))[0]
        '(A (d e))'
        """
        kept = find_kept(self.parents, self.count, np.asarray(unwanted, bool))
        numbers = np.cumsum(kept) - 1
        parents = self.parents[kept]
        offsets = offsets_of(kept)[self.offsets]
        above = np.where(parents < 0, -1, numbers[parents])
        return Trees.from_parents(above, self.labels[kept], offsets, self.vocabulary)

    def relabelled(
        self, inner: Callable[[str], str] | None = None, leaf: Callable[[str], str] | None = None
    ) -> "Trees":
        """Replace labels by what the functions return: ``inner`` for nodes with children, ``leaf`` for leaves.

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
        """The arrays, for compiled functions."""
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
            nodes, offsets = slice_ragged(self.offsets, start, stop)
            first = self.first[nodes] - np.int32(nodes.start)
            return Trees(self.labels[nodes], first, self.count[nodes], offsets, self.vocabulary)
        if not -len(self) <= index < len(self):
            raise IndexError(f"tree {index} of {len(self)}")
        return self.written(index)

    def __iter__(self) -> Iterator[str]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"Trees({len(self):,} trees, {len(self.labels):,} nodes, {len(self.vocabulary):,} labels)"

    def _repr_html_(self) -> str:
        """The first trees, drawn."""
        return draw_tree_items(list(self[:SHOWN_TREES]), repr(self))

    def take(self, indices: RowIndices) -> "Trees":
        """Return the trees with these numbers (or where this mask is true), in this order; the vocabulary is shared.

        >>> Trees.from_items(["(A b)", "(C d)"]).take([-1])[0]
        '(C d)'
        """
        nodes, offsets = take_ragged(self.offsets, resolve_rows(indices, len(self)))
        first = (self.first[nodes] - nodes + np.arange(len(nodes))).astype(np.int32)
        return Trees(self.labels[nodes], first, self.count[nodes], offsets, self.vocabulary)

    def renumber_like(self, other: "Trees") -> "Trees":
        """Number the labels as in another corpus, and new labels after them; the vocabulary has both.

        >>> Trees.from_items(["(B c)"]).renumber_like(Trees.from_items(["(A b)"])).vocabulary
        ['A', 'b', 'B', 'c']
        """
        if self.vocabulary is other.vocabulary:
            return self
        numbers = {label: number for number, label in enumerate(other.vocabulary)}
        place = np.array([numbers.setdefault(label, len(numbers)) for label in self.vocabulary], np.int32)
        labels = place[self.labels] if len(place) else self.labels
        return Trees(labels, self.first, self.count, self.offsets, list(numbers))

    def written(self, tree: int, style: str = "penn") -> str:
        """Write one tree in brackets, in the style ``"penn"``, ``"pretty"`` or ``"kelp"`` (without blanks).

        Brackets and blanks in a label are written ``-LRB-``, ``-RRB-`` and ``_``, because they would end it.

        >>> trees = Trees.from_items([("S", ("NP", ("PRP", "he")), ("VP", ("VBZ", "runs"), ("-RRB-", ")")))])
        >>> trees.written(0, "kelp")
        '(S(NP(PRP(he)))(VP(VBZ(runs))(-RRB-(-RRB-))))'
        >>> print(trees.written(0, "pretty"))
        (S
          (NP (PRP he))
          (VP (VBZ runs) (-RRB- -RRB-)))
        """
        check_choice("style", style, ("penn", "kelp", "pretty"))
        tree = range(len(self))[tree]
        begin, end = self.offsets[tree], self.offsets[tree + 1]
        if begin == end:
            return "()"
        first, count = self.first[begin:end] - begin, self.count[begin:end]
        labels = [escape_label(self.vocabulary[label]) for label in self.labels[begin:end].tolist()]
        return format_tree(labels, first.tolist(), count.tolist(), style)


def _read_nested(items: list[object], nested: list[int]) -> Trees:
    """Read a list in which the items with these numbers are nested tuples, and the others in brackets."""
    numbers: dict[str, int] = {}
    parents: list[int] = []
    labels: list[int] = []
    offsets = [0]
    for row in nested:
        todo: list[tuple[object, int]] = [(items[row], -1)] if items[row] else []
        while todo:
            item, parent = todo.pop()
            children = item[1:] if type(item) is tuple else ()
            label = item[0] if type(item) is tuple and item else item
            fault = _find_label_fault(label)
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


def _find_label_fault(label: object) -> str:
    """Say why this cannot be a label of a tree; return an empty string if it can."""
    if not isinstance(label, str):
        return f"a label is {name_value(label)}"
    if len(label) > 2 and label[0] == "(" and label[-1] == ")":
        return "a label is a tree in brackets (for pairs of trees there are PairSum, SoftPairing and others)"
    if not label or re.search(r"[\x00-\x20]", label):
        return "a label is empty or holds a blank"
    return ""
