"""Decisions by landmarks: the part of each landmark is shared out over what it has in common with the item."""

from __future__ import annotations

from collections import defaultdict
from typing import cast

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.explanations import Part
from rekern.core.object_descriptions import State
from rekern.kernels.decision_functions import DecisionFunction, ExplainingKernel, GramDecision, SumDecision
from rekern.kernels.kernel_items import Item, Items, wrap_item
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.structures.pairs import Pairs
from rekern.structures.representations import Row

MOST_SHARED = 100  # landmarks, those that add most, of which the fragments are listed: all would take a minute
MOST_FRAGMENTS = 50  # of one landmark


def share_out(decision: DecisionFunction, rows: Ints) -> DecisionFunction:
    """Return a decision function over landmarks whose parts are what an item shares with them.

    Kernels with explicit features list them already. ``rows`` are the numbers of the landmarks among training items.

    >>> from rekern.kernels import PartialTree
    >>> decide = PartialTree(normalize=False).decision_function(["(A b)", "(C d)"], np.array([[2.0], [1.0]]))
    >>> [part.name for part in share_out(decide, np.arange(2)).parts("(A b)")]
    ['(A)', '(b)', '(A b)']
    """
    if isinstance(decision, SumDecision):
        return SumDecision([share_out(summand, rows) for summand in decision.summands])
    if isinstance(decision, GramDecision):
        return LandmarkDecision(decision, rows)
    return decision


class LandmarkDecision(DecisionFunction):
    """A sum over landmarks. What a landmark adds is shared out over the fragments that it shares with the item.

    The shares are in proportion to what each fragment adds to the kernel's value; in a kernel on pairs, to the values
    of the better pairing. Landmarks beyond the `MOST_SHARED` that add most are one part together. Those of a kernel
    that lists no fragments are a part each.
    """

    def __init__(self, decision: GramDecision, rows: Ints):
        self.decision = decision
        self.rows = rows

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every item, a column for each output."""
        return self.decision.score(X, n_jobs)

    def to_state(self) -> State:
        """Return the landmarks and their coefficients."""
        return self.decision.to_state()

    def has_items(self) -> bool:
        """Return True: the landmarks are needed."""
        return True

    def parts(self, item: Item, output: int = 0) -> list[Part]:
        """Return one part for each fragment, and for landmarks whose parts are not shared out."""
        items, kernel = self.decision.items, self.decision.kernel
        if not len(items):
            return []
        values = kernel.gram(wrap_item(item), items, n_jobs=1)[0]
        weights = self.decision.coefficients[:, output]
        added = values * weights
        order = np.argsort(-np.abs(added), kind="stable")
        order = order[added[order] != 0]
        most = MOST_SHARED if isinstance(kernel, ExplainingKernel) else 0
        totals: dict[tuple[str, str, str, str], float] = defaultdict(float)
        alone = []
        for place in order[: most or None].tolist():
            shared = self._list_shared(item, cast(Item, items[place])) if most else []
            whole = sum(part.contribution for part in shared)
            for part in shared if whole > 0 else ():
                share = part.contribution / whole
                totals[part.kind, part.name, part.source, part.target] += share * float(added[place])
            if not whole > 0:
                name = f"{summarize_kernel(kernel)} with landmark {self.rows[self.decision.chosen[place]]}"
                alone.append(Part("landmark", name, float(values[place]), float(weights[place])))
        found = [
            Part(kind, name, 1.0, weight, source, target) for (kind, name, source, target), weight in totals.items()
        ]
        rest = order[most:] if most else order[:0]
        if len(rest):
            alone.append(Part("landmark", f"{len(rest)} other landmarks", 1.0, float(added[rest].sum())))
        return sorted(found, key=lambda part: -abs(part.contribution)) + alone

    def _list_shared(self, item: Item, landmark: Item) -> list[Part]:
        explaining = cast(ExplainingKernel, self.decision.kernel)
        return list(explaining.explain(_isolate(item), _isolate(landmark), n=MOST_FRAGMENTS).parts)


def _isolate(item: Item) -> Item:
    """Return a row of a table by itself: to number the labels of all trees of the table would take most of the time."""
    if isinstance(item, Pairs):
        return item[0]
    return dict(item) if isinstance(item, Row) else item
