"""The paths that two dependency trees share (Kate, 2008)."""

from collections.abc import Callable

import numpy as np

from rekern.core.parameters import check_decay
from rekern.core.registry import register
from rekern.kernels.trees.dependency_paths_core import dependency_paths
from rekern.kernels.trees.shared_fragments import dependency_paths as shared_paths
from rekern.kernels.trees.tree_kernel import TreeKernel
from rekern.structures.trees import Trees


@register
class DependencyPaths(TreeKernel):
    """Paths that two dependency trees share (Kate, 2008); the words are the labels of the nodes.

    A path climbs from a word to a common ancestor and down again; one of n links weighs ``decay ** n``, a single word
    weighs 1. With ``weights="printed"`` a path of which one branch has a single word below the highest one and the
    other branch more weighs one power of ``decay`` less, as the equations of the paper have it.

    >>> K = DependencyPaths(decay=1.0, normalize=False)
    >>> K("(saw (Chip) (Dale))", "(saw (Chip))")  # saw, Chip, Chip → saw
    3.0
    >>> DependencyPaths(decay=0.5, normalize=False).explain("(saw (Chip) (Dale))", "(saw (Chip))")
    [Shared(text='Chip', value=1.0), Shared(text='saw', value=1.0), Shared(text='Chip → saw', value=0.5)]
    """

    def __init__(self, decay: float = 0.25, weights: str = "length", normalize: bool = True, on: str | None = None):
        self.decay = decay
        self.weights = weights
        self.normalize = normalize
        self.on = on

    def _weights(self) -> tuple[float, float]:
        decay = check_decay(self.decay)
        if self.weights not in ("length", "printed"):
            raise ValueError(f"weights={self.weights!r}: give 'length' or 'printed'")
        return decay, decay if self.weights == "printed" else decay * decay

    def _core(self) -> Callable[..., None]:
        return dependency_paths

    def _parameters(self, vocabulary: list[str], used: np.ndarray) -> tuple:
        return len(vocabulary), *self._weights()

    def _fragments(self, left: Trees, right: Trees, parameters: tuple, beam: int) -> dict[str, float]:
        _, decay, middle = parameters
        return shared_paths(left, right, decay, middle, beam)
