"""Graphs with labelled nodes and edges: a whole corpus as flat arrays.

>>> graphs = Graphs.from_items([(["saw", "Chip", "Dale"], [(0, 1, "subject"), (0, 2, "object")]), (["saw"], [])])
>>> graphs
Graphs(2 graphs, 4 nodes, 2 edges, 5 labels)
>>> graphs[0]
(['saw', 'Chip', 'Dale'], [(0, 1, 'subject'), (0, 2, 'object')])
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np

from rekern.errors import InputError
from rekern.structures.tokens import Tokens, in_words, positions

__all__ = ["Graphs"]

Item = tuple[list[str], list[tuple[int, int, str]]]


class Graphs:
    """A corpus of undirected graphs whose nodes and edges carry labels, as flat arrays.

    The nodes of graph ``i`` are ``labels[offsets[i]:offsets[i + 1]]``, numbers of entries of ``vocabulary``. Node ``v``
    of the corpus has the neighbours ``neighbors[indptr[v]:indptr[v + 1]]``, numbered from 0 within its own graph and
    ascending, over edges with the labels ``edge_labels``. An edge stands with both its ends, a loop once.

    A graph may be empty, have isolated nodes, loops, and several edges between two nodes if their labels differ; the
    same edge written twice, in either direction, is one edge. Slices share the vocabulary.

    >>> triangle = (["a", "b", "c"], [(0, 1), (1, 2), (2, 0)])
    >>> graphs = Graphs.from_items([triangle, {"nodes": ["a", "b"], "edges": [(1, 0, "x"), (0, 1, "x")]}])
    >>> graphs.labels.tolist(), graphs.offsets.tolist()
    ([0, 1, 2, 0, 1], [0, 3, 5])
    >>> graphs.indptr.tolist(), graphs.neighbors.tolist()
    ([0, 2, 4, 6, 7, 8], [1, 2, 0, 2, 0, 1, 1, 0])
    >>> graphs[1], list(graphs[:1])
    ((['a', 'b'], [(0, 1, 'x')]), [(['a', 'b', 'c'], [(0, 1, ''), (0, 2, ''), (1, 2, '')])])
    """

    def __init__(
        self,
        labels: np.ndarray,
        offsets: np.ndarray,
        indptr: np.ndarray,
        neighbors: np.ndarray,
        edge_labels: np.ndarray,
        vocabulary: list[str],
    ):
        self.labels = labels
        self.offsets = offsets
        self.indptr = indptr
        self.neighbors = neighbors
        self.edge_labels = edge_labels
        self.vocabulary = vocabulary
        self._fingerprints: list[np.ndarray] = []  # shared with the slices: filled once, by whichever asks first

    @classmethod
    def from_items(cls, X: Any) -> "Graphs":
        """The corpus of these graphs; ``X`` itself if it is a ``Graphs`` already.

        A graph is a pair (nodes, edges), a mapping with ``"nodes"`` and ``"edges"``, or a networkx graph. Nodes are a
        list of labels, edges a list of (i, j) or (i, j, label) with the numbers of two nodes, counted from 0. Labels
        are text or whole numbers; an edge without a label has the empty one. Of a networkx graph the attribute
        ``label`` of nodes and edges is read, and directions are left out.

        >>> Graphs.from_items([(["a", "b"], [(0, 1)]), (["a"], [(0, 1)])])
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: graph 1, edge 0: there is no node 1; the graph has 1 node, counted from 0
        """
        if isinstance(X, Graphs):
            return X
        if isinstance(X, str | bytes | Mapping) or _is_networkx(X) or not isinstance(X, Iterable):
            raise InputError(f"a list of graphs is needed, got {in_words(X)}; for one graph write [graph]")
        numbers: dict[str, int] = {}
        labels: list[int] = []
        offsets = [0]
        edges: list[tuple[int, int, int]] = []  # between nodes of the corpus
        for graph, item in enumerate(X):
            nodes, links = _from_networkx(item, graph) if _is_networkx(item) else _parts(item, graph)
            first = len(labels)
            for node, label in enumerate(nodes):
                if not isinstance(label, str):
                    label = _label(label, f"graph {graph}, node {node}")
                labels.append(numbers.setdefault(str(label), len(numbers)))
            count = len(labels) - first
            for number, edge in enumerate(links):
                one, other, label = _edge(edge, count, graph, number)
                edges.append((first + one, first + other, numbers.setdefault(label, len(numbers))))
            offsets.append(len(labels))
        return cls(np.array(labels, np.int32), np.array(offsets, np.int64), *_adjacency(edges, offsets), list(numbers))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> "Graphs": ...
    def __getitem__(self, index: int | slice) -> "Item | Graphs":
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            return self._part(start, max(start, stop)) if step == 1 else self.take(np.arange(start, stop, step))
        if not -len(self) <= index < len(self):
            raise IndexError(f"graph {index} of {len(self)}")
        index %= len(self)
        first, last = self.offsets[index], self.offsets[index + 1]
        nodes = [self.vocabulary[label] for label in self.labels[first:last].tolist()]
        begin, end = self.indptr[first], self.indptr[last]
        ends = np.repeat(np.arange(last - first), np.diff(self.indptr[first : last + 1])).tolist()
        entries = zip(ends, self.neighbors[begin:end].tolist(), self.edge_labels[begin:end].tolist())
        return nodes, [(one, other, self.vocabulary[label]) for one, other, label in entries if one <= other]

    def __iter__(self) -> Iterator[Item]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        ends = np.repeat(_within(self.offsets), np.diff(self.indptr))
        edges = (len(ends) + int(np.count_nonzero(ends == self.neighbors))) // 2
        size = f"{len(self):,} graphs, {len(self.labels):,} nodes, {edges:,} edges"
        return f"Graphs({size}, {len(self.vocabulary):,} labels)"

    def take(self, indices: Sequence[int] | np.ndarray) -> "Graphs":
        """The graphs with these numbers (or where this mask is true), in this order; the vocabulary is shared.

        >>> graphs = Graphs.from_items([(["a"], []), (["b", "c"], [(0, 1)])])
        >>> list(graphs.take([1, 0, 1]))[1:]
        [(['a'], []), (['b', 'c'], [(0, 1, '')])]
        """
        chosen = positions(indices, len(self))
        offsets, nodes = _picked(self.offsets, chosen)
        indptr, entries = _picked(self.indptr, nodes)
        return self._like(self.labels[nodes], offsets, indptr, self.neighbors[entries], self.edge_labels[entries])

    def fingerprints(self) -> np.ndarray:
        """A 64-bit hash of every entry of the vocabulary, the same in every process and run."""
        if not self._fingerprints:
            self._fingerprints.append(Tokens(self.labels, self.offsets, self.vocabulary).fingerprints())
        return self._fingerprints[0]

    def _part(self, start: int, stop: int) -> "Graphs":
        first, last = self.offsets[start], self.offsets[stop]
        begin, end = self.indptr[first], self.indptr[last]
        return self._like(
            self.labels[first:last],
            self.offsets[start : stop + 1] - first,
            self.indptr[first : last + 1] - begin,
            self.neighbors[begin:end],
            self.edge_labels[begin:end],
        )

    def _like(self, *arrays: np.ndarray) -> "Graphs":
        labels, offsets, indptr, neighbors, edge_labels = arrays
        part = Graphs(labels, offsets, indptr, neighbors, edge_labels, self.vocabulary)
        part._fingerprints = self._fingerprints
        return part


def _within(offsets: np.ndarray) -> np.ndarray:
    """The number of every node within its own graph."""
    return np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))


def _picked(offsets: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The offsets of the chosen rows, one behind the other, and the places of their entries."""
    lengths = np.diff(offsets)[chosen]
    result = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return result, np.arange(result[-1]) + np.repeat(offsets[chosen] - result[:-1], lengths)


def _adjacency(
    edges: list[tuple[int, int, int]] | np.ndarray, offsets: list[int] | np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The neighbours of every node, ascending, and the labels of the edges to them; each edge once."""
    table = np.array(edges, np.int64).reshape(-1, 3)
    table = np.concatenate([table, table[:, [1, 0, 2]]])
    table = table[np.lexsort((table[:, 2], table[:, 1], table[:, 0]))]
    table = table[np.concatenate([np.ones(min(1, len(table)), bool), (table[1:] != table[:-1]).any(axis=1)])]
    indptr = np.searchsorted(table[:, 0], np.arange(offsets[-1] + 1)).astype(np.int64)
    within = _within(np.array(offsets, np.int64))
    return indptr, within[table[:, 1]].astype(np.int32), table[:, 2].astype(np.int32)


def _label(value: Any, place: str) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(int(value))
    raise InputError(f"{place}: the label is {in_words(value)}; give a str (an empty one will do) or a whole number")


def _parts(item: Any, graph: int) -> tuple[Sequence[Any], Sequence[Any]]:
    """The nodes and edges of a graph that is not from networkx."""
    if isinstance(item, Mapping):
        if "nodes" not in item:
            raise InputError(f'graph {graph}: the mapping has no "nodes"; give {{"nodes": [...], "edges": [...]}}')
        nodes, edges = item["nodes"], item.get("edges", ())
    elif isinstance(item, list | tuple) and len(item) == 2:
        nodes, edges = item
    else:
        what = f"{in_words(item)} of {len(item)}" if isinstance(item, list | tuple) else in_words(item)
        raise InputError(f"graph {graph}: a pair (nodes, edges) is needed, got {what}")
    for name, part in (("nodes", nodes), ("edges", edges)):
        if not isinstance(part, list | tuple | np.ndarray):
            raise InputError(f"graph {graph}: the {name} are {in_words(part)}; give a list")
    return nodes, edges


def _edge(edge: Any, count: int, graph: int, number: int) -> tuple[int, int, str]:
    place = f"graph {graph}, edge {number}"
    if not isinstance(edge, list | tuple | np.ndarray) or len(edge) not in (2, 3):
        raise InputError(f"{place}: the edge is {in_words(edge)}; give (i, j) or (i, j, label)")
    for end in (edge[0], edge[1]):
        if isinstance(end, bool) or not isinstance(end, int | np.integer):
            raise InputError(f"{place}: an end is {in_words(end)}; give the number of a node, counted from 0")
        if not 0 <= end < count:
            nodes = f"{count} node{'' if count == 1 else 's'}"
            raise InputError(f"{place}: there is no node {end}; the graph has {nodes}, counted from 0")
    return int(edge[0]), int(edge[1]), _label(edge[2], place) if len(edge) == 3 else ""


def _is_networkx(item: Any) -> bool:
    """Whether a graph looks like one of networkx, which is not imported for the question."""
    return hasattr(item, "adjacency") and hasattr(item, "nodes") and hasattr(item, "edges")


def _from_networkx(item: Any, graph: int) -> tuple[list[str], list[tuple[int, int, str]]]:
    """The labels and numbered edges of a networkx graph, its nodes in its own order."""
    number: dict[Any, int] = {}
    nodes = []
    for node, label in item.nodes(data="label"):
        if label is None:
            raise InputError(f"graph {graph}, node {node!r}: no attribute 'label'; set one (an empty str will do)")
        number[node] = len(number)
        nodes.append(_label(label, f"graph {graph}, node {node!r}"))
    edges = [
        (number[one], number[other], "" if label is None else _label(label, f"graph {graph}, edge {one!r}-{other!r}"))
        for one, other, label in item.edges(data="label")
    ]
    return nodes, edges
