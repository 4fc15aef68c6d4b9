"""Whole corpora of trees: the Grams that the reproductions need, from trees in memory, with the peak memory.

    python benchmarks/structures.py [--jobs 2] [--items N] [--data FOLDER]

PartialTree on all 5,952 TREC questions (KeLP's GRCT trees), and SoftPairing(PartialTree) on MSRP with REL marks, train
by train and test by train. With ``--items`` only the first N trees and pairs are used. Compilation is not counted.
"""

import argparse
import resource
import time

from experiments.trec import load_trec_trees
from experiments.tree_corpora import load_part
from rekern.kernels import PartialTree, SoftPairing
from rekern.structures import trees_named


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--data", help="folder of the corpora, by default REKERN_DATA")
    parser.add_argument("--items", type=int, default=None)
    options = parser.parse_args()
    questions = [question for part in ("train", "test") for question in load_trec_trees(part, options.data)]
    trees = trees_named(questions[: options.items], "grct")
    parts = [load_part("msrp", part, options.data).items for part in ("train", "test")]
    train, test = (part.take(range(min(len(part), options.items or len(part)))) for part in parts)
    pairs = SoftPairing(PartialTree(on="stems-rel"))
    PartialTree().gram(trees[:10]), pairs.gram(test.take(range(10)))
    jobs = [
        (f"TREC, PartialTree on GRCT, {len(trees):,} trees, one thread", lambda: PartialTree().gram(trees, n_jobs=1)),
        ("MSRP with REL, SoftPairing(PartialTree), train by train", lambda: pairs.gram(train, n_jobs=options.jobs)),
        (
            "MSRP with REL, SoftPairing(PartialTree), test by train",
            lambda: pairs.gram(test, train, n_jobs=options.jobs),
        ),
    ]
    for name, job in jobs:
        started = time.perf_counter()
        job()
        seconds = time.perf_counter() - started
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{name:<60} {seconds:>7.1f} s   peak {memory:.2f} GB", flush=True)


if __name__ == "__main__":
    main()
