"""Tree kernels of any children in order: partial trees (Moschitti, 2006), and smoothed ones (Croce et al., 2011)."""

from __future__ import annotations

from rekern.core.arrays import Ints, SmallInts
from rekern.core.parameters import check_choice, check_decay, check_positive, is_number, is_whole
from rekern.core.registry import register
from rekern.core.state_schema import (
    COLUMN,
    DECAY,
    Array,
    Choice,
    Constraint,
    Either,
    Flag,
    InstanceOf,
    MapOf,
    Number,
    Schema,
    Whole,
    parameters,
)
from rekern.errors import InputError
from rekern.kernels.trees.label_similarity import (
    LabelSimilarity,
    LabelTable,
    SimilaritySource,
    make_label_table,
)
from rekern.kernels.trees.partial_tree_core import PartialTreeParameters, PartialTreeWeights, fill_partial_trees
from rekern.kernels.trees.shared_fragments import list_partial_trees
from rekern.kernels.trees.tree_kernel import FillBlock, TreeKernel
from rekern.structures.trees import Trees
from rekern.structures.word_space import WordSpace

LONGEST = 1 << 31  # subsequence of children: no node has so many

PARTIAL_TREE: dict[str, Constraint] = {
    "decay": DECAY,
    "mu": Number(0.0, 10.0, above=True),
    "gaps": Choice("skipped", "span"),
    "max_children": Either(None, Whole(1)),
    "terminal_factor": Number(0.0, 1e6, above=True),
    "normalize": Flag(),
    "on": COLUMN,
}


@register
class PartialTree(TreeKernel[PartialTreeParameters]):
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

    has_device_core = True
    checks_itself = frozenset({"mu", "terminal_factor"})  # which may be larger than in a model file
    schema = Schema(parameters(**PARTIAL_TREE))

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

    def _check_weights(self) -> PartialTreeWeights:
        decay = check_decay(self.decay)
        mu = check_positive("mu", self.mu)
        terminal_factor = check_positive("terminal_factor", self.terminal_factor)
        check_choice("gaps", self.gaps, ("skipped", "span"))
        longest = self.max_children
        if longest is not None and (not is_whole(longest) or longest < 1):
            raise InputError(f"max_children={longest!r}: give None or a whole number of at least 1")
        factor = 1.0 if self.gaps == "skipped" else decay * decay
        return PartialTreeWeights(mu, decay, factor, min(int(longest or 0), LONGEST), terminal_factor)

    def get_core(self) -> FillBlock:
        """Return the compiled function that fills a block."""
        return fill_partial_trees

    def compare_labels(self, vocabulary: list[str], used: Ints) -> LabelTable:
        """Return how the labels are compared: only equal ones match."""
        return make_label_table(None, vocabulary, used, 0.0)

    def make_parameters(self, vocabulary: list[str], used: Ints) -> PartialTreeParameters:
        """Return the parameters of the core, after checking them."""
        weights = self._check_weights()
        return PartialTreeParameters(self.compare_labels(vocabulary, used), weights)

    def classify_labels(self, vocabulary: list[str], parameters: PartialTreeParameters) -> SmallInts:
        """Return the class of every label; similar labels share one."""
        return parameters.labels.class_of

    def list_shared(
        self, left: Trees, right: Trees, parameters: PartialTreeParameters, beam: int, n: int | None
    ) -> dict[str, float]:
        """Return the fragments that two trees share, as text, with what each adds."""
        return list_partial_trees(left, right, parameters.weights, parameters.labels.find_similarity, beam, n)


@register
class SmoothedPartialTree(PartialTree):
    """Partial trees in which similar labels match too (Croce et al., 2011): Δ is multiplied by their similarity.

    ``similarity`` is one of

    - word vectors: a dict, or an object with a method ``vectors(words)`` that gives a row for each word, zeros for
      unknown ones (if it has ``in``, that says which words have a vector). Two labels ``LEX##lemma::pos`` (or
      ``lemma::pos``) of the same part of speech have the cosine of the vectors of ``lemma::pos``, else of ``lemma``;
      it is 0 where it would be negative;
    - a function of two labels, or an object with a method ``similarities(labels, labels2)`` that gives a matrix.
      It is taken to be symmetric.

    Equal labels have similarity 1, and what is below ``min_similarity`` counts as 0. Similarities are computed once
    for each pair of labels, not for each pair of nodes.

    >>> vectors = {"dog": [1.0, 0.0], "cat": [0.8, 0.6]}
    >>> K = SmoothedPartialTree(decay=1.0, mu=1.0, similarity=vectors, normalize=False)
    >>> round(K("(NN dog::n)", "(NN cat::n)"), 6)  # the words 0.8, (NN), (NN word) 0.8
    2.6
    >>> [part.name for part in K.explain("(NN dog::n)", "(NN cat::n)").parts]
    ['(NN)', '(NN dog::n~cat::n)', '(dog::n~cat::n)']
    """

    checks_itself = frozenset({"mu", "terminal_factor", "similarity"})
    schema = Schema(
        parameters(
            **PARTIAL_TREE,
            similarity=Either(None, InstanceOf(WordSpace, SimilaritySource), MapOf(Array("f8", "dimensions"))),
            min_similarity=Number(0.0, 1.0),
        )
    )

    def __init__(
        self,
        decay: float = 0.4,
        mu: float = 0.4,
        gaps: str = "skipped",
        max_children: int | None = None,
        terminal_factor: float = 1.0,
        similarity: LabelSimilarity | None = None,
        min_similarity: float = 0.01,
        normalize: bool = True,
        on: str | None = None,
    ):
        super().__init__(decay, mu, gaps, max_children, terminal_factor, normalize, on)
        self.similarity = similarity
        self.min_similarity = min_similarity

    def compare_labels(self, vocabulary: list[str], used: Ints) -> LabelTable:
        """Return how the labels in use are compared."""
        least = self.min_similarity
        if not is_number(least) or not 0 <= least <= 1:
            raise InputError(f"min_similarity={least!r}: give a number from 0 to 1")
        return make_label_table(self.similarity, vocabulary, used, float(least))
