"""Decision functions x ↦ Σ cᵢ K(xᵢ, x) of trained models, in the form in which a kernel computes and explains them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, Self, cast, runtime_checkable

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.explanation_parts import Part, join_parts
from rekern.core.object_descriptions import State
from rekern.core.state_schema import Anything, Array, Record
from rekern.kernels.kernel_items import Item, Items, materialize_items, wrap_item
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.kernels.score_effects import ScoreEffect
from rekern.structures.item_states import has_plain_lists, pack_items, unpack_items
from rekern.structures.pairs import Pairs
from rekern.structures.representations import Representations

if TYPE_CHECKING:
    from rekern.core.explanations import Explanation


class DecisionFunction(Protocol):
    """A weighted sum of kernel values with training items; a column of coefficients makes an output.

    >>> from rekern.kernels import Spectrum
    >>> decide = Spectrum(1, normalize=False).decision_function(["a b", "c"], np.array([[1.0], [-1.0]]))
    >>> decide.score(["a", "c c"])
    array([[ 1.],
           [-2.]])
    """

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every item, a column for each output. Other items do not change the sum of an item."""
        ...

    def parts(self, item: Item, output: int = 0) -> Sequence[Part]:
        """Return what each feature adds to one output for one item."""
        ...

    def terms(self) -> list[DecisionFunction]:
        """Return the decision functions of which this one is the sum; itself if it is a single one."""
        return [self]

    def effects(self, output: int = 0) -> list[ScoreEffect]:
        """Return what each score does, as a line or a curve; nothing for a kernel without scores."""
        return []

    def to_state(self) -> State:
        """Return what a model file keeps; the kernel's ``restore_decision`` makes the same function of it again."""
        raise NotImplementedError(f"{type(self).__name__} has no to_state")

    def has_items(self) -> bool:
        """Return whether the function needs the words, trees or graphs of training items, and its state has them."""
        return False


@runtime_checkable
class ExplainingKernel(Protocol):
    """A kernel that lists what two items share."""

    def explain(self, a: Item, b: Item, n: int | None = 10) -> Explanation:
        """Return what two items share, the ``n`` heaviest parts."""
        ...


class GramSource(Protocol):
    """What a decision function needs of a kernel: values with training items."""

    def gram(self, X: Items, Y: Items = None, n_jobs: int | None = None) -> Floats:
        """Return the matrix of K(x, y)."""
        ...

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every item."""
        ...

    def reads(self) -> set[str]:
        """Return the columns of a table of items that the kernel reads."""
        ...


class SumDecision(DecisionFunction):
    """The decision function of a sum of kernels: the sum of theirs."""

    def __init__(self, summands: list[DecisionFunction]):
        self.summands = summands

    def terms(self) -> list[DecisionFunction]:
        """Return the decision functions of the kernels in the sum."""
        return [term for summand in self.summands for term in summand.terms()]

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every item, a column for each output."""
        X = materialize_items(X)
        total = self.summands[0].score(X, n_jobs)
        for summand in self.summands[1:]:
            total = total + summand.score(X, n_jobs)
        return total

    def effects(self, output: int = 0) -> list[ScoreEffect]:
        """Return what the scores of all kernels do."""
        return [effect for summand in self.summands for effect in summand.effects(output)]

    def parts(self, item: Item, output: int = 0) -> Sequence[Part]:
        """Return what each feature of each kernel adds for one item."""
        return join_parts([summand.parts(item, output) for summand in self.summands])

    def to_state(self) -> State:
        """Return the states of the summands."""
        return State(summands=[summand.to_state() for summand in self.summands])

    def has_items(self) -> bool:
        """Return whether one of the summands needs training items."""
        return any(summand.has_items() for summand in self.summands)


class GramDecision(DecisionFunction):
    """The plain sum over training items, for a kernel without explicit features."""

    STATE = Record(
        items=Anything(),
        chosen=Array("i8", "items", least=0),
        coefficients=Array("f8", "items", "outputs"),
    )

    def __init__(self, kernel: GramSource, X: Items, coefficients: Floats):
        chosen = np.flatnonzero(np.any(coefficients != 0, axis=1))
        self.kernel = kernel
        # Rows of a table stay in one: their trees have been read already. So do pairs: their words stay as written.
        self.items: Sequence[Item] | Representations | Pairs
        if isinstance(X, Representations):
            names = kernel.reads()
            table = X.select_columns(sorted(names)) if names <= set(X.columns) else X
            self.items = table.take(chosen)
        elif isinstance(X, Pairs):
            self.items = X.take(chosen)
        else:
            sequence = cast(Sequence[Item], X)
            self.items = [sequence[int(index)] for index in chosen]
        self.chosen = chosen
        self.coefficients = np.asarray(coefficients, dtype=float)[chosen]

    def to_state(self) -> State:
        """Return the training items with a coefficient other than 0, as arrays, and their coefficients."""
        return State(items=pack_items(self.items), chosen=self.chosen, coefficients=self.coefficients)

    def has_items(self) -> bool:
        """Return True: the training items are needed."""
        return True

    @classmethod
    def from_state(cls, kernel: GramSource, state: State, outputs: int) -> Self:
        """Return the function that `to_state` wrote down, after checking it."""
        found = cls(kernel, [], np.zeros((0, outputs)))
        items = cast(Sequence[Item], unpack_items(state.state("items")))
        cls.STATE.check(state, "decision function", {"items": len(items), "outputs": outputs})
        found.items, found.chosen, found.coefficients = items, state["chosen"], state["coefficients"]
        if len(items):  # bad parameters of the kernel, missing representations and bad items raise an error here
            kernel.diag(items if has_plain_lists(items) else items[:1])
        return found

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every item, a column for each output."""
        if not len(self.items):
            return np.zeros((len(self.kernel.diag(X)), self.coefficients.shape[1]))
        # Row by row: a matrix product adds up in an order that depends on how many rows there are.
        gram = self.kernel.gram(X, self.items, n_jobs)
        return np.array([row @ self.coefficients for row in gram]).reshape(len(gram), self.coefficients.shape[1])

    def parts(self, item: Item, output: int = 0) -> list[Part]:
        """Return one part: the kernel as a whole."""
        return [Part("kernel", summarize_kernel(self.kernel), 1.0, float(self.score(wrap_item(item))[0, output]))]


class PairDecision(GramDecision):
    """The sum over training pairs of a kernel that compares whole pairs."""

    def parts(self, item: Item, output: int = 0) -> list[Part]:
        """Return one part for each training pair."""
        if not len(self.items):
            return []
        values = self.kernel.gram(wrap_item(item), self.items, n_jobs=1)[0]
        name = summarize_kernel(self.kernel)
        return [
            Part("pair", f"{name} with training pair {index}", value, weight)
            for index, value, weight in zip(
                self.chosen.tolist(), values.tolist(), self.coefficients[:, output].tolist()
            )
        ]
