"""Tree kernels of whole productions: complete subtrees, and subset trees (Collins and Duffy, 2002)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from rekern.core.compiling import compiled
from rekern.core.csr import make_csr
from rekern.core.inverted_lists import ListBlock, invert
from rekern.core.key_rows import KeyRows
from rekern.core.parameters import check_decay
from rekern.core.registry import register
from rekern.kernels.kernel import Plan, inverse_roots
from rekern.kernels.trees.folded_forest import fold
from rekern.kernels.trees.shared_fragments import complete_subtrees
from rekern.kernels.trees.shared_fragments import subset_trees as subset_fragments
from rekern.kernels.trees.subset_tree_core import subset_trees
from rekern.kernels.trees.tree_kernel import TreeKernel
from rekern.structures.trees import Trees

_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd: a product with it keeps numbers apart and fills the high bits


@register
class SubsetTree(TreeKernel):
    """The tree fragments made of whole productions that two trees share (Collins and Duffy, 2002).

    A fragment weighs ``decay`` for each of its productions. Leaves count only inside productions; with ``words=True``
    every pair of equal leaves adds ``decay`` too.

    >>> K = SubsetTree(decay=1.0, normalize=False)
    >>> K("(NP (DT the) (NN dog))", "(NP (DT the) (NN cat))")  # (DT the), (NP DT NN), (NP (DT the) NN)
    3.0
    >>> K.explain("(NP (DT the) (NN dog))", "(NP (DT the) (NN cat))", n=1)
    [Shared(text='(DT the)', value=1.0)]
    """

    def __init__(self, decay: float = 0.4, words: bool = False, normalize: bool = True, on: str | None = None):
        self.decay = decay
        self.words = words
        self.normalize = normalize
        self.on = on

    def _core(self) -> Callable[..., None]:
        return subset_trees

    def _parameters(self, vocabulary: list[str], used: np.ndarray) -> tuple:
        return check_decay(self.decay), bool(self.words)

    def _fragments(self, left: Trees, right: Trees, parameters: tuple, beam: int) -> dict[str, float]:
        decay, words = parameters
        return subset_fragments(left, right, decay, words, beam)


@register
class SubTree(TreeKernel):
    """The complete subtrees that two trees share: a node with everything below it.

    A subtree weighs ``decay`` for each of its nodes that have children; bare leaves do not count.

    >>> K = SubTree(decay=0.25, normalize=False)
    >>> K("(NP (DT the) (NN dog))", "(NP (DT the) (NN dog))")  # (DT the), (NN dog), the whole: 1/4 + 1/4 + 1/64
    0.515625
    """

    def __init__(self, decay: float = 0.4, normalize: bool = True, on: str | None = None):
        self.decay = decay
        self.normalize = normalize
        self.on = on

    def rows(self, left: Trees, right: Trees | None = None) -> tuple[KeyRows, KeyRows | None]:
        """The subtrees of every tree, as numbers that equal subtrees of both corpora share."""
        decay = check_decay(self.decay)
        both = left if right is None else _joined(left, right)
        indptr, numbers, values = _subtree_rows(*both.arrays, decay)
        found = KeyRows(indptr, numbers.astype(np.uint64) * _SPREAD, values)
        if self.normalize:
            scale = np.repeat(inverse_roots(found.squared_norms()), np.diff(found.indptr))
            found = found._replace(values=found.values * scale)
        if right is None:
            return found, None
        return found.part(0, len(left)), found.part(len(left), len(both))

    def _plan(self, X: Any, Y: Any, n_jobs: int | None) -> Plan:
        left = self.items(X)
        mine, theirs = self.rows(left, None if Y is None else self.items(Y).numbered_as(left))
        lists = invert(mine, theirs, n_jobs)
        diagonal = self._diagonal(mine) if Y is None else None
        return Plan(len(left), lists.width, Y is None, ListBlock(lists, diagonal))

    def has_features(self) -> bool:
        """Subtrees are explicit features."""
        return True

    def features(self, X: Any, n_jobs: int | None = None) -> sp.csr_array:
        """A row for each tree, a column for each distinct subtree of these trees."""
        rows, _ = self.rows(self.items(X))
        distinct, numbers = np.unique(rows.keys, return_inverse=True)
        return make_csr(rows.values, numbers, rows.indptr, len(distinct))

    def _parameters(self, vocabulary: list[str], used: np.ndarray) -> tuple:
        return (check_decay(self.decay),)

    def _squares(self, trees: Trees, vocabulary: list[str], parameters: tuple) -> np.ndarray:
        return SubTree(self.decay, normalize=False).rows(trees)[0].squared_norms()

    def _diagonal(self, rows: KeyRows) -> np.ndarray:
        return (np.diff(rows.indptr) > 0).astype(float) if self.normalize else rows.squared_norms()

    def diag(self, X: Any) -> np.ndarray:
        """K(x, x) for every tree."""
        return self._diagonal(self.rows(self.items(X))[0])

    def _fragments(self, left: Trees, right: Trees, parameters: tuple, beam: int) -> dict[str, float]:
        return complete_subtrees(left, right, parameters[0])


def _joined(left: Trees, right: Trees) -> Trees:
    """The trees of two corpora, one behind the other; the labels are numbered alike already."""
    shift = left.offsets[-1]
    return Trees(
        np.concatenate([left.labels, right.labels]),
        np.concatenate([left.first, right.first + np.int32(shift)]),
        np.concatenate([left.count, right.count]),
        np.concatenate([left.offsets, right.offsets[1:] + shift]),
        right.vocabulary,
    )


@compiled
def _subtree_rows(labels, first, count, offsets, decay):
    """For every tree its distinct subtrees, bare leaves left out, each with √(weight) times how often it occurs."""
    trees = len(offsets) - 1
    numbers, examples = fold(labels, first, count, offsets, 0, trees)
    inner = np.zeros(len(examples), np.int64)  # nodes with children; children have lower numbers
    for number in range(len(examples)):
        node = examples[number]
        if count[node]:
            inner[number] = 1
            for child in range(first[node], first[node] + count[node]):
                inner[number] += inner[numbers[child]]
    indptr = np.zeros(trees + 1, np.int64)
    found = np.empty(len(numbers), np.int64)
    values = np.empty(len(numbers))
    place_of = np.full(len(examples), -1, np.int64)
    filled = 0
    root = np.sqrt(decay)
    for tree in range(trees):
        for node in range(offsets[tree], offsets[tree + 1]):
            number = numbers[node]
            if count[node] == 0:
                continue
            if place_of[number] < indptr[tree]:
                place_of[number] = filled
                found[filled] = number
                values[filled] = 0.0
                filled += 1
            values[place_of[number]] += root ** inner[number]
        indptr[tree + 1] = filled
    return indptr, found[:filled], values[:filled]
