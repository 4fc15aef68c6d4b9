"""The Gram of the re-writing kernel: ours beside the paper's Algorithm 2, compiled, in one run.

    python benchmarks/gram.py [--pairs 1000] [--jobs 2]

All start from interned tokens and compute the same values (checked); compilation is not counted. "printed" is
Algorithm 2 line by line, "tuned" the same with rolling hashes and one map less.
"""

import argparse
from collections.abc import Callable

import numpy as np

from paper_algorithms import gram_algorithm2
from printed_algorithm import gram_printed
from rekern.kernels import Rewriting
from rekern.structures.pairs import Pairs
from speed import load_sentence_pairs, measure_time


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--data", help="folder of the corpora, by default REKERN_DATA")
    options = parser.parse_args()
    corpus, pairs, _ = load_sentence_pairs(options.data)
    some = Pairs.from_items(pairs[: options.pairs])
    tokens = some.tokens
    ids, offsets = np.ascontiguousarray(tokens.ids), np.ascontiguousarray(tokens.offsets)

    def theirs(gram: Callable[..., np.ndarray], number: int, jobs: int) -> list[np.ndarray]:
        return [gram(ids, offsets, number, k, 1.0, jobs) for k in (1, 2, 3, 4)]

    plain = Rewriting(k=(1, 4), normalize=False)
    check = min(60, len(some))
    values = plain.gram(some[:check])
    difference = max(np.abs(sum(theirs(gram, check, 1)) - values).max() for gram in (gram_printed, gram_algorithm2))
    kernel = Rewriting(k=(1, 4))
    kernel.gram(some, n_jobs=1), kernel.gram(some, n_jobs=options.jobs)
    print(f"{len(some):,} pairs of {corpus}, k = 1..4; largest difference of the values: {difference:g}")
    print(f"{'threads':>8} {'printed':>10} {'tuned':>10} {'ours':>10} {'ratio':>12} {'to tuned':>9}")
    for jobs in sorted({1, options.jobs}):
        ours = measure_time(lambda jobs=jobs: kernel.gram(some, n_jobs=jobs), 7)
        printed = measure_time(lambda jobs=jobs: theirs(gram_printed, len(some), jobs), 1)
        tuned = measure_time(lambda jobs=jobs: theirs(gram_algorithm2, len(some), jobs), 1)
        times = f"{printed:>8.2f} s {tuned:>8.2f} s {ours:>8.4f} s"
        print(f"{jobs:>8} {times} {printed / ours:>12.0f} {tuned / ours:>9.0f}")


if __name__ == "__main__":
    main()
