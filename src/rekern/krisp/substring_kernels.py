"""Kernels on substrings of sentences: common word subsequences, constituents, dependency paths, and any other kernel.

They are ordinary kernels whose items are substrings. A corpus of items is a `rekern.krisp.substrings.Substrings`, or a
list of `Substring`. The values of all substrings of two sentences are computed together.

>>> from rekern.krisp.sentence_corpus import SentenceCorpus
>>> sentences = AnnotatedSentence(("which", "rivers", "run")), AnnotatedSentence(("which", "states", "run"))
>>> K = WordSubsequences(decay=0.5, normalize=False)
>>> K(Substring(sentences[0], 0, 3), Substring(sentences[1], 0, 3))  # which, run, which … run with 1 + 1 words between
2.25
>>> corpus = SentenceCorpus(sentences)
>>> K.gram(Substrings(corpus, [(0, 0, 3), (0, 1, 3)]), Substrings(corpus, [(1, 0, 3), (1, 2, 3)])).tolist()
[[2.25, 1.0], [1.0, 1.0]]
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np
from sklearn.base import clone

from rekern.core.arrays import Floats
from rekern.core.messages import show_value
from rekern.core.registry import register
from rekern.core.state_schema import DECAY, KERNEL, Choice, Flag, Schema, Whole, parameters
from rekern.errors import InputError
from rekern.kernels.combinations import Scaled, Sum
from rekern.kernels.gram_plan import GramPlan, invert_roots
from rekern.kernels.kernel import Kernel
from rekern.kernels.trees.tree_kernel import TreeKernel
from rekern.krisp.constituent_trees import find_smallest_constituent
from rekern.krisp.sentence_corpus import AnnotatedSentence
from rekern.krisp.substring_core import path_gram, tree_gram, word_gram
from rekern.krisp.substrings import Substring, Substrings, align_corpora

LONGEST_SUBSEQUENCE = 100  # words: as many as a sentence may have


class SubstringKernel(Kernel):
    """The base of kernels on substrings; a subclass defines ``_fill`` and what it needs of a sentence (``reads``).

    >>> isinstance(WordSubsequences(), SubstringKernel), isinstance(WordSubsequences(), Kernel)
    (True, True)
    """

    on_texts = True
    normalize: bool = True

    def reads(self) -> set[str]:
        """What the kernel needs of a sentence: "words", "heads" or "tree"."""
        return {"words"}

    def identify(self, sentence: AnnotatedSentence, start: int, end: int) -> Hashable:
        """What the values of a substring depend on: substrings with equal identities have equal values.

        >>> WordSubsequences().identify(AnnotatedSentence(("which", "rivers", "run")), 1, 3)
        ('rivers', 'run')
        """
        return sentence.words[start:end]

    def compute_values(self, left: Substrings, right: Substrings) -> Floats:
        """The values before normalisation; both must have the same corpus.

        >>> from rekern.krisp.sentence_corpus import SentenceCorpus
        >>> substrings = Substrings(SentenceCorpus([AnnotatedSentence(("a", "b"))]), [(0, 0, 1), (0, 0, 2)])
        >>> WordSubsequences().compute_values(substrings, substrings).tolist()
        [[1.0, 1.0], [1.0, 3.0]]
        """
        values = np.zeros((len(left), len(right)))
        if values.size:
            self._fill(left, right, values)
        if left.is_sorted and right.is_sorted:
            return values
        unsorted = np.empty_like(values)
        unsorted[np.ix_(left.order, right.order)] = values
        return unsorted

    def compute_squares(self, substrings: Substrings) -> Floats:
        """K(x, x) of every substring, before normalisation.

        >>> from rekern.krisp.sentence_corpus import SentenceCorpus
        >>> substrings = Substrings(SentenceCorpus([AnnotatedSentence(("a", "b"))]), [(0, 0, 1), (0, 0, 2)])
        >>> WordSubsequences().compute_squares(substrings).tolist()
        [1.0, 3.0]
        """
        if len(substrings.groups.sentences) == 1:
            return np.diag(self.compute_values(substrings, substrings)).copy()
        found = np.zeros(len(substrings))
        places: dict[int, list[int]] = {}
        for place, sentence in enumerate(substrings.spans[:, 0].tolist()):
            places.setdefault(sentence, []).append(place)
        for same in places.values():
            part = substrings[same]
            found[same] = np.diag(self.compute_values(part, part))
        return found

    def compute_norms(self, substrings: Substrings) -> Floats:
        """The factors that normalise the values: 1/√K(x, x), or 1 if the kernel is not normalised.

        >>> from rekern.krisp.sentence_corpus import SentenceCorpus
        >>> substrings = Substrings(SentenceCorpus([AnnotatedSentence(("a", "b"))]), [(0, 0, 1)])
        >>> WordSubsequences().compute_norms(substrings).tolist()
        [1.0]
        """
        return invert_roots(self.compute_squares(substrings)) if self.normalize else np.ones(len(substrings))

    def diag(self, X: object) -> Floats:
        """K(x, x) for every substring."""
        squares = self.compute_squares(_collect(X))
        return (squares > 0).astype(float) if self.normalize else squares

    def plan_gram(self, X: object, Y: object, n_jobs: int | None) -> GramPlan:
        """Collect the substrings of both sides; blocks are computed from their sorted forms."""
        left = _collect(X)
        left, right = (left, left) if Y is None else align_corpora(left, _collect(Y))
        rows = self.compute_norms(left)
        columns = rows if Y is None else self.compute_norms(right)
        return GramPlan(
            len(left), len(right), Y is None, _SubstringGramBlock(self, left, right, rows, columns, Y is None)
        )

    def _fill(self, left: Substrings, right: Substrings, out: Floats) -> None:
        """Fill a matrix with the values, rows and columns in sorted order."""
        raise NotImplementedError


@dataclass(frozen=True)
class _SubstringGramBlock:
    """The block function of a kernel on substrings."""

    kernel: SubstringKernel
    left: Substrings
    right: Substrings
    rows: Floats
    columns: Floats
    symmetric: bool

    def __call__(self, first: int, last: int) -> Floats:
        skipped = first if self.symmetric else 0
        values = self.kernel.compute_values(self.left[first:last], self.right[skipped:])
        values *= self.rows[first:last, None]
        values *= self.columns[skipped:]
        return values


def _collect(items: object) -> Substrings:
    if isinstance(items, Substrings):
        return items
    found = list(cast("Iterable[Substring]", items))
    for place, item in enumerate(found):
        if not isinstance(item, Substring):
            reason = f"this is {type(item).__name__}, not a Substring, which kernels on substrings need"
            raise InputError(reason, row=place)
    return Substrings.from_items(found)


@register
class WordSubsequences(SubstringKernel):
    """Common subsequences of up to ``length`` words; one with g words in its gaps, on both sides, weighs decay ** g.

    >>> K = WordSubsequences(decay=0.5, normalize=False)
    >>> K(Substring(AnnotatedSentence(("a", "b", "c")), 0, 3), Substring(AnnotatedSentence(("a", "c")), 0, 2))
    2.5
    """

    schema = Schema(parameters(decay=DECAY, length=Whole(1, LONGEST_SUBSEQUENCE), normalize=Flag()))

    def __init__(self, decay: float = 0.75, length: int = 3, normalize: bool = True):
        self.decay = decay
        self.length = length
        self.normalize = normalize

    def _fill(self, left: Substrings, right: Substrings, out: Floats) -> None:
        words, offsets = left.corpus.words, left.corpus.offsets
        word_gram(words, offsets, left.groups, right.groups, float(self.decay), int(self.length), out)


@register
class SubstringPaths(SubstringKernel):
    """Dependency paths that begin and end inside both substrings; one of n links weighs decay ** n.

    >>> one, other = AnnotatedSentence(("chip", "saw", "dale"), (1, -1, 1)), AnnotatedSentence(("dale", "saw"), (1, -1))
    >>> SubstringPaths(decay=0.5, normalize=False)(Substring(one, 0, 3), Substring(other, 0, 2))
    2.5
    """

    schema = Schema(parameters(decay=DECAY, normalize=Flag()))

    def __init__(self, decay: float = 0.25, normalize: bool = True):
        self.decay = decay
        self.normalize = normalize

    def reads(self) -> set[str]:
        """Words and their heads."""
        return {"heads"}

    def identify(self, sentence: AnnotatedSentence, start: int, end: int) -> Hashable:
        """The words with the ways up from them, as far as they differ."""
        assert sentence.heads is not None
        ways = []
        for place in range(start, end):
            way = [place]
            while sentence.heads[way[-1]] >= 0:
                way.append(sentence.heads[way[-1]])
            ways.append(way)
        common = len(set.intersection(*(set(way) for way in ways)))
        cut = [way[: len(way) - common + 1] for way in ways]
        numbers: dict[int, int] = {}
        return tuple(
            tuple((sentence.words[place], numbers.setdefault(place, len(numbers))) for place in way) for way in cut
        )

    def _fill(self, left: Substrings, right: Substrings, out: Floats) -> None:
        corpus = left.corpus
        path_gram(corpus.words, corpus.heads, corpus.offsets, left.groups, right.groups, float(self.decay), out)


@register
class Constituents(SubstringKernel):
    """Tree fragments (Collins and Duffy's subset trees) of the smallest constituents that cover the substrings.

    With ``pruned``, as in the paper, the branches to words outside the substring are cut off.

    >>> tree = ("S", ("NP", ("DT", "the"), ("NN", "dog")), ("VP", ("VBZ", "runs")))
    >>> sentence = AnnotatedSentence(("the", "dog", "runs"), None, tree)
    >>> Constituents(decay=1.0, normalize=False)(Substring(sentence, 0, 2), Substring(sentence, 0, 2))
    6.0
    """

    schema = Schema(parameters(decay=DECAY, pruned=Flag(), normalize=Flag()))

    def __init__(self, decay: float = 0.4, pruned: bool = True, normalize: bool = True):
        self.decay = decay
        self.pruned = pruned
        self.normalize = normalize

    def reads(self) -> set[str]:
        """The constituent tree."""
        return {"tree"}

    def identify(self, sentence: AnnotatedSentence, start: int, end: int) -> Hashable:
        """The tree of the substring."""
        assert sentence.tree is not None
        return find_smallest_constituent(sentence.tree, start, end, self.pruned)

    def _fill(self, left: Substrings, right: Substrings, out: Floats) -> None:
        corpus = left.corpus
        roots = [corpus.find_roots(part.spans[part.order], bool(self.pruned)) for part in (left, right)]
        tree_gram(corpus.trees, roots[0], roots[1], left.groups, right.groups, float(self.decay), out)


@register
class OnSubstrings(SubstringKernel):
    """Any kernel of the package, on the words of a substring, or with ``on="tree"`` on its smallest constituent.

    >>> from rekern.kernels import Spectrum
    >>> K = OnSubstrings(Spectrum(2))
    >>> round(K(Substring(AnnotatedSentence(("a", "b", "c")), 0, 3), Substring(AnnotatedSentence(("b", "c")), 0, 2)), 3)
    0.707
    """

    schema = Schema(parameters(kernel=KERNEL, on=Choice("words", "tree"), normalize=Flag()))

    def __init__(self, kernel: Kernel, on: str = "words", normalize: bool = False):
        self.kernel = kernel
        self.on = on
        self.normalize = normalize

    def reads(self) -> set[str]:
        """What ``on`` says."""
        return {str(self.on)}

    def identify(self, sentence: AnnotatedSentence, start: int, end: int) -> Hashable:
        """The words, or the constituent."""
        if self.on == "words":
            return sentence.words[start:end]
        if sentence.tree is None:
            raise InputError("a sentence has no constituent tree, which this kernel needs: give trees or a parser")
        return find_smallest_constituent(sentence.tree, start, end)

    def compute_values(self, left: Substrings, right: Substrings) -> Floats:
        """The values of the kernel; equal substrings are computed once."""
        rows, columns = self._find_distinct(left), self._find_distinct(right)
        return self.kernel.gram(rows[0], columns[0], n_jobs=1)[np.ix_(rows[1], columns[1])]

    def compute_squares(self, substrings: Substrings) -> Floats:
        """K(x, x) of every substring."""
        distinct, places = self._find_distinct(substrings)
        return np.asarray(self.kernel.diag(distinct)[places])

    def _find_distinct(self, substrings: Substrings) -> tuple[list[object], list[int]]:
        """The distinct items of the kernel, and the place of each substring among them."""
        known: dict[Hashable, int] = {}
        places = [known.setdefault(self.identify(*substring), len(known)) for substring in substrings]
        return [list(cast("tuple[str, ...]", item)) if self.on == "words" else item for item in known], places


KERNELS: dict[str, type[SubstringKernel]] = {
    "word": WordSubsequences,
    "dependency": SubstringPaths,
    "syntactic": Constituents,
}


def make_substring_kernel(kernel: str | Kernel) -> Kernel:
    """Make a kernel on substrings from its name, from a sum of names ("word+dependency"), or from any kernel.

    The kernels of a sum of names have weights that add up to 1. A kernel that is not on substrings is wrapped in
    `OnSubstrings`, also inside sums and products with kernels on substrings.

    >>> make_substring_kernel("word"), make_substring_kernel("word+dependency")
    (WordSubsequences(), Sum(left=Scaled(kernel=WordSubsequences(), weight=0.5),
        right=Scaled(kernel=SubstringPaths(), weight=0.5)))
    >>> make_substring_kernel("wrod")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no kernel 'wrod' on substrings: choose word, dependency, syntactic, or their sums
    """
    if isinstance(kernel, Kernel):
        return _wrap_kernel(kernel)
    parts: list[Kernel] = []
    for name in str(kernel).split("+"):
        if name.strip() not in KERNELS:
            choice = ", ".join(KERNELS)
            raise InputError(
                f"there is no kernel {show_value(name.strip())} on substrings: choose {choice}, or their sums"
            )
        parts.append(KERNELS[name.strip()]())
    return parts[0] if len(parts) == 1 else average_kernels(parts)


def average_kernels(kernels: Iterable[Kernel], weights: Iterable[float] | None = None) -> Kernel:
    """The sum of kernels, with weights (equal ones by default) that are scaled to add up to 1.

    >>> average_kernels([WordSubsequences(), SubstringPaths()], [3.0, 1.0]).right
    Scaled(kernel=SubstringPaths(), weight=0.25)
    """
    parts = list(kernels)
    given = np.ones(len(parts)) if weights is None else np.array(list(weights), dtype=float)
    shares = (given / given.sum()).tolist()
    total: Kernel = Scaled(parts[0], shares[0])
    for part, share in zip(parts[1:], shares[1:], strict=True):
        total = Sum(total, Scaled(part, share))
    return total


def list_substring_kernels(kernel: Kernel) -> list[SubstringKernel]:
    """The kernels on substrings of which a kernel consists.

    >>> list_substring_kernels(WordSubsequences() * (2.0 * SubstringPaths()))
    [WordSubsequences(), SubstringPaths()]
    """
    if isinstance(kernel, SubstringKernel):
        return [kernel]
    return [part for inner in _list_inner(kernel).values() for part in list_substring_kernels(inner)]


def _list_inner(kernel: Kernel) -> dict[str, Kernel]:
    parameters = kernel.get_params(deep=False)
    return {name: value for name, value in parameters.items() if isinstance(value, Kernel)}


def _is_on_trees(kernel: Kernel) -> bool:
    """Whether it is a tree kernel, or consists of tree kernels only."""
    inner = _list_inner(kernel).values()
    return isinstance(kernel, TreeKernel) or (bool(inner) and all(map(_is_on_trees, inner)))


def _wrap_kernel(kernel: Kernel) -> Kernel:
    if isinstance(kernel, SubstringKernel):
        return kernel
    if not list_substring_kernels(kernel):
        return OnSubstrings(kernel, "tree" if _is_on_trees(kernel) else "words")
    wrapped: Kernel = clone(kernel).set_params(
        **{name: _wrap_kernel(inner) for name, inner in _list_inner(kernel).items()}
    )
    return wrapped
