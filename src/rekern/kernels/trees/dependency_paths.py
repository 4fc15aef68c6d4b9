"""The paths that two dependency trees share (Kate, 2008)."""

from __future__ import annotations

from rekern.core.arrays import Ints
from rekern.core.parameters import check_choice, check_decay
from rekern.core.registry import register
from rekern.core.state_schema import COLUMN, DECAY, Choice, Flag, Schema, parameters
from rekern.kernels.trees.dependency_paths_core import PathParameters, fill_dependency_paths
from rekern.kernels.trees.shared_paths import list_dependency_paths
from rekern.kernels.trees.tree_kernel import FillBlock, TreeKernel
from rekern.structures.trees import Trees


@register
class DependencyPaths(TreeKernel[PathParameters]):
    """Paths that two dependency trees share (Kate, 2008); the words are the labels of the nodes.

    A path climbs from a word to a common ancestor and down again; one of n links weighs ``decay ** n``, a single word
    weighs 1. With ``weights="printed"`` a path of which one branch has a single word below the highest one and the
    other branch more weighs one power of ``decay`` less, as the equations of the paper have it.

    >>> K = DependencyPaths(decay=1.0, normalize=False)
    >>> K("(saw (Chip) (Dale))", "(saw (Chip))")  # saw, Chip, Chip → saw
    3.0
    >>> why = DependencyPaths(decay=0.5, normalize=False).explain("(saw (Chip) (Dale))", "(saw (Chip))")
    >>> [(part.name, part.contribution) for part in why.parts]
    [('Chip', 1.0), ('saw', 1.0), ('Chip → saw', 0.5)]
    """

    kind = "path"
    has_device_core = True

    schema = Schema(parameters(decay=DECAY, weights=Choice("length", "printed"), normalize=Flag(), on=COLUMN))

    def __init__(self, decay: float = 0.25, weights: str = "length", normalize: bool = True, on: str | None = None):
        self.decay = decay
        self.weights = weights
        self.normalize = normalize
        self.on = on

    def get_core(self) -> FillBlock:
        """Return the compiled function that fills a block."""
        return fill_dependency_paths

    def make_parameters(self, vocabulary: list[str], used: Ints) -> PathParameters:
        """Return the parameters of the core, after checking them."""
        decay = check_decay(self.decay)
        check_choice("weights", self.weights, ("length", "printed"))
        return PathParameters(len(vocabulary), decay, decay if self.weights == "printed" else decay * decay)

    def list_shared(
        self, left: Trees, right: Trees, parameters: PathParameters, beam: int, n: int | None
    ) -> dict[str, float]:
        """Return the paths that two trees share, as text, with what each adds."""
        return list_dependency_paths(left, right, parameters.decay, parameters.middle, beam, n)
