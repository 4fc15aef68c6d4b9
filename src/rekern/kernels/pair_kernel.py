"""The base of the kernels on pairs of texts that are made of a kernel on texts.

Of two pairs (a1, a2) and (b1, b2) the *straight* values are K(a1, b1) and K(a2, b2), the *crossed* ones K(a1, b2) and
K(a2, b1). All values come from a Gram of the distinct texts (`kernels/text_gram.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, cast

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.explanations import Explanation, Part
from rekern.core.json_values import JsonObject
from rekern.core.messages import show_value
from rekern.core.object_descriptions import State
from rekern.core.parameters import check_most
from rekern.errors import InputError
from rekern.kernels.decision_functions import DecisionFunction, ExplainingKernel, PairDecision
from rekern.kernels.gram_plan import GramPlan
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Item, Items, add_sides
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.kernels.text_gram import TextGram, compare_texts
from rekern.structures.pairs import check_one_pair
from rekern.structures.representations import DistinctTexts, Representations

if TYPE_CHECKING:
    import scipy.sparse as sp

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
        values = [f"{name} {one:.4f} and {two:.4f}" for name, (one, two) in self._list_values().items()]
        return [
            f"value       {self.decision:.4f}, from {', '.join(values)}",
            f"shared in the {self.pairing} pairing:",
            "",
        ]

    def to_dict(self, n: int | None = None) -> JsonObject:
        """Return plain values for JSON."""
        values = {name: list(pair) for name, pair in self._list_values().items()}
        return {**super().to_dict(n), **values, "pairing": self.pairing}

    def _list_values(self) -> dict[str, tuple[float, float]]:
        return {"straight": self.straight, "crossed": self.crossed}


class PairKernel(Kernel):
    """The base of the pair kernels: a subclass says how the values are combined.

    The kernel on texts is used as it is, normalised or not; the result is not normalised again.
    """

    checks_itself = frozenset({"kernel"})

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def get_combination(self) -> Combine:
        """Return the function from the two straight values, and the two crossed ones if it takes them, to K."""
        raise NotImplementedError

    def has_crossed_values(self) -> bool:
        """Return whether the combination takes the crossed values too."""
        return True

    def check_kernel(self) -> Kernel:
        """Return the kernel on texts, after checking that it is one."""
        if not isinstance(self.kernel, Kernel):
            wrong = f"kernel={show_value(self.kernel)}"
            raise InputError(f"{wrong}: {type(self).__name__} needs a kernel on texts, such as PartialTree()")
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
        kernel = self.check_kernel()
        symmetric = Y is None
        left = self.find_texts(X)
        right = left if symmetric else self.find_texts(Y)
        rows, columns = (left.sources, left.targets), (right.sources, right.targets)
        lookups = []
        # Sources and targets have a Gram of their own each if they never meet.
        for sides in ((0, 1),) if self.has_crossed_values() else ((0,), (1,)):
            mine, row_numbers = _number_texts([rows[side] for side in sides])
            theirs, column_numbers = _number_texts([columns[side] for side in sides])
            other = None if symmetric else right.table.take(theirs)
            values = compare_texts(kernel, left.table.take(mine), other, n_jobs)
            lookups += [_Lookup(values, row, column) for row, column in zip(row_numbers, column_numbers)]
            if len(sides) == 2:
                lookups += [_Lookup(values, row, column) for row, column in zip(row_numbers, column_numbers[::-1])]
        block = PairingBlock(lookups, combine, symmetric)
        prepare = tuple({id(lookup.values): lookup.values.fill for lookup in lookups}.values())
        return GramPlan(len(rows[0]), len(columns[0]), symmetric, block, prepare)

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
            rows, columns = lookup.rows[first:last], lookup.columns[offset:]
            lookup.values.provide(rows, columns)
            if key not in known:
                known[key] = lookup.values.rows(rows)
            found.append(known[key][:, columns])
        return self.combine(*found)


def _number_texts(sides: list[Ints]) -> tuple[Ints, list[Ints]]:
    """Return the texts that occur, in the order of the pairs, and the places of the texts of each side among them.

    In this order, pairs at the end need only rows at the end of the Gram of texts, so that little is computed again
    when a run continues.
    """
    texts, first, places = np.unique(np.stack(sides, axis=1), return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return texts[order], list(np.ascontiguousarray(rank[places.reshape(-1, len(sides))].T))
