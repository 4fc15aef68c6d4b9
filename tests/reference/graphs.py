"""The neighbourhood kernel straight from its definition: balls as sets of nodes, equality by trying all renamings.

A graph is (labels, edges), edges being triples (i, j, label), undirected; the same edge twice is one edge.
"""

import math
from collections import Counter


def relation(edges):
    """For each ordered pair of nodes the set of labels of the edges between them."""
    between = {}
    for one, other, label in edges:
        between.setdefault((one, other), set()).add(label)
        between.setdefault((other, one), set()).add(label)
    return between


def distances(graph):
    """The number of steps between any two nodes (infinite if there is no way), by Floyd and Warshall."""
    labels, edges = graph
    nodes = range(len(labels))
    between = relation(edges)
    steps = {(i, j): 0 if i == j else 1 if (i, j) in between else math.inf for i in nodes for j in nodes}
    for via in nodes:
        for i in nodes:
            for j in nodes:
                steps[i, j] = min(steps[i, j], steps[i, via] + steps[via, j])
    return steps


def ball(graph, root, radius):
    """The subgraph of all nodes within the radius: (label of each node, labels between each two, root)."""
    labels, edges = graph
    steps = distances(graph)
    inside = [node for node in range(len(labels)) if steps[root, node] <= radius]
    between = {ends: names for ends, names in relation(edges).items() if set(ends) <= set(inside)}
    return {node: labels[node] for node in inside}, between, root


def isomorphic(one, two):
    """Whether a renaming of nodes turns one rooted labelled graph into the other; tries node after node."""
    labels, between, root = one
    labels2, between2, root2 = two
    if Counter(labels.values()) != Counter(labels2.values()) or len(between) != len(between2):
        return False
    nodes = [root] + [node for node in labels if node != root]

    def fits(node, image, images):
        if labels[node] != labels2[image] or (node == root) != (image == root2) or image in images.values():
            return False
        pairs = [*images.items(), (node, image)]
        return all(between.get((node, a)) == between2.get((image, b)) for a, b in pairs)

    def extend(images):
        if len(images) == len(nodes):
            return True
        node = nodes[len(images)]
        return any(fits(node, image, images) and extend({**images, node: image}) for image in labels2)

    return extend({})


def class_of(found, classes):
    """The number of the class of isomorphic balls that this one belongs to; a new one is added to the list."""
    for number, known in enumerate(classes):
        if isomorphic(found, known):
            return number
    classes.append(found)
    return len(classes) - 1


def ordered_pairs(graph, radius, distance, classes):
    """How often each ordered pair of balls of this radius occurs with its roots at this distance."""
    labels = graph[0]
    steps = distances(graph)
    balls = [class_of(ball(graph, node, radius), classes) for node in range(len(labels))]
    return Counter((balls[i], balls[j]) for (i, j), far in steps.items() if far == distance)


def neighborhoods(one, two, radius, distance, min_radius=1, normalize=True):
    """K(one, two): for every radius and distance the product of the counts, normalised, summed and normalised."""
    classes = []
    values = {}
    for h in range(min_radius, radius + 1):
        for d in range(distance + 1):
            rows = [ordered_pairs(graph, h, d, classes) for graph in (one, two)]
            for i, j in ((0, 0), (0, 1), (1, 1)):
                values[h, d, i, j] = sum(count * rows[j][pair] for pair, count in rows[i].items())
    cells = [(h, d) for h in range(min_radius, radius + 1) for d in range(distance + 1)]
    if not normalize:
        return float(sum(values[h, d, 0, 1] for h, d in cells))
    present = [sum(values[h, d, i, i] > 0 for h, d in cells) for i in (0, 1)]
    total = sum(
        values[h, d, 0, 1] / math.sqrt(values[h, d, 0, 0] * values[h, d, 1, 1]) for h, d in cells if values[h, d, 0, 1]
    )
    return total / math.sqrt(present[0] * present[1]) if total else 0.0
