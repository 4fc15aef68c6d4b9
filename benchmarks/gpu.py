"""Grams of tree kernels by a GPU beside the same Grams by all cores of the processor, in one run.

    python benchmarks/gpu.py [--trees 10000] [--jobs 16] [--data FOLDER] [--only NAME]

The trees are those of MSRP where the corpora are at hand, else grown at random. A rate is the number of different cells
of the Gram, n (n + 1) / 2, by the time of the whole call, the least of three: folding of trees, normalisation and the
copy into an array of the processor included. Compilation is not counted. The last column is the largest difference of
the two Grams. With ``--only`` only the kernels whose names contain NAME are measured.
"""

import argparse
import time

import numpy as np

from rekern.kernels import BestPairing, DependencyPaths, PartialTree, SmoothedPartialTree, SubsetTree
from rekern.structures.trees import Trees
from trees import RandomSpace, lexical, treebank


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=None, help="threads of the processor, by default all cores")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data", help="folder of the corpora, by default REKERN_DATA")
    parser.add_argument("--only", default="", help="a part of the names of the kernels that are measured")
    options = parser.parse_args()
    source, texts = treebank(options.data, options.trees)
    trees = Trees.from_items(texts)
    some = len(trees) // 2
    kernels = {
        "PartialTree": (PartialTree(), trees),
        "SubsetTree": (SubsetTree(), trees),
        "SmoothedPartialTree": (SmoothedPartialTree(similarity=RandomSpace()), lexical(trees)),
        "DependencyPaths": (DependencyPaths(), trees),
        "PartialTree() + SubsetTree()": (PartialTree() + SubsetTree(), trees),
        "BestPairing(PartialTree())": (BestPairing(PartialTree()), list(zip(trees[:some], trees[some:]))),
    }
    print(f"{len(trees):,} trees ({source}) of {len(trees.labels) / len(trees):.0f} nodes, million cells/s")
    print(f"{'':<30} {'items':>7} {'cores':>8} {'GPU':>8} {'ratio':>6} {'cores, s':>9} {'GPU, s':>8}   difference")
    for name, (kernel, items) in kernels.items():
        if options.only not in name:
            continue
        cells = len(items) * (len(items) + 1) / 2e6
        seconds, grams = {}, {}
        for device in ("cpu", "cuda"):
            kernel.gram(items[:200], device=device)
            times = []
            for _ in range(options.repeats):
                grams.pop(device, None)
                started = time.perf_counter()
                grams[device] = kernel.gram(items, n_jobs=options.jobs, device=device)
                times.append(time.perf_counter() - started)
            seconds[device] = min(times)
        slow, fast = seconds["cpu"], seconds["cuda"]
        difference = max(np.abs(one - other).max() for one, other in zip(grams["cpu"], grams["cuda"]))
        rates = f"{cells / slow:>8.1f} {cells / fast:>8.1f} {slow / fast:>6.1f} {slow:>9.3f} {fast:>8.3f}"
        print(f"{name:<30} {len(items):>7,} {rates}   {difference:.1e}", flush=True)


if __name__ == "__main__":
    main()
