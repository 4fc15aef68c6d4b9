"""The Gram of the neighbourhood kernel: ours beside a plain program, in one run.

    python benchmarks/graphs.py [--graphs 500] [--nodes 28] [--radius 3] [--distance 4]

The graphs are like dependency graphs: trees of words whose heads are mostly near, with a few more links, and labels of
which some are frequent. The plain program follows Costa and De Grave: a ball is described by the sorted list of its
edges, each end by its label and its distances from the root and from all other nodes; features are counted in
dictionaries, and the Gram is one product of sparse matrices for every radius and distance. Both start from lists of
nodes and edges and run on one core; compilation is not counted.
"""

import argparse
from collections import Counter

import numpy as np
import scipy.sparse as sp

from rekern.kernels import Neighborhoods
from speed import measure_time

Graph = tuple[list[str], list[tuple[int, int]]]


def dependency_like(number: int, nodes: int, extra: int = 3, labels: int = 20, seed: int = 0) -> list[Graph]:
    """Random trees with some more links; the label of rank r is about r times as rare as the first."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, labels + 1)
    graphs = []
    for _ in range(number):
        words = [f"L{label}" for label in rng.choice(labels, nodes, p=shares / shares.sum())]
        edges = [(node, int(rng.integers(max(0, node - 6), node))) for node in range(1, nodes)]
        edges += [tuple(rng.choice(nodes, 2, replace=False).tolist()) for _ in range(extra)]
        graphs.append((words, edges))
    return graphs


def steps_from(root: int, inside: set[int], near: list[set[int]]) -> dict[int, int]:
    """The distances from a node, on ways through these nodes only."""
    steps, level = {root: 0}, [root]
    while level:
        following = []
        for node in level:
            for other in near[node]:
                if other in inside and other not in steps:
                    steps[other] = steps[node] + 1
                    following.append(other)
        level = following
    return steps


def plain_ball(root: int, inside: set[int], labels: list[str], near: list[set[int]]) -> int:
    names = {}
    for node in inside:
        steps = steps_from(node, inside, near)
        names[node] = (labels[node], steps[root], tuple(sorted((steps[other], labels[other]) for other in inside)))
    edges = sorted((names[one], names[two]) for one in inside for two in near[one] if two in inside)
    return hash((names[root], tuple(edges)))


def plain_gram(graphs: list[Graph], radius: int, distance: int, normalize: bool = True) -> np.ndarray:
    rows: dict[tuple[int, int], list[Counter]] = {
        (h, d): [Counter() for _ in graphs] for h in range(1, radius + 1) for d in range(distance + 1)
    }
    for index, (labels, edges) in enumerate(graphs):
        near: list[set[int]] = [set() for _ in labels]
        for one, two in edges:
            near[one].add(two)
            near[two].add(one)
        every = set(range(len(labels)))
        steps = [steps_from(node, every, near) for node in every]
        for h in range(1, radius + 1):
            insides = [{node for node, far in steps[root].items() if far <= h} for root in every]
            balls = [plain_ball(root, inside, labels, near) for root, inside in enumerate(insides)]
            for one in every:
                for two, far in steps[one].items():
                    if far <= distance:
                        rows[h, far][index][balls[one], balls[two]] += 1
    total = np.zeros((len(graphs), len(graphs)))
    present = np.zeros(len(graphs))
    for counts in rows.values():
        columns: dict[tuple[int, int], int] = {}
        entries = [
            (row, columns.setdefault(pair, len(columns)), n) for row, c in enumerate(counts) for pair, n in c.items()
        ]
        if not entries:
            continue
        row, column, values = (np.array(part) for part in zip(*entries))
        shape = (len(graphs), len(columns))
        matrix = sp.csr_array((values.astype(float), (row, column)), shape=shape)
        gram = (matrix @ matrix.T).toarray()
        if normalize:
            roots = np.sqrt(np.diag(gram))
            roots[roots == 0] = 1
            present += np.diag(gram) > 0
            gram /= np.outer(roots, roots)
        total += gram
    return total / np.sqrt(np.outer(present, present)) if normalize else total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("graphs", 500), ("nodes", 28), ("radius", 3), ("distance", 4)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    graphs = dependency_like(options.graphs, options.nodes)
    kernel = Neighborhoods(options.radius, options.distance)
    gram = kernel.gram(graphs, n_jobs=1)
    expected: list[np.ndarray] = []
    plain = measure_time(lambda: expected.append(plain_gram(graphs, options.radius, options.distance)), 1)
    ours = measure_time(lambda: kernel.gram(graphs, n_jobs=1), 7)
    print(f"{len(graphs):,} graphs of {options.nodes} nodes, radius {options.radius}, distance {options.distance}")
    print(f"largest difference of the values: {np.abs(gram - expected[0]).max():.1e}; mean value: {gram.mean():.4f}")
    print(f"{'plain program':>14} {'ours':>10} {'ratio':>8}")
    print(f"{plain:>12.2f} s {ours:>8.4f} s {plain / ours:>8.0f}")


if __name__ == "__main__":
    main()
