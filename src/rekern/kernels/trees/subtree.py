"""The kernel of complete subtrees: a node with everything below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rekern.core.arrays import Floats, Ints, Keys
from rekern.core.inverted_lists import ListBlock, invert_rows
from rekern.core.key_rows import KeyRows
from rekern.core.parameters import check_decay
from rekern.core.registry import register
from rekern.core.state_schema import COLUMN, DECAY, Flag, Schema, parameters
from rekern.kernels.gram_plan import GramPlan
from rekern.kernels.kernel_items import Items
from rekern.kernels.key_feature_kernel import KeyFeatureKernel, normalize_rows, square_rows
from rekern.kernels.trees.shared_fragments import list_complete_subtrees, write_subtrees
from rekern.kernels.trees.subtree_core import hash_subtrees, list_subtrees
from rekern.kernels.trees.tree_kernel import TreeKernel
from rekern.structures.tokens import hash_tokens
from rekern.structures.trees import Trees

if TYPE_CHECKING:
    pass


@register
class SubTree(TreeKernel[float], KeyFeatureKernel[Trees]):
    """The complete subtrees that two trees share: a node with everything below it.

    A subtree weighs ``decay`` for each of its nodes that have children; bare leaves do not count.

    >>> K = SubTree(decay=0.25, normalize=False)
    >>> K("(NP (DT the) (NN dog))", "(NP (DT the) (NN dog))")  # (DT the), (NN dog), the whole: 1/4 + 1/4 + 1/64
    0.515625
    >>> sorted(K.fit(["(NP (DT the) (NN dog))"]).get_feature_names_out())
    ['(DT the)', '(NN dog)', '(NP (DT the) (NN dog))']
    """

    schema = Schema(parameters(decay=DECAY, normalize=Flag(), on=COLUMN))

    def __init__(self, decay: float = 0.4, normalize: bool = True, on: str | None = None):
        self.decay = decay
        self.normalize = normalize
        self.on = on

    def extract_rows(self, corpus: Trees, n_jobs: int | None = None) -> KeyRows:
        """Return the subtrees of every tree, by keys that depend on the subtree alone."""
        indptr, numbers, values, examples = list_subtrees(*corpus.arrays, check_decay(self.decay))
        rows = KeyRows(indptr, _hash_nodes(corpus)[examples[numbers]], values)
        return normalize_rows(rows) if self.normalize else rows

    def name_features(self, corpus: Trees, row: int, keys: set[int]) -> dict[int, str]:
        """Return these subtrees of one tree as text."""
        tree = corpus[row : row + 1]
        found = _hash_nodes(tree).tolist()
        named = {key: node for node, key in enumerate(found) if key in keys and tree.count[node]}
        return dict(zip(named, write_subtrees(tree, named.values())))

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Put the subtrees of all trees into inverted lists."""
        mine = self.extract_rows(self.read_items(X))
        lists = invert_rows(mine, None if Y is None else self.extract_rows(self.read_items(Y)), n_jobs)
        diagonal = square_rows(mine, self.normalize) if Y is None else None
        return GramPlan(len(mine.indptr) - 1, lists.width, Y is None, ListBlock(lists, diagonal))

    def make_parameters(self, vocabulary: list[str], used: Ints) -> float:
        """Return the decay, after checking it."""
        return check_decay(self.decay)

    def square_trees(self, trees: Trees, vocabulary: list[str], parameters: float, n_jobs: int | None = 1) -> Floats:
        """Return K(x, x), not normalised."""
        return SubTree(self.decay, normalize=False).extract_rows(trees).sum_squares()

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every tree."""
        return square_rows(self.extract_rows(self.read_items(X)), self.normalize)

    def list_shared(self, left: Trees, right: Trees, parameters: float, beam: int, n: int | None) -> dict[str, float]:
        """Return the subtrees that two trees share, as text, with what each adds."""
        return list_complete_subtrees(left, right, parameters, n)


def _hash_nodes(trees: Trees) -> Keys:
    """Return the key of the subtree at every node."""
    keys: Keys = hash_subtrees(trees.labels, trees.first, trees.count, hash_tokens(trees.vocabulary))
    return keys
