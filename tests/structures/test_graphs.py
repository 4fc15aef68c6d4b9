"""Graphs as flat arrays: what is read, what comes back, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rekern.errors import InputError
from rekern.structures.graphs import Graphs


@st.composite
def graphs(draw):
    labels = draw(st.lists(st.sampled_from(["a", "b", "", "ä 日"]), max_size=6))
    node = st.integers(0, max(0, len(labels) - 1))
    edges = draw(st.lists(st.tuples(node, node, st.sampled_from(["", "x", "a"])), max_size=8 if labels else 0))
    return labels, edges


def plain(graph):
    """The graph with every edge once, from the lower to the higher number, in order of nodes."""
    labels, edges = graph
    return labels, sorted({(min(i, j), max(i, j), label) for i, j, label in edges})


def ordered(graph):
    return graph[0], sorted(graph[1])


@given(st.lists(graphs(), max_size=5), st.data())
def test_what_goes_in_comes_out(corpus, data):
    found = Graphs.from_items(corpus)
    assert [ordered(graph) for graph in found] == [plain(graph) for graph in corpus]
    assert len(found) == len(corpus)
    assert Graphs.from_items(found) is found
    assert [ordered(graph) for graph in Graphs.from_items(list(found))] == [plain(graph) for graph in corpus]
    start, stop = data.draw(st.integers(-6, 6)), data.draw(st.integers(-6, 6))
    for part in (slice(start, stop), slice(start, stop, 2), slice(None, None, -1)):
        assert [ordered(graph) for graph in found[part]] == [plain(graph) for graph in corpus[part]]
    chosen = data.draw(st.lists(st.integers(0, len(corpus) - 1), max_size=6)) if corpus else []
    assert [ordered(graph) for graph in found.take(chosen)] == [plain(corpus[i]) for i in chosen]
    count = sum(len(plain(graph)[1]) for graph in corpus)
    assert f" {count} edges" in repr(found)


@given(st.lists(graphs(), min_size=1, max_size=3))
def test_neighbours_are_symmetric_and_ascending(corpus):
    found = Graphs.from_items(corpus)
    for graph in range(len(found)):
        first = found.offsets[graph]
        entries = set()
        for node in range(found.offsets[graph + 1] - first):
            begin, end = found.indptr[first + node : first + node + 2]
            row = list(zip(found.neighbors[begin:end].tolist(), found.edge_labels[begin:end].tolist()))
            assert row == sorted(set(row))
            entries |= {(node, *entry) for entry in row}
        assert entries == {(other, node, label) for node, other, label in entries}


def test_forms_of_a_graph():
    expected = [(["a", "b", "7"], [(0, 1, ""), (1, 2, "x")])]
    forms = [
        (["a", "b", 7], [(0, 1), (2, 1, "x")]),
        [["a", "b", np.int64(7)], [[1, 0], [1, 2, "x"], (np.int32(2), np.int8(1), "x")]],
        {"nodes": ("a", "b", "7"), "edges": [(0, 1, ""), (1, 2, "x")]},
        {"nodes": np.array(["a", "b", "7"]), "edges": [(0, 1, ""), (1, 2, np.str_("x"))]},
    ]
    for form in forms:
        assert list(Graphs.from_items([form])) == expected
    assert Graphs.from_items([(["a", "b"], np.array([[0, 1]]))])[0] == (["a", "b"], [(0, 1, "")])
    assert Graphs.from_items([{"nodes": ["a"]}])[0] == (["a"], [])
    assert Graphs.from_items(iter(forms[:1]))[0] == expected[0]
    assert list(Graphs.from_items([([], [])])) == [([], [])]
    assert len(Graphs.from_items([])) == 0


def test_slices_share_the_vocabulary_and_its_fingerprints():
    found = Graphs.from_items([(["a", "b"], [(0, 1, "x")]), (["c"], [])])
    part = found[1:]
    assert part.vocabulary is found.vocabulary
    assert part.label_keys() is found.label_keys()
    assert len(set(found.label_keys().tolist())) == 4
    other = Graphs.from_items([(["c", "a"], [])])
    assert other.label_keys()[0] == found.label_keys()[found.vocabulary.index("c")]
    with pytest.raises(IndexError, match="graph 2 of 2"):
        found[2]


class LikeNetworkx:
    """The part of a networkx graph that is read."""

    def __init__(self, nodes, edges):
        self._nodes, self._edges = nodes, edges

    def adjacency(self):
        raise AssertionError("not read")

    def nodes(self, data):
        return [(node, attributes.get(data)) for node, attributes in self._nodes]

    def edges(self, data):
        return [(one, other, attributes.get(data)) for one, other, attributes in self._edges]


def test_a_graph_that_looks_like_networkx():
    nodes = [("x", {"label": "a"}), (("y", 1), {"label": 3}), ("z", {"label": ""})]
    graph = LikeNetworkx(nodes, [("z", "x", {"label": "up"}), ("x", ("y", 1), {})])
    assert Graphs.from_items([graph])[0] == (["a", "3", ""], [(0, 1, ""), (0, 2, "up")])
    with pytest.raises(InputError, match=r"^graph 0, node 'y': no attribute 'label'"):
        Graphs.from_items([LikeNetworkx([("y", {})], [])])
    with pytest.raises(InputError, match=r"^graph 1, edge 'x'-'x': the label is NaN"):
        Graphs.from_items([graph, LikeNetworkx([("x", {"label": "a"})], [("x", "x", {"label": float("nan")})])])
    with pytest.raises(InputError, match=r"for one graph write \[graph\]"):
        Graphs.from_items(graph)


def test_networkx_itself():
    networkx = pytest.importorskip("networkx")
    for kind in (networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph):
        graph = kind()
        graph.add_node("saw", label="VBD")
        graph.add_node("Chip", label="NNP")
        graph.add_edge("saw", "Chip", label="nsubj")
        graph.add_edge("saw", "saw")
        assert Graphs.from_items([graph])[0] == (["VBD", "NNP"], [(0, 0, ""), (0, 1, "nsubj")])


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        ("a graph", "a list of graphs is needed, got a str; for one graph write"),
        ({"nodes": [], "edges": []}, "a list of graphs is needed, got a dict"),
        (None, "a list of graphs is needed, got None"),
        ([None], "graph 0: a pair (nodes, edges) is needed, got None"),
        (["(S (NP))"], "graph 0: a pair (nodes, edges) is needed, got a str"),
        ([([], []), (["a"],)], "graph 1: a pair (nodes, edges) is needed, got a tuple of 1"),
        ([(["a"], [], [])], "graph 0: a pair (nodes, edges) is needed, got a tuple of 3"),
        ([{"edges": []}], 'graph 0: the mapping has no "nodes"'),
        ([("ab", [])], "graph 0: the nodes are a str; give a list"),
        ([(["a"], None)], "graph 0: the edges are None; give a list"),
        ([(["a", None], [])], "graph 0, node 1: the label is None; give a str"),
        ([([1.5], [])], "graph 0, node 0: the label is the number 1.5"),
        ([([True], [])], "graph 0, node 0: the label is the truth value True"),
        ([(["a"], [(0, 0), (0, 1)])], "graph 0, edge 1: there is no node 1; the graph has 1 node, counted from 0"),
        ([(["a", "b"], [(-1, 1)])], "graph 0, edge 0: there is no node -1; the graph has 2 nodes"),
        ([([], [(0, 0)])], "graph 0, edge 0: there is no node 0; the graph has 0 nodes"),
        ([(["a"], [(0,)])], "graph 0, edge 0: the edge is a tuple; give (i, j) or (i, j, label)"),
        ([(["a"], [5])], "graph 0, edge 0: the edge is the number 5"),
        ([(["a"], [(0, "0")])], "graph 0, edge 0: an end is a str"),
        ([(["a"], [(0.0, 0)])], "graph 0, edge 0: an end is the number 0.0"),
        ([(["a"], [(False, 0)])], "graph 0, edge 0: an end is the truth value False"),
        ([(["a"], [(0, 0, None)])], "graph 0, edge 0: the label is None"),
    ],
)
def test_what_is_refused(corpus, message):
    with pytest.raises(InputError) as raised:
        Graphs.from_items(corpus)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)
