"""Graphs with labelled nodes and edges: a whole corpus as flat arrays.

>>> graphs = Graphs.from_items([(["saw", "Chip", "Dale"], [(0, 1, "subject"), (0, 2, "object")]), (["saw"], [])])
>>> graphs
Graphs(2 graphs, 4 nodes, 2 edges, 5 labels)
>>> graphs[0]
(['saw', 'Chip', 'Dale'], [(0, 1, 'subject'), (0, 2, 'object')])
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np

from rekern.core.arrays import Ints, Keys, RowIndices, SmallInts, resolve_rows, slice_ragged, take_ragged
from rekern.core.messages import name_value
from rekern.core.parameters import is_whole
from rekern.drawing import draw_graph_items
from rekern.errors import InputError
from rekern.structures.nltk_and_spacy_items import is_foreign, list_graph
from rekern.structures.tokens import hash_tokens

__all__ = ["Graphs"]

SHOWN_GRAPHS = 3  # in a notebook

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
        labels: SmallInts,
        offsets: Ints,
        indptr: Ints,
        neighbors: SmallInts,
        edge_labels: SmallInts,
        vocabulary: list[str],
    ):
        self.labels = labels
        self.offsets = offsets
        self.indptr = indptr
        self.neighbors = neighbors
        self.edge_labels = edge_labels
        self.vocabulary = vocabulary
        self._keys: list[Keys] = []  # shared with slices: the first that needs the keys computes them

    @classmethod
    def from_items(cls, X: object) -> "Graphs":
        """Make the corpus of these graphs; a ``Graphs`` is returned unchanged.

        A graph is a pair (nodes, edges), a mapping with ``"nodes"`` and ``"edges"``, a networkx graph, or a document of
        spaCy, whose words are connected by its dependencies. Nodes are a
        list of labels, edges a list of (i, j) or (i, j, label) with the numbers of two nodes, counted from 0. Labels
        are text or whole numbers; an edge without a label has the empty label. The labels of a networkx graph are the
        attribute ``label`` of its nodes and edges; directions are ignored.

        >>> Graphs.from_items([(["a", "b"], [(0, 1)]), (["a"], [(0, 1)])])
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: graph 1, edge 0: there is no node 1; the graph has 1 node, counted from 0
        """
        if isinstance(X, Graphs):
            return X
        if isinstance(X, str | bytes | Mapping) or _is_networkx(X) or not isinstance(X, Iterable):
            raise InputError(f"a list of graphs is needed, got {name_value(X)}; for one graph write [graph]")
        numbers: dict[str, int] = {}
        labels: list[int] = []
        offsets = [0]
        edges: list[tuple[int, int, int]] = []  # between nodes of the corpus
        for graph, item in enumerate(X):
            if is_foreign(item):
                item = list_graph(item, graph)
            nodes, links = _split_networkx(item, graph) if _is_networkx(item) else _split_graph(item, graph)
            first = len(labels)
            for node, label in enumerate(nodes):
                if not isinstance(label, str):
                    label = _check_label(label, graph, f"node {node}")
                labels.append(numbers.setdefault(str(label), len(numbers)))
            count = len(labels) - first
            for number, edge in enumerate(links):
                one, other, label = _check_edge(edge, count, graph, number)
                edges.append((first + one, first + other, numbers.setdefault(label, len(numbers))))
            offsets.append(len(labels))
        return cls(
            np.array(labels, np.int32), np.array(offsets, np.int64), *list_neighbors(edges, offsets), list(numbers)
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> "Graphs": ...
    def __getitem__(self, index: int | slice) -> "Item | Graphs":
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            return self._slice(start, stop) if step == 1 else self.take(np.arange(start, stop, step))
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
        ends = np.repeat(_number_nodes(self.offsets), np.diff(self.indptr))
        edges = (len(ends) + int(np.count_nonzero(ends == self.neighbors))) // 2
        size = f"{len(self):,} graphs, {len(self.labels):,} nodes, {edges:,} edges"
        return f"Graphs({size}, {len(self.vocabulary):,} labels)"

    def _repr_html_(self) -> str:
        """The first graphs, drawn."""
        shown = [{"nodes": nodes, "edges": edges} for nodes, edges in self[:SHOWN_GRAPHS]]
        return draw_graph_items(shown, repr(self))

    def take(self, indices: RowIndices) -> "Graphs":
        """Return the graphs with these numbers (or where this mask is true), in this order; the vocabulary is shared.

        >>> graphs = Graphs.from_items([(["a"], []), (["b", "c"], [(0, 1)])])
        >>> list(graphs.take([1, 0, 1]))[1:]
        [(['a'], []), (['b', 'c'], [(0, 1, '')])]
        """
        nodes, offsets = take_ragged(self.offsets, resolve_rows(indices, len(self)))
        entries, indptr = take_ragged(self.indptr, nodes)
        return self._select(self.labels[nodes], offsets, indptr, self.neighbors[entries], self.edge_labels[entries])

    def label_keys(self) -> Keys:
        """Return a 64-bit key of every vocabulary entry, the same in every process and run.

        >>> [f"{key:016x}" for key in Graphs.from_items([(["a"], [])]).label_keys()]
        ['40f89e395b66422f']
        """
        if not self._keys:
            self._keys.append(hash_tokens(self.vocabulary))
        return self._keys[0]

    def _slice(self, start: int, stop: int) -> "Graphs":
        nodes, offsets = slice_ragged(self.offsets, start, stop)
        entries, indptr = slice_ragged(self.indptr, nodes.start, nodes.stop)
        return self._select(self.labels[nodes], offsets, indptr, self.neighbors[entries], self.edge_labels[entries])

    def _select(
        self, labels: SmallInts, offsets: Ints, indptr: Ints, neighbors: SmallInts, edge_labels: SmallInts
    ) -> "Graphs":
        part = Graphs(labels, offsets, indptr, neighbors, edge_labels, self.vocabulary)
        part._keys = self._keys
        return part


def _number_nodes(offsets: Ints) -> Ints:
    """Return the number of every node within its own graph."""
    return np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))


def list_neighbors(
    edges: Sequence[tuple[int, int, int]] | Ints, offsets: Sequence[int] | Ints
) -> tuple[Ints, SmallInts, SmallInts]:
    """Return the neighbors of every node, ascending, and the labels of the edges to them; each edge once.

    An edge is given by its two nodes, numbered in the corpus, and the number of its label. The three arrays are
    ``indptr``, ``neighbors`` and ``edge_labels`` of `Graphs`.

    >>> [array.tolist() for array in list_neighbors([(0, 1, 7)], [0, 2])]
    [[0, 1, 2], [1, 0], [7, 7]]
    """
    table = np.array(edges, np.int64).reshape(-1, 3)
    table = np.concatenate([table, table[:, [1, 0, 2]]])
    table = table[np.lexsort((table[:, 2], table[:, 1], table[:, 0]))]
    table = table[np.concatenate([np.ones(min(1, len(table)), bool), (table[1:] != table[:-1]).any(axis=1)])]
    indptr = np.searchsorted(table[:, 0], np.arange(offsets[-1] + 1)).astype(np.int64)
    within = _number_nodes(np.array(offsets, np.int64))
    return indptr, within[table[:, 1]].astype(np.int32), table[:, 2].astype(np.int32)


def _check_label(value: object, graph: int, place: str) -> str:
    if isinstance(value, str):
        return str(value)
    if is_whole(value):
        return str(int(value))
    reason = f"the label is {name_value(value)}; give a str (an empty one will do) or a whole number"
    raise InputError(reason, row=graph, column=place, unit="graph")


def _split_graph(item: object, graph: int) -> tuple[Sequence[object], Sequence[object]]:
    """Return the nodes and edges of a graph that is not from networkx."""
    if isinstance(item, Mapping):
        if "nodes" not in item:
            reason = 'the mapping has no "nodes"; give {"nodes": [...], "edges": [...]}'
            raise InputError(reason, row=graph, unit="graph")
        nodes, edges = item["nodes"], item.get("edges", ())
    elif isinstance(item, list | tuple) and len(item) == 2:
        nodes, edges = item
    else:
        what = f"{name_value(item)} of {len(item)}" if isinstance(item, list | tuple) else name_value(item)
        raise InputError(f"a pair (nodes, edges) is needed, got {what}", row=graph, unit="graph")
    for name, part in (("nodes", nodes), ("edges", edges)):
        if not isinstance(part, list | tuple | np.ndarray):
            raise InputError(f"the {name} are {name_value(part)}; give a list", row=graph, unit="graph")
    return nodes, edges


def _check_edge(edge: object, count: int, graph: int, number: int) -> tuple[int, int, str]:
    place = f"edge {number}"
    if not isinstance(edge, list | tuple | np.ndarray) or len(edge) not in (2, 3):
        reason = f"the edge is {name_value(edge)}; give (i, j) or (i, j, label)"
        raise InputError(reason, row=graph, column=place, unit="graph")
    for end in (edge[0], edge[1]):
        if not is_whole(end):
            reason = f"an end is {name_value(end)}; give the number of a node, counted from 0"
            raise InputError(reason, row=graph, column=place, unit="graph")
        if not 0 <= end < count:
            nodes = f"{count} node{'' if count == 1 else 's'}"
            reason = f"there is no node {end}; the graph has {nodes}, counted from 0"
            raise InputError(reason, row=graph, column=place, unit="graph")
    return int(edge[0]), int(edge[1]), _check_label(edge[2], graph, place) if len(edge) == 3 else ""


def _is_networkx(item: object) -> bool:
    """Whether a graph looks like one of networkx, which is not imported."""
    return hasattr(item, "adjacency") and hasattr(item, "nodes") and hasattr(item, "edges")


def _split_networkx(item: Any, graph: int) -> tuple[list[str], list[tuple[int, int, str]]]:
    """Return the labels and the numbered edges of a networkx graph, its nodes in its own order."""
    number: dict[Hashable, int] = {}
    nodes = []
    for node, label in item.nodes(data="label"):
        if label is None:
            reason = "no attribute 'label'; set one (an empty str will do)"
            raise InputError(reason, row=graph, column=f"node {node!r}", unit="graph")
        number[node] = len(number)
        nodes.append(_check_label(label, graph, f"node {node!r}"))
    edges = [
        (number[one], number[other], "" if label is None else _check_label(label, graph, f"edge {one!r}-{other!r}"))
        for one, other, label in item.edges(data="label")
    ]
    return nodes, edges
