"""The kernel on graphs by pairs of neighbourhoods."""

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rekern.core.csr import make_csr
from rekern.core.inverted_lists import ListBlock, invert
from rekern.core.jobs import run, spans
from rekern.core.key_index import number_keys
from rekern.core.key_rows import KeyRows, stack_rows
from rekern.core.parameters import check_most
from rekern.core.registry import register
from rekern.kernels.graphs.neighborhood_pairs import links_of, list_pairs, pair_features
from rekern.kernels.kernel import Kernel, Plan, inverse_roots
from rekern.structures.graphs import Graphs
from rekern.structures.representations import graphs_in

__all__ = ["Neighborhoods", "SharedBalls", "ball_text"]

GRAPHS_IN_BLOCK = 128
FARTHEST = 100  # every radius and distance has its own part of the kernel: more of them are of no use


class SharedBalls(NamedTuple):
    """A pair of neighbourhoods that two graphs share.

    >>> Neighborhoods(radius=1, distance=0).explain((["a", "b"], [(0, 1)]), (["b", "a"], [(0, 1)]), n=1)[0].text
    'b – a'
    """

    text: str  # the neighbourhoods, as `ball_text` writes them
    radius: int
    distance: int
    counts: tuple[int, int]  # how often it occurs in either graph, a pair of roots counted once
    contribution: float  # what it adds to the kernel's value


@register
class Neighborhoods(Kernel):
    """Pairs of neighbourhoods that two graphs share: NSPDK (Costa and De Grave, 2010).

    A neighbourhood is the part of a graph within ``h`` steps of a root: its nodes, all edges between them, all labels.
    A feature is a pair of neighbourhoods with the same ``h``, from ``min_radius`` to ``radius``, whose roots are ``d``
    steps apart, from 0 to ``distance``; two are the same if they are isomorphic, root to root, so the numbering of
    nodes plays no part. Graphs come in any form that ``Graphs.from_items`` reads.

    K is the sum over all h and d of the number of pairs of equal features; a pair of roots counts in both orders. With
    ``normalize`` the part of every h and d is normalised by itself, so that large neighbourhoods weigh as much as
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

    def items(self, X: Any) -> Graphs:
        """The graphs of ``X``, or of its representation ``on``."""
        return graphs_in(X, self.on)

    def _ranges(self) -> tuple[int, int, int]:
        """The smallest and the largest radius and the largest distance."""
        largest, farthest = _whole("radius", self.radius, FARTHEST), _whole("distance", self.distance, FARTHEST)
        return _whole("min_radius", self.min_radius, largest), largest, farthest

    def rows(self, graphs: Graphs, n_jobs: int | None = None) -> KeyRows:
        """The features of every graph."""
        parts = self._parts(graphs, n_jobs)
        cells = self._cells()
        indptr = parts.indptr[::cells].copy()
        if not self.normalize:
            return KeyRows(indptr, parts.keys, parts.values)
        scale = inverse_roots(parts.squared_norms())
        present = np.count_nonzero(scale.reshape(-1, cells), axis=1).astype(float)
        scale *= np.repeat(inverse_roots(present), cells)
        return KeyRows(indptr, parts.keys, parts.values * np.repeat(scale, np.diff(parts.indptr)))

    def _cells(self) -> int:
        smallest, largest, farthest = self._ranges()
        return (largest - smallest + 1) * (farthest + 1)

    def _parts(self, graphs: Graphs, n_jobs: int | None) -> KeyRows:
        """The features of every graph, a row for each radius and distance."""
        links, ranges = links_of(graphs), self._ranges()
        calls = [(*span, graphs.offsets, links, *ranges) for span in spans(len(graphs), GRAPHS_IN_BLOCK)]
        return stack_rows(list(run(pair_features, calls or [(0, 0, graphs.offsets, links, *ranges)], n_jobs, "balls")))

    def _plan(self, X: Any, Y: Any, n_jobs: int | None) -> Plan:
        left = self.rows(self.items(X), n_jobs)
        right = None if Y is None else self.rows(self.items(Y), n_jobs)
        lists = invert(left, right, n_jobs)
        diagonal = self._diagonal(left) if right is None else None
        # Without normalisation values are whole numbers, but for the root of two in the features.
        block = ListBlock(lists, diagonal, whole=not self.normalize)
        return Plan(len(left.indptr) - 1, lists.width, Y is None, block)

    def has_features(self) -> bool:
        """Pairs of neighbourhoods are explicit features."""
        return True

    def features(self, X: Any, n_jobs: int | None = None) -> sp.csr_array:
        """A row for each graph, a column for each distinct pair of neighbourhoods of these graphs.

        Two different neighbourhoods that are apart, a pair in both orders, share a column that holds √2 times their
        number.
        """
        rows = self.rows(self.items(X), n_jobs)
        numbers, distinct = number_keys(rows.keys, n_jobs)
        return make_csr(rows.values, numbers, rows.indptr, len(distinct))

    def _diagonal(self, rows: KeyRows) -> np.ndarray:
        return (np.diff(rows.indptr) > 0).astype(float) if self.normalize else np.rint(rows.squared_norms())

    def diag(self, X: Any) -> np.ndarray:
        """K(x, x) for every graph."""
        return self._diagonal(self.rows(self.items(X)))

    def explain(self, a: Any, b: Any, n: int | None = 10) -> list[SharedBalls]:
        """The pairs of neighbourhoods that contribute most to K(a, b), all of them if ``n`` is None.

        >>> one = (["the", "cat", "sat"], [(0, 1, "det"), (1, 2, "subj")])
        >>> two = (["the", "cat", "ran"], [(0, 1, "det"), (1, 2, "subj")])
        >>> for shared in Neighborhoods(radius=1, distance=1).explain(one, two):
        ...     print(shared.text, shared.counts, round(shared.contribution, 3))
        the –det– cat (1, 1) 0.167
        """
        n = check_most("n", n)
        smallest, _, farthest = self._ranges()
        graphs = self.items([a, b])
        rows = self.rows(graphs, n_jobs=1)
        first = rows.indptr[1]
        keys, in_a, in_b = np.intersect1d(rows.keys[:first], rows.keys[first:], return_indices=True)
        contributions = rows.values[in_a] * rows.values[first + in_b]
        cell = np.searchsorted(self._parts(graphs[:1], 1).indptr, in_a, side="right") - 1
        # Equal contributions stand from small to large neighbourhoods, then by their keys.
        best = np.lexsort((keys, cell, -np.round(contributions, 12)))[:n]
        texts = self.names_of(graphs[:1], in_a[best])
        found = []
        for index, text in zip(best, texts):
            radius, distance = smallest + int(cell[index]) // (farthest + 1), int(cell[index]) % (farthest + 1)
            counts = [int(np.sum(list_pairs(graphs[i : i + 1], radius, distance)[1] == keys[index])) for i in (0, 1)]
            found.append(SharedBalls(text, radius, distance, (counts[0], counts[1]), float(contributions[index])))
        return found

    def names_of(self, graph: Graphs, places: np.ndarray) -> list[str]:
        """The features of one graph that stand at these places of its row, in words."""
        smallest, _, farthest = self._ranges()
        parts = self._parts(graph, 1)
        cells = np.searchsorted(parts.indptr, places, side="right") - 1
        listed: dict[int, tuple[np.ndarray, dict[int, int]]] = {}
        texts = []
        for place, cell in zip(places.tolist(), cells.tolist()):
            radius, distance = smallest + cell // (farthest + 1), cell % (farthest + 1)
            if cell not in listed:
                nodes, keys = list_pairs(graph, radius, distance)
                first = dict(zip(reversed(keys.tolist()), range(len(keys) - 1, -1, -1)))
                listed[cell] = nodes, first
            nodes, first = listed[cell]
            one, other = nodes[first[int(parts.keys[place])]].tolist()
            text = ball_text(graph[0], one, radius)
            if distance:
                text = " and ".join(sorted([text, ball_text(graph[0], other, radius)])) + f", {distance} apart"
            texts.append(text)
        return texts

    def scorer(self, X: Any, coefficients: np.ndarray) -> Any:
        """A table of pairs of neighbourhoods with weights."""
        from rekern.kernels.graphs.neighborhood_decision import BallScorer

        return BallScorer(self, X, coefficients)


def _whole(name: str, value: Any, largest: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 <= value <= largest:
        raise ValueError(f"{name}={value!r}: give a whole number from 0 to {largest}")
    return int(value)


def ball_text(graph: tuple[list[str], list[tuple[int, int, str]]], root: int, radius: int) -> str:
    """A neighbourhood in words: the root, then what it is linked to, and so on, in brackets.

    Nodes that are linked once more have a number, and these links stand at the end.

    >>> ball_text((["saw", "Chip", "Dale", "old"], [(0, 1, "subj"), (0, 2, "obj"), (2, 3, "")]), 0, 2)
    'saw (–obj– Dale – old, –subj– Chip)'
    >>> ball_text((["a", "b", "c"], [(0, 1, ""), (1, 2, ""), (2, 0, "x")]), 0, 1)
    'a (– b#1, –x– c#2); b#1 – c#2'
    """
    labels, edges = graph
    joined: dict[int, dict[int, list[str]]] = defaultdict(dict)
    for one, other, label in edges:
        joined[one].setdefault(other, []).append(label)
        if one != other:
            joined[other].setdefault(one, []).append(label)
    parent, level = {root: root}, [root]
    children: dict[int, list[int]] = defaultdict(list)
    for _ in range(radius):
        following = []
        for node in level:
            for other in sorted(joined[node], key=lambda other: (labels[other], sorted(joined[node][other]))):
                if other not in parent:
                    parent[other] = node
                    children[node].append(other)
                    following.append(other)
        level = following
    place = {node: at for at, node in enumerate(parent)}
    again = sorted(
        (place[one], place[other])
        for one in parent
        for other in joined[one]
        if other in place and place[one] <= place[other] and (one == other or parent[other] != one)
    )
    nodes = list(parent)
    numbered = {nodes[at] for link in again for at in link}
    named = {node: labels[node] + (f"#{place[node]}" if node in numbered else "") for node in nodes}
    texts: dict[int, str] = {}
    for node in reversed(nodes):  # those farthest from the root first: no recursion, however long a path is
        parts = [f"{_link(joined[node][child])} {texts[child]}" for child in children[node]]
        texts[node] = named[node]
        if parts:
            texts[node] += f" {parts[0]}" if len(parts) == 1 else f" ({', '.join(sorted(parts))})"
    rest = [f"{named[nodes[a]]} {_link(joined[nodes[a]][nodes[b]])} {named[nodes[b]]}" for a, b in again]
    return "; ".join([texts[root], *rest])


def _link(labels: list[str]) -> str:
    text = "+".join(sorted(labels))
    return f"–{text}–" if text else "–"
