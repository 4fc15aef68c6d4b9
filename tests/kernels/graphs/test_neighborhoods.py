"""The neighbourhood kernel against its definition, under renumbering, and on graphs that are hard to tell apart."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import close
from reference.graphs import ball, isomorphic, neighborhoods
from rekern.kernels import Neighborhoods
from rekern.kernels.graphs.neighborhood_features import find_links
from rekern.kernels.graphs.neighborhood_pair_core import hash_roots
from rekern.kernels.graphs.neighborhood_text import write_neighborhood
from rekern.structures.graphs import Graphs


@st.composite
def graphs(draw, max_nodes=6, labels="ab", edge_labels=("", "x"), min_nodes=0):
    nodes = draw(st.lists(st.sampled_from(labels), min_size=min_nodes, max_size=max_nodes))
    node = st.integers(0, max(0, len(nodes) - 1))
    edges = st.tuples(node, node, st.sampled_from(edge_labels))
    return nodes, draw(st.lists(edges, max_size=2 * len(nodes)))


def renumbered(graph, rng):
    """The same graph with its nodes in another order, its edges in another order and direction."""
    labels, edges = graph
    to = rng.permutation(len(labels)).tolist()
    nodes = [""] * len(labels)
    for node, label in enumerate(labels):
        nodes[to[node]] = label
    turned = [(to[i], to[j], *rest) if rng.random() < 0.5 else (to[j], to[i], *rest) for i, j, *rest in edges]
    return nodes, [turned[at] for at in rng.permutation(len(turned))]


def random_graph(rng, nodes, extra, labels=3):
    """A tree with some more edges."""
    edges = [(node, int(rng.integers(node)), "") for node in range(1, nodes)]
    edges += [(int(rng.integers(nodes)), int(rng.integers(nodes)), "") for _ in range(extra)]
    return [str(label) for label in rng.integers(labels, size=nodes)], edges


def unlabelled(nodes, edges):
    return [""] * nodes, [(i, j, "") for i, j in edges]


def below_a_root(nodes, edges):
    """The graph with one more node, the last, that is linked to all: its ball of radius 1 is everything."""
    return unlabelled(nodes + 1, [*edges, *((nodes, node) for node in range(nodes))])


def cycles(*lengths):
    edges, first = [], 0
    for length in lengths:
        edges += [(first + i, first + (i + 1) % length) for i in range(length)]
        first += length
    return first, edges


def root_keys(graph, radius):
    """The keys of the neighbourhoods of one radius around all nodes."""
    return hash_roots(radius, radius, *find_links(Graphs.from_items([graph])))[:, 0].tolist()


def root_key(graph, radius=1):
    return root_keys(graph, radius)[-1]


@settings(max_examples=60, deadline=None)
@given(graphs(), graphs(), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.booleans())
def test_values_are_those_of_the_definition(one, two, radius, distance, min_radius, normalize):
    min_radius = min(min_radius, radius)
    kernel = Neighborhoods(radius, distance, min_radius, normalize)
    expected = [[neighborhoods(a, b, radius, distance, min_radius, normalize) for b in (one, two)] for a in (one, two)]
    gram = kernel.gram([one, two])
    close(gram, expected)
    close(kernel(one, two), expected[0][1])
    close(kernel.diag([one, two]), np.diag(expected))
    close(kernel.gram([one], [two, one]), [[expected[0][1], expected[0][0]]])
    features = kernel.features([one, two])
    close((features @ features.T).toarray(), expected)
    assert np.array_equal(gram, gram.T)
    if not normalize:
        assert np.array_equal(gram, np.rint(gram))
    shared = kernel.explain(one, two, n=None)
    close(sum(part.contribution for part in shared.parts), expected[0][1])
    close(shared.decision, expected[0][1])
    assert all(part.name and part.kind == "neighbourhoods" for part in shared.parts)
    assert all(min_radius <= place.radius <= radius and place.distance <= distance for place in shared.places)


@settings(max_examples=100, deadline=None)
@given(graphs(7, "ab", ("",), 1) | graphs(7, "a", ("",), 4) | graphs(5, "ab", ("", "x", "y"), 1), st.data())
def test_keys_are_equal_for_isomorphic_balls_only(graph, data):
    other = data.draw(graphs(7, "a", ("",), 1)) if data.draw(st.booleans()) else graph
    radius = data.draw(st.integers(0, 4))
    balls = [ball(g, node, radius) for g in (graph, other) for node in range(len(g[0]))]
    keys = [*root_keys(graph, radius), *root_keys(other, radius)]
    for (a, key), (b, key2) in itertools.combinations(zip(balls, keys), 2):
        assert (key == key2) == isomorphic(a, b)


@pytest.mark.parametrize("nodes", [4, 5, pytest.param(6, marks=pytest.mark.slow)])
def test_all_small_graphs_are_told_apart(nodes):
    # Every unlabelled graph of so many nodes, up to renumbering, below a root: 11, 34 and 156 of them.
    classes = {}
    possible = list(itertools.combinations(range(nodes), 2))
    for chosen in itertools.product([False, True], repeat=len(possible)):
        edges = [edge for edge, taken in zip(possible, chosen) if taken]
        graph = below_a_root(nodes, edges)
        classes.setdefault(root_key(graph), graph)
        first = classes[root_key(graph)]
        assert len(first[1]) == len(graph[1])
    assert len(classes) == {4: 11, 5: 34, 6: 156}[nodes]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (cycles(6), cycles(3, 3)),
        (cycles(7), cycles(3, 4)),
        (cycles(12), cycles(3, 4, 5)),
        (cycles(8, 8), cycles(4, 4, 8)),
        (cycles(*[3] * 8), cycles(*[6] * 4)),  # too much for the search
        (cycles(*[5] * 12), cycles(*[5] * 10, 10)),
    ],
)
def test_regular_graphs_that_colours_alone_do_not_tell_apart(one, two):
    rng = np.random.default_rng(1)
    keys = [{root_key(below_a_root(*renumbered_plain(graph, rng))) for _ in range(4)} for graph in (one, two)]
    assert [len(found) for found in keys] == [1, 1]
    assert keys[0] != keys[1]


def renumbered_plain(graph, rng):
    to = rng.permutation(graph[0]).tolist()
    return graph[0], [(to[i], to[j]) for i, j in graph[1]]


def grid(steps):
    """The graph on a 4 × 4 torus with these steps."""
    place = list(itertools.product(range(4), repeat=2))
    number = {at: i for i, at in enumerate(place)}
    return 16, [(number[x, y], number[(x + a) % 4, (y + b) % 4]) for x, y in place for a, b in steps]


def test_strongly_regular_graphs():
    # Both have 16 nodes with 6 neighbours each, and any two nodes have 2 neighbours in common.
    shrikhande = grid([(1, 0), (0, 1), (1, 1)])
    rook = grid([(1, 0), (2, 0), (0, 1), (0, 2)])
    rng = np.random.default_rng(2)
    keys = [{root_key(below_a_root(*renumbered_plain(g, rng))) for _ in range(3)} for g in (shrikhande, rook)]
    assert [len(found) for found in keys] == [1, 1]
    assert keys[0] != keys[1]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(0, 30), st.integers(1, 4))
def test_a_renumbered_graph_is_the_same(seed, nodes, extra, labels):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, nodes, extra, labels)
    same = renumbered(graph, rng)
    for kernel in (Neighborhoods(), Neighborhoods(3, 5, 0)):
        assert abs(kernel(graph, same) - 1) < 1e-12
        assert abs(kernel.gram([graph, same])[0, 1] - 1) < 1e-12
    plain = Neighborhoods(3, 4, normalize=False)
    assert plain(graph, same) == plain(graph, graph) == plain.diag([same])[0]


@pytest.mark.parametrize(
    "graph",
    [
        below_a_root(*cycles(*[3] * 30)),  # 30! ways to number the triangles
        unlabelled(40, itertools.combinations(range(40), 2)),
        unlabelled(60, [(i, 30 + j) for i in range(30) for j in range(30)]),
        unlabelled(64, [(i, i ^ (1 << bit)) for i in range(64) for bit in range(6) if not i & (1 << bit)]),
        unlabelled(200, [(0, i) for i in range(1, 200)]),
        unlabelled(100, [(i, (i + 1) % 100) for i in range(100)]),
        unlabelled(49, [(7 * i + j, k) for i in range(7) for j in range(7) for k in (7 * i + (j + 1) % 7,)]),
    ],
    ids=["windmill", "complete", "bipartite", "cube", "star", "cycle", "cycles"],
)
def test_very_regular_graphs_take_no_time_and_do_not_depend_on_numbers(graph):
    same = renumbered(graph, np.random.default_rng(3))
    assert abs(Neighborhoods(2, 2)(graph, same) - 1) < 1e-12


def test_large_and_extreme_graphs():
    path = unlabelled(5000, [(i, i + 1) for i in range(4999)])
    star = (["hub", *("leaf" for _ in range(1500))], [(0, i, "") for i in range(1, 1501)])
    kernel = Neighborhoods(2, 2)
    gram = kernel.gram([path, star, ([], []), (["hub"], []), (["hub"], [(0, 0)])])
    assert np.isfinite(gram).all()
    assert np.array_equal(np.diag(gram), [1, 1, 0, 1, 1])
    assert not gram[2].any()
    assert gram[3, 4] == 0  # a loop is part of the neighbourhood
    assert kernel.gram([]).shape == (0, 0)
    assert kernel.gram([path], []).shape == (1, 0)
    assert kernel.gram([([], [])]).tolist() == [[0]]
    assert kernel.explain(([], []), path).parts == []
    assert kernel.features([([], [])]).shape == (1, 0)


def test_isolated_nodes_loops_and_several_edges():
    kernel = Neighborhoods(1, 1)
    assert kernel((["a", "b"], []), (["b", "a"], [])) == pytest.approx(1)
    assert kernel((["a"], [(0, 0, "x")]), (["a"], [(0, 0, "y")])) == 0
    double = (["a", "b"], [(0, 1, "x"), (0, 1, "y")])
    assert kernel(double, (["b", "a"], [(1, 0, "y"), (0, 1, "x")])) == pytest.approx(1)
    assert kernel(double, (["a", "b"], [(0, 1, "x")])) == 0
    assert kernel((["a", "b"], [(0, 1, "x"), (1, 0, "x")]), (["a", "b"], [(0, 1, "x")])) == pytest.approx(1)


def test_jobs_forms_and_blocks():
    rng = np.random.default_rng(4)
    corpus = [random_graph(rng, int(rng.integers(1, 12)), 2) for _ in range(300)]
    kernel = Neighborhoods()
    gram = kernel.gram(corpus, n_jobs=1)
    for n_jobs in (2, 4):
        assert np.array_equal(kernel.gram(corpus, n_jobs=n_jobs), gram)
    ready = Graphs.from_items(corpus)
    assert np.array_equal(kernel.gram(ready), gram)
    close(kernel.gram(ready[:7], ready[3:]), gram[:7, 3:])
    close(kernel.gram(ready.take([5, 2])), gram[np.ix_([5, 2], [5, 2])])
    assert np.linalg.eigvalsh(gram).min() > -1e-10
    close((kernel + 0.5 * Neighborhoods(1, 0)).diag(corpus), np.full(300, 1.5))


def test_explanations():
    one = (["saw", "Chip", "Dale", "old"], [(0, 1, "subj"), (0, 2, "obj"), (2, 3, "amod")])
    two = (["heard", "Chip", "Dale", "old"], [(0, 1, "subj"), (0, 2, "obj"), (2, 3, "amod")])
    found = Neighborhoods(1, 2, min_radius=0).explain(one, two, n=None).parts
    texts = [part.name for part in found]
    assert "Dale and old, 1 apart" in texts
    assert "old –amod– Dale" in texts
    assert not any("saw" in text or "heard" in text for text in texts)
    assert [part.contribution for part in found] == sorted((part.contribution for part in found), reverse=True)
    assert len(Neighborhoods(1, 2, min_radius=0).explain(one, two, n=2).parts) == 2
    repeated = Neighborhoods(0, 1, 0, normalize=False).explain((["a"] * 3, [(0, 1), (1, 2)]), (["a"] * 2, [(0, 1)]))
    listed = zip(repeated.parts, repeated.places)
    assert [(part.name, place.counts, round(part.contribution, 9)) for part, place in listed] == [
        ("a and a, 1 apart", (2, 1), 8.0),
        ("a", (3, 2), 6.0),
    ]


def test_a_ball_in_words():
    graph = (["a", "b", "b", "c"], [(0, 1, "x"), (0, 1, "y"), (0, 2, ""), (1, 3, ""), (2, 3, ""), (3, 3, "self")])
    assert write_neighborhood(graph, 0, 0) == "a"
    assert write_neighborhood(graph, 0, 1) == "a (– b, –x+y– b)"
    assert write_neighborhood(graph, 0, 2) == "a (– b – c#3, –x+y– b#2); b#2 – c#3; c#3 –self– c#3"


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (Neighborhoods(-1), "radius=-1: give a whole number from 0 to 100"),
        (Neighborhoods(1.5), "radius=1.5"),
        (Neighborhoods(1, 101), "distance=101"),
        (Neighborhoods(1, True), "distance=True"),
        (Neighborhoods(1, 1, 2), "min_radius=2: give a whole number from 0 to 1"),
    ],
)
def test_impossible_parameters(kernel, message):
    with pytest.raises(ValueError, match=message):
        kernel.gram([(["a"], [])])


@settings(max_examples=40, deadline=None)
@given(st.lists(graphs(), min_size=1, max_size=4), st.lists(graphs(), min_size=1, max_size=3), st.booleans())
def test_scores_are_the_grams_and_parts_add_up(train, test, normalize):
    kernel = Neighborhoods(2, 2, min_radius=0, normalize=normalize)
    coefficients = np.random.default_rng(0).normal(size=(len(train), 2))
    scorer = kernel.decision_function(train, coefficients)
    found = scorer.score(test)
    np.testing.assert_allclose(found, kernel.gram(test, train) @ coefficients, atol=1e-9)
    for row, graph in enumerate(test):
        assert np.array_equal(scorer.score([graph])[0], found[row])
        for output in (0, 1):
            assert abs(sum(part.contribution for part in scorer.parts(graph, output)) - found[row, output]) < 1e-9
