"""The base of the kernels on pairs of texts that are made of a kernel on texts.

Of two pairs (a1, a2) and (b1, b2) the *straight* values are K(a1, b1) and K(a2, b2), the *crossed* ones K(a1, b2) and
K(a2, b1). All values come from a Gram of the distinct texts, so two texts are compared once. If that Gram would exceed
``GRAM_BYTES``, its rows are computed when a block needs them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, cast

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.explanations import Explanation, Part
from rekern.core.object_descriptions import State
from rekern.core.parameters import check_most
from rekern.errors import InputError
from rekern.kernels.decision_functions import DecisionFunction, PairDecision
from rekern.kernels.gram_plan import Block, GramPlan
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Item, Items, add_sides
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.structures.pairs import check_one_pair
from rekern.structures.representations import DistinctTexts, Representations

if TYPE_CHECKING:
    import scipy.sparse as sp

GRAM_BYTES = 1 << 31  # of the Gram of distinct texts that is kept in memory: 16,384 texts with themselves

Combine = Callable[..., Floats]


@dataclass(frozen=True, kw_only=True, repr=False)
class PairingExplanation(Explanation):
    """The value of a pair kernel on two pairs, and what it comes from.

    The parts are what the texts share that the better pairing compares; ``source`` or ``target`` names the side.

    >>> from rekern.kernels import BestPairing, Spectrum
    >>> found = BestPairing(Spectrum(1)).explain(("a", "b"), ("b", "a"))
    >>> found.decision, found.straight, found.crossed, found.pairing
    (1.0, (0.0, 0.0), (1.0, 1.0), 'crossed')
    >>> found
    <PairingExplanation>
    value       1.0000, from straight 0.0000 and 0.0000, crossed 1.0000 and 1.0000
    shared in the crossed pairing:
    """

    straight: tuple[float, float] = (0.0, 0.0)  # K of the two sources, and of the two targets
    crossed: tuple[float, float] = (0.0, 0.0)  # of the first source and the second target, and the other way round
    pairing: str = "straight"  # or "crossed", whichever is more alike

    def heading(self) -> list[str]:
        """Return the lines above the parts: K and the four values of which it is made."""
        values = [f"{name} {one:.4f} and {two:.4f}" for name, (one, two) in self._values().items()]
        return [
            f"value       {self.decision:.4f}, from {', '.join(values)}",
            f"shared in the {self.pairing} pairing:",
            "",
        ]

    def to_dict(self, n: int | None = None) -> dict[str, Any]:
        """Return plain values for JSON."""
        values = {name: list(pair) for name, pair in self._values().items()}
        return {**super().to_dict(n), **values, "pairing": self.pairing}

    def _values(self) -> dict[str, tuple[float, float]]:
        return {"straight": self.straight, "crossed": self.crossed}


class ExplainingKernel(Protocol):
    """A kernel that lists what two items share."""

    def explain(self, a: Item, b: Item, n: int | None = 10) -> Explanation:
        """Return what two items share, the ``n`` heaviest parts."""
        ...


class PairKernel(Kernel):
    """The base of the pair kernels: a subclass says how the values are combined.

    The kernel on texts is used as it is, normalised or not; the result is not normalised again.
    """

    kernel: Kernel

    def get_combination(self) -> Combine:
        """Return the function from the two straight values, and the two crossed ones if it takes them, to K."""
        raise NotImplementedError

    def has_crossed_values(self) -> bool:
        """Return whether the combination takes the crossed values too."""
        return True

    def check_kernel(self) -> Kernel:
        """Return the kernel on texts, after checking that it is one."""
        if not isinstance(self.kernel, Kernel):
            raise InputError(
                f"{type(self).__name__} needs a kernel on texts, such as PartialTree(), "
                f"got {summarize_kernel(self.kernel)}"
            )
        return self.kernel

    def reads(self) -> set[str]:
        """Return the columns of both sides that the kernel on texts reads."""
        names = self.check_kernel().reads()
        if "source" in names or "target" in names:
            raise InputError(
                f"{type(self).__name__} needs a kernel on texts, and {summarize_kernel(self.kernel)} compares pairs; "
                "use it alone"
            )
        return add_sides(names)

    def find_texts(self, X: Items) -> DistinctTexts:
        """Return the distinct texts of the pairs, and which of them are the source and the target of each pair."""
        self.reads()  # a kernel on pairs is refused
        return Representations.from_items(X).texts(sorted(self.check_kernel().reads()))

    def fit(self, X: Items, y: object = None) -> Self:
        """Fit the kernel on texts to all distinct texts of the training pairs."""
        self.check_kernel().fit(self.find_texts(X).table)
        return self

    def adapt(self, X: Items, y: object = None) -> Self:
        """Adapt the kernel on texts to all distinct texts of the training pairs."""
        self.check_kernel().adapt(self.find_texts(X).table)
        return self

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Compute the Gram of the distinct texts, from which the values of pairs are gathered."""
        combine = self.get_combination()
        left = self.find_texts(X)
        right = left if Y is None else self.find_texts(Y)
        rows, columns = (left.sources, left.targets), (right.sources, right.targets)
        symmetric = Y is None
        if self.has_crossed_values():
            values = self._compare_texts(left.table, None if symmetric else right.table, n_jobs)
            lookups = [_Lookup(values, rows[a], columns[b]) for a, b in ((0, 0), (1, 1), (0, 1), (1, 0))]
        else:
            lookups = []
            for side in (0, 1):  # sources never meet targets, so that each side has a Gram of its own
                mine, row_numbers = np.unique(rows[side], return_inverse=True)
                theirs, column_numbers = np.unique(columns[side], return_inverse=True)
                other = None if symmetric else right.table.take(theirs)
                values = self._compare_texts(left.table.take(mine), other, n_jobs)
                lookups.append(_Lookup(values, row_numbers, column_numbers))
        return GramPlan(len(rows[0]), len(columns[0]), symmetric, PairingBlock(lookups, combine, symmetric))

    def _compare_texts(self, left: Representations, right: Representations | None, n_jobs: int | None) -> TextGram:
        """Return K of all distinct texts with all others: computed now, or when rows of it are needed."""
        kernel = self.check_kernel()
        if 8 * len(left) * len(left if right is None else right) <= GRAM_BYTES:
            return _StoredGram(kernel.gram(left, right, n_jobs))
        return _GramOnDemand(kernel.plan_gram(left, left if right is None else right, n_jobs).block)

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every pair."""
        combine = self.get_combination()
        table, sources, targets = self.find_texts(X)
        squares = self.check_kernel().diag(table)
        straight = squares[sources], squares[targets]
        if not self.has_crossed_values():
            return combine(*straight)
        across = self.check_kernel().paired(table.take(sources), table.take(targets))
        return combine(*straight, across, across)

    def extract_side_features(self, X: Items, n_jobs: int | None) -> tuple[sp.csr_array, sp.csr_array]:
        """Return the features of the texts: a row for the source, and one for the target, of every pair."""
        table, sources, targets = self.find_texts(X)
        features = self.check_kernel().features(table, n_jobs)
        return features[sources], features[targets]

    def list_side_features(self, X: Items) -> tuple[sp.csr_array, sp.csr_array]:
        """Return the same over the learned columns."""
        table, sources, targets = self.find_texts(X)
        features = self.check_kernel().list_features(table)
        return features[sources], features[targets]

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return the sum over training pairs; each of them is a part of an explanation."""
        return PairDecision(self, X, coefficients)

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return the sum over the training pairs of a file."""
        return PairDecision.from_state(self, state, outputs)

    def explain(self, a: Item, b: Item, n: int | None = 10) -> PairingExplanation:
        """Return the four values of two pairs, the better pairing, and the ``n`` heaviest fragments that it shares.

        >>> from rekern.kernels import BestPairing, SubsetTree
        >>> K = BestPairing(SubsetTree(decay=1.0, normalize=False))
        >>> found = K.explain(("(A x)", "(B y)"), ("(B y)", "(A x)"))
        >>> found.decision, found.straight, found.crossed, found.pairing
        (1.0, (0.0, 0.0), (1.0, 1.0), 'crossed')
        >>> [(part.kind, part.name, part.source, part.target, part.contribution) for part in found.parts]
        [('fragment', '(A x)', '(A x)', '', 1.0), ('fragment', '(B y)', '', '(B y)', 1.0)]
        """
        n = check_most("n", n)
        check_one_pair(a)
        check_one_pair(b)
        kernel = self.check_kernel()
        one, other = self.find_texts([a]), self.find_texts([b])
        values = kernel.gram(one.table, other.table, n_jobs=1)
        rows, columns = [one.sources[0], one.targets[0]], [other.sources[0], other.targets[0]]
        straight = float(values[rows[0], columns[0]]), float(values[rows[1], columns[1]])
        crossed = float(values[rows[0], columns[1]]), float(values[rows[1], columns[0]])
        swap = self.has_crossed_values() and np.prod(crossed) > np.prod(straight)
        parts: list[Part] = []
        if hasattr(kernel, "explain"):
            explaining = cast(ExplainingKernel, kernel)
            for place in (0, 1):  # the source, then the target
                against = other.table[int(columns[1 - place if swap else place])]
                shared = explaining.explain(one.table[int(rows[place])], against, n)
                for part in shared.parts:
                    source, target = (part.name, "") if place == 0 else ("", part.name)
                    parts.append(part._replace(source=source, target=target))
            parts.sort(key=lambda part: -part.contribution)
        return PairingExplanation(
            decision=self(a, b),
            parts=parts if n is None else parts[:n],
            straight=straight,
            crossed=crossed,
            pairing="crossed" if swap else "straight",
        )


class TextGram(Protocol):
    """A Gram of texts of which rows can be asked for."""

    def rows(self, numbers: Ints) -> Floats:
        """Return the rows of these numbers."""
        ...


@dataclass(frozen=True)
class _StoredGram:
    """A Gram of texts in memory."""

    gram: Floats

    def rows(self, numbers: Ints) -> Floats:
        """Return the rows of these numbers."""
        return self.gram[numbers]


@dataclass(frozen=True)
class _GramOnDemand:
    """A Gram of texts whose rows are computed when they are needed."""

    block: Block

    def rows(self, numbers: Ints) -> Floats:
        """Compute the rows of these numbers."""
        wanted, places = np.unique(numbers, return_inverse=True)
        runs = np.split(wanted, np.flatnonzero(np.diff(wanted) > 1) + 1)
        return np.concatenate([self.block(int(run[0]), int(run[-1]) + 1) for run in runs])[places]


@dataclass(frozen=True)
class _Lookup:
    """One of the values of a pair kernel: the Gram of the texts, and which text is compared with which."""

    values: TextGram
    rows: Ints
    columns: Ints


@dataclass(frozen=True)
class PairingBlock:
    """Gathers a block of the Gram of pairs from the Gram of texts."""

    lookups: list[_Lookup]
    combine: Combine
    symmetric: bool

    def __call__(self, first: int, last: int) -> Floats:
        offset = first if self.symmetric else 0
        known: dict[tuple[int, int], Floats] = {}  # rows that two of the four values share
        found = []
        for lookup in self.lookups:
            key = id(lookup.values), id(lookup.rows)
            if key not in known:
                known[key] = lookup.values.rows(lookup.rows[first:last])
            found.append(known[key][:, lookup.columns[offset:]])
        return self.combine(*found)
