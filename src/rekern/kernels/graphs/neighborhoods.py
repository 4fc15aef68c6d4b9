"""The kernel on graphs by pairs of neighbourhoods."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.explanations import Explanation, Part
from rekern.core.inverted_lists import ListBlock, invert_rows
from rekern.core.key_rows import KeyRows
from rekern.core.object_descriptions import State
from rekern.core.parameters import check_most, check_whole
from rekern.core.registry import register
from rekern.core.state_schema import COLUMN, Flag, Schema, Whole, parameters
from rekern.core.weight_table import sum_weights, unpack_weights
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.gram_plan import GramPlan
from rekern.kernels.graphs.neighborhood_features import NeighborhoodFeatures, iterate_root_pairs
from rekern.kernels.kernel_items import Item, Items, materialize_items
from rekern.kernels.key_feature_kernel import KeyDecision, KeyFeatureKernel, square_rows
from rekern.structures.column_selection import select_graphs
from rekern.structures.graphs import Graphs

FARTHEST = 100  # every radius and distance has its own part of the kernel: more of them are of no use


class NeighborhoodPlace(NamedTuple):
    """Where a shared pair of neighbourhoods stands, and how often either graph has it, a pair of roots counted once."""

    radius: int
    distance: int
    counts: tuple[int, int]
    nodes: tuple[list[int], list[int]] = ([], [])  # of either graph, where it has the pair first


@dataclass(frozen=True, kw_only=True, repr=False)
class NeighborhoodExplanation(Explanation):
    """The value of the kernel on two graphs, and the pairs of neighbourhoods that they share.

    >>> why = Neighborhoods(radius=1, distance=0).explain((["a", "b"], [(0, 1)]), (["b", "a"], [(0, 1)]), n=1)
    >>> why.parts[0].name, why.places[0].radius
    ('b – a', 1)
    """

    places: list[NeighborhoodPlace] = field(default_factory=list)  # of each part
    graphs: Graphs | None = field(default=None, compare=False)  # the two graphs, for drawings

    def to_dict(self, n: int | None = None) -> dict[str, Any]:
        """Return plain values for JSON."""
        found = {**super().to_dict(n), "places": [place._asdict() for place in self.places[:n]]}
        for name, graph in zip(("left", "right"), self.graphs or ()):
            found[name] = {"nodes": graph[0], "edges": [list(edge) for edge in graph[1]]}
        return found


@register
class Neighborhoods(KeyFeatureKernel[Graphs]):
    """Pairs of neighbourhoods that two graphs share: NSPDK (Costa and De Grave, 2010).

    A neighbourhood is the part of a graph within ``h`` steps of a root: its nodes, all edges between them, all labels.
    A feature is a pair of neighbourhoods with the same ``h``, from ``min_radius`` to ``radius``, whose roots are ``d``
    steps apart, from 0 to ``distance``. Two features are the same if they are isomorphic, root to root; so the
    numbering of nodes does not matter. Graphs come in any form that ``Graphs.from_items`` reads.

    K is the sum over all h and d of the number of pairs of equal features; a pair of roots counts in both orders. With
    ``normalize`` the part of every h and d is normalised separately, so that large neighbourhoods weigh as much as
    small ones, and their sum is scaled to K(x, x) = 1. A graph without nodes has K = 0 with everything.

    >>> chip = (["saw", "Chip", "Dale"], [(0, 1, "subject"), (0, 2, "object")])
    >>> renumbered = (["Dale", "Chip", "saw"], [(2, 0, "object"), (1, 2, "subject")])
    >>> swapped = (["saw", "Chip", "Dale"], [(0, 2, "subject"), (0, 1, "object")])
    >>> K = Neighborhoods(radius=2, distance=4)
    >>> round(K(chip, renumbered), 12), K(chip, swapped)
    (1.0, 0.0)
    >>> Neighborhoods(radius=0, distance=1, min_radius=0, normalize=False)(chip, swapped)  # 3 words, 2 links
    7.0
    """

    on_texts = True
    structure = "graphs"

    schema = Schema(
        parameters(
            radius=Whole(0, FARTHEST),
            distance=Whole(0, FARTHEST),
            min_radius=Whole(0, FARTHEST),
            normalize=Flag(),
            on=COLUMN,
        )
    )

    def __init__(
        self,
        radius: int = 2,
        distance: int = 4,
        min_radius: int = 1,
        normalize: bool = True,
        on: str | None = None,
    ):
        self.radius = radius
        self.distance = distance
        self.min_radius = min_radius
        self.normalize = normalize
        self.on = on

    def read_items(self, X: Items) -> Graphs:
        """Return the graphs of ``X``, or of its representation ``on``."""
        return select_graphs(materialize_items(X), self.on)

    def make_feature_set(self) -> NeighborhoodFeatures:
        """Return which pairs of neighbourhoods count, after checking the parameters."""
        largest = check_whole("radius", self.radius, 0, FARTHEST)
        farthest = check_whole("distance", self.distance, 0, FARTHEST)
        smallest = check_whole("min_radius", self.min_radius, 0, largest)
        return NeighborhoodFeatures(smallest, largest, farthest, bool(self.normalize))

    def extract_rows(self, corpus: Graphs, n_jobs: int | None = None) -> KeyRows:
        """Return the features of every graph.

        Two different neighbourhoods that are apart, a pair in both orders, share a column that holds √2 times their
        number.
        """
        return self.make_feature_set().extract_rows(corpus, n_jobs)

    def name_features(self, corpus: Graphs, row: int, keys: set[int]) -> dict[int, str]:
        """Return these pairs of neighbourhoods of one graph as text."""
        graph, features = corpus[row : row + 1], self.make_feature_set()
        rows = features.extract_cells(graph, 1)
        places = np.array([place for place, key in enumerate(rows.keys.tolist()) if key in keys], np.int64)
        return dict(zip(rows.keys[places].tolist(), features.name_features(graph, rows, places)))

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Extract the features of all graphs into inverted lists."""
        left = self.extract_rows(self.read_items(X), n_jobs)
        right = None if Y is None else self.extract_rows(self.read_items(Y), n_jobs)
        lists = invert_rows(left, right, n_jobs)
        diagonal = self._square(left) if right is None else None
        # Without normalisation values are whole numbers, except for the root of two in the features.
        block = ListBlock(lists, diagonal, whole=not self.normalize)
        return GramPlan(len(left.indptr) - 1, lists.width, Y is None, block)

    def _square(self, rows: KeyRows) -> Floats:
        squares = square_rows(rows, self.normalize)
        return squares if self.normalize else np.rint(squares)

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every graph."""
        return self._square(self.extract_rows(self.read_items(X)))

    def explain(self, a: Item, b: Item, n: int | None = 10) -> NeighborhoodExplanation:
        """Return the pairs of neighbourhoods that contribute most to K(a, b), all of them if ``n`` is None.

        >>> one = (["the", "cat", "sat"], [(0, 1, "det"), (1, 2, "subj")])
        >>> two = (["the", "cat", "ran"], [(0, 1, "det"), (1, 2, "subj")])
        >>> why = Neighborhoods(radius=1, distance=1).explain(one, two)
        >>> [(part.name, round(part.contribution, 3)) for part in why.parts], why.places[0].counts
        ([('the –det– cat', 0.167)], (1, 1))
        """
        n = check_most("n", n)
        features = self.make_feature_set()
        graphs = self.read_items([a, b])
        rows = features.extract_rows(graphs, n_jobs=1)
        first = rows.indptr[1]
        keys, in_a, in_b = np.intersect1d(rows.keys[:first], rows.keys[first:], return_indices=True)
        contributions = rows.values[in_a] * rows.values[first + in_b]
        own = features.extract_cells(graphs[:1], 1)
        cells = np.searchsorted(own.indptr, in_a, side="right") - 1
        # Equal contributions are ordered from small to large neighbourhoods, then by their keys.
        best = np.lexsort((keys, cells, -np.round(contributions, 12)))[:n]
        texts = features.name_features(graphs[:1], own, in_a[best])
        parts, places = [], []
        for index, text in zip(best, texts):
            radius, distance = features.find_cell(int(cells[index]))
            counts, nodes = [], []
            for graph in (graphs[:1], graphs[1:]):
                count, first = 0, None
                for pairs, found in iterate_root_pairs(graph, radius, distance):
                    equal = np.flatnonzero(found == keys[index])
                    count += len(equal)
                    first = pairs[equal[0]].tolist() if first is None and len(equal) else first
                counts.append(count)
                nodes.append(_find_around(graph, first or [], radius))
            parts.append(Part("neighbourhoods", text, float(contributions[index])))
            places.append(NeighborhoodPlace(radius, distance, (counts[0], counts[1]), (nodes[0], nodes[1])))
        return NeighborhoodExplanation(
            decision=self(a, b), parts=parts, places=places, complete=len(parts) == len(keys), graphs=graphs
        )

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return a table of pairs of neighbourhoods with weights."""
        chosen = np.flatnonzero(np.any(coefficients != 0, axis=1))
        rows = self.extract_rows(self.read_items(X).take(chosen))
        return KeyDecision(self, sum_weights(rows, np.asarray(coefficients, dtype=float)[chosen]), "neighbourhoods")

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return the table of a file."""
        self.make_feature_set()  # which checks the parameters
        return KeyDecision(self, unpack_weights(state, outputs), "neighbourhoods")


def _find_around(graph: Graphs, roots: list[int], radius: int) -> list[int]:
    """Return the nodes of a single graph within ``radius`` steps of some roots."""
    near = set(roots)
    for _ in range(radius):
        near |= {
            int(neighbor) for node in near for neighbor in graph.neighbors[graph.indptr[node] : graph.indptr[node + 1]]
        }
    return sorted(near)
