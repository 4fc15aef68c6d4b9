"""Kernels on substrings of sentences: common word subsequences, constituents, dependency paths, and any other kernel.

A substring is (sentence, start, end), the end not included. All substrings of two sentences are computed together.

>>> corpus = Corpus([Item(("which", "rivers", "run")), Item(("which", "states", "run"))])
>>> K = WordSubsequences(decay=0.5, normalize=False)
>>> K.gram(corpus, [(0, 0, 3), (0, 1, 3)], [(1, 0, 3), (1, 2, 3)]).tolist()  # which, run, which … run with 1 + 1 gaps
[[2.25, 1.0], [1.0, 1.0]]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from rekern.errors import InputError
from rekern.kernels.gram_plan import inverse_roots
from rekern.kernels.kernel import Kernel

Substring = tuple[int, int, int]


class Item(NamedTuple):
    """A sentence: its words, and where a kernel needs them the heads of its words and its constituent tree.

    ``heads`` has the place of each word's head (-1 for the root); ``tree`` is (label, child, …), a leaf being a word.

    >>> Item(("go",), (-1,), ("S", ("VB", "go"))).words
    ('go',)
    """

    words: tuple[str, ...]
    heads: tuple[int, ...] | None = None
    tree: Any = None


class _Encoded(NamedTuple):
    words: np.ndarray
    heads: np.ndarray | None
    shapes: np.ndarray | None
    counts: np.ndarray | None
    children: np.ndarray | None
    constituents: np.ndarray | None  # the trees of the substrings, as places of their roots: [start, end - 1]
    pruned: np.ndarray | None


class Corpus:
    """Sentences as arrays, with one numbering of words and of productions of trees.

    >>> corpus = Corpus([Item(("a", "b")), Item(("b", "c"))])
    >>> corpus.words.tolist(), corpus.offsets.tolist()
    ([0, 1, 1, 2], [0, 2, 4])
    >>> corpus.extended([Item(("c", "new"))]).words.tolist()  # words never seen have numbers of their own
    [0, 1, 1, 2, 2, -1]
    """

    def __init__(self, items: Iterable[Item]):
        self.items: list[Item] = list(items)
        self._words: dict[str, int] = {}
        self._shapes: dict[Any, int] = {}
        self._encoded = [_encode(item, self._words, self._shapes, True) for item in self.items]
        self._cache: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.items)

    def extended(self, items: Iterable[Item]) -> Corpus:
        """This corpus with further sentences at its end."""
        return self.chosen(range(len(self)), items)

    def chosen(self, places: Iterable[int], items: Iterable[Item] = ()) -> Corpus:
        """Some of the sentences, and further ones."""
        found = Corpus.__new__(Corpus)
        places, items = list(places), list(items)
        found.items = [self.items[place] for place in places] + items
        found._words, found._shapes, found._cache = self._words, self._shapes, {}
        found._encoded = [self._encoded[place] for place in places]
        new: tuple[dict[str, int], dict[Any, int]] = ({}, {})
        found._encoded += [_encode(item, self._words, self._shapes, False, new) for item in items]
        return found

    @property
    def words(self) -> np.ndarray:
        """The numbers of all words, sentence after sentence."""
        return self._joined("words", np.int32)

    @property
    def heads(self) -> np.ndarray:
        """The places of all heads, counted in their sentences."""
        return self._joined("heads", np.int32)

    @property
    def offsets(self) -> np.ndarray:
        """Where the words of each sentence begin."""
        return self._bounds("words")

    @property
    def trees(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """What `rekern.krisp.substring_core.tree_gram` sees of the trees."""
        counts = self._joined("counts", np.int64)
        firsts = np.concatenate([[0], np.cumsum(counts)])
        shapes, children = self._joined("shapes", np.int32), self._joined("children", np.int32)
        return shapes, firsts, children, self._bounds("shapes")

    def roots(self, substrings: np.ndarray, pruned: bool) -> np.ndarray:
        """The trees of substrings, as the places of their roots among the nodes of their sentences."""
        tables = [item.pruned if pruned else item.constituents for item in self._encoded]
        return np.array([tables[s][i, j - 1] for s, i, j in substrings.tolist()], dtype=np.int64)

    def _joined(self, name: str, kind: Any) -> np.ndarray:
        if name not in self._cache:
            parts = [getattr(item, name) for item in self._encoded]
            missing = next((place for place, part in enumerate(parts) if part is None), None)
            if missing is not None:
                what = "dependency" if name == "heads" else "constituent"
                raise InputError(
                    f"sentence {missing} has no {what} tree, which this kernel needs: give trees, a parser, "
                    'or choose kernel="word"'
                )
            self._cache[name] = np.concatenate(parts).astype(kind) if parts else np.zeros(0, kind)
        return self._cache[name]

    def _bounds(self, name: str) -> np.ndarray:
        sizes = [len(getattr(item, name)) for item in self._encoded]
        return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


def _encode(
    item: Item,
    words: dict[str, int],
    shapes: dict[Any, int],
    grow: bool,
    new: tuple[dict[str, int], dict[Any, int]] | None = None,
) -> _Encoded:
    """The arrays of one sentence; what the corpus does not know gets a number below 0, unless the corpus grows."""
    unseen = new or ({}, {})

    def number(key: Any, known: dict[Any, int], fresh: dict[Any, int], first: int) -> int:
        if grow:
            return known.setdefault(key, len(known))
        return known[key] if key in known else fresh.setdefault(key, -first - len(fresh))

    numbers = np.array([number(word, words, unseen[0], 1) for word in item.words], dtype=np.int32)
    heads = None if item.heads is None else np.array(item.heads, dtype=np.int32)
    if item.tree is None:
        return _Encoded(numbers, heads, None, None, None, None, None)
    size = leaves(item.tree) if item.words else 0
    if size != len(item.words):
        raise InputError(f"the tree of {' '.join(item.words)[:60]!r} has {size} leaves for {len(item.words)} words")
    shared = _SharedNodes(lambda key: number(key, shapes, unseen[1], 2))
    tables = np.full((2, size, size), -1, dtype=np.int32)
    for _, start, end in all_substrings(size):
        node, place = _covering(item.tree, start, end)
        tables[0, start, end - 1] = shared.place(node, place, place, place + leaves(node))
        tables[1, start, end - 1] = shared.place(node, place, start, end)
    counts = np.array([len(below) for below in shared.below], dtype=np.int64)
    children = np.array([child for below in shared.below for child in below], dtype=np.int32)
    return _Encoded(numbers, heads, np.array(shared.shapes, dtype=np.int32), counts, children, tables[0], tables[1])


class _SharedNodes:
    """The nodes of a tree, whole and cut to the words of a substring; equal ones are there once, children first."""

    def __init__(self, number: Any):
        self.number = number
        self.shapes: list[int] = []
        self.below: list[list[int]] = []
        self.known: dict[tuple[int, int, int], int] = {}

    def place(self, node: Any, begin: int, start: int, end: int) -> int:
        """The place of a node that begins at word ``begin``, of which the words from ``start`` to ``end`` are kept."""
        start, end = max(start, begin), min(end, begin + leaves(node))
        key = (id(node), start, end) if not isinstance(node, str) else (-1, start, end)
        if key not in self.known:
            below, labels = [], []
            at = begin
            for child in () if isinstance(node, str) else node[1:]:
                size = leaves(child)
                if at < end and start < at + size:
                    below.append(self.place(child, at, start, end))
                    labels.append((child, True) if isinstance(child, str) else (child[0], False))
                at += size
            self.shapes.append(-1 if isinstance(node, str) else self.number((node[0], *labels)))
            self.below.append(below)
            self.known[key] = len(self.shapes) - 1
        return self.known[key]


def all_substrings(words: int, sentence: int = 0) -> list[Substring]:
    """All substrings of a sentence of so many words.

    >>> all_substrings(2)
    [(0, 0, 1), (0, 0, 2), (0, 1, 2)]
    """
    return [(sentence, start, end) for start in range(words) for end in range(start + 1, words + 1)]


class SubstringKernel(BaseEstimator):
    """The base of kernels on substrings: subclasses define ``_fill``, what they need of a sentence, and ``key``."""

    needs = "words"
    normalize = True

    def _fill(self, corpus: Corpus, left: Any, right: Any, A: np.ndarray, B: np.ndarray, out: np.ndarray) -> None:
        raise NotImplementedError

    def key(self, item: Item, start: int, end: int) -> Any:
        """What the values of a substring depend on: substrings with equal keys have equal values."""
        return item.words[start:end]

    def raw(self, corpus: Corpus, A: Sequence[Substring], B: Sequence[Substring]) -> np.ndarray:
        """The values of K for all pairs of substrings, before normalisation."""
        left, right = _grouped(A), _grouped(B)
        out = np.zeros((len(A), len(B)))
        if out.size:
            self._fill(corpus, left[0], right[0], left[2], right[2], out)
        unsorted = np.empty_like(out)
        unsorted[np.ix_(left[1], right[1])] = out
        return unsorted

    def diag(self, corpus: Corpus, A: Sequence[Substring]) -> np.ndarray:
        """K(a, a) for every substring, before normalisation."""
        found = np.zeros(len(A))
        by_sentence: dict[int, list[int]] = {}
        for place, (sentence, _, _) in enumerate(A):
            by_sentence.setdefault(sentence, []).append(place)
        for places in by_sentence.values():
            part = [A[place] for place in places]
            found[places] = np.diag(self.raw(corpus, part, part))
        return found

    def gram(self, corpus: Corpus, A: Sequence[Substring], B: Sequence[Substring]) -> np.ndarray:
        """The matrix of the kernel for all pairs of substrings."""
        values = self.raw(corpus, A, B)
        if self.normalize:
            values *= inverse_roots(self.diag(corpus, A))[:, None]
            values *= inverse_roots(self.diag(corpus, B))
        return values

    def __add__(self, other: Any) -> SubstringKernel:
        return SubstringSum([self, other]) if isinstance(other, SubstringKernel) else NotImplemented


def _grouped(A: Sequence[Substring]) -> tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray]:
    """The substrings sorted by sentence and start, as the cores want them; their order; and the sorted ones."""
    found = np.array(A, dtype=np.int64).reshape(-1, 3)
    order = np.lexsort((found[:, 2], found[:, 1], found[:, 0]))
    found = found[order]
    sentences, first = np.unique(found[:, 0], return_index=True)
    groups = np.append(first, len(found)).astype(np.int64)
    arrays = (sentences.astype(np.int64), groups, found[:, 1].copy(), found[:, 2].copy())
    return arrays, order, found


class WordSubsequences(SubstringKernel):
    """Common subsequences of up to ``length`` words; one with g words in its gaps, on both sides, weighs decay ** g.

    >>> corpus = Corpus([Item(("a", "b", "c")), Item(("a", "c"))])
    >>> WordSubsequences(decay=0.5, normalize=False).gram(corpus, [(0, 0, 3)], [(1, 0, 2)]).tolist()
    [[2.5]]
    """

    def __init__(self, decay: float = 0.75, length: int = 3, normalize: bool = True):
        self.decay = decay
        self.length = length
        self.normalize = normalize

    def _fill(self, corpus: Corpus, left: Any, right: Any, A: np.ndarray, B: np.ndarray, out: np.ndarray) -> None:
        from rekern.krisp.substring_core import word_gram

        word_gram(corpus.words, corpus.offsets, left, right, float(self.decay), int(self.length), out)


class SubstringPaths(SubstringKernel):
    """Dependency paths that begin and end inside both substrings; one of n links weighs decay ** n.

    >>> corpus = Corpus([Item(("chip", "saw", "dale"), (1, -1, 1)), Item(("dale", "saw"), (1, -1))])
    >>> SubstringPaths(decay=0.5, normalize=False).gram(corpus, [(0, 0, 3), (0, 1, 2)], [(1, 0, 2)]).tolist()
    [[2.5], [1.0]]
    """

    needs = "heads"

    def __init__(self, decay: float = 0.25, normalize: bool = True):
        self.decay = decay
        self.normalize = normalize

    def key(self, item: Item, start: int, end: int) -> Any:
        """The words with the ways up from them, as far as they meet."""
        assert item.heads is not None
        ways = []
        for place in range(start, end):
            way = [place]
            while item.heads[way[-1]] >= 0:
                way.append(item.heads[way[-1]])
            ways.append(way)
        common = len(set.intersection(*(set(way) for way in ways)))
        cut = [way[: len(way) - common + 1] for way in ways]
        numbers: dict[int, int] = {}
        return tuple(
            tuple((item.words[place], numbers.setdefault(place, len(numbers))) for place in way) for way in cut
        )

    def _fill(self, corpus: Corpus, left: Any, right: Any, A: np.ndarray, B: np.ndarray, out: np.ndarray) -> None:
        from rekern.krisp.substring_core import path_gram

        path_gram(corpus.words, corpus.heads, corpus.offsets, left, right, float(self.decay), out)


class Constituents(SubstringKernel):
    """Subset trees (Collins and Duffy) of the smallest constituents that cover the substrings.

    With ``pruned``, as in the paper, of a constituent only the branches to the words of the substring are kept.

    >>> tree = ("S", ("NP", ("DT", "the"), ("NN", "dog")), ("VP", ("VBZ", "runs")))
    >>> corpus = Corpus([Item(("the", "dog", "runs"), None, tree)])
    >>> Constituents(decay=1.0, normalize=False).gram(corpus, [(0, 0, 2), (0, 1, 2)], [(0, 0, 2)]).tolist()
    [[6.0], [1.0]]
    """

    needs = "tree"

    def __init__(self, decay: float = 0.4, pruned: bool = True, normalize: bool = True):
        self.decay = decay
        self.pruned = pruned
        self.normalize = normalize

    def key(self, item: Item, start: int, end: int) -> Any:
        """The tree of the substring."""
        return smallest_constituent(item.tree, start, end, self.pruned)

    def _fill(self, corpus: Corpus, left: Any, right: Any, A: np.ndarray, B: np.ndarray, out: np.ndarray) -> None:
        from rekern.krisp.substring_core import tree_gram

        trees, roots = corpus.trees, [corpus.roots(part, bool(self.pruned)) for part in (A, B)]
        tree_gram(*trees, *roots, left, right, float(self.decay), out)


def smallest_constituent(tree: Any, start: int, end: int, pruned: bool = False) -> Any:
    """The smallest constituent that covers the words from ``start`` to ``end``, whole or cut to these words.

    >>> tree = ("S", ("NP", ("DT", "the"), ("NN", "dog")), ("VP", ("VBZ", "runs"), ("RB", "fast")))
    >>> smallest_constituent(tree, 0, 2)
    ('NP', ('DT', 'the'), ('NN', 'dog'))
    >>> smallest_constituent(tree, 1, 3, pruned=True)
    ('S', ('NP', ('NN', 'dog')), ('VP', ('VBZ', 'runs')))
    """
    node, place = _covering(tree, start, end)
    return _cut(node, place, start, end) if pruned else node


def _covering(tree: Any, start: int, end: int) -> tuple[Any, int]:
    """The smallest constituent over some words, and the word with which it begins."""
    begin = 0
    while True:
        at = begin
        for child in tree[1:]:
            size = leaves(child)
            if at <= start and end <= at + size and not isinstance(child, str):
                tree, begin = child, at
                break
            at += size
        else:
            return tree, begin


def _cut(tree: Any, begin: int, start: int, end: int) -> Any:
    """The tree without the words outside start … end."""
    if isinstance(tree, str):
        return tree
    kept = []
    at = begin
    for child in tree[1:]:
        size = leaves(child)
        if at < end and start < at + size:
            kept.append(_cut(child, at, start, end))
        at += size
    return (tree[0], *kept)


@lru_cache(maxsize=65536)
def leaves(tree: Any) -> int:
    """How many words a tree has.

    >>> leaves(("NP", ("DT", "the"), ("NN", "dog")))
    2
    """
    return 1 if isinstance(tree, str) else sum(map(leaves, tree[1:]))


class OnSubstrings(SubstringKernel):
    """Any kernel of the package, on the words of a substring, or ``on="tree"`` on its smallest constituent.

    >>> from rekern.kernels import Spectrum
    >>> corpus = Corpus([Item(("a", "b", "c")), Item(("b", "c"))])
    >>> OnSubstrings(Spectrum(2)).gram(corpus, [(0, 0, 3), (0, 1, 3)], [(1, 0, 2)]).round(3).tolist()
    [[0.707], [1.0]]
    """

    def __init__(self, kernel: Kernel, on: str = "words", normalize: bool = False):
        self.kernel = kernel
        self.on = on
        self.normalize = normalize

    @property
    def needs(self) -> str:  # type: ignore[override]
        """What it needs of a sentence."""
        return self.on

    def key(self, item: Item, start: int, end: int) -> Any:
        """The words, or the constituent."""
        return item.words[start:end] if self.on == "words" else smallest_constituent(item.tree, start, end)

    def raw(self, corpus: Corpus, A: Sequence[Substring], B: Sequence[Substring]) -> np.ndarray:
        """The kernel's values; equal substrings are computed once."""
        rows, columns = self._numbered(corpus, A), self._numbered(corpus, B)
        return self.kernel.gram(rows[0], columns[0], n_jobs=1)[np.ix_(rows[1], columns[1])]

    def diag(self, corpus: Corpus, A: Sequence[Substring]) -> np.ndarray:
        """K(a, a) for every substring."""
        found, places = self._numbered(corpus, A)
        return self.kernel.diag(found)[places]

    def _numbered(self, corpus: Corpus, A: Sequence[Substring]) -> tuple[list[Any], list[int]]:
        keys: dict[Any, int] = {}
        places = [keys.setdefault(self.key(corpus.items[s], i, j), len(keys)) for s, i, j in A]
        return [list(key) if self.on == "words" else key for key in keys], places


class SubstringSum(SubstringKernel):
    """The sum of kernels on substrings, with weights; ``a + b`` makes one with equal weights.

    >>> corpus = Corpus([Item(("a", "b"), (-1, 0))])
    >>> (WordSubsequences() + SubstringPaths()).gram(corpus, [(0, 0, 2)], [(0, 0, 2)]).round(6).tolist()
    [[1.0]]
    """

    normalize = False

    def __init__(self, kernels: Sequence[SubstringKernel], weights: Sequence[float] | None = None):
        self.kernels = kernels
        self.weights = weights

    def parts(self) -> Iterator[tuple[SubstringKernel, float]]:
        """The kernels with their weights, which add up to 1."""
        weights = np.ones(len(self.kernels)) if self.weights is None else np.asarray(self.weights, dtype=float)
        yield from zip(self.kernels, (weights / weights.sum()).tolist())

    def key(self, item: Item, start: int, end: int) -> Any:
        """The keys of all kernels."""
        return tuple(kernel.key(item, start, end) for kernel in self.kernels)

    def raw(self, corpus: Corpus, A: Sequence[Substring], B: Sequence[Substring]) -> np.ndarray:
        """The weighted sum."""
        return sum(weight * kernel.gram(corpus, A, B) for kernel, weight in self.parts())  # type: ignore[return-value]

    def diag(self, corpus: Corpus, A: Sequence[Substring]) -> np.ndarray:
        """K(a, a): 1, or less for a substring that some kernel finds like nothing."""
        found = np.zeros(len(A))
        for kernel, weight in self.parts():
            values = kernel.diag(corpus, A)
            found += weight * ((values > 0).astype(float) if kernel.normalize else values)
        return found


KERNELS = {"word": WordSubsequences, "dependency": SubstringPaths, "syntactic": Constituents}


def substring_kernel(kernel: Any) -> SubstringKernel:
    """A kernel from its name, from a sum of names ("word+dependency"), or from a kernel of the package.

    >>> substring_kernel("word"), substring_kernel("word+dependency").kernels
    (WordSubsequences(), [WordSubsequences(), SubstringPaths()])
    >>> substring_kernel("wrod")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no kernel 'wrod' on substrings: choose word, dependency, syntactic, or their sums
    """
    if isinstance(kernel, SubstringKernel):
        return kernel
    if isinstance(kernel, Kernel):
        from rekern.kernels.trees.tree_kernel import TreeKernel

        return OnSubstrings(kernel, "tree" if isinstance(kernel, TreeKernel) else "words")
    parts = []
    for name in str(kernel).split("+"):
        if name.strip() not in KERNELS:
            choice = ", ".join(KERNELS)
            raise InputError(f"there is no kernel {name.strip()!r} on substrings: choose {choice}, or their sums")
        parts.append(KERNELS[name.strip()]())
    return parts[0] if len(parts) == 1 else SubstringSum(parts)
