"""The Gram of the re-writing kernel: ours beside the paper's Algorithm 2, compiled, in one run.

    python benchmarks/gram.py [--pairs 1000] [--jobs 2]

Both start from interned tokens and compute the same values (checked); compilation is not counted.
"""

import argparse

import numpy as np

from paper_algorithms import gram_algorithm2
from rekern.bench import best_time, pairs_of_sentences
from rekern.kernels import Rewriting
from rekern.structures.pairs import Pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--data", help="folder of the corpora, by default REKERN_DATA")
    options = parser.parse_args()
    corpus, pairs, _ = pairs_of_sentences(options.data)
    some = Pairs.from_items(pairs[: options.pairs])
    tokens = some.tokens
    ids, offsets = np.ascontiguousarray(tokens.ids), np.ascontiguousarray(tokens.offsets)

    def theirs(number: int, jobs: int) -> list[np.ndarray]:
        return [gram_algorithm2(ids, offsets, number, k, 1.0, jobs) for k in (1, 2, 3, 4)]

    plain = Rewriting(k=(1, 4), normalize=False)
    check = min(60, len(some))
    difference = np.abs(sum(theirs(check, 1)) - plain.gram(some[:check])).max()
    kernel = Rewriting(k=(1, 4))
    kernel.gram(some, n_jobs=1), kernel.gram(some, n_jobs=options.jobs)
    print(f"{len(some):,} pairs of {corpus}, k = 1..4; largest difference of the values: {difference:g}")
    print(f"{'threads':>8} {'Algorithm 2':>14} {'ours':>10} {'ratio':>8}")
    for jobs in sorted({1, options.jobs}):
        ours = best_time(lambda jobs=jobs: kernel.gram(some, n_jobs=jobs), 7)
        paper = best_time(lambda jobs=jobs: theirs(len(some), jobs), 1)
        print(f"{jobs:>8} {paper:>12.2f} s {ours:>8.4f} s {paper / ours:>8.0f}")


if __name__ == "__main__":
    main()
