"""Sentences as the kernels on substrings see them: words, heads and trees as numbers in flat arrays."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from rekern.core.arrays import Ints, SmallInts, offsets_of
from rekern.errors import InputError

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


class TreeArrays(NamedTuple):
    """The nodes of all trees, children before their parents, as `rekern.krisp.substring_core.tree_gram` needs them.

    ``shapes`` are the numbers of their productions (-1 for a word). The children of node x are
    ``children[child_offsets[x]:child_offsets[x + 1]]``, counted within the sentence, and the nodes of sentence s are
    those from ``offsets[s]`` to ``offsets[s + 1]``.
    """

    shapes: SmallInts
    child_offsets: Ints
    children: SmallInts
    offsets: Ints


class _TreeNumbers(NamedTuple):
    """The nodes of the trees of one sentence."""

    shapes: SmallInts
    counts: SmallInts
    children: SmallInts
    constituents: SmallInts  # the roots of the trees of the substrings: [start, end - 1]
    pruned: SmallInts


class _SentenceNumbers(NamedTuple):
    """One sentence as arrays."""

    words: SmallInts
    heads: SmallInts | None
    tree: _TreeNumbers | None


class SentenceCorpus:
    """Sentences as arrays, with one numbering of words and of productions of trees.

    >>> corpus = SentenceCorpus([AnnotatedSentence(("a", "b")), AnnotatedSentence(("b", "c"))])
    >>> corpus.words.tolist(), corpus.offsets.tolist()
    ([0, 1, 1, 2], [0, 2, 4])
    >>> corpus.extend([AnnotatedSentence(("c", "new"))]).words.tolist()  # unknown words have numbers below 0
    [0, 1, 1, 2, 2, -1]
    """

    def __init__(self, sentences: Iterable[AnnotatedSentence]):
        self.sentences = list(sentences)
        self._numbering = _Numbering()
        self._numbers = [_encode(sentence, self._numbering) for sentence in self.sentences]
        self._before: SentenceCorpus | None = None  # the sentences that come before those of ``_numbers``
        self._joined: dict[str, SmallInts] = {}

    def __len__(self) -> int:
        return len(self.sentences)

    def extend(self, sentences: Iterable[AnnotatedSentence]) -> SentenceCorpus:
        """A corpus with more sentences at the end; the numbers of the words and productions stay the same."""
        extended = SentenceCorpus([])
        new = list(sentences)
        extended.sentences = self.sentences + new
        extended._numbering, extended._before = self._numbering, self
        unknown = self._numbering.freeze()
        extended._numbers = [_encode(sentence, unknown) for sentence in new]
        return extended

    @property
    def words(self) -> SmallInts:
        """The numbers of all words, sentence after sentence."""
        return self._join("words", lambda numbers: numbers.words)

    @property
    def heads(self) -> SmallInts:
        """The places of the heads of all words, counted in their sentences."""
        return self._join("heads", lambda numbers: numbers.heads, "dependency")

    @property
    def offsets(self) -> Ints:
        """Where the words of each sentence begin."""
        return offsets_of(self._join("lengths", lambda numbers: np.array([len(numbers.words)], np.int32)))

    @property
    def trees(self) -> TreeArrays:
        """The nodes of all trees."""
        return TreeArrays(
            self._join_trees("shapes", lambda tree: tree.shapes),
            offsets_of(self._join_trees("counts", lambda tree: tree.counts)),
            self._join_trees("children", lambda tree: tree.children),
            offsets_of(self._join_trees("sizes", lambda tree: np.array([len(tree.shapes)], np.int32))),
        )

    def find_roots(self, spans: Ints, pruned: bool) -> Ints:
        """The roots of the trees of substrings (sentence, start, end), as places among the nodes of their sentences."""
        if pruned:
            roots = self._join_trees("pruned", lambda tree: tree.pruned.ravel())
        else:
            roots = self._join_trees("constituents", lambda tree: tree.constituents.ravel())
        lengths = np.diff(self.offsets)
        first = offsets_of(lengths * lengths)
        sentences, starts, ends = spans.T
        found: Ints = roots[first[sentences] + starts * lengths[sentences] + ends - 1].astype(np.int64)
        return found

    def _join(self, name: str, select: Callable[[_SentenceNumbers], SmallInts | None], kind: str = "") -> SmallInts:
        """The arrays of all sentences, one after the other; those of earlier sentences are joined only once."""
        if name not in self._joined:
            before = self._before
            parts = [] if before is None else [before._join(name, select, kind)]
            for place, numbers in enumerate(self._numbers, 0 if before is None else len(before)):
                part = select(numbers)
                if part is None:
                    reason = f"sentence {place} has no {kind} tree, which this kernel needs"
                    raise InputError(f'{reason}: give trees, a parser, or choose kernel="word"')
                parts.append(part)
            self._joined[name] = np.concatenate(parts) if parts else np.zeros(0, np.int32)
        return self._joined[name]

    def _join_trees(self, name: str, select: Callable[[_TreeNumbers], SmallInts]) -> SmallInts:
        return self._join(
            name, lambda numbers: None if numbers.tree is None else select(numbers.tree), kind="constituent"
        )


class _Numbering:
    """The numbers of words and of productions of trees."""

    def __init__(self) -> None:
        self._words: dict[str, int] = {}
        self._shapes: dict[Hashable, int] = {}

    def number_word(self, word: str) -> int:
        return self._words.setdefault(word, len(self._words))

    def number_shape(self, shape: Hashable) -> int:
        return self._shapes.setdefault(shape, len(self._shapes))

    def freeze(self) -> _FrozenNumbering:
        return _FrozenNumbering(self._words, self._shapes)


class _FrozenNumbering:
    """A numbering that does not grow: what it does not know has a number below 0 (a word from -1, a shape from -2)."""

    def __init__(self, words: dict[str, int], shapes: dict[Hashable, int]):
        self._known = words, shapes
        self._unknown_words: dict[str, int] = {}
        self._unknown_shapes: dict[Hashable, int] = {}

    def number_word(self, word: str) -> int:
        known, unknown = self._known[0], self._unknown_words
        return known[word] if word in known else unknown.setdefault(word, -1 - len(unknown))

    def number_shape(self, shape: Hashable) -> int:
        known, unknown = self._known[1], self._unknown_shapes
        return known[shape] if shape in known else unknown.setdefault(shape, -2 - len(unknown))


def _encode(sentence: AnnotatedSentence, numbering: _Numbering | _FrozenNumbering) -> _SentenceNumbers:
    """The arrays of one sentence."""
    words = np.array([numbering.number_word(word) for word in sentence.words], dtype=np.int32)
    heads = None if sentence.heads is None else _check_heads(sentence.heads, sentence.words)
    if sentence.tree is None:
        return _SentenceNumbers(words, heads, None)
    tree = _measure_tree(sentence.tree, 0)
    size = tree.end if sentence.words else 0
    if size != len(sentence.words):
        text = " ".join(sentence.words)[:60]
        raise InputError(f"the tree of {text!r} has {size} leaves for {len(sentence.words)} words")
    nodes = _SharedNodes(numbering.number_shape)
    roots = np.full((2, size, size), -1, dtype=np.int32)
    for start in range(size):
        for end in range(start + 1, size + 1):
            node = tree.find_smallest(start, end)
            roots[0, start, end - 1] = nodes.add(node, node.begin, node.end)
            roots[1, start, end - 1] = nodes.add(node, start, end)
    counts = np.array([len(below) for below in nodes.children], dtype=np.int32)
    children = np.array([child for below in nodes.children for child in below], dtype=np.int32)
    shapes = np.array(nodes.shapes, dtype=np.int32)
    return _SentenceNumbers(words, heads, _TreeNumbers(shapes, counts, children, roots[0], roots[1]))


def _check_heads(heads: Sequence[int], words: Sequence[str]) -> SmallInts:
    """The heads of words as an array; compiled code follows them, so they must form one tree."""
    is_tree = len(heads) == len(words) and all(-1 <= head < len(words) for head in heads)
    if is_tree and len(words):
        # From the root down: what is not reached is part of a cycle, or below a second root.
        below: list[list[int]] = [[] for _ in words]
        for place, head in enumerate(heads):
            if head >= 0:
                below[head].append(place)
        reached = [place for place, head in enumerate(heads) if head == -1]
        is_tree = len(reached) == 1
        for place in reached:
            reached += below[place]
        is_tree = is_tree and len(reached) == len(words)
    if not is_tree:
        text = " ".join(words)[:60]
        raise InputError(f"the heads of {text!r} are no tree: one word has the head -1, all others lead up to it")
    return np.array(heads, dtype=np.int32)


class _MeasuredTree(NamedTuple):
    """A node of a tree, or a word, with the words from ``begin`` to ``end`` that it covers."""

    label: str
    is_word: bool
    begin: int
    end: int
    children: tuple[_MeasuredTree, ...]

    def find_smallest(self, start: int, end: int) -> _MeasuredTree:
        """The smallest constituent over some words."""
        for child in self.children:
            if child.begin <= start and end <= child.end and not child.is_word:
                return child.find_smallest(start, end)
        return self


def _measure_tree(tree: NestedTree, begin: int) -> _MeasuredTree:
    if isinstance(tree, str):
        return _MeasuredTree(tree, True, begin, begin + 1, ())
    children = []
    end = begin
    for child in tree[1:]:
        children.append(_measure_tree(child, end))
        end = children[-1].end
    return _MeasuredTree(str(tree[0]), False, begin, end, tuple(children))


class _SharedNodes:
    """The nodes of a tree, whole and cut to the words of each substring; equal ones are stored once, children first."""

    def __init__(self, number_shape: Callable[[Hashable], int]):
        self.shapes: list[int] = []
        self.children: list[list[int]] = []
        self._number_shape = number_shape
        self._known: dict[tuple[int, int, int], int] = {}

    def add(self, node: _MeasuredTree, start: int, end: int) -> int:
        """Add a node, cut to the words from ``start`` to ``end``; return its place."""
        start, end = max(start, node.begin), min(end, node.end)
        key = (id(node), start, end)
        place = self._known.get(key)
        if place is None:
            inside = [child for child in node.children if child.begin < end and start < child.end]
            below = [self.add(child, start, end) for child in inside]
            labels = [(child.label, child.is_word) for child in inside]
            self.shapes.append(-1 if node.is_word else self._number_shape((node.label, *labels)))
            self.children.append(below)
            place = self._known[key] = len(self.shapes) - 1
        return place
