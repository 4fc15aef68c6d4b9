"""The kernel of subset trees: fragments made of whole productions (Collins and Duffy, 2002)."""

from __future__ import annotations

from rekern.core.arrays import Ints
from rekern.core.parameters import check_decay
from rekern.core.registry import register
from rekern.core.state_schema import COLUMN, DECAY, Flag, Schema, parameters
from rekern.kernels.trees.shared_fragments import list_subset_trees
from rekern.kernels.trees.subset_tree_core import SubsetTreeParameters, fill_subset_trees
from rekern.kernels.trees.tree_kernel import FillBlock, TreeKernel
from rekern.structures.trees import Trees


@register
class SubsetTree(TreeKernel[SubsetTreeParameters]):
    """The tree fragments made of whole productions that two trees share (Collins and Duffy, 2002).

    A fragment weighs ``decay`` for each of its productions. Leaves count only inside productions; with ``words=True``
    every pair of equal leaves adds ``decay`` too.

    >>> K = SubsetTree(decay=1.0, normalize=False)
    >>> K("(NP (DT the) (NN dog))", "(NP (DT the) (NN cat))")  # (DT the), (NP DT NN), (NP (DT the) NN)
    3.0
    >>> K.explain("(NP (DT the) (NN dog))", "(NP (DT the) (NN cat))", n=1).parts[0].name
    '(DT the)'
    """

    has_device_core = True
    schema = Schema(parameters(decay=DECAY, words=Flag(), normalize=Flag(), on=COLUMN))

    def __init__(self, decay: float = 0.4, words: bool = False, normalize: bool = True, on: str | None = None):
        self.decay = decay
        self.words = words
        self.normalize = normalize
        self.on = on

    def get_core(self) -> FillBlock:
        """Return the compiled function that fills a block."""
        return fill_subset_trees

    def make_parameters(self, vocabulary: list[str], used: Ints) -> SubsetTreeParameters:
        """Return the parameters of the core, after checking them."""
        return SubsetTreeParameters(check_decay(self.decay), bool(self.words))

    def list_shared(
        self, left: Trees, right: Trees, parameters: SubsetTreeParameters, beam: int, n: int | None
    ) -> dict[str, float]:
        """Return the fragments that two trees share, as text, with what each adds."""
        return list_subset_trees(left, right, parameters.decay, parameters.words, beam, n)
