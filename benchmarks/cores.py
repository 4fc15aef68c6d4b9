"""How much faster Grams and features are with more threads: wall time from one thread to all cores.

    python benchmarks/cores.py [--trees 4000] [--pairs 45773] [--jobs 1 2 4 8 16] [--data FOLDER] [--only NAME ...]

Each figure is the least of some calls of the whole function, with the trees or tokens read before; compilation is not
counted. The last column is the time of the first number of threads by that of the last. The bits are compared, too.
Use a machine on which nothing else runs.
"""

import argparse
import os
import time
from collections.abc import Callable

import numpy as np

from experiments.corpora import load_qqp
from rekern.kernels import PartialTree, Rewriting, SubsetTree
from rekern.structures.trees import Trees
from trees import treebank


def measure(call: Callable[[int], object], jobs: int, repeats: int) -> tuple[float, object]:
    """The least seconds of some calls, and the last result."""
    least, result = np.inf, None
    for _ in range(repeats):
        del result
        started = time.perf_counter()
        result = call(jobs)
        least = min(least, time.perf_counter() - started)
    return least, result


def has_same_bits(one: object, other: object) -> bool:
    """Whether two matrices, dense or sparse, are the same."""
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("indptr", "indices", "data"))


def show(name: str, call: Callable[[int], object], jobs: list[int], repeats: int) -> None:
    """Print the seconds for each number of threads, and the ratio of the first to the last."""
    seconds, results = [], []
    for number in jobs:
        least, result = measure(call, number, repeats)
        seconds.append(least)
        results = [*results[:1], result]  # the first and the latest
    same = "same bits" if has_same_bits(results[0], results[-1]) else "OTHER BITS"
    figures = " ".join(f"{one:>8.3f}" for one in seconds)
    print(f"{name:<26} {figures} {seconds[0] / seconds[-1]:>7.1f}   {same}", flush=True)


def main() -> None:
    cores = os.cpu_count() or 1
    doubled = [1 << bit for bit in range(cores.bit_length()) if 1 << bit < cores]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=4_000)
    parser.add_argument("--pairs", type=int, default=45_773)
    parser.add_argument("--jobs", type=int, nargs="+", default=[*doubled, cores])
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--data", help="folder of the corpora, by default REKERN_DATA")
    parser.add_argument("--only", nargs="+", default=[""], help="what the names of the lines begin with")
    options = parser.parse_args()
    source, texts = treebank(options.data, options.trees)
    trees = Trees.from_items(texts)
    kernel = Rewriting(k=(1, 4))
    raw = load_qqp("train", options.data).pairs[: options.pairs]
    pairs = kernel.read_items(raw)
    print(f"{len(trees):,} trees ({source}), {len(pairs):,} pairs of QQP; seconds")
    print(f"{'threads':<26} {' '.join(f'{number:>8}' for number in options.jobs)} {'ratio':>7}")
    calls: list[tuple[str, Callable[[int], object]]] = [
        ("PartialTree, Gram", lambda jobs: PartialTree().gram(trees, n_jobs=jobs)),
        ("SubsetTree, Gram", lambda jobs: SubsetTree().gram(trees, n_jobs=jobs)),
        ("Rewriting, Gram", lambda jobs: kernel.gram(pairs, n_jobs=jobs)),
        ("Rewriting, features", lambda jobs: kernel.features(pairs, n_jobs=jobs)),
    ]
    for warm in (PartialTree(), SubsetTree()):
        warm.gram(trees[:300])
    kernel.gram(kernel.read_items(raw[:9000]))
    kernel.features(kernel.read_items(raw[:500]))
    for name, call in (line for line in calls if line[0].startswith(tuple(options.only))):
        show(name, call, options.jobs, options.repeats)


if __name__ == "__main__":
    main()
