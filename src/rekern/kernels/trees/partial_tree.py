"""Tree kernels of any children in order: partial trees (Moschitti, 2006), and smoothed ones (Croce et al., 2011)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rekern.core.parameters import check_decay, check_positive, is_number
from rekern.core.registry import register
from rekern.kernels.trees.label_similarity import LabelTable, label_table
from rekern.kernels.trees.partial_tree_core import partial_trees
from rekern.kernels.trees.shared_fragments import partial_trees as partial_fragments
from rekern.kernels.trees.tree_kernel import TreeKernel
from rekern.structures.trees import Trees

LONGEST = 1 << 31  # subsequence of children: no node has so many


@register
class PartialTree(TreeKernel):
    """The tree fragments that two trees share, a fragment having any of a node's children, in order (Moschitti, 2006).

    Two nodes of one label have Δ = ``mu`` · (``decay``² + Σ over equally long subsequences of their children of
    ``decay``^gaps · Π Δ); if one of them is a leaf, Δ = ``terminal_factor`` · ``mu`` · ``decay``². With
    ``gaps="skipped"`` the children that are skipped between the first and the last of a subsequence count, as in KeLP
    and SVM-LIGHT-TK; with ``gaps="span"`` all from the first to the last, as the formula is printed.
    ``max_children`` bounds the length of a subsequence.

    >>> K = PartialTree(decay=1.0, mu=1.0, normalize=False)
    >>> K("(NP (DT the) (NN dog))", "(NP (DT the))")  # (the), (DT), (DT the), (NP), (NP DT), (NP (DT the))
    6.0
    >>> round(PartialTree()("(NP (DT the) (NN dog))", "(NP (DT a) (NN dog))"), 4)
    0.7741
    """

    def __init__(
        self,
        decay: float = 0.4,
        mu: float = 0.4,
        gaps: str = "skipped",
        max_children: int | None = None,
        terminal_factor: float = 1.0,
        normalize: bool = True,
        on: str | None = None,
    ):
        self.decay = decay
        self.mu = mu
        self.gaps = gaps
        self.max_children = max_children
        self.terminal_factor = terminal_factor
        self.normalize = normalize
        self.on = on

    def _weights(self) -> tuple[float, float, float, int, float]:
        """mu, decay, the weight of every child in a subsequence, its longest length (0: any), the leaves' factor."""
        decay = check_decay(self.decay)
        mu = check_positive("mu", self.mu)
        terminal_factor = check_positive("terminal_factor", self.terminal_factor)
        if self.gaps not in ("skipped", "span"):
            raise ValueError(f"gaps={self.gaps!r}: give 'skipped' or 'span'")
        longest = self.max_children
        if longest is not None and (
            isinstance(longest, bool) or not isinstance(longest, int | np.integer) or longest < 1
        ):
            raise ValueError(f"max_children={longest!r}: give None or a whole number of at least 1")
        factor = 1.0 if self.gaps == "skipped" else decay * decay
        return mu, decay, factor, min(int(longest or 0), LONGEST), terminal_factor

    def _core(self) -> Callable[..., None]:
        return partial_trees

    def _labels(self, vocabulary: list[str], used: np.ndarray) -> LabelTable:
        return label_table(None, vocabulary, used, 0.0)

    def _parameters(self, vocabulary: list[str], used: np.ndarray) -> tuple:
        weights = self._weights()
        return (*self._labels(vocabulary, used), *weights)

    def _classes(self, vocabulary: list[str], parameters: tuple) -> np.ndarray:
        return parameters[0]

    def _fragments(self, left: Trees, right: Trees, parameters: tuple, beam: int) -> dict[str, float]:
        return partial_fragments(left, right, parameters[5:], LabelTable(*parameters[:5]).similarity, beam)


@register
class SmoothedPartialTree(PartialTree):
    """Partial trees in which similar labels match too (Croce et al., 2011): Δ is multiplied by their similarity.

    ``similarity`` is one of

    - word vectors: a dict, or an object with a method ``vectors(words)`` that gives a row for each word, zeros for
      unknown ones. Two labels ``LEX##lemma::pos`` (or ``lemma::pos``) of the same part of speech have the cosine of
      the vectors of ``lemma::pos``, else of ``lemma``; it is 0 where it would be negative;
    - a function of two labels, or an object with a method ``similarities(labels, labels2)`` that gives a matrix.
      It is taken to be symmetric.

    Equal labels have similarity 1, and what is below ``min_similarity`` counts as 0. Similarities are computed once
    for each pair of labels, not for each pair of nodes.

    >>> vectors = {"dog": [1.0, 0.0], "cat": [0.8, 0.6]}
    >>> K = SmoothedPartialTree(decay=1.0, mu=1.0, similarity=vectors, normalize=False)
    >>> round(K("(NN dog::n)", "(NN cat::n)"), 6)  # the words 0.8, (NN), (NN word) 0.8
    2.6
    >>> [text for text, _ in K.explain("(NN dog::n)", "(NN cat::n)")]
    ['(NN)', '(NN dog::n~cat::n)', '(dog::n~cat::n)']
    """

    def __init__(
        self,
        decay: float = 0.4,
        mu: float = 0.4,
        gaps: str = "skipped",
        max_children: int | None = None,
        terminal_factor: float = 1.0,
        similarity: Any = None,
        min_similarity: float = 0.01,
        normalize: bool = True,
        on: str | None = None,
    ):
        super().__init__(decay, mu, gaps, max_children, terminal_factor, normalize, on)
        self.similarity = similarity
        self.min_similarity = min_similarity

    def _labels(self, vocabulary: list[str], used: np.ndarray) -> LabelTable:
        least = self.min_similarity
        if not is_number(least) or not 0 <= least <= 1:
            raise ValueError(f"min_similarity={least!r}: give a number from 0 to 1")
        return label_table(self.similarity, vocabulary, used, float(least))
