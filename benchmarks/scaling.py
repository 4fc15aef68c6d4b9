"""Training time by the number of pairs: question pairs, resampled to as many as 400,000.

    python benchmarks/scaling.py [--most 400000] [--out scaling.png]

Trains from raw text (default kernel, with probabilities) on samples of growing size and prints seconds, pairs per
second and the peak memory of the process. A sample larger than the training part of QQP repeats pairs; each repetition
has one invented word at the end of both sides, so that no row is a copy of another.
"""

import argparse
import random
import resource
import time
from collections.abc import Iterator, Sequence

from experiments.corpora import load_qqp
from rekern import PairClassifier


def draw_sample(
    pairs: Sequence[tuple[str, str]], labels: Sequence[int], number: int
) -> tuple[list[tuple[str, str]], list[int]]:
    """Return ``number`` pairs and labels: the corpus first, then changed repetitions of it."""
    rows = list(iterate_sample(pairs, labels, number))
    return [(source, target) for source, target, _ in rows], [label for _, _, label in rows]


def iterate_sample(
    pairs: Sequence[tuple[str, str]], labels: Sequence[int], number: int
) -> Iterator[tuple[str, str, int]]:
    """Yield the rows of `draw_sample`, source, target and label, one after the other."""
    chosen, wanted = list(range(len(pairs))), random.Random(0)
    while len(chosen) < number:
        chosen.append(wanted.randrange(len(pairs)))
    for place, index in enumerate(chosen[:number]):
        source, target = pairs[index]
        mark = "" if place < len(pairs) else f" w{wanted.randrange(10**6)}"
        yield source + mark, target + mark, labels[index]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=400_000)
    parser.add_argument("--data", help="folder of the corpora, by default REKERN_DATA")
    parser.add_argument("--calibration", type=int, default=5)
    parser.add_argument("--out", help="where to draw the curve")
    options = parser.parse_args()
    table = load_qqp("train", options.data)
    model = PairClassifier("paper", gram_limit=1, calibration=2)
    model.fit(table.pairs[:200], table.labels[:200]).predict(table.pairs[:10])
    sizes, curve = [5_000, 12_500, 25_000, 45_773, 100_000, 200_000, 400_000], []
    print(f"{'pairs':>8} {'seconds':>9} {'pairs/s':>9} {'peak GB':>8}", flush=True)
    for size in [size for size in sizes if size <= options.most]:
        pairs, labels = draw_sample(table.pairs, list(table.labels or []), size)
        started = time.perf_counter()
        PairClassifier("paper", gram_limit=1, calibration=options.calibration).fit(pairs, labels)
        seconds = time.perf_counter() - started
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        curve.append((size, seconds))
        print(f"{size:>8,} {seconds:>9.1f} {size / seconds:>9,.0f} {memory:>8.2f}", flush=True)
    if options.out:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(6, 4))
        axes.plot(*zip(*curve), marker="o")
        axes.set_xlabel("training pairs")
        axes.set_ylabel("seconds from raw text")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        figure.tight_layout()
        figure.savefig(options.out, dpi=150)


if __name__ == "__main__":
    main()
