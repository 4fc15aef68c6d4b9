"""Tree kernels: ours beside plain compiled double loops over all pairs of nodes, in one run, on one core.

    python benchmarks/trees.py [--trees 1000] [--data FOLDER]

The trees are those of MSRP where the corpora are at hand, else grown at random. Both sides start from flat arrays and
compute the same values (checked); compilation is not counted. A rate is the number of different cells of the Gram,
n (n + 1) / 2, by the time of the whole call, normalisation included for ours.
"""

import argparse
import gzip
import os
from pathlib import Path

import numpy as np

from rekern.core.compiling import compiled
from rekern.kernels.trees.dependency_paths import DependencyPaths
from rekern.kernels.trees.partial_tree import PartialTree, SmoothedPartialTree
from rekern.kernels.trees.subset_tree import SubsetTree
from rekern.kernels.trees.subtree import SubTree
from rekern.structures.trees import Trees
from speed import measure_time


@compiled
def largest(offsets):
    """The nodes of the largest tree."""
    return np.diff(offsets).max()


@compiled
def plain_partial_trees(labels, first, count, offsets, trees, mu, decay):
    """The partial tree kernel: Δ of every pair of nodes, bottom up, the recursion over child pairs for equal labels."""
    gram = np.zeros((trees, trees))
    delta = np.zeros((largest(offsets), largest(offsets)))
    above = np.zeros(1 + count.max())
    for one in range(trees):
        for other in range(one, trees):
            begin, begin2 = offsets[one], offsets[other]
            total = 0.0
            for x in range(offsets[one + 1] - 1, begin - 1, -1):
                for y in range(offsets[other + 1] - 1, begin2 - 1, -1):
                    value = 0.0
                    if labels[x] == labels[y]:
                        value = mu * decay * decay
                        if count[x] and count[y]:
                            above[: count[y] + 1] = 0.0
                            for i in range(count[x]):
                                left = corner = 0.0
                                for j in range(count[y]):
                                    here = delta[first[x] + i - begin, first[y] + j - begin2]
                                    ending = here * (1.0 + corner)
                                    value += mu * ending
                                    left = decay * left + ending
                                    corner = above[j + 1]
                                    above[j + 1] = decay * corner + left
                        total += value
                    delta[x - begin, y - begin2] = value
            gram[one, other] = total
    return gram


@compiled
def plain_subset_trees(labels, first, count, offsets, trees, decay):
    """The subset tree kernel: Δ of every pair of nodes, bottom up."""
    gram = np.zeros((trees, trees))
    delta = np.zeros((largest(offsets), largest(offsets)))
    for one in range(trees):
        for other in range(one, trees):
            begin, begin2 = offsets[one], offsets[other]
            total = 0.0
            for x in range(offsets[one + 1] - 1, begin - 1, -1):
                for y in range(offsets[other + 1] - 1, begin2 - 1, -1):
                    value = 0.0
                    if labels[x] == labels[y] and count[x] == count[y] and count[x] > 0:
                        value = decay
                        for i in range(count[x]):
                            if labels[first[x] + i] != labels[first[y] + i]:
                                value = 0.0
                                break
                            value *= 1.0 + delta[first[x] + i - begin, first[y] + i - begin2]
                        total += value
                    delta[x - begin, y - begin2] = value
            gram[one, other] = total
    return gram


def treebank(data: str | None, number: int) -> tuple[str, list[str]]:
    """Where the trees come from, and the trees."""
    folder = data or os.environ.get("REKERN_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data"
    path = Path(folder) / "msrp" / "trees.tsv.gz"
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            return "MSRP", [line.rstrip("\n").split("\t")[1] for line in lines][1 : number + 1]
    rng = np.random.default_rng(0)

    def grow(depth: int) -> str:
        if depth == 0 or rng.random() < 0.3:
            return f"(T{rng.zipf(1.6) % 30} w{rng.zipf(1.3) % 5000})"
        return f"(N{rng.zipf(1.7) % 12} {' '.join(grow(depth - 1) for _ in range(rng.integers(1, 4)))})"

    return "grown at random", [f"(S {grow(6)} {grow(6)})" for _ in range(number)]


def lexical(trees: Trees) -> Trees:
    """The same trees with leaves as lemma::pos, the part of speech being the first letter of the tag."""
    found = []
    for text in trees:
        pieces = text.split(" ")
        for place in range(1, len(pieces)):
            if pieces[place].endswith(")") and pieces[place - 1].startswith("("):
                word = pieces[place].rstrip(")")
                tag = pieces[place - 1][1].lower()
                pieces[place] = f"{word}::{tag}" + pieces[place][len(word) :]
        found.append(" ".join(pieces))
    return Trees.from_items(found)


class RandomSpace:
    """Word vectors of 250 dimensions, some of them close to each other."""

    def vectors(self, words: list[str]) -> np.ndarray:
        """A vector for every word."""
        rng = np.random.default_rng(0)
        topics = rng.normal(size=(50, 250))
        return topics[rng.integers(0, 50, len(words))] + rng.normal(size=(len(words), 250))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=1000)
    parser.add_argument("--data", help="folder of the corpora, by default REKERN_DATA")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    source, texts = treebank(options.data, options.trees)
    reading = measure_time(lambda: Trees.from_items(texts))
    trees = Trees.from_items(texts)
    words = lexical(trees)
    number = len(trees)
    print(f"{number:,} trees ({source}) of {len(trees.labels) / number:.0f} nodes, read at {number / reading:,.0f}/s")
    some = min(number, 150)
    arrays = trees[:some].arrays
    plain = {
        "PartialTree": lambda count: plain_partial_trees(*arrays, count, 0.4, 0.4),
        "SubsetTree": lambda count: plain_subset_trees(*arrays, count, 0.4),
    }
    kernels = [
        (PartialTree(), trees),
        (SubsetTree(), trees),
        (SmoothedPartialTree(similarity=RandomSpace()), words),
        (SubTree(), trees),
        (DependencyPaths(), trees),
    ]
    print(f"{'':<22} {'plain loop/s':>14} {'ours/s':>12} {'ratio':>7}   largest difference")
    for kernel, items in kernels:
        name = type(kernel).__name__
        kernel.gram(items[:20], n_jobs=1)
        ours = number * (number + 1) / 2 / measure_time(lambda k=kernel, x=items: k.gram(x, n_jobs=1), options.repeats)
        if name in plain:
            plain[name](2)
            theirs = some * (some + 1) / 2 / measure_time(lambda n=name: plain[n](some), options.repeats)
            values = kernel.set_params(normalize=False).gram(items[:some])
            difference = np.abs(np.triu(values) - plain[name](some)).max()
            print(f"{name:<22} {theirs:>14,.0f} {ours:>12,.0f} {ours / theirs:>7.1f}   {difference:.1g}")
        else:
            print(f"{name:<22} {'':>14} {ours:>12,.0f}")


if __name__ == "__main__":
    main()
